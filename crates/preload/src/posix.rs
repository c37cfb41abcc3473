//! Calls on descriptors and paths.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};

use ioglass_recorder::file;
use ioglass_recorder::naming::{self, GivenPath};
use ioglass_recorder::posix::{
    self, Direction::Read, Direction::Write, OpenDescription, Origin, TransferOffset,
    TransferOffset::At, TransferOffset::Current,
};
use ioglass_recorder::span::Span;
use ioglass_recorder::thread::is_vforked;
use ioglass_recorder::{mapping, metadata as recorded, process};
use ioglass_schema::posix as counters;
use ioglass_shm::{MetadataCall, Operation};
use libc::{AT_FDCWD, iovec, mode_t, off_t, size_t, ssize_t, stat as Stat, statx as Statx};

use crate::inject;
use crate::metadata::{at, on, outcome};
use crate::real::{errno, interpose};

/// A path as the program gave it.
unsafe fn given<'p>(dir: c_int, path: *const c_char) -> GivenPath<'p> {
    // SAFETY: the call succeeded, so this is a path; the kernel has read it.
    GivenPath { dir, path: unsafe { CStr::from_ptr(path) } }
}

fn takes_mode(flags: c_int) -> bool {
    flags & (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) != 0
}

/// Books an open by path.
#[inline]
unsafe fn open_at(
    dir: c_int,
    path: *const c_char,
    flags: c_int,
    mode: mode_t,
    call: impl FnOnce() -> c_int,
) -> c_int {
    if is_vforked() {
        return call();
    }
    if !file::is_open() {
        let fd = call();
        // SAFETY: the call was made with this path.
        unsafe { inject::opened_file(fd, dir, path, flags) };
        return fd;
    }
    let (fd, span) = Span::of(call);
    if fd >= 0 {
        // SAFETY: the call succeeded.
        unsafe { inject::opened_file(fd, dir, path, flags) };
        let mode = if takes_mode(flags) { mode } else { 0 };
        // SAFETY: the call succeeded.
        posix::opened(fd, unsafe { given(dir, path) }, Origin::Path, flags, mode, span);
    } else {
        // SAFETY: the call was made with this path.
        unsafe { failed_at(dir, path, MetadataCall::Open, span) };
    }
    fd
}

/// Books a call on a path that failed.
#[cold]
#[inline(never)]
unsafe fn failed_at(dir: c_int, path: *const c_char, call: MetadataCall, span: Span) {
    // SAFETY: the caller vouches.
    unsafe { recorded::at(dir, path, call, errno(), span) };
}

/// Books an open that chose its own name.
#[inline]
fn open_own_name(flags: c_int, call: impl FnOnce() -> c_int) -> c_int {
    if !file::is_open() || is_vforked() {
        return call();
    }
    let (fd, span) = Span::of(call);
    if fd >= 0 {
        let nowhere = GivenPath { dir: AT_FDCWD, path: c"" };
        posix::opened(fd, nowhere, Origin::OwnName, flags, 0o600, span);
    }
    fd
}

const CREAT: c_int = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;

