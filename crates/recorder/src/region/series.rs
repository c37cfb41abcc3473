//! The series of the visits of an iteration, and the slowest of them.

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ioglass_shm::{
    EXACT_EXECUTIONS, Kind, RegionCell, RegionLoss, RegionSlowest, SeriesHead, SeriesItem,
    SeriesNumber, SlowVisit, step_of,
};

use super::execution;
use super::room::{self, Use};
use super::tree::Node;

/// Items of the first piece of a series; each further one is twice as large, up to `LAST_ITEMS`.
const FIRST_ITEMS: u64 = 16;
const LAST_ITEMS: u64 = 1024;

/// Visits that are kept one by one.
static EXACT: AtomicU64 = AtomicU64::new(DEFAULT);
/// The usual number of them.
pub(crate) const DEFAULT: u64 = 4096;

/// Sets how many visits are kept one by one.
pub(super) fn set_exact(visits: u64) {
    // Pairs of items are put together later, so an even number is needed.
    EXACT.store(visits.clamp(2, u64::MAX - 1).next_multiple_of(2), Relaxed);
}

/// Visits that are kept one by one.
pub(super) fn exact() -> u64 {
    EXACT.load(Relaxed)
}

/// The pieces of a series, in the order of their visits.
#[repr(C)]
pub(super) struct Pieces {
    first: Cell<*const Piece>,
    /// The one that was used last.
    last: Cell<*const Piece>,
}

/// A piece of a series. It is never freed.
#[repr(C)]
struct Piece {
    head: *mut SeriesHead,
    /// Items that it has room for.
    items: u64,
    next: Cell<*const Piece>,
}

impl Piece {
    fn first(&self) -> u64 {
        // SAFETY: a head in the capture.
        unsafe { (*self.head).first }
    }

    /// The index of the item of a visit, if it is in this piece.
    #[inline]
    fn index(&self, visit: u64, step: u64) -> Option<usize> {
        // SAFETY: a head in the capture.
        let head = unsafe { &*self.head };
        let index = visit.checked_sub(head.first).filter(|_| head.step == step)? / step;
        (index < self.items).then_some(index as usize)
    }
}

impl Pieces {
    /// Forgets all: the next item begins a new series.
    pub(super) fn forget(&self) {
        self.first.set(ptr::null());
        self.last.set(ptr::null());
    }

    /// Changes the item of a visit, which counts from then on; `like` is the head of a new piece, `T`
    /// the type of an item. It is lost if there is no room.
    #[inline]
    pub(super) fn change<T>(&self, like: SeriesHead, visit: u64, change: impl FnOnce(&mut T)) {
        let exact = exact();
        let step = step_of(visit, exact);
        // SAFETY: pieces are never unmapped.
        let last = unsafe { self.last.get().as_ref() };
        let found = last.and_then(|last| Some((last, last.index(visit, step)?)));
        let found = found.or_else(|| self.seek::<T>(SeriesHead { step, exact, ..like }, visit));
        let Some((piece, index)) = found else { return room::lose(RegionLoss::Metrics, 1) };
        // SAFETY: only this thread changes the piece, and the item is inside of it.
        unsafe {
            change(&mut *piece.head.add(1).cast::<T>().add(index));
            let head = &mut *piece.head;
            head.count = head.count.max(visit - head.first + 1);
        }
    }

    /// The piece of a visit, made if there is none.
    #[cold]
    #[inline(never)]
    fn seek<T>(&self, like: SeriesHead, visit: u64) -> Option<(&'static Piece, usize)> {
        // SAFETY: pieces are never unmapped.
        let piece = |at: *const Piece| unsafe { at.cast::<Piece>().as_ref::<'static>() };
        let mut before = piece(self.last.get()).filter(|last| last.first() <= visit);
        let next = |before: Option<&Piece>| before.map_or(self.first.get(), |own| own.next.get());
        let mut after = piece(next(before));
        while let Some(own) = after.filter(|own| own.first() <= visit) {
            before = Some(own);
            after = piece(own.next.get());
        }
        let known = before.and_then(|own| Some((own, own.index(visit, like.step)?)));
        let (found, index) = match known {
            Some(known) => known,
            None => {
                let new = make::<T>(like, visit, before, after)?;
                before.map_or(&self.first, |own| &own.next).set(new);
                (new, 0)
            }
        };
        self.last.set(found);
        Some((found, index))
    }
}

/// A new piece that begins with a visit, between two others.
fn make<T>(
    like: SeriesHead,
    visit: u64,
    before: Option<&Piece>,
    after: Option<&Piece>,
) -> Option<&'static Piece> {
    let first = visit - visit % like.step;
    let items = before.map_or(0, |own| own.items.saturating_mul(2)).clamp(FIRST_ITEMS, LAST_ITEMS);
    let free = after.map_or(u64::MAX, |own| (own.first() - first) / like.step);
    let items = items.min(free);
    let new = room::take::<Piece>(Use::Common)?;
    let bytes = size_of::<SeriesHead>() + items as usize * size_of::<T>();
    let taken = room::take_entry(bytes, Use::Common)?;
    let head = taken.payload().cast::<SeriesHead>();
    // SAFETY: new, zeroed, and large enough.
    unsafe { head.write(SeriesHead { first, ..like }) };
    taken.complete(Kind::RegionSeries);
    // SAFETY: new memory that stays.
    unsafe {
        new.write(Piece { head, items, next: Cell::new(after.map_or(ptr::null(), ptr::from_ref)) });
        Some(&*new)
    }
}

