//! What became of the findings.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::side::{Repetition, Side};
use super::work::WorkState;
use crate::detect::Detector;
use crate::estimate::{Estimate, Interval, median, unpaired};
use crate::finding::{Finding, Level, Role, State};

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// Fine in all runs before, fired in most after.
    New,
    /// Fired on both sides, and certainly costs more.
    Worse,
    /// Fired in most runs before, fine in all after.
    Gone,
    /// Fired on both sides, and certainly costs less.
    Better,
    /// The check could run on one side only.
    Unclear,
    /// None of these.
    Same,
}

impl ChangeKind {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Worse => "worse",
            Self::Gone => "gone",
            Self::Better => "better",
            Self::Unclear => "unclear",
            Self::Same => "same",
        }
    }
}

/// A check in the runs of one side.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingSide {
    /// Runs in which it fired.
    pub fired: usize,
    /// Runs in which it could be made.
    pub checked: usize,
    /// All runs.
    pub of: usize,
    /// Its highest level; none if it could not be made.
    pub level: Option<Level>,
    /// Cause or consequence: cause if it was that in some run; none if it was neither.
    pub role: Option<Role>,
    /// The median of what it costs, over the runs in which it fired.
    pub seconds: Option<f64>,
    /// The sentence of the finding; empty if it did not fire.
    pub title: String,
    /// The way to get the data that it needs; empty if nothing is missing.
    pub remedy: &'static str,
}

impl FindingSide {
    /// True if it fired in more than half of the runs.
    fn fires(&self) -> bool {
        2 * self.fired > self.of
    }

    /// True if it is fine in all runs.
    fn is_fine(&self) -> bool {
        self.fired == 0 && self.checked == self.of
    }
}

/// A check on both sides.
#[derive(Debug, Clone)]
pub struct FindingChange {
    /// The check.
    pub detector: &'static Detector,
    /// What became of it.
    pub change: ChangeKind,
    /// The runs before, and those after.
    pub sides: [FindingSide; 2],
    /// The change of its seconds, if it fired on both sides.
    pub estimate: Option<Estimate>,
}

impl FindingChange {
    /// Seconds on the side where it costs more.
    fn weight(&self) -> f64 {
        self.sides.iter().filter_map(|side| side.seconds).fold(0.0, f64::max)
    }

    /// True if it was a consequence of others wherever it fired. Its seconds are theirs.
    pub fn is_consequence(&self) -> bool {
        let fired = || self.sides.iter().filter(|side| side.fired > 0);
        self.has_fired() && fired().all(|side| side.role == Some(Role::Secondary))
    }

    /// True if it fired in some run.
    pub fn has_fired(&self) -> bool {
        self.sides.iter().any(|side| side.fired > 0)
    }
}

/// Checks by code, with their outcome in each run of each side.
type ByCode<'r> = BTreeMap<&'static str, [Vec<&'r Finding>; 2]>;

/// What became of all findings. Seconds of different work are not compared.
pub(super) fn of(sides: &[Side; 2], work: WorkState) -> Vec<FindingChange> {
    let mut by_code = ByCode::new();
    for (side, at) in sides.iter().zip(0..) {
        for finding in side.runs.iter().flat_map(|run| &run.diagnosis.findings) {
            by_code.entry(finding.detector.code).or_default()[at].push(finding);
        }
    }
    let mut changes: Vec<FindingChange> = by_code
        .values()
        .filter_map(|found| change(found, sides.each_ref().map(|side| side.runs.len()), work))
        .filter(|change| change.has_fired() || change.change == ChangeKind::Unclear)
        .collect();
    changes.sort_by(|a, b| {
        let order = |it: &FindingChange| (it.change, Reverse(it.has_fired()));
        let by_weight = b.weight().total_cmp(&a.weight());
        order(a).cmp(&order(b)).then(by_weight).then(a.detector.code.cmp(b.detector.code))
    });
    changes
}

fn change(found: &[Vec<&Finding>; 2], runs: [usize; 2], work: WorkState) -> Option<FindingChange> {
    let detector = found.iter().flatten().next()?.detector;
    let [before, after] = [0, 1].map(|at| summary(&found[at], runs[at]));
    let both = before.fired > 0 && after.fired > 0 && work != WorkState::Different;
    let seconds = found.each_ref().map(|found| {
        let checked = found.iter().filter(|finding| is_checked(finding));
        checked.map(|finding| cost(finding).unwrap_or(0.0)).collect::<Vec<f64>>()
    });
    let estimate = if both { ratio(&seconds) } else { None };
    let apart = estimate.and_then(|estimate| estimate.interval).filter(|it| !it.holds(1.0));
    let change = match apart {
        _ if before.fires() && after.is_fine() => ChangeKind::Gone,
        _ if before.is_fine() && after.fires() => ChangeKind::New,
        _ if (before.checked == 0) != (after.checked == 0) => ChangeKind::Unclear,
        Some(interval) if interval.high < 1.0 => ChangeKind::Better,
        Some(_) => ChangeKind::Worse,
        None => ChangeKind::Same,
    };
    Some(FindingChange { detector, change, sides: [before, after], estimate })
}

/// The change of seconds. A run in which it is fine has 0; where those before have such a run, the
/// opposite change is turned around.
fn ratio(seconds: &[Vec<f64>; 2]) -> Option<Estimate> {
    unpaired(&seconds[0], &seconds[1]).or_else(|| {
        let opposite = unpaired(&seconds[1], &seconds[0])?;
        // What has no end stays with a number that JSON can hold.
        let turned = |ratio: f64| if ratio > 0.0 { 1.0 / ratio } else { f64::MAX };
        let interval = opposite.interval.map(|it| Interval {
            low: turned(it.high),
            high: turned(it.low),
            ..it
        });
        Some(Estimate { ratio: turned(opposite.ratio), interval })
    })
}

fn is_checked(finding: &Finding) -> bool {
    matches!(finding.state, State::Fired | State::Fine)
}

/// What a finding costs; none if it did not fire.
fn cost(finding: &Finding) -> Option<f64> {
    (finding.state == State::Fired).then_some(finding.seconds_at_stake)
}

fn summary(found: &[&Finding], of: usize) -> FindingSide {
    let fired = || found.iter().filter(|finding| finding.state == State::Fired);
    let checked = found.iter().filter(|finding| is_checked(finding)).count();
    let is_fine = (checked > 0).then_some(Level::Ok);
    let seconds: Vec<f64> = found.iter().filter_map(|finding| cost(finding)).collect();
    FindingSide {
        fired: fired().count(),
        checked,
        of,
        level: fired().filter_map(|finding| finding.level).max().or(is_fine),
        role: [Role::Primary, Role::Secondary]
            .into_iter()
            .find(|role| fired().any(|finding| finding.role == Some(*role))),
        seconds: median(&seconds),
        title: fired().next().map_or_else(String::new, |finding| finding.title.clone()),
        remedy: found.iter().find_map(|finding| finding.need).map_or("", |need| need.remedy()),
    }
}

/// Primary findings at WARN or above of a run.
pub(super) fn causes(run: &Repetition) -> impl Iterator<Item = &Finding> {
    run.diagnosis.findings.iter().filter(|finding| {
        let is_cause = finding.state == State::Fired && finding.role == Some(Role::Primary);
        is_cause && finding.level >= Some(Level::Warn)
    })
}
