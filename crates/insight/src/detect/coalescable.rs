//! A02: small requests that continue each other.

use super::traced::{self, FileTrace};
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Advice, Confidence, Dimension, FileShare, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File, Way};
use crate::number;
use crate::trace::{Ticks, TraceLimits};

pub(super) static DETECTOR: Detector = Detector {
    code: "A02",
    slug: "coalescable",
    dimension: Dimension::AccessGranularity,
    highest: Level::High,
    what: "A rank makes small requests one after the other. Each begins where the last one ended.",
    condition: "At least coalescable_requests requests of a rank to a file are below small_bytes \
                and begin where the previous one in the same direction ended. Requests of \
                coalescable_bytes would be coalescable_factor times fewer. Without a trace: more \
                than coalescable_consecutive of that many requests to a file are consecutive, \
                more than coalescable_small are small, and larger requests would be as many \
                times fewer. Without a trace it does not decide the verdict.",
    why: "Each request costs a call and often a round trip to the storage, however few bytes it has.",
    fix: "Gather contiguous data in a buffer and move it with one request of some MiB.",
    see: "https://man7.org/linux/man-pages/man3/setbuf.3.html",
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Requests, Plot::Time],
    moment: Moment::FileUse,
    check,
};

/// The requests in one direction that could be merged.
#[derive(Debug, Default)]
struct Mergeable {
    requests: u64,
    merged: u64,
    bytes: u64,
    seconds: f64,
    files: Vec<FileShare>,
}

impl Mergeable {
    fn add(&mut self, requests: u64, merged: u64, file: FileShare) {
        self.requests = self.requests.saturating_add(requests);
        self.merged = self.merged.saturating_add(merged);
        self.bytes = self.bytes.saturating_add(file.bytes);
        self.seconds += file.seconds;
        self.files.push(file);
    }
}

fn check(cx: &Context<'_>) -> Check {
    if cx.run.posix.sum.calls() == 0 {
        return Check::Senseless;
    }
    match traced::files(cx) {
        Ok((trace, files)) => {
            // A rank can save at most the time of its own runs.
            let most = trace.ranks.iter().map(|rank| rank.in_runs).max().unwrap_or_default();
            let found = Direction::BOTH.map(|direction| measured(cx, direction, &files));
            finish(cx, found, most, Confidence::Measured)
        }
        Err(_) => {
            let found = Direction::BOTH.map(|direction| derived(cx, direction));
            let posix = &cx.run.posix;
            let most = Ticks::of(posix.slowest_read + posix.slowest_write);
            finish(cx, found, most, Confidence::Derived)
        }
    }
}

fn is_enough(cx: &Context<'_>, requests: u64, merged: u64) -> bool {
    let limits = cx.limits;
    requests as f64 >= limits.coalescable_requests
        && requests as f64 >= limits.coalescable_factor * merged as f64
}

fn measured(cx: &Context<'_>, direction: Direction, files: &[FileTrace<'_>]) -> Mergeable {
    let mut found = Mergeable::default();
    for traced in files {
        let runs = traced.flow(direction).runs;
        if is_enough(cx, runs.requests, runs.merged) {
            // What is merged away costs nothing any more; its bytes do.
            let way = traced.file.posix.as_deref().map(|usage| usage.way(direction));
            let mean = way.map_or(0.0, |way| way.bytes as f64 / way.calls.max(1) as f64);
            let moving = mean * runs.requests as f64 / cx.rate(direction);
            let ranks = traced.file.ranks(cx.run.ranks).max(1) as f64;
            let seconds = (runs.slowest.seconds() - moving / ranks).max(0.0);
            found.add(runs.requests, runs.merged, traced.share(seconds));
        }
    }
    found
}

