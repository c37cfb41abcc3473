//! Stripes or blocks that several ranks wrote to. Takes calls sorted by place.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::extents::PerRank;
use super::facts::UnitSharing;
use super::op::Op;

/// Looks at the bytes `start..stop` of a file in units of `unit`, at least 1.
///
/// Each rank's writes become stretches of units that do not overlap, so at any unit there are as
/// many stretches as ranks. Costs nothing for units in the middle of large requests.
pub(super) fn count(
    writes: &[Op],
    (start, stop, unit): (u64, u64, u64),
    covered: &mut PerRank,
) -> UnitSharing {
    let mut sweep = Sweep::default();
    for op in writes.iter().filter(|op| op.is_placed()) {
        let (from, to) = (op.offset.max(start), op.stop().min(stop));
        if from >= to {
            continue;
        }
        let (first, beyond) = (from / unit, (to - 1) / unit + 1);
        sweep.advance(first);
        let own = covered.at(op.rank());
        let first = first.max(*own);
        if first < beyond {
            sweep.edges.push(Reverse((first, 1)));
            sweep.edges.push(Reverse((beyond, -1)));
            *own = beyond;
        }
    }
    sweep.advance(u64::MAX);
    covered.clear(writes);
    sweep.found
}

#[derive(Debug, Default)]
struct Sweep {
    found: UnitSharing,
    /// Edges ahead: stretches begin (+1) and end (−1).
    edges: BinaryHeap<Reverse<(u64, i64)>>,
    at: u64,
    depth: i64,
}

impl Sweep {
    /// Passes all edges before `unit`: whatever comes later begins there or after.
    fn advance(&mut self, unit: u64) {
        while let Some(Reverse((edge, _))) = self.edges.peek()
            && *edge < unit
        {
            let Some(Reverse((edge, step))) = self.edges.pop() else {
                return;
            };
            let units = edge - self.at;
            if self.depth >= 1 {
                self.found.units = self.found.units.saturating_add(units);
            }
            if self.depth >= 2 {
                self.found.shared = self.found.shared.saturating_add(units);
            }
            if units > 0 {
                self.found.most_ranks = self.found.most_ranks.max(self.depth.unsigned_abs());
            }
            self.at = edge;
            self.depth += step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::op::tests::op;
    use std::collections::{BTreeMap, BTreeSet};

    fn shared(mut writes: Vec<Op>, unit: u64) -> UnitSharing {
        writes.sort_unstable_by(Op::by_place);
        count(&writes, (0, u64::MAX, unit), &mut PerRank::default())
    }

    #[test]
    fn units_of_several_ranks_are_shared() {
        let write = |rank, offset, length| op(rank, offset, length, 0.0, 1.0);
        let apart = shared(vec![write(0, 0, 100), write(1, 100, 100)], 100);
        assert_eq!((apart.units, apart.shared, apart.most_ranks), (2, 0, 1));
        let across = shared(vec![write(0, 0, 150), write(1, 150, 150), write(2, 199, 1)], 100);
        assert_eq!((across.units, across.shared, across.most_ranks), (3, 1, 3));
        let one = shared(vec![write(0, 0, 10), write(0, 10, 10), write(0, 5, 500)], 100);
        assert_eq!((one.units, one.shared, one.most_ranks), (6, 0, 1));
        assert_eq!(shared(vec![], 100), UnitSharing::default());
        assert_eq!(across.share(), 1.0 / 3.0);
    }

    #[test]
    fn equals_counting_unit_by_unit() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..200 {
            let mut write = || {
                let (rank, offset, length) = (random(5) as u32, random(300), 1 + random(60));
                op(rank, offset as i64, length as i64, 0.0, 1.0)
            };
            let writes: Vec<Op> = (0..12).map(|_| write()).collect();
            let mut ranks: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
            for op in &writes {
                for byte in op.offset..op.stop() {
                    ranks.entry(byte / 16).or_default().insert(op.rank());
                }
            }
            let expected = UnitSharing {
                units: ranks.len() as u64,
                shared: ranks.values().filter(|ranks| ranks.len() > 1).count() as u64,
                most_ranks: ranks.values().map(BTreeSet::len).max().unwrap() as u64,
            };
            assert_eq!(shared(writes.clone(), 16), expected, "{writes:?}");
        }
    }

    #[test]
    fn bytes_outside_a_part_do_not_count() {
        let writes = [op(0, 0, 1000, 0.0, 1.0), op(1, 0, 1000, 0.0, 1.0)];
        let part = count(&writes, (200, 400, 100), &mut PerRank::default());
        assert_eq!((part.units, part.shared), (2, 2));
    }
}
