//! Counts of accesses of the same shape.

use ioglass_shm::{INLINE_WIDE, Kind, Loss, MoreWide, Wide, WideValues};

use crate::capture;
use crate::size;
use crate::thread::Guard;

/// Lengths and strides of an access.
type AccessShape = [i64; 10];

/// The last access that has a slot in the record.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LastAccess {
    /// Its slot.
    slot: u8,
    /// Its size class.
    class: u8,
}

impl LastAccess {
    pub(crate) const NONE: Self = Self { slot: 0, class: 0 };
}

/// Counts an access of `bytes`, with these lengths and strides, and returns its size class. Four
/// shapes fit in the record, 28 more in a separate table; further ones are not counted, as in
/// Darshan.
#[inline]
pub(crate) fn add(
    values: &mut WideValues,
    more: &mut *mut MoreWide,
    last: &mut LastAccess,
    bytes: i64,
    shape: &AccessShape,
) -> usize {
    let slot = usize::from(last.slot) % INLINE_WIDE;
    if values.count[slot] != 0 && is(&values.value[slot], bytes, shape) {
        values.count[slot] += 1;
        usize::from(last.class)
    } else {
        search(values, more, last, bytes, shape)
    }
}

#[inline(never)] // most accesses are like the one before
#[unsafe(link_section = ".text.hot")]
fn search(
    values: &mut WideValues,
    more: &mut *mut MoreWide,
    last: &mut LastAccess,
    bytes: i64,
    shape: &AccessShape,
) -> usize {
    let class = size::class(bytes);
    if bytes <= 0 {
        return class;
    }
    if let Some(slot) = count(&mut values.value, &mut values.count, bytes, shape) {
        *last = LastAccess { slot: slot as u8, class: class as u8 };
        return class;
    }
    if more.is_null() {
        let _guard = Guard::join();
        let taken = capture::take_cell(Kind::MoreWide, |_: &mut MoreWide| {});
        let Some((table, offset)) = taken else {
            capture::count_loss(Loss::Values);
            return class;
        };
        *more = table;
        values.more = offset;
    }
    // SAFETY: a cell of the capture; the record's lock is held.
    let table = unsafe { &mut **more };
    count(&mut table.value, &mut table.count, bytes, shape);
    class
}

/// Returns true if an access is this one.
#[inline]
fn is(value: &Wide, bytes: i64, shape: &AccessShape) -> bool {
    let [its_bytes, its_shape @ ..] = value;
    *its_bytes == bytes && is_same(its_shape, shape)
}

/// Returns true if two shapes are equal. An array comparison would be a call; this takes half the
/// instructions of comparing words.
#[inline]
fn is_same(a: &AccessShape, b: &AccessShape) -> bool {
    use core::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_epi8,
    };
    let pair = |of: &AccessShape, number: usize| {
        // SAFETY: two of the words; every x86-64 processor can load them at any address.
        unsafe { _mm_loadu_si128(of.as_ptr().add(2 * number).cast::<__m128i>()) }
    };
    // SAFETY: every x86-64 processor has these.
    unsafe {
        let mut equal = _mm_cmpeq_epi32(pair(a, 0), pair(b, 0));
        for number in 1..a.len() / 2 {
            equal = _mm_and_si128(equal, _mm_cmpeq_epi32(pair(a, number), pair(b, number)));
        }
        _mm_movemask_epi8(equal) == 0xFFFF
    }
}

/// Counts an access in the slot that has it, or in the first free one; returns the slot.
fn count(
    values: &mut [Wide],
    counts: &mut [i64],
    bytes: i64,
    shape: &AccessShape,
) -> Option<usize> {
    let mut slots = values.iter().zip(counts.iter());
    let slot = slots.position(|(value, count)| *count == 0 || is(value, bytes, shape))?;
    values[slot][0] = bytes;
    values[slot][1..].copy_from_slice(shape);
    counts[slot] += 1;
    Some(slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_compared_whole() {
        let mut values =
            WideValues { value: [[0; 11]; INLINE_WIDE], count: [0; INLINE_WIDE], more: 0 };
        let (mut more, mut last) = (core::ptr::null_mut(), LastAccess::NONE);
        let mut add = |bytes, shape| add(&mut values, &mut more, &mut last, bytes, &shape);
        for (bytes, class) in [(800, 1), (80, 0), (800, 1), (800, 1), (0, 0), (-1, 0)] {
            assert_eq!(add(bytes, [0; 10]), class);
        }
        // They differ in the upper half of a word.
        for stride in [1, 1 + (1 << 32), 1] {
            let mut shape = [0; 10];
            shape[9] = stride;
            assert_eq!(add(800, shape), 1);
        }
        assert_eq!(values.count, [3, 1, 2, 1]);
        assert!(more.is_null());
    }
}
