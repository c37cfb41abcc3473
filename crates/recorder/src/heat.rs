//! Bytes over time.
//!
//! A thread collects the bytes of the current bin in its own cell, and adds them to the heat map
//! when the bin ends. So threads do not contend, and no byte is lost when the process dies.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use ioglass_shm::{Api, BINS, Clock, HeatCell, Kind, MIN_WIDTH_NS, ThreadCell};

use crate::spin::Spin;
use crate::thread::Thread;
use crate::{capture, clock, sys};

static CELLS: [AtomicPtr<HeatCell>; 3] = [const { AtomicPtr::new(ptr::null_mut()) }; 3];
static LOCK: Spin = Spin::new();

/// Time after the start at which the rate of ticks is known well enough.
const SETTLED_NS: u64 = 1_000_000;
/// Length of a bin in ticks while the rate is unknown; certainly shorter than a real bin.
const FEW_TICKS: u64 = 100_000;

/// Adds bytes that moved between two ticks.
#[inline]
pub fn add(thread: &Thread, api: Api, write: bool, bytes: i64, begin: u64, end: u64) {
    if bytes == 0 {
        return;
    }
    // SAFETY: a cell of the capture that only this thread changes.
    let Some(cell) = (unsafe { thread.cell().as_mut() }) else {
        return add_without_place(api, write, bytes, begin, end);
    };
    if begin >= cell.bin_begin && end < cell.bin_end {
        cell.pending[api as usize][usize::from(!write)] += bytes;
    } else {
        turn(cell, api, write, bytes, begin, end);
    }
}

/// Adds bytes that moved just now to the current bin.
#[inline]
pub fn add_untimed(thread: &Thread, api: Api, write: bool, bytes: i64) {
    // SAFETY: a cell of the capture that only this thread changes.
    match unsafe { thread.cell().as_mut() } {
        Some(cell) => cell.pending[api as usize][usize::from(!write)] += bytes,
        None => {
            let now = clock::tick();
            add_without_place(api, write, bytes, now, now);
        }
    }
}

/// Adds bytes of a thread without a cell directly to the heat map.
#[cold]
fn add_without_place(api: Api, write: bool, bytes: i64, begin: u64, end: u64) {
    turn(&mut ThreadCell::default(), api, write, bytes, begin, end);
}

/// Adds pending bytes to the heat map, spreads these over their bins, and starts the next bin.
#[cold]
#[unsafe(link_section = ".text.hot")]
fn turn(cell: &mut ThreadCell, api: Api, write: bool, bytes: i64, begin: u64, end: u64) {
    let Some(header) = capture::header() else { return };
    if clock::is_stopped() {
        // All further calls count at the moment when the clock was stopped.
        cell.pending[api as usize][usize::from(!write)] += bytes;
        return;
    }
    // SAFETY: these fields do not change after the header was published.
    let (start, origin) = unsafe { ((*header).start, (*header).origin_real_ns) };
    let now = (clock::tick(), sys::clock_ns(libc::CLOCK_MONOTONIC));
    let elapsed = now.1.saturating_sub(start.mono_ns);
    let ticks = now.0.saturating_sub(start.tick).max(1);
    let settled = elapsed > SETTLED_NS || clock::current() == Clock::Nanoseconds;
    let to_ns = |ticks_ago: u64| {
        if settled { (ticks_ago as u128 * elapsed as u128 / ticks as u128) as u64 } else { 0 }
    };
    let job_now = start.real_ns.saturating_sub(origin) + elapsed;
    let end_ns = job_now.saturating_sub(to_ns(now.0.saturating_sub(end)));
    let begin_ns = end_ns.saturating_sub(to_ns(end.saturating_sub(begin)));

    LOCK.lock();
    for other in Api::ALL {
        let pending = core::mem::take(&mut cell.pending[other as usize]);
        for (direction, bytes) in pending.into_iter().enumerate() {
            let at = cell.bin_begin_ns;
            spread(other, direction, bytes, at, at);
        }
    }
    spread(api, usize::from(!write), bytes, begin_ns, end_ns);
    LOCK.unlock();

    let width = MIN_WIDTH_NS;
    cell.bin_begin_ns = end_ns / width * width;
    cell.bin_begin = end;
    let left = cell.bin_begin_ns + width - end_ns;
    let left_ticks = if settled {
        (u128::from(left) * u128::from(ticks) / u128::from(elapsed.max(1))) as u64
    } else {
        FEW_TICKS
    };
    // Shorter by a thousandth, so that an inexact rate does not reach into the next bin.
    cell.bin_end = end + left_ticks - left_ticks / 1000;
}

/// Adds bytes to the bins from `begin` to `end`, in proportion to time. Under the lock.
#[unsafe(link_section = ".text.hot")]
fn spread(api: Api, direction: usize, bytes: i64, begin: u64, end: u64) {
    if bytes == 0 {
        return;
    }
    let Some(cell) = cell(api) else { return };
    while end >= (MIN_WIDTH_NS << cell.doublings) * BINS as u64 && cell.doublings < 40 {
        double(cell);
    }
    let width = MIN_WIDTH_NS << cell.doublings;
    let (first, last) = ((begin / width) as usize, (end / width) as usize);
    let bins = &mut cell.bins[direction];
    if first >= last || last >= BINS {
        bins[last.min(BINS - 1)] += bytes;
        return;
    }
    let duration = (end - begin) as f64;
    let mut left = bytes;
    for (bin, bytes_in) in bins.iter_mut().enumerate().take(last).skip(first) {
        let from = begin.max(bin as u64 * width);
        let until = (bin as u64 + 1) * width;
        let share = ((until - from) as f64 / duration * bytes as f64 + 0.5) as i64;
        *bytes_in += share.min(left);
        left -= share.min(left);
    }
    bins[last] += left;
}

/// Doubles the width of the bins; half of them become free.
fn double(cell: &mut HeatCell) {
    for bins in &mut cell.bins {
        for bin in 0..BINS {
            let sum = if bin < BINS / 2 { bins[2 * bin] + bins[2 * bin + 1] } else { 0 };
            bins[bin] = sum;
        }
    }
    cell.doublings += 1;
}

fn cell(api: Api) -> Option<&'static mut HeatCell> {
    let known = CELLS[api as usize].load(Relaxed);
    let cell = if known.is_null() {
        let (cell, _) =
            capture::take_cell(Kind::Heat, |cell: &mut HeatCell| cell.api = api as u64)?;
        CELLS[api as usize].store(cell, Relaxed);
        cell
    } else {
        known
    };
    // SAFETY: a cell of the capture; under the lock.
    Some(unsafe { &mut *cell })
}

/// Forgets the parent's heat maps.
pub fn after_fork() {
    LOCK.unlock();
    begin_anew();
}

/// Forgets the heat maps, which stay in the capture that is left.
pub fn begin_anew() {
    LOCK.lock();
    for cell in &CELLS {
        cell.store(ptr::null_mut(), Relaxed);
    }
    LOCK.unlock();
}
