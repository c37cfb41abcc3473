//! Memory for writing the log: used by one thread, released as a whole.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr;

use ioglass_recorder::sys;

use super::turn;

/// The smallest block. Block sizes are powers of two; large ones also the quarters in between.
const SMALLEST: usize = 16;
const QUARTERED: usize = 4 * MOST_ALIGNED;
/// Alignment of blocks that are at least this large.
const MOST_ALIGNED: usize = 64;
const PAGE: usize = 4096;
/// Bytes of pages that are populated at a time.
const AT_ONCE: usize = 128 << 10;
const CLASSES: usize = 4 * usize::BITS as usize;

/// The unused memory, and freed blocks by class.
struct Heap {
    next: usize,
    end: usize,
    /// End of the populated pages.
    made: usize,
    /// True if the unused memory is all zero.
    is_clean: bool,
    free: [*mut Free; CLASSES],
    reserve: Reserve,
}

/// Memory that is mapped when the first memory is used up.
#[derive(Clone, Copy)]
pub(super) struct Reserve {
    /// Wanted size, then the fallback size.
    sizes: [usize; 2],
    mapped: Option<(*mut u8, usize)>,
}

/// A freed block begins with a link to the next one.
struct Free {
    next: *mut Free,
}

struct Allocator(UnsafeCell<Heap>);

// SAFETY: only the thread that writes the log allocates, between `begin` and `end`.
unsafe impl Sync for Allocator {}

#[global_allocator]
static ALLOCATOR: Allocator = Allocator(UnsafeCell::new(Heap::NONE));

/// Allocates from this memory from now on, then from the reserve.
///
/// # Safety
/// The memory belongs to nobody else, and no other thread allocates until [`end`].
pub(super) unsafe fn begin(memory: &mut [MaybeUninit<u8>], is_clean: bool, reserve: Reserve) {
    let Range { start, end } = memory.as_mut_ptr_range();
    // SAFETY: the caller vouches.
    unsafe {
        *ALLOCATOR.0.get() = Heap {
            next: start as usize,
            end: end as usize,
            made: end as usize,
            is_clean,
            reserve,
            ..Heap::NONE
        };
    }
}

/// Stops allocating, and returns the mapping of the reserve.
///
/// # Safety
/// Nothing that was allocated here is used, grown or freed any more.
pub(super) unsafe fn end() -> Option<(*mut u8, usize)> {
    // SAFETY: an empty heap.
    unsafe { core::mem::replace(&mut *ALLOCATOR.0.get(), Heap::NONE).reserve.mapped }
}

impl Reserve {
    const NONE: Self = Self::new([0; 2]);

    pub(super) const fn new(sizes: [usize; 2]) -> Self {
        Self { sizes, mapped: None }
    }
}

/// Size of the block for a layout.
fn block(layout: Layout) -> Option<usize> {
    if layout.align() > MOST_ALIGNED {
        return None;
    }
    let size = layout.size().max(layout.align()).max(SMALLEST);
    let power = size.checked_next_power_of_two()?;
    if power <= QUARTERED { Some(power) } else { Some(size.next_multiple_of(power / 8)) }
}

/// Size of the block to allocate for a layout; `None` also if the work is to end.
fn wanted(layout: Layout) -> Option<usize> {
    if turn::is_given_up() { None } else { block(layout) }
}

/// The class of blocks of one size.
fn class(block: usize) -> usize {
    let power = block.ilog2();
    let quarter = (block >> power.saturating_sub(2)) & 3;
    4 * power as usize + quarter
}

impl Heap {
    const NONE: Self = Self {
        next: 0,
        end: 0,
        made: 0,
        is_clean: true,
        free: [ptr::null_mut(); CLASSES],
        reserve: Reserve::NONE,
    };

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

    /// Extends the block that was allocated last, if this is it.
    fn extend_last(&mut self, pointer: *mut u8, old: usize, new: usize) -> bool {
        let start = pointer as usize;
        let is_last = start + old == self.next && new > old;
        match start.checked_add(new).filter(|end| is_last && *end <= self.end) {
            Some(end) => {
                self.next = end;
                self.make_pages();
                true
            }
            None => false,
        }
    }

    /// A block that was never used. Null if there is none.
    fn fresh(&mut self, size: usize) -> *mut u8 {
        let start = self.next.next_multiple_of(size.min(MOST_ALIGNED));
        match start.checked_add(size) {
            Some(end) if end <= self.end => {
                self.next = end;
                self.make_pages();
                start as *mut u8
            }
            _ if self.take_reserve() => self.fresh(size),
            _ => ptr::null_mut(),
        }
    }

    /// Populates pages up to the next block and some more: page by page takes several times as
    /// long, and large blocks are mostly not used whole.
    fn make_pages(&mut self) {
        if self.next > self.made {
            let until = self.next.saturating_add(AT_ONCE).next_multiple_of(PAGE).min(self.end);
            sys::wants_pages(self.made as *mut u8, until - self.made);
            self.made = until;
        }
    }

    /// Continues in the reserve, if there is one that was not used yet. The rest of the old memory
    /// stays unused.
    fn take_reserve(&mut self) -> bool {
        let Reserve { sizes, mapped } = &mut self.reserve;
        let wanted = core::mem::take(sizes).into_iter().filter(|size| *size > 0);
        let mut fitting =
            wanted.filter_map(|size| sys::map_private(size).ok().map(|memory| (memory, size)));
        let Some((memory, size)) = fitting.next() else { return false };
        *mapped = Some((memory, size));
        (self.next, self.end) = (memory as usize, memory as usize + size);
        (self.made, self.is_clean) = (self.next, true);
        true
    }
}

// SAFETY: blocks are at least as large and as aligned as requested, and belong to one owner.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(size) = wanted(layout) else { return ptr::null_mut() };
        // SAFETY: one thread at a time.
        let heap = unsafe { &mut *self.0.get() };
        heap.used(size).unwrap_or_else(|| heap.fresh(size))
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(size) = wanted(layout) else { return ptr::null_mut() };
        // SAFETY: one thread at a time; a block is as large as its size says.
        unsafe {
            let heap = &mut *self.0.get();
            let (taken, is_zero) = match heap.used(size) {
                Some(used) => (used, false),
                None => (heap.fresh(size), heap.is_clean),
            };
            if !is_zero && !taken.is_null() {
                taken.write_bytes(0, size);
            }
            taken
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
        // SAFETY: both blocks are large enough for what is kept, and the old one is nobody's any
        // more.
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
        // SAFETY: one thread at a time; the block has room for a link, and its owner no longer uses
        // it.
        unsafe {
            let heap = &mut *self.0.get();
            let free = &mut heap.free[class(size)];
            let freed = pointer.cast::<Free>();
            (*freed).next = *free;
            *free = freed;
        }
    }
}
