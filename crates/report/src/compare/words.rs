//! The words that all formats of a comparison share.

use ioglass_insight::compare::{
    Better, ChangeKind, Comparison, Difference, FindingChange, FindingSide, Interface, Meaning,
    Measured, SameWork, Side, WorkState,
};
use ioglass_insight::estimate::{Interval, median};
use ioglass_insight::{Level, Quantity};

use crate::number::{self, bytes, counted, fixed, seconds, signed_percent};
use crate::text;

/// From this factor on a change is told as one.
const FACTOR: f64 = 1.995;
/// What differs if the runs of a side do.
const REPETITIONS: &str = "repetitions";
/// Columns of an argument that is told.
const LONGEST: usize = 40;
/// Intervals of this width are even as far as anybody can see.
const NARROW: f64 = 0.10;
/// The part of its width by which an interval may reach farther to one side.
const UNEVEN: f64 = 0.4;
/// Below this factor a decrease is told as one.
const TINY: f64 = 0.05;

/// The title of a row. Rates are those of what the runs did.
pub(super) fn title(measured: &Measured, comparison: &Comparison) -> &'static str {
    if measured.measure.name != "bytes_per_second" {
        return measured.measure.title;
    }
    let is_none = |name| {
        let found = comparison.measured(name);
        found.is_none_or(|found| found.medians.iter().all(|median| median.unwrap_or(0.0) == 0.0))
    };
    match (is_none("bytes_read"), is_none("bytes_written")) {
        (true, false) => "write rate",
        (false, true) => "read rate",
        _ => measured.measure.title,
    }
}

/// A median of a row; empty where it is absent.
pub(super) fn value(measured: &Measured, side: usize) -> String {
    let value = measured.medians[side];
    value.map_or_else(String::new, |value| number::quantity(value, measured.measure.unit))
}

/// The change of a row: `-69 % (± 2 %)`, `4.6× faster`, `the same`. Empty if it cannot be told.
pub(super) fn change(measured: &Measured) -> String {
    let ([Some(before), Some(after)], Some(meaning)) = (measured.medians, measured.meaning) else {
        return String::new();
    };
    let range = measured.estimate.and_then(|estimate| estimate.interval);
    if before == after && range.is_none_or(|range| range.low == 1.0 && range.high == 1.0) {
        return "the same".into();
    }
    let Some(estimate) = measured.estimate else { return "changed".into() };
    let ratio = estimate.ratio;
    let mark = match range {
        Some(range) if range.holds(1.0) && measured.measure.better.is_some() => " =".into(),
        Some(range) if is_even(range, ratio) => half(range),
        // Half of it would be another interval.
        Some(range) if measured.measure.unit != Quantity::Share => return whole(range),
        _ => String::new(),
    };
    match (measured.measure.unit, measured.measure.better) {
        (Quantity::Share, _) => {
            let points = 100.0 * (after - before);
            format!("{points:+.1} points")
        }
        _ if measured.measure.name == "common_size" && meaning == Meaning::Changed => {
            "changed".into()
        }
        (_, Some(Better::Higher)) if ratio >= FACTOR => format!("{} faster", factor(ratio)),
        (_, Some(Better::Higher)) if ratio <= 1.0 / FACTOR => {
            format!("{} slower", factor(1.0 / ratio))
        }
        (Quantity::Seconds, _) if ratio >= FACTOR => format!("{} as long", factor(ratio)),
        (_, Some(_)) if ratio == 0.0 => "-100 %".into(),
        (Quantity::Seconds, _) if ratio <= TINY => format!("{} shorter", factor(1.0 / ratio)),
        (Quantity::Seconds | Quantity::BytesPerSecond, _) => {
            format!("{}{mark}", signed_percent(ratio))
        }
        (Quantity::Count, _) if ratio <= 1.0 / FACTOR => format!("{} fewer", factor(1.0 / ratio)),
        (_, _) if ratio <= 1.0 / FACTOR => format!("{} less", factor(1.0 / ratio)),
        (_, _) if ratio >= FACTOR => format!("{} more", factor(ratio)),
        _ => format!("{}{mark}", signed_percent(ratio)),
    }
}