// The third argument of these is optional. As an integer it is passed like a named one.
interpose! {
    #[unsafe(link_section = ".text.hot")]
    fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int = |real|
        open_at(AT_FDCWD, path, flags, mode, move || real(path, flags, mode));
    #[unsafe(link_section = ".text.hot")]
    fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int = |real|
        open_at(AT_FDCWD, path, flags, mode, move || real(path, flags, mode));
    fn openat(dir: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int = |real|
        open_at(dir, path, flags, mode, move || real(dir, path, flags, mode));
    fn openat64(dir: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int = |real|
        open_at(dir, path, flags, mode, move || real(dir, path, flags, mode));
    fn __open_2(path: *const c_char, flags: c_int) -> c_int = |real|
        open_at(AT_FDCWD, path, flags, 0, move || real(path, flags));
    fn __open64_2(path: *const c_char, flags: c_int) -> c_int = |real|
        open_at(AT_FDCWD, path, flags, 0, move || real(path, flags));
    fn __openat_2(dir: c_int, path: *const c_char, flags: c_int) -> c_int = |real|
        open_at(dir, path, flags, 0, move || real(dir, path, flags));
    fn __openat64_2(dir: c_int, path: *const c_char, flags: c_int) -> c_int = |real|
        open_at(dir, path, flags, 0, move || real(dir, path, flags));
    fn creat(path: *const c_char, mode: mode_t) -> c_int = |real|
        open_at(AT_FDCWD, path, CREAT, mode, move || real(path, mode));
    fn creat64(path: *const c_char, mode: mode_t) -> c_int = |real|
        open_at(AT_FDCWD, path, CREAT, mode, move || real(path, mode));
    fn mkstemp(template: *mut c_char) -> c_int = |real| open_own_name(0, move || real(template));
    fn mkstemp64(template: *mut c_char) -> c_int = |real| open_own_name(0, move || real(template));
    fn mkostemp(template: *mut c_char, flags: c_int) -> c_int = |real|
        open_own_name(flags, move || real(template, flags));
    fn mkostemp64(template: *mut c_char, flags: c_int) -> c_int = |real|
        open_own_name(flags, move || real(template, flags));
    fn mkstemps(template: *mut c_char, suffix: c_int) -> c_int = |real|
        open_own_name(0, move || real(template, suffix));
    fn mkstemps64(template: *mut c_char, suffix: c_int) -> c_int = |real|
        open_own_name(0, move || real(template, suffix));
    fn mkostemps(template: *mut c_char, suffix: c_int, flags: c_int) -> c_int = |real|
        open_own_name(flags, move || real(template, suffix, flags));
    fn mkostemps64(template: *mut c_char, suffix: c_int, flags: c_int) -> c_int = |real|
        open_own_name(flags, move || real(template, suffix, flags));
}

interpose! {
    #[unsafe(link_section = ".text.hot")]
    fn close(fd: c_int) -> c_int = |real| posix::close(fd, move || real(fd));
    fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int = |real| {
        const CLOEXEC: c_int = 4;
        if flags & CLOEXEC == 0 && !is_vforked() && file::is_open() {
            file::detach_range(first, last);
        }
        real(first, last, flags)
    };
    fn closefrom(first: c_int) -> () = |real| {
        if !is_vforked() && file::is_open() {
            file::detach_range(first.max(0) as u32, u32::MAX);
        }
        real(first);
    };
    fn dup(fd: c_int) -> c_int = |real| duplicate(fd, move || real(fd));
    fn dup2(fd: c_int, to: c_int) -> c_int = |real| duplicate(fd, move || real(fd, to));
    fn dup3(fd: c_int, to: c_int, flags: c_int) -> c_int = |real| {
        duplicate(fd, move || real(fd, to, flags))
    };
    fn fcntl(fd: c_int, command: c_int, argument: usize) -> c_int = |real| {
        control(fd, command, move || real(fd, command, argument))
    };
    fn fcntl64(fd: c_int, command: c_int, argument: usize) -> c_int = |real| {
        control(fd, command, move || real(fd, command, argument))
    };
}

#[inline]
fn duplicate(fd: c_int, call: impl FnOnce() -> c_int) -> c_int {
    if !file::is_open() || is_vforked() {
        return call();
    }
    let _ = file::description(fd);
    let (to, span) = Span::of(call);
    if to >= 0 {
        posix::duplicated(fd, to, span);
    }
    to
}

#[inline]
fn control(fd: c_int, command: c_int, call: impl FnOnce() -> c_int) -> c_int {
    match command {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => duplicate(fd, call),
        libc::F_SETFL => {
            let result = call();
            if result == 0
                && let Some(description) = file::description(fd)
            {
                description.flags_changed(fd);
            }
            result
        }
        _ => call(),
    }
}

/// The bitwise union of all buffers' addresses, for the alignment test.
unsafe fn addresses(vector: *const iovec, count: c_int) -> usize {
    if vector.is_null() || count <= 0 {
        return 0;
    }
    // SAFETY: the kernel reads these too; if they are invalid, the call fails and this result is
    // not used, and a vector of more than 1024 buffers is refused.
    let vector = unsafe { core::slice::from_raw_parts(vector, count.min(1024) as usize) };
    vector.iter().fold(0, |bits, buffer| bits | buffer.iov_base as usize)
}

/// Makes a call with several buffers; they are read after it, when they are known to be valid.
#[inline]
unsafe fn vectored(
    fd: c_int,
    direction: posix::Direction,
    place: TransferOffset,
    vector: *const iovec,
    count: c_int,
    call: impl FnOnce() -> ssize_t,
) -> ssize_t {
    let Some(description) = file::description(fd) else { return call() };
    let open = OpenDescription::new(description);
    let (result, span) = Span::of(call);
    if result >= 0 {
        // SAFETY: the call succeeded.
        let aligned = posix::is_aligned(unsafe { addresses(vector, count) });
        open.moved(fd, direction, place, aligned, result as i64, span);
    }
    result
}

/// Version 2 of the vectored calls accepts −1 for the current position, and a flag that appends.
fn place_of(offset: off_t, flags: c_int) -> TransferOffset {
    let moves = offset == -1;
    match flags & libc::RWF_APPEND {
        0 if moves => Current,
        0 => At(offset),
        _ => TransferOffset::End { moves },
    }
}

interpose! {
    #[unsafe(link_section = ".text.hot")]
    fn read(fd: c_int, buffer: *mut c_void, size: size_t) -> ssize_t = |real|
        posix::transfer(fd, Read, Current, buffer as usize, move || real(fd, buffer, size));
    #[unsafe(link_section = ".text.hot")]
    fn write(fd: c_int, buffer: *const c_void, size: size_t) -> ssize_t = |real|
        posix::transfer(fd, Write, Current, buffer as usize, move || real(fd, buffer, size));
    #[unsafe(link_section = ".text.hot")]
    fn pread(fd: c_int, buffer: *mut c_void, size: size_t, offset: off_t) -> ssize_t = |real|
        posix::transfer(fd, Read, At(offset), buffer as usize, move || real(fd, buffer, size, offset));
    #[unsafe(link_section = ".text.hot")]
    fn pread64(fd: c_int, buffer: *mut c_void, size: size_t, offset: off_t) -> ssize_t = |real|
        posix::transfer(fd, Read, At(offset), buffer as usize, move || real(fd, buffer, size, offset));
    #[unsafe(link_section = ".text.hot")]
    fn pwrite(fd: c_int, buffer: *const c_void, size: size_t, offset: off_t) -> ssize_t = |real|
        posix::transfer(fd, Write, At(offset), buffer as usize, move || real(fd, buffer, size, offset));
    #[unsafe(link_section = ".text.hot")]
    fn pwrite64(fd: c_int, buffer: *const c_void, size: size_t, offset: off_t) -> ssize_t = |real|
        posix::transfer(fd, Write, At(offset), buffer as usize, move || real(fd, buffer, size, offset));
    fn __read_chk(fd: c_int, buffer: *mut c_void, size: size_t, room: size_t) -> ssize_t = |real|
        posix::transfer(fd, Read, Current, buffer as usize, move || real(fd, buffer, size, room));
    fn __pread_chk(
        fd: c_int, buffer: *mut c_void, size: size_t, offset: off_t, room: size_t,
    ) -> ssize_t = |real|
        posix::transfer(fd, Read, At(offset), buffer as usize,
            move || real(fd, buffer, size, offset, room));
    fn __pread64_chk(
        fd: c_int, buffer: *mut c_void, size: size_t, offset: off_t, room: size_t,
    ) -> ssize_t = |real|
        posix::transfer(fd, Read, At(offset), buffer as usize,
            move || real(fd, buffer, size, offset, room));
    fn readv(fd: c_int, vector: *const iovec, count: c_int) -> ssize_t = |real|
        vectored(fd, Read, Current, vector, count, move || real(fd, vector, count));
    fn writev(fd: c_int, vector: *const iovec, count: c_int) -> ssize_t = |real|
        vectored(fd, Write, Current, vector, count, move || real(fd, vector, count));
    fn preadv(fd: c_int, vector: *const iovec, count: c_int, offset: off_t) -> ssize_t = |real|
        vectored(fd, Read, At(offset), vector, count, move || real(fd, vector, count, offset));
    fn preadv64(fd: c_int, vector: *const iovec, count: c_int, offset: off_t) -> ssize_t = |real|
        vectored(fd, Read, At(offset), vector, count, move || real(fd, vector, count, offset));
    fn pwritev(fd: c_int, vector: *const iovec, count: c_int, offset: off_t) -> ssize_t = |real|
        vectored(fd, Write, At(offset), vector, count, move || real(fd, vector, count, offset));
    fn pwritev64(fd: c_int, vector: *const iovec, count: c_int, offset: off_t) -> ssize_t = |real|
        vectored(fd, Write, At(offset), vector, count, move || real(fd, vector, count, offset));
    fn preadv2(
        fd: c_int, vector: *const iovec, count: c_int, offset: off_t, flags: c_int,
    ) -> ssize_t = |real|
        vectored(fd, Read, place_of(offset, 0), vector, count,
            move || real(fd, vector, count, offset, flags));
    fn preadv64v2(
        fd: c_int, vector: *const iovec, count: c_int, offset: off_t, flags: c_int,
    ) -> ssize_t = |real|
        vectored(fd, Read, place_of(offset, 0), vector, count,
            move || real(fd, vector, count, offset, flags));
    fn pwritev2(
        fd: c_int, vector: *const iovec, count: c_int, offset: off_t, flags: c_int,
    ) -> ssize_t = |real|
        vectored(fd, Write, place_of(offset, flags), vector, count,
            move || real(fd, vector, count, offset, flags));
    fn pwritev64v2(
        fd: c_int, vector: *const iovec, count: c_int, offset: off_t, flags: c_int,
    ) -> ssize_t = |real|
        vectored(fd, Write, place_of(offset, flags), vector, count,
            move || real(fd, vector, count, offset, flags));
}

/// Copies between descriptors: a read of one and a write of the other.
#[inline]
unsafe fn copy(
    from: (c_int, *mut off_t),
    to: (c_int, *mut off_t),
    call: impl FnOnce() -> ssize_t,
) -> ssize_t {
    let source = file::description(from.0).map(OpenDescription::new);
    let target = file::description(to.0).map(OpenDescription::new);
    if source.is_none() && target.is_none() {
        return call();
    }
    let place = |offset: *mut off_t, moved: ssize_t| {
        // SAFETY: null or the program's; a bad one makes the call fail, and is not read then.
        let after = unsafe { offset.as_ref() };
        after.map_or(Current, |after| At(after - moved as off_t))
    };
    let (result, span) = Span::of(call);
    if result >= 0 {
        // The time must count once: if both are recorded, each gets half of it.
        let half = span.begin + (span.end - span.begin) / 2;
        let first = if target.is_some() { Span { end: half, ..span } } else { span };
        let second = if source.is_some() { Span { begin: half, ..span } } else { span };
        if let Some(source) = source {
            source.moved(from.0, Read, place(from.1, result), true, result as i64, first);
        }
        if let Some(target) = target {
            target.moved(to.0, Write, place(to.1, result), true, result as i64, second);
        }
    }
    result
}

const NO_OFFSET: *mut off_t = core::ptr::null_mut();

interpose! {
    fn sendfile(to: c_int, from: c_int, offset: *mut off_t, size: size_t) -> ssize_t = |real|
        copy((from, offset), (to, NO_OFFSET), move || real(to, from, offset, size));
    fn sendfile64(to: c_int, from: c_int, offset: *mut off_t, size: size_t) -> ssize_t = |real|
        copy((from, offset), (to, NO_OFFSET), move || real(to, from, offset, size));
    fn copy_file_range(
        from: c_int, from_offset: *mut off_t, to: c_int, to_offset: *mut off_t,
        size: size_t, flags: c_uint,
    ) -> ssize_t = |real|
        copy((from, from_offset), (to, to_offset),
            move || real(from, from_offset, to, to_offset, size, flags));
    fn splice(
        from: c_int, from_offset: *mut off_t, to: c_int, to_offset: *mut off_t,
        size: size_t, flags: c_uint,
    ) -> ssize_t = |real|
        copy((from, from_offset), (to, to_offset),
            move || real(from, from_offset, to, to_offset, size, flags));
}

interpose! {
    #[unsafe(link_section = ".text.hot")]
    fn lseek(fd: c_int, offset: off_t, whence: c_int) -> off_t = |real|
        posix::seek(fd, move || real(fd, offset, whence));
    #[unsafe(link_section = ".text.hot")]
    fn lseek64(fd: c_int, offset: off_t, whence: c_int) -> off_t = |real|
        posix::seek(fd, move || real(fd, offset, whence));
    #[unsafe(link_section = ".text.hot")]
    fn fsync(fd: c_int) -> c_int = |real| posix::sync(fd, counters::FSYNCS, move || real(fd));
    fn fdatasync(fd: c_int) -> c_int = |real| posix::sync(fd, counters::FDSYNCS, move || real(fd));
    fn mmap(
        address: *mut c_void, size: size_t, protection: c_int, flags: c_int, fd: c_int,
        offset: off_t,
    ) -> *mut c_void = |real|
        map(fd, size, flags, move || real(address, size, protection, flags, fd, offset));
    fn mmap64(
        address: *mut c_void, size: size_t, protection: c_int, flags: c_int, fd: c_int,
        offset: off_t,
    ) -> *mut c_void = |real|
        map(fd, size, flags, move || real(address, size, protection, flags, fd, offset));
    fn munmap(address: *mut c_void, size: size_t) -> c_int = |real| {
        let file = if is_vforked() { None } else { mapping::remove(address as usize) };
        let result = real(address, size);
        mapping::count(file, Operation::Munmap, result == 0);
        result
    };
    fn msync(address: *mut c_void, size: size_t, flags: c_int) -> c_int = |real| {
        let file = if is_vforked() { None } else { mapping::find(address as usize) };
        let Some(file) = file else { return real(address, size, flags) };
        let (result, span) = Span::of(move || real(address, size, flags));
        mapping::count(Some(file), Operation::Msync, result == 0);
        recorded::on_file(file, MetadataCall::Msync, outcome(result as isize), span);
        result
    };
}

#[inline]
fn map(fd: c_int, size: size_t, flags: c_int, call: impl FnOnce() -> *mut c_void) -> *mut c_void {
    if flags & libc::MAP_ANONYMOUS != 0 || fd < 0 {
        return call();
    }
    let description = file::description(fd);
    let address = call();
    if let Some(description) = description
        && address != libc::MAP_FAILED
    {
        posix::mapped(fd, size);
        mapping::insert(address as usize, size, description.file());
    }
    address
}

fn is_regular(mode: mode_t) -> bool {
    mode & libc::S_IFMT == libc::S_IFREG
}

/// Books a `stat` by descriptor.
#[inline]
unsafe fn stat_fd(fd: c_int, found: *mut Stat, call: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: read only after the call has filled it.
    let result = posix::stat_fd(fd, || is_regular(unsafe { (*found).st_mode }), call);
    if result == 0 {
        // SAFETY: the call has filled it.
        unsafe { inject::found_by_descriptor(fd, found) };
    }
    result
}

/// Books a `stat` by path; `mode` returns the mode of the file found.
#[inline]
unsafe fn stat_at(
    dir: c_int,
    path: *const c_char,
    mode: impl FnOnce() -> mode_t,
    call: impl FnOnce() -> c_int,
) -> c_int {
    if !file::is_open() || is_vforked() {
        return call();
    }
    let (result, span) = Span::of(call);
    if result == 0 && is_regular(mode()) && !path.is_null() {
        // SAFETY: the call succeeded.
        let given = unsafe { given(dir, path) };
        if given.path.is_empty() {
            posix::stat_of(dir, span);
        } else {
            posix::stat(given, span);
        }
    } else if result != 0 || !path.is_null() {
        // SAFETY: the call was made with this path.
        unsafe { recorded::at(dir, path, MetadataCall::Stat, outcome(result as isize), span) };
    }
    result
}

interpose! {
    #[unsafe(link_section = ".text.hot")]
    fn stat(path: *const c_char, found: *mut Stat) -> c_int = |real|
        stat_at(AT_FDCWD, path, || (*found).st_mode, move || real(path, found));
    fn stat64(path: *const c_char, found: *mut Stat) -> c_int = |real|
        stat_at(AT_FDCWD, path, || (*found).st_mode, move || real(path, found));
    #[unsafe(link_section = ".text.hot")]
    fn lstat(path: *const c_char, found: *mut Stat) -> c_int = |real|
        stat_at(AT_FDCWD, path, || (*found).st_mode, move || real(path, found));
    fn lstat64(path: *const c_char, found: *mut Stat) -> c_int = |real|
        stat_at(AT_FDCWD, path, || (*found).st_mode, move || real(path, found));
    #[unsafe(link_section = ".text.hot")]
    fn fstat(fd: c_int, found: *mut Stat) -> c_int = |real| stat_fd(fd, found, move || real(fd, found));
    fn fstat64(fd: c_int, found: *mut Stat) -> c_int = |real| stat_fd(fd, found, move || real(fd, found));
    fn fstatat(dir: c_int, path: *const c_char, found: *mut Stat, flags: c_int) -> c_int = |real|
        stat_at(dir, path, || (*found).st_mode, move || real(dir, path, found, flags));
    fn fstatat64(dir: c_int, path: *const c_char, found: *mut Stat, flags: c_int) -> c_int = |real|
        stat_at(dir, path, || (*found).st_mode, move || real(dir, path, found, flags));
    fn statx(
        dir: c_int, path: *const c_char, flags: c_int, mask: c_uint, found: *mut Statx,
    ) -> c_int = |real|
        stat_at(dir, path, || mode_t::from((*found).stx_mode),
            move || real(dir, path, flags, mask, found));
    // Programs built against a glibc before 2.33 call these.
    fn __xstat(version: c_int, path: *const c_char, found: *mut Stat) -> c_int = |real|
        stat_at(AT_FDCWD, path, || (*found).st_mode, move || real(version, path, found));
    fn __xstat64(version: c_int, path: *const c_char, found: *mut Stat) -> c_int = |real|
        stat_at(AT_FDCWD, path, || (*found).st_mode, move || real(version, path, found));
    fn __lxstat(version: c_int, path: *const c_char, found: *mut Stat) -> c_int = |real|
        stat_at(AT_FDCWD, path, || (*found).st_mode, move || real(version, path, found));
    fn __lxstat64(version: c_int, path: *const c_char, found: *mut Stat) -> c_int = |real|
        stat_at(AT_FDCWD, path, || (*found).st_mode, move || real(version, path, found));
    fn __fxstat(version: c_int, fd: c_int, found: *mut Stat) -> c_int = |real|
        stat_fd(fd, found, move || real(version, fd, found));
    fn __fxstat64(version: c_int, fd: c_int, found: *mut Stat) -> c_int = |real|
        stat_fd(fd, found, move || real(version, fd, found));
    fn __fxstatat(
        version: c_int, dir: c_int, path: *const c_char, found: *mut Stat, flags: c_int,
    ) -> c_int = |real|
        stat_at(dir, path, || (*found).st_mode, move || real(version, dir, path, found, flags));
    fn __fxstatat64(
        version: c_int, dir: c_int, path: *const c_char, found: *mut Stat, flags: c_int,
    ) -> c_int = |real|
        stat_at(dir, path, || (*found).st_mode, move || real(version, dir, path, found, flags));
}

/// Books a rename. Paths are read after the call, when they are known to be valid.
unsafe fn rename_at(
    from: (c_int, *const c_char),
    to: (c_int, *const c_char),
    call: impl FnOnce() -> c_int,
) -> c_int {
    if is_vforked() || !file::is_open() {
        return call();
    }
    let (result, span) = Span::of(call);
    if result == 0 {
        // SAFETY: the call succeeded.
        let (old, new) = unsafe { (given(from.0, from.1), given(to.0, to.1)) };
        if !posix::renamed(old, new, span) {
            // SAFETY: as above.
            unsafe { recorded::at(to.0, to.1, MetadataCall::Rename, 0, span) };
        }
    } else {
        // SAFETY: the call was made with this path.
        unsafe { failed_at(from.0, from.1, MetadataCall::Rename, span) };
    }
    result
}

/// Makes a call that changes the size of the file at a path, and books it in its directory and, if
/// the file is known, beside its counters.
unsafe fn truncate_at(path: *const c_char, call: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: as the caller says.
    let result = unsafe { at(AT_FDCWD, path, MetadataCall::Truncate, call) };
    if result == 0 && file::is_open() && !is_vforked() {
        // SAFETY: the call succeeded.
        posix::count_at(unsafe { given(AT_FDCWD, path) }, Operation::Truncate);
    }
    result
}

/// Counts a call on a descriptor that succeeded.
fn count_on(fd: c_int, operation: Operation, call: impl FnOnce() -> c_int) -> c_int {
    let result = call();
    if result == 0 {
        posix::count_on(fd, operation);
    }
    result
}

fn removal(flags: c_int) -> MetadataCall {
    if flags & libc::AT_REMOVEDIR != 0 { MetadataCall::Rmdir } else { MetadataCall::Unlink }
}

/// Makes a call that changes the size of a file, and books it.
#[inline]
fn truncate_on(fd: c_int, call: impl FnOnce() -> c_int) -> c_int {
    let result = on(fd, MetadataCall::Truncate, call);
    if result == 0 {
        posix::count_on(fd, Operation::Truncate);
    }
    result
}

interpose! {
    fn rename(from: *const c_char, to: *const c_char) -> c_int = |real|
        rename_at((AT_FDCWD, from), (AT_FDCWD, to), move || real(from, to));
    fn renameat(
        from_dir: c_int, from: *const c_char, to_dir: c_int, to: *const c_char,
    ) -> c_int = |real|
        rename_at((from_dir, from), (to_dir, to), move || real(from_dir, from, to_dir, to));
    fn renameat2(
        from_dir: c_int, from: *const c_char, to_dir: c_int, to: *const c_char, flags: c_uint,
    ) -> c_int = |real|
        rename_at((from_dir, from), (to_dir, to), move || real(from_dir, from, to_dir, to, flags));
    #[unsafe(link_section = ".text.hot")]
    fn unlink(path: *const c_char) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Unlink, move || real(path));
    fn unlinkat(dir: c_int, path: *const c_char, flags: c_int) -> c_int = |real|
        at(dir, path, removal(flags), move || real(dir, path, flags));
    fn remove(path: *const c_char) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Unlink, move || real(path));
    fn mkdir(path: *const c_char, mode: mode_t) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Mkdir, move || real(path, mode));
    fn mkdirat(dir: c_int, path: *const c_char, mode: mode_t) -> c_int = |real|
        at(dir, path, MetadataCall::Mkdir, move || real(dir, path, mode));
    fn rmdir(path: *const c_char) -> c_int = |real|
        at(AT_FDCWD, path, MetadataCall::Rmdir, move || real(path));
    fn truncate(path: *const c_char, size: off_t) -> c_int = |real|
        truncate_at(path, move || real(path, size));
    fn truncate64(path: *const c_char, size: off_t) -> c_int = |real|
        truncate_at(path, move || real(path, size));
    #[unsafe(link_section = ".text.hot")]
    fn ftruncate(fd: c_int, size: off_t) -> c_int = |real|
        truncate_on(fd, move || real(fd, size));
    #[unsafe(link_section = ".text.hot")]
    fn ftruncate64(fd: c_int, size: off_t) -> c_int = |real|
        truncate_on(fd, move || real(fd, size));
    fn fallocate(fd: c_int, mode: c_int, offset: off_t, size: off_t) -> c_int = |real|
        count_on(fd, Operation::Fallocate, move || real(fd, mode, offset, size));
    fn fallocate64(fd: c_int, mode: c_int, offset: off_t, size: off_t) -> c_int = |real|
        count_on(fd, Operation::Fallocate, move || real(fd, mode, offset, size));
    fn posix_fallocate(fd: c_int, offset: off_t, size: off_t) -> c_int = |real|
        count_on(fd, Operation::Fallocate, move || real(fd, offset, size));
    fn posix_fallocate64(fd: c_int, offset: off_t, size: off_t) -> c_int = |real|
        count_on(fd, Operation::Fallocate, move || real(fd, offset, size));
}

interpose! {
    fn chdir(path: *const c_char) -> c_int = |real| change_directory(move || real(path));
    fn fchdir(fd: c_int) -> c_int = |real| change_directory(move || real(fd));
    fn chroot(path: *const c_char) -> c_int = |real| {
        process::root_changes();
        let result = change_directory(move || real(path));
        if result == 0 {
            process::root_changed();
        }
        result
    };
}

fn change_directory(call: impl FnOnce() -> c_int) -> c_int {
    let result = call();
    if !is_vforked() {
        naming::working_directory_changed();
    }
    result
}
