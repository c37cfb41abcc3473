//! How much memory some work takes at most.

#![allow(unsafe_code, reason = "a global allocator cannot be had without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts by thread, because tests run side by side.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Bytes allocated and not freed, and the most there were.
    static LIVE: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

/// Runs `work`; the second value is the most memory it held at any time.
pub(crate) fn peak_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let (before, _) = LIVE.get();
    LIVE.set((before, before));
    let result = work();
    let (_, peak) = LIVE.get();
    (result, (peak - before).cast_unsigned() as u64)
}

fn count(change: isize) {
    // A thread that ends frees its last memory when it can no longer count.
    let _ = LIVE.try_with(|cell| {
        let (live, peak) = cell.get();
        cell.set((live + change, peak.max(live + change)));
    });
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller vouches.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller vouches.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: the caller vouches.
        unsafe { System.dealloc(pointer, layout) }
    }

    /// Large blocks move by remapping, so the old and the new one do not exist side by side.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size.cast_signed() - layout.size().cast_signed());
        // SAFETY: the caller vouches.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[test]
fn peaks_are_seen() {
    let (sum, peak) = peak_of(|| {
        let large = vec![1_u8; 10 << 20];
        let small = vec![1_u8; 1 << 20];
        large.len() + small.len()
    });
    assert_eq!(sum as u64, peak);
    let (_, peak) = peak_of(|| drop(vec![0_u8; 100]));
    assert_eq!(peak, 100);
}
