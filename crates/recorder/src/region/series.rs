//! The series of the visits of an iteration, and the slowest of them.

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ioglass_shm::{
    Kind, RegionCell, RegionLoss, RegionSlowest, SeriesHead, SeriesItem, SlowVisit, step_of,
};

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

/// The piece of a series that grows.
#[repr(C)]
pub(super) struct Piece {
    head: Cell<*mut SeriesHead>,
    items: Cell<u64>,
}

impl Piece {
    /// Forgets the piece: the next item begins a new one.
    pub(super) fn forget(&self) {
        self.head.set(ptr::null_mut());
        self.items.set(0);
    }

    /// The item of a visit; `like` is the head of a new piece, `size` the bytes of an item. `None` if
    /// there is no room.
    #[inline]
    pub(super) fn item(&self, like: SeriesHead, visit: u64, size: usize) -> Option<*mut u8> {
        let exact = exact();
        let step = step_of(visit, exact);
        // SAFETY: a head in the capture.
        let index = unsafe { self.head.get().as_ref() }
            .filter(|head| head.step == step)
            .map(|head| (visit - head.first) / step)
            .filter(|index| *index < self.items.get());
        let index = match index {
            Some(index) => index,
            None => {
                self.begin(SeriesHead { first: visit - visit % step, step, exact, ..like }, size)?;
                0
            }
        };
        // SAFETY: inside the piece.
        unsafe { Some(self.head.get().add(1).cast::<u8>().add(index as usize * size)) }
    }

    #[cold]
    #[inline(never)]
    fn begin(&self, head: SeriesHead, size: usize) -> Option<()> {
        let items = (self.items.get() * 2).clamp(FIRST_ITEMS, LAST_ITEMS);
        let bytes = size_of::<SeriesHead>() + items as usize * size;
        let taken = room::take_entry(bytes, Use::Common)?;
        let place = taken.payload().cast::<SeriesHead>();
        // SAFETY: new, zeroed, and large enough.
        unsafe { place.write(head) };
        taken.complete(Kind::RegionSeries);
        self.head.set(place);
        self.items.set(items);
        Some(())
    }

    /// Counts a visit whose item is complete.
    #[inline]
    pub(super) fn counts(&self, visit: u64) {
        // SAFETY: there is a piece, and only this thread changes it.
        unsafe {
            let head = &mut *self.head.get();
            head.count = visit - head.first + 1;
        }
    }
}

/// The state of the series of a region. It is never freed.
#[repr(C)]
pub(super) struct Series {
    /// The cell whose series it is.
    of: Cell<*mut RegionCell>,
    /// Number of the next visit that ends.
    next: Cell<u64>,
    piece: Piece,
    slowest: Cell<*mut RegionSlowest>,
    /// The fastest of the slowest visits, once there are enough of them.
    floor: Cell<u64>,
}

/// Adds a visit that has ended. Returns its number.
pub(super) fn add(node: &Node, time: u64, io: [u64; 3]) -> u64 {
    let Some(series) = ready(node) else {
        room::lose(RegionLoss::Metrics, 1);
        return 0;
    };
    let number = series.next.get();
    series.next.set(number + 1);
    let head =
        SeriesHead { region: node.number, execution: node.execution(), ..SeriesHead::default() };
    match series.piece.item(head, number, size_of::<SeriesItem>()) {
        Some(item) => {
            // SAFETY: an item of a piece that only this thread changes.
            let item = unsafe { &mut *item.cast::<SeriesItem>() };
            item.time += time;
            item.bytes_read += io[0];
            item.bytes_written += io[1];
            item.io += io[2];
            series.piece.counts(number);
        }
        None => room::lose(RegionLoss::Metrics, 1),
    }
    if time > series.floor.get() || number == 0 {
        series.note_slow(node, number, time);
    }
    number
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
    series.piece.forget();
    series.slowest.set(ptr::null_mut());
    series.floor.set(0);
    Some(series)
}

impl Series {
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
