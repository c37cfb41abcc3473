//! Additions of our recorder to a log: its processes, calls without a counter, losses.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use ioglass_harvest::end::{self, ProgramEnd};
use ioglass_harvest::process::{self, Process};
use ioglass_harvest::sections::{LOST, OPERATIONS};
use ioglass_log::block::{self, Block, SectionWriter};
use ioglass_log::dxt;
use ioglass_log::table::Table;

use crate::Result;
use crate::input;
use crate::measured::{self, MeasuredTable};
use crate::write::Work;

/// Adds all tables to the block of the new log.
pub(crate) fn merge(work: &mut Work<'_>, block: &mut Block) -> Result<()> {
    processes(work, block);
    let mut operations = SectionTable::default();
    let mut lost = SectionTable::default();
    let mut measured = measured::tables();
    let mut worst_end: Option<ProgramEnd> = None;
    let mut unknown: BTreeMap<String, ()> = BTreeMap::new();
    let known: Vec<&str> = measured.iter().map(MeasuredTable::section).collect();
    let others = [
        process::SECTION,
        end::SECTION,
        OPERATIONS,
        LOST,
        block::threads_section(&dxt::POSIX),
        block::threads_section(&dxt::MPIIO),
    ];
    let is_known = |name: &str| known.contains(&name) || others.contains(&name);
    work.each_log(
        |_| true,
        |log, place| {
            operations.add(&place.read(input::table(log, OPERATIONS))?, 2, |key| {
                let Some(text) = key.get_mut(1) else { return false };
                let Ok(rank) = text.parse() else { return false };
                *text = place.rank(rank).to_string();
                place.keeps(rank)
            });
            let end = ProgramEnd::parse(&place.read(input::table(log, end::SECTION))?);
            worst_end = worst_end.max(end);
            let rank = |rank| place.keeps(rank).then(|| place.rank(rank));
            for table in &mut measured {
                table.add(&place.read(input::table(log, table.section()))?, rank);
            }
            lost.add(&place.read(input::table(log, LOST))?, 1, |_| true);
            let others = log.block_sections().map(|(name, _)| name);
            unknown.extend(others.filter(|name| !is_known(name)).map(|n| (n.to_owned(), ())));
            Ok(())
        },
    )?;
    operations.write(OPERATIONS, block);
    measured.into_iter().for_each(|table| table.write(block));
    end::write(block, worst_end);
    lost.write(LOST, block);
    work.summary.left_out.extend(unknown.into_keys().map(|name| format!("section {name}")));
    Ok(())
}

/// The processes of all logs, by the time they began.
fn processes(work: &Work<'_>, block: &mut Block) {
    let mut all: Vec<Process> = Vec::new();
    for place in work.places() {
        let Some(input) = work.inputs.get(place.log) else { continue };
        let own = input.processes.iter();
        let own = own.filter(|process| process.rank.is_none_or(|rank| place.keeps(rank)));
        all.extend(own.map(|process| Process {
            rank: process.rank.map(|rank| place.rank(rank)),
            start: place.shift.second(process.start),
            end: process.end.map(|end| place.shift.second(end)),
            ..process.clone()
        }));
    }
    // A child that its parent's log knows nothing of may have one of its own.
    let is_seen = |process: &Process| process.ending != "unseen";
    let seen: HashSet<(String, u64)> =
        all.iter().filter(|p| is_seen(p)).map(|p| (p.host.clone(), p.pid)).collect();
    all.retain(|process| is_seen(process) || !seen.contains(&(process.host.clone(), process.pid)));
    all.sort_by(|a, b| a.start.total_cmp(&b.start));
    if all.is_empty() {
        return;
    }
    let mut section = SectionWriter::new(process::SECTION);
    // Writing to a section cannot fail.
    let _ = writeln!(section, "{}", process::COLUMNS);
    for process in &all {
        let _ = writeln!(section, "{process}");
    }
    section.finish(block);
}

/// Lines of counts: some columns that say of what, the others to be added up.
#[derive(Debug, Default)]
struct SectionTable {
    keys: Vec<String>,
    counts: Vec<String>,
    rows: BTreeMap<Vec<String>, BTreeMap<usize, u64>>,
}

impl SectionTable {
    /// Adds the lines of a table of which so many columns are keys, as `change` has them, if it wants
    /// them.
    fn add(&mut self, text: &str, keys: usize, change: impl Fn(&mut Vec<String>) -> bool) {
        let table = Table::new(text);
        let mut names = table.names().map(str::to_owned);
        let own: Vec<String> = names.by_ref().take(keys).collect();
        if own.len() < keys {
            return;
        }
        self.keys = own;
        let columns: Vec<usize> = names.map(|name| self.column(name)).collect();
        for row in table.rows() {
            let mut words = row.words();
            let mut key: Vec<String> = words.by_ref().take(keys).map(str::to_owned).collect();
            if !change(&mut key) {
                continue;
            }
            let row = self.rows.entry(key).or_default();
            for (column, count) in columns.iter().zip(words) {
                let sum = row.entry(*column).or_default();
                *sum = sum.saturating_add(count.parse().unwrap_or(0));
            }
        }
    }

    fn column(&mut self, name: String) -> usize {
        self.counts.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.counts.push(name);
            self.counts.len() - 1
        })
    }

    fn write(&self, name: &str, block: &mut Block) {
        if self.rows.is_empty() {
            return;
        }
        let mut section = SectionWriter::new(name);
        let head: Vec<&str> = self.keys.iter().chain(&self.counts).map(String::as_str).collect();
        // Writing to a section cannot fail.
        let _ = writeln!(section, "{}", head.join("\t"));
        for (key, counts) in &self.rows {
            let _ = write!(section, "{}", key.join("\t"));
            for column in 0..self.counts.len() {
                let _ = write!(section, "\t{}", counts.get(&column).unwrap_or(&0));
            }
            let _ = writeln!(section);
        }
        section.finish(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_added_and_columns_found_by_name() {
        let mut table = SectionTable::default();
        table.add("record\trank\tunlink\tmkdir\n7\t0\t1\t2\n8\t0\t5\t0\n", 2, |_| true);
        table.add("record\trank\tmkdir\tsync\n7\t0\t10\t4\n7\t1\t1\t0\n", 2, |_| true);
        table.add("", 2, |_| true);
        let rows: Vec<(String, Vec<u64>)> = table
            .rows
            .iter()
            .map(|(key, row)| {
                (key.join(" "), (0..3).map(|i| row.get(&i).copied().unwrap_or(0)).collect())
            })
            .collect();
        assert_eq!(table.counts, ["unlink", "mkdir", "sync"]);
        assert_eq!(
            rows,
            [
                ("7 0".into(), vec![1, 12, 4]),
                ("7 1".into(), vec![0, 1, 0]),
                ("8 0".into(), vec![5, 0, 0]),
            ]
        );
    }
}
