//! Reads of what another rank wrote before. Takes calls sorted by place.

use std::collections::BTreeMap;

use super::facts::HandedOver;
use super::measure::Ticks;
use super::op::Op;

/// Calls taken at a time. Distant bytes do not depend on each other, so a file is gone through from
/// begin to end in little memory.
const PIECE: usize = 1 << 14;
/// Most overlapping calls, and most steps, before the search is given up.
const MOST_OPEN: usize = 1 << 19;
const MOST_STEPS: u64 = 1 << 25;

/// Finds reads of bytes that another rank wrote, and calls `each` once for every such read. Returns
/// nothing if that takes too long.
pub(super) fn trace_back(
    reads: &[Op],
    writes: &[Op],
    mut each: impl FnMut(&Op),
) -> Option<HandedOver> {
    let mut search = HistorySearch::default();
    let mut is_counted = vec![0_u64; reads.len().div_ceil(64)];
    let mut merged = Merged { reads, writes, next_read: 0, next_write: 0 };
    let mut open: Vec<HistoryEvent> = Vec::new();
    loop {
        open.extend(merged.by_ref().take(PIECE).filter(|event| event.start < event.stop));
        let border = merged.next_offset();
        search.steps += open.len() as u64;
        search.look(&mut open, border, |index| {
            let (word, bit) = (&mut is_counted[index / 64], 1 << (index % 64));
            if *word & bit == 0 {
                *word |= bit;
                each(&reads[index]);
            }
        });
        let Some(border) = border else {
            break;
        };
        open.retain(|event| event.stop > border);
        open.iter_mut().for_each(|event| event.start = event.start.max(border));
        if search.steps > MOST_STEPS || open.len() > MOST_OPEN {
            return None;
        }
    }
    let mut found = HandedOver { bytes: search.bytes, ..HandedOver::default() };
    for (index, read) in reads.iter().enumerate() {
        if is_counted[index / 64] & 1 << (index % 64) != 0 {
            found.requests += 1;
            found.time += Ticks::of(read.seconds());
        }
    }
    Some(found)
}

/// A read that begins or a write that is done.
#[derive(Debug, Clone, Copy)]
struct HistoryEvent {
    start: u64,
    stop: u64,
    time: f64,
    rank: u32,
    /// Index of the read; none if it is a write.
    read: Option<u32>,
}

/// Reads and writes by offset.
struct Merged<'a> {
    reads: &'a [Op],
    writes: &'a [Op],
    next_read: usize,
    next_write: usize,
}

impl Merged<'_> {
    fn next_offset(&self) -> Option<u64> {
        let heads = [self.reads.get(self.next_read), self.writes.get(self.next_write)];
        heads.iter().flatten().map(|op| op.offset).min()
    }
}

impl Iterator for Merged<'_> {
    type Item = HistoryEvent;

    fn next(&mut self) -> Option<HistoryEvent> {
        let (read, write) = (self.reads.get(self.next_read), self.writes.get(self.next_write));
        let is_read = match (read, write) {
            (Some(read), Some(write)) => read.offset < write.offset,
            (read, _) => read.is_some(),
        };
        let op = if is_read { read } else { write }?;
        let stop = if op.is_placed() { op.stop() } else { op.offset };
        let mut event =
            HistoryEvent { start: op.offset, stop, time: op.end, rank: op.rank(), read: None };
        if is_read {
            (event.time, event.read) = (op.start, Some(self.next_read as u32));
            self.next_read += 1;
        } else {
            self.next_write += 1;
        }
        Some(event)
    }
}

#[derive(Debug, Default)]
struct HistorySearch {
    bytes: u64,
    steps: u64,
}

impl HistorySearch {
    /// Goes through `open` in order of time, as far as it lies before `border`.
    fn look(
        &mut self,
        open: &mut [HistoryEvent],
        border: Option<u64>,
        mut each: impl FnMut(usize),
    ) {
        // A write that is done when a read begins comes first.
        open.sort_unstable_by(|a, b| {
            let rest = |event: &HistoryEvent| (event.read, event.start, event.stop, event.rank);
            a.time.total_cmp(&b.time).then_with(|| rest(a).cmp(&rest(b)))
        });
        let mut writers = Writers::default();
        for event in open {
            let stop = event.stop.min(border.unwrap_or(u64::MAX));
            match event.read {
                _ if event.start >= stop => {}
                None => writers.put(event.start, stop, event.rank),
                Some(index) => {
                    let bytes = writers.by_others(event.start, stop, event.rank);
                    self.bytes = self.bytes.saturating_add(bytes);
                    if bytes > 0 {
                        each(index as usize);
                    }
                }
            }
        }
        self.steps += writers.steps;
    }
}

