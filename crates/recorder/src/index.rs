//! A table from hashes to objects that are never freed, read without a lock.
//!
//! Keys are 64-bit hashes: record ids, and hashes of path strings as given by the program.

use core::hint::cold_path;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::{process, sys};

const FIRST_SLOTS: usize = 256;

struct IndexSlot<T> {
    /// 0 is a free slot.
    key: AtomicU64,
    value: AtomicPtr<T>,
}

struct IndexTable<T> {
    mask: usize,
    used: AtomicUsize,
    slots: [IndexSlot<T>; 0],
}

impl<T: 'static> IndexTable<T> {
    fn slot(table: *const Self, index: usize) -> &'static IndexSlot<T> {
        // SAFETY: tables are never unmapped, have `mask + 1` slots behind them, and the mask is
        // applied here.
        unsafe { &*(&raw const (*table).slots).cast::<IndexSlot<T>>().add(index & (*table).mask) }
    }

    /// A table with so many slots. `None` if there is no memory, or the kernel must not be asked.
    fn new(slots: usize) -> Option<*mut Self> {
        if !process::may_call_kernel() {
            return None;
        }
        let size = size_of::<Self>() + slots * size_of::<IndexSlot<T>>();
        let table = sys::map_private(size).ok()?.cast::<Self>();
        // SAFETY: a new mapping.
        unsafe { (*table).mask = slots - 1 };
        Some(table)
    }

    fn place(table: *mut Self, key: u64, value: *mut T) {
        let mut index = key as usize;
        loop {
            let slot = Self::slot(table, index);
            let found = slot.key.load(Relaxed);
            if found == key {
                return slot.value.store(value, Relaxed);
            }
            if found == 0 {
                slot.value.store(value, Relaxed);
                slot.key.store(key, Release);
                // SAFETY: tables are never unmapped.
                unsafe { (*table).used.fetch_add(1, Relaxed) };
                return;
            }
            index += 1;
        }
    }
}

/// A key for the table. Ids are good hashes already; 0 is reserved for free slots.
fn tidy(key: u64) -> u64 {
    key.max(1)
}

/// The table.
pub(crate) struct Index<T> {
    table: AtomicPtr<IndexTable<T>>,
}

impl<T: 'static> Index<T> {
    pub(crate) const fn new() -> Self {
        Self { table: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The value with this key.
    #[inline]
    pub(crate) fn find(&self, key: u64) -> Option<*mut T> {
        let key = tidy(key);
        let table = self.table.load(Acquire);
        if table.is_null() {
            return None;
        }
        let mut index = key as usize;
        loop {
            let slot = IndexTable::slot(table, index);
            match slot.key.load(Acquire) {
                0 => return None,
                found if found == key => return Some(slot.value.load(Relaxed)),
                _ => {
                    cold_path();
                    index += 1;
                }
            }
        }
    }

    /// Adds a value under a key. The caller makes sure that no other thread does so.
    pub(crate) fn insert(&self, key: u64, value: *mut T) {
        let mut table = self.table.load(Relaxed);
        let (used, room) = if table.is_null() {
            (0, 0)
        } else {
            // SAFETY: tables are never unmapped.
            unsafe { ((*table).used.load(Relaxed), (*table).mask + 1) }
        };
        // The table grows when three quarters are full. If it cannot, one slot stays free, where
        // searches end.
        if used * 4 >= room * 3 {
            match IndexTable::new((room * 2).max(FIRST_SLOTS)) {
                Some(larger) => {
                    for index in 0..room {
                        let slot = IndexTable::slot(table, index);
                        let key = slot.key.load(Relaxed);
                        if key != 0 {
                            IndexTable::place(larger, key, slot.value.load(Relaxed));
                        }
                    }
                    table = larger;
                    self.table.store(table, Release);
                }
                None if used + 1 < room => {}
                None => return,
            }
        }
        IndexTable::place(table, tidy(key), value);
    }
}
