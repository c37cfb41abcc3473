//! Data of our recorder besides counters: processes, other calls, losses.

use std::collections::BTreeMap;

use ioglass_harvest::process::{self, Process};
use ioglass_log::Log;
use ioglass_report::number::{counted, thousands};
use serde_json::{Map, Value, json};

use crate::recorded;

const OPERATIONS: &str = "operations";
const LOST: &str = "lost";

/// Returns true if `words` covers this section of the block.
pub(super) fn knows(section: &str) -> bool {
    [process::SECTION, OPERATIONS, LOST].contains(&section)
}

/// Lines of text, with their labels.
pub(super) fn words(log: &Log) -> Vec<(&'static str, String)> {
    let processes = recorded::processes(log);
    let mut lines = Vec::new();
    if !processes.is_empty() {
        lines.push(("processes", processes_words(&processes)));
    }
    let excluded = excluded(&processes);
    if excluded > 0 {
        let opens = counted(excluded, "open", "opens");
        lines.push(("excluded", format!("{opens} of excluded paths")));
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
    object["excluded_opens"] = excluded(&processes).into();
    object["operations"] = sums(operations(log));
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
    let mut lines = table.lines();
    let names = lines.next().unwrap_or_default().split('\t').skip(2);
    let mut sums: Vec<(String, u64)> = names.map(|name| (name.to_owned(), 0)).collect();
    for line in lines {
        for ((_, sum), count) in sums.iter_mut().zip(line.split('\t').skip(2)) {
            *sum = sum.saturating_add(count.parse().unwrap_or(0));
        }
    }
    sums.retain(|(_, sum)| *sum > 0);
    sums
}

fn lost(log: &Log) -> Vec<(String, u64)> {
    let Some(table) = recorded::table(log, LOST) else { return Vec::new() };
    let rows = table.lines().skip(1).filter_map(|line| {
        let (kind, count) = line.split_once('\t')?;
        Some((kind.to_owned(), count.parse().ok()?))
    });
    rows.collect()
}
