//! The findings that are shown, and those that are only counted.

use ioglass_insight::{Finding, Level, Role, State};

use super::Options;

/// Findings on the first screen.
const SHOWN: usize = 5;

/// A finding and its consequences.
pub(crate) struct ShownFinding<'a> {
    pub(crate) finding: &'a Finding,
    pub(crate) consequences: Vec<&'a Finding>,
}

/// Returns true if a finding can wait: it is small, or a consequence, or without its own seconds.
pub(crate) fn is_note(finding: &Finding) -> bool {
    finding.level < Some(Level::Warn)
        || finding.role != Some(Role::Primary) && finding.seconds_net <= 0.0
        || finding.role == Some(Role::Secondary)
}

/// The findings of a report, by how they are shown.
pub(crate) struct Selection<'a> {
    /// Every chosen check that applies to the run.
    pub(crate) all: Vec<&'a Finding>,
    /// Checks that fired.
    pub(crate) fired: Vec<&'a Finding>,
    /// Findings that are shown.
    pub(crate) shown: Vec<ShownFinding<'a>>,
    /// Findings without room on the first screen.
    pub(crate) more: Vec<&'a Finding>,
    /// Findings that are too small for the first screen.
    pub(crate) notes: Vec<&'a Finding>,
}

impl<'a> Selection<'a> {
    pub(crate) fn new(findings: &'a [Finding], options: &Options<'_>) -> Self {
        let is_asked = |f: &&Finding| f.state != State::Senseless && options.only.admits(f);
        let all: Vec<&Finding> = findings.iter().filter(is_asked).collect();
        let fired: Vec<&Finding> =
            all.iter().copied().filter(|f| f.state == State::Fired).collect();
        let cause = |finding: &Finding| {
            let code = finding.caused_by.filter(|_| finding.role == Some(Role::Secondary))?;
            fired.iter().map(|f| f.detector.code).find(|fired| *fired == code)
        };
        let causes: Vec<&Finding> = fired.iter().copied().filter(|f| cause(f).is_none()).collect();
        // With details or a choice of findings, all are shown.
        let is_whole = options.verbosity > 0 || !options.only.is_empty();
        let (notes, mut grave): (Vec<&Finding>, Vec<&Finding>) =
            causes.iter().copied().partition(|finding| is_note(finding) && !is_whole);
        let more = match is_whole {
            true => Vec::new(),
            false => grave.split_off(grave.len().min(SHOWN)),
        };
        let shown = grave.into_iter().map(|finding| {
            let code = finding.detector.code;
            let consequences =
                fired.iter().copied().filter(|other| cause(other) == Some(code)).collect();
            ShownFinding { finding, consequences }
        });
        let shown = shown.collect();
        Self { all, shown, more, notes, fired }
    }
}
