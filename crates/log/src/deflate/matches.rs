//! Earlier occurrences of the bytes that come next.

use super::HISTORY;
use super::places::HashTable;

pub(super) const SHORTEST: usize = 3;
pub(super) const LONGEST: usize = 258;
/// Bytes that a window has behind those to be compressed: they can be read, so that many can be
/// compared at once, but count for nothing.
pub(super) const BEHIND: usize = 16;

/// Bits that a byte of a match saves, about, and bits that a byte costs that stands alone.
const BYTE: i32 = 6;
const ALONE: i32 = 11;
/// Bits of a match without those of its distance, if it is not farther than a record, and if it is:
/// most are one record back, so that such distances have short codes.
const WITHIN_RECORD: i32 = 6;
const ANYWHERE: i32 = 10;

/// Distances at which zeros, words and pairs of words repeat.
const NEAR: [usize; 5] = [1, 8, 16, 24, 32];
const NEAREST: usize = 32;
/// Bytes that are found by a hash of their own, and the most that are looked for by the first four.
const MANY: usize = 20;
const FEW: usize = 8;
/// A match so long is good enough.
const LONG: usize = 64;

/// Matches so long tell how large a record is; if so many in a row say otherwise, it has changed.
const TELLING: usize = 24;
const MISSES: u32 = 4;

/// Bytes that stood before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match {
    len: u16,
    distance: u16,
    /// Bits that it saves, about.
    gain: i32,
}

impl Match {
    pub(super) const NONE: Self = Self { len: 0, distance: 0, gain: 0 };

    #[inline]
    pub(super) fn is_none(self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(super) fn len(self) -> usize {
        self.len.into()
    }

    #[inline]
    pub(super) fn distance(self) -> usize {
        self.distance.into()
    }

    /// Returns true if a byte alone, followed by the match `next`, is better.
    #[inline]
    pub(super) fn is_worse_than(self, next: Self) -> bool {
        next.gain + BYTE - ALONE > self.gain
    }
}

/// Finds matches.
pub(super) struct Finder {
    /// Positions at which four bytes were seen, and at which many were.
    few: HashTable<2>,
    many: HashTable<1>,
    record: Record,
    /// The best match that was found so far, where one is looked for.
    best: Match,
}

impl Finder {
    /// For so many bytes or more.
    pub(super) fn new(bytes: usize) -> Self {
        let record = Record { size: HISTORY, told_by: 0, misses: 0 };
        Self { few: HashTable::new(bytes), many: HashTable::new(bytes), record, best: Match::NONE }
    }

    /// The best match for what stands at `at`, if any is worth it. To be asked once for a place, and
    /// in their order.
    #[inline]
    pub(super) fn find(&mut self, window: &[u8], at: usize) -> Match {
        self.best = Match::NONE;
        let Some(next) = four(window, at) else { return self.best };
        let from = at.wrapping_sub(NEAREST);
        let near: Option<&[u8; NEAREST + 4]> = bytes(window, from);
        for distance in NEAR {
            let before = match near {
                Some(near) => four(near, NEAREST - distance),
                // At the very beginning.
                None => four(window, at.wrapping_sub(distance)),
            };
            // Three bytes pay at such distances: segments of traces have many.
            if before.is_some_and(|before| (before ^ next) << 8 == 0) {
                self.consider(window, at, at - distance);
            }
        }
        if self.best.len() >= LONG {
            return self.best;
        }
        if four(window, at.wrapping_sub(self.record.size)) == Some(next) {
            self.consider(window, at, at - self.record.size);
        }
        if self.best.len() < FEW {
            for place in self.few.remember(next.into(), at).map(usize::from) {
                if four(window, place) == Some(next) {
                    self.consider(window, at, place);
                }
            }
        }
        // Where four bytes are new, so are many.
        if !self.best.is_none()
            && let Some(many) = bytes(window, at)
        {
            for place in self.many.remember(mixed(many), at).map(usize::from) {
                if four(window, place) == Some(next) {
                    self.consider(window, at, place);
                }
            }
        }
        self.best
    }