fn derived(cx: &Context<'_>, direction: Direction) -> Mergeable {
    let mut found = Mergeable::default();
    let limits = TraceLimits::of(cx.limits);
    if cx.run.posix.way(direction).calls == 0 {
        return found;
    }
    for file in cx.run.data() {
        let Some((way, small)) = small_way(file, direction, &limits) else {
            continue;
        };
        let merged = way.bytes.div_ceil(limits.merged).max(1);
        let calls = way.calls as f64;
        let is_run = way.consecutive as f64 > cx.limits.coalescable_consecutive * calls
            && small as f64 > cx.limits.coalescable_small * calls;
        if is_run && is_enough(cx, small, merged) {
            let Some(usage) = file.posix.as_deref() else { continue };
            let bytes = (way.bytes as f64 * small as f64 / calls) as u64;
            let part = cx.price_of_calls(usage, direction, small, bytes);
            let seconds = usage.slowest_part(part, cx.run.ranks);
            found.add(small, merged, cx.share_of(file, seconds));
        }
    }
    found
}

fn small_way<'f>(
    file: &'f File,
    direction: Direction,
    limits: &TraceLimits,
) -> Option<(&'f Way, u64)> {
    let usage = file.posix.as_deref()?;
    let way = usage.way(direction);
    (way.calls > 0).then(|| (way, usage.small(direction, limits.small)))
}

fn saved(requests: u64, merged: u64) -> f64 {
    1.0 - merged as f64 / requests.max(1) as f64
}

fn finish(
    cx: &Context<'_>,
    [reads, writes]: [Mergeable; 2],
    most: Ticks,
    confidence: Confidence,
) -> Check {
    let (requests, merged) = (reads.requests + writes.requests, reads.merged + writes.merged);
    if requests == 0 {
        return Check::Fine("No file has many small requests that continue each other.".into());
    }
    let seconds = (reads.seconds + writes.seconds).min(most.seconds()).min(cx.run.run_time);
    let (noun, pool) = match (reads.requests, writes.requests) {
        (_, 0) => ("reads", Pool::Read),
        (0, _) => ("writes", Pool::Write),
        _ => ("reads and writes", Pool::Data),
    };
    let size = TraceLimits::of(cx.limits).merged;
    let title = format!(
        "{} small {noun} continue each other and could be {}",
        number::thousands(requests),
        number::thousands(merged)
    );
    let count = (reads.files.len() + writes.files.len()) as u64;
    let of_files = number::counted(count, "file", "files");
    let how = match confidence {
        Confidence::Measured => "each begins where the rank's last one ended",
        _ => "nearly all begin where the last one ended",
    };
    let detail = format!(
        "In {of_files} {how}. They take up to {} of a rank's time; requests of {} would do the same \
         with {} fewer calls.",
        number::seconds(seconds),
        number::bytes(size),
        number::percent(saved(requests, merged))
    );
    let commonest = super::small_requests::commonest(cx).map_or(0, |(size, ..)| size);
    let is_tiny = (commonest as f64) < cx.limits.common_request_bytes;
    let advice = advice_for(cx, &reads, &writes);
    let files = reads.files.into_iter().chain(writes.files);
    let case = Case::new(title, detail, seconds)
        .evidence("requests that continue each other", requests as f64, Quantity::Count)
        .evidence("requests instead", merged as f64, Quantity::Count)
        .evidence("times fewer", requests as f64 / merged.max(1) as f64, Quantity::Factor)
        .files(top_files(files))
        .pool(pool)
        .confidence(confidence)
        // The calls of larger requests cost less than their bytes.
        .cause_if(confidence == Confidence::Measured && is_tiny);
    advice.into_iter().fold(case, Case::advise).fired()
}

fn advice_for(cx: &Context<'_>, reads: &Mergeable, writes: &Mergeable) -> Vec<Advice> {
    let setting = cx.setting(None);
    let mut advice = Vec::new();
    let size = TraceLimits::of(cx.limits).merged;
    if writes.requests > 0 {
        advice.push(advice::buffer_writes(&setting, size));
    }
    if reads.requests > 0 {
        advice.push(advice::larger_reads(&setting, size));
    }
    advice
}
