//! The variances of a shared record.

/// Bits of a variance of times behind the first one: four digits. More would be the noise of the order in which
/// ranks were merged, and noise does not compress.
const TIME_BITS: u32 = 13;

/// Sums over the ranks of a file from which the variances of their times and bytes follow. Sums of bytes are
/// whole numbers, so their variance is exact whatever the order of the ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    ranks: i64,
    time: f64,
    /// Sum of squared deviations of the times.
    time_squares: f64,
    bytes: i64,
    /// Sum of squared bytes.
    byte_squares: u128,
}

impl Spread {
    pub(super) const WORDS: usize = 6;

    /// The sums over one rank.
    pub(super) fn one(time: f64, bytes: i64) -> Self {
        let byte_squares = u128::from(bytes.unsigned_abs()).pow(2);
        Self { ranks: 1, time, time_squares: 0.0, bytes, byte_squares }
    }

    pub(super) fn of(words: [i64; Self::WORDS]) -> Self {
        let [ranks, time, time_squares, bytes, low, high] = words;
        let float = |word: i64| f64::from_bits(word.cast_unsigned());
        let half = |word: i64| u128::from(word.cast_unsigned());
        let byte_squares = half(high) << 64 | half(low);
        Self { ranks, time: float(time), time_squares: float(time_squares), bytes, byte_squares }
    }

    pub(super) fn words(self) -> [i64; Self::WORDS] {
        let word = |value: f64| value.to_bits().cast_signed();
        let (low, high) = (self.byte_squares as i64, (self.byte_squares >> 64) as i64);
        [self.ranks, word(self.time), word(self.time_squares), self.bytes, low, high]
    }

    pub(super) fn merge(self, other: Self) -> Self {
        let (m, n) = (self.ranks as f64, other.ranks as f64);
        let difference = (n / m) * self.time - other.time;
        let between = (m / (n * (m + n))) * difference * difference;
        Self {
            ranks: self.ranks.wrapping_add(other.ranks),
            time: self.time + other.time,
            time_squares: self.time_squares + other.time_squares + between,
            bytes: self.bytes.wrapping_add(other.bytes),
            byte_squares: self.byte_squares.wrapping_add(other.byte_squares),
        }
    }

    /// The variance of the ranks' times, with the digits that are no noise.
    pub(super) fn variance_of_time(self) -> f64 {
        let noise = (1_u64 << (f64::MANTISSA_DIGITS - 1 - TIME_BITS)) - 1;
        let variance = self.time_squares / self.ranks as f64;
        if variance.is_finite() { f64::from_bits(variance.to_bits() & !noise) } else { variance }
    }

    /// The variance of the ranks' bytes.
    pub(super) fn variance_of_bytes(self) -> f64 {
        let (ranks, bytes) = (i128::from(self.ranks.max(1)), i128::from(self.bytes));
        // Squares of deviations from a whole number near the mean are the smallest to count with.
        let (mean, rest) = (bytes / ranks, bytes % ranks);
        let squares = self.byte_squares.cast_signed().wrapping_sub(mean * (bytes + rest)).max(0);
        match squares.checked_mul(ranks) {
            Some(product) => (product - rest * rest).max(0) as f64 / (ranks * ranks) as f64,
            None => squares as f64 / ranks as f64,
        }
    }
}
