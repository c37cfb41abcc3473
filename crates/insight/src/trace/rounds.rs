//! Collective calls of MPI-IO, and the POSIX calls within them. Takes calls sorted by rank and
//! time.
//!
//! A trace does not say which calls are collective. Where all ranks call equally often, the n-th
//! calls of all make a round, else calls of all ranks that overlap; whether calls are collective,
//! counters tell.

use std::collections::HashSet;

use super::MOST_ROUNDS;
use super::facts::{Round, RoundSum, Rounds};

use super::measure::Ticks;
use super::op::Op;

/// More rounds than this are not looked at.
const MOST: usize = 1 << 16;
/// More calls than this are not looked at if some ranks make more than others.
const MOST_UNEVEN: usize = 1 << 20;
/// Classes of rounds by their busy share.
const CLASSES: usize = 20;

/// The rounds of one kind of call; nothing if they are too many.
pub(super) fn find(asked: &[Op], reads: &[Op], writes: &[Op]) -> Option<Rounds> {
    let ranks = || asked.chunk_by(|a, b| a.rank() == b.rank());
    let count = ranks().next().map_or(0, <[Op]>::len);
    if ranks().count() < 2 {
        return Some(Rounds::default());
    }
    let is_even = ranks().all(|own| own.len() == count);
    let mut rounds = if is_even { by_number(asked)? } else { by_overlap(asked)? };
    fill(&mut rounds, reads, writes);
    Some(sum_up(rounds))
}

/// All ranks call equally often: the n-th calls of all are a round.
fn by_number(asked: &[Op]) -> Option<Vec<Round>> {
    let mut rounds: Vec<Round> = Vec::new();
    for own in asked.chunk_by(|a, b| a.rank() == b.rank()) {
        if own.len() > MOST {
            return None;
        }
        for (n, call) in own.iter().enumerate() {
            match rounds.get_mut(n) {
                Some(round) => join(round, call),
                None => rounds.push(begin(call)),
            }
        }
    }
    Some(rounds)
}

/// Some ranks make calls of their own: calls that overlap are a round, if every rank makes one.
fn by_overlap(asked: &[Op]) -> Option<Vec<Round>> {
    if asked.len() > MOST_UNEVEN {
        return None;
    }
    let mut calls = asked.to_vec();
    calls.sort_unstable_by(|a, b| a.start.total_cmp(&b.start).then_with(|| a.by_time(b)));
    let ranks = asked.chunk_by(|a, b| a.rank() == b.rank()).count();
    let mut rounds: Vec<Round> = Vec::new();
    let mut members: HashSet<u32> = HashSet::new();
    for call in &calls {
        match rounds.last_mut() {
            Some(round) if call.start < round.end => join(round, call),
            last => {
                if last.is_some() && members.len() < ranks {
                    rounds.pop();
                }
                members.clear();
                rounds.push(begin(call));
            }
        }
        members.insert(call.rank());
    }
    if members.len() < ranks {
        rounds.pop();
    }
    rounds.truncate(MOST);
    Some(rounds)
}

fn begin(call: &Op) -> Round {
    let (begin, end, asked) = (call.start, call.end, call.length());
    Round { begin, complete: begin, end, asked, ..Round::default() }
}

fn join(round: &mut Round, call: &Op) {
    round.begin = round.begin.min(call.start);
    round.complete = round.complete.max(call.start);
    round.end = round.end.max(call.end);
    round.asked = round.asked.saturating_add(call.length());
}

/// Adds POSIX calls to the rounds they were made in.
fn fill(rounds: &mut [Round], reads: &[Op], writes: &[Op]) {
    // The rank at hand in each round, and its seconds.
    let mut own = vec![(u32::MAX, Ticks::default()); rounds.len()];
    let (mut reads, mut writes) = (reads.iter().peekable(), writes.iter().peekable());
    // Rank by rank, so that the ranks of a round can be counted.
    loop {
        let is_read = match (reads.peek(), writes.peek()) {
            (Some(read), Some(write)) => read.rank() <= write.rank(),
            (read, _) => read.is_some(),
        };
        let Some(op) = (if is_read { reads.next() } else { writes.next() }) else {
            return;
        };
        let Some(n) = round_of(rounds, op.start) else {
            continue;
        };
        let round = &mut rounds[n];
        let (requests, bytes) = match is_read {
            true => (&mut round.reads, &mut round.read),
            false => (&mut round.writes, &mut round.written),
        };
        *requests += 1;
        *bytes = bytes.saturating_add(op.length());
        let (rank, time) = &mut own[n];
        if *rank != op.rank() {
            (*rank, *time) = (op.rank(), Ticks::default());
            round.aggregators += 1;
        }
        *time += Ticks::of(op.end.min(round.end) - op.start.max(round.complete));
        round.busiest = round.busiest.max(*time);
    }
}

