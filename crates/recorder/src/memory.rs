//! Private memory that is never given back: descriptions, files, tables.

use core::cell::UnsafeCell;
use core::ptr;

use crate::spin::Spin;
use crate::sys;

/// A static that the code around it protects.
#[repr(transparent)]
pub struct Shared<T>(UnsafeCell<T>);

// SAFETY: every user says how access is kept apart.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Where it is.
    pub const fn get(&self) -> *mut T {
        self.0.get()
    }
}

/// Bytes asked of the kernel at a time, at the least.
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

#[cold] // nothing is new for long
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

/// In a new process no other thread holds the lock; but one may have been about to take memory, so the
/// rest of the block is not to be trusted.
pub fn after_fork() {
    // SAFETY: called by one thread, before any other uses the recorder.
    unsafe { *CURRENT.get() = Block { next: ptr::null_mut(), left: 0 } };
    LOCK.unlock();
}
