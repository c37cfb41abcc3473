//! Bytes that were moved, how often and by which ranks. All functions take calls sorted by place.

use super::TraceLimits;
use super::facts::{CommonReads, Flow};
use super::measure::Ticks;
use super::op::Op;

/// A number for each rank. Each user clears it afterwards.
#[derive(Debug, Default)]
pub(super) struct PerRank {
    values: Vec<u64>,
}

impl PerRank {
    pub(super) fn at(&mut self, rank: u32) -> &mut u64 {
        let rank = rank as usize;
        if self.values.len() <= rank {
            self.values.resize(rank + 1, 0);
        }
        &mut self.values[rank]
    }

    /// Sets the numbers of all ranks in `ops` back. Ranks may be many and calls few.
    pub(super) fn clear(&mut self, ops: &[Op]) {
        ops.iter().for_each(|op| *self.at(op.rank()) = 0);
    }
}

/// Counts bytes, different bytes, and those different for each rank.
pub(super) fn count(ops: &[Op], covered: &mut PerRank, flow: &mut Flow) {
    let mut reached = 0;
    for op in ops.iter().filter(|op| op.is_placed()) {
        let stop = op.stop();
        let beyond = |covered: u64| stop.saturating_sub(op.offset.max(covered));
        flow.placed = flow.placed.saturating_add(op.length());
        flow.unique = flow.unique.saturating_add(beyond(reached));
        reached = reached.max(stop);
        let own = covered.at(op.rank());
        flow.own = flow.own.saturating_add(beyond(*own));
        *own = stop.max(*own);
    }
    flow.extent = reached;
    covered.clear(ops);
}

/// Finds small extents that nearly all of `ranks` read; calls `each` for every such read.
pub(super) fn common(
    reads: &[Op],
    ranks: u64,
    limits: &TraceLimits,
    mut each: impl FnMut(&Op),
) -> CommonReads {
    let mut found = CommonReads::default();
    let enough = (limits.nearly_all * ranks as f64).ceil().max(2.0) as u64;
    let is_same = |a: &Op, b: &Op| a.offset == b.offset && a.length() == b.length();
    for same in reads.chunk_by(is_same) {
        let extent = &same[0];
        if !extent.is_placed() || extent.length() >= limits.common || (same.len() as u64) < enough {
            continue;
        }
        let readers = same.chunk_by(|a, b| a.rank() == b.rank()).count() as u64;
        if readers >= enough {
            found.extents += 1;
            found.requests += same.len() as u64;
            found.bytes = found.bytes.saturating_add(extent.length() * same.len() as u64);
            found.time += same.iter().map(|op| Ticks::of(op.seconds())).sum();
            same.iter().for_each(&mut each);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::op::tests::op;

    fn flow(mut ops: Vec<Op>) -> Flow {
        ops.sort_unstable_by(Op::by_place);
        let mut flow = Flow::default();
        count(&ops, &mut PerRank::default(), &mut flow);
        flow
    }

    #[test]
    fn repeats_and_duplicates_are_told_apart() {
        let read = |rank, offset, length| op(rank, offset, length, 0.0, 1.0);
        let once = flow(vec![read(0, 0, 100), read(1, 100, 100)]);
        assert_eq!((once.unique, once.repeated(), once.duplicated()), (200, 0, 0));
        let again = flow(vec![read(0, 0, 100), read(0, 50, 100), read(0, 20, 10)]);
        assert_eq!((again.placed, again.unique), (210, 150));
        assert_eq!((again.repeated(), again.duplicated()), (60, 0));
        let both = flow(vec![read(1, 50, 100), read(0, 0, 100)]);
        assert_eq!((both.unique, both.repeated(), both.duplicated()), (150, 0, 50));
        let nothing = flow(vec![read(0, -1, 100), read(0, 5, 0)]);
        assert_eq!((nothing.placed, nothing.unique, nothing.own), (0, 0, 0));
    }

    #[test]
    fn huge_extents_do_not_overflow() {
        let most = (1 << 44) - 1;
        let huge = flow(vec![op(0, i64::MAX, most, 0.0, 1.0), op(0, i64::MAX, most, 2.0, 3.0)]);
        assert_eq!((huge.unique, huge.repeated()), (most as u64, most as u64));
    }

    #[test]
    fn common_extents_are_small_and_read_by_nearly_all() {
        let mut reads: Vec<Op> = (0..10).map(|rank| op(rank, 0, 512, 0.0, 0.5)).collect();
        reads.extend((0..9).map(|rank| op(rank, 512, 96, 0.0, 0.5)));
        reads.extend((0..8).map(|rank| op(rank, 4096, 96, 0.0, 0.5)));
        reads.extend(
            (0..10).map(|rank| op(rank, 8192, TraceLimits::default().common as i64, 0.0, 0.5)),
        );
        reads.extend((0..20).map(|_| op(3, 1024, 96, 0.0, 0.5)));
        reads.sort_unstable_by(Op::by_place);
        let mut seen = 0;
        let found = common(&reads, 10, &TraceLimits::default(), |_| seen += 1);
        assert_eq!((found.extents, found.requests, seen), (2, 19, 19));
        assert_eq!((found.bytes, found.time.seconds()), (10 * 512 + 9 * 96, 9.5));
        assert_eq!(common(&reads, 1000, &TraceLimits::default(), |_| ()).extents, 0);
        let alone = [op(0, 0, 9, 0.0, 1.0)];
        assert_eq!(common(&alone, 1, &TraceLimits::default(), |_| ()).extents, 0);
    }
}
