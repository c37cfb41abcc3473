//! Spans: what begins and ends anywhere, in any order and any thread.

use core::ptr;

use ioglass_shm::{NoticeCode, RegionLoss};

use super::names::Id;
use super::notice;
use super::room::{self, Use};
use super::tree::{Node, Place, Tree};
use crate::clock;
use crate::memory::Shared;
use crate::spin::Spin;
use crate::thread::Thread;

/// Bits of the slot in the number of a span.
const SLOT_BITS: u32 = 20;
/// Spans in a piece of the pool.
const PIECE: usize = 256;
const PIECES: usize = (1 << SLOT_BITS) / PIECE;

/// A span, or a free slot.
#[repr(C)]
struct Slot {
    /// Its number; 0 is a free slot.
    id: u64,
    node: *const Node,
    begin: u64,
    /// The process in which it began, plus 1.
    generation: u32,
    /// The next free slot plus 1.
    next_free: u32,
}

#[repr(C)]
struct Piece([Slot; PIECE]);

struct Pool {
    pieces: [*mut Piece; PIECES],
    used: u32,
    /// The first free slot plus 1.
    free: u32,
    /// Spans so far.
    count: u64,
}

/// Protected by the lock, as are the cells of spans.
static POOL: Shared<Pool> =
    Shared::new(Pool { pieces: [ptr::null_mut(); PIECES], used: 0, free: 0, count: 0 });
static LOCK: Spin = Spin::new();

impl Pool {
    fn slot(&mut self, at: u32) -> Option<&mut Slot> {
        let piece = *self.pieces.get(at as usize / PIECE)?;
        // SAFETY: pieces are never unmapped, and the pool is locked.
        unsafe { piece.as_mut() }.map(|piece| &mut piece.0[at as usize % PIECE])
    }

    fn take(&mut self) -> Option<u32> {
        if let Some(at) = self.free.checked_sub(1) {
            self.free = self.slot(at)?.next_free;
            return Some(at);
        }
        let at = self.used;
        let piece = self.pieces.get_mut(at as usize / PIECE)?;
        if piece.is_null() {
            *piece = room::take::<Piece>(Use::Common)?;
        }
        self.used += 1;
        Some(at)
    }
}

/// Starts a span in the region in which the thread is. Returns its number, or 0 if there is no room.
pub(super) fn start(thread: &Thread, tree: &Tree, name: Id, place: Place) -> u64 {
    let here = tree.here(thread);
    LOCK.lock();
    let node = tree.span(here, name, place).filter(|node| node.is_ready(super::stamp()));
    // SAFETY: under the lock.
    let pool = unsafe { &mut *POOL.get() };
    let id = node.and_then(|node| {
        let at = pool.take()?;
        pool.count += 1;
        let id = pool.count << SLOT_BITS | u64::from(at);
        let begin = clock::tick();
        let generation = super::generation() + 1;
        *pool.slot(at)? = Slot { id, node, begin, generation, next_free: 0 };
        // SAFETY: a cell of this capture, under the lock.
        let cell = unsafe { &mut *node.cell.get() };
        cell.calls += 1;
        cell.since = cell.since.wrapping_add(begin);
        cell.open += 1;
        Some(id)
    });
    LOCK.unlock();
    if id.is_none() && !here.is_deepest() {
        room::lose(RegionLoss::Visits, 1);
    }
    id.unwrap_or(0)
}

/// Stops a span.
pub(super) fn stop(thread: &Thread, tree: &Tree, id: u64, now: u64) {
    LOCK.lock();
    // SAFETY: under the lock.
    let pool = unsafe { &mut *POOL.get() };
    let at = (id & ((1 << SLOT_BITS) - 1)) as u32;
    let free = pool.free;
    let stopped = pool.slot(at).filter(|slot| slot.id == id && id != 0).map(|slot| {
        // What the parent process has started ends there.
        if slot.generation == super::generation() + 1 {
            // SAFETY: a node, and a cell of this capture, under the lock.
            let cell = unsafe { &mut *(*slot.node).cell.get() };
            let time = now.saturating_sub(slot.begin);
            cell.time += time;
            cell.open = cell.open.wrapping_sub(1);
            cell.since = cell.since.wrapping_sub(slot.begin);
            cell.min = cell.min.min(time);
            cell.max = cell.max.max(time);
        }
        slot.id = 0;
        slot.next_free = free;
    });
    if stopped.is_some() {
        pool.free = at + 1;
    }
    LOCK.unlock();
    if stopped.is_none() {
        notice::add(NoticeCode::StrayStop, 0, tree.here(thread));
    }
}

/// In a child, where no other thread holds the lock.
pub(super) fn after_fork() {
    LOCK.unlock();
}
