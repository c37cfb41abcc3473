//! Positions at which bytes were seen.

use alloc::boxed::Box;
use alloc::vec;

use super::{AT_ONCE, HISTORY};

/// Bits of a hash at most.
const HASH_BITS: u32 = 12;
const _: () = assert!(HISTORY + AT_ONCE <= 1 << 16, "a place has 16 bits");

/// The last `N` places of each hash, the latest first. Where there are fewer, it is the first place of
/// all, which may be looked at as well.
pub(super) struct HashTable<const N: usize> {
    of_hash: Box<[[u16; N]]>,
    /// Bits of a product that are no part of a hash.
    shift: u32,
}

impl<const N: usize> HashTable<N> {
    /// For a window of so many bytes or more.
    pub(super) fn new(bytes: usize) -> Self {
        let bits = HASH_BITS.min(bytes.max(256).ilog2() - 2);
        Self { of_hash: vec![[0; N]; 1 << bits].into(), shift: u64::BITS - bits }
    }

    /// Keeps a place, and tells those that were known of the same hash.
    #[inline]
    pub(super) fn remember(&mut self, bytes: u64, at: usize) -> [u16; N] {
        let hash = bytes.wrapping_mul(0x9E37_79B1_85EB_CA87) >> self.shift;
        let places = &mut self.of_hash[hash as usize];
        let known = *places;
        places[1..].copy_from_slice(&known[..N - 1]);
        places[0] = at as u16;
        known
    }

    /// The first bytes of the window are gone.
    pub(super) fn forget(&mut self, bytes: usize) {
        for place in self.of_hash.as_flattened_mut() {
            *place = place.saturating_sub(bytes as u16);
        }
    }
}
