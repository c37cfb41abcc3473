//! Counts of distinct values.

use core::arch::asm;

use ioglass_shm::{INLINE_VALUES, Kind, Loss, MAX_VALUES, MORE_SLOTS, MoreValues, Values};

use crate::capture;

/// Counts `value`. Eight values fit in the record, 24 more in a separate table; further ones are
/// not counted, as in Darshan.
#[inline]
pub(crate) fn add(values: &mut Values, more: &mut *mut MoreValues, hint: &mut u8, value: i64) {
    let slot = usize::from(*hint) % INLINE_VALUES;
    if values.value[slot] == value && values.count[slot] != 0 {
        values.count[slot] += 1;
    } else {
        search(values, more, hint, value);
    }
}

#[unsafe(link_section = ".text.hot")]
fn search(values: &mut Values, more: &mut *mut MoreValues, hint: &mut u8, value: i64) {
    let mut slot = 0;
    while slot < INLINE_VALUES {
        let count = values.count[slot];
        if count == 0 || values.value[slot] == value {
            values.value[slot] = value;
            values.count[slot] = count + 1;
            *hint = slot as u8;
            return;
        }
        slot = unforeseen(slot + 1);
    }
    add_more(values, more, value);
}

/// The same number, hidden from the compiler: it would unroll a loop of known length to five cache
/// lines of code, which are seldom in the cache after a system call.
#[inline]
fn unforeseen(mut number: usize) -> usize {
    // SAFETY: does nothing.
    unsafe {
        asm!("/* {0} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags));
    }
    number
}

#[inline(never)]
fn add_more(values: &mut Values, more: &mut *mut MoreValues, value: i64) {
    if more.is_null() {
        let taken = capture::take_cell(Kind::MoreValues, |_: &mut MoreValues| {});
        let Some((table, offset)) = taken else {
            capture::count_loss(Loss::Values);
            return;
        };
        *more = table;
        values.more = offset;
    }
    // SAFETY: a cell of the capture; the record's lock is held.
    let table = unsafe { &mut **more };
    let mut slot = MoreValues::slot(value);
    while table.count[slot] != 0 {
        if table.value[slot] == value {
            table.count[slot] += 1;
            return;
        }
        slot = (slot + 1) % MORE_SLOTS;
    }
    if table.used as usize == MAX_VALUES - INLINE_VALUES {
        // Darshan ignores these too.
        return;
    }
    table.used += 1;
    table.value[slot] = value;
    table.count[slot] = 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_values_have_their_place() {
        let (mut values, mut more, mut hint) = (Values::default(), core::ptr::null_mut(), 0);
        for round in 0..3 {
            for value in 1..=8 {
                add(&mut values, &mut more, &mut hint, value * 100);
            }
            assert_eq!(values.count, [round + 1; 8]);
        }
        assert!(more.is_null());
    }
}
