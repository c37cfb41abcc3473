//! The judgement on a change, in one sentence.

use serde::{Deserialize, Serialize};

use super::finding::{ChangeKind, FindingChange, causes};
use super::measure::Measured;
use super::side::Side;
use super::work::{SameWork, WorkState};
use super::{Call, NEAR, call};
use crate::estimate::{Certainty, Estimate, Interval};
use crate::finding::{Role, State as FindingState};
use crate::number::{self, seconds};

/// The judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Faster, and every cause of before is fine in all runs after.
    Fixed,
    /// Certainly less time.
    Faster,
    /// Certainly more time.
    Slower,
    /// Within 5 %.
    NoChange,
    /// More than 5 % off, but not certainly.
    Inconclusive,
    /// Not the same work: no second is claimed.
    NotComparable,
}

/// The judgement, and what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The judgement.
    pub state: State,
    /// The judgement in words.
    pub sentence: String,
    /// Run time after ÷ before; none if seconds are not compared.
    pub estimate: Option<Estimate>,
    /// Seconds saved, and their range; negative if they are lost.
    pub saved: Option<(f64, Option<(f64, f64)>)>,
}

/// What the findings that are gone had promised, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// The seconds that they had at stake, an upper bound.
    pub promised: f64,
    /// The difference of the median run times.
    pub saved: f64,
    /// Saved ÷ promised; none if nothing was promised.
    pub kept: Option<f64>,
    /// Seconds that are still avoidable.
    pub left: f64,
}

/// The promise of the findings that are gone.
pub(super) fn promise(
    sides: &[Side; 2],
    findings: &[FindingChange],
    work: WorkState,
) -> Option<Promise> {
    let mut gone = findings.iter().filter(|it| it.change == ChangeKind::Gone).peekable();
    if work == WorkState::Different || gone.peek().is_none() {
        return None;
    }
    let [before, after] = sides;
    let net = |change: &FindingChange| {
        before.median(|run| {
            let own = run.diagnosis.findings.iter().find(|finding| {
                finding.detector.code == change.detector.code
                    && finding.state == FindingState::Fired
                    && finding.role == Some(Role::Primary)
            });
            own.map_or(0.0, |finding| finding.seconds_net)
        })
    };
    let promised = gone.map(net).sum::<f64>() + 0.0;
    let run_time = |side: &Side| side.median(|run| run.diagnosis.subject.run_time);
    let saved = run_time(before) - run_time(after);
    let kept = (promised > 0.0).then(|| saved / promised);
    let left = after.median(|run| run.diagnosis.verdict.avoidable);
    Some(Promise { promised, saved, kept, left })
}

