//! Private memory that is never released: descriptions, files, tables.

use core::cell::UnsafeCell;
use core::ptr;

use crate::spin::Spin;
use crate::sys;

/// A static that is protected by the code around it.
#[repr(transparent)]
pub struct Shared<T>(UnsafeCell<T>);

// SAFETY: every user states how access is synchronised.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Its address.
    pub const fn get(&self) -> *mut T {
        self.0.get()
    }
}

/// Minimum number of bytes requested from the kernel at a time.
const BLOCK: usize = 64 << 10;

struct Block {
    next: *mut u8,
    left: usize,
}

static LOCK: Spin = Spin::new();
static CURRENT: Shared<Block> = Shared::new(Block { next: ptr::null_mut(), left: 0 });

/// Zeroed memory for a `T`, or null if the kernel has none.
pub fn take<T>() -> *mut T {
    const { assert!(align_of::<T>() <= 64 && size_of::<T>() <= BLOCK) };
    take_bytes(size_of::<T>().next_multiple_of(64)).cast()
}

#[cold] // objects are made once and reused
#[inline(never)]
fn take_bytes(size: usize) -> *mut u8 {
    LOCK.lock();
    // SAFETY: under the lock.
    let block = unsafe { &mut *CURRENT.get() };
    if block.left < size {
        match sys::map_private(BLOCK) {
            Ok(address) => *block = Block { next: address, left: BLOCK },
            Err(_) => {
                LOCK.unlock();
                return ptr::null_mut();
            }
        }
    }
    let taken = block.next;
    // SAFETY: stays inside the block.
    block.next = unsafe { taken.add(size) };
    block.left -= size;
    LOCK.unlock();
    taken
}

/// Resets the memory in a new process. No other thread holds the lock there, but one may have been
/// about to take memory, so the rest of the block is not used.
pub fn after_fork() {
    // SAFETY: called by one thread, before any other uses the recorder.
    unsafe { *CURRENT.get() = Block { next: ptr::null_mut(), left: 0 } };
    LOCK.unlock();
}
