//! Data of our recorder besides counters: processes, other calls, losses.

use std::collections::{BTreeMap, BTreeSet};

use ioglass_harvest::end::{self, ProgramEnd};
use ioglass_harvest::files::{FILES, WAITING};
use ioglass_harvest::metadata;
use ioglass_harvest::process::{self, Process};
use ioglass_log::Log;
use ioglass_log::table::Table;
use ioglass_report::number::{counted, thousands};
use serde_json::{Map, Value, json};

use crate::recorded;

const OPERATIONS: &str = "operations";
const LOST: &str = "lost";

/// Returns true if `words` covers this section of the block.
pub(super) fn knows(section: &str) -> bool {
    let counted = [process::SECTION, end::SECTION, OPERATIONS, LOST];
    counted.contains(&section) || [metadata::SECTION, FILES, WAITING].contains(&section)
}

/// Lines of text, with their labels.
pub(super) fn words(log: &Log) -> Vec<(&'static str, String)> {
    let processes = recorded::processes(log);
    let mut lines = Vec::new();
    if !processes.is_empty() {
        lines.push(("processes", processes_words(&processes)));
    }
    match recorded::end(log) {
        Some(ProgramEnd::Status(status)) => lines.push(("ended", format!("exit status {status}"))),
        Some(ProgramEnd::Signal(signal)) => lines.push(("ended", format!("signal {signal}"))),
        None => {}
    }
    let libraries: BTreeSet<&str> =
        processes.iter().flat_map(|process| &process.libraries).map(String::as_str).collect();
    if !libraries.is_empty() {
        let libraries: Vec<&str> = libraries.into_iter().collect();
        lines.push(("libraries", libraries.join(", ")));
    }
    let excluded = excluded(&processes);
    if excluded > 0 {
        let opens = counted(excluded, "open", "opens");
        lines.push(("excluded", format!("{opens} of excluded paths")));
    }
    let calls = metadata_calls(log);
    if !calls.is_empty() {
        let words: Vec<String> = calls.iter().map(MetadataSum::words).collect();
        lines.push(("metadata", words.join(", ")));
    }
    let facts = file_facts(log);
    if !facts.is_empty() {
        let facts: Vec<String> =
            facts.into_iter().map(|(fact, count)| format!("{} {fact}", thousands(count))).collect();
        lines.push(("files", facts.join(", ")));
    }
    let waited = waited(log);
    if waited > 0.0 {
        lines.push(("waiting", format!("{waited:.3} s for standard input")));
    }
    for (label, counts) in [("others", operations(log)), ("lost", lost(log))] {
        let counts: Vec<String> = counts
            .into_iter()
            .map(|(name, count)| format!("{} {name}", thousands(count)))
            .collect();
        if !counts.is_empty() {
            lines.push((label, counts.join(", ")));
        }
    }
    lines
}

/// The same for programs.
pub(super) fn add_json(log: &Log, object: &mut Value) {
    let processes = recorded::processes(log);
    let sums = |sums: Vec<(String, u64)>| {
        let sums = sums.into_iter().map(|(name, count)| (name, count.into()));
        Value::Object(sums.collect::<Map<String, Value>>())
    };
    match recorded::end(log) {
        Some(ProgramEnd::Status(status)) => object["exit_status"] = status.into(),
        Some(ProgramEnd::Signal(signal)) => object["signal"] = signal.into(),
        None => {}
    }
    object["excluded_opens"] = excluded(&processes).into();
    object["operations"] = sums(operations(log));
    object["metadata_calls"] = metadata_calls(log).iter().map(MetadataSum::json).collect();
    object["file_facts"] = sums(file_facts(log));
    object["waiting_seconds"] = waited(log).into();
    object["lost"] = sums(lost(log));
    let processes = processes.into_iter().map(|process| {
        json!({
            "rank": process.rank,
            "pid": process.pid,
            "ppid": process.ppid,
            "host": process.host,
            "start": process.start,
            "end": process.end,
            "ending": process.ending,
            "excluded_opens": process.excluded,
            "lost": sums(process.lost),
            "libraries": process.libraries,
            "command": process.command,
        })
    });
    object["processes"] = processes.collect();
}

