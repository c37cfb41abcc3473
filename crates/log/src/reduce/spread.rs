//! How far values of ranks lie apart.

/// Number, sum and sum of squared deviations of some values; mergeable without the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    count: f64,
    total: f64,
    squares: f64,
}

impl Spread {
    pub(super) const WORDS: usize = 3;

    pub(super) fn one(value: f64) -> Self {
        Self { count: 1.0, total: value, squares: 0.0 }
    }

    pub(super) fn of(words: [i64; Self::WORDS]) -> Self {
        let [count, total, squares] = words.map(|word| f64::from_bits(word.cast_unsigned()));
        Self { count, total, squares }
    }

    pub(super) fn words(self) -> [i64; Self::WORDS] {
        [self.count, self.total, self.squares].map(|value| value.to_bits().cast_signed())
    }

    pub(super) fn merge(self, other: Self) -> Self {
        let (m, n) = (self.count, other.count);
        let difference = (n / m) * self.total - other.total;
        Self {
            squares: self.squares + other.squares + (m / (n * (m + n))) * difference * difference,
            count: m + n,
            total: self.total + other.total,
        }
    }

    /// With so many bits behind the first one: more would be the noise of the order in which ranks were merged,
    /// and noise does not compress.
    pub(super) fn variance(self, bits: u32) -> f64 {
        let noise = (1_u64 << (f64::MANTISSA_DIGITS - 1 - bits)) - 1;
        let variance = self.squares / self.count;
        if variance.is_finite() { f64::from_bits(variance.to_bits() & !noise) } else { variance }
    }
}
