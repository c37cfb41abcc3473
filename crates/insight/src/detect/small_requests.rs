//! A01: requests so small that the call costs more than the bytes it moves.

use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Advice, Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File, Usage, Values};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "A01",
    slug: "small-requests",
    dimension: Dimension::AccessGranularity,
    highest: Level::High,
    what: "The commonest request is so small that the call costs more than the bytes it moves.",
    condition: "The commonest known request size over all data files is below \
                common_request_bytes. At least common_request_share of the requests of known \
                size, and at least common_requests, are that small. On average more than \
                requests_per_open requests follow an open.",
    why: "A call costs some microseconds, a request to a file server some hundred. Below 32 KiB \
          that is more than moving the bytes costs.",
    fix: "Gather data in memory and move megabytes at a time: use a larger buffer, fewer and \
          larger calls, collective MPI-IO, or HDF5 chunks that fit the access.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Requests, Plot::Time],
    moment: Moment::FileUse,
    check,
};

/// The number of requests of each known size, over all files.
fn sizes(cx: &Context<'_>) -> Values<2> {
    let mut sizes = cx.run.posix.sum.common_sizes.clone();
    // Among equally common sizes the larger counts, because it moved more.
    sizes.sort_by_key(|(size, count)| std::cmp::Reverse((*count, *size)));
    sizes
}

/// The commonest size over data files, the number of such requests, and of all requests.
pub(crate) fn commonest(cx: &Context<'_>) -> Option<(u64, u64, u64)> {
    let sizes = sizes(cx);
    let all: u64 = sizes.iter().map(|(_, count)| count).sum();
    sizes.first().map(|(size, count)| (*size, *count, all))
}

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let calls = run.posix.sum.calls();
    let Some((size, _, told)) = commonest(cx) else {
        return if calls == 0 {
            Check::Senseless
        } else {
            Check::Fine("No request size is known.".into())
        };
    };
    let below = limits.common_request_bytes;
    let tiny: u64 =
        sizes(cx).iter().filter(|(size, _)| (*size as f64) < below).map(|(_, count)| count).sum();
    let per_open = calls as f64 / run.posix.sum.opens.max(1) as f64;
    let detail = format!(
        "The commonest request has {}; {} of {} requests of known size are below {}, {} for each open.",
        number::bytes(size),
        number::thousands(tiny),
        number::thousands(told),
        number::bytes(below as u64),
        number::digits(per_open),
    );
    let fires = (size as f64) < below
        && tiny as f64 >= limits.common_request_share * told as f64
        && tiny as f64 >= limits.common_requests
        && per_open > limits.requests_per_open;
    if !fires {
        return Check::Fine(detail);
    }
    // The part of tiny requests in each file. The time of other requests does not count.
    let parts = run.data().filter_map(|file| {
        let usage = file.posix.as_deref()?;
        let told: u64 = usage.common_sizes.iter().map(|(_, count)| count).sum();
        let tiny = usage.common_sizes.iter().filter(|(size, _)| (*size as f64) < below);
        let tiny: u64 = tiny.map(|(_, count)| count).sum();
        let saved = 1.0 - (size as f64 / LARGE as f64).min(1.0);
        Some((usage, usage.data_time() * tiny as f64 / told.max(1) as f64 * saved))
    });
    let seconds = cx.slowest_rank(parts).min(run.run_time);
    let is_tiny =
        |usage: &Usage| usage.common_size().is_some_and(|(size, _)| (size as f64) < below);
    let of_file = |file: &File| {
        let usage = file.posix.as_deref().filter(|usage| is_tiny(usage))?;
        Some(cx.share_of(file, usage.slowest_part(usage.data_time(), run.ranks)))
    };
    let files = run.data().filter_map(of_file);
    let mut small = Direction::BOTH.map(|way| run.posix.sum.small(way, below as u64));
    if small == [0, 0] {
        // Records without size classes do not tell requests apart.
        small = Direction::BOTH.map(|way| run.posix.way(way).calls);
    }
    let kind = match small {
        [0, _] => "writes",
        [_, 0] => "reads",
        _ => "requests",
    };
    let title =
        format!("{} {kind} move {} at a time", number::thousands(tiny), number::bytes(size));
    Case::new(title, detail, seconds)
        .evidence("commonest size", size as f64, Quantity::Bytes)
        .evidence("tiny requests", tiny as f64, Quantity::Count)
        .evidence("requests told by size", told as f64, Quantity::Count)
        .evidence("requests per open", per_open, Quantity::Count)
        .files(top_files(files))
        .pool(Pool::Data)
        .advise(advise(cx, small))
        .fired()
}

/// A size of requests that any file system serves well.
const LARGE: u64 = 1 << 20;

/// Advises on the direction whose small requests, `small` of each, take longer. The time of large
/// requests does not count.
fn advise(cx: &Context<'_>, small: [u64; 2]) -> Advice {
    let setting = cx.setting(None);
    let [read, write] = Direction::BOTH.map(|direction| {
        let calls = cx.run.posix.way(direction).calls.max(1);
        cx.run.posix.slowest_way(direction) * small[direction as usize] as f64 / calls as f64
    });
    if write >= read {
        advice::buffer_writes(&setting, LARGE)
    } else {
        advice::larger_reads(&setting, LARGE)
    }
}