fn processes_words(processes: &[Process]) -> String {
    let mut words = thousands(processes.len() as u64);
    let with_io = processes.iter().filter(|process| process.rank.is_some()).count();
    if with_io < processes.len() {
        words += &format!(", {} with I/O", thousands(with_io as u64));
    }
    let mut endings: BTreeMap<&str, u64> = BTreeMap::new();
    for process in processes {
        *endings.entry(process.ending.as_str()).or_default() += 1;
    }
    // Normal ends are not listed.
    let quiet = ["exit 0", "_exit 0", "exec"];
    let endings = endings.into_iter().filter(|(ending, _)| !quiet.contains(ending));
    let endings: Vec<String> =
        endings.map(|(ending, count)| format!("{} {ending}", thousands(count))).collect();
    if !endings.is_empty() {
        words += &format!("; {}", endings.join(", "));
    }
    words
}

fn excluded(processes: &[Process]) -> u64 {
    processes.iter().fold(0, |sum, process| sum.saturating_add(process.excluded))
}

/// Sums over all records, of calls that were made.
fn operations(log: &Log) -> Vec<(String, u64)> {
    let Some(table) = recorded::table(log, OPERATIONS) else { return Vec::new() };
    let table = Table::new(&table);
    let names = table.names().skip(2);
    let mut sums: Vec<(String, u64)> = names.map(|name| (name.to_owned(), 0)).collect();
    for row in table.rows() {
        for ((_, sum), count) in sums.iter_mut().zip(row.words().skip(2)) {
            *sum = sum.saturating_add(count.parse().unwrap_or(0));
        }
    }
    sums.retain(|(_, sum)| *sum > 0);
    sums
}

/// Metadata calls of all ranks in all directories, of one kind.
#[derive(Debug, Default)]
struct MetadataSum {
    operation: String,
    calls: u64,
    failed: u64,
    seconds: f64,
}

impl MetadataSum {
    fn words(&self) -> String {
        let calls = format!("{} {}", thousands(self.calls), self.operation);
        match self.failed {
            0 => calls,
            failed if failed == self.calls => format!("{calls} (failed)"),
            failed => format!("{calls} ({} failed)", thousands(failed)),
        }
    }

    fn json(&self) -> Value {
        json!({
            "operation": self.operation,
            "calls": self.calls,
            "failed": self.failed,
            "seconds": self.seconds,
        })
    }
}

/// Metadata calls that Darshan does not count, by operation.
fn metadata_calls(log: &Log) -> Vec<MetadataSum> {
    let Some(text) = recorded::table(log, metadata::SECTION) else { return Vec::new() };
    let table = Table::new(&text);
    let [operation, calls, failed, seconds] =
        ["operation", "calls", "failed", "seconds"].map(|name| table.column(name));
    let mut sums: BTreeMap<&str, MetadataSum> = BTreeMap::new();
    for row in table.rows() {
        let Some(name) = row.get(operation) else { continue };
        let sum = sums.entry(name).or_default();
        sum.operation = name.to_owned();
        sum.calls = sum.calls.saturating_add(row.number(calls).unwrap_or(0));
        sum.failed = sum.failed.saturating_add(row.number(failed).unwrap_or(0));
        sum.seconds += row.number::<f64>(seconds).filter(|s| s.is_finite()).unwrap_or(0.0);
    }
    sums.into_values().collect()
}

/// The number of records of ranks that have a fact which Darshan does not count.
fn file_facts(log: &Log) -> Vec<(String, u64)> {
    let Some(text) = recorded::table(log, FILES) else { return Vec::new() };
    let table = Table::new(&text);
    let kind = table.column("type");
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for row in table.rows() {
        let kind = row.get(kind).filter(|kind| *kind != "-");
        let facts = ["sync", "direct", "truncated", "synced", "mapped"].into_iter();
        let facts = facts
            .filter(|fact| row.number::<f64>(table.column(fact)).is_some_and(|value| value > 0.0));
        for fact in kind.into_iter().chain(facts) {
            *sums.entry(fact.to_owned()).or_default() += 1;
        }
    }
    sums.into_iter().collect()
}

/// Seconds in which processes waited for their standard input.
fn waited(log: &Log) -> f64 {
    let Some(text) = recorded::table(log, WAITING) else { return 0.0 };
    let table = Table::new(&text);
    let seconds = table.column("seconds");
    table.rows().filter_map(|row| row.number::<f64>(seconds)).filter(|s| s.is_finite()).sum()
}

fn lost(log: &Log) -> Vec<(String, u64)> {
    let Some(table) = recorded::table(log, LOST) else { return Vec::new() };
    let table = Table::new(&table);
    let (kind, count) = (table.column("kind"), table.column("count"));
    let rows = table.rows();
    rows.filter_map(|row| Some((row.get(kind)?.to_owned(), row.number(count)?))).collect()
}
