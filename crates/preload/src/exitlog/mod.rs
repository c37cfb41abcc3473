//! The log of a process that is recorded on its own, written when the process exits; its profile,
//! too ([`crate::profile`]).
//!
//! The work uses memory and a stack of its own. If it fails, the capture stays, and `ioglass
//! recover` makes the log. Nothing is ever printed.

mod allocator;
pub(crate) mod fallback;
mod memory;
mod output;
mod own_stack;
mod turn;
pub(crate) mod unfinished;

use core::cell::LazyCell;
use core::ffi::{CStr, c_void};
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use alloc::vec::Vec;
use ioglass_harvest::{Fate, Note, ProgramEnd, Run, Source, Triggers};
use ioglass_log::Sink;
use ioglass_recorder::capture::{self, Recorded, Which};
use ioglass_recorder::log_name::LogName;
use ioglass_recorder::path::{PathBuffer, file_name, parent};
use ioglass_recorder::sys::{self, Errno, Fd};
use ioglass_recorder::{local_time, process, rank};
use ioglass_schema::hash;
use ioglass_shm::{Entries, Header, Kind, Pod};

use allocator::Reserve;
use memory::Memory;
pub(crate) use memory::prepare;
use output::Attempt;
pub(crate) use turn::Errand;
use turn::Turn;

use crate::profile;

/// A log of a capture this small is not compressed: it fills at most one disk block, and
/// compression would take most of the time.
const SMALL_CAPTURE: usize = 16 << 10;
/// Memory for compression and for the trace events that are sorted at a time.
const BASE: usize = 96 << 20;
/// Memory for each byte of records.
const PER_RECORD_BYTE: usize = 8;
/// Upper limit of the requested memory.
const MOST: usize = 4 << 30;
/// A capture of at least this size is mapped with all its pages.
const LARGE_CAPTURE: usize = 1 << 20;
/// Larger captures consist mostly of a trace, which is processed piece by piece.
const MOSTLY_TRACE: usize = 64 << 20;
/// Events sorted at a time; each takes 40 bytes, in a vector that doubles.
const EVENTS: usize = 256 << 10;

/// Process id of the process that has begun to write its log; the log is written only once.
static WRITER: AtomicU32 = AtomicU32::new(0);

/// Writes the log and the profile of this process, if there is anything to report, and removes the
/// capture.
pub(crate) fn write() {
    if capture::header().is_none() || !begin() {
        return;
    }
    let Some(mut desk) = Desk::open(capture::recorded(), 0) else { return };
    let has_profile = profile::write_at_exit(&mut desk);
    // Records that were kept only in case MPI begins are not written if it has not begun.
    let end = desk.capture.and_then(|capture| ProgramEnd::of_capture(capture, Fate::Gone));
    let has_log = rank::is_awaited()
        || !desk.records_io()
        || desk.write_alone(process::has_begun_anew(), end).is_some();
    if has_log && has_profile {
        desk.remove_capture();
    }
    desk.close();
}

/// Returns true if the caller must write the log; no other thread writes it meanwhile.
pub(crate) fn begin() -> bool {
    WRITER.swap(sys::pid(), Relaxed) != sys::pid()
}

/// Returns true if the log of this process is written, or is being written for the last time.
pub(crate) fn has_begun() -> bool {
    WRITER.load(Relaxed) == sys::pid()
}

/// Allows the log to be written again: this one is written, or another process will write it.
pub(crate) fn begin_again() {
    WRITER.store(0, Relaxed);
}

/// Everything needed to make a log or a profile: the capture, and memory for the work.
pub(crate) struct Desk {
    memory: Memory,
    turn: Turn,
    /// The capture of this process, if it has recorded anything.
    pub(crate) capture: Option<&'static [u8]>,
    which: Which,
    path: Option<&'static CStr>,
    /// A mapping of the capture that ends with this.
    mapped: Option<&'static [u8]>,
}

impl Desk {
    /// Opens a capture with the memory its log needs and `more` bytes beyond it, if available.
    pub(crate) fn open(recorded: Option<Recorded>, more: usize) -> Option<Self> {
        Self::open_for(Errand::End, recorded, more)
    }

