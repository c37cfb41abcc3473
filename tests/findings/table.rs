//! A row for each code: the number that decides, where it fires and where it does not.

use ioglass_insight::Confidence;

use super::recipe::Recipe;

/// What a check says where it does not fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Else {
    /// Checked and fine.
    Fine,
    /// It would need something that the log has not.
    NotCheckable,
    /// Not mentioned, because it makes no sense there.
    Absent,
}

/// A check, and two logs that differ in one number.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) code: &'static str,
    /// What the number is.
    pub(super) decides: &'static str,
    pub(super) fires_at: f64,
    pub(super) not_at: f64,
    pub(super) log: fn(f64) -> Recipe,
    pub(super) otherwise: Else,
    pub(super) confidence: Confidence,
    /// It costs seconds.
    pub(super) costs: bool,
}

pub(super) fn row(
    code: &'static str,
    decides: &'static str,
    [fires_at, not_at]: [f64; 2],
    log: fn(f64) -> Recipe,
) -> Row {
    let (otherwise, confidence) = (Else::Fine, Confidence::Derived);
    Row { code, decides, fires_at, not_at, log, otherwise, confidence, costs: true }
}

impl Row {
    pub(super) fn otherwise(mut self, otherwise: Else) -> Self {
        self.otherwise = otherwise;
        self
    }

    pub(super) fn measured(mut self) -> Self {
        self.confidence = Confidence::Measured;
        self
    }

    pub(super) fn assumed(mut self) -> Self {
        self.confidence = Confidence::Assumed;
        self
    }

    /// It says something, and no seconds with it.
    pub(super) fn free(mut self) -> Self {
        self.costs = false;
        self
    }
}
