//! I/O of regions: every call that is booked in a record counts for the region of its thread, too.

use core::cell::Cell;
use core::hint::cold_path;

use ioglass_shm::{IoCounts, IoLayer};

use super::context::{self, Target};
use super::tree::Tree;
use crate::posix::Direction;
use crate::thread::{Guard, Thread};

/// Sums of the I/O of a thread in regions.
#[repr(C)]
pub(super) struct Sums {
    /// Bytes by [`Direction`], of descriptors and streams: what lies above them is in theirs.
    bytes: [Cell<u64>; 2],
    /// Time by [`IoLayer`].
    ticks: [Cell<u64>; IoLayer::COUNT],
}

/// The sums at a moment.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Moment {
    bytes: [u64; 2],
    ticks: [u64; IoLayer::COUNT],
}

impl Moment {
    /// Of no interest.
    pub(super) const NONE: Self = Self { bytes: [0; 2], ticks: [0; IoLayer::COUNT] };

    /// The moment after which there is less: without what there was between two others.
    pub(super) fn later(&self, begin: &Self, end: &Self) -> Self {
        let mut later = *self;
        for (own, (begin, end)) in later.bytes.iter_mut().zip(begin.bytes.iter().zip(&end.bytes)) {
            *own = own.wrapping_add(end.wrapping_sub(*begin));
        }
        for (own, (begin, end)) in later.ticks.iter_mut().zip(begin.ticks.iter().zip(&end.ticks)) {
            *own = own.wrapping_add(end.wrapping_sub(*begin));
        }
        later
    }
}

impl Sums {
    /// The sums now.
    #[inline]
    pub(super) fn now(&self) -> Moment {
        Moment {
            bytes: self.bytes.each_ref().map(Cell::get),
            ticks: self.ticks.each_ref().map(Cell::get),
        }
    }

    /// Bytes read, bytes written and ticks since a moment. What a layer does for the one above it is
    /// in the time of both, so the largest counts; streams are beside them.
    #[inline]
    pub(super) fn since(&self, begin: &Moment) -> [u64; 3] {
        let now = self.now();
        let bytes = |direction: Direction| {
            now.bytes[direction as usize].wrapping_sub(begin.bytes[direction as usize])
        };
        let ticks =
            |layer: IoLayer| now.ticks[layer as usize].wrapping_sub(begin.ticks[layer as usize]);
        let above = [IoLayer::Mpiio, IoLayer::Hdf5, IoLayer::Pnetcdf].map(ticks);
        let stack = above.into_iter().fold(ticks(IoLayer::Posix), u64::max);
        let all = stack.wrapping_add(ticks(IoLayer::Stdio));
        [bytes(Direction::Read), bytes(Direction::Write), all]
    }

    fn moved(&self, direction: Direction, bytes: u64) {
        let sum = &self.bytes[direction as usize];
        sum.set(sum.get().wrapping_add(bytes));
    }

    fn took(&self, layer: IoLayer, ticks: u64) {
        let sum = &self.ticks[layer as usize];
        sum.set(sum.get().wrapping_add(ticks));
    }
}

/// Counts a transfer of bytes; `ticks` is what it has added to the time of its record.
#[inline(always)]
pub(crate) fn moved(
    thread: &Thread,
    layer: IoLayer,
    record: u64,
    direction: Direction,
    bytes: i64,
    ticks: u64,
) {
    moved_often(thread, layer, record, direction, 1, bytes, ticks);
}

/// Counts several transfers.
#[inline(always)]
pub(crate) fn moved_often(
    thread: &Thread,
    layer: IoLayer,
    record: u64,
    direction: Direction,
    calls: u64,
    bytes: i64,
    ticks: u64,
) {
    if is_in_region(thread) {
        add_transfer(thread, (layer, record), direction, calls, bytes, ticks);
    }
}

#[cold]
#[inline(never)]
fn add_transfer(
    thread: &Thread,
    target: Target,
    direction: Direction,
    calls: u64,
    bytes: i64,
    ticks: u64,
) {
    let bytes = bytes.max(0) as u64;
    add(thread, target, |counts| match direction {
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
    // SAFETY: a thread in a region has a tree, which is never unmapped.
    if let Some(tree) = unsafe { thread.tree.get().as_ref() } {
        tree.io.took(target.0, ticks);
        if matches!(target.0, IoLayer::Posix | IoLayer::Stdio) {
            tree.io.moved(direction, bytes);
        }
    }
}

/// Counts an open.
#[inline(always)]
pub(crate) fn opened(thread: &Thread, layer: IoLayer, record: u64, ticks: u64) {
    if is_in_region(thread) {
        add_metadata(thread, (layer, record), 1, 0, ticks);
    }
}

/// Counts other calls whose time is time of metadata.
#[inline(always)]
pub(crate) fn other(thread: &Thread, layer: IoLayer, record: u64, calls: u64, ticks: u64) {
    if is_in_region(thread) {
        add_metadata(thread, (layer, record), 0, calls, ticks);
    }
}

#[cold]
#[inline(never)]
fn add_metadata(thread: &Thread, target: Target, opens: u64, other: u64, ticks: u64) {
    add(thread, target, |counts| {
        counts.opens += opens;
        counts.other += other;
        counts.metadata += ticks;
    });
    took(thread, target.0, ticks);
}

/// Counts time of writes that is not that of a write.
#[inline(always)]
pub(crate) fn flushed(thread: &Thread, layer: IoLayer, record: u64, ticks: u64) {
    if is_in_region(thread) {
        add_flush(thread, (layer, record), ticks);
    }
}

#[cold]
#[inline(never)]
fn add_flush(thread: &Thread, target: Target, ticks: u64) {
    add(thread, target, |counts| counts.write += ticks);
    took(thread, target.0, ticks);
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

/// Adds to the thread's time in I/O.
fn took(thread: &Thread, layer: IoLayer, ticks: u64) {
    // SAFETY: trees are never unmapped.
    if let Some(tree) = unsafe { thread.tree.get().as_ref() } {
        tree.io.took(layer, ticks);
    }
}

fn add(thread: &Thread, target: Target, change: impl FnOnce(&mut IoCounts)) {
    // SAFETY: nodes are never unmapped.
    let Some(node) = (unsafe { thread.region.get().as_ref() }) else { return };
    let io = context::cell(thread, node, target, super::stamp());
    // SAFETY: an entry of this capture that only this thread changes.
    if let Some(io) = unsafe { io.as_mut() } {
        change(&mut io.counts);
    }
}