/// The state of the series of a region. It is never freed.
#[repr(C)]
pub(super) struct Series {
    /// The cell whose series it is.
    of: Cell<*mut RegionCell>,
    /// Number of the next visit.
    next: Cell<u64>,
    /// The execution in which the last visit ended.
    execution: Cell<u64>,
    pieces: Pieces,
    /// How many visits each item has, where executions are put together.
    visits: Pieces,
    slowest: Cell<*mut RegionSlowest>,
    /// The fastest of the slowest visits, once there are enough of them.
    floor: Cell<u64>,
}

/// Adds a visit that has ended. `given` is its number plus 1, or 0 if it has none yet. Returns its
/// number.
pub(super) fn add(node: &Node, given: u64, time: u64, io: [u64; 3]) -> u64 {
    let Some(series) = ready(node) else {
        room::lose(RegionLoss::Metrics, 1);
        return 0;
    };
    let is_joined = is_joined(node);
    let number = match given {
        0 => series.number(is_joined),
        given => given - 1,
    };
    let head = head(node);
    if is_joined {
        series.count_visit(head, number);
    }
    series.pieces.change(head, number, |item: &mut SeriesItem| {
        item.time += time;
        item.bytes_read += io[0];
        item.bytes_written += io[1];
        item.io += io[2];
    });
    if time > series.floor.get() || number == 0 {
        series.note_slow(node, number, time);
    }
    number
}

/// Gives a number to a visit that is open. Its item stands for it until it ends.
pub(super) fn reserve(node: &Node) -> u64 {
    let Some(series) = ready(node) else {
        room::lose(RegionLoss::Metrics, 1);
        return 0;
    };
    let number = series.number(is_joined(node));
    series.pieces.change(head(node), number, |_: &mut SeriesItem| ());
    number
}

/// Returns true if the execution is one of those that are put together.
#[inline]
fn is_joined(node: &Node) -> bool {
    u64::from(node.execution()) >= EXACT_EXECUTIONS
}

#[inline]
fn head(node: &Node) -> SeriesHead {
    SeriesHead { region: node.number, execution: node.execution(), ..SeriesHead::default() }
}

#[inline]
fn ready(node: &Node) -> Option<&'static Series> {
    // SAFETY: series are never unmapped.
    match unsafe { node.series.get().as_ref() } {
        Some(series) if series.of.get() == node.cell.get() => Some(series),
        _ => begin(node),
    }
}

#[cold]
#[inline(never)]
fn begin(node: &Node) -> Option<&'static Series> {
    if node.series.get().is_null() {
        node.series.set(room::take::<Series>(Use::Common)?);
    }
    // SAFETY: as above.
    let series = unsafe { &*node.series.get() };
    series.of.set(node.cell.get());
    series.next.set(0);
    series.execution.set(execution::executions());
    series.pieces.forget();
    series.visits.forget();
    series.slowest.set(ptr::null_mut());
    series.floor.set(0);
    Some(series)
}

impl Series {
    /// The number of the next visit.
    #[inline]
    fn number(&self, is_joined: bool) -> u64 {
        let executions = execution::executions();
        if self.execution.replace(executions) != executions && is_joined {
            // Each execution has its own first visit.
            self.next.set(0);
        }
        let number = self.next.get();
        self.next.set(number + 1);
        number
    }

    /// Counts a visit of one of the executions that are put together.
    #[cold]
    #[inline(never)]
    fn count_visit(&self, head: SeriesHead, number: u64) {
        let head = SeriesHead { metric: SeriesHead::VISITS, ..head };
        self.visits.change(head, number, |item: &mut SeriesNumber| item.visits += 1);
    }

    /// Notes a visit that may be one of the slowest.
    #[cold]
    #[inline(never)]
    fn note_slow(&self, node: &Node, number: u64, time: u64) {
        if self.slowest.get().is_null() {
            let (region, execution) = (node.number, node.execution());
            let taken =
                room::take_cell(Kind::RegionSlowest, Use::Common, |slowest: &mut RegionSlowest| {
                    (slowest.region, slowest.execution) = (region, execution);
                });
            let Some((slowest, _)) = taken else { return };
            self.slowest.set(slowest);
        }
        // SAFETY: an entry of the capture that only this thread changes.
        let visits = unsafe { &mut (*self.slowest.get()).visits };
        // Free slots come first, as their time is 0.
        let Some(slot) = visits.iter_mut().min_by_key(|slot| (slot.time, slot.number)) else {
            return;
        };
        *slot = SlowVisit { number: number + 1, time };
        let is_full = visits.iter().all(|slot| slot.number != 0);
        let floor = visits.iter().map(|slot| slot.time).min().unwrap_or(0);
        self.floor.set(if is_full { floor } else { 0 });
    }
}
