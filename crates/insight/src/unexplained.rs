//! I/O time that no finding explains: is it much, and where is it?

use crate::detect::{self, Context, base};
use crate::model::{Direction, File, Run, Usage};
use crate::number;

/// True if so much time goes into I/O that a run without a finding needs an explanation, and the
/// requests are no explanation: large pieces at a good rate take the time they take.
pub(crate) fn is_much(cx: &Context<'_>) -> bool {
    let (run, limits) = (cx.run, cx.limits);
    let io = run.io_time() - in_buffers(cx);
    if run.share(io) < limits.unexplained_share || io < limits.unexplained_time {
        return false;
    }
    let is_in_hdf5 = run.above_hdf5 >= 0.5 * io;
    let (moved, large) = match is_in_hdf5 {
        true => (of_datasets(run), limits.chunk_small),
        false => (of_files(run), limits.large_request),
    };
    let mean = moved.bytes as f64 / moved.calls.max(1) as f64;
    let rate = moved.bytes as f64 / f64::max(moved.seconds, 1e-9);
    mean < large || rate < limits.good_rate
}

/// Bytes, calls and seconds, all ranks together.
#[derive(Default)]
struct MovedData {
    bytes: u64,
    calls: u64,
    seconds: f64,
}

fn of_files(run: &Run) -> MovedData {
    let mut moved = MovedData::default();
    for usage in run.data().flat_map(File::counted_once) {
        moved.bytes = moved.bytes.saturating_add(usage.bytes());
        moved.calls = moved.calls.saturating_add(usage.calls());
    }
    // MPI-IO may take longer than the calls below it.
    for file in run.data() {
        let time = |usage: &Option<Box<Usage>>| usage.as_deref().map_or(0.0, Usage::time);
        let below = time(&file.posix).max(time(&file.mpiio));
        moved.seconds += below + time(&file.stdio) + time(&file.daos);
    }
    moved
}

/// HDF5 packs and converts what it is given, and so takes longer than the calls below it.
fn of_datasets(run: &Run) -> MovedData {
    let mut moved = MovedData::default();
    for usage in run.datasets.iter().map(|dataset| &dataset.usage) {
        moved.bytes = moved.bytes.saturating_add(usage.bytes());
        moved.calls = moved.calls.saturating_add(usage.calls());
        moved.seconds += usage.time();
    }
    moved
}

/// Seconds of calls that only fill or empty the buffer of a stream: that is computing.
fn in_buffers(cx: &Context<'_>) -> f64 {
    let streams = cx.run.data().filter_map(|file| Some((file, file.stdio.as_deref()?)));
    let computing = streams.filter(|(file, usage)| {
        usage.calls() > 0 && !detect::is_sought(usage) && detect::is_buffered(cx, file, usage)
    });
    let seconds = computing.map(|(_, usage)| usage.slowest_part(usage.data_time(), cx.run.ranks));
    seconds.sum::<f64>().min(cx.run.stdio.slowest)
}

/// The calls in which the slowest rank spends most time.
struct Most<'a> {
    /// The file or dataset.
    name: &'a str,
    /// Ranks that use it.
    ranks: u64,
    what: &'static str,
    seconds: f64,
    calls: u64,
    bytes: u64,
}

fn most(run: &Run) -> Option<Most<'_>> {
    let mut most: Option<Most<'_>> = None;
    for file in run.data() {
        let layers: [(&Option<Box<Usage>>, [&'static str; 2]); 4] = [
            (&file.mpiio, ["MPI-IO reads", "MPI-IO writes"]),
            (&file.posix, ["reads", "writes"]),
            (&file.stdio, ["stream reads", "stream writes"]),
            (&file.daos, ["DAOS reads", "DAOS writes"]),
        ];
        let (name, ranks) = (&*file.name, file.ranks(run.ranks));
        for (usage, nouns) in layers {
            let Some(usage) = usage.as_deref() else { continue };
            for (direction, what) in Direction::BOTH.into_iter().zip(nouns) {
                let way = usage.way(direction);
                let seconds = usage.slowest_part(way.time, run.ranks);
                if most.as_ref().is_none_or(|known| seconds > known.seconds) {
                    let (calls, bytes) = (way.calls, way.bytes);
                    most = Some(Most { name, ranks, what, seconds, calls, bytes });
                }
            }
            let seconds = usage.slowest_part(usage.meta_time, run.ranks);
            let calls = usage.opens.saturating_add(usage.stats).saturating_add(usage.seeks);
            if most.as_ref().is_none_or(|known| seconds > known.seconds) {
                let what = "metadata calls";
                most = Some(Most { name, ranks, what, seconds, calls, bytes: 0 });
            }
        }
    }
    for dataset in &run.datasets {
        for (direction, what) in Direction::BOTH.into_iter().zip(["HDF5 reads", "HDF5 writes"]) {
            let way = dataset.usage.way(direction);
            let seconds = dataset.usage.slowest_part(way.time, run.ranks);
            if most.as_ref().is_none_or(|known| seconds > known.seconds) {
                let (name, ranks) = (dataset.name.as_str(), dataset.usage.ranks(run.ranks));
                let (calls, bytes) = (way.calls, way.bytes);
                most = Some(Most { name, ranks, what, seconds, calls, bytes });
            }
        }
    }
    most
}

/// The sentence of such a run: where the seconds are, and what would tell more.
pub(crate) fn sentence(run: &Run) -> String {
    let io = run.io_time();
    let begin = format!(
        "Cause unknown: I/O took {} of this run ({}), and no check explains it.",
        number::percent(run.share(io)),
        number::of(io, run.run_time)
    );
    let place = most(run).filter(|most| most.seconds > 0.0).map(|most| {
        let name = base(most.name);
        let calls = number::thousands(most.calls);
        let ranks = most.ranks.max(1);
        let each = number::short_seconds(most.seconds * ranks as f64 / most.calls.max(1) as f64);
        let size = match most.bytes {
            0 => String::new(),
            bytes => format!(" of {}", number::bytes(bytes / most.calls.max(1))),
        };
        format!(
            " {} are in {calls} {}{size} on {name}, about {each} each.",
            number::seconds(most.seconds),
            most.what
        )
    });
    let next = if run.was_traced { "" } else { " A trace shows each call: ioglass run --trace." };
    format!("{begin}{}{next}", place.unwrap_or_default())
}
