//! The treatment of a module's records, decided before any is written.

use std::collections::HashMap;

/// Id and rank of a record.
pub(crate) type Key = (u64, i64);

/// The records that several ranks share, and the ranks that have several records of one file.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Sorted ids that all ranks of an MPI job have.
    shared: Vec<u64>,
    of_mpi: i64,
    /// Records that are still to come of keys that come several times.
    repeated: HashMap<Key, u32>,
}

impl Plan {
    /// The plan for these records. A file is shared if so many ranks know it; 0 is never.
    pub(crate) fn new(mut keys: Vec<Key>, of_mpi: i64) -> Self {
        keys.sort_unstable();
        let mut plan = Self { of_mpi, ..Self::default() };
        for same_id in keys.chunk_by(|a, b| a.0 == b.0) {
            let mut ranks = 0;
            for same in same_id.chunk_by(|a, b| a.1 == b.1) {
                let (id, rank) = same[0];
                ranks += i64::from((0..of_mpi).contains(&rank));
                if same.len() > 1 {
                    plan.repeated.insert((id, rank), same.len() as u32);
                }
            }
            if of_mpi > 0 && ranks == of_mpi {
                plan.shared.push(same_id[0].0);
            }
        }
        plan
    }

    /// Returns true if the record is part of one of all ranks.
    pub(crate) fn is_shared(&self, (id, rank): Key) -> bool {
        (0..self.of_mpi).contains(&rank) && self.becomes_one(id)
    }

    /// Returns true if the records of single ranks of a file become one of all of them.
    pub(crate) fn becomes_one(&self, id: u64) -> bool {
        self.shared.binary_search(&id).is_ok()
    }

    /// Number of records of this key that come after this one; `None` if it is the only one.
    pub(crate) fn left(&mut self, key: Key) -> Option<u32> {
        let left = self.repeated.get_mut(&key)?;
        *left = left.saturating_sub(1);
        Some(*left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_is_what_all_ranks_have() {
        let keys = vec![(7, 0), (7, 1), (7, 2), (8, 0), (8, 2), (9, 0), (9, 1), (9, 5), (9, -1)];
        let plan = Plan::new(keys.clone(), 3);
        assert!(plan.is_shared((7, 1)) && !plan.is_shared((7, -1)) && !plan.is_shared((7, 4)));
        assert!(!plan.is_shared((8, 0)), "rank 1 did not have it");
        assert!(!plan.is_shared((9, 0)), "a helper is no rank");
        assert!(!Plan::new(keys, 0).is_shared((7, 1)), "processes share nothing");
    }

    #[test]
    fn repeated_records_are_counted_down() {
        let mut plan = Plan::new(vec![(7, 1), (7, 1), (7, 1), (7, 2), (7, -1), (7, -1)], 2);
        assert_eq!([plan.left((7, 1)), plan.left((7, 1)), plan.left((7, 1))], [2, 1, 0].map(Some));
        assert_eq!((plan.left((7, 2)), plan.left((7, -1))), (None, Some(1)));
        assert!(!plan.is_shared((7, 1)));
    }
}
