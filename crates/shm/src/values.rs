//! Counts of distinct values: access sizes and strides.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::pod::pod;

/// Distinct values kept in a record itself.
pub const INLINE_VALUES: usize = 8;
/// Distinct values counted in all, as in Darshan.
pub const MAX_VALUES: usize = 32;
/// Slots of the table for further values; a power of two, never more than half full.
pub const MORE_SLOTS: usize = 64;

/// Values and counts; a count of 0 is a free slot.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Values {
    /// The values.
    pub value: [i64; INLINE_VALUES],
    /// Their counts.
    pub count: [i64; INLINE_VALUES],
    /// Offset in the capture of the [`MoreValues`] with further values; 0 if there is none.
    pub more: u64,
}

/// Hash table of values that do not fit in a record.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct MoreValues {
    /// The values.
    pub value: [i64; MORE_SLOTS],
    /// Their counts; 0 is a free slot.
    pub count: [i64; MORE_SLOTS],
    /// Slots in use.
    pub used: u64,
}

impl MoreValues {
    /// First slot to search for `value`.
    pub fn slot(value: i64) -> usize {
        // The multiplier of Fibonacci hashing; its top bits depend on all bits of the value.
        ((value as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize
    }
}

/// An access with its dimensions: bytes, five lengths, five strides.
pub type Wide = [i64; 11];
/// Distinct accesses kept in a record itself.
pub const INLINE_WIDE: usize = 4;

/// Accesses and counts; a count of 0 is a free slot.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct WideValues {
    /// The accesses.
    pub value: [Wide; INLINE_WIDE],
    /// Their counts.
    pub count: [i64; INLINE_WIDE],
    /// Offset in the capture of the [`MoreWide`] with further accesses; 0 if there is none.
    pub more: u64,
}

/// Accesses that do not fit in a record, in the order in which they came.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct MoreWide {
    /// The accesses.
    pub value: [Wide; MAX_VALUES - INLINE_WIDE],
    /// Their counts; 0 is a free slot.
    pub count: [i64; MAX_VALUES - INLINE_WIDE],
}

pod! {
    Values: 136;
    MoreValues: 1032;
    WideValues: 12 * 8 * INLINE_WIDE + 8;
    MoreWide: 12 * 8 * (MAX_VALUES - INLINE_WIDE);
}
