//! One record out of many ranks' records of the same file.
//!
//! The rules are columns of the tables in `ioglass-schema`. A [`RecordTable`] has the records of many files, each
//! of some ranks; it can be merged with that of others in any order, so it serves a loop over files as well
//! as a tree of processes. It holds a column for each word of a record, because a rule is then applied to
//! all files in one go.

mod column;
mod landmarks;
mod rows;
mod rules;
mod spread;
#[cfg(test)]
mod tests;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use ioglass_schema::{Counter, Module, RecordRef, Rule, Unit};

use crate::record::RecordBuf;
use column::{Column, take};
pub(crate) use landmarks::{Landmarks, RankShare};
pub use rows::Rows;
#[cfg(feature = "std")]
pub(crate) use rules::combine;
pub use rules::join;
use rules::{WIDEST, combined_float, combined_int, merge_common};
use spread::Spread;

/// Records of a module on their way to becoming one of each file.
#[derive(Debug, Clone)]
pub struct RecordTable {
    module: &'static Module,
    places: ColumnStarts,
    rows: usize,
    /// The file, then link, counters, times and what is behind them, as a record has them, then the sums
    /// from which variances follow, and common values that are behind the four so far.
    columns: Vec<Column>,
}

/// Columns at which the parts of a record begin.
#[derive(Debug, Clone, Copy)]
struct ColumnStarts {
    link: usize,
    ints: usize,
    floats: usize,
    uuids: usize,
    words: usize,
    spreads: usize,
    more_values: usize,
    end: usize,
}

/// The file.
const ID: usize = 0;

impl ColumnStarts {
    fn of(module: &Module) -> Self {
        let link = ID + 1;
        let ints = link + usize::from(module.link.is_some());
        let floats = ints + module.ints.len();
        let uuids = floats + module.floats.len();
        let words = uuids + 2 * module.uuids;
        let spreads = words + module.words;
        let more_values = spreads + Spread::WORDS;
        let tables = module.ints.iter().filter_map(|counter| match counter.rule {
            Rule::Top4 { width, .. } => Some(4 * (width + 1)),
            _ => None,
        });
        let end = more_values + tables.sum::<usize>();
        Self { link, ints, floats, uuids, words, spreads, more_values, end }
    }
}

/// Two tables are equal if they say the same.
impl PartialEq for RecordTable {
    fn eq(&self, other: &Self) -> bool {
        let is_equal = |(own, theirs): (&Column, &Column)| {
            (0..self.rows).all(|row| own.get(row) == theirs.get(row))
        };
        self.module.id == other.module.id
            && self.rows == other.rows
            && self.columns.iter().zip(&other.columns).all(is_equal)
    }
}

impl RecordTable {
    /// A table without rows.
    pub fn new(module: &'static Module) -> Self {
        let places = ColumnStarts::of(module);
        Self { module, places, rows: 0, columns: vec![Column::Same(0); places.end] }
    }

