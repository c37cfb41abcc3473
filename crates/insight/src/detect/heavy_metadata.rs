//! N01: more metadata calls than data transfers.

use std::collections::BTreeMap;

use super::flush_storm::MSYNC;
use super::{Case, Check, Context, Detector, Feature, Pool, base, many_small_files, top_files};
use crate::advice;
use crate::finding::{Advice, Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File, Usage};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "N01",
    slug: "heavy-metadata",
    dimension: Dimension::MetadataIntensity,
    highest: Level::High,
    what: "Files are opened, looked up and closed, and hardly anything is read or written.",
    condition: "One of these holds for files that are not start-up files. There are at least \
                metadata_opens opens, with less than metadata_bytes_per_open moved per file on \
                average. Or opens, stats and seeks together are more than metadata_per_data for \
                each read or write, and more than metadata_operations. Or each rank opens a file \
                more than metadata_opens_per_file times, metadata_opens in all, and that costs \
                metadata_share of the run. Or calls that make, remove and change files and \
                directories are metadata_changes and cost metadata_share of the run. Streams \
                count like descriptors.",
    why: "Each open and close is a trip to the metadata server, which all jobs share.",
    fix: "Keep files open. Put many small things into one file. Let one rank ask and tell the \
          others.",
    see: "https://docs.nersc.gov/performance/io/lustre/",
    applies_to: &[Feature::Calls],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check,
};

/// Metadata calls on one file, through descriptors and streams, or through the library above them
/// if that takes longer.
struct Opened<'a> {
    file: &'a File,
    opens: u64,
    /// Opens by each rank.
    each: f64,
    /// Seconds of the slowest rank in metadata calls.
    meta: f64,
    /// Seconds of the slowest rank in reads and writes.
    data: f64,
}

impl Opened<'_> {
    /// Seconds of the slowest rank that go if it is opened once.
    fn seconds_again(&self, cx: &Context<'_>) -> f64 {
        (self.meta + self.read_again(cx) + self.gathered(cx)) * (1.0 - 1.0 / self.each)
    }

    /// Reads of a small file that each open repeats.
    fn read_again(&self, cx: &Context<'_>) -> f64 {
        let reads = |usage: &Usage| {
            let way = usage.way(Direction::Read);
            let is_whole = way.bytes >= usage.extent().saturating_mul(self.opens) / 2;
            let is_small = (usage.extent() as f64) < cx.limits.small_file_bytes;
            let is_again = is_whole && is_small && way.bytes > 0;
            if is_again { usage.slowest_part(way.time, cx.run.ranks) } else { 0.0 }
        };
        self.file.calls().map(reads).sum()
    }

    /// Small writes that one open can gather.
    fn gathered(&self, cx: &Context<'_>) -> f64 {
        self.file.posix.as_deref().map_or(0.0, |usage| {
            let way = usage.way(Direction::Write);
            let price = cx.price_of_calls(usage, Direction::Write, way.calls, way.bytes);
            usage.slowest_part(price, cx.run.ranks)
        })
    }
}

fn opened<'a>(cx: &Context<'a>, file: &'a File) -> Opened<'a> {
    let ranks = cx.run.ranks;
    let meta_of = |usage: &Usage| usage.slowest_part(usage.meta_time, ranks);
    let mut opens = file.calls().map(|usage| usage.opens).fold(0, u64::saturating_add);
    let mut meta: f64 = file.calls().map(meta_of).sum();
    for above in [&file.mpiio, &file.h5f].into_iter().flatten() {
        if meta_of(above) > meta {
            (opens, meta) = (above.opens, meta_of(above));
        }
    }
    let data = file.calls().map(|usage| usage.slowest_part(usage.data_time(), ranks)).sum();
    let each = opens as f64 / file.ranks(ranks).max(1) as f64;
    Opened { file, opens, each, meta, data }
}

/// A run with as many stat calls for each open asks too much. Python makes one in each open.
const STATS_PER_OPEN: u64 = 3;

/// Calls of one kind that have no counter, over all ranks and directories.
struct Uncounted<'a> {
    operation: &'a str,
    directory: &'a str,
    calls: u64,
    /// Seconds, all ranks together.
    seconds: f64,
}

