//! Bookkeeping of MPI-IO calls.

mod record;

use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed};

use ioglass_schema::mpiio::{self, f};
use ioglass_shm::trace::Op;
use ioglass_shm::{Api, IoLayer};

use crate::file::{self, File};
use crate::index::Index;
use crate::naming;
use crate::posix::Direction;
use crate::region::io;
use crate::settings::module;
use crate::span::{Span, cover, uncovered};
use crate::thread::Guard;
use crate::{heat, memory, process, sys, thread, trace};

pub(crate) use record::MpiioState;
use record::{META, count, with_record};

/// The mode of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Each rank on its own.
    Independent,
    /// All ranks together.
    Collective,
    /// All ranks together, in two calls.
    Split,
    /// Without waiting for its completion.
    NonBlocking,
}

/// A transfer that succeeded.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// Its mode.
    pub class: Class,
    /// Its direction.
    pub direction: Direction,
    /// Requested bytes.
    pub bytes: i64,
    /// First byte in the file, if it is known.
    pub offset: Option<i64>,
    /// Its time.
    pub span: Span,
}

/// The arguments of an open.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'p> {
    /// The path as the program gave it.
    pub path: &'p CStr,
    /// The mode bits, in the order of logs.
    pub mode: i32,
    /// True if one rank opened it alone.
    pub is_alone: bool,
    /// True if hints were given.
    pub has_hints: bool,
}

/// The file behind an MPI file handle. MPI reuses handles, so entries are never removed.
pub struct MpiFile {
    file: AtomicPtr<File>,
    has_empty_view: AtomicBool,
}

static HANDLES: Index<MpiFile> = Index::new();

/// Key of a handle. Handles are addresses with equal low bits; no two have the same key.
fn key(handle: usize) -> u64 {
    (handle as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32)
}

/// A recorded file that is open.
#[derive(Clone, Copy)]
pub struct OpenMpiFile {
    handle: &'static MpiFile,
    file: &'static File,
}

/// The recorded file behind a handle.
#[inline]
pub fn find(handle: usize) -> Option<OpenMpiFile> {
    // SAFETY: handles and files are never unmapped.
    unsafe {
        let handle = &*HANDLES.find(key(handle))?;
        Some(OpenMpiFile { handle, file: handle.file.load(Relaxed).as_ref()? })
    }
}

/// Books an open, and attaches the handle to its file.
#[unsafe(link_section = ".text.hot")]
pub fn opened(handle: usize, opening: Opening<'_>, span: Span) {
    if !file::is_open() {
        return;
    }
    let Some(guard) = Guard::enter() else { return };
    let opens = &guard.thread().mpi_opens;
    opens.set(opens.get().wrapping_add(1));
    let exists = |path: &CStr| !process::may_call_kernel() || sys::stat(path).is_ok();
    let found = naming::given_to_romio(opening.path, exists)
        .filter(|file| !file.is_left_out_by(module::MPIIO));
    tie(handle, found);
    let Some(file) = found else { return };
    let booked = with_record(file, |cell, history| {
        let opens = if opening.is_alone { mpiio::INDEP_OPENS } else { mpiio::COLL_OPENS };
        cell.int[opens] += 1;
        cell.int[mpiio::MODE] = opening.mode.into();
        cell.int[mpiio::HINTS] += i64::from(opening.has_hints);
        let (start, end) = (f::OPEN_START_TIMESTAMP, f::OPEN_END_TIMESTAMP);
        cover(&mut cell.tick, &mut history.last_end[META], [start, end, f::META_TIME], span)
    });
    if let Some(ticks) = booked {
        io::opened(guard.thread(), IoLayer::Mpiio, file.id, ticks);
    }
}

/// Number of files that MPI has opened in this thread.
#[inline]
pub fn opens() -> u32 {
    thread::current().mpi_opens.get()
}

fn tie(handle: usize, file: Option<&'static File>) {
    let key = key(handle);
    // MPI reuses handles.
    let known = HANDLES.find(key).or_else(|| file.and_then(|_| add(key)));
    // SAFETY: handles are never unmapped.
    if let Some(known) = known.map(|known| unsafe { &*known }) {
        let file = file.map_or(ptr::null_mut(), |file| ptr::from_ref(file).cast_mut());
        known.has_empty_view.store(false, Relaxed);
        known.file.store(file, Relaxed);
    }
}