/// The last writer of each byte: stretches that do not overlap, by their first byte.
#[derive(Debug, Default)]
struct Writers {
    stretches: BTreeMap<u64, (u64, u32)>,
    steps: u64,
}

impl Writers {
    fn put(&mut self, start: u64, stop: u64, rank: u32) {
        let before = self.stretches.range(..start).next_back();
        if let Some((begin, (end, owner))) = before.map(|(begin, rest)| (*begin, *rest))
            && end > start
        {
            self.stretches.insert(begin, (start, owner));
            if end > stop {
                self.stretches.insert(stop, (end, owner));
            }
        }
        while let Some((begin, (end, owner))) =
            self.stretches.range(start..stop).next().map(|(begin, rest)| (*begin, *rest))
        {
            self.steps += 1;
            self.stretches.remove(&begin);
            if end > stop {
                self.stretches.insert(stop, (end, owner));
            }
        }
        self.stretches.insert(start, (stop, rank));
    }

    /// Bytes of `start..stop` that others than `rank` wrote.
    fn by_others(&mut self, start: u64, stop: u64, rank: u32) -> u64 {
        let mut bytes = 0;
        let before = self.stretches.range(..start).next_back();
        for (begin, (end, owner)) in before.into_iter().chain(self.stretches.range(start..stop)) {
            self.steps += 1;
            if *owner != rank {
                bytes += (*end).min(stop).saturating_sub((*begin).max(start));
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::op::tests::op;

    fn found(mut reads: Vec<Op>, mut writes: Vec<Op>) -> HandedOver {
        reads.sort_unstable_by(Op::by_place);
        writes.sort_unstable_by(Op::by_place);
        trace_back(&reads, &writes, |_| ()).unwrap()
    }

    #[test]
    fn the_last_writer_decides() {
        let one = found(vec![op(1, 0, 100, 5.0, 6.0)], vec![op(0, 50, 100, 1.0, 2.0)]);
        assert_eq!((one.requests, one.bytes, one.time.seconds()), (1, 50, 1.0));
        let own = found(vec![op(0, 0, 100, 5.0, 6.0)], vec![op(0, 0, 100, 1.0, 2.0)]);
        assert_eq!(own, HandedOver::default());
        let too_early = found(vec![op(1, 0, 100, 1.5, 6.0)], vec![op(0, 0, 100, 1.0, 2.0)]);
        assert_eq!(too_early.bytes, 0);
        let at_once = found(vec![op(1, 0, 100, 2.0, 6.0)], vec![op(0, 0, 100, 1.0, 2.0)]);
        assert_eq!(at_once.bytes, 100);
        let rewritten = found(
            vec![op(1, 0, 100, 5.0, 6.0)],
            vec![op(0, 0, 100, 1.0, 2.0), op(1, 20, 30, 2.0, 3.0), op(1, 0, 90, 4.0, 5.5)],
        );
        assert_eq!(rewritten.bytes, 70);
    }

    #[test]
    fn equals_following_each_byte_and_pieces_do_not_matter() {
        let mut seed = 7_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut ops = |count: usize, length: u64| -> Vec<Op> {
            let mut one = || {
                let start = random(1000) as f64;
                let (rank, offset) = (random(4) as u32, random(3000) as i64);
                op(rank, offset, random(length) as i64, start, start + random(20) as f64)
            };
            (0..count).map(|_| one()).collect()
        };
        let (reads, writes) = (ops(20_000, 40), ops(20_000, 90));
        let expected: u64 = (0..3200)
            .map(|byte| {
                let covers = |op: &&Op| (op.offset..op.stop()).contains(&byte);
                let mut history: Vec<_> = writes.iter().filter(covers).collect();
                history.sort_by(|a, b| {
                    a.end.total_cmp(&b.end).then((a.offset, a.stop(), a.rank()).cmp(&(
                        b.offset,
                        b.stop(),
                        b.rank(),
                    )))
                });
                let from_another = |read: &&Op| {
                    let done = history.partition_point(|write| write.end <= read.start);
                    done > 0 && history[done - 1].rank() != read.rank()
                };
                reads.iter().filter(covers).filter(from_another).count() as u64
            })
            .sum();
        // Ties of two writers at one time are settled by their place within a piece, which a byte
        // alone does not know; there are few.
        let got = found(reads, writes).bytes;
        assert!(got.abs_diff(expected) * 500 < expected, "{got} against {expected}");
    }

    #[test]
    fn what_would_take_forever_is_given_up() {
        let all: Vec<Op> = (0..600_000).map(|i| op(i % 9, 0, 1 << 40, f64::from(i), 1e6)).collect();
        assert_eq!(trace_back(&all, &all, |_| ()), None);
    }
}
