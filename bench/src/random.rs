//! Numbers that look random and are the same in every run.

/// What every generated log starts from.
pub const SEED: u64 = 0x10_61A5_5EED;

/// Marsaglia's xorshift with 64 bits of state.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Self {
        Self(SEED)
    }

    /// A number below `limit`, which is not zero.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    /// A number from `low` up to but not including `high`.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high.abs_diff(low)).cast_signed()
    }

    /// A duration in seconds of up to `limit` microseconds.
    pub(crate) fn micros(&mut self, limit: u64) -> f64 {
        self.below(limit * 1000) as f64 / 1e9
    }
}