    /// As [`Desk::open`], for an errand after which the process goes on.
    pub(crate) fn open_for(
        errand: Errand,
        recorded: Option<Recorded>,
        more: usize,
    ) -> Option<Self> {
        let turn = Turn::take(errand)?;
        // A child may find what another thread of its parent has begun.
        unfinished::forget();
        let path = recorded.map(|recorded| recorded.path);
        let whole = recorded.and_then(|recorded| recorded.bytes);
        let mapped = whole.map_or_else(|| map_capture(path?), |_| None);
        let capture = whole.or(mapped);
        let capture_size = capture.map_or(0, <[u8]>::len);
        let records = match capture.filter(|capture| capture.len() > MOSTLY_TRACE) {
            Some(capture) => {
                let records = Entries::of(capture).filter(|entry| entry.kind != Kind::Trace);
                records.map(|entry| entry.bytes.len()).sum()
            }
            None => capture_size,
        };
        let least = records.saturating_mul(PER_RECORD_BYTE).saturating_add(BASE).min(MOST);
        let sizes = [least.saturating_add(more), least];
        let mapped = mapped.filter(|_| errand != Errand::End);
        let Some(memory) = Memory::open(Reserve::new(sizes)) else {
            unmap(mapped);
            return None;
        };
        let which = recorded.map_or(Which::Current, |recorded| recorded.which);
        Some(Self { memory, turn, capture, which, path, mapped })
    }

    /// Returns true if the capture is that of a process whose I/O was to be recorded.
    pub(crate) fn records_io(&self) -> bool {
        self.capture.and_then(Header::read).is_none_or(|header| header.records_io != 0)
    }

    /// Path of the capture, if there is one.
    pub(crate) fn path(&self) -> Option<&'static CStr> {
        self.path
    }

    /// Returns true if the whole capture can be read here. Otherwise it is left for `ioglass
    /// recover`.
    pub(crate) fn is_whole(&self) -> bool {
        self.capture.is_some() || self.path.is_none()
    }

    /// Writes a log of this process alone. After a first log, a second one that has only messages
    /// is not written. `end` is the end of the process, if it has come.
    pub(crate) fn write_alone(&mut self, is_second: bool, end: Option<ProgramEnd>) -> Option<()> {
        let capture = self.capture?;
        let write = |run: &Run<'_>, file: &mut LogFile| {
            let source = Source { bytes: capture, fate: Fate::Gone };
            let run = Run { end, ..*run };
            match ioglass_harvest::write(&[source], &run, &mut *file) {
                Ok((_, summary)) => Ok(summary.ranks > 0 && (summary.has_files || !is_second)),
                Err(_) => Err(file.error.unwrap_or(Errno(libc::ENOMEM))),
            }
        };
        let which = self.which;
        self.work(|| write_first(Some(capture), which, write)).flatten()
    }

    /// Removes the capture after its log is written.
    pub(crate) fn remove_capture(&self) {
        let Some(capture) = self.path else { return };
        let mut folder: PathBuffer = PathBuffer::new();
        folder.push(parent(capture.to_bytes()));
        // The directory was made for this capture alone; a directory in use stays.
        let _ = sys::unlink(capture);
        let _ = sys::remove_dir(folder.as_c_str());
    }

    /// Runs `work` on its own stack; `None` if the work was given up.
    pub(crate) fn work<T>(&mut self, work: impl FnOnce() -> T) -> Option<T> {
        struct Job<F, T>(Option<F>, Option<T>);
        extern "C" fn run<T, F: FnOnce() -> T>(job: *mut c_void) {
            // SAFETY: the pointer that is passed below.
            let job = unsafe { &mut *job.cast::<Job<F, T>>() };
            job.1 = job.0.take().map(|work| work());
        }
        fn entry<T, F: FnOnce() -> T>(_: &Job<F, T>) -> extern "C" fn(*mut c_void) {
            run::<T, F>
        }
        let mut job = Job(Some(work), None);
        let entry = entry(&job);
        // SAFETY: the stack is mapped, and no other thread uses it.
        unsafe {
            own_stack::run(self.memory.stack(), entry, (&raw mut job).cast());
            unfinished::remove();
        }
        job.1
    }

    /// Releases the memory; nothing that was made in it is used any more. If the process is about to
    /// end, the capture stays mapped: the end unmaps it at once.
    pub(crate) fn close(self) {
        let Self { memory, turn, mapped, .. } = self;
        memory.close();
        unmap(mapped);
        drop(turn);
    }

    /// Leaves the memory as it is, because another thread may still write to it.
    pub(crate) fn abandon(self) {
        let Self { memory, turn, .. } = self;
        memory.abandon();
        drop(turn);
    }
}

