//! Room for paths, which the program's stack may not have.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::path::{PATH_MAX, PathBuffer};
use crate::{process, sys};

/// Threads that can ask a file system for names at the same time.
const PLACES: usize = 8;
/// Times a thread lets others run before it does without.
const PATIENCE: u32 = 2000;

/// Two long paths.
pub(crate) struct Scratch {
    /// One that is put together.
    pub(crate) path: PathBuffer,
    /// One that the kernel fills.
    pub(crate) link: [u8; PATH_MAX],
}

struct Place {
    taken: AtomicBool,
    scratch: UnsafeCell<Scratch>,
}

// SAFETY: whoever has set `taken` has it alone.
unsafe impl Sync for Place {}

impl Place {
    /// Takes it, if it is free.
    #[inline]
    fn take(&self) -> bool {
        self.taken.compare_exchange(false, true, Acquire, Relaxed).is_ok()
    }
}

static POOL: [Place; PLACES] = [const {
    Place {
        taken: AtomicBool::new(false),
        scratch: UnsafeCell::new(Scratch { path: PathBuffer::new(), link: [0; PATH_MAX] }),
    }
}; PLACES];

/// A scratch of one's own, given back when it goes.
pub(crate) struct Borrowed(&'static Place);

/// A free scratch. A file system may keep others waiting for long; then there is none.
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
