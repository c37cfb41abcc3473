//! A06: data forced to the storage again and again.

use std::collections::HashMap;

use super::{Case, Check, Context, Detector, Feature, Pool, base, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Dataset, Direction, File, Usage};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "A06",
    slug: "flush-storm",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "Data is forced to the storage after every few writes.",
    condition: "One of these holds. There are more than syncs calls of fsync and fdatasync, or \
                writes to files opened with O_SYNC or O_DSYNC, with less than sync_bytes written \
                for each. HDF5 files and datasets are flushed more \
                than syncs times. Streams are flushed more than sync_stream times, and after \
                more than half of the writes. There are more than syncs calls of MPI_File_sync \
                with less than sync_bytes written for each. One sync for each rank does not \
                count.",
    why: "Each sync waits until the storage has everything. Nothing can be gathered meanwhile.",
    fix: "Sync once per checkpoint, after the last write.",
    see: "https://man7.org/linux/man-pages/man2/fsync.2.html",
    applies_to: &[Feature::Posix(Direction::Write)],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check,
};

/// Syncs of one file through one interface, and what they cost.
struct Synced {
    syncs: u64,
    writes: u64,
    bytes: u64,
    /// Seconds of the slowest rank that go if one sync stays.
    seconds: f64,
    pool: Pool,
}

impl Synced {
    /// Descriptors: `fsync` and `fdatasync`, or writes that wait by themselves.
    fn posix(cx: &Context<'_>, file: &File, usage: &Usage) -> Self {
        let (way, facts) = (usage.way(Direction::Write), file.facts());
        let called = usage.rare().syncs;
        let waits = facts.sync_opens > 0 && way.calls > called;
        let syncs = if waits { way.calls } else { called };
        let moved = way.bytes as f64 / cx.rate(Direction::Write);
        let price = match (waits, facts.synced > 0.0) {
            (false, true) => facts.synced,
            // Each write waits by itself.
            (true, _) => (way.time - moved).max(0.0),
            // It is not known how long syncs took.
            _ => cx.price_of_calls(usage, Direction::Write, way.calls, way.bytes),
        };
        let seconds = usage.slowest_part(price * gone(cx, usage, syncs), cx.run.ranks);
        Self { syncs, writes: way.calls, bytes: way.bytes, seconds, pool: Pool::Write }
    }

    /// MPI-IO: the time of `MPI_File_sync` is in that of writes.
    fn mpiio(cx: &Context<'_>, usage: &Usage) -> Self {
        let (way, syncs) = (usage.way(Direction::Write), usage.rare().syncs);
        let part = way.time * gone(cx, usage, syncs);
        let seconds = usage.slowest_part(part, cx.run.ranks);
        Self { syncs, writes: way.calls, bytes: way.bytes, seconds, pool: Pool::Write }
    }

    /// Streams: the buffer gathers what is not flushed.
    fn stdio(cx: &Context<'_>, usage: &Usage) -> Self {
        let (way, syncs) = (usage.way(Direction::Write), usage.rare().syncs);
        let part = cx.price_of_calls(usage, Direction::Write, way.calls, way.bytes);
        let part = part * gone(cx, usage, syncs);
        let seconds = usage.slowest_part(part, cx.run.ranks);
        Self { syncs, writes: way.calls, bytes: way.bytes, seconds, pool: Pool::Text }
    }

    /// HDF5: flushes are in the metadata time of the file or dataset, with everything below.
    fn hdf5(cx: &Context<'_>, usage: &Usage, below: Option<&Usage>) -> Self {
        let syncs = usage.rare().syncs;
        // Where flushes have no time of their own, the writes that they cause tell.
        let seconds = match below.filter(|_| usage.meta_time == 0.0) {
            Some(below) => {
                let way = below.way(Direction::Write);
                let price = cx.price_of_calls(below, Direction::Write, way.calls, way.bytes);
                below.slowest_part(price * gone(cx, usage, syncs), cx.run.ranks)
            }
            None => usage.slowest_part(usage.meta_time * gone(cx, usage, syncs), cx.run.ranks),
        };
        let way = below.map(|usage| usage.way(Direction::Write));
        let (writes, bytes) = way.map_or((0, 0), |way| (way.calls, way.bytes));
        Self { syncs, writes, bytes, seconds, pool: Pool::Library }
    }
}

/// The name of `msync` in the table of metadata calls.
pub(super) const MSYNC: &str = "msync";

/// Syncs of mapped files. The log has them by directory.
struct MappedSyncs<'a> {
    syncs: u64,
    /// Seconds of the slowest rank.
    seconds: f64,
    directory: &'a str,
}