/// True if an interval reaches about as far below an estimate as above it.
fn is_even(range: Interval, ratio: f64) -> bool {
    let (below, above) = (ratio - range.low, range.high - ratio);
    let width = range.high - range.low;
    width < NARROW || (above - below).abs() <= UNEVEN * width
}

/// A whole interval: `+9 to +273 %`.
fn whole(range: Interval) -> String {
    let points = |ratio: f64| format!("{:+.0}", 100.0 * (ratio - 1.0));
    format!("{} to {} %", points(range.low), points(range.high))
}

/// Half the width of an interval: ` (± 2 %)`. Empty if it is nothing.
fn half(range: Interval) -> String {
    let half = 50.0 * (range.high - range.low);
    match half {
        _ if half < 0.05 => String::new(),
        _ if half < 0.95 => format!(" (± {half:.1} %)"),
        _ => format!(" (± {half:.0} %)"),
    }
}

/// A factor: `3.3×`, `1,024×`.
fn factor(factor: f64) -> String {
    match factor {
        _ if factor >= 1e6 => "> 1,000,000×".into(),
        _ if factor >= 9.95 => format!("{}×", fixed(factor, 0)),
        _ => format!("{factor:.1}×"),
    }
}

/// The word of a meaning, where it says something.
pub(super) fn meaning(measured: &Measured) -> &'static str {
    match measured.meaning {
        Some(Meaning::Better) => "better",
        Some(Meaning::Worse) => "worse",
        _ => "",
    }
}

/// `41.2 s (39.8 to 43.0)`, or `41.2 s` of one run.
pub(super) fn run_time(side: &Side) -> String {
    let times = side.run_seconds();
    let middle = seconds(median(&times).unwrap_or(f64::NAN));
    let (low, high) = times.iter().fold((f64::INFINITY, 0.0), |(low, high), time| {
        (f64::min(low, *time), f64::max(high, *time))
    });
    if times.len() < 2 {
        return middle;
    }
    format!("{middle} ({})", number::span(low, high))
}

/// The day of the first run of a side; empty if it is not known.
pub(super) fn day(side: &Side) -> String {
    let starts =
        side.runs.iter().map(|run| run.diagnosis.subject.start).filter(|start| *start != 0);
    starts.min().map_or_else(String::new, |start| text::date(start, "%Y-%m-%d"))
}

/// `8 GiB written`, `1 GiB read, 8 GiB written`.
pub(super) fn moved([read, written]: [u64; 2]) -> String {
    match (read, written) {
        (0, 0) => "no bytes moved".into(),
        (0, written) => format!("{} written", bytes(written)),
        (read, 0) => format!("{} read", bytes(read)),
        (read, written) => format!("{} read, {} written", bytes(read), bytes(written)),
    }
}

/// `arguments differ: -b 4k → -b 4M`.
pub(super) fn difference(difference: &Difference) -> String {
    let one_side = match (&difference.before, &difference.after) {
        (Some(text), None) => Some(("before", text)),
        (None, Some(text)) => Some(("after", text)),
        _ => None,
    };
    if let (REPETITIONS, Some((side, text))) = (difference.what, one_side) {
        return format!("repetitions {side} differ: {}", text::shorten(text, LONGEST));
    }
    let what = match difference.what {
        "counted at" => "counted at".to_owned(),
        "program" => "program differs".to_owned(),
        what => format!("{what} differ"),
    };
    format!("{what}: {}", sides(difference))
}

/// `-b 4k → -b 4M`.
pub(super) fn sides(difference: &Difference) -> String {
    let side = |side: &Option<String>| {
        side.as_ref().map_or_else(|| "none".into(), |text| text::shorten(text, LONGEST))
    };
    format!("{} → {}", side(&difference.before), side(&difference.after))
}

/// The sentence about the work: is it the same, and what differs.
pub(super) fn work(work: &SameWork, ranks: &str) -> String {
    let told: Vec<String> = work.differences.iter().map(difference).collect();
    let told = told.join("; ");
    match work.state {
        WorkState::Same => {
            let at = match work.interface {
                Interface::Posix => String::new(),
                other => format!(" by {}", other.word()),
            };
            let differ = if told.is_empty() { String::new() } else { format!("; {told}") };
            format!("same work: {}{at}, {ranks}{differ}", moved(work.moved[1]))
        }
        WorkState::Different => {
            format!("Not the same work: {told}. Rates are compared, seconds are not.")
        }
        WorkState::Assumed => format!("Taken for the same work because you say so: {told}."),
    }
}

