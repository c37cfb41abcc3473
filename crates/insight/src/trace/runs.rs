//! Requests that continue each other, and the ranks that made them. Takes calls sorted by rank and
//! time.

use std::collections::BTreeMap;

use super::TraceLimits;
use super::facts::{Flow, OwnPart, Runs};
use super::measure::Ticks;
use super::op::Op;

/// Counts runs of small requests, each where the previous one of its rank ended; calls `each` with
/// the rank and the seconds of its runs.
pub(super) fn find(ops: &[Op], limits: &TraceLimits, mut each: impl FnMut(u32, Ticks)) -> Runs {
    let mut runs = Runs::default();
    let is_small = |op: &Op| op.is_placed() && op.length() < limits.small;
    for own in ops.chunk_by(|a, b| a.rank() == b.rank()) {
        let mut time = Ticks::default();
        let continues = |a: &Op, b: &Op| is_small(a) && is_small(b) && a.stop() == b.offset;
        for run in own.chunk_by(continues).filter(|run| run.len() > 1) {
            let bytes: u64 = run.iter().map(Op::length).sum();
            runs.requests += run.len() as u64;
            runs.merged += bytes.div_ceil(limits.merged);
            time += run.iter().map(|op| Ticks::of(op.seconds())).sum();
        }
        runs.time += time;
        runs.slowest = runs.slowest.max(time);
        each(own[0].rank(), time);
    }
    runs
}

/// Counts ranks and hosts, and finds the slowest rank.
pub(super) fn who(ops: &[Op], host_of: impl Fn(u32) -> u32, flow: &mut Flow) {
    let mut hosts = Vec::new();
    for own in ops.chunk_by(|a, b| a.rank() == b.rank()) {
        hosts.push(host_of(own[0].rank()));
        let time = own.iter().map(|op| Ticks::of(op.seconds())).sum();
        flow.slowest = flow.slowest.max(time);
    }
    flow.ranks = hosts.len() as u64;
    hosts.sort_unstable();
    let per_host = || hosts.chunk_by(|a, b| a == b);
    flow.hosts = per_host().count() as u64;
    flow.most_on_a_host = per_host().map(<[u32]>::len).max().unwrap_or(0) as u64;
}

/// Requests of each rank.
pub(super) fn parts(reads: &[Op], writes: &[Op]) -> Vec<OwnPart> {
    let mut parts: BTreeMap<u32, OwnPart> = BTreeMap::new();
    for (is_read, ops) in [(true, reads), (false, writes)] {
        for own in ops.chunk_by(|a, b| a.rank() == b.rank()) {
            let rank = own[0].rank();
            let part = parts.entry(rank).or_insert(OwnPart { rank, ..OwnPart::default() });
            let bytes = own.iter().map(Op::length).fold(0, u64::saturating_add);
            *if is_read { &mut part.read } else { &mut part.written } = bytes;
            part.time += own.iter().map(|op| Ticks::of(op.seconds())).sum();
        }
    }
    parts.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::op::tests::op;

    fn sorted(mut ops: Vec<Op>) -> Vec<Op> {
        ops.sort_unstable_by(Op::by_time);
        ops
    }

    #[test]
    fn small_requests_in_a_row_can_be_merged() {
        let ops: Vec<Op> = (0..100)
            .map(|i| op(i % 2, i64::from(i / 2) * 1000, 1000, f64::from(i), f64::from(i) + 0.25))
            .collect();
        let mut per_rank = Vec::new();
        let runs = find(&sorted(ops), &TraceLimits::default(), |rank, time| {
            per_rank.push((rank, time.seconds()));
        });
        assert_eq!((runs.requests, runs.merged), (100, 2));
        assert_eq!((runs.time.seconds(), runs.slowest.seconds()), (25.0, 12.5));
        assert_eq!(per_rank, [(0, 12.5), (1, 12.5)]);
    }

    #[test]
    fn jumps_large_and_empty_requests_are_not_runs() {
        let small = TraceLimits::default().small as i64;
        for ops in [
            vec![op(0, 0, 10, 0.0, 1.0), op(0, 11, 10, 2.0, 3.0)],
            vec![op(0, 10, 10, 0.0, 1.0), op(0, 0, 10, 2.0, 3.0)],
            vec![op(0, 0, small, 0.0, 1.0), op(0, small, small, 2.0, 3.0)],
            vec![op(0, 0, 0, 0.0, 1.0), op(0, 0, 0, 2.0, 3.0)],
            vec![op(0, 0, 10, 0.0, 1.0), op(1, 10, 10, 2.0, 3.0)],
        ] {
            let found = find(&sorted(ops.clone()), &TraceLimits::default(), |_, _| ());
            assert_eq!(found, Runs::default(), "{ops:?}");
        }
    }

    #[test]
    fn ranks_and_hosts_are_counted_once() {
        let ops: Vec<Op> = (0..12).map(|i| op(i % 6, 0, 1, 0.0, f64::from(i % 6))).collect();
        let mut flow = Flow::default();
        who(&sorted(ops), |rank| rank / 4, &mut flow);
        assert_eq!((flow.ranks, flow.hosts, flow.most_on_a_host), (6, 2, 4));
        assert_eq!(flow.slowest.seconds(), 10.0);
    }
}
