//! Runs before a change against runs after it: is it the same work, is it faster, which findings are
//! gone.
//!
//! Each side has one run or several repetitions. Every change is an [`Estimate`] over all pairs of runs.
//! Seconds are compared only if both sides did the same work.

mod finding;
mod measure;
mod side;
#[cfg(test)]
mod tests;
mod verdict;
mod work;

use crate::estimate::{Certainty, Estimate};
use crate::finding::Level;

pub use finding::{ChangeKind, FindingChange, FindingSide};
pub use measure::{Better, MEASURES, Meaning, Measure, Measured};
pub use side::{Interface, LeftOut, Repetition, Side};
pub use verdict::{Promise, State, Verdict};
pub use work::{Difference, SameWork, WorkState};

/// Bytes may differ by this share between runs of the same work.
const SAME_BYTES: f64 = 0.05;
/// A smaller change is never called one.
const LEAST: f64 = 0.02;
/// The same where few runs make an interval weak, or there is none.
const LEAST_UNSURE: f64 = 0.2;
/// Up to here a change that is not certain is no change.
const NEAR: f64 = 0.05;

/// The difference between runs before and runs after.
#[derive(Debug)]
pub struct Comparison {
    /// The runs before, and those after.
    pub sides: [Side; 2],
    /// Whether both sides did the same work.
    pub same_work: SameWork,
    /// The judgement.
    pub verdict: Verdict,
    /// What the findings that are gone had promised; none if there is none, or seconds are not compared.
    pub promise: Option<Promise>,
    /// All rows of [`MEASURES`], in their order.
    pub measures: Vec<Measured>,
    /// Findings that fired in some run, and checks that could run on one side only. What is new and what
    /// became worse comes first.
    pub findings: Vec<FindingChange>,
    /// Faults of the data that a reader must know, a sentence each.
    pub warnings: Vec<String>,
}

impl Comparison {
    /// Compares runs. With `is_assumed` seconds are compared although the work looks different. None if a
    /// side has no run.
    pub fn of(before: Vec<Repetition>, after: Vec<Repetition>, is_assumed: bool) -> Option<Self> {
        if before.is_empty() || after.is_empty() {
            return None;
        }
        let sides = [Side::of(before), Side::of(after)];
        let same_work = work::of(&sides, is_assumed);
        let measures = measure::of(&sides, same_work.state);
        let findings = finding::of(&sides, same_work.state);
        let promise = verdict::promise(&sides, &findings, same_work.state);
        let verdict = verdict::of(&sides, &same_work, &measures, promise.as_ref());
        let warnings = side::warnings(&sides);
        Some(Self { sides, same_work, verdict, promise, measures, findings, warnings })
    }

    /// True if a finding at this level or above is new.
    pub fn has_new(&self, level: Level) -> bool {
        self.findings.iter().any(|finding| {
            finding.change == ChangeKind::New && finding.sides[1].level >= Some(level)
        })
    }

    /// The row of a name, such as `run_seconds`.
    pub fn measured(&self, name: &str) -> Option<&Measured> {
        self.measures.iter().find(|measured| measured.measure.name == name)
    }
}

/// A change as far as it is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Less,
    More,
    Near,
    Unsure,
}

/// Calls a ratio a change only if its interval is without 1 and it is large enough.
fn call(estimate: &Estimate) -> Call {
    let off = (estimate.ratio - 1.0).abs();
    let least = match estimate.certainty() {
        Certainty::Interval => LEAST,
        Certainty::Weak | Certainty::Single => LEAST_UNSURE,
    };
    let is_apart = estimate.interval.is_none_or(|interval| !interval.holds(1.0));
    match estimate.ratio < 1.0 {
        // The smallest change that counts may be a little less in floating point.
        true if is_apart && off >= least - 1e-12 => Call::Less,
        false if is_apart && off >= least - 1e-12 => Call::More,
        _ if off <= NEAR + 1e-12 => Call::Near,
        _ => Call::Unsure,
    }
}
