//! The place of a profile: the one that was asked for, or a fallback.

use core::ffi::CStr;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use alloc::vec::Vec;
use ioglass_recorder::memory::Shared;
use ioglass_recorder::path::{PATH_MAX, PathBuffer, file_name};
use ioglass_recorder::sys::{self, Errno};
use ioglass_recorder::{process, region};
use ioglass_shm::{Entries, Header, Kind, Pod, RegionText};

use crate::exitlog::fallback::{self, Fallback};
use crate::exitlog::unfinished;

const ENDING: &[u8] = b".ioprof";
/// Bytes of a name; a file name has room for 255.
const LONGEST: usize = 200;
/// Links that are followed; as many as the kernel follows.
const MOST_LINKS: usize = 40;

/// A file of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// `NAME.ioprof`: the profile of all ranks, or the manifest of its files.
    Whole,
    /// `NAME-PID.ioprof`: the profile of a process without MPI. A file that was asked for is
    /// `NAME.ioprof`, unless another process has it.
    Process,
    /// `NAME-RANK.ioprof`: the profile of one rank.
    Rank(u32),
    /// `NAME_rest-RANK.ioprof`: what a rank did after the end of MPI.
    Rest(u32),
    /// `NAME.NUMBER.ioprof`: a file of those that the manifest names.
    Group(u32),
    /// `NAME.snapshot/NUMBER.ioprof`: a snapshot of a rank or process.
    Snapshot(u32),
}

