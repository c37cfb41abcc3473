//! Memory for the state of threads: taken at a thread's first call, given back at its end.
//!
//! The loader has little room for thread-local variables of a library that it loads late, so a thread
//! has only a pointer there. Signal handlers may take memory too, so nothing here locks.

use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};
use core::sync::atomic::{Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};

use crate::memory::Shared;
use crate::process;
use crate::sys;
use crate::thread::Thread;

/// Threads whose state needs no memory from the kernel.
const FIRST: usize = 16;
/// Threads of each block after that.
const BLOCK: usize = 32;
/// Most blocks.
const BLOCKS: usize = 4096;

/// The state of one thread, and its place among those that are free.
#[repr(C)]
pub(crate) struct Slot {
    pub(crate) thread: Thread,
    /// Number of this slot, from 1.
    number: AtomicU32,
    /// Number of the next free slot; 0 if there is none.
    next: AtomicU32,
}

/// All zero is a valid slot.
static SLOTS: Shared<MaybeUninit<[Slot; FIRST]>> = Shared::new(MaybeUninit::zeroed());
static MORE: [AtomicPtr<Slot>; BLOCKS] = [const { AtomicPtr::new(ptr::null_mut()) }; BLOCKS];
/// Slots that were ever taken.
static USED: AtomicU32 = AtomicU32::new(0);
/// Number of the first free slot in the lower half; in the upper half a count of changes, so that a
/// slot that was taken and given back meanwhile is noticed.
static FREE: AtomicU64 = AtomicU64::new(0);

/// A slot whose thread is new; `None` if there is no memory.
#[cold]
pub(crate) fn take() -> Option<&'static Slot> {
    take_free().or_else(take_unused)
}

/// Gives the slot of a thread back. The thread does not use it any more.
pub(crate) fn give_back(slot: &'static Slot) {
    let number = slot.number.load(Relaxed);
    // SAFETY: nobody else uses it, it is in writable memory, and all zero is a valid thread.
    unsafe { ptr::from_ref(&slot.thread).cast_mut().write_bytes(0, 1) };
    let mut first = FREE.load(Relaxed);
    loop {
        slot.next.store(first as u32, Relaxed);
        match FREE.compare_exchange_weak(first, changed(first, number), AcqRel, Relaxed) {
            Ok(_) => return,
            Err(other) => first = other,
        }
    }
}

/// The list of free slots after a change, with a new first one.
fn changed(list: u64, first: u32) -> u64 {
    ((list >> 32).wrapping_add(1) << 32) | u64::from(first)
}

fn take_free() -> Option<&'static Slot> {
    let mut first = FREE.load(Acquire);
    loop {
        let slot = at((first as u32).checked_sub(1)? as usize)?;
        let next = slot.next.load(Relaxed);
        match FREE.compare_exchange_weak(first, changed(first, next), AcqRel, Acquire) {
            Ok(_) => return Some(slot),
            Err(other) => first = other,
        }
    }
}

fn take_unused() -> Option<&'static Slot> {
    let index = USED.fetch_add(1, Relaxed);
    let Some(slot) = at(index as usize) else {
        USED.fetch_sub(1, Relaxed);
        return None;
    };
    slot.number.store(index + 1, Relaxed);
    Some(slot)
}

/// The slot at an index, in memory that is made if need be.
fn at(index: usize) -> Option<&'static Slot> {
    let first = SLOTS.get().cast::<Slot>();
    if index < FIRST {
        // SAFETY: inside the array. Slots are shared by their atomics; threads by their cells.
        return Some(unsafe { &*first.add(index) });
    }
    let place = MORE.get((index - FIRST) / BLOCK)?;
    let mut block = place.load(Acquire);
    if block.is_null() {
        block = make_block(place)?;
    }
    // SAFETY: inside the block, which is never unmapped; all zero is a valid slot.
    Some(unsafe { &*block.add((index - FIRST) % BLOCK) })
}

#[cold]
fn make_block(place: &AtomicPtr<Slot>) -> Option<*mut Slot> {
    if !process::may_call_kernel() {
        return None;
    }
    let size = size_of::<[Slot; BLOCK]>();
    let made = sys::map_private(size).ok()?.cast::<Slot>();
    match place.compare_exchange(ptr::null_mut(), made, AcqRel, Acquire) {
        Ok(_) => Some(made),
        Err(other) => {
            // SAFETY: a new mapping that nobody knows.
            unsafe { sys::unmap(made.cast(), size) };
            Some(other)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;
    use std::thread;

    use super::*;

    /// A slot is given to one thread at a time, and is new each time.
    #[test]
    fn slots_are_not_shared_and_used_again() {
        let taken = Mutex::new(BTreeSet::new());
        let work = || {
            for _ in 0..2000 {
                let slot = take().unwrap();
                let address = ptr::from_ref(slot) as usize;
                assert!(taken.lock().unwrap().insert(address), "taken twice");
                assert_eq!(slot.thread.tid.replace(1), 0);
                assert!(taken.lock().unwrap().remove(&address));
                give_back(slot);
            }
        };
        thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(work)));
        });
        let many: Vec<_> = (0..200).map(|_| take().unwrap()).collect();
        let different: BTreeSet<_> = many.iter().map(|slot| ptr::from_ref(*slot)).collect();
        assert_eq!(different.len(), many.len());
        many.into_iter().for_each(give_back);
        // Each of the tests' threads has one, and those that took the same at once took more.
        assert!(USED.load(Relaxed) < 400, "{}", USED.load(Relaxed));
    }
}
