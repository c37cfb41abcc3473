//! Where a log goes: the place that was asked for, or else one that will do.

use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use ioglass_recorder::capture::{self, Which};
use ioglass_recorder::log_name::LogName;
use ioglass_recorder::path::{PATH_MAX, PathBuffer, parent};
use ioglass_recorder::settings::LogPlace;
use ioglass_recorder::sys::{self, Errno, Fd};

/// A place for a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// This file.
    File(&'static CStr),
    /// A file beside this one, which is there already.
    Beside(&'static CStr),
    /// A file in this folder.
    Folder(&'static CStr),
    /// A file in the folder of the day, which others have made, below this one.
    Day(&'static CStr),
    /// A file in a folder below this one; each part of the way is made if need be.
    State(&'static CStr, &'static [&'static [u8]]),
    /// A file in the user's folder for want of anything better.
    Temporary,
}

/// The place and the path of a log that is being written.
pub(super) struct Attempt {
    place: Place,
    /// Length of the folder in `path`.
    folder: usize,
    path: PathBuffer,
}

/// The path of a log that has been begun and not finished.
static UNFINISHED: AtomicPtr<PathBuffer> = AtomicPtr::new(ptr::null_mut());

/// Removes a log that was begun and not finished.
///
/// # Safety
/// The memory in which it was written is still there.
pub(super) unsafe fn remove_unfinished() {
    let path = UNFINISHED.swap(ptr::null_mut(), Relaxed);
    if !path.is_null() {
        // SAFETY: the caller vouches.
        let _ = sys::unlink(unsafe { &*path }.as_c_str());
    }
}

/// The places to try, in order.
pub(super) fn attempts(log: &LogPlace) -> impl Iterator<Item = Attempt> {
    let wanted = match (log.file, log.folder, log.root) {
        (Some(file), ..) => Some(Place::File(file)),
        (None, Some(folder), _) => Some(Place::Folder(folder)),
        (None, None, Some(root)) => Some(Place::Day(root)),
        (None, None, None) => None,
    };
    let places = [
        wanted,
        log.file.map(Place::Beside),
        log.root.map(Place::Folder),
        log.state_home.map(|state| Place::State(state, &[b"", b"/ioglass"])),
        log.home.map(|home| Place::State(home, &[b"/.local", b"/state", b"/ioglass"])),
        Some(Place::Temporary),
    ];
    let new = |place| Attempt { place, folder: 0, path: PathBuffer::new() };
    places.into_iter().flatten().map(new)
}

impl Attempt {
    /// Whether the user named this place.
    pub(super) fn was_asked_for(&self) -> bool {
        matches!(self.place, Place::File(_) | Place::Folder(_) | Place::Day(_))
    }

    /// What the user asked for.
    pub(super) fn asked_for(&self) -> &[u8] {
        match self.place {
            Place::File(file) => file.to_bytes(),
            _ => &self.path.as_bytes()[..self.folder],
        }
    }

    /// Opens the file, under a name that says that it is not complete.
    pub(super) fn open(&mut self, name: &LogName<'_>) -> Result<Fd, Errno> {
        let path = &mut self.path;
        match self.place {
            Place::File(file) => {
                if sys::stat(file).is_ok() {
                    return Err(Errno(libc::EEXIST));
                }
                path.push(file.to_bytes());
                path.push(b".");
                path.push_number(sys::pid().into(), 10);
                path.push(b"_partial");
            }
            Place::Beside(file) => {
                let folder = parent(file.to_bytes());
                let is_here = !file.to_bytes().contains(&b'/');
                path.push(if is_here { b"." } else { folder });
            }
            Place::Folder(folder) => path.push(folder.to_bytes()),
            Place::Day(root) => {
                path.push(root.to_bytes());
                name.push_day(path);
            }
            Place::State(base, parts) => {
                path.push(base.to_bytes());
                for part in parts {
                    path.push(part);
                    make_folder(path)?;
                }
            }
            Place::Temporary => {
                path.push(b"/tmp/ioglass-");
                path.push_number(sys::effective_uid().into(), 10);
                make_folder(path)?;
                check_owner(path)?;
            }
        }
        self.folder = path.as_bytes().len();
        if !matches!(self.place, Place::File(_)) {
            name.push_partial(path);
        }
        if path.is_cut() {
            return Err(Errno(libc::ENAMETOOLONG));
        }
        let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_NOFOLLOW;
        let fd = sys::open(path.as_c_str(), flags, 0o600)?;
        UNFINISHED.store(path, Relaxed);
        Ok(fd)
    }

    /// Where the file is that was opened.
    pub(super) fn path(&self) -> PathBuffer {
        let mut path: PathBuffer = PathBuffer::new();
        path.push(self.path.as_bytes());
        path
    }

    /// Gives the complete log of a capture its name.
    pub(super) fn finish(
        &mut self,
        fd: &Fd,
        which: Which,
        name: &LogName<'_>,
        began: u64,
    ) -> Result<(), Errno> {
        // A file system without permissions is no reason to have no log.
        let _ = sys::set_mode(fd, 0o400);
        let mut complete: PathBuffer = PathBuffer::new();
        if let Place::File(file) = self.place {
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
        UNFINISHED.store(ptr::null_mut(), Relaxed);
        Ok(())
    }

    /// Removes what was begun.
    pub(super) fn abandon(&mut self) {
        // SAFETY: it is this one's path.
        unsafe { remove_unfinished() };
    }
}

/// Says in a capture where its log will be.
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

fn make_folder(path: &PathBuffer) -> Result<(), Errno> {
    match sys::make_dir(path.as_c_str(), 0o700) {
        Err(errno) if errno.0 != libc::EEXIST => Err(errno),
        _ => Ok(()),
    }
}

/// In a folder where everybody may write, somebody else's folder is no place for a log.
fn check_owner(path: &PathBuffer) -> Result<(), Errno> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_PATH;
    let stat = sys::stat_fd(sys::open(path.as_c_str(), flags, 0)?.0)?;
    let ours = stat.st_uid == sys::effective_uid() && stat.st_mode & 0o022 == 0;
    if ours { Ok(()) } else { Err(Errno(libc::EPERM)) }
}
