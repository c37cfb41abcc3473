//! Words without those that are zero: a bit for each of 64, then the others.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Words that a mask tells of.
const GROUP: usize = u64::BITS as usize;
/// Groups of a record at most.
const GROUPS: usize = 4;

/// The words of a reduction; behind the last one others are zero.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Words {
    groups: Vec<[i64; GROUP]>,
    /// Those that may not be zero.
    used: Used,
}

/// Which words of each group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Used([u64; GROUPS]);

impl Words {
    /// So many, all zero.
    pub(super) fn zero(len: usize) -> Self {
        Self { groups: vec![[0; GROUP]; len.div_ceil(GROUP).min(GROUPS)], used: Used::default() }
    }

    pub(super) fn all(&self) -> &[i64] {
        self.groups.as_flattened()
    }

    /// To be changed; whoever makes words other than zero [marks](Self::mark) them.
    pub(super) fn all_mut(&mut self) -> &mut [i64] {
        self.groups.as_flattened_mut()
    }

    /// Notes which of the first `len` are not zero.
    pub(super) fn mark_all(&mut self, len: usize) {
        let all = &self.groups.as_flattened()[..len];
        for (mask, group) in self.used.0.iter_mut().zip(all.chunks(GROUP)) {
            let bits = group.iter().enumerate();
            *mask = bits.fold(0, |mask, (bit, word)| mask | u64::from(*word != 0) << bit);
        }
    }

    /// Notes that these may not be.
    pub(super) fn mark(&mut self, mut range: Range<usize>) {
        let masks = &mut self.used.0;
        range.all(|i| masks.get_mut(i / GROUP).map(|mask| *mask |= 1 << (i % GROUP)).is_some());
    }

    /// The same of all that may not be in others.
    pub(super) fn mark_as(&mut self, other: &Self) {
        self.used.0.iter_mut().zip(other.used.0).for_each(|(mask, other)| *mask |= other);
    }

    /// Calls `word` for all that may not be zero.
    pub(super) fn each_used(&mut self, mut word: impl FnMut(usize, &mut [i64])) {
        let masks = self.used.0;
        let all = self.all_mut();
        for (group, mask) in masks.into_iter().enumerate() {
            each_bit(mask, |bit| word(GROUP * group + bit, all));
        }
    }

    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        for (mask, group) in self.used.0.iter().zip(&self.groups) {
            let (mut packed, mut len) = ([[0; size_of::<i64>()]; GROUP], 0);
            each_bit(*mask, |bit| {
                packed[len % GROUP] = group[bit].to_le_bytes();
                len += 1;
            });
            bytes.extend_from_slice(&mask.to_le_bytes());
            bytes.extend_from_slice(packed[..len].as_flattened());
        }
    }

    /// Sets all words, off the front of `bytes`; `None` if that is not what they are.
    pub(super) fn decode(&mut self, bytes: &mut &[u8]) -> Option<()> {
        for (mask, group) in self.used.0.iter_mut().zip(&mut self.groups) {
            let before = core::mem::replace(mask, u64::from_le_bytes(*take(bytes)?));
            let (numbers, rest) = bytes.split_at_checked(len_of(*mask))?;
            let mut numbers = numbers.as_chunks().0.iter();
            // Mostly none: records of a module are alike.
            each_bit(before & !*mask, |bit| group[bit] = 0);
            each_bit(*mask, |bit| {
                group[bit] = numbers.next().map_or(0, |number| i64::from_le_bytes(*number));
            });
            *bytes = rest;
        }
        Some(())
    }

    /// How many bytes so many words take that are at the front of `bytes`.
    pub(super) fn encoded_len(words: usize, bytes: &[u8]) -> Option<usize> {
        let mut rest = bytes;
        for _ in 0..words.div_ceil(GROUP) {
            let mask = u64::from_le_bytes(*take(&mut rest)?);
            rest = rest.get(len_of(mask)..)?;
        }
        Some(bytes.len() - rest.len())
    }
}

/// Bytes of the words that a mask tells of.
fn len_of(mask: u64) -> usize {
    size_of::<u64>() * mask.count_ones() as usize
}

fn each_bit(mut mask: u64, mut bit: impl FnMut(usize)) {
    while mask != 0 {
        bit(mask.trailing_zeros() as usize % GROUP);
        mask &= mask - 1;
    }
}

fn take<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8; 8]> {
    let (word, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(word)
}
