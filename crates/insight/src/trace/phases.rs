//! Times of I/O, and the silence between them.

use ioglass_log::{DxtHead, Operation, Segment};

use super::facts::Phase;
use super::measure::{Ticks, median};
use super::op::Op;

/// Part of the run that must pass without I/O to end a phase.
const SILENCE: f64 = 0.01;
/// Or so many times what a request takes.
const REQUESTS: f64 = 10.0;
/// Most ends of ranks kept.
const MOST_ENDS: u64 = 1 << 22;

/// Phases while they are found.
///
/// Calls come in any order. Whatever the order, what is known so far lies in stretches more than
/// the gap apart, and because the gap is at least a hundredth of the time there is, these are few.
#[derive(Debug)]
pub(super) struct Phases {
    gap: f64,
    keep_ends: bool,
    stretches: Vec<Stretch>,
}

#[derive(Debug, Default)]
struct Stretch {
    phase: Phase,
    /// Time at which each rank was done; −∞ for ranks that did nothing.
    ends: Vec<f64>,
}

impl Phases {
    /// For calls with this `median` duration by ranks below `ranks`; `time` is that of the run, or
    /// of the trace if that is longer.
    pub(super) fn new(time: f64, median: f64, ranks: u64) -> Self {
        let gap = (SILENCE * time).max(REQUESTS * median);
        let keep_ends = ranks.saturating_mul(101) <= MOST_ENDS;
        Self { gap, keep_ends, stretches: Vec::new() }
    }

    pub(super) fn gap(&self) -> f64 {
        self.gap
    }

    /// Adds some segments of a record.
    pub(super) fn add_all(&mut self, head: &DxtHead, operation: Operation, segments: &[Segment]) {
        if let Ok(rank) = u32::try_from(head.base.rank) {
            let is_read = operation == Operation::Read;
            let ops = segments.iter().filter_map(|segment| Op::new(rank, segment));
            ops.for_each(|op| self.add(is_read, &op));
        }
    }

    fn add(&mut self, is_read: bool, op: &Op) {
        let gap = self.gap;
        let at = self.stretches.partition_point(|before| op.start - before.phase.end > gap);
        match self.stretches.get(at) {
            Some(stretch) if stretch.phase.begin - op.end <= gap => {}
            _ => self.stretches.insert(at, Stretch::begin(op)),
        }
        self.stretches[at].add(is_read, op, self.keep_ends);
        while at + 1 < self.stretches.len()
            && self.stretches[at + 1].phase.begin - self.stretches[at].phase.end <= gap
        {
            let next = self.stretches.remove(at + 1);
            self.stretches[at].join(&next);
        }
    }

    pub(super) fn finish(self) -> Vec<Phase> {
        self.stretches.into_iter().map(Stretch::finish).collect()
    }
}

impl Stretch {
    fn begin(op: &Op) -> Self {
        let phase = Phase { begin: op.start, end: op.end, ..Phase::default() };
        Self { phase, ends: Vec::new() }
    }

    fn add(&mut self, is_read: bool, op: &Op, keep_ends: bool) {
        let phase = &mut self.phase;
        phase.begin = phase.begin.min(op.start);
        phase.end = phase.end.max(op.end);
        phase.requests += 1;
        let bytes = if is_read { &mut phase.read } else { &mut phase.written };
        *bytes = bytes.saturating_add(op.length());
        phase.time += Ticks::of(op.seconds());
        if keep_ends {
            let rank = op.rank() as usize;
            if self.ends.len() <= rank {
                self.ends.resize(rank + 1, f64::NEG_INFINITY);
            }
            self.ends[rank] = self.ends[rank].max(op.end);
        }
    }

    fn join(&mut self, other: &Self) {
        let (phase, more) = (&mut self.phase, &other.phase);
        phase.begin = phase.begin.min(more.begin);
        phase.end = phase.end.max(more.end);
        phase.requests += more.requests;
        phase.read = phase.read.saturating_add(more.read);
        phase.written = phase.written.saturating_add(more.written);
        phase.time += more.time;
        if self.ends.len() < other.ends.len() {
            self.ends.resize(other.ends.len(), f64::NEG_INFINITY);
        }
        for (end, other) in self.ends.iter_mut().zip(&other.ends) {
            *end = end.max(*other);
        }
    }

    fn finish(mut self) -> Phase {
        let last = self.ends.iter().position(|end| *end == self.phase.end);
        self.phase.last_rank = last.unwrap_or(0) as u32;
        self.ends.retain(|end| *end > f64::NEG_INFINITY);
        self.phase.ranks = self.ends.len() as u64;
        self.phase.median_end = median(&mut self.ends);
        self.phase
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::op::tests::op;

    fn phases(time: f64, median: f64, ops: &[Op]) -> Vec<Phase> {
        let mut phases = Phases::new(time, median, 8);
        ops.iter().for_each(|op| phases.add(false, op));
        phases.finish()
    }

    #[test]
    fn silence_longer_than_the_gap_ends_a_phase() {
        let ops = [
            op(0, 0, 10, 0.0, 1.0),
            op(1, 0, 10, 0.5, 2.0),
            op(2, 0, 10, 2.9, 3.0),
            op(0, 0, 10, 50.0, 51.0),
        ];
        let found = phases(100.0, 0.05, &ops);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].begin, found[0].end, found[0].bytes()), (0.0, 3.0, 30));
        assert_eq!((found[0].ranks, found[0].last_rank, found[0].median_end), (3, 2, 2.0));
        assert_eq!(found[0].tail(), 1.0);
        assert_eq!(found[0].rate(), Some(10.0));
        assert_eq!(phases(100.0, 5.0, &ops).len(), 1, "requests are slow");
        assert_eq!(phases(80.0, 0.0, &ops).len(), 3, "the run is short");
        assert_eq!(phases(100.0, 0.05, &[]).len(), 0);
    }

    #[test]
    fn order_does_not_matter_and_bridges_join() {
        let mut ops: Vec<Op> = (0..200)
            .map(|i| op(i % 8, 0, 10, f64::from(i * 37 % 200), f64::from(i * 37 % 200) + 0.3))
            .collect();
        ops.push(op(3, 0, 1, 20.0, 90.0));
        let forwards = phases(1.0, 0.0, &ops);
        ops.reverse();
        assert_eq!(phases(1.0, 0.0, &ops), forwards);
        ops.rotate_left(77);
        assert_eq!(phases(1.0, 0.0, &ops), forwards);
        assert_eq!(forwards.len(), 130, "70 seconds are bridged");
    }
}
