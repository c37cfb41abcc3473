//! Counting reads and writes of datasets and variables in a record, for every library.

use ioglass_shm::WideValues;

use crate::object::ObjectHistory;
use crate::posix::Direction;
use crate::span::{Span, cover};
use crate::wide;

/// Counters of one direction and of both, in one cache line.
#[repr(align(64))]
pub(crate) struct Columns {
    pub(crate) bytes: usize,
    /// The first size class.
    pub(crate) sizes: usize,
    pub(crate) max_time_size: usize,
    /// Columns of first begin, last end, and time.
    pub(crate) covered: [usize; 3],
    pub(crate) max_time: usize,
    pub(crate) switches: usize,
}

/// A record that is being changed.
pub(crate) struct Changing<'c, const I: usize, const F: usize> {
    pub(crate) int: &'c mut [i64; I],
    pub(crate) tick: &'c mut [u64; F],
    pub(crate) accesses: &'c mut WideValues,
    pub(crate) history: &'c mut ObjectHistory,
}

/// Counts an access of `bytes`, with these lengths and strides. Returns what was added to the time.
#[inline(always)] // where the sizes of the record's parts are known
pub(crate) fn count<const I: usize, const F: usize>(
    changing: Changing<'_, I, F>,
    columns: &Columns,
    direction: Direction,
    bytes: i64,
    shape: &[i64; 10],
    span: Span,
) -> u64 {
    let Changing { int, tick, accesses, history } = changing;
    let side = direction as usize;
    int[columns.bytes] += bytes;
    let class = wide::add(accesses, &mut history.more, &mut history.last, bytes, shape);
    int[columns.sizes + class] += 1;
    let number = side as u8 + 1;
    int[columns.switches] += i64::from(history.last_direction + number == 3);
    history.last_direction = number;
    let ticks = cover(tick, &mut history.last_end[side], columns.covered, span);
    let duration = span.end.saturating_sub(span.begin);
    if duration > tick[columns.max_time] {
        tick[columns.max_time] = duration;
        int[columns.max_time_size] = bytes;
    }
    ticks
}
