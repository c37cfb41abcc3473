//! What Darshan's modules have no place for: our own block in a log, which PyDarshan passes over.

use std::collections::BTreeMap;

use ioglass_log::Log;
use ioglass_log::table::Table;

/// Tables in the block are small.
const LONGEST: u64 = 1 << 24;

/// What the log says was lost; nothing should be.
pub(super) fn lost(log: &Log) -> String {
    section(log, "lost")
}

/// Calls without a counter, by record and name of the call; those that are 0 are left out.
pub(super) fn others(log: &Log) -> BTreeMap<(u64, String), i64> {
    let text = section(log, "operations");
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let names = lines.next().unwrap_or_default();
    let mut found = BTreeMap::new();
    for row in lines {
        let id: u64 = row[0].parse().unwrap();
        // The second column is the rank.
        for (name, value) in names.iter().zip(&row).skip(2) {
            let value: i64 = value.parse().unwrap();
            if value != 0 {
                *found.entry((id, (*name).to_owned())).or_insert(0) += value;
            }
        }
    }
    found
}

/// Metadata calls by directory and kind, and those of them that failed.
pub(super) fn metadata(log: &Log) -> BTreeMap<(String, String), (i64, i64)> {
    let text = section(log, "metadata");
    let table = Table::new(&text);
    let [directory, operation, calls, failed] =
        ["directory", "operation", "calls", "failed"].map(|name| table.column(name));
    let mut found = BTreeMap::new();
    for row in table.rows() {
        let key = (row.get(directory).unwrap().to_owned(), row.get(operation).unwrap().to_owned());
        let sum: &mut (i64, i64) = found.entry(key).or_default();
        sum.0 += row.number::<i64>(calls).unwrap();
        sum.1 += row.number::<i64>(failed).unwrap();
        assert!(row.number::<f64>(table.column("seconds")).is_some_and(|seconds| seconds >= 0.0));
    }
    found
}

/// Facts about files by record and column, without times and those that say nothing.
pub(super) fn facts(log: &Log) -> BTreeMap<(u64, String), String> {
    let text = section(log, "files");
    let table = Table::new(&text);
    let mut found = BTreeMap::new();
    for row in table.rows() {
        let id: u64 = row.number(table.column("record")).unwrap();
        for name in ["type", "sync", "direct", "truncated", "mapped"] {
            let value = row.get(table.column(name)).unwrap();
            if !matches!(value, "-" | "0") {
                found.insert((id, name.to_owned()), value.to_owned());
            }
        }
    }
    found
}

fn section(log: &Log, name: &str) -> String {
    let bytes = log.block_section(name, LONGEST).unwrap().unwrap_or_default();
    String::from_utf8(bytes).unwrap()
}