/// Works at a desk: at `desk`, or else at one that is opened for an errand after which the process goes
/// on. A signal handler must not interrupt that, because it might wait for it.
pub(crate) fn at_desk<T>(
    desk: Option<&mut Desk>,
    errand: Errand,
    recorded: Option<Recorded>,
    more: usize,
    work: impl FnOnce(&mut Desk) -> Result<T, Errno>,
) -> Result<T, Errno> {
    if let Some(desk) = desk {
        return work(desk);
    }
    let blocked = sys::block_signals();
    let worked = match Desk::open_for(errand, recorded, more) {
        Some(mut desk) => {
            let worked = work(&mut desk);
            match worked {
                // MPI may still write to it.
                Err(Errno(libc::ETIMEDOUT)) => desk.abandon(),
                _ => desk.close(),
            }
            worked
        }
        None => Err(Errno(libc::EAGAIN)),
    };
    sys::set_signals(blocked);
    worked
}

/// Gives the work up, if it is running; otherwise returns.
pub(crate) fn give_up() {
    own_stack::escape();
}

/// Maps the capture as a whole; while it grew, it was mapped in pieces.
pub(crate) fn map_capture(path: &CStr) -> Option<&'static [u8]> {
    let fd = sys::open(path, libc::O_RDONLY | libc::O_NOFOLLOW, 0).ok()?;
    let size = usize::try_from(sys::stat_fd(fd.0).ok()?.st_size).ok()?;
    let at_once = (LARGE_CAPTURE..=MOSTLY_TRACE).contains(&size);
    let address = sys::map_to_read(&fd, size, at_once).ok()?;
    // SAFETY: mapped, and unmapped only when nobody uses it any more. Other threads may still
    // change it; its reader trusts nothing it reads.
    Some(unsafe { slice::from_raw_parts(address, size) })
}

/// Releases the mapping of a capture that nobody uses any more.
fn unmap(capture: Option<&'static [u8]>) {
    if let Some(capture) = capture {
        // SAFETY: mapped by `map_capture`; the caller vouches that it is not used.
        unsafe { sys::unmap(capture.as_ptr().cast_mut(), capture.len()) };
    }
}

