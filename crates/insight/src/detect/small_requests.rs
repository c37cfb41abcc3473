//! A01: requests so small that the call costs more than the bytes it moves.

use super::{Case, Check, Context, Detector, Feature, Pool, base, top_files};
use crate::advice::{self, Setting};
use crate::finding::{Advice, Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File, Usage, Values};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "A01",
    slug: "small-requests",
    dimension: Dimension::AccessGranularity,
    highest: Level::High,
    what: "Most requests are so small that the call costs more than the bytes it moves.",
    condition: "The commonest request size over all data files is below common_request_bytes, \
                and at least common_request_share of the requests of known size are that small. \
                Where few sizes are known, the size classes tell. At least common_requests are \
                that small, and more than requests_per_open requests follow an open. Or such \
                requests to one file alone cost unexplained_share of the run. Seconds are those \
                of the calls, less what the bytes take at the rate of large requests in this run, \
                else at read_rate and write_rate. Reads in order from a local file system cost at most \
                call_time each.",
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

/// The tiny requests of a file, in both directions.
#[derive(Debug, Clone, Copy, Default)]
struct Tiny {
    calls: [u64; 2],
    bytes: [u64; 2],
    /// Seconds, all ranks together, that large requests would save.
    seconds: [f64; 2],
}

impl Tiny {
    /// Counts requests below the limit by size class. Where a record has no classes, the mean tells.
    fn of(cx: &Context<'_>, usage: &Usage) -> Self {
        let below = cx.limits.common_request_bytes as u64;
        let mut tiny = Self::default();
        for direction in Direction::BOTH {
            let way = usage.way(direction);
            let mean = way.bytes / way.calls.max(1);
            let known = way.sizes.all() > 0;
            let calls = match (known, mean < below) {
                (true, _) => usage.small(direction, below).min(way.calls),
                (false, true) => way.calls,
                (false, false) => 0,
            };
            // Those of a file with larger ones move what their commonest size tells.
            let all_are = calls == way.calls && mean < below;
            let size = usage.common_sizes.iter().filter(|(size, _)| *size < below);
            let size = size.max_by_key(|(_, count)| *count).map_or(mean.min(below), |it| it.0);
            let bytes = if all_are { way.bytes } else { calls.saturating_mul(size).min(way.bytes) };
            tiny.calls[direction as usize] = calls;
            tiny.bytes[direction as usize] = bytes;
            tiny.seconds[direction as usize] = cx.price_of_calls(usage, direction, calls, bytes);
        }
        tiny
    }

    fn all(&self) -> u64 {
        self.calls[0].saturating_add(self.calls[1])
    }
}

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let calls = run.posix.sum.calls();
    if calls == 0 {
        return Check::Senseless;
    }
    let below = limits.common_request_bytes;
    let sizes = sizes(cx);
    let told: u64 = sizes.iter().map(|(_, count)| count).sum();
    let is_told = told.saturating_mul(2) >= calls;
    let known = sizes.first().copied().filter(|_| is_told);
    let tiny_sizes = sizes.iter().filter(|(size, _)| (*size as f64) < below);
    let tiny_told: u64 = tiny_sizes.map(|(_, count)| count).sum();
    let opens = run.posix.sum.opens;
    let per_open = calls as f64 / opens.max(1) as f64;
    // Small is small, whether one size is common or all differ.
    let mut files = Vec::new();
    let (mut parts, mut all, mut bytes) = (Vec::new(), [0_u64; 2], 0_u64);
    let mut seconds = [0.0; 2];
    let mut alone = false;
    let mut slowest: Option<(f64, &File)> = None;
    for file in run.data() {
        let Some(usage) = file.posix.as_deref() else { continue };
        let tiny = Tiny::of(cx, usage);
        if tiny.all() == 0 {
            continue;
        }
        let both = tiny.seconds[0] + tiny.seconds[1];
        let own = usage.slowest_part(both, run.ranks);
        // A file that is used this way can be the whole story, whatever others do.
        let is_used = tiny.all() as f64 >= limits.common_requests
            && tiny.all().saturating_mul(2) >= usage.calls()
            && usage.calls() as f64 > limits.requests_per_open * usage.opens.max(1) as f64;
        alone |= is_used && run.share(own) >= limits.unexplained_share;
        parts.push((usage, both));
        for direction in Direction::BOTH.map(|direction| direction as usize) {
            all[direction] = all[direction].saturating_add(tiny.calls[direction]);
            seconds[direction] += tiny.seconds[direction];
        }
        bytes = bytes.saturating_add(tiny.bytes[0]).saturating_add(tiny.bytes[1]);
        files.push(cx.share_of(file, own));
        if slowest.is_none_or(|(most, _)| own > most) {
            slowest = Some((own, file));
        }
    }
    let count = all[0].saturating_add(all[1]);
    let mean = bytes / count.max(1);
    let by_size = known.is_some_and(|(size, _)| (size as f64) < below)
        && tiny_told as f64 >= limits.common_request_share * told as f64
        && tiny_told as f64 >= limits.common_requests;
    let by_class = !is_told
        && count as f64 >= limits.common_request_share * calls as f64
        && count as f64 >= limits.common_requests;
    let fires = (by_size || by_class) && per_open > limits.requests_per_open || alone;
    let kind = match all {
        [0, _] => "writes",
        [_, 0] => "reads",
        _ => "reads and writes",
    };
    if !fires {
        return Check::Fine(format!(
            "{} of {} reads and writes are below {}.",
            number::thousands(count),
            number::thousands(calls),
            number::bytes(below as u64)
        ));
    }
    files.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then(b.bytes.cmp(&a.bytes)));
    let worst = files.first();
    let place = worst.map_or("The files", |file| base(&file.path)).to_owned();
    let size = known.map_or(mean, |(size, _)| size);
    let count = if by_size { tiny_told } else { count };
    let how = if known.is_some() { "at a time" } else { "on average" };
    let title = format!("{} {kind} move {} {how}", number::thousands(count), number::bytes(size));
    let more = match files.len() {
        0 | 1 => place,
        many => format!("{place} and {}", number::counted(many as u64 - 1, "file", "files")),
    };
    let detail = format!(
        "{more}: {} of {} {kind} move less than {}, {} in all.{}",
        number::thousands(count),
        number::thousands(calls),
        number::bytes(below as u64),
        number::bytes(bytes),
        cx.time_between(),
    );
    let pool = match seconds {
        [read, write] if write < FEW * read => Pool::Read,
        [read, write] if read < FEW * write => Pool::Write,
        _ => Pool::Data,
    };
    Case::new(title, detail, cx.slowest_rank(parts).min(run.run_time))
        .evidence("commonest size", size as f64, Quantity::Bytes)
        .evidence("tiny requests", count as f64, Quantity::Count)
        .evidence("requests", calls as f64, Quantity::Count)
        .evidence("requests per open", per_open, Quantity::Count)
        .files(top_files(files))
        .pool(pool)
        .advise(advise(&cx.setting(slowest.map(|(_, file)| file)), seconds))
        // A shell writes each line by itself, whatever its script says.
        .at_most(if cx.run.is_shell() { Level::Warn } else { Level::High })
        .fired()
}

/// A size of requests that any file system serves well.
const LARGE: u64 = 1 << 20;

/// Seconds of one direction as a part of the other's below which only the other is spoken of.
const FEW: f64 = 0.1;

/// Advises on the direction whose small requests take longer.
fn advise(setting: &Setting, [read, write]: [f64; 2]) -> Advice {
    if write >= read {
        advice::buffer_writes(setting, LARGE)
    } else {
        advice::larger_reads(setting, LARGE)
    }
}
