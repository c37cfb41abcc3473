//! What a run did, on one screen: how much of it was I/O, how much was moved, which files cost most.

mod budget;
mod print;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use ioglass_harvest::process::{self, Process};
use ioglass_log::{Log, Module, RecordRef, Unit, posix, stdio};
use serde_json::{Value, json};

pub(crate) use print::width;

/// Files that are listed.
const LISTED: usize = 5;
const LEAST: usize = 3;
/// Seconds that are not worth a line.
const NOTHING: f64 = 1e-4;

/// In a log's metadata: processes that could not be recorded.
pub(crate) const UNRECORDED: &str = "unrecorded";
/// In a log's metadata: opens of excluded paths by processes that recorded nothing.
pub(crate) const EXCLUDED: &str = "excluded_opens";

/// A run, as its log tells it.
pub(crate) struct Summary {
    path: PathBuf,
    log: Log,
    processes: Vec<Process>,
    /// Of the rank that spent most.
    time: Time,
    /// Of all ranks together.
    all_ranks: Time,
    read: u64,
    written: u64,
    /// Reads and writes.
    requests: u64,
    /// The most common size of a request, and how often it occurred.
    common: Option<(i64, i64)>,
    files: usize,
    /// Files that several ranks used.
    shared: usize,
    costly: Vec<Cost>,
}

/// Seconds, by what they were spent on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Time {
    read: f64,
    write: f64,
    meta: f64,
}

impl Time {
    fn all(self) -> f64 {
        self.read + self.write + self.meta
    }

    fn add(&mut self, other: Self) {
        self.read += other.read;
        self.write += other.write;
        self.meta += other.meta;
    }
}

/// What one file cost, all ranks together.
#[derive(Debug, Clone, Default)]
struct Cost {
    name: String,
    time: Time,
    bytes: u64,
    calls: u64,
    ranks: BTreeSet<i64>,
}

/// What is computed of the records of both modules.
#[derive(Default)]
struct Sums {
    ranks: BTreeMap<i64, Time>,
    files: BTreeMap<u64, Cost>,
    sizes: BTreeMap<i64, i64>,
    read: u64,
    written: u64,
    requests: u64,
}

/// Where the counters of a module are that a summary needs.
struct Columns {
    read_time: usize,
    write_time: usize,
    meta_time: usize,
    bytes_read: usize,
    bytes_written: usize,
    reads: usize,
    writes: usize,
}

const POSIX: Columns = Columns {
    read_time: posix::f::READ_TIME,
    write_time: posix::f::WRITE_TIME,
    meta_time: posix::f::META_TIME,
    bytes_read: posix::BYTES_READ,
    bytes_written: posix::BYTES_WRITTEN,
    reads: posix::READS,
    writes: posix::WRITES,
};

const STDIO: Columns = Columns {
    read_time: stdio::f::READ_TIME,
    write_time: stdio::f::WRITE_TIME,
    meta_time: stdio::f::META_TIME,
    bytes_read: stdio::BYTES_READ,
    bytes_written: stdio::BYTES_WRITTEN,
    reads: stdio::READS,
    writes: stdio::WRITES,
};

/// Counters that are calls; the others count properties of calls.
const CALLS: [&str; 15] = [
    "OPENS",
    "READS",
    "WRITES",
    "SEEKS",
    "STATS",
    "MMAPS",
    "FSYNCS",
    "FDSYNCS",
    "RENAME_SOURCES",
    "FLUSHES",
    "FDOPENS",
    "FILENOS",
    "DUPS",
    "RENAME_TARGETS",
    "CLOSES",
];