impl<'a> MappedSyncs<'a> {
    fn of(cx: &Context<'a>) -> Self {
        let mut ranks: HashMap<Option<i64>, f64> = HashMap::new();
        let mut all = Self { syncs: 0, seconds: 0.0, directory: "" };
        for calls in cx.run.metadata.iter().filter(|calls| calls.operation == MSYNC) {
            all.syncs = all.syncs.saturating_add(calls.calls);
            *ranks.entry(calls.rank).or_default() += calls.seconds;
            all.directory = &calls.directory;
        }
        all.seconds = ranks.into_values().fold(0.0, f64::max);
        all
    }

    /// The finding that they are, if there are too many.
    fn check(&self, cx: &Context<'_>) -> Option<Check> {
        let run = cx.run;
        let more = self.syncs.saturating_sub(run.active_ranks.max(1));
        if more as f64 <= cx.limits.syncs {
            return None;
        }
        let seconds = self.seconds * more as f64 / self.syncs as f64;
        let title = format!("{} syncs of a mapped file", number::thousands(self.syncs));
        let detail = format!("msync waits for the disk, for files in {}.", self.directory);
        let is_mapped = |usage: &Usage| usage.rare().mmaps > 0;
        let mapped = run.data().filter(|file| file.posix.as_deref().is_some_and(is_mapped));
        let files: Vec<&File> =
            mapped.filter(|file| super::folder(&file.name) == self.directory).collect();
        let share = seconds / files.len().max(1) as f64;
        let setting = cx.setting(files.first().copied());
        let case = Case::new(title, detail, seconds.min(run.run_time))
            .files(top_files(files.iter().map(|file| cx.share_of(file, share))))
            .evidence("syncs", self.syncs as f64, Quantity::Count)
            .pool(Pool::Metadata)
            .advise(advice::sync_mapped(&setting, self.syncs))
            .phrase(A_SYNC_EACH);
        Some(case.fired())
    }
}

/// Words of the verdict.
const A_SYNC_EACH: &str = "a sync after every few writes";

/// Joins the journal of a database to the database.
fn of_databases(found: Vec<(&File, Synced)>) -> Vec<(&File, Synced)> {
    let (journals, mut found): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(file, _)| database_of(&file.name).is_some());
    for (file, journal) in journals {
        let database = database_of(&file.name).unwrap_or_default();
        match found.iter_mut().find(|(known, _)| *known.name == *database) {
            Some((_, known)) => {
                known.syncs = known.syncs.saturating_add(journal.syncs);
                known.writes = known.writes.saturating_add(journal.writes);
                known.bytes = known.bytes.saturating_add(journal.bytes);
                known.seconds += journal.seconds;
            }
            None => found.push((file, journal)),
        }
    }
    found
}

/// The database that a journal of SQLite belongs to.
fn database_of(name: &str) -> Option<&str> {
    name.strip_suffix("-journal").or_else(|| name.strip_suffix("-wal"))
}

