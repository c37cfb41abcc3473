//! T04: I/O that could be done while computing.

use super::{Case, Check, Context, Detector, Feature, Pool, phases};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Need, Plot, Quantity};
use crate::model::Direction;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "T04",
    slug: "async-worth-it",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "Computation that is long enough to hide it follows the I/O.",
    condition: "There are at least async_phases phases of I/O. At least two are followed by as \
                much time without I/O as they take. The shorter of each phase and the time after \
                it adds up to async_time of the run.",
    why: "While a blocking call waits for the storage, the program computes nothing, though the \
          next step does not need the data.",
    fix: "Start writes without waiting (MPI_File_iwrite, the asynchronous connector of HDF5, a \
          thread). Wait before the buffer is used again.",
    see: "https://hdf5-vol-async.readthedocs.io/",
    applies_to: &[Feature::IoTime],
    plots: &[Plot::Time],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if run.io_time() <= 0.0 {
        return Check::Senseless;
    }
    let Some((spans, confidence)) = phases::of(cx) else {
        return Check::NotCheckable(Need::Trace);
    };
    let next = spans.iter().skip(1).map(|span| span.begin).chain([run.run_time]);
    let gaps = spans.iter().zip(next).map(|(span, next)| (span.seconds(), next - span.end));
    let (mut hidden, mut saving) = (0_u64, 0.0);
    for (seconds, gap) in gaps {
        saving += seconds.min(gap).max(0.0);
        hidden += u64::from(gap >= seconds && seconds > 0.0);
    }
    // Phases include time between requests. At most the I/O itself can be hidden.
    let saving = saving.min(run.io_time());
    let count = number::counted(spans.len() as u64, "phase", "phases");
    let detail = format!(
        "There are {count} of I/O. At least as much time without I/O follows {} of them. At most {} \
         could pass in the background.",
        number::thousands(hidden),
        number::seconds(saving)
    );
    let is_worth_it = spans.len() as f64 >= limits.async_phases
        && hidden >= 2
        && run.share(saving) >= limits.async_time;
    if !is_worth_it {
        return Check::Fine(detail);
    }
    let title = format!("{count} of I/O could overlap with computation");
    let setting = cx.setting(None);
    let bytes = |direction| run.posix.way(direction).bytes;
    let advice = if bytes(Direction::Read) > bytes(Direction::Write) {
        advice::nonblocking_read(&setting)
    } else {
        advice::nonblocking_write(&setting)
    };
    Case::new(title, detail, saving)
        .evidence("phases", spans.len() as f64, Quantity::Count)
        .evidence("followed by enough computation", hidden as f64, Quantity::Count)
        .evidence("seconds that could be hidden", saving, Quantity::Seconds)
        .pool(Pool::Data)
        .confidence(confidence)
        .advise(advice)
        .fired()
}
