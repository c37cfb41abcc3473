//! Records of streams: their counters, and functions that change them.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use ioglass_schema::stdio::{self, f};
use ioglass_shm::{Kind, Loss, StdioCell};

use crate::capture;
use crate::file::File;
use crate::memory::Shared;
use crate::span::{Span, cover, uncovered};
use crate::spin::Spin;

/// State of a STDIO record while it grows.
#[repr(C)]
pub struct StdioState {
    pub(super) cell: AtomicPtr<StdioCell>,
    lock: Spin,
    /// Ends of the last counted read, write and metadata call; protected by the lock.
    last_end: Shared<[u64; 3]>,
}

impl StdioState {
    /// The state of a file without a record.
    pub(crate) const fn new() -> Self {
        Self {
            cell: AtomicPtr::new(ptr::null_mut()),
            lock: Spin::new(),
            last_end: Shared::new([0; 3]),
        }
    }

    /// In a child: forgets the parent's record.
    pub(crate) fn forget(&self) {
        self.cell.store(ptr::null_mut(), Relaxed);
        self.lock.unlock();
        // SAFETY: under the lock of files, and nobody uses a file of another generation.
        unsafe { *self.last_end.get() = [0; 3] };
    }
}

/// Counters of one direction.
pub(super) struct Columns {
    pub(super) calls: usize,
    pub(super) bytes: usize,
    pub(super) max_byte: usize,
    /// Columns of first begin, last end, and time.
    pub(super) covered: [usize; 3],
}

pub(super) const COLUMNS: [Columns; 2] = [
    Columns {
        calls: stdio::READS,
        bytes: stdio::BYTES_READ,
        max_byte: stdio::MAX_BYTE_READ,
        covered: [f::READ_START_TIMESTAMP, f::READ_END_TIMESTAMP, f::READ_TIME],
    },
    Columns {
        calls: stdio::WRITES,
        bytes: stdio::BYTES_WRITTEN,
        max_byte: stdio::MAX_BYTE_WRITTEN,
        covered: [f::WRITE_START_TIMESTAMP, f::WRITE_END_TIMESTAMP, f::WRITE_TIME],
    },
];

const META: usize = 2;

/// Notes first begin, last end and time of a call that moves no data. Returns what was added to the
/// time.
pub(super) fn cover_meta(
    cell: &mut StdioCell,
    last_end: &mut [u64; 3],
    start: usize,
    end: usize,
    span: Span,
) -> u64 {
    cover(&mut cell.tick, &mut last_end[META], [start, end, f::META_TIME], span)
}

/// Counts a call and adds to the time in metadata calls. Returns what was added.
pub(super) fn add_meta_time(cell: &mut StdioCell, last_end: &mut [u64; 3], span: Span) -> u64 {
    let ticks = uncovered(&mut last_end[META], span);
    cell.tick[f::META_TIME] += ticks;
    cell.facts.others += 1;
    ticks
}

/// Changes the record of a file, under its lock. `None` if there is no room for a record.
#[inline]
pub(super) fn with_record<T>(
    file: &'static File,
    change: impl FnOnce(&mut StdioCell, &mut [u64; 3]) -> T,
) -> Option<T> {
    let mut cell = file.stdio.cell.load(Relaxed);
    if cell.is_null() || !file.is_current() {
        cell = make_record(file)?;
    }
    file.stdio.lock.lock();
    // SAFETY: cell and ends are changed only under this lock.
    let result = unsafe { change(&mut *cell, &mut *file.stdio.last_end.get()) };
    file.stdio.lock.unlock();
    Some(result)
}

#[cold]
fn make_record(file: &'static File) -> Option<*mut StdioCell> {
    if file.is_left_out_by_stdio() {
        return None;
    }
    if !file.is_current() {
        file.renew();
    }
    file.stdio.lock.lock();
    let mut cell = file.stdio.cell.load(Relaxed);
    if cell.is_null() {
        let taken = capture::take_cell(Kind::Stdio, |cell: &mut StdioCell| {
            cell.id = file.id;
            cell.number = capture::next_number();
            cell.facts.kind = file.kind();
            // The standard streams are open from the start.
            cell.int[stdio::OPENS] = i64::from(file.name().first() == Some(&b'<'));
        });
        if let Some((taken, _)) = taken {
            cell = taken;
            file.stdio.cell.store(cell, Relaxed);
        }
    }
    file.stdio.lock.unlock();
    if cell.is_null() {
        capture::count_loss(Loss::Records);
        return None;
    }
    Some(cell)
}