/// The part of the syncs that goes if each rank keeps one.
fn gone(cx: &Context<'_>, usage: &Usage, syncs: u64) -> f64 {
    let kept = usage.ranks(cx.run.ranks).max(1).min(syncs);
    if syncs == 0 { 0.0 } else { 1.0 - kept as f64 / syncs as f64 }
}

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    // One sync by each rank at the end is fine, however many files it has. More are not.
    let called: u64 =
        [&run.posix.sum, &run.mpiio.sum].iter().map(|sum| sum.rare().syncs).max().unwrap_or(0);
    let waiting = run.data().filter(|file| file.facts().sync_opens > 0);
    let waiting = waiting.filter_map(|file| file.posix.as_deref());
    let waiting: u64 = waiting.map(|usage| usage.way(Direction::Write).calls).sum();
    let in_hdf5: u64 = if run.libraries.hdf5 {
        let files = run.data().filter_map(|file| file.h5f.as_deref());
        files.chain(run.datasets.iter().map(|own| &own.usage)).map(|own| own.rare().syncs).sum()
    } else {
        0
    };
    let all = called.max(waiting).max(in_hdf5);
    let often = all.saturating_sub(run.active_ranks) as f64 > limits.syncs;
    let are_synced = all > 0 || run.stdio.sum.rare().syncs > 0;
    let mut found: Vec<(&File, Synced)> = Vec::new();
    for file in run.data().filter(|_| are_synced) {
        let mut of_file = Vec::new();
        if let Some(usage) = file.posix.as_deref() {
            of_file.push(Synced::posix(cx, file, usage));
        }
        if let Some(usage) = file.mpiio.as_deref() {
            of_file.push(Synced::mpiio(cx, usage));
        }
        of_file.extend(file.h5f.as_deref().map(|usage| Synced::hdf5(cx, usage, file.below())));
        of_file.retain(|synced| {
            let each = synced.bytes as f64 / synced.syncs.max(1) as f64;
            often && synced.syncs > 0 && each < limits.sync_bytes
        });
        if let Some(usage) = file.stdio.as_deref() {
            let synced = Synced::stdio(cx, usage);
            let more = synced.syncs.saturating_sub(usage.ranks(run.ranks));
            if more as f64 > limits.sync_stream && synced.syncs > synced.writes / 2 {
                of_file.push(synced);
            }
        }
        // The layers of a file tell the same story; the one that costs most tells it best.
        let worst = of_file.into_iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        found.extend(worst.map(|synced| (file, synced)));
    }
    let flushed: Vec<&Dataset> =
        run.datasets.iter().filter(|own| often && own.usage.rare().syncs > 0).collect();
    let by_id: HashMap<u64, &File> = if flushed.is_empty() {
        HashMap::new()
    } else {
        run.data().map(|file| (file.id, file)).collect()
    };
    for dataset in flushed {
        let Some(file) = dataset.file.and_then(|id| by_id.get(&id)).copied() else { continue };
        let synced = Synced::hdf5(cx, &dataset.usage, file.below());
        match found.iter_mut().find(|(known, _)| known.id == file.id) {
            Some((_, known)) => {
                known.syncs = known.syncs.saturating_add(synced.syncs);
                known.seconds += synced.seconds;
            }
            None => found.push((file, synced)),
        }
    }
    let found = of_databases(found);
    let syncs = found.iter().map(|(_, own)| own.syncs).fold(0, u64::saturating_add);
    let mapped = MappedSyncs::of(cx);
    if syncs == 0
        && let Some(check) = mapped.check(cx)
    {
        return check;
    }
    if syncs == 0 {
        let has_writes =
            run.posix.way(Direction::Write).calls + run.stdio.way(Direction::Write).calls > 0;
        let all = all.saturating_add(run.stdio.sum.rare().syncs);
        return if has_writes {
            Check::Fine(format!("{} in all.", number::counted(all, "sync", "syncs")))
        } else {
            Check::Senseless
        };
    }
    let writes = found.iter().map(|(_, own)| own.writes).fold(0, u64::saturating_add);
    let bytes = found.iter().map(|(_, own)| own.bytes).fold(0, u64::saturating_add);
    let seconds: f64 = found.iter().map(|(_, own)| own.seconds).sum();
    if mapped.seconds > seconds
        && let Some(check) = mapped.check(cx)
    {
        return check;
    }
    let mut found = found;
    found.sort_by(|(a, x), (b, y)| y.seconds.total_cmp(&x.seconds).then(a.name.cmp(&b.name)));
    let Some((file, worst)) = found.first() else { return Check::Senseless };
    let each = bytes / syncs.max(1);
    let is_by_write = file.facts().sync_opens > 0;
    let is_of_stream = worst.pool == Pool::Text;
    let what = match (is_by_write, is_of_stream) {
        (true, _) => "synchronous writes",
        (false, true) => "flushes",
        (false, false) => "syncs",
    };
    let title =
        format!("{} {what}, one for every {}", number::thousands(syncs), number::bytes(each));
    let more = match found.len() {
        1 => String::new(),
        many => format!(" and {}", number::counted(many as u64 - 1, "file", "files")),
    };
    let detail = format!(
        "{}{more}: {} of {}, {} {what}.",
        base(&file.name),
        number::counted(writes, "write", "writes"),
        number::bytes(bytes / writes.max(1)),
        number::thousands(syncs),
    );
    let pool = worst.pool;
    let shares = found.iter().map(|(file, own)| cx.share_of(file, own.seconds));
    let setting = cx.setting(Some(*file));
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("syncs", syncs as f64, Quantity::Count)
        .evidence("writes", writes as f64, Quantity::Count)
        .evidence("bytes a sync", each as f64, Quantity::Bytes)
        .pool(pool)
        .advise(if is_by_write {
            advice::open_without_sync(&setting, syncs, each)
        } else if is_of_stream {
            advice::text_output(&setting, syncs, bytes)
        } else {
            advice::sync_once(&setting, syncs, each)
        })
        .files(top_files(shares))
        .phrase(match is_of_stream {
            true => "a flush after every few writes",
            false => A_SYNC_EACH,
        })
        .fired()
}
