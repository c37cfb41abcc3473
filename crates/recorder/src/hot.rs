//! What nearly every call looks at and hardly any changes. Where the linker puts single words is its own affair;
//! a call that comes after a library has worked through all of the cache would fetch a line for each of them.

use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};

/// All of it, in one line of the cache.
#[repr(C, align(64))]
pub(crate) struct Hot {
    /// The clock is the time-stamp counter.
    pub(crate) tsc: AtomicBool,
    /// Calls on descriptors are traced.
    pub(crate) tracing: AtomicBool,
    /// Those of MPI-IO are.
    pub(crate) tracing_mpiio: AtomicBool,
    /// Heat maps are kept.
    pub(crate) heat: AtomicBool,
    /// How often the process has left its capture.
    pub(crate) captures_left: AtomicU32,
    /// Raised in a child: cells of an older generation are the parent's.
    pub(crate) generation: AtomicU32,
    /// Times this process and its ancestors were forked; the position of older descriptions is shared.
    pub(crate) forks: AtomicU32,
    /// Bits of an address that are 0 in an aligned buffer.
    pub(crate) alignment_mask: AtomicUsize,
    /// The table of descriptors, once there is one.
    pub(crate) descriptors: AtomicPtr<AtomicUsize>,
    /// How often what threads remember of data spaces may have become false.
    pub(crate) spaces_changed: AtomicU32,
}

const _: () = assert!(size_of::<Hot>() == 64);

pub(crate) static HOT: Hot = Hot {
    tsc: AtomicBool::new(false),
    tracing: AtomicBool::new(false),
    tracing_mpiio: AtomicBool::new(false),
    heat: AtomicBool::new(false),
    captures_left: AtomicU32::new(0),
    generation: AtomicU32::new(0),
    forks: AtomicU32::new(0),
    alignment_mask: AtomicUsize::new(7),
    descriptors: AtomicPtr::new(ptr::null_mut()),
    spaces_changed: AtomicU32::new(0),
};
