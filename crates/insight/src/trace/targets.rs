//! Storage targets of requests, split exactly at the borders of stripes.

use std::collections::BTreeMap;

use super::context::{FileLayout, LayoutPart};
use super::facts::TargetFacts;
use super::measure::Histogram;
use super::op::Op;

/// Targets from this on are not believed.
const MOST_TARGETS: u32 = 1 << 13;

/// All targets seen so far.
#[derive(Debug, Default)]
pub(super) struct Targets {
    loads: BTreeMap<u32, [Load; 2]>,
    ring: StripeRing,
}

/// Load of a target in one direction.
#[derive(Debug, Clone)]
struct Load {
    bytes: u64,
    requests: u64,
    rates: Histogram,
}

impl Default for Load {
    fn default() -> Self {
        Self { bytes: 0, requests: 0, rates: Histogram::of_rates() }
    }
}

/// Sums over one part of a file, so that a request costs the same however many stripes it has.
#[derive(Debug, Default)]
struct StripeRing {
    /// Bytes in stripes that a request covers in part.
    bytes: Vec<u64>,
    /// Stripes covered whole: times round, and where a rest begins (+1) and ends (−1).
    rounds: u64,
    whole: Vec<i64>,
    /// The same for requests that touch a target.
    touching_all: u64,
    touching: Vec<i64>,
}

impl Targets {
    /// Adds requests of one kind (`direction` 0 reads, 1 writes) to a file.
    pub(super) fn add(&mut self, layout: &FileLayout, direction: usize, ops: &[Op]) {
        for part in layout.parts.iter().filter(|part| !part.targets.is_empty()) {
            self.ring.clear(part.targets.len());
            for op in ops.iter().filter(|op| op.is_placed()) {
                let (start, stop) = (op.offset.max(part.start), op.stop().min(part.stop));
                if start < stop {
                    self.ring.add(part.unit, start, stop);
                    self.time(part, direction, op);
                }
            }
            self.flush(part, direction);
        }
    }

    /// Notes the rate of a request that one target alone serves.
    fn time(&mut self, part: &LayoutPart, direction: usize, op: &Op) {
        let stripe = op.offset / part.unit;
        let is_alone = op.offset >= part.start
            && op.stop() <= part.stop
            && (op.stop() - 1) / part.unit == stripe;
        if is_alone && op.seconds() > 0.0 {
            let target = part.targets[(stripe % part.targets.len() as u64) as usize];
            if let Some(load) = self.load(target, direction) {
                load.rates.add(op.length() as f64 / op.seconds());
            }
        }
    }

    fn flush(&mut self, part: &LayoutPart, direction: usize) {
        let (mut whole, mut touching) = (0, 0);
        for (i, target) in part.targets.iter().enumerate() {
            whole += self.ring.whole[i];
            touching += self.ring.touching[i];
            let stripes = self.ring.rounds.saturating_add_signed(whole);
            let bytes = stripes.saturating_mul(part.unit).saturating_add(self.ring.bytes[i]);
            let requests = self.ring.touching_all.saturating_add_signed(touching);
            if requests > 0
                && let Some(load) = self.load(*target, direction)
            {
                load.bytes = load.bytes.saturating_add(bytes);
                load.requests = load.requests.saturating_add(requests);
            }
        }
    }

    fn load(&mut self, target: u32, direction: usize) -> Option<&mut Load> {
        let loads = (target < MOST_TARGETS).then(|| self.loads.entry(target).or_default())?;
        loads.get_mut(direction)
    }

    pub(super) fn facts(&self) -> Vec<TargetFacts> {
        let facts = |(target, [reads, writes]): (&u32, &[Load; 2])| TargetFacts {
            target: *target,
            read: reads.bytes,
            written: writes.bytes,
            reads: reads.requests,
            writes: writes.requests,
            lone_reads: reads.rates.count(),
            read_rate: reads.rates.median(),
            lone_writes: writes.rates.count(),
            write_rate: writes.rates.median(),
        };
        self.loads.iter().map(facts).collect()
    }
}

impl StripeRing {
    fn clear(&mut self, count: usize) {
        self.bytes.clear();
        self.bytes.resize(count, 0);
        for marks in [&mut self.whole, &mut self.touching] {
            marks.clear();
            marks.resize(count + 1, 0);
        }
        (self.rounds, self.touching_all) = (0, 0);
    }

