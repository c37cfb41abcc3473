//! Bookkeeping of MPI-IO calls.

mod record;

use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed};

use ioglass_schema::mpiio::{self, f};
use ioglass_shm::Api;
use ioglass_shm::trace::Op;

use crate::file::{self, File};
use crate::index::Index;
use crate::naming;
use crate::posix::Direction;
use crate::settings::module;
use crate::span::{Span, cover, uncovered};
use crate::thread::Guard;
use crate::{heat, memory, process, sys, thread, trace};

pub(crate) use record::MpiioState;
use record::{META, count, with_record};

/// How ranks make a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Each for itself.
    Independent,
    /// All together.
    Collective,
    /// All together, in two calls.
    Split,
    /// Without waiting for its end.
    NonBlocking,
}

/// A transfer that succeeded.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// How it was made.
    pub class: Class,
    /// Which way.
    pub direction: Direction,
    /// Bytes asked for.
    pub bytes: i64,
    /// First byte in the file, if it is known.
    pub offset: Option<i64>,
    /// When.
    pub span: Span,
}

/// How a file was opened.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'p> {
    /// As the program has named it.
    pub path: &'p CStr,
    /// MPI's mode.
    pub mode: i32,
    /// By one rank alone.
    pub is_alone: bool,
    /// With hints.
    pub has_hints: bool,
}

/// What a handle of MPI's stands for. MPI uses its handles again, so these stay.
pub struct Handle {
    file: AtomicPtr<File>,
    has_empty_view: AtomicBool,
}

static HANDLES: Index<Handle> = Index::new();

/// Handles are addresses, whose low bits are all alike. No two have the same key.
fn key(handle: usize) -> u64 {
    (handle as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32)
}

/// A recorded file that is open.
#[derive(Clone, Copy)]
pub struct Open {
    handle: &'static Handle,
    file: &'static File,
}

/// The recorded file behind a handle.
#[inline]
pub fn find(handle: usize) -> Option<Open> {
    // SAFETY: handles and files are never unmapped.
    unsafe {
        let handle = &*HANDLES.find(key(handle))?;
        Some(Open { handle, file: handle.file.load(Relaxed).as_ref()? })
    }
}

/// Books an open, and ties the handle to its file.
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
    with_record(file, |cell, inner| {
        let opens = if opening.is_alone { mpiio::INDEP_OPENS } else { mpiio::COLL_OPENS };
        cell.int[opens] += 1;
        cell.int[mpiio::MODE] = opening.mode.into();
        cell.int[mpiio::HINTS] += i64::from(opening.has_hints);
        let (start, end) = (f::OPEN_START_TIMESTAMP, f::OPEN_END_TIMESTAMP);
        cover(&mut cell.tick, &mut inner.last_end[META], [start, end, f::META_TIME], span);
    });
}

/// Files that MPI has opened in this thread, so far.
#[inline]
pub fn opens() -> u32 {
    thread::current().mpi_opens.get()
}

fn tie(handle: usize, file: Option<&'static File>) {
    let key = key(handle);
    // Libraries use their handles again.
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
fn add(key: u64) -> Option<*mut Handle> {
    naming::LOCK.lock();
    // Another thread may have got the same handle, and have closed it.
    let known = HANDLES.find(key).or_else(|| {
        let new = memory::take::<Handle>();
        (!new.is_null()).then(|| {
            HANDLES.insert(key, new);
            new
        })
    });
    naming::LOCK.unlock();
    known
}

/// The handle is MPI's again, from before it is given back: the next open may get it at once.
pub fn closing(handle: usize) -> Option<Open> {
    let open = find(handle)?;
    open.handle.file.store(ptr::null_mut(), Relaxed);
    Some(open)
}

impl Open {
    /// Books a close.
    #[unsafe(link_section = ".text.hot")]
    pub fn closed(self, span: Span) {
        let Some(_guard) = Guard::enter() else { return };
        with_record(self.file, |cell, inner| {
            let (start, end) = (f::CLOSE_START_TIMESTAMP, f::CLOSE_END_TIMESTAMP);
            cover(&mut cell.tick, &mut inner.last_end[META], [start, end, f::META_TIME], span);
        });
    }

    /// The file is not closed after all.
    #[cold]
    pub fn stays(self) {
        self.handle.file.store(ptr::from_ref(self.file).cast_mut(), Relaxed);
    }

    /// Books a sync, whose time is time spent writing.
    #[unsafe(link_section = ".text.hot")]
    pub fn synced(self, span: Span) {
        let Some(_guard) = Guard::enter() else { return };
        with_record(self.file, |cell, inner| {
            cell.int[mpiio::SYNCS] += 1;
            let last = &mut inner.last_end[Direction::Write as usize];
            cell.tick[f::WRITE_TIME] += uncovered(last, span);
        });
    }

    /// Books a change of the view, which is empty or which nobody will ask about. It counts as time only if hints
    /// came with it, as in the reference.
    #[unsafe(link_section = ".text.hot")]
    pub fn viewed(self, is_empty: bool, has_hints: bool, span: Span) {
        self.handle.has_empty_view.store(is_empty, Relaxed);
        let Some(_guard) = Guard::enter() else { return };
        with_record(self.file, |cell, inner| {
            cell.int[mpiio::VIEWS] += 1;
            if has_hints {
                cell.int[mpiio::HINTS] += 1;
                let last = &mut inner.last_end[META];
                cell.tick[f::META_TIME] += uncovered(last, span);
            }
        });
    }

    /// Whether somebody wants to know where in the file transfers begin, and MPI can be asked: some
    /// divide by the size of the view.
    #[inline]
    pub fn wants_offset(self) -> bool {
        process::is_tracing_mpiio() && !self.handle.has_empty_view.load(Relaxed)
    }

    /// Books a transfer.
    pub fn moved(self, transfer: &Transfer) {
        let Some(guard) = Guard::enter() else { return };
        let number = with_record(self.file, |cell, inner| count(cell, inner, transfer));
        let Some(number) = number else { return };
        let thread = guard.thread();
        let Span { begin, end } = transfer.span;
        let is_write = transfer.direction == Direction::Write;
        if process::heat_is_on() {
            heat::add(thread, Api::Mpiio, is_write, transfer.bytes, begin, end);
        }
        if process::is_tracing_mpiio() {
            let op = if is_write { Op::MpiWrite } else { Op::MpiRead };
            // Where the pointer is that ranks share nobody knows.
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
