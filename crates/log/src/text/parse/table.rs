//! Values as they were read, and the records they make.
//!
//! One short line may stand for a large record, so a table keeps only what lines say. Records
//! come into being one at a time, when the log is written.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use ioglass_schema::Base;

use super::index::{Index, next_number, push, sort_positions};
use super::shape::PLACE;

/// The statement of one line.
#[derive(Debug, Clone, Copy)]
struct LineCell {
    record: u32,
    slot: u32,
    value: u64,
}

/// Lines of one shape.
#[derive(Debug, Default)]
pub(super) struct LineTable {
    bases: Vec<Base>,
    index: Index,
    cells: Vec<LineCell>,
    /// The record of the line before: most lines continue it.
    last: Option<(Base, u32)>,
}

impl LineTable {
    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The number of the record with this id and rank.
    pub(super) fn record(&mut self, base: Base) -> Result<u32, String> {
        if let Some((last, number)) = self.last
            && last == base
        {
            return Ok(number);
        }
        let Self { bases, index, .. } = self;
        let key = |base: Base| (base.id, base.rank);
        let number = match index.find(key(base), |i| bases[i] == base) {
            Some(number) => number,
            None => {
                let number = next_number(bases)?;
                push(bases, base);
                index.insert(number, |i| key(bases[i]));
                number
            }
        };
        self.last = Some((base, number));
        Ok(number)
    }

    /// Takes what a line says about a record.
    pub(super) fn set(&mut self, record: u32, slot: u32, value: u64) -> Result<(), String> {
        next_number(&self.cells)?;
        push(&mut self.cells, LineCell { record, slot, value });
        Ok(())
    }

    /// The records. A value that is there already begins a new record of the same id and rank;
    /// one that comes out like another is left out.
    pub(super) fn into_records(self) -> LineRecords {
        let Self { bases, cells, .. } = self;
        let records = cells.iter().map(|cell| cell.record as usize);
        let (order, starts) = sort_positions(records, bases.len());
        let mut groups = Vec::new();
        let mut seen = Seen::default();
        for range in starts.windows(2) {
            let (mut start, end) = (range[0], range[1]);
            let own = start..end;
            let first_group = groups.len();
            seen.forget();
            for at in own {
                let cell = cells[order[at as usize] as usize];
                if cell.slot != PLACE && !seen.insert(cell.slot) {
                    push(&mut groups, RecordGroup { start, end: at });
                    start = at;
                    seen.forget();
                    seen.insert(cell.slot);
                }
            }
            push(&mut groups, RecordGroup { start, end });
            drop_copies(&mut groups, first_group, &cells, &order);
        }
        groups.sort_unstable_by_key(|group| order[group.start as usize]);
        LineRecords { bases, cells, order, groups }
    }
}

/// Slots that occurred in a record.
#[derive(Debug, Default)]
struct Seen {
    /// In which round each slot occurred last.
    low: Vec<u32>,
    high: HashMap<u32, u32>,
    round: u32,
}

impl Seen {
    /// Slots below this are looked up in a list.
    const LOW: u32 = 4096;

    fn forget(&mut self) {
        self.round = self.round.wrapping_add(1);
    }

    /// False if the slot has occurred.
    fn insert(&mut self, slot: u32) -> bool {
        if slot >= Self::LOW {
            return self.high.insert(slot, self.round) != Some(self.round);
        }
        if self.low.is_empty() {
            self.low.resize(Self::LOW as usize, 0);
        }
        std::mem::replace(&mut self.low[slot as usize], self.round) != self.round
    }
}

/// Leaves out groups of one record, from `first` on, that say the same as one before.
fn drop_copies(groups: &mut Vec<RecordGroup>, first: usize, cells: &[LineCell], order: &[u32]) {
    if groups.len() - first < 2 {
        return;
    }
    let state = RandomState::new();
    let signature = |group: &RecordGroup| {
        let mut place = None;
        let mut sum = 0_u64;
        for at in group.start..group.end {
            let cell = cells[order[at as usize] as usize];
            match cell.slot {
                PLACE => place = Some(cell.value),
                // What is not named is 0, so a 0 says nothing.
                _ if cell.value == 0 => {}
                slot => sum = sum.wrapping_add(state.hash_one((slot, cell.value))),
            }
        }
        sum.wrapping_add(state.hash_one(place))
    };
    let mut known = HashSet::new();
    let mut kept = first;
    for i in first..groups.len() {
        if known.insert(signature(&groups[i])) {
            groups.swap(kept, i);
            kept += 1;
        }
    }
    groups.truncate(kept);
}

/// The cells of one record, as a part of the order.
#[derive(Debug, Clone, Copy)]
struct RecordGroup {
    start: u32,
    end: u32,
}

/// The records of a table, in the order of their first lines.
#[derive(Debug)]
pub(super) struct LineRecords {
    bases: Vec<Base>,
    cells: Vec<LineCell>,
    order: Vec<u32>,
    groups: Vec<RecordGroup>,
}

impl LineRecords {
    /// Each record: its id and rank, and its values by slot, in the order of the text.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Base, impl Iterator<Item = (u32, u64)>)> {
        self.groups.iter().map(|group| {
            let own = &self.order[group.start as usize..group.end as usize];
            let cells = own.iter().map(|position| self.cells[*position as usize]);
            let record = own.first().map(|position| self.cells[*position as usize].record);
            let base = self.bases[record.unwrap_or_default() as usize];
            (base, cells.map(|cell| (cell.slot, cell.value)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(lines: &[(u64, u32, u64)]) -> Vec<(u64, Vec<(u32, u64)>)> {
        let mut table = LineTable::default();
        for (id, slot, value) in lines {
            let record = table.record(Base { id: *id, rank: 0 }).unwrap();
            table.set(record, *slot, *value).unwrap();
        }
        let records = table.into_records();
        records.iter().map(|(base, cells)| (base.id, cells.collect())).collect()
    }

    #[test]
    fn lines_of_records_may_be_mixed() {
        let found = records(&[(7, 0, 1), (8, 0, 2), (7, 9000, 3), (8, 1, 4)]);
        assert_eq!(found, [(7, vec![(0, 1), (9000, 3)]), (8, vec![(0, 2), (1, 4)])]);
    }

    #[test]
    fn a_repeated_value_begins_a_record() {
        let found = records(&[(7, 0, 1), (8, 0, 1), (7, 0, 2), (7, 1, 3)]);
        assert_eq!(found, [(7, vec![(0, 1)]), (8, vec![(0, 1)]), (7, vec![(0, 2), (1, 3)])]);
    }

    #[test]
    fn a_record_given_again_is_one() {
        let found = records(&[(7, 0, 1), (7, 1, 5), (7, 1, 5), (7, 0, 1), (7, 2, 0), (7, 0, 9)]);
        assert_eq!(found, [(7, vec![(0, 1), (1, 5)]), (7, vec![(0, 9)])]);
    }
}
