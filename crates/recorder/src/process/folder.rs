//! The folders in which captures lie.

use ioglass_shm::place;

use super::mode;
use crate::clock;
use crate::path::{OwnPath, file_name};
use crate::settings::Mode;
use crate::sys::{self, Fd};

/// Makes the file of this process's capture and stores its path in `path`.
pub fn make_capture_file(path: &mut OwnPath) -> Option<Fd> {
    if let Mode::Job(folder) = mode() {
        let folder = folder.to_bytes();
        path.clear();
        path.push(folder);
        capture_in(path).or_else(|| {
            // If the job's directory cannot be reached, this is most likely a container. Its first
            // root is private and ends with it, so the other root is tried first.
            place::ROOTS.iter().rev().find_map(|root| {
                make_user_folder(path, root)?;
                make_folder(path, file_name(folder))?;
                capture_in(path)
            })
        })
    } else {
        place::ROOTS.iter().find_map(|root| {
            make_user_folder(path, root)?;
            path.push(b"/");
            path.push_number(sys::pid().into(), 10);
            path.push(b"-");
            path.push_number(clock::tick(), 16);
            sys::make_dir(path.as_c_str(), 0o700).ok()?;
            capture_in(path)
        })
    }
}

/// Makes the directory of this user below a root, if it does not exist.
pub(crate) fn make_user_folder(path: &mut OwnPath, root: &str) -> Option<()> {
    path.clear();
    path.push(root.as_bytes());
    path.push(b"/");
    path.push(place::USER_PREFIX.as_bytes());
    path.push_number(sys::effective_uid().into(), 10);
    match sys::make_dir(path.as_c_str(), 0o700) {
        Ok(()) | Err(sys::Errno(libc::EEXIST)) => Some(()),
        Err(_) => None,
    }
}

fn make_folder(path: &mut OwnPath, name: &[u8]) -> Option<()> {
    path.push(b"/");
    path.push(name);
    match sys::make_dir(path.as_c_str(), 0o700) {
        Ok(()) | Err(sys::Errno(libc::EEXIST)) => Some(()),
        Err(_) => None,
    }
}

/// Returns true if a directory belongs to this user and nobody else may write to it.
pub(crate) fn is_ours_alone(folder: &OwnPath) -> bool {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_PATH;
    let Ok(folder) = sys::open(folder.as_c_str(), flags, 0) else { return false };
    let is_ours =
        |stat: libc::stat| stat.st_uid == sys::effective_uid() && stat.st_mode & 0o022 == 0;
    sys::stat_fd(folder.0).is_ok_and(is_ours)
}

/// Makes the capture in the directory `path`, if that is ours alone, and appends its name.
fn capture_in(path: &mut OwnPath) -> Option<Fd> {
    // The directory is not kept open: there may be no second free descriptor, and nobody else can
    // change a directory that is ours alone.
    is_ours_alone(path).then_some(())?;
    path.push(b"/");
    path.push_number(sys::pid().into(), 10);
    path.push(b"-");
    path.push_number(clock::tick(), 16);
    path.push(place::CAPTURE_SUFFIX.as_bytes());
    if path.is_cut() {
        return None;
    }
    let flags = libc::O_CREAT | libc::O_EXCL | libc::O_RDWR | libc::O_NOFOLLOW;
    sys::open(path.as_c_str(), flags, 0o600).ok()
}
