//! Counting an MPI-IO call in the record of its file.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use ioglass_schema::mpiio;
use ioglass_shm::{Kind, Loss, MoreValues, MpiioCell};

use super::Transfer;
use crate::file::File;
use crate::memory::{self, Shared};
use crate::span::cover;
use crate::spin::Spin;
use crate::{capture, naming, size, values};

/// State of a record while it grows.
pub(crate) struct MpiioState {
    cell: AtomicPtr<MpiioCell>,
    lock: Spin,
    /// Protected by the lock, as is the cell.
    history: Shared<MpiioHistory>,
}

/// The history of calls that decides how the next one counts.
pub(super) struct MpiioHistory {
    /// Slot of the last access size.
    hint: u8,
    /// 1 after a read, 2 after a write.
    last_direction: u8,
    /// Ends of the last counted read, write and metadata call.
    pub(super) last_end: [u64; 3],
    /// Further access sizes.
    more: *mut MoreValues,
}

/// Counters of both directions.
mod both {
    use ioglass_schema::mpiio::{self, f};

    use crate::size::{pair, pair_of_classes};

    /// By [`Class`](crate::mpiio::Class).
    pub(super) const CALLS: [usize; 4] = [
        pair(mpiio::INDEP_READS, mpiio::INDEP_WRITES),
        pair(mpiio::COLL_READS, mpiio::COLL_WRITES),
        pair(mpiio::SPLIT_READS, mpiio::SPLIT_WRITES),
        pair(mpiio::NB_READS, mpiio::NB_WRITES),
    ];
    pub(super) const BYTES: usize = pair(mpiio::BYTES_READ, mpiio::BYTES_WRITTEN);
    pub(super) const SIZES: usize =
        pair_of_classes(mpiio::SIZE_READ_AGG_0_100, mpiio::SIZE_WRITE_AGG_0_100);
    pub(super) const MAX_TIME_SIZE: usize =
        pair(mpiio::MAX_READ_TIME_SIZE, mpiio::MAX_WRITE_TIME_SIZE);
    pub(super) const START: usize = pair(f::READ_START_TIMESTAMP, f::WRITE_START_TIMESTAMP);
    pub(super) const END: usize = pair(f::READ_END_TIMESTAMP, f::WRITE_END_TIMESTAMP);
    pub(super) const TIME: usize = pair(f::READ_TIME, f::WRITE_TIME);
    pub(super) const MAX_TIME: usize = pair(f::MAX_READ_TIME, f::MAX_WRITE_TIME);
}

pub(super) const META: usize = 2;

/// Counts a transfer. Returns the number of the record and what was added to its time.
pub(super) fn count(
    cell: &mut MpiioCell,
    history: &mut MpiioHistory,
    transfer: &Transfer,
) -> (u64, u64) {
    let side = transfer.direction as usize;
    cell.int[both::CALLS[transfer.class as usize] + side] += 1;
    cell.int[both::BYTES + side] += transfer.bytes;
    cell.int[both::SIZES + side * size::CLASSES + size::class(transfer.bytes)] += 1;
    let direction = side as u8 + 1;
    cell.int[mpiio::RW_SWITCHES] += i64::from(history.last_direction + direction == 3);
    history.last_direction = direction;
    let covered = [both::START, both::END, both::TIME].map(|reads| reads + side);
    let ticks = cover(&mut cell.tick, &mut history.last_end[side], covered, transfer.span);
    let duration = transfer.span.end.saturating_sub(transfer.span.begin);
    if duration > cell.tick[both::MAX_TIME + side] {
        cell.tick[both::MAX_TIME + side] = duration;
        cell.int[both::MAX_TIME_SIZE + side] = transfer.bytes;
    }
    if transfer.bytes > 0 {
        values::add(&mut cell.sizes, &mut history.more, &mut history.hint, transfer.bytes);
    }
    (cell.number, ticks)
}

/// Changes the record of a file, under its lock. `None` if there is no room for a record.
pub(super) fn with_record<T>(
    file: &'static File,
    change: impl FnOnce(&mut MpiioCell, &mut MpiioHistory) -> T,
) -> Option<T> {
    let mut state = file.mpiio.load(Relaxed);
    if state.is_null() || !file.is_current() {
        state = make_state(file)?;
    }
    // SAFETY: states are never unmapped; cell and history are changed under the lock only.
    unsafe {
        let state = &*state;
        state.lock.lock();
        let result = change(&mut *state.cell.load(Relaxed), &mut *state.history.get());
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
        capture::count_loss(Loss::Records);
        return None;
    }
    Some(state)
}

fn new_state(file: &'static File) -> *mut MpiioState {
    let taken = capture::take_cell(Kind::Mpiio, |cell: &mut MpiioCell| {
        cell.id = file.id;
        cell.number = capture::next_number();
    });
    let Some((cell, _)) = taken else { return ptr::null_mut() };
    let state = memory::take::<MpiioState>();
    if !state.is_null() {
        // SAFETY: new, and all zero is a valid value.
        unsafe { (*state).cell.store(cell, Relaxed) };
    }
    state
}
