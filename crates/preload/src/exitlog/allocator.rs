//! Memory for writing the log: one mapping, used by one thread, given back as a whole.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr;

/// The smallest block. Blocks are powers of two, larger ones also what lies at the quarters between.
const SMALLEST: usize = 16;
const QUARTERED: usize = 4 * MOST_ALIGNED;
/// Blocks lie at multiples of this, if they are as large.
const MOST_ALIGNED: usize = 64;
const CLASSES: usize = 4 * usize::BITS as usize;

/// What is left of the mapping, and freed blocks by class.
struct Heap {
    next: usize,
    end: usize,
    free: [*mut Free; CLASSES],
}

/// A block that was freed begins with where the next one is.
struct Free {
    next: *mut Free,
}

struct Allocator(UnsafeCell<Heap>);

// SAFETY: only the thread that writes the log allocates, between `begin` and `end`.
unsafe impl Sync for Allocator {}

#[global_allocator]
static ALLOCATOR: Allocator =
    Allocator(UnsafeCell::new(Heap { next: 0, end: 0, free: [ptr::null_mut(); CLASSES] }));

/// Hands out of this memory from now on.
///
/// # Safety
/// The memory is nobody else's, and no other thread allocates until [`end`].
pub(super) unsafe fn begin(memory: *mut u8, size: usize) {
    let next = memory as usize;
    // SAFETY: the caller vouches.
    unsafe {
        *ALLOCATOR.0.get() = Heap { next, end: next + size, free: [ptr::null_mut(); CLASSES] };
    }
}

/// Hands out nothing any more.
///
/// # Safety
/// Nothing that was handed out is used any more.
pub(super) unsafe fn end() {
    // SAFETY: an empty heap.
    unsafe { begin(ptr::null_mut(), 0) };
}

/// The size of the block that a layout gets.
fn block(layout: Layout) -> Option<usize> {
    if layout.align() > MOST_ALIGNED {
        return None;
    }
    let size = layout.size().max(layout.align()).max(SMALLEST);
    let power = size.checked_next_power_of_two()?;
    if power <= QUARTERED { Some(power) } else { Some(size.next_multiple_of(power / 8)) }
}

/// Blocks of one size are of one class.
fn class(block: usize) -> usize {
    let power = block.ilog2();
    let quarter = (block >> power.saturating_sub(2)) & 3;
    4 * power as usize + quarter
}

impl Heap {
    /// A block that was freed before.
    fn used(&mut self, size: usize) -> Option<*mut u8> {
        let free = &mut self.free[class(size)];
        let taken = *free;
        if taken.is_null() {
            return None;
        }
        // SAFETY: a freed block, which begins with a link.
        *free = unsafe { (*taken).next };
        Some(taken.cast())
    }

    /// Makes the block that was handed out last larger, if this is it.
    fn extend_last(&mut self, pointer: *mut u8, old: usize, new: usize) -> bool {
        let start = pointer as usize;
        let is_last = start + old == self.next && new > old;
        match start.checked_add(new).filter(|end| is_last && *end <= self.end) {
            Some(end) => {
                self.next = end;
                true
            }
            None => false,
        }
    }

    /// A block that nobody has touched: all zero. Null if there is none.
    fn fresh(&mut self, size: usize) -> *mut u8 {
        let start = self.next.next_multiple_of(size.min(MOST_ALIGNED));
        match start.checked_add(size) {
            Some(end) if end <= self.end => {
                self.next = end;
                start as *mut u8
            }
            _ => ptr::null_mut(),
        }
    }
}

// SAFETY: blocks are at least as large and as aligned as asked for, and belong to one owner.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(size) = block(layout) else { return ptr::null_mut() };
        // SAFETY: one thread at a time.
        let heap = unsafe { &mut *self.0.get() };
        heap.used(size).unwrap_or_else(|| heap.fresh(size))
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(size) = block(layout) else { return ptr::null_mut() };
        // SAFETY: one thread at a time; a block that was used is as large as its size says.
        unsafe {
            let heap = &mut *self.0.get();
            match heap.used(size) {
                Some(used) => {
                    used.write_bytes(0, size);
                    used
                }
                None => heap.fresh(size),
            }
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Ok(new) = Layout::from_size_align(new_size, layout.align()) else {
            return ptr::null_mut();
        };
        let (Some(old_block), Some(new_block)) = (block(layout), block(new)) else {
            return ptr::null_mut();
        };
        // SAFETY: one thread at a time.
        let heap = unsafe { &mut *self.0.get() };
        if old_block == new_block || heap.extend_last(pointer, old_block, new_block) {
            return pointer;
        }
        // SAFETY: both blocks are large enough for what is kept, and the old one is nobody's any more.
        unsafe {
            let moved = self.alloc(new);
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(pointer, layout.size().min(new_size));
                self.dealloc(pointer, layout);
            }
            moved
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let Some(size) = block(layout) else { return };
        // SAFETY: one thread at a time; the block is large enough for a link and its owner's no more.
        unsafe {
            let heap = &mut *self.0.get();
            let free = &mut heap.free[class(size)];
            let freed = pointer.cast::<Free>();
            (*freed).next = *free;
            *free = freed;
        }
    }
}