/// Writes the log of a capture, and perhaps of others, to the first place that accepts it. `write`
/// returns true if the log is worth keeping.
pub(crate) fn write_first(
    capture: Option<&[u8]>,
    which: Which,
    mut write: impl FnMut(&Run<'_>, &mut LogFile) -> Result<bool, Errno>,
) -> Option<()> {
    let settings = process::settings();
    let bytes = capture.unwrap_or_default();
    let header = Header::read(bytes).unwrap_or_else(process::new_header);
    let command = ioglass_harvest::command(bytes).unwrap_or_default();
    let program = command.split(|byte| *byte == b' ').next().unwrap_or_default();
    let mounts = match Entries::of(bytes).find(|entry| entry.kind == Kind::Mounts) {
        Some(entry) => ioglass_harvest::mounts(entry.bytes),
        None => ioglass_harvest::mounts(&read_whole(c"/proc/self/mounts")),
    };
    let start_second = (header.start.real_ns / 1_000_000_000).cast_signed();
    let zone = settings.log.time_zone;
    let start = LazyCell::new(|| local_time::local_time(start_second, zone, &mut buffer(16 << 10)));
    let name = LogName {
        user: settings.log.login.map_or(Err(sys::effective_uid()), |login| Ok(login.to_bytes())),
        program: file_name(program),
        jobid: settings.jobid.unwrap_or(header.pid.into()),
        pid: header.pid,
        start: &start,
        random: hash(&header.host, sys::clock_ns(libc::CLOCK_REALTIME) / 1000),
    };
    let began = sys::clock_ns(libc::CLOCK_MONOTONIC);

    let mut failed: Vec<u8> = Vec::new();
    for mut attempt in output::attempts(&settings.log) {
        let note: Note<'_> = ("fallback", &failed);
        let run = Run {
            command: &command,
            jobid: name.jobid.cast_signed(),
            mounts: &mounts,
            notes: if failed.is_empty() { &[] } else { slice::from_ref(&note) },
            quick: bytes.len() <= SMALL_CAPTURE,
            ..run_of(&header)
        };
        let written = attempt.open(&name).and_then(|fd| {
            let limit = sys::limit(libc::RLIMIT_FSIZE).map_or(u64::MAX, |(soft, _)| soft);
            let mut file = LogFile { path: attempt.path(), fd, limit, error: None };
            let is_worth_it = write(&run, &mut file)?;
            if !is_worth_it {
                attempt.abandon();
                return Ok(());
            }
            attempt.finish(&file.fd, which, &name, began)
        });
        match written {
            Ok(()) => return Some(()),
            Err(errno) => {
                attempt.abandon();
                // Only the first requested place that failed is reported.
                if failed.is_empty() && attempt.was_asked_for() {
                    failed = describe(&attempt, errno);
                }
            }
        }
    }
    None
}

/// The facts of the job that do not depend on the place of its log.
pub(crate) fn run_of(header: &Header) -> Run<'static> {
    let settings = process::settings();
    Run {
        end_ns: Some(header.last.real_ns),
        uid: header.uid.into(),
        events_at_once: EVENTS,
        triggers: Triggers {
            small: settings.small_io_trigger,
            unaligned: settings.unaligned_io_trigger,
        },
        ..Run::default()
    }
}

fn describe(attempt: &Attempt, errno: Errno) -> Vec<u8> {
    let reason: &[u8] = match errno.0 {
        libc::ENOENT | libc::ENOTDIR => b"no such directory",
        libc::EACCES | libc::EPERM | libc::EROFS => b"not allowed",
        libc::EEXIST => b"exists already",
        libc::ENOSPC | libc::EDQUOT => b"no space",
        libc::EFBIG => b"larger than the limit for files",
        _ => b"cannot be written",
    };
    [attempt.asked_for(), b" (", reason, b")"].concat()
}

fn buffer(size: usize) -> Vec<u8> {
    alloc::vec![0; size]
}

/// Reads a file of the kernel, which does not report its size.
fn read_whole(path: &CStr) -> Vec<u8> {
    const LARGEST: usize = 1 << 20;
    let mut size = 8 << 10;
    loop {
        let mut text = buffer(size);
        let len = sys::read_file(path, &mut text).unwrap_or(0);
        if len < size || size >= LARGEST {
            text.truncate(len);
            return text;
        }
        size *= 8;
    }
}

/// The file a log is written to.
pub(crate) struct LogFile {
    /// Its path, if it has a name by which others find it.
    pub(crate) path: PathBuffer,
    fd: Fd,
    /// Size limit; beyond it the kernel would send a signal to the program.
    limit: u64,
    pub(crate) error: Option<Errno>,
}

impl LogFile {
    /// Opens the file that another process has begun.
    pub(crate) fn of_another(path: &[u8]) -> Option<Self> {
        let mut name: PathBuffer = PathBuffer::new();
        name.push(path);
        let flags = libc::O_WRONLY | libc::O_NOFOLLOW;
        let fd = sys::open(name.as_c_str(), flags, 0).ok().filter(|_| !name.is_cut())?;
        let limit = sys::limit(libc::RLIMIT_FSIZE).map_or(u64::MAX, |(soft, _)| soft);
        Some(Self { path: name, fd, limit, error: None })
    }
}

impl Sink for LogFile {
    type Error = Errno;

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Errno> {
        let end = offset.saturating_add(bytes.len() as u64);
        let written = if end > self.limit {
            Err(Errno(libc::EFBIG))
        } else {
            sys::write_at(&self.fd, bytes, offset)
        };
        self.error = written.err();
        written
    }
}