    /// Adds the bytes `start..stop`, at least one.
    fn add(&mut self, unit: u64, start: u64, stop: u64) {
        let count = self.bytes.len() as u64;
        let (first, last) = (start / unit, (stop - 1) / unit);
        let place = |stripe: u64| (stripe % count) as usize;
        if first == last {
            self.touching[place(first)] += 1;
            self.touching[place(first) + 1] -= 1;
            let bytes = &mut self.bytes[place(first)];
            *bytes = bytes.saturating_add(stop - start);
            return;
        }
        let before = unit - start % unit;
        let after = stop - last * unit;
        for (stripe, part) in [(first, before), (last, after)] {
            let bytes = &mut self.bytes[place(stripe)];
            *bytes = bytes.saturating_add(part);
        }
        let between = last - first - 1;
        self.rounds = self.rounds.saturating_add(between / count);
        mark(&mut self.whole, place(first + 1), (between % count) as usize);
        let touched = last - first + 1;
        if touched >= count {
            self.touching_all = self.touching_all.saturating_add(1);
        } else {
            mark(&mut self.touching, place(first), touched as usize);
        }
    }
}

/// Marks `len` neighbours on a ring (its marks have one more place than it has members).
fn mark(marks: &mut [i64], from: usize, len: usize) {
    let count = marks.len() - 1;
    if from + len <= count {
        marks[from] += 1;
        marks[from + len] -= 1;
    } else {
        marks[from] += 1;
        marks[count] -= 1;
        marks[0] += 1;
        marks[from + len - count] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::op::tests::op;

    fn layout(parts: &[(u64, u64, u64, &[u32])]) -> FileLayout {
        let part = |(start, stop, unit, targets): &(u64, u64, u64, &[u32])| LayoutPart {
            start: *start,
            stop: *stop,
            unit: *unit,
            targets: targets.to_vec(),
        };
        FileLayout { parts: parts.iter().map(part).collect() }
    }

    /// Bytes and requests by target, byte by byte.
    fn counted(layout: &FileLayout, ops: &[Op]) -> BTreeMap<u32, (u64, u64)> {
        let mut counted = BTreeMap::new();
        for op in ops {
            let mut touched = std::collections::BTreeSet::new();
            for byte in op.offset..op.stop() {
                let part = layout.part_at(byte).unwrap();
                let target = part.targets[(byte / part.unit) as usize % part.targets.len()];
                counted.entry(target).or_insert((0, 0)).0 += 1;
                touched.insert(target);
            }
            touched.iter().for_each(|target| counted.get_mut(target).unwrap().1 += 1);
        }
        counted
    }

    #[test]
    fn bytes_are_split_as_if_counted_one_by_one() {
        let layout = layout(&[
            (0, 64, 4, &[1, 2, 3]),
            (64, 256, 8, &[4, 5, 6, 7, 8]),
            (256, 1 << 40, 16, &[9]),
        ]);
        for start in 0..40 {
            for length in (1..300).step_by(7) {
                let ops = [op(0, start, length, 0.0, 1.0), op(1, 2 * start, 3, 0.0, 1.0)];
                let mut targets = Targets::default();
                targets.add(&layout, 1, &ops);
                let found: BTreeMap<u32, (u64, u64)> =
                    targets.facts().iter().map(|t| (t.target, (t.written, t.writes))).collect();
                assert_eq!(found, counted(&layout, &ops), "{start} {length}");
            }
        }
    }

    #[test]
    fn rates_are_of_requests_within_one_stripe() {
        let layout = layout(&[(0, u64::MAX, 100, &[1, 2])]);
        let mut targets = Targets::default();
        let ops = [
            op(0, 0, 100, 0.0, 1.0),
            op(0, 200, 50, 0.0, 0.5),
            op(0, 120, 10, 0.0, 1.0),
            op(0, 150, 100, 0.0, 9.0),
            op(0, -1, 100, 0.0, 9.0),
        ];
        targets.add(&layout, 0, &ops);
        let facts = targets.facts();
        assert_eq!((facts[0].lone_reads, facts[1].lone_reads), (2, 1));
        assert!((facts[0].read_rate / 100.0 - 1.0).abs() < 0.01);
        assert!((facts[1].read_rate / 10.0 - 1.0).abs() < 0.01);
        assert_eq!((facts[0].lone_writes, facts[0].write_rate), (0, 0.0));
    }

    #[test]
    fn huge_requests_to_tiny_stripes_are_cheap_and_safe() {
        let layout = layout(&[(0, u64::MAX, 1, &[1, 2, 3])]);
        let ops = vec![op(0, i64::MAX, (1 << 44) - 1, 0.0, 1.0); 1000];
        let mut targets = Targets::default();
        targets.add(&layout, 0, &ops);
        let total: u64 = targets.facts().iter().map(|target| target.read).sum();
        assert_eq!(total, 1000 * ((1 << 44) - 1));
    }
}
