//! Calls that read by a format.
//!
//! Such a call does not say how many bytes it has read; only the stream knows. After a seek the C
//! library keeps the offset of the descriptor, and with it the position of the stream. Before the
//! first seek it does not, and would ask the kernel each time. So the recorder tells it the offset
//! for the time of the call.

use core::sync::atomic::Ordering::Relaxed;

use ioglass_shm::StdioCell;

use super::layout::{self, Stream};
use super::{Direction, KnownStream};
use crate::span::Span;
use crate::{file, process};

/// Asks the C library for the position of a stream, which asks the kernel. Does not change `errno`.
type Ask = unsafe fn(Stream) -> Option<i64>;

/// A stream before a call that reads by a format.
pub struct Scan {
    stream: Stream,
    /// Position before the call.
    from: i64,
    /// Bytes that the stream held before the call.
    held: i64,
    /// True if the C library keeps the offset only for this call.
    keeps_offset: bool,
}

impl Scan {
    /// Leaves the stream as it would be without the recorder.
    ///
    /// # Safety
    /// The stream is still open.
    #[inline]
    pub unsafe fn leave(&self) {
        if self.keeps_offset {
            // SAFETY: the caller vouches.
            unsafe { layout::forget_offset(self.stream) };
        }
    }
}

impl KnownStream {
    /// Examines the stream before the call.
    ///
    /// # Safety
    /// The stream is open, and no other thread uses it before the call has been booked.
    pub unsafe fn before_scan(&mut self, ask: Ask) -> Scan {
        // Bytes that the program itself has read before belong to no call.
        self.moved_nothing();
        self.unseen = [0; 2];
        let (stream, position) = (self.stream, &self.description.stream.position);
        // SAFETY: the caller vouches.
        unsafe {
            if let Some(true_position) = self.true_position(ask) {
                position.store(true_position, Relaxed);
            }
            let (from, held) = (position.load(Relaxed), layout::unread(stream));
            let keeps_offset = layout::keep_offset(stream, from + held);
            Scan { stream, from, held, keeps_offset }
        }
    }

    /// Books the call; `succeeded` is false if it has stored nothing.
    ///
    /// # Safety
    /// The stream is still open.
    pub unsafe fn scanned(&self, scan: &Scan, succeeded: bool, span: Span, ask: Ask) {
        // SAFETY: the caller vouches.
        let position = unsafe {
            // The C library forgets the offset at the end of a file.
            let position = layout::kept_position(scan.stream).unwrap_or_else(|| {
                let least = scan.from + scan.held - layout::unread(scan.stream);
                asked(scan.stream, ask).map_or(least, |position| position.max(least))
            });
            scan.leave();
            position
        };
        let bytes = (position - scan.from).max(0);
        if succeeded {
            self.moved(Direction::Read, bytes, span);
        } else {
            self.skipped(bytes);
        }
    }

    /// The position as the C library knows it, if the recorded one may be wrong: the stream may
    /// have been used before it was recorded, or share its description with another one.
    unsafe fn true_position(&self, ask: Ask) -> Option<i64> {
        // SAFETY: the caller vouches.
        let kept = unsafe { layout::kept_position(self.stream) };
        if kept.is_some() || self.description.has(file::PLACED) {
            return kept;
        }
        self.description.set(file::PLACED);
        // SAFETY: the caller vouches.
        unsafe { asked(self.stream, ask) }
    }

    /// Notes the bytes that a call in vain has read; they count as skipped.
    fn skipped(&self, bytes: i64) {
        if bytes == 0 {
            return self.look();
        }
        let change = |_: &mut StdioCell, _: &mut [u64; 3]| {
            self.look();
            self.description.stream.position.fetch_add(bytes, Relaxed);
        };
        self.change(change, |_, ()| {});
    }
}

/// The position of a stream as the C library and the kernel know it.
///
/// # Safety
/// The stream is open.
#[cold]
unsafe fn asked(stream: Stream, ask: Ask) -> Option<i64> {
    // SAFETY: the caller vouches.
    process::may_call_kernel().then(|| unsafe { ask(stream) }).flatten()
}
