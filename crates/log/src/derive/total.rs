//! All records of a module as one.

use ioglass_schema::{Module, RecordRef, Rule, daos};

use crate::record::RecordBuf;
use crate::reduce::{Landmarks, RankShare, combine};

/// All records of a module as one.
#[derive(Debug, Clone)]
pub(super) struct Total {
    record: RecordBuf,
    landmarks: Landmarks,
    is_empty: bool,
}

impl Total {
    /// No records yet.
    pub(super) fn new(module: &'static Module) -> Self {
        Self { record: RecordBuf::new(module), landmarks: Landmarks::of(module), is_empty: true }
    }

    /// Adds a record.
    pub(super) fn add(&mut self, record: RecordRef<'_>) {
        let into = &mut self.record;
        if self.is_empty {
            into.base = record.base;
        }
        let same_file = into.base.id == record.base.id;
        if !same_file {
            into.base.id = 0;
        }
        if into.base.rank != record.base.rank {
            into.base.rank = -1;
        }
        combine(into, record, total_top4);
        if record.module.id == daos::MODULE.id {
            // The reference leaves this one out of totals, and programs compare with it.
            into.int[daos::NB_OPS] = 0;
        }
        self.compare_ranks(record, same_file);
        self.is_empty = false;
    }

    /// The fastest and slowest rank mean something only as long as all records are one file.
    fn compare_ranks(&mut self, record: RecordRef<'_>, same_file: bool) {
        let own = RankShare::of(&self.landmarks, record);
        let into = &mut self.record;
        for (i, counter) in record.module.floats.iter().enumerate() {
            let (rank, bytes, slowest) = match counter.rule {
                Rule::Fastest { rank, bytes } => (rank, bytes, false),
                Rule::Slowest { rank, bytes } => (rank, bytes, true),
                _ => continue,
            };
            if !same_file {
                (into.int[rank], into.int[bytes], into.float[i]) = (-1, -1, 0.0);
                continue;
            }
            // A shared record brings figures of its ranks; others are figures of one rank.
            let (new_rank, new_bytes, time) = if record.base.rank == -1 {
                (record.int[rank], record.int[bytes], record.float[i])
            } else {
                (record.base.rank, own.bytes, own.time)
            };
            let better = if slowest { time > into.float[i] } else { time < into.float[i] };
            if self.is_empty || better {
                (into.int[rank], into.int[bytes], into.float[i]) = (new_rank, new_bytes, time);
            }
        }
    }

    /// The total so far.
    pub(super) fn record(&self) -> RecordRef<'_> {
        self.record.view()
    }
}

/// As the reference totals: equal values grow in place without moving up, new ones are inserted.
fn total_top4(into: &mut [i64], from: &[i64], values: usize, counts: usize, _: usize) {
    let known: [bool; 4] = core::array::from_fn(|slot| {
        let mut known = false;
        for old in 0..4 {
            if into[values + old] == from[values + slot] {
                into[counts + old] = into[counts + old].wrapping_add(from[counts + slot]);
                known = true;
            }
        }
        known
    });
    for slot in (0..4).filter(|slot| !known[*slot]) {
        let new = (from[values + slot], from[counts + slot]);
        if new.0 == 0 {
            break;
        }
        let table: [(i64, i64); 4] =
            core::array::from_fn(|old| (into[values + old], into[counts + old]));
        let above =
            table.iter().take_while(|(value, count)| (*count, *value) > (new.1, new.0)).count();
        if above == 4 {
            break;
        }
        let with_new = table[..above].iter().chain([&new]).chain(&table[above..]);
        for (old, (value, count)) in with_new.take(4).enumerate() {
            into[values + old] = *value;
            into[counts + old] = *count;
        }
    }
}
