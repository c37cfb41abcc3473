//! What Darshan's modules have no place for: our own block in a log, which PyDarshan passes over.

use std::collections::BTreeMap;

use ioglass_log::Log;

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

fn section(log: &Log, name: &str) -> String {
    let bytes = log.block_section(name, LONGEST).unwrap().unwrap_or_default();
    String::from_utf8(bytes).unwrap()
}