/// What became of a finding, in numbers: `was 30.9 s, HIGH`.
pub(super) fn outcome(change: &FindingChange) -> String {
    let [before, after] = &change.sides;
    match change.change {
        ChangeKind::Gone => format!("was {}", cost(before)),
        ChangeKind::New => cost(after),
        ChangeKind::Unclear => match (before.checked, before.fired, after.fired) {
            (0, _, 0) => "could not be checked before, is fine now".into(),
            (0, ..) => format!("could not be checked before; now {}", cost(after)),
            (_, 0, _) => "was fine; cannot be checked now".into(),
            _ => format!("was {}; cannot be checked now", cost(before)),
        },
        _ => match (before.seconds, after.seconds) {
            (Some(one), Some(other)) if one > 0.0 || other > 0.0 => {
                format!("{} → {}", seconds(one), cost(after))
            }
            (Some(_), None) => format!("was {}", cost(before)),
            (None, None) => String::new(),
            _ => cost(after),
        },
    }
}

/// `30.9 s, HIGH`, `INFO, in 1 of 3 runs`.
fn cost(side: &FindingSide) -> String {
    let mut told = Vec::new();
    told.extend(side.seconds.filter(|cost| *cost > 0.0).map(seconds));
    told.extend(side.level.filter(|_| side.fired > 0).map(|level| level.word().to_owned()));
    if side.fired < side.of && side.fired > 0 {
        told.push(format!("in {} of {}", side.fired, counted(side.of as u64, "run", "runs")));
    }
    told.join(", ")
}

/// True if a finding that did not change is worth a line: it is a warning, or costs 1 % of a run, and is
/// no consequence of another.
pub(super) fn is_worth(change: &FindingChange, comparison: &Comparison) -> bool {
    let run_time = comparison.measured("run_seconds").map_or([None, None], |it| it.medians);
    !change.is_consequence()
        && change.sides.iter().zip(run_time).any(|(side, run_time)| {
            let is_much = side.seconds >= run_time.map(|run_time| run_time / 100.0);
            side.fired > 0
                && (side.level >= Some(Level::Warn) || is_much && side.seconds > Some(0.0))
        })
}

/// True if a row has something to show. Seconds of different work are not shown.
pub(super) fn is_known(measured: &Measured, comparison: &Comparison) -> bool {
    let is_claimed =
        comparison.same_work.is_comparable() || measured.measure.unit != Quantity::Seconds;
    is_claimed && measured.medians != [None, None]
}

/// True if a row is shown where there is little room: the main numbers, and those that changed.
pub(super) fn is_main(measured: &Measured, comparison: &Comparison) -> bool {
    if !is_known(measured, comparison) {
        return false;
    }
    let is_seconds = measured.measure.unit == Quantity::Seconds;
    match measured.measure.name {
        "run_seconds" | "io_seconds" | "bytes_per_second" | "requests" | "common_size" => true,
        "io_share" => !comparison.same_work.is_comparable(),
        "files" | "ranks" => measured.meaning == Some(Meaning::Changed),
        _ if is_seconds => {
            let run = comparison.measured("run_seconds").and_then(|run| run.medians[0]);
            let is_much = |cost: &Option<f64>| *cost >= run.map(|run| run / 100.0);
            let is_certain = matches!(measured.meaning, Some(Meaning::Better | Meaning::Worse));
            is_certain && measured.medians.iter().any(is_much)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_told_by_half_of_it_only_if_it_is_even() {
        let range = |low, high| Interval { low, high, coverage: 0.97 };
        assert!(is_even(range(0.28, 0.33), 0.31));
        assert!(!is_even(range(1.09, 3.73), 1.74));
        assert_eq!(whole(range(1.09, 3.73)), "+9 to +273 %");
        assert_eq!(whole(range(0.5, 0.96)), "-50 to -4 %");
        assert_eq!(half(range(0.28, 0.34)), " (± 3 %)");
    }
}
