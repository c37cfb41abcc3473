//! The memory in which a log is made: a stack, enough heap for a small log, and more if needed.

use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use ioglass_recorder::sys;

use super::allocator::{self, Reserve};

const STACK: usize = 1 << 20;
/// Bytes of the stack that are always used.
const USED_STACK: usize = 32 << 10;
const SMALL_HEAP: usize = 64 << 10;
const PAGE: usize = 4096;
const SIZE: usize = STACK + SMALL_HEAP;

/// The memory that was set aside.
static PREPARED: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C" {
    /// Begin of this library and end of its code, defined by the linker.
    static __ehdr_start: u8;
    static etext: u8;
}

/// Sets aside the memory for a small log. A rank does so when MPI begins: at the end of MPI all
/// ranks wait for each other, and memory may be short by then.
pub(crate) fn prepare() {
    if PREPARED.load(Relaxed).is_null()
        && let Some(memory) = Memory::map()
    {
        PREPARED.store(memory.base, Relaxed);
        map_code();
    }
}

/// Maps all pages of the library's code. A log is written once, so every page would fault; these
/// faults take a third of the time of a small log.
fn map_code() {
    let (begin, end) = (&raw const __ehdr_start, &raw const etext);
    sys::reads_pages(begin, (end as usize - begin as usize).next_multiple_of(PAGE));
}

/// Memory in use.
pub(super) struct Memory {
    base: *mut u8,
    is_prepared: bool,
}

impl Memory {
    fn map() -> Option<Self> {
        let base = sys::map_private(SIZE).ok()?;
        // Faulting pages one by one takes several times as long.
        sys::wants_pages(base.wrapping_add(STACK - USED_STACK), USED_STACK + SMALL_HEAP);
        Some(Self { base, is_prepared: false })
    }

    /// Opens the memory that was set aside, or new memory; from now on everything is allocated
    /// there.
    pub(super) fn open(reserve: Reserve) -> Option<Self> {
        let prepared = PREPARED.load(Relaxed);
        let memory = match prepared.is_null() {
            false => Self { base: prepared, is_prepared: true },
            true => Self::map()?,
        };
        // SAFETY: the mapping is as large, and one thread is here at a time.
        unsafe {
            let heap = memory.base.add(STACK).cast::<MaybeUninit<u8>>();
            // A child may find data that its parent has left.
            let is_clean = !memory.is_prepared;
            allocator::begin(slice::from_raw_parts_mut(heap, SMALL_HEAP), is_clean, reserve);
        }
        Some(memory)
    }

    pub(super) fn stack(&self) -> Range<*mut u8> {
        self.base..self.base.wrapping_add(STACK)
    }

    /// Releases memory that was not set aside; nothing that was made in it is used any more.
    pub(super) fn close(self) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            if let Some((memory, size)) = allocator::end() {
                sys::unmap(memory, size);
            }
            if !self.is_prepared {
                sys::unmap(self.base, SIZE);
            }
        }
    }

    /// Leaves everything as it is, permanently.
    pub(super) fn abandon(self) {
        // SAFETY: nothing more is allocated.
        let _ = unsafe { allocator::end() };
        PREPARED.store(ptr::null_mut(), Relaxed);
    }
}
