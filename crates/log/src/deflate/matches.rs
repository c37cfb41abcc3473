//! Where the bytes that come next stood before.

use alloc::boxed::Box;
use alloc::vec;

use super::HISTORY;

pub(super) const SHORTEST: usize = 3;
pub(super) const LONGEST: usize = 258;

/// Bits of a hash at most, and places that are kept of each.
const HASH_BITS: u32 = 12;
const PLACES: usize = 4;
/// Places at the end of a match that are kept: where the next one often begins.
const TAIL: usize = 3;
/// A match so long is good enough.
const LONG: usize = 32;
/// What a byte that is not part of a match costs, in bits, about.
const BYTE: i32 = 5;

/// Distances at which zeros, words and pairs of words repeat, and what a match there costs in bits, about.
const NEAR: [(usize, i32); 3] = [(1, 7), (8, 9), (16, 10)];
/// What a match one record back costs, and one anywhere.
const RECORD: i32 = 15;
const ANYWHERE: i32 = 19;

/// Bytes that stood before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) len: usize,
    pub(super) distance: usize,
}

/// Finds matches.
pub(super) struct Finder {
    /// The last places of each hash, the latest first; 0 is none.
    places: Box<[[u32; PLACES]]>,
    /// Bits of a product that are no part of a hash.
    shift: u32,
    /// The size of a record, it seems.
    record: usize,
}

/// The best match so far.
struct Best {
    found: Match,
    gain: i32,
}

impl Best {
    fn consider(&mut self, window: &[u8], at: usize, distance: usize, cost: i32) {
        let len = common(window, at, distance);
        let gain = len as i32 * BYTE - cost;
        if len >= SHORTEST && gain > self.gain {
            *self = Self { found: Match { len, distance }, gain };
        }
    }
}

impl Finder {
    /// For so many bytes or more.
    pub(super) fn new(bytes: usize) -> Self {
        let bits = HASH_BITS.min(bytes.max(256).ilog2() - 2);
        Self {
            places: vec![[0; PLACES]; 1 << bits].into(),
            shift: u32::BITS - bits,
            record: usize::MAX,
        }
    }

    /// A match for what stands at `at`, if it is worth it.
    #[inline]
    pub(super) fn find(&mut self, window: &[u8], at: usize) -> Option<Match> {
        let next = word(window, at)?;
        let mut best = Best { found: Match { len: 0, distance: 0 }, gain: 0 };
        let begins_alike = |distance: usize| {
            let before = at.checked_sub(distance).and_then(|before| word(window, before));
            // The first three bytes.
            before.is_some_and(|before| (before ^ next) << 8 == 0)
        };
        for (distance, cost) in NEAR {
            if begins_alike(distance) {
                best.consider(window, at, distance, cost);
            }
        }
        if best.found.len < 4 * LONG && begins_alike(self.record) {
            best.consider(window, at, self.record, RECORD);
        }
        if best.found.len < LONG {
            let known = self.remember(next, at);
            for place in known.into_iter().filter(|place| *place > 0) {
                let distance = at - place as usize;
                let is_new = distance <= HISTORY && distance != self.record;
                if is_new && word(window, place as usize) == Some(next) {
                    best.consider(window, at, distance, ANYWHERE);
                }
            }
        }
        let found = best.found;
        if found.len == 0 {
            return None;
        }
        if found.len >= 8 && found.distance > 16 {
            self.record = found.distance;
        }
        for place in at + found.len - TAIL..at + found.len {
            if let Some(word) = word(window, place) {
                self.remember(word, place);
            }
        }
        Some(found)
    }

    /// Keeps a place, and tells those that were known of the same hash.
    #[inline]
    fn remember(&mut self, word: u32, at: usize) -> [u32; PLACES] {
        let hash = word.wrapping_mul(0x9E37_79B1) >> self.shift;
        let places = &mut self.places[hash as usize];
        let known = *places;
        places[1..].copy_from_slice(&known[..PLACES - 1]);
        places[0] = at as u32;
        known
    }

    /// The first bytes of the window are gone.
    pub(super) fn forget(&mut self, bytes: usize) {
        for place in self.places.as_flattened_mut() {
            *place = place.saturating_sub(bytes as u32);
        }
    }
}

#[inline]
fn word(window: &[u8], at: usize) -> Option<u32> {
    window.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// How many bytes from `at` on are those that stand `distance` before.
#[inline]
fn common(window: &[u8], at: usize, distance: usize) -> usize {
    let most = LONGEST.min(window.len() - at);
    let (next, before) = (&window[at..at + most], &window[at - distance..][..most]);
    let mut len = 0;
    while let (Some(a), Some(b)) = (next[len..].first_chunk(), before[len..].first_chunk()) {
        let different = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if different != 0 {
            return len + different.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + next[len..].iter().zip(&before[len..]).take_while(|(a, b)| a == b).count()
}