impl Summary {
    /// Reads the log at `path`.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let log = Log::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut sums = Sums::default();
        for (module, columns) in [(&posix::MODULE, POSIX), (&stdio::MODULE, STDIO)] {
            let mut records = log.records(module)?;
            while let Some(record) = records.next()? {
                sums.add(module, &columns, record);
            }
        }
        let slowest = sums.ranks.values().copied().max_by(|a, b| a.all().total_cmp(&b.all()));
        let mut all_ranks = Time::default();
        sums.ranks.values().for_each(|time| all_ranks.add(*time));
        let common = sums.sizes.iter().max_by_key(|(size, count)| (**count, **size));
        let common = common.map(|(size, count)| (*size, *count));
        let shared = sums.files.values().filter(|file| file.ranks.len() > 1).count();
        let files = sums.files.len();
        let mut costly: Vec<(u64, Cost)> = sums.files.into_iter().collect();
        costly.sort_by(|(_, a), (_, b)| b.time.all().total_cmp(&a.time.all()));
        costly.truncate(LISTED);
        // What cost nothing worth telling is listed only to have some lines at all.
        while costly.len() > LEAST
            && costly.last().is_some_and(|(_, cost)| cost.time.all() < NOTHING)
        {
            costly.pop();
        }
        let costly = costly.into_iter().map(|(id, cost)| {
            let name = log.names().lookup(id).into_owned();
            Cost { name, ..cost }
        });
        let costly = costly.collect();
        Ok(Self {
            path: path.into(),
            processes: processes(&log),
            time: slowest.unwrap_or_default(),
            all_ranks,
            read: sums.read,
            written: sums.written,
            requests: sums.requests,
            common,
            files,
            shared,
            costly,
            log,
        })
    }

    /// Whether anything was recorded.
    pub(crate) fn is_empty(&self) -> bool {
        self.log.modules().next().is_none()
    }

    /// Opens of paths that are left out.
    pub(crate) fn excluded(&self) -> u64 {
        let known: u64 = self.processes.iter().map(|process| process.excluded).sum();
        let others = self.log.job().metadata_value(EXCLUDED);
        known + others.and_then(|count| count.parse::<u64>().ok()).unwrap_or(0)
    }

    /// The processes that were seen, and children that were not.
    pub(crate) fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// For programs.
    pub(crate) fn json(&self) -> Value {
        let job = self.log.job();
        let run_time = self.log.run_time();
        let files = self.costly.iter().map(|file| {
            json!({
                "path": file.name,
                "seconds": file.time.all(),
                "bytes": file.bytes,
                "calls": file.calls,
                "ranks": file.ranks.len(),
            })
        });
        json!({
            "schema": "ioglass.run/1",
            "log": self.path.to_string_lossy(),
            "command": job.exe(),
            "jobid": job.jobid,
            "nprocs": job.nprocs,
            "run_time": run_time,
            "time": {
                "io": self.time.all(),
                "read": self.time.read,
                "write": self.time.write,
                "metadata": self.time.meta,
            },
            "bytes_read": self.read,
            "bytes_written": self.written,
            "requests": self.requests,
            "files": self.files,
            "shared_files": self.shared,
            "excluded_opens": self.excluded(),
            "processes": self.processes.len(),
            "costly": files.collect::<Vec<_>>(),
        })
    }
}

impl Sums {
    fn add(&mut self, module: &Module, columns: &Columns, record: RecordRef<'_>) {
        let float = |i: usize| record.float[i].max(0.0);
        let int = |i: usize| u64::try_from(record.int[i]).unwrap_or(0);
        let time = Time {
            read: float(columns.read_time),
            write: float(columns.write_time),
            meta: float(columns.meta_time),
        };
        let (read, written) = (int(columns.bytes_read), int(columns.bytes_written));
        self.ranks.entry(record.base.rank).or_default().add(time);
        self.read = self.read.saturating_add(read);
        self.written = self.written.saturating_add(written);
        self.requests += int(columns.reads) + int(columns.writes);
        let file = self.files.entry(record.base.id).or_default();
        file.time.add(time);
        file.bytes = file.bytes.saturating_add(read).saturating_add(written);
        file.calls += calls(module, record);
        file.ranks.insert(record.base.rank);
        if module.id == posix::MODULE.id {
            for slot in 0..4 {
                let size = record.int[posix::ACCESS1_ACCESS + slot];
                let count = record.int[posix::ACCESS1_COUNT + slot];
                *self.sizes.entry(size).or_default() += count;
            }
        }
    }
}

fn calls(module: &Module, record: RecordRef<'_>) -> u64 {
    let is_call = |name: &str| {
        let end = name.split_once('_').map_or("", |(_, end)| end);
        CALLS.contains(&end)
    };
    let counters = module.ints.iter().zip(record.int);
    let calls =
        counters.filter(|(c, value)| c.unit == Unit::Count && **value > 0 && is_call(c.name));
    calls.map(|(_, value)| value.unsigned_abs()).sum()
}

/// The table of processes, if the log has one.
pub(crate) fn processes(log: &Log) -> Vec<Process> {
    let table = table(log, process::SECTION).unwrap_or_default();
    process::parse(&table)
}

/// A table of the log's `IOGLASS` block. A log is untrusted: one of its size has none longer than
/// this.
pub(crate) fn table(log: &Log, name: &str) -> Option<String> {
    let longest = (4 << 20) + log.size() / 2;
    let bytes = log.block_section(name, longest).ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
