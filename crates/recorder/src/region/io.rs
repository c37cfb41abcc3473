//! I/O of regions: every call that is booked in a record counts for the region of its thread, too.

use core::hint::cold_path;
use core::ptr;

use ioglass_shm::{IoCounts, IoLayer, Kind, RegionIo};

use super::room::{self, Use};
use super::tree::Tree;
use crate::posix::Direction;
use crate::thread::{Guard, Thread};

/// Counts a transfer of bytes; `ticks` is what it has added to the time of its record.
#[inline(always)]
pub(crate) fn moved(thread: &Thread, layer: IoLayer, direction: Direction, bytes: i64, ticks: u64) {
    moved_often(thread, layer, direction, 1, bytes, ticks);
}

/// Counts several transfers.
#[inline(always)]
pub(crate) fn moved_often(
    thread: &Thread,
    layer: IoLayer,
    direction: Direction,
    calls: u64,
    bytes: i64,
    ticks: u64,
) {
    if is_in_region(thread) {
        add_transfer(thread, layer, direction, calls, bytes, ticks);
    }
}

#[cold]
#[inline(never)]
fn add_transfer(
    thread: &Thread,
    layer: IoLayer,
    direction: Direction,
    calls: u64,
    bytes: i64,
    ticks: u64,
) {
    let bytes = bytes.max(0) as u64;
    add(thread, layer, |counts| match direction {
        Direction::Read => {
            counts.reads += calls;
            counts.bytes_read += bytes;
            counts.read += ticks;
        }
        Direction::Write => {
            counts.writes += calls;
            counts.bytes_written += bytes;
            counts.write += ticks;
        }
    });
    if matches!(layer, IoLayer::Posix | IoLayer::Stdio)
        // SAFETY: a thread in a region has a tree, which is never unmapped.
        && let Some(tree) = unsafe { thread.tree.get().as_ref() }
    {
        let sum = &tree.io[direction as usize];
        sum.set(sum.get().wrapping_add(bytes));
        tree.took(ticks);
    }
}

/// Counts an open.
#[inline(always)]
pub(crate) fn opened(thread: &Thread, layer: IoLayer, ticks: u64) {
    if is_in_region(thread) {
        add_metadata(thread, layer, 1, 0, ticks);
    }
}

/// Counts other calls whose time is time of metadata.
#[inline(always)]
pub(crate) fn other(thread: &Thread, layer: IoLayer, calls: u64, ticks: u64) {
    if is_in_region(thread) {
        add_metadata(thread, layer, 0, calls, ticks);
    }
}

#[cold]
#[inline(never)]
fn add_metadata(thread: &Thread, layer: IoLayer, opens: u64, other: u64, ticks: u64) {
    add(thread, layer, |counts| {
        counts.opens += opens;
        counts.other += other;
        counts.metadata += ticks;
    });
    took(thread, layer, ticks);
}

/// Counts time of writes that is not that of a write.
#[inline(always)]
pub(crate) fn flushed(thread: &Thread, layer: IoLayer, ticks: u64) {
    if is_in_region(thread) {
        add_flush(thread, layer, ticks);
    }
}

#[cold]
#[inline(never)]
fn add_flush(thread: &Thread, layer: IoLayer, ticks: u64) {
    add(thread, layer, |counts| counts.write += ticks);
    took(thread, layer, ticks);
}

/// Number of the region in which the thread is; 0 if it is in none.
#[inline(always)]
pub(crate) fn region(thread: &Thread) -> u32 {
    // SAFETY: nodes are never unmapped.
    match unsafe { thread.region.get().as_ref() } {
        None => 0,
        Some(node) if node.number == 0 => number_in_context(thread),
        Some(node) => node.number,
    }
}

/// The same for a thread that has counted nothing yet in the context of its process.
#[cold]
#[inline(never)]
fn number_in_context(thread: &Thread) -> u32 {
    let _guard = Guard::join();
    let stamp = super::stamp();
    if stamp == 0 || Tree::ready(thread, stamp).is_none() {
        return 0;
    }
    // SAFETY: nodes are never unmapped.
    unsafe { thread.region.get().as_ref() }.map_or(0, |node| node.number)
}

#[inline(always)]
fn is_in_region(thread: &Thread) -> bool {
    let is_in = !thread.region.get().is_null();
    if is_in {
        cold_path();
    }
    is_in
}

/// Adds to the sum of the thread's time in I/O. What lies above descriptors and streams is in theirs.
fn took(thread: &Thread, layer: IoLayer, ticks: u64) {
    if matches!(layer, IoLayer::Posix | IoLayer::Stdio)
        // SAFETY: trees are never unmapped.
        && let Some(tree) = unsafe { thread.tree.get().as_ref() }
    {
        tree.took(ticks);
    }
}

impl Tree {
    fn took(&self, ticks: u64) {
        self.io[2].set(self.io[2].get().wrapping_add(ticks));
    }
}

fn add(thread: &Thread, layer: IoLayer, change: impl FnOnce(&mut IoCounts)) {
    let stamp = super::stamp();
    // SAFETY: nodes are never unmapped.
    let Some(node) = (unsafe { thread.region.get().as_ref() }) else { return };
    let mut io = node.io[layer as usize].get();
    if io.is_null() || node.stamp.get() != stamp {
        io = make(thread, layer, stamp);
    }
    // SAFETY: an entry of this capture that only this thread changes.
    if let Some(io) = unsafe { io.as_mut() } {
        change(&mut io.counts);
    }
}

/// The entry of a region for a layer, made if there is none in this process. Null if there is no
/// room.
#[cold]
#[inline(never)]
fn make(thread: &Thread, layer: IoLayer, stamp: u32) -> *mut RegionIo {
    // Libraries that no signal handler may call are booked without a guard.
    let _guard = Guard::join();
    if stamp == 0 || Tree::ready(thread, stamp).is_none() {
        return ptr::null_mut();
    }
    // Only now the thread may be in the context of its process.
    // SAFETY: nodes are never unmapped.
    let node = unsafe { thread.region.get().as_ref() };
    let Some(node) = node.filter(|node| node.is_ready(stamp)) else { return ptr::null_mut() };
    let place = &node.io[layer as usize];
    if place.get().is_null() {
        let (region, execution) = (node.number, node.execution());
        let taken = room::take_cell(Kind::RegionIo, Use::Last, |io: &mut RegionIo| {
            (io.region, io.execution, io.layer) = (region, execution, layer as u64);
        });
        place.set(taken.map_or(ptr::null_mut(), |(io, _)| io));
    }
    place.get()
}
