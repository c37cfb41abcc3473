//! Sums over rows and equal bins, of things that span many bins.
//!
//! A thing costs the same whether it spans one bin or all: only its begin and its end are noted,
//! and the bins between are added up at the end. Sums are whole numbers, so that the order of
//! adding does not matter.

/// Rows of bins while they are filled.
#[derive(Debug)]
pub(super) struct Strips {
    bins: usize,
    /// Units of a bin.
    width: u64,
    parts: Vec<u64>,
    /// Amounts that begin or cease to be added, from this bin on.
    steps: Vec<i64>,
}

impl Strips {
    /// Rows of bins over `span` units.
    pub(super) fn new(rows: usize, bins: usize, span: u64) -> Self {
        // Half of what can be counted leaves room to round up.
        let width = span.min(u64::MAX / 2).div_ceil(bins.max(1) as u64).max(1);
        let cells = rows * bins;
        Self { bins, width, parts: vec![0; cells], steps: vec![0; cells] }
    }

    /// Units of a bin.
    pub(super) fn width(&self) -> u64 {
        self.width
    }

    /// The bin of a unit; what is beyond the last belongs to the last.
    fn bin(&self, unit: u64) -> usize {
        usize::try_from(unit / self.width).unwrap_or(usize::MAX).min(self.bins - 1)
    }

    /// Adds to each bin the units of it that lie between `from` and `to`.
    pub(super) fn cover(&mut self, row: usize, from: u64, to: u64) {
        let end = self.width.saturating_mul(self.bins as u64);
        let (from, to) = (from.min(end), to.min(end));
        if from >= to {
            return;
        }
        let (first, last) = (self.bin(from), self.bin(to - 1));
        if first == last {
            self.add(row, first, to - from);
            return;
        }
        self.add(row, first, (first as u64 + 1) * self.width - from);
        self.add(row, last, to - last as u64 * self.width);
        self.step(row, first + 1, last, self.width);
    }

    fn add(&mut self, row: usize, bin: usize, amount: u64) {
        let part = &mut self.parts[row * self.bins + bin];
        *part = part.saturating_add(amount);
    }

    /// Shares `amount` out over what lies between `from` and `to`, evenly.
    pub(super) fn spread(&mut self, row: usize, from: u64, to: u64, amount: u64) {
        let (first, last) = (self.bin(from), self.bin(to.saturating_sub(1).max(from)));
        let units = to.saturating_sub(from).max(1);
        if first == last {
            self.add(row, first, amount);
            return;
        }
        let share = |part: u64| {
            let share = u128::from(amount) * u128::from(part) / u128::from(units);
            u64::try_from(share).unwrap_or(amount)
        };
        let head = share((first as u64 + 1) * self.width - from);
        let between = share(self.width);
        let middle = between.saturating_mul((last - first - 1) as u64).min(amount - head);
        self.add(row, first, head);
        // What rounding left over is in the last.
        self.add(row, last, amount - head - middle);
        self.step(row, first + 1, last, between);
    }

    /// Adds to the bins from `first` to before `end`.
    fn step(&mut self, row: usize, first: usize, end: usize, amount: u64) {
        if first >= end {
            return;
        }
        let amount = i64::try_from(amount).unwrap_or(i64::MAX);
        let cells = row * self.bins;
        let begin = &mut self.steps[cells + first];
        *begin = begin.wrapping_add(amount);
        let stop = &mut self.steps[cells + end];
        *stop = stop.wrapping_sub(amount);
    }

    /// The sums, row by row.
    pub(super) fn finish(mut self) -> Vec<u64> {
        for (parts, steps) in self.parts.chunks_mut(self.bins).zip(self.steps.chunks(self.bins)) {
            let mut level = 0_i64;
            for (part, step) in parts.iter_mut().zip(steps) {
                level = level.wrapping_add(*step);
                *part = part.saturating_add(u64::try_from(level).unwrap_or(0));
            }
        }
        self.parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_covered_adds_up_however_long_it_is() {
        let mut strips = Strips::new(2, 5, 50);
        assert_eq!(strips.width(), 10);
        strips.cover(0, 5, 7);
        strips.cover(0, 8, 33);
        strips.cover(1, 0, 50);
        strips.cover(1, 45, 1000);
        strips.cover(1, 60, 70);
        strips.cover(1, 9, 9);
        assert_eq!(strips.finish(), [4, 10, 10, 3, 0, 10, 10, 10, 10, 15]);
    }

    #[test]
    fn what_is_spread_is_all_there() {
        let mut strips = Strips::new(1, 4, 40);
        strips.spread(0, 5, 35, 100);
        let spread = strips.finish();
        assert_eq!(spread.iter().sum::<u64>(), 100);
        assert_eq!(spread, [16, 33, 33, 18]);
        let mut strips = Strips::new(1, 4, 40);
        strips.spread(0, 12, 12, 7);
        strips.spread(0, 39, 400, 5);
        strips.spread(0, 0, u64::MAX, u64::MAX);
        assert_eq!(strips.finish()[1..3], [17, 10]);
    }
}
