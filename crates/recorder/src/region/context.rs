//! The context of calls: the region in which they are made.
//!
//! Calls from one region, on one record, through one layer share a cell. A region knows the cell
//! that it used last for each layer; the others are in a table of the thread.

use core::cell::Cell;
use core::ptr;

use ioglass_shm::{IoLayer, Kind, RegionIo};

use super::room::{self, Use};
use super::tree::{Node, Tree};
use crate::thread::{Guard, Thread};

/// The layer and the record of a call.
pub(super) type Target = (IoLayer, u64);

const FIRST_SLOTS: usize = 64;

/// The cells of a thread. It is part of its tree; all zero is empty.
pub(super) struct Contexts {
    /// Slots; null is a free one.
    table: Cell<*mut *mut RegionIo>,
    slots: Cell<usize>,
    used: Cell<usize>,
    /// The process, counted by forks, whose capture has the cells, plus 1.
    generation: Cell<u32>,
}

/// The cell for calls from a region; null if there is no room.
#[inline]
pub(super) fn cell(thread: &Thread, node: &Node, target: Target, stamp: u32) -> *mut RegionIo {
    let last = node.io[target.0 as usize].get();
    // SAFETY: in this state of the process it is null or an entry of its capture.
    let is_it = || unsafe { last.as_ref() }.is_some_and(|io| io.record == target.1);
    match node.stamp.get() == stamp && is_it() {
        true => last,
        false => find_or_make(thread, target, stamp),
    }
}

#[cold]
#[inline(never)]
fn find_or_make(thread: &Thread, target: Target, stamp: u32) -> *mut RegionIo {
    // Libraries that no signal handler may call are booked without a guard.
    let _guard = Guard::join();
    if stamp == 0 {
        return ptr::null_mut();
    }
    let Some(tree) = Tree::ready(thread, stamp) else { return ptr::null_mut() };
    // Only now the thread may be in the origin of its process.
    // SAFETY: nodes are never unmapped.
    let node = unsafe { thread.region.get().as_ref() };
    let Some(node) = node.filter(|node| node.is_ready(stamp)) else { return ptr::null_mut() };
    let contexts = &tree.contexts;
    let known = contexts.find(node, target);
    let cell = known.or_else(|| contexts.make(node, target));
    if let Some(cell) = cell {
        node.io[target.0 as usize].set(cell);
        return cell;
    }
    // What finds no room counts for the region without a file.
    let rest = &node.rest[target.0 as usize];
    if rest.get().is_null() {
        rest.set(take(node, (target.0, 0), Use::Last).unwrap_or(ptr::null_mut()));
    }
    rest.get()
}

fn take(node: &Node, (layer, record): Target, purpose: Use) -> Option<*mut RegionIo> {
    let (region, execution) = (node.number, node.execution());
    let taken = room::take_cell(Kind::RegionIo, purpose, |io: &mut RegionIo| {
        (io.region, io.execution, io.layer, io.record) = (region, execution, layer as u64, record);
    });
    taken.map(|(cell, _)| cell)
}

impl Contexts {
    fn find(&self, node: &Node, (layer, record): Target) -> Option<*mut RegionIo> {
        let generation = super::generation() + 1;
        if self.generation.replace(generation) != generation {
            self.clear();
        }
        let slots = self.slots.get();
        if slots == 0 {
            return None;
        }
        let (region, execution) = (node.number, node.execution());
        let mut at = hash(region, layer as u64, record);
        loop {
            // SAFETY: inside the table, which has free slots; cells are entries of a capture.
            let (cell, known) = unsafe {
                let cell = *self.table.get().add(at & (slots - 1));
                (cell, cell.as_ref()?)
            };
            let is_it = (known.region, known.execution) == (region, execution)
                && (known.layer, known.record) == (layer as u64, record);
            if is_it {
                return Some(cell);
            }
            at += 1;
        }
    }

    #[cold]
    fn make(&self, node: &Node, target: Target) -> Option<*mut RegionIo> {
        if !self.has_room() {
            return None;
        }
        let cell = take(node, target, Use::Spare)?;
        self.place(cell);
        Some(cell)
    }

    /// Makes sure that there is room for one more slot. Returns false if there is none.
    fn has_room(&self) -> bool {
        let slots = self.slots.get();
        if (self.used.get() + 1) * 4 <= slots * 3 {
            return true;
        }
        let more = (slots * 2).max(FIRST_SLOTS);
        let size = more * size_of::<*mut RegionIo>();
        let Some(table) = room::take_pages(size, Use::Spare) else { return false };
        let old = self.table.replace(table.cast());
        self.slots.set(more);
        self.used.set(0);
        for at in 0..slots {
            // SAFETY: inside the old table.
            let cell = unsafe { *old.add(at) };
            if !cell.is_null() {
                self.place(cell);
            }
        }
        room::give_pages(old.cast(), slots * size_of::<*mut RegionIo>());
        true
    }

    fn place(&self, cell: *mut RegionIo) {
        // SAFETY: an entry of this capture.
        let io = unsafe { &*cell };
        let mut at = hash(io.region, io.layer, io.record);
        // SAFETY: inside the table, which has free slots.
        unsafe {
            while !(*self.table.get().add(at & (self.slots.get() - 1))).is_null() {
                at += 1;
            }
            *self.table.get().add(at & (self.slots.get() - 1)) = cell;
        }
        self.used.set(self.used.get() + 1);
    }

    /// Forgets all cells: they are those of the parent.
    fn clear(&self) {
        if self.used.replace(0) > 0 {
            // SAFETY: the whole table, which is this thread's own.
            unsafe { ptr::write_bytes(self.table.get(), 0, self.slots.get()) };
        }
    }
}

fn hash(region: u32, layer: u64, record: u64) -> usize {
    let mixed = (record ^ layer << 32 ^ u64::from(region)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 32) as usize
}
