//! Streams in the memory layout of the C library.

use core::iter;
use core::mem::offset_of;
use core::sync::atomic::{AtomicI64, AtomicUsize, Ordering::Relaxed};

use crate::posix::Direction;

/// The part of glibc's `FILE` that programs were compiled against, and that is therefore stable.
#[repr(C)]
pub struct StreamLayout {
    flags: u32,
    read_ptr: *const u8,
    read_end: *const u8,
    read_base: *const u8,
    write_base: *const u8,
    write_ptr: *const u8,
    write_end: *const u8,
    buffer: [*const u8; 2],
    /// Begin of the bytes that are read after those pushed back.
    save_base: *const u8,
    backup_base: *const u8,
    save_end: *const u8,
    markers: *const u8,
    chain: Stream,
    fileno: i32,
    flags2: u32,
    unused: [u64; 3],
    /// Offset of the descriptor; [`UNKNOWN_OFFSET`] if the C library does not keep it.
    offset: i64,
    unused_too: [u64; 5],
    mode: i32,
}

const _: () = assert!(
    offset_of!(StreamLayout, fileno) == 112
        && offset_of!(StreamLayout, offset) == 144
        && offset_of!(StreamLayout, mode) == 192
);

/// The end of the file was reached.
const EOF_SEEN: u32 = 0x10;
/// An error occurred.
const ERROR_SEEN: u32 = 0x20;
/// Bytes that were pushed back are read first.
const IN_BACKUP: u32 = 0x100;
/// The program locks the stream itself.
const USER_LOCK: u32 = 0x8000;
/// In `flags2`: the file may be mapped.
const MAPPED: u32 = 1;
/// In `flags2`: the process has had more than one thread since the stream was opened.
const NEEDS_LOCK: u32 = 0x80;

/// The offset of a stream that has not been moved by a seek.
const UNKNOWN_OFFSET: i64 = -1;

/// The program's pointer to a stream. Its contents may change at any time, so results are only a
/// good guess if threads share a stream.
pub type Stream = *mut StreamLayout;

// A C library other than glibc does not have it.
core::arch::global_asm!(".weak _IO_list_all");

unsafe extern "C" {
    #[link_name = "_IO_list_all"]
    static ALL: Stream;
}

/// All open streams.
///
/// # Safety
/// The C library is glibc, and no other thread opens or closes a stream meanwhile.
pub(super) unsafe fn all() -> impl Iterator<Item = Stream> {
    // SAFETY: the caller vouches.
    let mut next = unsafe { ALL };
    iter::from_fn(move || {
        let stream = next;
        // SAFETY: a stream of the list, or null.
        next = unsafe { stream.as_ref() }?.chain;
        Some(stream)
    })
}

/// The descriptor of a stream; negative if it has none.
///
/// # Safety
/// The stream is open.
#[inline]
pub unsafe fn descriptor(stream: Stream) -> i32 {
    // SAFETY: the caller vouches.
    unsafe { (*stream).fileno }
}

/// Returns true if a stream has had an error or has reached the end of its file.
///
/// # Safety
/// The stream is open.
pub unsafe fn is_spent(stream: Stream) -> bool {
    // SAFETY: the caller vouches.
    unsafe { (*stream).flags & (EOF_SEEN | ERROR_SEEN) != 0 }
}

/// Returns true if the next byte comes out of the buffer, or goes into it.
///
/// # Safety
/// The stream is open.
#[inline]
pub unsafe fn is_buffered(stream: Stream, direction: Direction) -> bool {
    // SAFETY: the caller vouches.
    unsafe {
        match direction {
            Direction::Read => (*stream).read_ptr < (*stream).read_end,
            Direction::Write => (*stream).write_ptr < (*stream).write_end,
        }
    }
}

/// Returns true if only one thread can use the stream.
///
/// # Safety
/// The stream is open.
#[inline]
pub(super) unsafe fn is_single_threaded(stream: Stream) -> bool {
    // SAFETY: the caller vouches.
    unsafe { (*stream).flags2 & NEEDS_LOCK == 0 }
}

/// Returns true if other threads can use the stream, and the C library locks it for each call.
///
/// # Safety
/// The stream is open.
pub unsafe fn is_locked_by_calls(stream: Stream) -> bool {
    // SAFETY: the caller vouches.
    unsafe { !is_single_threaded(stream) && (*stream).flags & USER_LOCK == 0 }
}

/// Bytes that were written to the buffer and are not in the file yet.
///
/// # Safety
/// The stream is open.
pub(super) unsafe fn unwritten(stream: Stream) -> i64 {
    // SAFETY: the caller vouches.
    unsafe { distance((*stream).write_base, (*stream).write_ptr) }
}

/// Bytes that were read from the descriptor, or pushed back, and are still to be read.
///
/// # Safety
/// The stream is open.
pub(super) unsafe fn unread(stream: Stream) -> i64 {
    // SAFETY: the caller vouches.
    unsafe {
        let first = distance((*stream).read_ptr, (*stream).read_end);
        match (*stream).flags & IN_BACKUP {
            0 => first,
            _ => first + distance((*stream).save_base, (*stream).save_end),
        }
    }
}