#[cold]
#[inline(never)]
fn add(key: u64) -> Option<*mut MpiFile> {
    naming::LOCK.lock();
    // Another thread may have added the same handle meanwhile.
    let known = HANDLES.find(key).or_else(|| {
        let new = memory::take::<MpiFile>();
        (!new.is_null()).then(|| {
            HANDLES.insert(key, new);
            new
        })
    });
    naming::LOCK.unlock();
    known
}

/// Detaches a handle before it is closed: the next open may get it at once.
pub fn closing(handle: usize) -> Option<OpenMpiFile> {
    let open = find(handle)?;
    open.handle.file.store(ptr::null_mut(), Relaxed);
    Some(open)
}

impl OpenMpiFile {
    /// Books a close.
    #[unsafe(link_section = ".text.hot")]
    pub fn closed(self, span: Span) {
        let Some(guard) = Guard::enter() else { return };
        let booked = with_record(self.file, |cell, history| {
            let (start, end) = (f::CLOSE_START_TIMESTAMP, f::CLOSE_END_TIMESTAMP);
            cell.others += 1;
            cover(&mut cell.tick, &mut history.last_end[META], [start, end, f::META_TIME], span)
        });
        if let Some(ticks) = booked {
            io::other(guard.thread(), IoLayer::Mpiio, self.file.id, 1, ticks);
        }
    }

    /// Attaches the handle again, because the close failed.
    #[cold]
    pub fn stays(self) {
        self.handle.file.store(ptr::from_ref(self.file).cast_mut(), Relaxed);
    }

    /// Books a sync; its time counts as write time.
    #[unsafe(link_section = ".text.hot")]
    pub fn synced(self, span: Span) {
        let Some(guard) = Guard::enter() else { return };
        let booked = with_record(self.file, |cell, history| {
            cell.int[mpiio::SYNCS] += 1;
            let ticks = uncovered(&mut history.last_end[Direction::Write as usize], span);
            cell.tick[f::WRITE_TIME] += ticks;
            ticks
        });
        if let Some(ticks) = booked {
            io::flushed(guard.thread(), IoLayer::Mpiio, self.file.id, ticks);
        }
    }

    /// Books a change of the view; `is_empty` is true if MPI must not be asked for offsets in it.
    /// Its time counts only if hints were given, as in the reference.
    #[unsafe(link_section = ".text.hot")]
    pub fn viewed(self, is_empty: bool, has_hints: bool, span: Span) {
        self.handle.has_empty_view.store(is_empty, Relaxed);
        let Some(guard) = Guard::enter() else { return };
        let booked = with_record(self.file, |cell, history| {
            cell.int[mpiio::VIEWS] += 1;
            has_hints.then(|| {
                cell.int[mpiio::HINTS] += 1;
                let ticks = uncovered(&mut history.last_end[META], span);
                cell.tick[f::META_TIME] += ticks;
                cell.others += 1;
                ticks
            })
        });
        if let Some(ticks) = booked.flatten() {
            io::other(guard.thread(), IoLayer::Mpiio, self.file.id, 1, ticks);
        }
    }

    /// Returns true if the trace needs offsets and MPI can be asked for them: some MPIs divide by
    /// the size of the view.
    #[inline]
    pub fn wants_offset(self) -> bool {
        process::is_tracing_mpiio() && !self.handle.has_empty_view.load(Relaxed)
    }

    /// Books a transfer.
    pub fn moved(self, transfer: &Transfer) {
        let Some(guard) = Guard::enter() else { return };
        let number = with_record(self.file, |cell, history| count(cell, history, transfer));
        let Some((number, ticks)) = number else { return };
        let thread = guard.thread();
        let record = self.file.id;
        io::moved(thread, IoLayer::Mpiio, record, transfer.direction, transfer.bytes, ticks);
        let Span { begin, end } = transfer.span;
        let is_write = transfer.direction == Direction::Write;
        if process::heat_is_on() {
            heat::add(thread, Api::Mpiio, is_write, transfer.bytes, begin, end);
        }
        if process::is_tracing_mpiio() {
            let op = if is_write { Op::MpiWrite } else { Op::MpiRead };
            // The position of a shared file pointer is unknown.
            let offset = transfer.offset.unwrap_or(-1);
            trace::add_call(thread, op, number, offset, transfer.bytes, transfer.span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_have_keys_of_their_own() {
        let mut keys: [u64; 4096] = core::array::from_fn(|i| key(0x55_0000_0000 + 64 * i));
        keys.sort_unstable();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
