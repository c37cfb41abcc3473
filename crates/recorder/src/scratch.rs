//! Buffers for paths, which may not fit on the program's stack.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::path::{PATH_MAX, PathBuffer};
use crate::{process, sys};

/// Number of threads that can query a file system for names at the same time.
const SLOTS: usize = 8;
/// Number of times that a thread yields before it gives up.
const PATIENCE: u32 = 2000;

/// Buffers for two long paths.
pub(crate) struct Scratch {
    /// A path that is composed here.
    pub(crate) path: PathBuffer,
    /// A path that the kernel writes.
    pub(crate) link: [u8; PATH_MAX],
}

struct ScratchSlot {
    taken: AtomicBool,
    scratch: UnsafeCell<Scratch>,
}

// SAFETY: the thread that has set `taken` has exclusive access.
unsafe impl Sync for ScratchSlot {}

impl ScratchSlot {
    /// Takes it, if it is free.
    #[inline]
    fn take(&self) -> bool {
        self.taken.compare_exchange(false, true, Acquire, Relaxed).is_ok()
    }
}

static POOL: [ScratchSlot; SLOTS] = [const {
    ScratchSlot {
        taken: AtomicBool::new(false),
        scratch: UnsafeCell::new(Scratch { path: PathBuffer::new(), link: [0; PATH_MAX] }),
    }
}; SLOTS];

/// Exclusive use of a scratch, released on drop.
pub(crate) struct Borrowed(&'static ScratchSlot);

/// A free scratch. A slow file system may keep all of them in use; then there is none.
#[inline]
pub(crate) fn borrow() -> Option<Borrowed> {
    if POOL[0].take() { Some(Borrowed(&POOL[0])) } else { wait_for_another() }
}

#[cold]
fn wait_for_another() -> Option<Borrowed> {
    for _ in 0..PATIENCE {
        if let Some(place) = POOL.iter().find(|place| place.take()) {
            return Some(Borrowed(place));
        }
        if process::may_call_kernel() {
            sys::yield_now();
        }
    }
    None
}

impl Deref for Borrowed {
    type Target = Scratch;

    fn deref(&self) -> &Scratch {
        // SAFETY: taken by us.
        unsafe { &*self.0.scratch.get() }
    }
}

impl DerefMut for Borrowed {
    fn deref_mut(&mut self) -> &mut Scratch {
        // SAFETY: taken by us.
        unsafe { &mut *self.0.scratch.get() }
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.0.taken.store(false, Release);
    }
}

/// In a child, where the other threads are gone.
pub(crate) fn after_fork() {
    for place in &POOL {
        place.taken.store(false, Relaxed);
    }
}