fn distance(from: *const u8, to: *const u8) -> i64 {
    (to as i64).wrapping_sub(from as i64)
}

/// The position of a stream that reads, if the C library keeps the offset of the descriptor.
///
/// # Safety
/// The stream is open.
pub(super) unsafe fn kept_position(stream: Stream) -> Option<i64> {
    // SAFETY: the caller vouches.
    unsafe {
        let is_kept = (*stream).offset >= 0 && unwritten(stream) == 0;
        is_kept.then(|| (*stream).offset - unread(stream))
    }
}

/// Makes the C library keep the offset of the descriptor, which is `offset` now, and returns true,
/// unless it keeps the offset already or is about to change it by more than reads.
///
/// # Safety
/// The stream is open, and no other thread uses it now.
pub(super) unsafe fn keep_offset(stream: Stream, offset: i64) -> bool {
    // SAFETY: the caller vouches.
    unsafe {
        let keeps = (*stream).offset == UNKNOWN_OFFSET
            && (*stream).mode <= 0
            && (*stream).flags2 & MAPPED == 0
            && unwritten(stream) == 0;
        if keeps {
            (*stream).offset = offset;
        }
        keeps
    }
}

/// Makes the C library forget the offset of the descriptor.
///
/// # Safety
/// The stream is open, and no other thread uses it now.
pub(super) unsafe fn forget_offset(stream: Stream) {
    // SAFETY: the caller vouches.
    unsafe { (*stream).offset = UNKNOWN_OFFSET };
}

/// Position of a stream in the file and in its buffer. Changed under the lock of the file's record.
pub struct StreamPlace {
    /// Position in the file.
    pub position: AtomicI64,
    /// Read and write position in the buffer after the last call that was seen.
    seen: [AtomicUsize; 2],
}

/// Bytes that the program itself has read from a buffer, or written to it.
pub(super) type Unseen = [u32; 2];

impl StreamPlace {
    /// The state of a stream that has no buffer yet.
    pub(crate) const fn new() -> Self {
        Self { position: AtomicI64::new(0), seen: [const { AtomicUsize::new(0) }; 2] }
    }

    /// Starts a new stream at `position`.
    pub fn reset(&self, position: i64) {
        self.position.store(position, Relaxed);
        self.forget_buffer();
    }

    /// Forgets the buffer: bytes in it went elsewhere. The position stays.
    pub(super) fn forget_buffer(&self) {
        for seen in &self.seen {
            seen.store(0, Relaxed);
        }
    }

    /// Bytes moved through the buffer since it was last examined. Functions such as `getc_unlocked`
    /// are inlined into the program: they use the bytes in the buffer, and call the C library only
    /// for more.
    ///
    /// # Safety
    /// The stream is open.
    #[inline]
    pub(super) unsafe fn unseen(&self, stream: Stream) -> Unseen {
        let [read, written] = &self.seen;
        // SAFETY: the caller vouches.
        unsafe {
            let (read, written) = (read.load(Relaxed), written.load(Relaxed));
            let at = ((*stream).read_ptr as usize, (*stream).write_ptr as usize);
            if at == (read, written) || (*stream).mode > 0 {
                return [0; 2];
            }
            // Valid only if the buffer is still the one that was examined.
            let moved = |base: *const u8, from: usize, to: usize| {
                if base as usize <= from && from <= to && from != 0 {
                    (to - from) as u32
                } else {
                    0
                }
            };
            [moved((*stream).read_base, read, at.0), moved((*stream).write_base, written, at.1)]
        }
    }

    /// Examines the buffer.
    ///
    /// # Safety
    /// The stream is open.
    #[inline]
    pub(super) unsafe fn look(&self, stream: Stream) {
        // SAFETY: the caller vouches.
        unsafe {
            self.seen[0].store((*stream).read_ptr as usize, Relaxed);
            self.seen[1].store((*stream).write_ptr as usize, Relaxed);
        }
    }

    /// Returns true if the buffer is unchanged since it was last examined.
    ///
    /// # Safety
    /// The stream is open.
    #[inline]
    pub(super) unsafe fn is_seen(&self, stream: Stream) -> bool {
        let [read, written] = self.seen.each_ref().map(|seen| seen.load(Relaxed));
        // SAFETY: the caller vouches.
        unsafe { (*stream).read_ptr as usize == read && (*stream).write_ptr as usize == written }
    }

    /// Advances by one byte, in the file and in the buffer, and returns the offset of the byte in
    /// the file.
    #[inline]
    pub(super) fn step(&self, direction: Direction) -> i64 {
        let seen = &self.seen[direction as usize];
        seen.store(seen.load(Relaxed) + 1, Relaxed);
        self.position.store(self.position.load(Relaxed) + 1, Relaxed);
        self.position.load(Relaxed) - 1
    }
}
