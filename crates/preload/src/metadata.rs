//! Metadata calls that Darshan has no counter for.

use core::ffi::{c_char, c_int, c_void};

use ioglass_recorder::metadata::{self, Stream};
use ioglass_recorder::span::Span;
use ioglass_recorder::thread::is_vforked;
use ioglass_recorder::{file, posix};
use ioglass_shm::MetadataCall;
use libc::{AT_FDCWD, dev_t, gid_t, mode_t, size_t, ssize_t, timespec, timeval, uid_t, utimbuf};

use crate::real::{errno, interpose};

/// The outcome of a call that returns −1 if it fails.
#[inline]
pub(crate) fn outcome(result: isize) -> metadata::Outcome {
    if result < 0 { errno() } else { 0 }
}

/// Makes a call on a path, and books it.
#[inline]
pub(crate) unsafe fn at<T: Copy + Into<i64>>(
    dir: c_int,
    path: *const c_char,
    what: MetadataCall,
    call: impl FnOnce() -> T,
) -> T {
    if !file::is_open() || is_vforked() {
        return call();
    }
    let (result, span) = Span::of(call);
    // SAFETY: the call was made with this path.
    unsafe { metadata::at(dir, path, what, outcome(result.into() as isize), span) };
    result
}

/// Makes a call on a descriptor, and books it if its file is known.
#[inline]
pub(crate) fn on(fd: c_int, what: MetadataCall, call: impl FnOnce() -> c_int) -> c_int {
    if is_vforked() || file::description(fd).is_none() {
        return call();
    }
    let (result, span) = Span::of(call);
    metadata::on(fd, what, outcome(result as isize), span);
    result
}

/// Makes a call that reads a link, and books it.
#[inline]
unsafe fn read_link(
    dir: c_int,
    path: *const c_char,
    size: size_t,
    call: impl FnOnce() -> ssize_t,
) -> ssize_t {
    // Without room for the target the kernel does not read the path.
    if size == 0 {
        return call();
    }
    // SAFETY: as the caller says.
    unsafe { at(dir, path, MetadataCall::Readlink, || call() as i64) as ssize_t }
}