    /// Looks at a place where the first bytes are the same.
    #[inline]
    fn consider(&mut self, window: &[u8], at: usize, place: usize) {
        // To be better it must go on where the best so far ends: those that come first cost least.
        let end = self.best.len();
        if window.get(at + end) == window.get(place + end) {
            self.measure(window, at, place);
        }
    }

    // Not often, and what is done for each byte becomes shorter without it.
    #[inline(never)]
    fn measure(&mut self, window: &[u8], at: usize, place: usize) {
        let distance = at - place;
        if !(1..=HISTORY).contains(&distance) {
            return;
        }
        let most = LONGEST.min(window.len() - BEHIND - at);
        let len = common(&window[at..], &window[place..], most);
        let base = if distance <= self.record.size { WITHIN_RECORD } else { ANYWHERE };
        let gain = len as i32 * BYTE - base - distance.ilog2() as i32;
        if gain > self.best.gain && len >= SHORTEST {
            self.best = Match { len: len as u16, distance: distance as u16, gain };
        }
    }

    /// Returns true if a match costs so much that one from the next byte on may be better.
    #[inline]
    pub(super) fn may_be_worse(&self, found: Match) -> bool {
        found.distance() > self.record.size && found.len() < LONG
    }

    /// A match is used.
    #[inline]
    pub(super) fn learn(&mut self, found: Match) {
        self.record.learn(found.len(), found.distance());
    }

    /// The first bytes of the window are gone.
    pub(super) fn forget(&mut self, bytes: usize) {
        self.few.forget(bytes);
        self.many.forget(bytes);
    }
}

/// The likely size of a record.
struct Record {
    size: usize,
    /// The length of the longest match at this distance.
    told_by: usize,
    /// Long matches at other distances since there was one at this.
    misses: u32,
}

impl Record {
    #[inline]
    fn learn(&mut self, len: usize, distance: usize) {
        if distance == self.size {
            self.told_by = self.told_by.max(len);
            self.misses = 0;
        } else if len >= TELLING && distance > NEAREST {
            self.misses += 1;
            // What is as long one record back is often as long several records back.
            let tells = if distance < self.size { len } else { len / 2 };
            if tells >= self.told_by || self.misses > MISSES {
                *self = Self { size: distance, told_by: len, misses: 0 };
            }
        }
    }
}

/// Bytes at `at`, if they are there.
#[inline]
fn bytes<const N: usize>(window: &[u8], at: usize) -> Option<&[u8; N]> {
    // No window is that large, and one comparison is enough this way.
    let at = at as u32 as usize;
    window.get(at..at.wrapping_add(N))?.first_chunk()
}

#[inline]
fn four(window: &[u8], at: usize) -> Option<u32> {
    bytes(window, at).map(|four| u32::from_le_bytes(*four))
}

/// A number for many bytes.
#[inline]
fn mixed(many: &[u8; MANY]) -> u64 {
    let eight = |at: usize| many[at..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
    eight(0) ^ eight((MANY - 8) / 2).rotate_left(41) ^ eight(MANY - 8).rotate_left(20)
}

/// Number of bytes that are the same, of `most`. There are [`BEHIND`] more.
#[inline]
fn common(next: &[u8], before: &[u8], most: usize) -> usize {
    let (next, before) = (&next[..most + BEHIND], &before[..most + BEHIND]);
    let pairs = next.as_chunks::<BEHIND>().0.iter().zip(before.as_chunks::<BEHIND>().0);
    let mut len = 0;
    for (a, b) in pairs {
        if a != b {
            let different = u128::from_le_bytes(*a) ^ u128::from_le_bytes(*b);
            return most.min(len + different.trailing_zeros() as usize / 8);
        }
        len += BEHIND;
    }
    most
}
