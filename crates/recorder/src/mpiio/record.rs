//! What a call of MPI-IO does to the record of its file.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use ioglass_schema::mpiio::{self, f};
use ioglass_shm::{Kind, Loss, MoreValues, MpiioCell};

use super::Transfer;
use crate::file::File;
use crate::memory::{self, Shared};
use crate::posix::{Span, size_class, uncovered};
use crate::spin::Spin;
use crate::{naming, region, values};

/// What is kept beside a record while it grows.
pub(crate) struct MpiioState {
    cell: AtomicPtr<MpiioCell>,
    lock: Spin,
    /// Protected by the lock, as is the cell.
    inner: Shared<Inner>,
}

/// What follows from the calls so far and decides how the next one counts.
pub(super) struct Inner {
    /// Slot of the last access size.
    hint: u8,
    /// 1 after a read, 2 after a write.
    last_direction: u8,
    /// Ends of the last counted read, write and metadata call.
    pub(super) last_end: [u64; 3],
    /// Further access sizes.
    more: *mut MoreValues,
}

/// Counters of one direction.
struct Columns {
    /// By [`Class`].
    calls: [usize; 4],
    bytes: usize,
    sizes: usize,
    max_time_size: usize,
    /// First begin, last end, and time.
    covered: [usize; 3],
    max_time: usize,
}

const COLUMNS: [Columns; 2] = [
    Columns {
        calls: [mpiio::INDEP_READS, mpiio::COLL_READS, mpiio::SPLIT_READS, mpiio::NB_READS],
        bytes: mpiio::BYTES_READ,
        sizes: mpiio::SIZE_READ_AGG_0_100,
        max_time_size: mpiio::MAX_READ_TIME_SIZE,
        covered: [f::READ_START_TIMESTAMP, f::READ_END_TIMESTAMP, f::READ_TIME],
        max_time: f::MAX_READ_TIME,
    },
    Columns {
        calls: [mpiio::INDEP_WRITES, mpiio::COLL_WRITES, mpiio::SPLIT_WRITES, mpiio::NB_WRITES],
        bytes: mpiio::BYTES_WRITTEN,
        sizes: mpiio::SIZE_WRITE_AGG_0_100,
        max_time_size: mpiio::MAX_WRITE_TIME_SIZE,
        covered: [f::WRITE_START_TIMESTAMP, f::WRITE_END_TIMESTAMP, f::WRITE_TIME],
        max_time: f::MAX_WRITE_TIME,
    },
];

/// Counts a transfer and tells the number of the record.
pub(super) fn count(cell: &mut MpiioCell, inner: &mut Inner, transfer: &Transfer) -> u64 {
    let side = transfer.direction as usize;
    let columns = &COLUMNS[side];
    cell.int[columns.calls[transfer.class as usize]] += 1;
    cell.int[columns.bytes] += transfer.bytes;
    cell.int[columns.sizes + size_class(transfer.bytes)] += 1;
    let direction = side as u8 + 1;
    cell.int[mpiio::RW_SWITCHES] += i64::from(inner.last_direction + direction == 3);
    inner.last_direction = direction;
    cover(cell, &mut inner.last_end[side], columns.covered, transfer.span);
    let duration = transfer.span.end.saturating_sub(transfer.span.begin);
    if duration > cell.tick[columns.max_time] {
        cell.tick[columns.max_time] = duration;
        cell.int[columns.max_time_size] = transfer.bytes;
    }
    if transfer.bytes > 0 {
        values::add(&mut cell.sizes, &mut inner.more, &mut inner.hint, transfer.bytes);
    }
    cell.number
}

pub(super) const META: usize = 2;

/// Notes first begin, last end, and the time that no earlier call of the class has covered.
pub(super) fn cover(cell: &mut MpiioCell, last: &mut u64, columns: [usize; 3], span: Span) {
    let [start, end, time] = columns;
    let tick = &mut cell.tick;
    if tick[start] == 0 || span.begin < tick[start] {
        tick[start] = span.begin;
    }
    tick[end] = tick[end].max(span.end);
    tick[time] += uncovered(last, span.begin, span.end);
}

/// Changes the record of a file, under its lock. `None` if there is no room for a record.
pub(super) fn with_record<T>(
    file: &'static File,
    change: impl FnOnce(&mut MpiioCell, &mut Inner) -> T,
) -> Option<T> {
    let mut state = file.mpiio.load(Relaxed);
    if state.is_null() || !file.is_current() {
        state = make_state(file)?;
    }
    // SAFETY: states are never unmapped; cell and inner state are changed under the lock only.
    unsafe {
        let state = &*state;
        state.lock.lock();
        let result = change(&mut *state.cell.load(Relaxed), &mut *state.inner.get());
        state.lock.unlock();
        Some(result)
    }
}

#[cold]
fn make_state(file: &'static File) -> Option<*mut MpiioState> {
    if !file.is_current() {
        file.renew();
    }
    naming::LOCK.lock();
    let mut state = file.mpiio.load(Relaxed);
    if state.is_null() {
        state = new_state(file);
        file.mpiio.store(state, Relaxed);
    }
    naming::LOCK.unlock();
    if state.is_null() {
        region::count_loss(Loss::Records);
        return None;
    }
    Some(state)
}

fn new_state(file: &'static File) -> *mut MpiioState {
    let taken = region::take_cell(Kind::Mpiio, |cell: &mut MpiioCell| {
        cell.id = file.id;
        cell.number = region::next_number();
    });
    let Some((cell, _)) = taken else { return ptr::null_mut() };
    let state = memory::take::<MpiioState>();
    if !state.is_null() {
        // SAFETY: new, and all zero is a good start.
        unsafe { (*state).cell.store(cell, Relaxed) };
    }
    state
}