/// A place to try.
#[derive(Debug, Clone, Copy)]
enum Root {
    /// This file.
    File(&'static CStr),
    /// A file in this directory.
    Folder(&'static CStr),
    /// A file in a directory that nobody has asked for.
    Fallback(Fallback),
}

/// The directory in which the program began; empty if it is not known.
static BEGIN: Shared<PathBuffer> = Shared::new(PathBuffer::new());
/// Process id of the process that has the file that was asked for.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Notes the directory in which the program begins: places are relative to it.
pub(super) fn begin() {
    if region::is_on() {
        // SAFETY: the thread that loads the library, before anybody asks for a place.
        let begin = unsafe { &mut *BEGIN.get() };
        // SAFETY: as above; a path of the recorder would not fit the program's stack everywhere.
        let room = unsafe { &mut *ROOM.get() };
        if let Ok(folder) = sys::working_directory(room)
            && folder.first() == Some(&b'/')
        {
            begin.push(folder);
        }
    }
}

/// Path of the profile of this rank alone, if it was written.
static OF_RANK: Shared<PathBuffer> = Shared::new(PathBuffer::new());
static ROOM: Shared<[u8; PATH_MAX]> = Shared::new([0; PATH_MAX]);

/// Writes a file of the profile to the first place that takes it, as a whole, and returns its path.
/// `capture` is that of the process that names the profile; it is called at a desk.
pub(crate) fn write(capture: &[u8], part: Part, bytes: &[u8]) -> Result<PathBuffer, Errno> {
    let name = name(capture);
    let mut path: PathBuffer = PathBuffer::new();
    let mut error = None;
    for root in roots() {
        match root.write(&name, part, bytes, &mut path) {
            Ok(()) => {
                if matches!(part, Part::Rank(_)) {
                    // SAFETY: one thread at a time is at a desk.
                    let kept = unsafe { &mut *OF_RANK.get() };
                    kept.clear();
                    kept.push(path.as_bytes());
                }
                return Ok(path);
            }
            // The place that was asked for says why.
            Err(errno) => error = error.or(Some(errno)),
        }
    }
    Err(error.unwrap_or(Errno(libc::ENOENT)))
}

/// Removes the profile of this rank alone: that of all ranks has all of it. Called at a desk.
pub(super) fn remove_that_of_rank() {
    // SAFETY: one thread at a time is at a desk.
    let kept = unsafe { &mut *OF_RANK.get() };
    if !kept.as_bytes().is_empty() {
        let _ = sys::unlink(kept.as_c_str());
        kept.clear();
    }
}

/// The places to try, in order.
fn roots() -> impl Iterator<Item = Root> {
    let settings = process::settings();
    let asked = match settings.profile {
        None => Root::Folder(c"."),
        Some(path) if is_folder(path) => Root::Folder(path),
        Some(path) => Root::File(path),
    };
    core::iter::once(asked).chain(fallback::all(&settings.log).map(Root::Fallback))
}

fn is_folder(path: &CStr) -> bool {
    let mut whole: PathBuffer = PathBuffer::new();
    push_absolute(&mut whole, path);
    let is_there = sys::stat(whole.as_c_str());
    is_there.map_or(path.to_bytes().ends_with(b"/"), |stat| {
        stat.st_mode & libc::S_IFMT == libc::S_IFDIR
    })
}

/// Appends a path; a relative one begins where the program began.
fn push_absolute(path: &mut PathBuffer, given: &CStr) {
    // SAFETY: written before anybody asks for a place.
    let begin = unsafe { &*BEGIN.get() }.as_bytes();
    if given.to_bytes().first() != Some(&b'/') && !begin.is_empty() {
        path.push(begin);
        path.push(b"/");
    }
    path.push(given.to_bytes());
}

impl Root {
    fn write(
        self,
        name: &[u8],
        part: Part,
        bytes: &[u8],
        path: &mut PathBuffer,
    ) -> Result<(), Errno> {
        path.clear();
        match self {
            Self::File(file) => {
                push_absolute(path, file);
                return write_to_file(file, part, bytes, path);
            }
            Self::Folder(folder) => {
                push_absolute(path, folder);
                path.push(b"/");
                path.push(name);
            }
            Self::Fallback(fallback) => {
                fallback.push(path)?;
                path.push(b"/");
                path.push(name);
            }
        }
        part.push(path)?;
        path.push(ENDING);
        put(path, bytes, false)
    }
}

/// Writes a part of the profile to the file that was asked for, or beside it. `path` is that of the
/// file, and becomes that of the part.
fn write_to_file(
    file: &CStr,
    part: Part,
    bytes: &[u8],
    path: &mut PathBuffer,
) -> Result<(), Errno> {
    let found = sys::stat(path.as_c_str()).map(|stat| stat.st_mode & libc::S_IFMT);
    if found.is_ok_and(|kind| kind != libc::S_IFREG) {
        return match part {
            // Beside a device or a pipe nothing is made.
            Part::Group(_) | Part::Snapshot(_) => Err(Errno(libc::ENOTDIR)),
            _ => pour(path, bytes),
        };
    }
    if matches!(part, Part::Whole | Part::Process) {
        let is_ours = part == Part::Whole || OWNER.load(Relaxed) == sys::pid();
        match follow(path).and_then(|()| put(path, bytes, !is_ours)) {
            Err(Errno(libc::EEXIST)) if !is_ours => {}
            written => return written.inspect(|()| OWNER.store(sys::pid(), Relaxed)),
        }
        // What stands beside it has the name that was asked for.
        path.clear();
        push_absolute(path, file);
    }
    let stem = path.as_bytes().strip_suffix(ENDING).unwrap_or(path.as_bytes()).len();
    path.truncate(stem);
    part.push(path)?;
    path.push(ENDING);
    put(path, bytes, false)
}

/// Goes to where a link leads, also one whose file does not exist yet.
fn follow(path: &mut PathBuffer) -> Result<(), Errno> {
    for _ in 0..MOST_LINKS {
        // SAFETY: one thread at a time is at a desk.
        let room = unsafe { &mut *ROOM.get() };
        let Ok(target) = sys::read_link(path.as_c_str(), room) else { return Ok(()) };
        let own = path.as_bytes();
        let is_absolute = target.first() == Some(&b'/');
        let folder = if is_absolute { 0 } else { own.len() - file_name(own).len() };
        path.truncate(folder);
        path.push(target);
        if path.is_cut() {
            return Err(Errno(libc::ENAMETOOLONG));
        }
    }
    Err(Errno(libc::ELOOP))
}

/// Writes to a device or a pipe, which stays what it is. A pipe without a reader is an error, not a
/// reason to wait.
fn pour(path: &PathBuffer, bytes: &[u8]) -> Result<(), Errno> {
    let open =
        |flags: i32| sys::open(path.as_c_str(), flags | libc::O_NONBLOCK | libc::O_NOCTTY, 0);
    let file = open(libc::O_WRONLY)?;
    let kind = sys::stat_fd(file.0).map(|stat| stat.st_mode & libc::S_IFMT);
    // With a reader of our own there is no signal if the other one goes.
    let _reader = match kind {
        Ok(libc::S_IFIFO) => Some(open(libc::O_RDONLY)?),
        _ => None,
    };
    sys::write_all(&file, bytes)
}

impl Part {
    /// Appends what tells this file from others of the profile.
    fn push(self, path: &mut PathBuffer) -> Result<(), Errno> {
        let (between, number) = match self {
            Self::Whole => return Ok(()),
            Self::Process => (&b"-"[..], sys::pid()),
            Self::Rank(rank) => (&b"-"[..], rank),
            Self::Rest(rank) => (&b"_rest-"[..], rank),
            Self::Group(group) => (&b"."[..], group),
            Self::Snapshot(number) => {
                path.push(b".snapshot");
                make_folder(path)?;
                (&b"/"[..], number)
            }
        };
        path.push(between);
        path.push_number(number.into(), 10);
        Ok(())
    }
}

/// Makes the directory of snapshots, unless it exists.
fn make_folder(path: &PathBuffer) -> Result<(), Errno> {
    match sys::make_dir(path.as_c_str(), 0o777) {
        Err(errno) if errno.0 != libc::EEXIST => Err(errno),
        _ => Ok(()),
    }
}

/// Writes a file as a whole: by one write and a rename. An existing file is an error if `is_new`.
fn put(path: &PathBuffer, bytes: &[u8], is_new: bool) -> Result<(), Errno> {
    // Beyond this limit the kernel would send a signal to the program.
    if bytes.len() as u64 > sys::limit(libc::RLIMIT_FSIZE).map_or(u64::MAX, |(soft, _)| soft) {
        return Err(Errno(libc::EFBIG));
    }
    if is_new && sys::stat(path.as_c_str()).is_ok() {
        return Err(Errno(libc::EEXIST));
    }
    let mut partial: PathBuffer = PathBuffer::new();
    partial.push(path.as_bytes());
    partial.push(b".");
    partial.push_number(sys::pid().into(), 10);
    partial.push(b"_partial");
    if partial.is_cut() {
        return Err(Errno(libc::ENAMETOOLONG));
    }
    let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_NOFOLLOW;
    let open = || sys::open(partial.as_c_str(), flags, 0o666);
    let fd = match open() {
        // A killed process with this id has left it.
        Err(Errno(libc::EEXIST)) => sys::unlink(partial.as_c_str()).and_then(|()| open()),
        opened => opened,
    }?;
    unfinished::begin(&mut partial);
    let written = sys::write_at(&fd, bytes, 0).and_then(|()| match is_new {
        true => sys::rename_new(partial.as_c_str(), path.as_c_str()),
        false => sys::rename(partial.as_c_str(), path.as_c_str()),
    });
    match written {
        Ok(()) => unfinished::forget(),
        // SAFETY: the path is here.
        Err(_) => unsafe { unfinished::remove() },
    }
    written
}

/// The name of the profile, `PROGRAM_JOB`, or that of the program's choice.
fn name(capture: &[u8]) -> Vec<u8> {
    let settings = process::settings();
    let given = given_name(capture).filter(|_| settings.profile.is_none());
    let command = ioglass_harvest::command(capture).unwrap_or_default();
    let program = command.split(|byte| *byte == b' ').next().unwrap_or_default();
    let name = match given.unwrap_or(file_name(program)) {
        b"" => b"profile",
        name => &name[..name.len().min(LONGEST)],
    };
    let clean = |byte: &u8| if *byte == b'/' || byte.is_ascii_control() { b'_' } else { *byte };
    let mut job: PathBuffer<32> = PathBuffer::new();
    job.push(b"_");
    let number = Header::read(capture).map(|header| header.profile_job);
    job.push_number(number.unwrap_or(sys::pid().into()), 10);
    name.iter().map(clean).chain(job.as_bytes().iter().copied()).collect()
}

/// The last name that the program has given its profile.
fn given_name(capture: &[u8]) -> Option<&[u8]> {
    let given = Entries::of(capture).filter(|entry| entry.kind == Kind::RegionProfile).last()?;
    let size = usize::try_from(RegionText::read(given.bytes)?.size).ok()?;
    given.bytes.get(size_of::<RegionText>()..)?.get(..size)
}
