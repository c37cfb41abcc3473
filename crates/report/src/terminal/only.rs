//! The choice of findings to show.

use std::fmt;

use ioglass_insight::detect::Detector;
use ioglass_insight::{Dimension, Finding, Level};

/// A choice of findings by code, name, dimension or level. An empty choice admits all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Only(Vec<Criterion>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Criterion {
    Code(&'static str),
    Dimension(Dimension),
    Level(Level),
}

/// The error of a name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName(pub String);

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a code, name, dimension or level of a finding", self.0)
    }
}

impl std::error::Error for UnknownName {}

impl Only {
    /// Reads names that are separated by commas.
    pub fn parse(names: &str, detectors: &[&'static Detector]) -> Result<Self, UnknownName> {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(|name| criterion(name, detectors)).collect::<Result<_, _>>().map(Self)
    }

    /// Returns true if all findings are admitted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the finding is chosen.
    pub fn admits(&self, finding: &Finding) -> bool {
        self.is_empty()
            || self.0.iter().any(|criterion| match *criterion {
                Criterion::Code(code) => finding.detector.code == code,
                Criterion::Dimension(dimension) => finding.detector.dimension == dimension,
                Criterion::Level(level) => finding.level == Some(level),
            })
    }
}

fn criterion(name: &str, detectors: &[&'static Detector]) -> Result<Criterion, UnknownName> {
    let is_name = |word: &str| word.eq_ignore_ascii_case(name);
    if let Some(detector) = detectors.iter().find(|d| is_name(d.code) || is_name(d.slug)) {
        return Ok(Criterion::Code(detector.code));
    }
    let dimensions = Dimension::JUDGED.into_iter().chain([Dimension::Information]);
    if let Some(dimension) = dimensions.into_iter().find(|d| is_name(d.word())) {
        return Ok(Criterion::Dimension(dimension));
    }
    let levels = [Level::Ok, Level::Info, Level::Warn, Level::High];
    match levels.into_iter().find(|level| is_name(level.word())) {
        Some(level) => Ok(Criterion::Level(level)),
        None => Err(UnknownName(name.into())),
    }
}