/// The round that a call at `time` belongs to: the last that all had joined, if it was still on;
/// else the next, if somebody had.
fn round_of(rounds: &[Round], time: f64) -> Option<usize> {
    let next = rounds.partition_point(|round| round.complete <= time);
    let was_on = |n: &usize| time <= rounds[*n].end;
    let had_begun = |n: &usize| rounds.get(*n).is_some_and(|round| round.begin <= time);
    next.checked_sub(1).filter(was_on).or(Some(next).filter(had_begun))
}

fn sum_up(mut rounds: Vec<Round>) -> Rounds {
    let mut by_busy_share = vec![RoundSum::default(); CLASSES];
    for round in rounds.iter().filter(|round| round.seconds() > 0.0) {
        let share = round.busy() / round.seconds();
        let class = ((share * CLASSES as f64) as usize).min(CLASSES - 1);
        let sum = &mut by_busy_share[class];
        sum.count += 1;
        sum.time += Ticks::of(round.seconds());
        sum.busy += Ticks::of(round.busy());
        sum.aggregators += round.aggregators;
        sum.asked = sum.asked.saturating_add(round.asked);
    }
    let count = rounds.len() as u64;
    rounds.sort_by(|a, b| b.seconds().total_cmp(&a.seconds()));
    rounds.truncate(MOST_ROUNDS);
    rounds.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    Rounds { count, longest: rounds, by_busy_share }
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
    fn the_nth_calls_make_a_round_with_the_calls_below_it() {
        let asked = sorted(
            (0..4)
                .flat_map(|rank| {
                    let late = f64::from(rank) / 8.0;
                    [op(rank, 0, 10, late, 2.0), op(rank, 0, 20, 3.0 + late, 5.0)]
                })
                .collect(),
        );
        let writes = sorted(vec![
            op(0, 0, 40, 0.5, 1.25),
            op(2, 0, 40, 0.5, 0.75),
            op(0, 0, 80, 3.75, 4.0),
            op(0, 0, 5, 7.0, 8.0),
        ]);
        let reads = [op(0, 0, 7, 4.0, 4.5)];
        let rounds = find(&asked, &reads, &writes).unwrap();
        assert_eq!(rounds.count, 2);
        let [first, second] = rounds.longest[..] else { panic!("{rounds:?}") };
        assert_eq!((first.begin, first.complete, first.end, first.asked), (0.0, 0.375, 2.0, 40));
        assert_eq!((first.writes, first.written, first.aggregators), (2, 80, 2));
        assert_eq!((first.busiest.seconds(), first.busy()), (0.75, 0.75));
        assert_eq!((second.reads, second.read, second.aggregators), (1, 7, 1));
        let total: u64 = rounds.by_busy_share.iter().map(|sum| sum.count).sum();
        assert_eq!((total, rounds.by_busy_share[9].count), (2, 2));
    }

    #[test]
    fn calls_of_one_rank_between_rounds_are_left_out() {
        let asked = sorted(vec![
            op(0, 0, 10, 0.0, 1.0),
            op(1, 0, 10, 0.5, 1.0),
            op(0, 0, 3, 2.0, 2.5),
            op(0, 0, 10, 3.0, 4.0),
            op(1, 0, 10, 3.5, 4.0),
            op(0, 0, 3, 5.0, 5.5),
        ]);
        let rounds = find(&asked, &[], &[op(0, 0, 20, 3.5, 3.75)]).unwrap();
        assert_eq!(rounds.count, 2);
        let [first, second] = rounds.longest[..] else { panic!("{rounds:?}") };
        assert_eq!((first.begin, first.complete, first.end, first.asked), (0.0, 0.5, 1.0, 20));
        assert_eq!((second.writes, second.busy(), second.seconds()), (1, 0.25, 0.5));
    }

    #[test]
    fn calls_that_are_not_made_together_are_no_rounds() {
        let alone = [op(0, 0, 10, 0.0, 1.0), op(0, 0, 10, 2.0, 3.0)];
        assert_eq!(find(&alone, &[], &[]), Some(Rounds::default()));
        let apart = [op(0, 0, 10, 0.0, 1.0), op(0, 0, 10, 2.0, 3.0), op(1, 0, 10, 4.0, 5.0)];
        assert_eq!(find(&apart, &[], &[]).unwrap().count, 0);
        assert_eq!(find(&[], &[], &[]), Some(Rounds::default()));
        let many: Vec<Op> =
            (0..2).flat_map(|rank| (0..70_000).map(move |_| op(rank, 0, 1, 0.0, 0.0))).collect();
        assert_eq!(find(&many, &[], &[]), None);
    }
}
