//! POSIX records as they grow: one per file, or one per thread if threads use the file at once.
//!
//! Threads that share a record wait for each other's cache lines at every call. So once calls on a
//! file have overlapped, each thread counts in its own lane, and the log has the sum. Counters that
//! depend on the order of accesses then use the order within each thread: concurrent accesses have
//! no other order.

use core::hint::cold_path;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_schema::posix;
use ioglass_shm::{Kind, Loss, MoreValues, PosixCell};

use crate::file::File;
use crate::memory::{self, Shared};
use crate::posix::Transfer;
use crate::span::Span;
use crate::spin::Spin;
use crate::thread::Thread;
use crate::{capture, process};

/// State of the POSIX records of a file while they grow.
#[repr(C)]
pub struct PosixState {
    /// Null until calls have overlapped often enough.
    lanes: AtomicPtr<Lanes>,
    main: Lane,
}

/// A record, and its state while it grows.
#[repr(C)]
struct Lane {
    cell: AtomicPtr<PosixCell>,
    lock: Spin,
    /// Protected by the lock, as is the cell.
    history: Shared<PosixHistory>,
}

/// The history of calls that decides how the next one counts.
#[repr(C)]
pub(crate) struct PosixHistory {
    /// Slots of the last access size and stride.
    pub(crate) hints: [u8; 2],
    /// 1 after a read, 2 after a write.
    pub(crate) last_direction: u8,
    /// Number of calls that began before the last counted one had ended.
    overlaps: u8,
    /// Last byte of the last read and write.
    pub(crate) last_byte: [i64; 2],
    /// Ends of the last counted read, write and metadata call.
    pub(crate) last_end: [u64; 3],
    /// Further access sizes and strides.
    pub(crate) more: [*mut MoreValues; 2],
}

/// Overlapping calls after which threads count in separate lanes.
const OVERLAPS: u8 = 16;
/// Number of lanes; more threads share them.
const LANES: usize = 64;

/// The lanes of a file.
#[repr(C)]
struct Lanes {
    ends: Ends,
    /// The lanes, by the number of the thread.
    lane: [AtomicPtr<Lane>; LANES],
}

/// Ends of the last read and write of all threads: overlapping time counts once.
#[repr(C, align(64))]
struct Ends([AtomicU64; 2]);

impl PosixHistory {
    const NEW: Self = Self {
        hints: [0; 2],
        last_direction: 0,
        overlaps: 0,
        last_byte: [0; 2],
        last_end: [0; 3],
        more: [ptr::null_mut(); 2],
    };
}

impl Lane {
    const fn new() -> Self {
        Self {
            cell: AtomicPtr::new(ptr::null_mut()),
            lock: Spin::new(),
            history: Shared::new(PosixHistory::NEW),
        }
    }

    /// The record, locked; it exists.
    #[inline]
    fn locked(&'static self) -> Locked {
        let cell = self.cell.load(Relaxed);
        self.lock.lock();
        // SAFETY: cell and history are changed under this lock only.
        let (cell, history) = unsafe { (&mut *cell, &mut *self.history.get()) };
        Locked { lane: self, cell, history }
    }

    /// Changes the record, which exists.
    #[inline]
    fn change<T>(&'static self, change: impl FnOnce(&mut PosixCell, &mut PosixHistory) -> T) -> T {
        let locked = self.locked();
        change(locked.cell, locked.history)
    }
}

impl PosixState {
    pub(crate) const fn new() -> Self {
        Self { lanes: AtomicPtr::new(ptr::null_mut()), main: Lane::new() }
    }

    /// Returns true if there is a record.
    pub(crate) fn is_recorded(&self) -> bool {
        !self.main.cell.load(Relaxed).is_null()
    }

    /// Forgets the records, in a child before any other use.
    pub(crate) fn forget(&self) {
        self.lanes.store(ptr::null_mut(), Relaxed);
        self.main.cell.store(ptr::null_mut(), Relaxed);
        self.main.lock.unlock();
        // SAFETY: under the lock of files, and nobody uses a file of another generation.
        unsafe { *self.main.history.get() = PosixHistory::NEW };
    }
}

/// Changes the record of a file, under its lock. `None` if there is no room for a record.
#[inline]
pub(crate) fn with_record<T>(
    file: &'static File,
    change: impl FnOnce(&mut PosixCell, &mut PosixHistory) -> T,
) -> Option<T> {
    is_ready(file).then(|| file.posix.main.change(change))
}

/// Changes the record of a file if there is one.
#[inline]
pub(crate) fn with_record_so_far<T>(
    file: &'static File,
    change: impl FnOnce(&mut PosixCell, &mut PosixHistory) -> T,
) -> Option<T> {
    has_record(file).then(|| file.posix.main.change(change))
}

/// A record that is locked for as long as this exists.
pub(crate) struct Locked {
    lane: &'static Lane,
    pub(crate) cell: &'static mut PosixCell,
    pub(crate) history: &'static mut PosixHistory,
}

