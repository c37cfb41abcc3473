//! Records of streams: their counters, and how they are changed.

use core::sync::atomic::Ordering::Relaxed;

use ioglass_schema::stdio::{self, f};
use ioglass_shm::{Kind, Loss, StdioCell};

use crate::file::File;
use crate::posix::{Span, uncovered};
use crate::region;

/// Counters of one direction.
pub(super) struct Columns {
    pub(super) calls: usize,
    pub(super) bytes: usize,
    pub(super) max_byte: usize,
    start: usize,
    end: usize,
    time: usize,
}

pub(super) const COLUMNS: [Columns; 2] = [
    Columns {
        calls: stdio::READS,
        bytes: stdio::BYTES_READ,
        max_byte: stdio::MAX_BYTE_READ,
        start: f::READ_START_TIMESTAMP,
        end: f::READ_END_TIMESTAMP,
        time: f::READ_TIME,
    },
    Columns {
        calls: stdio::WRITES,
        bytes: stdio::BYTES_WRITTEN,
        max_byte: stdio::MAX_BYTE_WRITTEN,
        start: f::WRITE_START_TIMESTAMP,
        end: f::WRITE_END_TIMESTAMP,
        time: f::WRITE_TIME,
    },
];

/// Notes first begin, last end, and the time that no earlier call of the class has covered.
#[inline]
pub(super) fn cover(cell: &mut StdioCell, last: &mut u64, columns: &Columns, begin: u64, end: u64) {
    let tick = &mut cell.tick;
    if tick[columns.start] == 0 || begin < tick[columns.start] {
        tick[columns.start] = begin;
    }
    tick[columns.end] = tick[columns.end].max(end);
    tick[columns.time] += uncovered(last, begin, end);
}

const META: usize = 2;

/// The same for a call that moves nothing.
pub(super) fn cover_meta(
    cell: &mut StdioCell,
    last_end: &mut [u64; 3],
    start: usize,
    end: usize,
    span: Span,
) {
    let columns = Columns { calls: 0, bytes: 0, max_byte: 0, start, end, time: f::META_TIME };
    cover(cell, &mut last_end[META], &columns, span.begin, span.end);
}

/// Adds to the time in metadata calls.
pub(super) fn add_meta_time(cell: &mut StdioCell, last_end: &mut [u64; 3], span: Span) {
    cell.tick[f::META_TIME] += uncovered(&mut last_end[META], span.begin, span.end);
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
    // SAFETY: cell and ends are changed under this lock only.
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
        let taken = region::take_cell(Kind::Stdio, |cell: &mut StdioCell| {
            cell.id = file.id;
            cell.number = region::next_number();
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
        region::count_loss(Loss::Records);
        return None;
    }
    Some(cell)
}
