//! A03: so little data that the time is all latency.

use super::{Case, Check, Context, Detector, Feature};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "A03",
    slug: "small-data",
    dimension: Dimension::AccessGranularity,
    highest: Level::Warn,
    what: "Many ranks together move little data. The time goes into latency.",
    condition: "At least small_data_ranks ranks do I/O. On average each moves less than \
                small_data_bytes in data files. The slowest spends at least small_data_time of \
                the run in I/O.",
    why: "An open and a round trip for each rank cost more than the bytes.",
    fix: "Let a few ranks gather the data and write it, or read it and pass it on.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Requests, Plot::Time],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.ranks_mean_something || (run.active_ranks as f64) < limits.small_data_ranks {
        return Check::Senseless;
    }
    let bytes = run.posix.sum.bytes();
    if bytes == 0 {
        return Check::Senseless;
    }
    let each = bytes as f64 / run.active_ranks as f64;
    let time = run.posix.slowest.max(run.mpiio.slowest);
    let detail = format!(
        "{} ranks move {} each and spend {} of the run.",
        number::thousands(run.active_ranks),
        number::bytes(each as u64),
        number::percent(run.share(time))
    );
    if each >= limits.small_data_bytes || run.share(time) < limits.small_data_time {
        return Check::Fine(detail);
    }
    let setting = cx.setting(None);
    let few = (bytes >> 20).clamp(1, run.active_ranks);
    Case::new(
        format!(
            "{} ranks move only {} together",
            number::thousands(run.active_ranks),
            number::bytes(bytes)
        ),
        detail,
        time.min(run.run_time),
    )
    .evidence("bytes", bytes as f64, Quantity::Bytes)
    .evidence("ranks", run.active_ranks as f64, Quantity::Count)
    .evidence("seconds", time, Quantity::Seconds)
    .advise(advice::fewer_ranks(&setting, run.active_ranks, few))
    .fired()
}