impl Drop for Locked {
    #[inline]
    fn drop(&mut self) {
        self.lane.lock.unlock();
    }
}

/// The record that a transfer counts in: that of the file, or the thread's own. `None` if there is
/// no room for a record.
#[inline(always)]
pub(crate) fn record_of(
    thread: &Thread,
    file: &'static File,
    transfer: &Transfer,
) -> Option<Locked> {
    if !is_ready(file) {
        return None;
    }
    let side = transfer.direction as usize;
    let Span { begin, end } = transfer.span;
    // SAFETY: lanes are never unmapped.
    if let Some(lanes) = unsafe { file.posix.lanes.load(Acquire).as_ref() } {
        cold_path();
        let own = lanes.of(thread, file).locked();
        own.history.last_end[side] = lanes.ends.0[side].fetch_max(end, Relaxed);
        return Some(own);
    }
    let main = file.posix.main.locked();
    if begin < main.history.last_end[side] {
        note_overlap(file, main.history);
    }
    Some(main)
}

/// Makes the next access of each thread count as the first one, as after an open.
#[inline]
pub(crate) fn forget_last_access(file: &'static File) {
    let reset = |_: &mut PosixCell, history: &mut PosixHistory| history.last_byte = [0; 2];
    // SAFETY: lanes are never unmapped.
    if let Some(lanes) = unsafe { file.posix.lanes.load(Acquire).as_ref() } {
        cold_path();
        // SAFETY: as above.
        let made = lanes.lane.iter().filter_map(|lane| unsafe { lane.load(Acquire).as_ref() });
        made.for_each(|lane| lane.change(reset));
    }
}

/// Makes the record of the file if there is none. Returns false if that fails.
#[inline]
fn is_ready(file: &'static File) -> bool {
    has_record(file) || make_main(file)
}

#[inline]
fn has_record(file: &File) -> bool {
    file.posix.is_recorded() && file.is_current()
}

#[cold]
fn make_main(file: &'static File) -> bool {
    if file.is_left_out_by_posix() {
        return false;
    }
    if !file.is_current() {
        file.renew();
    }
    let main = &file.posix.main;
    main.lock.lock();
    if main.cell.load(Relaxed).is_null() {
        main.cell.store(new_cell(file, capture::next_number), Relaxed);
    }
    main.lock.unlock();
    if !file.posix.is_recorded() {
        capture::count_loss(Loss::Records);
    }
    file.posix.is_recorded()
}

/// A new record of the file; null if there is no room.
fn new_cell(file: &File, number: impl FnOnce() -> u64) -> *mut PosixCell {
    let taken = capture::take_cell(Kind::Posix, |cell: &mut PosixCell| {
        cell.id = file.id;
        cell.number = number();
        cell.facts.kind = file.kind();
        cell.int[posix::MEM_ALIGNMENT] = process::alignment_mask() as i64 + 1;
        cell.int[posix::FILE_ALIGNMENT] =
            if file.alignment == 0 { -1 } else { file.alignment as i64 };
    });
    taken.map_or(ptr::null_mut(), |(cell, _)| cell)
}

/// Counts an overlap, and makes the lanes after enough of them. Under the lock of the record.
#[cold]
fn note_overlap(file: &File, history: &mut PosixHistory) {
    history.overlaps = history.overlaps.saturating_add(1);
    if history.overlaps != OVERLAPS {
        return;
    }
    let lanes = memory::take::<Lanes>();
    if !lanes.is_null() {
        // SAFETY: new, and all zero is a valid value.
        unsafe { (*lanes).ends = Ends([0, 1].map(|side| history.last_end[side].into())) };
        file.posix.lanes.store(lanes, Release);
    }
}

impl Lanes {
    /// The thread's lane.
    #[inline]
    fn of(&'static self, thread: &Thread, file: &'static File) -> &'static Lane {
        let place = &self.lane[thread.number() % LANES];
        // SAFETY: lanes are never unmapped.
        unsafe { place.load(Acquire).as_ref() }.unwrap_or_else(|| make_lane(place, file))
    }
}

/// Makes a lane; without room for one, the thread uses the record of the file.
#[cold]
fn make_lane(place: &AtomicPtr<Lane>, file: &'static File) -> &'static Lane {
    let main = &file.posix.main;
    main.change(|cell, history| {
        // SAFETY: lanes are never unmapped.
        if let Some(made) = unsafe { place.load(Relaxed).as_ref() } {
            return made;
        }
        let lane = memory::take::<Lane>();
        let own = if lane.is_null() { ptr::null_mut() } else { new_cell(file, || cell.number) };
        if own.is_null() {
            place.store(ptr::from_ref(main).cast_mut(), Release);
            return main;
        }
        // SAFETY: new, zeroed, and nobody else knows it.
        unsafe {
            (*lane).cell.store(own, Relaxed);
            let (last_direction, last_byte) = (history.last_direction, history.last_byte);
            *(*lane).history.get() =
                PosixHistory { last_direction, last_byte, ..PosixHistory::NEW };
            place.store(lane, Release);
            &*lane
        }
    })
}
