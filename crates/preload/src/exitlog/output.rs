//! The place of a log: the one that was asked for, or a fallback.

use core::ffi::CStr;

use ioglass_recorder::capture::{self, Which};
use ioglass_recorder::log_name::LogName;
use ioglass_recorder::path::{PATH_MAX, PathBuffer, parent};
use ioglass_recorder::settings::LogPlace;
use ioglass_recorder::sys::{self, Errno, Fd};

use super::fallback::{self, Fallback};
use super::unfinished;

/// A place for a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LogCandidate {
    /// This file.
    File(&'static CStr),
    /// A file next to this one, which exists already.
    Beside(&'static CStr),
    /// A file in this directory.
    Folder(&'static CStr),
    /// A file in the directory of the day below this one; others have made it.
    Day(&'static CStr),
    /// A file in a directory that nobody has asked for.
    Fallback(Fallback),
}

/// The place and the path of a log that is being written.
pub(super) struct Attempt {
    place: LogCandidate,
    /// Length of the directory in `path`.
    folder: usize,
    path: PathBuffer,
}

/// The places to try, in order.
pub(super) fn attempts(log: &LogPlace) -> impl Iterator<Item = Attempt> {
    let wanted = match (log.file, log.folder, log.root) {
        (Some(file), ..) => Some(LogCandidate::File(file)),
        (None, Some(folder), _) => Some(LogCandidate::Folder(folder)),
        (None, None, Some(root)) => Some(LogCandidate::Day(root)),
        (None, None, None) => None,
    };
    let places = [wanted, log.file.map(LogCandidate::Beside), log.root.map(LogCandidate::Folder)];
    let new = |place| Attempt { place, folder: 0, path: PathBuffer::new() };
    let fallbacks = fallback::all(log).map(LogCandidate::Fallback);
    places.into_iter().flatten().chain(fallbacks).map(new)
}

impl Attempt {
    /// Returns true if the user named this place.
    pub(super) fn was_asked_for(&self) -> bool {
        matches!(self.place, LogCandidate::File(_) | LogCandidate::Folder(_) | LogCandidate::Day(_))
    }

    /// The path that the user asked for.
    pub(super) fn asked_for(&self) -> &[u8] {
        match self.place {
            LogCandidate::File(file) => file.to_bytes(),
            _ => &self.path.as_bytes()[..self.folder],
        }
    }

    /// Opens the file under a name that marks it as incomplete.
    pub(super) fn open(&mut self, name: &LogName<'_>) -> Result<Fd, Errno> {
        let path = &mut self.path;
        match self.place {
            LogCandidate::File(file) => {
                if sys::stat(file).is_ok() {
                    return Err(Errno(libc::EEXIST));
                }
                path.push(file.to_bytes());
                path.push(b".");
                path.push_number(sys::pid().into(), 10);
                path.push(b"_partial");
            }
            LogCandidate::Beside(file) => {
                let folder = parent(file.to_bytes());
                let is_here = !file.to_bytes().contains(&b'/');
                path.push(if is_here { b"." } else { folder });
            }
            LogCandidate::Folder(folder) => path.push(folder.to_bytes()),
            LogCandidate::Day(root) => {
                path.push(root.to_bytes());
                name.push_day(path);
            }
            LogCandidate::Fallback(fallback) => fallback.push(path)?,
        }
        self.folder = path.as_bytes().len();
        if !matches!(self.place, LogCandidate::File(_)) {
            name.push_partial(path);
        }
        if path.is_cut() {
            return Err(Errno(libc::ENAMETOOLONG));
        }
        let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_NOFOLLOW;
        let fd = sys::open(path.as_c_str(), flags, 0o600)?;
        unfinished::begin(path);
        Ok(fd)
    }

    /// Path of the opened file.
    pub(super) fn path(&self) -> PathBuffer {
        let mut path: PathBuffer = PathBuffer::new();
        path.push(self.path.as_bytes());
        path
    }

    /// Renames the complete log of a capture to its final name.
    pub(super) fn finish(
        &mut self,
        fd: &Fd,
        which: Which,
        name: &LogName<'_>,
        began: u64,
    ) -> Result<(), Errno> {
        // A file system without permissions is no reason to lose the log.
        let _ = sys::set_mode(fd, 0o400);
        let mut complete: PathBuffer = PathBuffer::new();
        if let LogCandidate::File(file) = self.place {
            complete.push(file.to_bytes());
            announce(which, fd, &complete);
            sys::rename_new(self.path.as_c_str(), file)?;
        } else {
            let took = sys::clock_ns(libc::CLOCK_MONOTONIC).saturating_sub(began);
            complete.push(&self.path.as_bytes()[..self.folder]);
            name.push_final(&mut complete, took);
            announce(which, fd, &complete);
            sys::rename(self.path.as_c_str(), complete.as_c_str())?;
        }
        unfinished::forget();
        Ok(())
    }

    /// Removes the unfinished log.
    pub(super) fn abandon(&mut self) {
        // SAFETY: it is the path of this attempt.
        unsafe { unfinished::remove() };
    }
}

/// Notes in a capture the path of its future log.
fn announce(which: Which, fd: &Fd, log: &PathBuffer) {
    let Ok(stat) = sys::stat_fd(fd.0) else { return };
    let mut path: PathBuffer = PathBuffer::new();
    if log.as_bytes().first() != Some(&b'/') {
        let mut folder = [0; PATH_MAX];
        let Ok(folder) = sys::working_directory(&mut folder) else { return };
        path.push(folder);
        path.push(b"/");
    }
    path.push(log.as_bytes());
    if !path.is_cut() {
        capture::announce_log(which, stat.st_ino, path.as_bytes());
    }
}