pub(super) fn of(
    sides: &[Side; 2],
    work: &SameWork,
    measures: &[Measured],
    promise: Option<&Promise>,
) -> Verdict {
    let run_time = measures.iter().find(|measured| measured.measure.name == "run_seconds");
    let compared = run_time.filter(|_| work.is_comparable()).and_then(|measured| {
        Some((measured.estimate?, measured.medians[0]?, measured.medians[1]?))
    });
    let Some((estimate, before, after)) = compared else {
        let sentence = not_comparable(work);
        return Verdict { state: State::NotComparable, sentence, estimate: None, saved: None };
    };
    let resolution = sides.iter().flat_map(|side| &side.runs).map(|run| run.resolution);
    let resolution = resolution.fold(0.0, f64::max);
    let is_visible = (before - after).abs() > resolution;
    let state = match call(&estimate) {
        Call::Less if is_visible && is_fixed(sides) => State::Fixed,
        Call::Less if is_visible => State::Faster,
        Call::More if is_visible => State::Slower,
        _ if (estimate.ratio - 1.0).abs() <= NEAR + 1e-12 => State::NoChange,
        _ => State::Inconclusive,
    };
    let of_ratio = |ratio: f64| before * (1.0 - ratio);
    let range = |it: Interval| (of_ratio(it.high), of_ratio(it.low));
    let saved = (of_ratio(estimate.ratio), estimate.interval.map(range));
    let mut sentence = match state {
        State::Fixed | State::Faster => {
            let word = if state == State::Fixed { "Fixed" } else { "Faster" };
            format!("{word}: {} faster, {}", times(1.0 / estimate.ratio), amount(saved, "saved"))
        }
        State::Slower => {
            let lost = (-saved.0, saved.1.map(|(low, high)| (-high, -low)));
            format!("Slower: {} the run time, {}", times(estimate.ratio), amount(lost, "lost"))
        }
        State::NoChange => format!("No change: {}", change(&estimate)),
        _ if is_visible || resolution == 0.0 => format!("Not clear: {}", change(&estimate)),
        _ => format!("Not clear: {}, and these logs have whole seconds only", change(&estimate)),
    };
    if let Some(promise) = promise.filter(|promise| promise.promised > 0.0) {
        sentence += &format!("; {} were promised", seconds(promise.promised));
    }
    sentence.push('.');
    if work.state == WorkState::Assumed {
        sentence += " That it is the same work is your word.";
    }
    let runs = sides.each_ref().map(|side| side.runs.len());
    match estimate.certainty() {
        Certainty::Single => sentence += " One run each.",
        Certainty::Weak => sentence += &format!(" Only {} and {} runs.", runs[0], runs[1]),
        Certainty::Interval => {}
    }
    Verdict { state, sentence, estimate: Some(estimate), saved: Some(saved) }
}

/// True if every cause of before is fine in all runs after, and there was one.
fn is_fixed(sides: &[Side; 2]) -> bool {
    let [before, after] = sides;
    let mut causes = before.runs.iter().flat_map(causes).peekable();
    let is_fine = |code: &str| {
        after.runs.iter().all(|run| {
            let own = run.diagnosis.findings.iter().find(|other| other.detector.code == code);
            own.is_some_and(|other| other.state == FindingState::Fine)
        })
    };
    causes.peek().is_some() && causes.all(|finding| is_fine(finding.detector.code))
}

fn not_comparable(work: &SameWork) -> String {
    let deciding = work.differences.iter().filter(|difference| difference.decides);
    let told: Vec<String> = deciding
        .map(|difference| {
            let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "none".into());
            let (before, after) = (side(&difference.before), side(&difference.after));
            match difference.what {
                "repetitions" => {
                    let sides = [("before", &difference.before), ("after", &difference.after)];
                    let told = sides.into_iter().filter_map(|(name, text)| {
                        text.as_ref().map(|text| format!("the runs {name} have {text}"))
                    });
                    told.collect::<Vec<_>>().join(", ")
                }
                what => format!("{what} {before} → {after}"),
            }
        })
        .collect();
    match told.as_slice() {
        [] => "Not comparable in seconds: a run time is not known.".into(),
        told => format!("Not comparable in seconds: {}.", told.join(", ")),
    }
}

/// A factor: `3.3×`, `1.04×`.
fn times(factor: f64) -> String {
    if factor < 1.095 { format!("{factor:.2}×") } else { number::ratio(factor) }
}

/// `28.6 s saved (27.0 to 30.2)`.
fn amount((amount, range): (f64, Option<(f64, f64)>), word: &str) -> String {
    let range =
        range.map_or_else(String::new, |(low, high)| format!(" ({})", number::span(low, high)));
    format!("{} {word}{range}", seconds(amount))
}

/// `-0.5 % (-2.0 % to +1.1 %)`.
fn change(estimate: &Estimate) -> String {
    let range = estimate.interval.map_or_else(String::new, |interval| {
        let (low, high) =
            (number::signed_percent(interval.low), number::signed_percent(interval.high));
        format!(" ({low} to {high})")
    });
    format!("{}{range}", number::signed_percent(estimate.ratio))
}