    /// The module whose records it has.
    pub fn module(&self) -> &'static Module {
        self.module
    }

    /// Number of files.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The file of a row.
    pub fn id(&self, row: usize) -> u64 {
        self.columns.get(ID).map_or(0, |ids| ids.get(row).cast_unsigned())
    }

    /// Adds the record of another rank to a row, or begins the next one with it. That of another module or file
    /// is no such record, and changes nothing.
    pub fn add(&mut self, row: usize, record: RecordRef<'_>) {
        let is_next = row == self.rows;
        let is_known = row < self.rows && record.base.id == self.id(row);
        if record.module.id != self.module.id || !is_next && !is_known {
            return;
        }
        let mut rows = Rows::new(self.module, 1);
        rows.push(record);
        let other = rows.into_table();
        if is_known {
            return self.merge_from(row, &other);
        }
        for (column, other) in self.columns.iter_mut().zip(&other.columns) {
            column.push(other.get(0), self.rows);
        }
        self.rows += 1;
    }

    /// Adds what other ranks have done to the same files. `None` if they are not the same, or not in the same
    /// order: then nothing has changed.
    pub fn merge(&mut self, other: &Self) -> Option<()> {
        let is_known = other.module.id == self.module.id && other.rows == self.rows;
        let have_same_files = is_known && self.columns.first() == other.columns.first();
        have_same_files.then(|| self.merge_from(0, other))
    }

    /// Merges a table of the same files as those from row `first` on.
    fn merge_from(&mut self, first: usize, other: &Self) {
        let ColumnStarts { link, ints, floats, uuids, spreads, mut more_values, .. } = self.places;
        let module = self.module;
        for (i, counter) in module.ints.iter().enumerate() {
            match counter.rule {
                Rule::Top4 { counts, width } => {
                    let places = (ints + i, ints + counts, more_values);
                    self.merge_common(first, other, places, width);
                    more_values += 4 * (width + 1);
                }
                rule => {
                    self.combine(first, other, ints + i, |old, new| combined_int(rule, old, new));
                }
            }
        }
        for (i, counter) in module.floats.iter().enumerate() {
            self.merge_times(first, other, floats + i, counter);
        }
        for column in (link..ints).chain(uuids..spreads) {
            self.combine(first, other, column, |_, new| new);
        }
        let alike = self.is_alike(other, spreads..spreads + Spread::WORDS);
        for row in 0..if alike { 1 } else { other.rows } {
            let spread = self.spread(first + row).merge(other.spread(row));
            for (column, word) in (spreads..).zip(spread.words()) {
                self.store(column, first + row, word, alike);
            }
        }
    }

    /// Returns true if in these columns all rows are alike, in both tables, as they mostly are: then one is merged
    /// for all.
    fn is_alike(&self, other: &Self, mut columns: impl Iterator<Item = usize>) -> bool {
        let is_same =
            |column: usize| self.columns[column].is_same() && other.columns[column].is_same();
        other.rows == self.rows && columns.all(is_same)
    }

    /// Stores a number in a row, or in all of them if they are alike.
    fn store(&mut self, column: usize, row: usize, number: i64, alike: bool) {
        match &mut self.columns[column] {
            Column::Same(same) if alike => *same = number,
            column => column.set(row, number, self.rows),
        }
    }

    fn combine(
        &mut self,
        first: usize,
        other: &Self,
        column: usize,
        combined: impl Fn(i64, i64) -> i64,
    ) {
        let theirs = (&other.columns[column], other.rows);
        self.columns[column].combine(first, self.rows, theirs, combined);
    }

    /// Merges a column of times, and those that come with it.
    fn merge_times(&mut self, first: usize, other: &Self, column: usize, counter: &Counter) {
        let rule = counter.rule;
        let ints = self.places.ints;
        let with: &[usize] = match rule {
            Rule::MaxWith(size) => &[ints + size],
            Rule::Fastest { rank, bytes } | Rule::Slowest { rank, bytes } => {
                &[ints + rank, ints + bytes]
            }
            _ => {
                return self.combine(first, other, column, |old, new| {
                    let value = combined_float(rule, float(old), float(new));
                    value.map_or(old, |value| value.to_bits().cast_signed())
                });
            }
        };
        for row in 0..other.rows {
            let (old, new) =
                (self.columns[column].get(first + row), other.columns[column].get(row));
            if combined_float(rule, float(old), float(new)).is_some() {
                self.columns[column].set(first + row, new, self.rows);
                for column in with {
                    let new = other.columns[*column].get(row);
                    self.columns[*column].set(first + row, new, self.rows);
                }
            }
        }
    }

    /// Merges common values, each of `width` words: of the four of a record, the columns of the first value and
    /// the first count, and where four more values are, their counts behind them.
    fn merge_common(
        &mut self,
        first: usize,
        other: &Self,
        (values, counts, more): (usize, usize, usize),
        width: usize,
    ) {
        let four = 4 * width;
        let columns = || {
            let values = (values..values + four).chain(more..more + four);
            values.chain(counts..counts + 4).chain(more + four..more + four + 4)
        };
        let line = |table: &Self, row: usize| {
            let mut line = [0; KEPT * (WIDEST + 1)];
            let numbers = columns().map(|column| table.columns[column].get(row));
            line.iter_mut().zip(numbers).for_each(|(word, number)| *word = number);
            line
        };
        let alike = self.is_alike(other, columns());
        for row in 0..if alike { 1 } else { other.rows } {
            let mut merged = line(self, first + row);
            merge_common(&mut merged, &line(other, row), (0, KEPT * width, width), KEPT);
            for (column, number) in columns().zip(merged) {
                self.store(column, first + row, number, alike);
            }
        }
    }

    /// The sums from which the variances of a row follow.
    fn spread(&self, row: usize) -> Spread {
        Spread::of(core::array::from_fn(|i| self.columns[self.places.spreads + i].get(row)))
    }

    /// Makes `record` the one of all ranks of a row.
    pub fn finish(&self, row: usize, record: &mut RecordBuf) {
        let ColumnStarts { link, ints, floats, uuids, words, spreads, .. } = self.places;
        let of = |columns: Range<usize>| self.columns[columns].iter().map(|column| column.get(row));
        if record.module.id != self.module.id {
            *record = RecordBuf::new(self.module);
        }
        (record.base.id, record.base.rank) = (self.id(row), -1);
        set(&mut record.link, of(link..ints), i64::cast_unsigned);
        set(&mut record.int, of(ints..floats), |word| word);
        set(&mut record.float, of(floats..uuids), float);
        let halves = record.uuids.iter_mut().flat_map(|uuid| uuid.as_chunks_mut().0);
        halves.zip(of(uuids..words)).for_each(|(half, word)| *half = word.to_le_bytes());
        set(&mut record.words, of(words..spreads), i64::cast_unsigned);
        for (value, counter) in record.float.iter_mut().zip(self.module.floats) {
            match counter.unit {
                Unit::SecondsSquared => *value = self.spread(row).variance_of_time(),
                Unit::BytesSquared => *value = self.spread(row).variance_of_bytes(),
                _ => {}
            }
        }
    }

    /// Appends what another process needs to go on with it.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self.rows as u64).to_le_bytes());
        self.columns.iter().for_each(|column| column.encode(bytes));
    }

    /// Reads what was encoded of a table of this module off the front of `bytes`.
    pub fn decode(module: &'static Module, bytes: &mut &[u8]) -> Option<Self> {
        let mut rest = *bytes;
        let rows = usize::try_from(u64::from_le_bytes(*take(&mut rest)?)).ok()?;
        let mut table = Self { rows, ..Self::new(module) };
        for column in &mut table.columns {
            *column = Column::decode(&mut rest, rows)?;
        }
        // Files differ, so that nobody claims to have more than there are.
        if rows > 1 && table.columns.first().is_some_and(Column::is_same) {
            return None;
        }
        *bytes = rest;
        Some(table)
    }
}

/// Common values that are kept until all ranks are merged: one that is the fifth of some of them may be among the four
/// of all.
const KEPT: usize = 8;

fn float(word: i64) -> f64 {
    f64::from_bits(word.cast_unsigned())
}

fn set<A, B>(into: &mut [A], from: impl IntoIterator<Item = B>, convert: impl Fn(B) -> A) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into = convert(from));
}
