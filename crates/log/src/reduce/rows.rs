//! A table of records that come one after the other.

use alloc::vec;
use alloc::vec::Vec;

use ioglass_schema::{Module, RecordRef, Rule};

use super::column::Column;
use super::spread::Spread;
use super::{ColumnStarts, ID, Landmarks, RankShare, RecordTable, set};

/// Rows that become columns together: which of these are the same is found out for many at once.
const AT_ONCE: usize = 32;

/// Makes a [`RecordTable`] of one rank's records, each of another file.
#[derive(Debug)]
pub struct Rows {
    table: RecordTable,
    landmarks: Landmarks,
    /// Number of expected records.
    room: usize,
    /// The first of all.
    first: Vec<i64>,
    /// Those that are no columns yet, one behind the other.
    lines: Vec<i64>,
}

impl Rows {
    /// For about so many records.
    pub fn new(module: &'static Module, room: usize) -> Self {
        let table = RecordTable::new(module);
        let lines = Vec::with_capacity(table.places.end * room.min(AT_ONCE));
        Self { table, landmarks: Landmarks::of(module), room, first: Vec::new(), lines }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.table.rows + self.lines.len() / self.table.places.end
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the record of one rank.
    pub fn push(&mut self, record: RecordRef<'_>) {
        let ColumnStarts { link, ints, floats, uuids, words, spreads, more_values, end } =
            self.table.places;
        let own = RankShare::of(&self.landmarks, record);
        let begin = self.lines.len();
        self.lines.resize(begin + end, 0);
        let line = &mut self.lines[begin..];
        line[ID] = record.base.id.cast_signed();
        set(&mut line[link..ints], record.link, |link| link.cast_signed());
        set(&mut line[ints..floats], record.int, |int| *int);
        set(&mut line[floats..uuids], record.float, |float| float.to_bits().cast_signed());
        let halves = line[uuids..words].as_chunks_mut::<2>().0;
        for (halves, uuid) in halves.iter_mut().zip(record.uuids) {
            set(halves, uuid.as_chunks().0, |half| i64::from_le_bytes(*half));
        }
        set(&mut line[words..spreads], record.words, |word| word.cast_signed());
        for (i, counter) in self.table.module.floats.iter().enumerate() {
            if let Rule::Fastest { rank, bytes } | Rule::Slowest { rank, bytes } = counter.rule {
                line[ints + rank] = record.base.rank;
                line[ints + bytes] = own.bytes;
                line[floats + i] = own.time.to_bits().cast_signed();
            }
        }
        let spread = Spread::one(own.time, own.bytes);
        line[spreads..more_values].copy_from_slice(&spread.words());
        if self.lines.len() >= AT_ONCE * end {
            self.make_columns();
        }
    }

    /// The table of them.
    pub fn into_table(mut self) -> RecordTable {
        self.make_columns();
        self.table
    }

    fn make_columns(&mut self) {
        let RecordTable { columns, rows, places, .. } = &mut self.table;
        let lines = self.lines.chunks_exact(places.end);
        if self.first.is_empty() {
            self.first.extend(lines.clone().next().into_iter().flatten());
            columns.iter_mut().zip(&self.first).for_each(|(c, same)| *c = Column::Same(*same));
        }
        // Bits in which any line differs from the first.
        let mut different = vec![0; places.end];
        for line in lines.clone() {
            for ((different, word), first) in different.iter_mut().zip(line).zip(&self.first) {
                *different |= word ^ first;
            }
        }
        let count = lines.len();
        for (i, (column, different)) in columns.iter_mut().zip(different).enumerate() {
            if different != 0 || !column.is_same() {
                column.extend(
                    lines.clone().map(|line| line[i]),
                    *rows,
                    self.room.max(*rows + count),
                );
            }
        }
        *rows += count;
        self.lines.clear();
    }
}
