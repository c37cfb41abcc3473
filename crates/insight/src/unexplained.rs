//! I/O time that no finding explains: is it much, and where is it?

use crate::detect::{Context, base};
use crate::model::{Direction, File, Run, Usage};
use crate::number;

/// True if so much time goes into I/O that a run without a finding needs an explanation, and the
/// requests are no explanation: large pieces at a good rate take the time they take.
pub(crate) fn is_much(cx: &Context<'_>) -> bool {
    let (run, limits) = (cx.run, cx.limits);
    let io = run.io_time();
    if run.share(io) < limits.unexplained_share || io < limits.unexplained_time {
        return false;
    }
    let (mut bytes, mut calls, mut seconds) = (0_u64, 0_u64, 0.0);
    for usage in run.data().flat_map(File::counted_once) {
        bytes = bytes.saturating_add(usage.bytes());
        calls = calls.saturating_add(usage.calls());
    }
    // MPI-IO may take longer than the calls below it.
    for file in run.data() {
        let time = |usage: &Option<Box<Usage>>| usage.as_deref().map_or(0.0, Usage::time);
        seconds += time(&file.posix).max(time(&file.mpiio)) + time(&file.stdio) + time(&file.daos);
    }
    let mean = bytes as f64 / calls.max(1) as f64;
    let rate = bytes as f64 / f64::max(seconds, 1e-9);
    mean < limits.large_request || rate < limits.good_rate
}

/// The calls in which the slowest rank spends most time.
struct Most<'a> {
    file: &'a File,
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
        for (usage, nouns) in layers {
            let Some(usage) = usage.as_deref() else { continue };
            for (direction, what) in Direction::BOTH.into_iter().zip(nouns) {
                let way = usage.way(direction);
                let seconds = usage.slowest_part(way.time, run.ranks);
                if most.as_ref().is_none_or(|known| seconds > known.seconds) {
                    let (calls, bytes) = (way.calls, way.bytes);
                    most = Some(Most { file, what, seconds, calls, bytes });
                }
            }
            let seconds = usage.slowest_part(usage.meta_time, run.ranks);
            let calls = usage.opens.saturating_add(usage.stats).saturating_add(usage.seeks);
            if most.as_ref().is_none_or(|known| seconds > known.seconds) {
                most = Some(Most { file, what: "metadata calls", seconds, calls, bytes: 0 });
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
        let name = base(&most.file.name);
        let calls = number::thousands(most.calls);
        let ranks = most.file.ranks(run.ranks).max(1);
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
