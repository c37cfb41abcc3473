//! Memory for regions: private memory of the process and entries of its capture, up to a limit.

use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ioglass_shm::{Kind, RegionLoss};

use crate::memory::Shared;
use crate::spin::Spin;
use crate::{capture, process, sys};

/// Bytes requested from the kernel at a time.
const BLOCK: usize = 64 << 10;
/// Objects begin at multiples of this.
const ALIGN: usize = 64;

struct Block {
    next: *mut u8,
    left: usize,
}

static LOCK: Spin = Spin::new();
static CURRENT: Shared<Block> = Shared::new(Block { next: ptr::null_mut(), left: 0 });
/// Bytes that are taken.
static USED: AtomicU64 = AtomicU64::new(0);
/// Bytes that may be taken.
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// Losses before there is a capture.
static EARLY: [AtomicU64; RegionLoss::COUNT] = [const { AtomicU64::new(0) }; RegionLoss::COUNT];

/// The purpose of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Anything that can do without.
    Common,
    /// What is counted elsewhere, too, if there is no room: it takes at most half of the memory.
    Spare,
    /// A part of the region that takes the visits of all that found no room: a fifth of the memory is
    /// kept for these.
    Last,
}

/// Sets the limit.
pub(super) fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Relaxed);
}

/// Counts bytes that are about to be taken; returns false if they are too many.
fn allow(size: usize, purpose: Use) -> bool {
    let limit = LIMIT.load(Relaxed);
    let limit = match purpose {
        Use::Common => limit - limit / 5,
        Use::Spare => limit / 2,
        Use::Last => limit,
    };
    USED.fetch_add(size as u64, Relaxed) + size as u64 <= limit || {
        USED.fetch_sub(size as u64, Relaxed);
        false
    }
}

/// Zeroed private memory for a `T`.
pub(super) fn take<T>(purpose: Use) -> Option<*mut T> {
    const { assert!(align_of::<T>() <= ALIGN && size_of::<T>() <= BLOCK) };
    let size = size_of::<T>().next_multiple_of(ALIGN);
    if !allow(size, purpose) {
        return None;
    }
    LOCK.lock();
    // SAFETY: under the lock.
    let block = unsafe { &mut *CURRENT.get() };
    if block.left < size
        && process::may_call_kernel()
        && let Ok(address) = sys::map_private(BLOCK)
    {
        *block = Block { next: address, left: BLOCK };
    }
    let taken = (block.left >= size).then(|| {
        let taken = block.next;
        // SAFETY: stays inside the block.
        block.next = unsafe { taken.add(size) };
        block.left -= size;
        taken.cast()
    });
    LOCK.unlock();
    taken
}

/// Zeroed private memory of this many bytes, in pages of its own.
pub(super) fn take_pages(size: usize, purpose: Use) -> Option<*mut u8> {
    if !allow(size, purpose) {
        return None;
    }
    process::may_call_kernel().then(|| sys::map_private(size).ok()).flatten()
}

/// Returns pages to the kernel.
pub(super) fn give_pages(address: *mut u8, size: usize) {
    if process::may_call_kernel() && !address.is_null() {
        // SAFETY: pages that were taken here and that nobody uses any more.
        unsafe { sys::unmap(address, size) };
        USED.fetch_sub(size as u64, Relaxed);
    }
}

/// An entry of the capture for a `T`, complete.
pub(super) fn take_cell<T>(
    kind: Kind,
    purpose: Use,
    fill: impl FnOnce(&mut T),
) -> Option<(*mut T, u64)> {
    if !allow(size_of::<T>() + 8, purpose) {
        return None;
    }
    capture::take_cell(kind, fill)
}

/// An entry of the capture with this many bytes; the caller completes it.
pub(super) fn take_entry(size: usize, purpose: Use) -> Option<capture::Taken> {
    if !allow(size + 8, purpose) {
        return None;
    }
    capture::take(size)
}

/// Counts losses.
#[cold]
#[inline(never)] // keeps the callers small
pub(super) fn lose(loss: RegionLoss, count: u64) {
    match capture::header() {
        // SAFETY: a word of the mapping.
        Some(header) => unsafe {
            AtomicU64::from_ptr(&raw mut (*header).region_lost[loss as usize])
        },
        None => &EARLY[loss as usize],
    }
    .fetch_add(count, Relaxed);
}

/// The losses before there was a capture, for its header.
pub(crate) fn early_losses() -> [u64; RegionLoss::COUNT] {
    core::array::from_fn(|loss| EARLY[loss].swap(0, Relaxed))
}

/// In a child: no other thread holds the lock, but one may have been about to take memory.
pub(super) fn after_fork() {
    LOCK.unlock();
    // SAFETY: called by one thread, before any other uses regions.
    unsafe { *CURRENT.get() = Block { next: ptr::null_mut(), left: 0 } };
    USED.store(0, Relaxed);
    EARLY.iter().for_each(|loss| loss.store(0, Relaxed));
}
