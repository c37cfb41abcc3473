//! The log of a process that is recorded on its own, written when it exits.
//!
//! Memory for the work is mapped whole before it begins, with a stack of its own. If anything goes
//! wrong the region stays, and `ioglass recover` makes the log. Nothing is ever printed.

mod allocator;
mod output;
mod own_stack;

use core::ffi::c_void;
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use alloc::vec::Vec;
use ioglass_harvest::{Fate, Note, Run, Source, Triggers};
use ioglass_log::Sink;
use ioglass_recorder::log_name::LogName;
use ioglass_recorder::path::{PathBuffer, file_name, parent};
use ioglass_recorder::sys::{self, Errno, Fd};
use ioglass_recorder::{local_time, process, region};
use ioglass_schema::hash;
use ioglass_shm::{Entries, Header, Kind, Pod};

use output::Attempt;

/// A log of so little is written without compressing it: it fills no more than a block of the disk,
/// and a compressor would take most of the time.
const SMALL_REGION: usize = 16 << 10;
/// Room for the stack, compression, and the events of a trace that are sorted at a time.
const BASE: usize = 96 << 20;
/// Room for each byte of records.
const PER_RECORD_BYTE: usize = 8;
/// More is not asked for.
const MOST: usize = 4 << 30;
const STACK: usize = 1 << 20;
/// Events sorted at a time; each takes 40 bytes, in a list that doubles.
const EVENTS: usize = 256 << 10;

/// The process that has begun to write its log, so that it does so once.
static WRITER: AtomicU32 = AtomicU32::new(0);

/// Writes the log of this process, if there is something to say, and removes the region.
pub(crate) fn write() {
    let Some(_) = region::header() else { return };
    if WRITER.swap(sys::pid(), Relaxed) == sys::pid() {
        return;
    }
    let Some(bytes) = map_region() else { return };
    let records = Entries::of(bytes).filter(|entry| entry.kind != Kind::Trace);
    let records = records.map(|entry| entry.bytes.len()).sum::<usize>();
    let size = records.saturating_mul(PER_RECORD_BYTE).saturating_add(BASE).min(MOST);
    let Ok(memory) = sys::map_private(size) else { return };

    let mut bytes = bytes;
    // SAFETY: the mapping is ours, and large enough for stack and heap.
    unsafe {
        allocator::begin(memory.add(STACK), size - STACK);
        own_stack::run(memory, STACK, work, (&raw mut bytes).cast());
        output::remove_unfinished();
        allocator::end();
        sys::unmap(memory, size);
        sys::unmap(bytes.as_ptr().cast_mut(), bytes.len());
    }
}

/// Leaves the work undone, if it is being done; otherwise returns.
pub(crate) fn give_up() {
    own_stack::escape();
}

/// What is done on the stack of its own.
extern "C" fn work(region: *mut c_void) {
    // SAFETY: what `write` has handed over.
    let region = unsafe { *region.cast::<&[u8]>() };
    if write_log(region).is_some() {
        remove_region();
    }
}

/// The region as a whole; while it grew, it was mapped in pieces.
fn map_region() -> Option<&'static [u8]> {
    let fd = sys::open(region::path(), libc::O_RDONLY | libc::O_NOFOLLOW, 0).ok()?;
    let size = usize::try_from(sys::stat_fd(fd.0).ok()?.st_size).ok()?;
    let address = sys::map_to_read(&fd, size).ok()?;
    // SAFETY: mapped, and unmapped only when nobody uses it any more. Threads that go on may still
    // change it; its reader trusts nothing it reads.
    Some(unsafe { slice::from_raw_parts(address, size) })
}

fn remove_region() {
    let region = region::path();
    let mut folder: PathBuffer = PathBuffer::new();
    folder.push(parent(region.to_bytes()));
    // The folder was made for this region alone; what is in use stays.
    let _ = sys::unlink(region);
    let _ = sys::remove_dir(folder.as_c_str());
}

/// Writes the log to the first place that takes it.
fn write_log(bytes: &[u8]) -> Option<()> {
    let settings = process::settings();
    let header = Header::read(bytes)?;
    let command = ioglass_harvest::command(bytes).unwrap_or_default();
    let program = command.split(|byte| *byte == b' ').next().unwrap_or_default();
    let mounts = ioglass_harvest::mounts(&read_whole(c"/proc/self/mounts"));
    let start_second = (header.start.real_ns / 1_000_000_000).cast_signed();
    let zone = settings.log.time_zone;
    let name = LogName {
        user: settings.log.login.map_or(Err(sys::effective_uid()), |login| Ok(login.to_bytes())),
        program: file_name(program),
        jobid: settings.jobid.unwrap_or(header.pid.into()),
        pid: header.pid,
        start: local_time::local_time(start_second, zone, &mut buffer(16 << 10)),
        random: hash(&header.host, sys::clock_ns(libc::CLOCK_REALTIME) / 1000),
    };
    let began = sys::clock_ns(libc::CLOCK_MONOTONIC);

    let mut failed: Vec<u8> = Vec::new();
    for mut attempt in output::attempts(&settings.log) {
        let note: Note<'_> = ("fallback", &failed);
        let run = Run {
            command: &command,
            end_ns: Some(header.last.real_ns),
            jobid: name.jobid.cast_signed(),
            uid: header.uid.into(),
            mounts: &mounts,
            notes: if failed.is_empty() { &[] } else { slice::from_ref(&note) },
            events_at_once: EVENTS,
            triggers: Triggers {
                small: settings.small_io_trigger,
                unaligned: settings.unaligned_io_trigger,
            },
            quick: bytes.len() <= SMALL_REGION,
            ..Run::default()
        };
        let written = attempt.open(&name).and_then(|fd| {
            let source = Source { bytes, fate: Fate::Gone };
            let limit = sys::limit(libc::RLIMIT_FSIZE).map_or(u64::MAX, |(soft, _)| soft);
            let mut file = LogFile { fd, limit, error: None };
            match ioglass_harvest::write(&[source], &run, &mut file) {
                Ok((_, summary)) => attempt.finish(&file.fd, summary.ranks > 0, &name, began),
                Err(_) => Err(file.error.unwrap_or(Errno(libc::ENOMEM))),
            }
        });
        match written {
            Ok(()) => return Some(()),
            Err(errno) => {
                attempt.abandon();
                // What was asked for and could not be had is worth telling; only the first.
                if failed.is_empty() && attempt.was_asked_for() {
                    failed = describe(&attempt, errno);
                }
            }
        }
    }
    None
}

fn describe(attempt: &Attempt, errno: Errno) -> Vec<u8> {
    let reason: &[u8] = match errno.0 {
        libc::ENOENT | libc::ENOTDIR => b"no such folder",
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

/// A file of the kernel's, which does not tell its size.
fn read_whole(path: &core::ffi::CStr) -> Vec<u8> {
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
struct LogFile {
    fd: Fd,
    /// Beyond this the kernel would send a signal to the program.
    limit: u64,
    error: Option<Errno>,
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
