//! Directories for logs and profiles that cannot be written where they were meant to be.

use core::ffi::CStr;

use ioglass_recorder::path::PathBuffer;
use ioglass_recorder::settings::LogPlace;
use ioglass_recorder::sys::{self, Errno};

/// A directory that is made if need be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// A directory below this one; each component of the path is made if needed.
    State(&'static CStr, &'static [&'static [u8]]),
    /// The user's temporary directory, as a last resort.
    Temporary,
}

/// The directories to try, in order.
pub(crate) fn all(log: &LogPlace) -> impl Iterator<Item = Fallback> + use<> {
    let places = [
        log.state_home.map(|state| Fallback::State(state, &[b"", b"/ioglass"])),
        log.home.map(|home| Fallback::State(home, &[b"/.local", b"/state", b"/ioglass"])),
        Some(Fallback::Temporary),
    ];
    places.into_iter().flatten()
}

impl Fallback {
    /// Makes the directory and appends its path.
    pub(crate) fn push(self, path: &mut PathBuffer) -> Result<(), Errno> {
        match self {
            Self::State(base, parts) => {
                path.push(base.to_bytes());
                for part in parts {
                    path.push(part);
                    make_folder(path)?;
                }
                Ok(())
            }
            Self::Temporary => {
                path.push(b"/tmp/ioglass-");
                path.push_number(sys::effective_uid().into(), 10);
                make_folder(path)?;
                check_owner(path)
            }
        }
    }
}

/// Makes a directory, unless it exists.
pub(crate) fn make_folder(path: &PathBuffer) -> Result<(), Errno> {
    match sys::make_dir(path.as_c_str(), 0o700) {
        Err(errno) if errno.0 != libc::EEXIST => Err(errno),
        _ => Ok(()),
    }
}

/// Fails if another user owns the directory: in a world-writable place nothing must go there.
fn check_owner(path: &PathBuffer) -> Result<(), Errno> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_PATH;
    let stat = sys::stat_fd(sys::open(path.as_c_str(), flags, 0)?.0)?;
    let ours = stat.st_uid == sys::effective_uid() && stat.st_mode & 0o022 == 0;
    if ours { Ok(()) } else { Err(Errno(libc::EPERM)) }
}