/// The kinds of calls without a counter that succeeded, most seconds first, and their seconds.
fn uncounted<'a>(cx: &Context<'a>) -> (Vec<Uncounted<'a>>, f64) {
    let mut kinds: BTreeMap<&str, (u64, f64, f64, &str)> = BTreeMap::new();
    let mut ranks: BTreeMap<Option<i64>, f64> = BTreeMap::new();
    // Another check looks at syncs of mapped files.
    let others = cx.run.metadata.iter().filter(|calls| calls.operation != MSYNC);
    for calls in others {
        let (done, seconds) = (calls.done(), calls.done_seconds());
        let kind = kinds.entry(&calls.operation).or_insert((0, 0.0, 0.0, ""));
        kind.0 = kind.0.saturating_add(done);
        kind.1 += seconds;
        if seconds > kind.2 && !calls.directory.is_empty() {
            (kind.2, kind.3) = (seconds, &calls.directory);
        }
        *ranks.entry(calls.rank).or_default() += seconds;
    }
    let mut kinds: Vec<_> = kinds.into_iter().filter(|(_, kind)| kind.0 > 0).collect();
    kinds.sort_by(|(_, a), (_, b)| b.1.total_cmp(&a.1));
    let list = kinds.into_iter().map(|(operation, (calls, seconds, _, directory))| Uncounted {
        seconds,
        operation,
        directory,
        calls,
    });
    (list.collect(), ranks.into_values().fold(0.0, f64::max))
}

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let (sum, streams) = (&run.posix.sum, &run.stdio.sum);
    let (others, other_seconds) = uncounted(cx);
    let other_calls = others.iter().map(|kind| kind.calls).fold(0, u64::saturating_add);
    if run.posix.files == 0 && run.stdio.files == 0 && other_calls == 0 {
        return Check::Senseless;
    }
    let files: Vec<Opened<'_>> = run.data().map(|file| opened(cx, file)).collect();
    // What is only asked about has no bytes to speak of.
    let used = files.iter().filter(|file| file.opens > 0).count() as u64;
    let opens = files.iter().map(|file| file.opens).fold(0, u64::saturating_add);
    let bytes = sum.bytes().saturating_add(streams.bytes());
    let per_file = bytes as f64 / used.max(1) as f64;
    // One stat and one open of a file are normal.
    let needed = run.posix.files.saturating_mul(2);
    let asked =
        sum.opens.saturating_add(sum.stats).saturating_add(sum.seeks).saturating_sub(needed);
    let calls = sum.calls().saturating_add(streams.calls());
    let ratio = asked as f64 / calls.max(1) as f64;
    let meta = run.posix.slowest_meta;
    let data = run.posix.slowest_read + run.posix.slowest_write;
    let empty = opens as f64 >= limits.metadata_opens && per_file < limits.metadata_bytes_per_open;
    // Seeks are free. A program that only seeks is not held back by metadata.
    let looked_up = sum.opens.saturating_add(sum.stats);
    let asks = ratio > limits.metadata_per_data
        && looked_up as f64 > limits.metadata_operations
        && run.share(meta) >= limits.metadata_share
        && meta > data;
    // Files that are opened again and again, where that costs more than using them.
    let is_reopened = |file: &&Opened<'_>| {
        file.each > limits.metadata_opens_per_file
            && file.opens as f64 >= limits.metadata_opens
            && file.meta > file.data
    };
    let reopened: Vec<&Opened<'_>> = files.iter().filter(is_reopened).collect();
    let again: f64 = reopened.iter().map(|file| file.seconds_again(cx)).sum();
    let reopens = run.share(again) >= limits.metadata_share;
    let changes = run.share(other_seconds) >= limits.metadata_share
        && other_calls as f64 >= limits.metadata_changes;
    let detail = format!(
        "{} opens, {} stats and {} seeks for {} reads and writes, {} a file.",
        number::thousands(opens),
        number::thousands(sum.stats),
        number::thousands(sum.seeks),
        number::thousands(calls),
        number::bytes(per_file as u64)
    );
    if !(empty || asks || reopens || changes) {
        return Check::Fine(detail);
    }
    let most = reopened.iter().max_by(|a, b| a.meta.total_cmp(&b.meta));
    let is_of_changes =
        changes && other_seconds >= again.max(if empty || asks { meta } else { 0.0 });
    // The kinds that have most of the seconds.
    let of_kinds: f64 = others.iter().map(|kind| kind.seconds).sum();
    let is_main = |kind: &&Uncounted<'_>| kind.seconds >= 0.2 * of_kinds;
    let main: Vec<&Uncounted<'_>> = others.iter().filter(is_main).take(3).collect();
    let detail = if is_of_changes {
        let kind = |kind: &&Uncounted<'_>| {
            let (calls, seconds) = (number::thousands(kind.calls), number::seconds(kind.seconds));
            format!("{calls} × {} in {seconds}", kind.operation)
        };
        format!("{}.", main.iter().map(kind).collect::<Vec<_>>().join(", "))
    } else {
        detail
    };
    let detail = detail + &cx.time_between();
    // Files that are made anew are removed and renamed for that.
    let changed = if changes { other_seconds } else { 0.0 };
    let (title, seconds) = if is_of_changes {
        let place = match others.first().map_or("", |kind| kind.directory) {
            "" => String::new(),
            place => format!(" in {place}"),
        };
        let words: Vec<&str> = main.iter().map(|kind| kind.operation).collect();
        let calls = main.iter().map(|kind| kind.calls).fold(0, u64::saturating_add);
        let what = words.join(" and ");
        (format!("{} calls of {what}{place}", number::thousands(calls)), other_seconds)
    } else if let Some(most) = most.filter(|_| reopens && !(empty && reopened.is_empty())) {
        let title = match reopened.len() as u64 {
            1 => format!(
                "{} is opened {} times",
                base(&most.file.name),
                number::thousands(most.opens)
            ),
            many => format!("{} are opened over and over", number::counted(many, "file", "files")),
        };
        (title, again + changed)
    } else if empty && bytes == 0 {
        let used = number::counted(used, "file", "files");
        (format!("{used} are opened and none is read or written"), meta)
    } else if empty {
        let title =
            format!("{} opens for {} of data", number::thousands(opens), number::bytes(bytes));
        // So little is in them that what moves it goes with the opens.
        let tiny = |usage: &Usage| usage.bytes() <= usage.opens.saturating_mul(TINY);
        let parts = files.iter().flat_map(|file| file.file.calls()).filter(|usage| tiny(usage));
        let data = cx.slowest_rank(parts.map(|usage| (usage, usage.data_time())));
        (title, meta + run.stdio.slowest_meta + data + changed)
    } else if sum.stats > sum.opens.saturating_mul(STATS_PER_OPEN) {
        let on = number::counted(run.posix.files, "file", "files");
        (format!("{} stat calls on {on}", number::thousands(sum.stats)), meta)
    } else {
        let title = format!(
            "{} opens and lookups for {} reads and writes",
            number::thousands(looked_up),
            number::thousands(calls)
        );
        (title, meta)
    };
    let is_named = |file: &&Opened<'_>| {
        file.meta > 0.0 && !is_of_changes && (!reopens || reopened.is_empty() || is_reopened(file))
    };
    let shares = files.iter().filter(is_named).map(|file| cx.share_of(file.file, file.meta));
    let changed = run.metadata.iter().filter(|calls| is_of_changes && calls.operation != MSYNC);
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("opens", opens as f64, Quantity::Count)
        .evidence("stats", sum.stats as f64, Quantity::Count)
        .evidence("seeks", sum.seeks as f64, Quantity::Count)
        .evidence("other metadata calls", other_calls as f64, Quantity::Count)
        .evidence("reads and writes", calls as f64, Quantity::Count)
        .evidence("bytes a file", per_file, Quantity::Bytes)
        .files(top_files(shares))
        .in_directories(changed.map(|calls| (&*calls.directory, calls.done_seconds())))
        .pool(Pool::Metadata)
        .advise(if is_of_changes {
            let kinds: Vec<&str> = main.iter().map(|kind| kind.operation).collect();
            let calls = main.iter().map(|kind| kind.calls).fold(0, u64::saturating_add);
            advice::fewer_changes(&cx.setting(None), &kinds, calls)
        } else {
            fewer_questions(cx)
        })
        .fired()
}

/// Bytes for each open that go with it.
const TINY: u64 = 1024;

/// Advises on opens or on stats, whichever are too many.
pub(super) fn fewer_questions(cx: &Context<'_>) -> Advice {
    let run = cx.run;
    let files = run.data().map(|file| opened(cx, file));
    let often = files.filter(|file| file.each > cx.limits.metadata_opens_per_file);
    if let Some(most) = often.max_by(|a, b| a.meta.total_cmp(&b.meta)) {
        return advice::open_once(&cx.setting(Some(most.file)), most.each as u64);
    }
    let setting = cx.setting(None);
    let sum = &run.posix.sum;
    if sum.stats > sum.opens.saturating_mul(STATS_PER_OPEN) {
        return advice::ask_less(&setting, sum.stats, run.posix.files);
    }
    let files: Vec<&File> = run.data().filter(|file| file.calls().next().is_some()).collect();
    let place = many_small_files::commonest_folder(&files);
    let bytes = sum.bytes().saturating_add(run.stdio.sum.bytes());
    advice::many_small_files(&setting, files.len() as u64, bytes, place)
}
