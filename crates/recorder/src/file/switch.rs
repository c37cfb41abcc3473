//! Whether this process is recorded, also after a fork.

use core::sync::atomic::{
    AtomicBool, AtomicU32, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use super::pool;
use crate::hot::HOT;
use crate::{process, stdio, sys};

/// Wiped by the kernel in a forked child, which thereby notices that it is a child.
#[repr(C, align(4096))]
struct WipedOnFork {
    /// Entries in the table of descriptors; 0 while nothing is recorded.
    size: AtomicUsize,
    /// True once a thread has begun to continue the recording in this child.
    claimed: AtomicBool,
    /// The state of regions; 0 while nobody listens.
    regions: AtomicU32,
}

static WIPED: WipedOnFork = WipedOnFork {
    size: AtomicUsize::new(0),
    claimed: AtomicBool::new(false),
    regions: AtomicU32::new(0),
};
/// The value from which `WIPED` is restored.
static TABLE_SIZE: AtomicUsize = AtomicUsize::new(0);

/// Upper limit of the number of descriptors; resource limits may say billions.
const MAX_DESCRIPTORS: u64 = 1 << 24;

/// Number of entries in the table of descriptors; 0 while nothing is recorded.
#[inline]
pub(super) fn table_size() -> usize {
    WIPED.size.load(Acquire)
}

/// Returns true if recording is on after all: a forked child finds its pages wiped.
#[cold]
pub(super) fn wake() -> bool {
    // Another thread may have been faster.
    is_open_here() || process::wake() && is_open_here()
}

/// Makes the table, large enough for every descriptor this process can have.
pub fn start() -> bool {
    pool::start();
    let hard = sys::limit(libc::RLIMIT_NOFILE).map_or(1 << 20, |(_, hard)| hard);
    let sizes = [hard.clamp(1024, MAX_DESCRIPTORS) as usize, 1 << 16, 1 << 10];
    // A process that starts recording again has a table, which another thread may still be reading.
    for size in sizes.into_iter().filter(|_| HOT.descriptors.load(Relaxed).is_null()) {
        if let Ok(table) = sys::map_private(size * size_of::<usize>()) {
            TABLE_SIZE.store(size, Relaxed);
            HOT.descriptors.store(table.cast(), Relaxed);
            break;
        }
    }
    notices_forks() && !HOT.descriptors.load(Relaxed).is_null()
}

/// Asks the kernel to wipe what tells a child that it is one. Returns false if it does not.
pub(crate) fn notices_forks() -> bool {
    let page = &raw const WIPED as usize;
    let args = [page, size_of::<WipedOnFork>(), libc::MADV_WIPEONFORK as usize, 0, 0, 0];
    // SAFETY: our own page of zeroes.
    unsafe { sys::call(libc::SYS_madvise, args) }.is_ok()
}

/// The state of regions in this very process; 0 if nobody listens, or in a child that does not know
/// yet that it is one.
#[inline]
pub(crate) fn region_stamp() -> u32 {
    WIPED.regions.load(Relaxed)
}

/// Changes the state of regions.
pub(crate) fn set_region_stamp(stamp: u32) {
    WIPED.regions.store(stamp, Release);
}

/// Starts to record, or continues in a child.
pub fn open_table() {
    WIPED.size.store(TABLE_SIZE.load(Relaxed), Release);
}

/// Stops recording.
pub fn close_table() {
    WIPED.size.store(0, Relaxed);
}

/// Returns true for the first caller in a forked child, which continues the recording there.
pub fn is_first_in_child() -> bool {
    !WIPED.claimed.swap(true, Acquire)
}

/// Returns true if recording is on in this process.
#[inline]
pub fn is_open() -> bool {
    is_open_here() || wake()
}

/// Returns true if the table was opened in this very process.
#[inline]
pub fn is_open_here() -> bool {
    WIPED.size.load(Relaxed) != 0
}

/// Notes that another process is about to share the open descriptions.
pub fn shared_by_fork() {
    stdio::catch_up_all();
    HOT.forks.fetch_add(1, Relaxed);
}

/// Number of forks so far.
#[inline]
pub fn forks() -> u32 {
    HOT.forks.load(Relaxed)
}

/// Invalidates the cells of all files: they belong to the capture that was left.
pub(crate) fn begin_anew() {
    HOT.generation.fetch_add(1, Relaxed);
}

/// In a child: the parent's capture must not be touched any more.
pub fn after_fork() {
    pool::after_fork();
    HOT.forks.fetch_add(1, Relaxed);
    HOT.generation.fetch_add(1, Relaxed);
}

/// Number of this process, counted by forks.
#[inline]
pub(crate) fn generation() -> u32 {
    HOT.generation.load(Relaxed)
}
