//! Counting how often accesses of the same shape occur.

use ioglass_shm::{INLINE_WIDE, Kind, Loss, MoreWide, Wide, WideValues};

use crate::region;

/// Counts an access of so many bytes, with these lengths and strides. Four shapes have their place in
/// the record, 28 more in a table of their own; further ones are not counted, as in the reference.
#[inline]
pub(crate) fn add(
    values: &mut WideValues,
    more: &mut *mut MoreWide,
    hint: &mut u8,
    bytes: i64,
    shape: &[i64; 10],
) {
    let slot = usize::from(*hint) % INLINE_WIDE;
    if values.count[slot] != 0 && is(&values.value[slot], bytes, shape) {
        values.count[slot] += 1;
    } else {
        search(values, more, hint, bytes, shape);
    }
}

#[unsafe(link_section = ".text.hot")]
fn search(
    values: &mut WideValues,
    more: &mut *mut MoreWide,
    hint: &mut u8,
    bytes: i64,
    shape: &[i64; 10],
) {
    if let Some(slot) = count(&mut values.value, &mut values.count, bytes, shape) {
        *hint = slot as u8;
        return;
    }
    if more.is_null() {
        let taken = region::take_cell(Kind::MoreWide, |_: &mut MoreWide| {});
        let Some((table, offset)) = taken else { return region::count_loss(Loss::Values) };
        *more = table;
        values.more = offset;
    }
    // SAFETY: a cell of the region; the record's lock is held.
    let table = unsafe { &mut **more };
    count(&mut table.value, &mut table.count, bytes, shape);
}

/// Whether an access is this one; without a call, which comparing arrays would be.
#[inline]
fn is(value: &Wide, bytes: i64, shape: &[i64; 10]) -> bool {
    let differences = value[1..].iter().zip(shape).fold(0, |all, (a, b)| all | (a ^ b));
    value[0] == bytes && differences == 0
}

/// Counts an access in the slot that has it, or in the first free one; tells which.
fn count(values: &mut [Wide], counts: &mut [i64], bytes: i64, shape: &[i64; 10]) -> Option<usize> {
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
        let (mut more, mut hint) = (core::ptr::null_mut(), 0);
        for stride in [1, 2, 1, 3, 1] {
            let mut shape = [0; 10];
            shape[9] = stride;
            add(&mut values, &mut more, &mut hint, 800, &shape);
        }
        assert_eq!(values.count, [3, 1, 1, 0]);
        assert!(more.is_null());
    }
}