interpose! {
    #[unsafe(link_section = ".text.hot")]
    fn access(path: *const c_char, mode: c_int) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Access, move || real(path, mode));
    fn euidaccess(path: *const c_char, mode: c_int) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Access, move || real(path, mode));
    fn eaccess(path: *const c_char, mode: c_int) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Access, move || real(path, mode));
    fn faccessat(dir: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int = |real|
        at(dir, path, MetadataCall::Access, move || real(dir, path, mode, flags));
    fn link(from: *const c_char, to: *const c_char) -> c_int = |real|
        at(AT_FDCWD, to, MetadataCall::Link, move || real(from, to));
    fn linkat(
        from_dir: c_int, from: *const c_char, to_dir: c_int, to: *const c_char, flags: c_int,
    ) -> c_int = |real|
        at(to_dir, to, MetadataCall::Link, move || real(from_dir, from, to_dir, to, flags));
    fn symlink(target: *const c_char, path: *const c_char) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Symlink, move || real(target, path));
    fn symlinkat(target: *const c_char, dir: c_int, path: *const c_char) -> c_int = |real|
        at(dir, path, MetadataCall::Symlink, move || real(target, dir, path));
    fn readlink(path: *const c_char, buffer: *mut c_char, size: size_t) -> ssize_t = |real|
        read_link(AT_FDCWD, path, size, move || real(path, buffer, size));
    fn readlinkat(
        dir: c_int, path: *const c_char, buffer: *mut c_char, size: size_t,
    ) -> ssize_t = |real|
        read_link(dir, path, size, move || real(dir, path, buffer, size));
    fn __readlink_chk(
        path: *const c_char, buffer: *mut c_char, size: size_t, room: size_t,
    ) -> ssize_t = |real|
        read_link(AT_FDCWD, path, size, move || real(path, buffer, size, room));
    fn __readlinkat_chk(
        dir: c_int, path: *const c_char, buffer: *mut c_char, size: size_t, room: size_t,
    ) -> ssize_t = |real|
        read_link(dir, path, size, move || real(dir, path, buffer, size, room));
    fn chmod(path: *const c_char, mode: mode_t) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Chmod, move || real(path, mode));
    fn fchmodat(dir: c_int, path: *const c_char, mode: mode_t, flags: c_int) -> c_int = |real|
        at(dir, path, MetadataCall::Chmod, move || real(dir, path, mode, flags));
    fn fchmod(fd: c_int, mode: mode_t) -> c_int = |real|
        on(fd, MetadataCall::Chmod, move || real(fd, mode));
    fn chown(path: *const c_char, user: uid_t, group: gid_t) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Chown, move || real(path, user, group));
    fn lchown(path: *const c_char, user: uid_t, group: gid_t) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Chown, move || real(path, user, group));
    fn fchownat(
        dir: c_int, path: *const c_char, user: uid_t, group: gid_t, flags: c_int,
    ) -> c_int = |real|
        at(dir, path, MetadataCall::Chown, move || real(dir, path, user, group, flags));
    fn fchown(fd: c_int, user: uid_t, group: gid_t) -> c_int = |real|
        on(fd, MetadataCall::Chown, move || real(fd, user, group));
    fn utime(path: *const c_char, times: *const utimbuf) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Utime, move || real(path, times));
    fn utimes(path: *const c_char, times: *const timeval) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Utime, move || real(path, times));
    fn lutimes(path: *const c_char, times: *const timeval) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Utime, move || real(path, times));
    fn futimesat(dir: c_int, path: *const c_char, times: *const timeval) -> c_int = |real|
        at(dir, path, MetadataCall::Utime, move || real(dir, path, times));
    fn futimes(fd: c_int, times: *const timeval) -> c_int = |real|
        on(fd, MetadataCall::Utime, move || real(fd, times));
    fn futimens(fd: c_int, times: *const timespec) -> c_int = |real|
        on(fd, MetadataCall::Utime, move || real(fd, times));
    fn utimensat(
        dir: c_int, path: *const c_char, times: *const timespec, flags: c_int,
    ) -> c_int = |real| {
        let call = move || real(dir, path, times, flags);
        // Without a path it is a call on the descriptor.
        if path.is_null() {
            return on(dir, MetadataCall::Utime, call);
        }
        at(dir, path, MetadataCall::Utime, call)
    };
    fn mknod(path: *const c_char, mode: mode_t, device: dev_t) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Mknod, move || real(path, mode, device));
    fn mknodat(dir: c_int, path: *const c_char, mode: mode_t, device: dev_t) -> c_int = |real|
        at(dir, path, MetadataCall::Mknod, move || real(dir, path, mode, device));
    fn mkfifo(path: *const c_char, mode: mode_t) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Mknod, move || real(path, mode));
    fn mkfifoat(dir: c_int, path: *const c_char, mode: mode_t) -> c_int = |real|
        at(dir, path, MetadataCall::Mknod, move || real(dir, path, mode));
    // Programs built against a glibc before 2.33 call these.
    fn __xmknod(
        version: c_int, path: *const c_char, mode: mode_t, device: *mut dev_t,
    ) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Mknod, move || real(version, path, mode, device));
    fn __xmknodat(
        version: c_int, dir: c_int, path: *const c_char, mode: mode_t, device: *mut dev_t,
    ) -> c_int = |real|
        at(dir, path, MetadataCall::Mknod, move || real(version, dir, path, mode, device));
}

/// The outcome of a call that returns null if it fails.
fn outcome_of<T>(result: *const T) -> metadata::Outcome {
    if result.is_null() { errno() } else { 0 }
}

interpose! {
    fn opendir(path: *const c_char) -> *mut Stream = |real| {
        if !file::is_open() || is_vforked() {
            return real(path);
        }
        let (stream, span) = Span::of(move || real(path));
        metadata::opened_directory(path, stream, outcome_of(stream), span);
        stream
    };
    fn fdopendir(fd: c_int) -> *mut Stream = |real| {
        if is_vforked() || file::description(fd).is_none() {
            return real(fd);
        }
        let (stream, span) = Span::of(move || real(fd));
        metadata::opened_directory_over(fd, stream, outcome_of(stream), span);
        stream
    };
    fn closedir(stream: *mut Stream) -> c_int = |real| {
        if stream.is_null() {
            return real(stream);
        }
        let fd = libc::dirfd(stream.cast());
        metadata::closing_directory(fd);
        // Its descriptor may have come from `open` and `fdopendir`.
        posix::close(fd, move || real(stream))
    };
    #[unsafe(link_section = ".text.hot")]
    fn readdir(stream: *mut Stream) -> *mut c_void = |real|
        metadata::read_directory(stream, move || real(stream));
    #[unsafe(link_section = ".text.hot")]
    fn readdir64(stream: *mut Stream) -> *mut c_void = |real|
        metadata::read_directory(stream, move || real(stream));
    fn readdir_r(stream: *mut Stream, entry: *mut c_void, result: *mut *mut c_void) -> c_int = |real|
        metadata::read_directory(stream, move || real(stream, entry, result));
    fn readdir64_r(
        stream: *mut Stream, entry: *mut c_void, result: *mut *mut c_void,
    ) -> c_int = |real|
        metadata::read_directory(stream, move || real(stream, entry, result));
}
