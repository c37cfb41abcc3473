//! Bytes that come out of a stream's buffer or go into it.
//!
//! `getc` and `putc` take a few nanoseconds, so their bookkeeping must not take more. It reads no
//! clock: the call that fills or empties the buffer does. It needs no lock if the process has only
//! one thread. Unusual cases are booked like other calls.

use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

use ioglass_shm::Api;

use super::KnownStream;
use super::layout::{Stream, descriptor, is_buffered, is_single_threaded};
use super::record::COLUMNS;
use super::standard::standard;
use crate::file::{self, Description, LookedAt};
use crate::posix::Direction;
use crate::{process, thread};

/// A call that moves one byte, before it is made.
pub enum Byte {
    /// It is booked already.
    Booked,
    /// The byte comes out of the buffer or goes into it, while other threads may use the stream.
    Buffered(BufferedByte),
    /// Any other byte.
    Other,
}

/// A byte that is to be booked after the call.
#[derive(Clone, Copy)]
pub struct BufferedByte(&'static Description);

/// Examines a call that moves one byte, and books it if the process has only one thread.
///
/// # Safety
/// The stream is open, and the next call moves one byte in this direction.
#[inline(always)]
pub unsafe fn before_byte(stream: Stream, direction: Direction) -> Byte {
    // SAFETY: the caller vouches.
    unsafe {
        if !is_buffered(stream, direction) {
            return Byte::Other;
        }
        match look_up(stream) {
            LookedAt::Ignored => Byte::Booked,
            LookedAt::Recorded(description) if description.has(file::STREAM) => {
                // A byte that counts for a region, too, is booked after the call: the fast way calls no
                // function.
                if !is_single_threaded(stream) || thread::is_in_region() {
                    Byte::Buffered(BufferedByte(description))
                } else if count(stream, description, direction) {
                    Byte::Booked
                } else {
                    Byte::Other
                }
            }
            LookedAt::Recorded(_) | LookedAt::Unknown => Byte::Other,
        }
    }
}

impl BufferedByte {
    /// Books the byte.
    ///
    /// # Safety
    /// The stream is the one that was examined, and open.
    #[inline]
    pub unsafe fn moved(self, stream: Stream, direction: Direction) {
        KnownStream::over(stream, self.0).moved_in_buffer(direction);
    }
}

/// The description of a stream as far as it is known without a system call.
///
/// # Safety
/// The stream is open.
#[inline(always)]
pub(super) unsafe fn look_up(stream: Stream) -> LookedAt {
    // SAFETY: the caller vouches.
    let fd = unsafe { descriptor(stream) };
    if fd < 3
        && let Some(standard) = standard(stream)
    {
        return match file::is_open_here() {
            true => LookedAt::Recorded(&standard.description),
            false => LookedAt::Unknown,
        };
    }
    file::looked_at(fd)
}

/// Counts a byte of a stream that only this thread can use. Returns false if it was not counted.
#[inline(always)]
unsafe fn count(stream: Stream, description: &'static Description, direction: Direction) -> bool {
    // SAFETY: the caller vouches for the stream.
    if !unsafe { description.stream.is_seen(stream) } {
        return false;
    }
    let file = description.file();
    let cell = file.stdio.cell.load(Relaxed);
    if cell.is_null() || !file.is_current() {
        return false;
    }
    let Some(thread_cell) = thread::cell_if_free() else { return false };
    // SAFETY: words of the capture that only this thread changes, since there is no other.
    unsafe {
        if process::heat_is_on() {
            if thread_cell.is_null() {
                return false;
            }
            let side = usize::from(direction == Direction::Read);
            add_one(&raw mut (*thread_cell).pending[Api::Stdio as usize][side]);
        }
        let columns = &COLUMNS[direction as usize];
        let counters = &raw mut (*cell).int;
        add_one(&raw mut (*counters)[columns.calls]);
        add_one(&raw mut (*counters)[columns.bytes]);
        let max_byte = AtomicI64::from_ptr(&raw mut (*counters)[columns.max_byte]);
        let position = description.stream.step(direction);
        max_byte.store(max_byte.load(Relaxed).max(position), Relaxed);
    }
    true
}

/// Adds one to a word that only this thread and its signal handlers change.
///
/// # Safety
/// The word is mapped.
#[inline(always)]
unsafe fn add_one(word: *mut i64) {
    // SAFETY: the caller vouches.
    let word = unsafe { AtomicI64::from_ptr(word) };
    word.store(word.load(Relaxed) + 1, Relaxed);
}
