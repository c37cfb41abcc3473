//! Sums and medians that do not depend on the order of what they are made of.

/// A sum of seconds. Kept as an integer, so that the order of adding does not matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticks(u64);

impl Ticks {
    const PER_SECOND: f64 = (1_u64 << 32) as f64;

    /// So many seconds.
    pub fn of(seconds: f64) -> Self {
        // What is negative or no number counts as zero.
        Self((seconds * Self::PER_SECOND).round() as u64)
    }

    pub(super) fn raw(self) -> u64 {
        self.0
    }

    pub(super) fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    /// The sum in seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / Self::PER_SECOND
    }
}

impl std::ops::AddAssign for Ticks {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

impl std::iter::Sum for Ticks {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        let mut sum = Self::default();
        all.for_each(|ticks| sum += ticks);
        sum
    }
}

/// Counts of numbers by size, for medians of streams.
#[derive(Debug, Clone)]
pub(super) struct Histogram {
    /// Numbers below two to this power go to the first bin.
    lowest: i64,
    /// Bits of precision: each octave has two to this power bins.
    bits: u32,
    bins: Vec<u32>,
    count: u64,
}

impl Histogram {
    const BIAS: i64 = 1023;

    /// For numbers from `2^lowest`, over 64 octaves.
    pub(super) fn new(lowest: i64, bits: u32) -> Self {
        Self { lowest, bits, bins: Vec::new(), count: 0 }
    }

    /// For seconds: from a picosecond, precise to half a thousandth.
    pub(super) fn of_seconds() -> Self {
        Self::new(-40, 11)
    }

    /// For bytes per second, precise to a hundredth.
    pub(super) fn of_rates() -> Self {
        Self::new(-8, 6)
    }

    pub(super) fn add(&mut self, value: f64) {
        if self.bins.is_empty() {
            self.bins = vec![0; 64 << self.bits];
        }
        let lowest = (self.lowest + Self::BIAS) << self.bits;
        let bin = (value.max(0.0).to_bits() >> (52 - self.bits)).cast_signed() - lowest;
        let bin = bin.clamp(0, self.bins.len() as i64 - 1) as usize;
        self.bins[bin] = self.bins[bin].saturating_add(1);
        self.count += 1;
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The middle number, or the mean of the two in the middle; 0 if there are none.
    pub(super) fn median(&self) -> f64 {
        match self.count {
            0 => 0.0,
            count => (self.nth((count - 1) / 2) + self.nth(count / 2)) / 2.0,
        }
    }

    fn nth(&self, n: u64) -> f64 {
        let mut seen = 0;
        let reached = |count: &u32| {
            seen += u64::from(*count);
            seen > n
        };
        match self.bins.iter().position(reached) {
            None | Some(0) => 0.0,
            Some(bin) => {
                let lowest = (self.lowest + Self::BIAS) << self.bits;
                let edge = |bin: i64| f64::from_bits(((bin + lowest) << (52 - self.bits)) as u64);
                (edge(bin as i64) + edge(bin as i64 + 1)) / 2.0
            }
        }
    }
}

/// The middle of some numbers, or the mean of the two in the middle; 0 if there are none.
pub(super) fn median(values: &mut [f64]) -> f64 {
    let Some(last) = values.len().checked_sub(1) else {
        return 0.0;
    };
    values.sort_unstable_by(f64::total_cmp);
    (values[last / 2] + values[values.len() / 2]) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_order() {
        let times = [0.1, 1e-7, 3e5, 0.3, 7.7];
        let forwards: Ticks = times.iter().map(|time| Ticks::of(*time)).sum();
        let backwards: Ticks = times.iter().rev().map(|time| Ticks::of(*time)).sum();
        assert_eq!(forwards, backwards);
        assert!((forwards.seconds() - 300_008.100_000_1).abs() < 1e-6);
        assert_eq!(Ticks::of(f64::NAN), Ticks::default());
        assert_eq!(Ticks::of(-1.0), Ticks::default());
        let mut most = Ticks::of(f64::INFINITY);
        most += Ticks::of(1.0);
        assert_eq!(most, Ticks::of(f64::INFINITY));
    }

    #[test]
    fn medians_are_near_enough() {
        let mut histogram = Histogram::of_seconds();
        assert_eq!(histogram.median(), 0.0);
        for value in [0.001, 0.002, 0.003, 5.0] {
            histogram.add(value);
        }
        assert!((histogram.median() / 0.0025 - 1.0).abs() < 5e-4);
        for value in [0.0, f64::NAN, -1.0, 1e300, f64::INFINITY] {
            histogram.add(value);
        }
        assert!((histogram.median() / 0.002 - 1.0).abs() < 5e-4, "{}", histogram.median());
        assert_eq!(median(&mut [3.0, 1.0, 2.0, 10.0]), 2.5);
        assert_eq!(median(&mut []), 0.0);
    }
}
