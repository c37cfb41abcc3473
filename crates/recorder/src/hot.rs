//! Values that nearly every call reads and hardly any call changes. The linker would scatter single
//! statics; after a library call has flushed the cache, each of them would cost a cache line.

use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};

/// All of them, in one cache line.
#[repr(C, align(64))]
pub(crate) struct Hot {
    /// True if the clock is the time-stamp counter.
    pub(crate) tsc: AtomicBool,
    /// True if calls on descriptors are traced.
    pub(crate) tracing: AtomicBool,
    /// True if MPI-IO calls are traced.
    pub(crate) tracing_mpiio: AtomicBool,
    /// True if heat maps are kept.
    pub(crate) heat: AtomicBool,
    /// Number of times that the process has left its capture.
    pub(crate) captures_left: AtomicU32,
    /// Raised in a child: cells of an older generation belong to the parent.
    pub(crate) generation: AtomicU32,
    /// Number of forks of this process and its ancestors; the position of older descriptions is
    /// shared.
    pub(crate) forks: AtomicU32,
    /// Bits of an address that are 0 in an aligned buffer.
    pub(crate) alignment_mask: AtomicUsize,
    /// The table of descriptors, once there is one.
    pub(crate) descriptors: AtomicPtr<AtomicUsize>,
    /// Number of times that dataspaces remembered by threads may have become invalid.
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
