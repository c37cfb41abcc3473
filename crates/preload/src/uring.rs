//! io_uring, as far as it goes through liburing: operations are counted when they are submitted,
//! with the requested bytes.

use core::ffi::{c_int, c_uint, c_void};

use ioglass_recorder::file;
use ioglass_recorder::posix::{
    self, Direction, Direction::Read, Direction::Write, OpenDescription, TransferOffset,
    TransferOffset::At, TransferOffset::Current,
};
use ioglass_recorder::span::Span;
use ioglass_shm::Operation;
use libc::iovec;

use crate::late_symbol::interpose_late;

/// The part of liburing's `struct io_uring` that all its versions share: it begins with the
/// submission queue.
#[repr(C)]
struct Ring {
    head: *mut c_uint,
    tail: *mut c_uint,
    mask: *mut c_uint,
    entries: *mut c_uint,
    flags: *mut c_uint,
    dropped: *mut c_uint,
    array: *mut c_uint,
    sqes: *const SubmissionEntry,
    /// Entries that are filled and not yet submitted lie between these two.
    sqe_head: c_uint,
    sqe_tail: c_uint,
    /// Sizes and addresses of the queue's memory, and the completion queue.
    rest: [u64; 15],
    setup: c_uint,
}

const _: () = assert!(core::mem::offset_of!(Ring, setup) == 192);

/// The ring's entries are twice as large as usual.
const LARGE_ENTRIES: c_uint = 1 << 10;

/// One submission, as the kernel defines it.
#[repr(C)]
#[derive(Clone, Copy)]
struct SubmissionEntry {
    opcode: u8,
    flags: u8,
    priority: u16,
    fd: c_int,
    offset: u64,
    address: u64,
    length: u32,
    rest: [u32; 9],
}

const _: () = assert!(size_of::<SubmissionEntry>() == 64);

const READV: u8 = 1;
const WRITEV: u8 = 2;
const READ_FIXED: u8 = 4;
const WRITE_FIXED: u8 = 5;
const READ: u8 = 22;
const WRITE: u8 = 23;
/// Flag: the descriptor is an index into the ring's table of files.
const FIXED_FILE: u8 = 1;
/// Entries that are timed; the rest of a very large batch is counted with no time.
const BATCH: usize = 32;

/// A transfer that is about to be submitted.
#[derive(Clone, Copy)]
struct Submission {
    fd: c_int,
    open: OpenDescription,
    direction: Direction,
    place: TransferOffset,
    buffer: usize,
    length: i64,
}

impl Submission {
    unsafe fn of(entry: &SubmissionEntry) -> Option<Self> {
        let direction = match entry.opcode {
            READ | READV | READ_FIXED => Read,
            WRITE | WRITEV | WRITE_FIXED => Write,
            _ => return None,
        };
        if entry.flags & FIXED_FILE != 0 {
            return None;
        }
        let open = OpenDescription::new(file::description(entry.fd)?);
        let (buffer, length) = if matches!(entry.opcode, READV | WRITEV) {
            let count = entry.length.min(1024) as usize;
            // SAFETY: the kernel is about to read the vector.
            let vector =
                unsafe { core::slice::from_raw_parts(entry.address as *const iovec, count) };
            let bits = vector.iter().fold(0, |bits, part| bits | part.iov_base as usize);
            (bits, vector.iter().map(|part| part.iov_len as i64).sum())
        } else {
            (entry.address as usize, i64::from(entry.length))
        };
        let place = if entry.offset == u64::MAX { Current } else { At(entry.offset as i64) };
        Some(Self { fd: entry.fd, open, direction, place, buffer, length })
    }

    fn book(&self, span: Span) {
        let aligned = posix::is_aligned(self.buffer);
        self.open.moved(self.fd, self.direction, self.place, aligned, self.length, span);
        posix::count_on(self.fd, Operation::AsyncSubmitted);
    }
}

/// Examines the filled entries, submits them and books them.
unsafe fn submit(ring: *mut c_void, call: impl FnOnce() -> c_int) -> c_int {
    if ring.is_null() || !file::is_open() {
        return call();
    }
    let mut batch = [None; BATCH];
    let mut filled = 0;
    // SAFETY: a ring that liburing has set up; entries up to the tail belong to the program, which
    // has filled them. The mask keeps numbers inside.
    unsafe {
        let ring = &*ring.cast::<Ring>();
        let mut number = ring.sqe_head;
        let shift = u32::from(ring.setup & LARGE_ENTRIES != 0);
        while number != ring.sqe_tail {
            let entry = &*ring.sqes.add(((number & *ring.mask) << shift) as usize);
            if let Some(submission) = Submission::of(entry) {
                if let Some(slot) = batch.get_mut(filled) {
                    *slot = Some(submission);
                    filled += 1;
                } else {
                    let now = ioglass_recorder::clock::tick();
                    submission.book(Span { begin: now, end: now });
                }
            }
            number = number.wrapping_add(1);
        }
    }
    let (result, span) = Span::of(call);
    for submission in batch.iter().flatten() {
        submission.book(span);
    }
    result
}

interpose_late! {
    fn io_uring_submit(ring: *mut c_void) -> c_int = |real| submit(ring, || real(ring));
    fn io_uring_submit_and_wait(ring: *mut c_void, count: c_uint) -> c_int = |real|
        submit(ring, || real(ring, count));
    fn io_uring_submit_and_wait_timeout(
        ring: *mut c_void, results: *mut *mut c_void, count: c_uint, timeout: *mut c_void,
        signals: *mut c_void,
    ) -> c_int = |real|
        submit(ring, || real(ring, results, count, timeout, signals));
    fn io_uring_submit_and_get_events(ring: *mut c_void) -> c_int = |real|
        submit(ring, || real(ring));
}
