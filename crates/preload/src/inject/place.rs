//! The path of an open file, for rules and rows.

use core::ffi::{CStr, c_char, c_int};
use core::fmt::Write;
use core::mem::MaybeUninit;

use ioglass_recorder::sys;

use super::row::Words;

/// Room for a path. It costs nothing until it is needed.
pub(super) struct PathRoom(MaybeUninit<[u8; 4096]>);

impl PathRoom {
    pub(super) const fn new() -> Self {
        Self(MaybeUninit::uninit())
    }
}

/// The path that a file was opened by; the kernel's for a descriptor, or below another folder.
///
/// # Safety
/// The path is null or a C string.
#[inline]
pub(super) unsafe fn path_of(
    fd: c_int,
    folder: c_int,
    path: *const c_char,
    room: &mut PathRoom,
) -> &[u8] {
    if !path.is_null() {
        // SAFETY: the caller vouches.
        let path = unsafe { CStr::from_ptr(path) }.to_bytes();
        if folder == libc::AT_FDCWD || path.first() == Some(&b'/') {
            return path;
        }
    }
    of_descriptor(fd, room)
}

#[cold]
#[inline(never)]
fn of_descriptor(fd: c_int, room: &mut PathRoom) -> &[u8] {
    let mut link = Words::<32>::new();
    let _ = write!(link, "/proc/self/fd/{fd}\0");
    let room = room.0.write([0; 4096]);
    CStr::from_bytes_with_nul(link.bytes())
        .ok()
        .and_then(|link| sys::read_link(link, room).ok())
        .unwrap_or_default()
}

/// Returns true if a descriptor is of a regular file.
pub(super) fn is_regular(fd: c_int) -> bool {
    sys::stat_fd(fd).is_ok_and(|found| found.st_mode & libc::S_IFMT == libc::S_IFREG)
}
