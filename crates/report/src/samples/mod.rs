//! Diagnoses to be laid out: runs whose logs are known, written down by hand.

mod imbalanced;
mod slow_ost;
mod small;

use ioglass_insight::detect::{Check, Detector};
use ioglass_insight::{
    Advice, Command, Dimension, Finding, Level, Moment, Need, Plot, Role, State,
};

pub(crate) use imbalanced::imbalanced;
pub(crate) use slow_ost::slow_ost;
pub(crate) use small::{empty, healthy, not_judgeable};

const fn detector(
    code: &'static str,
    slug: &'static str,
    dimension: Dimension,
    highest: Level,
) -> Detector {
    Detector {
        code,
        slug,
        dimension,
        highest,
        what: "One storage target is much slower than the others.",
        condition: "The median rate of the files on it is below slow_target of the others' median.",
        why: "Every rank waits for the slowest file.",
        fix: "Tell the centre, and write elsewhere until it is repaired.",
        see: "https://wiki.lustre.org/",
        applies_to: &[],
        plots: &[Plot::Files],
        moment: Moment::WholeRun,
        check: |_| Check::Senseless,
    }
}

pub(crate) static SLOW_OST: Detector =
    detector("F01", "slow-ost", Dimension::ThroughputUtilization, Level::High);
pub(crate) static SINGLE_STRIPE: Detector =
    detector("F02", "single-stripe", Dimension::ThroughputUtilization, Level::High);
pub(crate) static COLLECTIVE_WAIT: Detector =
    detector("C03", "collective-wait", Dimension::ParallelismEfficiency, Level::High);
pub(crate) static TEXT_OUTPUT: Detector =
    detector("X01", "slow-text-output", Dimension::InterfaceChoice, Level::High);
pub(crate) static METADATA_TIME: Detector =
    detector("P17", "metadata-time", Dimension::MetadataIntensity, Level::High);
pub(crate) static SMALL_WRITES: Detector =
    detector("P06", "small-writes", Dimension::AccessGranularity, Level::High);
pub(crate) static STRAGGLERS: Detector =
    detector("T03", "stragglers", Dimension::ParallelismEfficiency, Level::High);

/// All of them, by code.
pub(crate) static DETECTORS: [&Detector; 7] = [
    &COLLECTIVE_WAIT,
    &SLOW_OST,
    &SINGLE_STRIPE,
    &SMALL_WRITES,
    &METADATA_TIME,
    &STRAGGLERS,
    &TEXT_OUTPUT,
];

/// A check that is fine.
pub(crate) fn fine(detector: &'static Detector) -> Finding {
    Finding {
        level: Some(Level::Ok),
        detail: "0.2 % of the writes are below 1 MiB; the limit is 10 %.".into(),
        ..Finding::empty(detector, State::Fine)
    }
}

/// A check that could not run.
pub(crate) fn not_checkable(detector: &'static Detector, need: Need) -> Finding {
    Finding { need: Some(need), ..Finding::empty(detector, State::NotCheckable) }
}

/// A check that fired, at this cost of a run of so many seconds.
pub(crate) fn fired(
    detector: &'static Detector,
    level: Level,
    title: &str,
    detail: &str,
    (seconds, run_time): (f64, f64),
) -> Finding {
    Finding {
        level: Some(level),
        title: title.into(),
        detail: detail.into(),
        role: Some(Role::Primary),
        seconds_at_stake: seconds,
        seconds_net: seconds,
        share: seconds / run_time,
        ..Finding::empty(detector, State::Fired)
    }
}

/// Advice that is a sentence.
pub(crate) fn say(text: &str) -> Advice {
    Advice { text: text.into(), ..Advice::default() }
}

/// Advice that is to be typed.
pub(crate) fn type_this(commands: impl Into<Vec<Command>>) -> Advice {
    Advice { commands: commands.into(), ..Advice::default() }
}
