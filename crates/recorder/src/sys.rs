//! System calls, made directly.
//!
//! The recorder's own calls must not come back to it through the interposed functions, and must not
//! touch `errno`, so none of them goes through libc.

use core::arch::asm;
use core::ffi::CStr;
use core::sync::atomic::AtomicU32;

use libc::c_long;

/// The error number of a system call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub i32);

/// Makes a system call with up to six arguments.
///
/// # Safety
/// As the call demands.
#[inline]
pub unsafe fn call(number: c_long, args: [usize; 6]) -> Result<usize, Errno> {
    let result: isize;
    // SAFETY: the caller vouches for the arguments; the kernel changes only the named registers.
    unsafe {
        asm!("syscall", inlateout("rax") number as isize => result,
            in("rdi") args[0], in("rsi") args[1], in("rdx") args[2],
            in("r10") args[3], in("r8") args[4], in("r9") args[5],
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    if (-4095..0).contains(&result) { Err(Errno(-result as i32)) } else { Ok(result as usize) }
}

/// A descriptor of the recorder, closed when it goes out of scope.
#[derive(Debug)]
pub struct Fd(pub i32);

impl Drop for Fd {
    fn drop(&mut self) {
        // SAFETY: closes a descriptor that nobody else has.
        let _ = unsafe { call(libc::SYS_close, [self.0 as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Opens `path`; close-on-exec is added to `flags`.
pub fn open(path: &CStr, flags: i32, mode: u32) -> Result<Fd, Errno> {
    open_at(libc::AT_FDCWD, path, flags, mode)
}

/// Opens `path` below `dir`; close-on-exec is added to `flags`.
pub fn open_at(dir: i32, path: &CStr, flags: i32, mode: u32) -> Result<Fd, Errno> {
    let args = [
        dir as usize,
        path.as_ptr() as usize,
        (flags | libc::O_CLOEXEC) as usize,
        mode as usize,
        0,
        0,
    ];
    // SAFETY: the path is a C string.
    unsafe { call(libc::SYS_openat, args) }.map(|fd| Fd(fd as i32))
}

/// Reads into `buffer` until it is full or the file ends.
pub fn read_all(fd: &Fd, buffer: &mut [u8]) -> Result<usize, Errno> {
    let mut filled = 0;
    while filled < buffer.len() {
        let rest = &mut buffer[filled..];
        let args = [fd.0 as usize, rest.as_mut_ptr() as usize, rest.len(), 0, 0, 0];
        // SAFETY: the buffer is ours.
        match unsafe { call(libc::SYS_read, args) } {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(Errno(libc::EINTR)) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(filled)
}

/// Reads the start of a file.
pub fn read_file(path: &CStr, buffer: &mut [u8]) -> Result<usize, Errno> {
    read_all(&open(path, libc::O_RDONLY, 0)?, buffer)
}

/// The most bytes that [`write_zeros`] writes.
pub const ZEROS: usize = ZERO_PAGE.0.len() * ZERO_PAGES;
// Few, because their list is on the stack, which may be a signal handler's.
const ZERO_PAGES: usize = 16;
#[repr(align(4096))]
struct ZeroPage([u8; 4096]);
static ZERO_PAGE: ZeroPage = ZeroPage([0; 4096]);

/// Writes up to [`ZEROS`] zero bytes at `offset`, from one page that is used repeatedly.
pub fn write_zeros(fd: &Fd, size: usize, offset: u64) -> Result<(), Errno> {
    let page = &ZERO_PAGE.0;
    let base = page.as_ptr().cast_mut().cast();
    let mut pages =
        [const { libc::iovec { iov_base: core::ptr::null_mut(), iov_len: 0 } }; ZERO_PAGES];
    let mut left = size;
    for part in &mut pages {
        *part = libc::iovec { iov_base: base, iov_len: left.min(page.len()) };
        left -= part.iov_len;
    }
    let args = [fd.0 as usize, pages.as_ptr() as usize, ZERO_PAGES, offset as usize, 0, 0];
    loop {
        // SAFETY: the page is readable, and only read.
        match unsafe { call(libc::SYS_pwritev, args) } {
            Ok(count) if count == size => return Ok(()),
            Ok(_) => return Err(Errno(libc::ENOSPC)),
            Err(Errno(libc::EINTR)) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Allocates the first `size` bytes of a file. Existing data stays.
pub fn allocate(fd: &Fd, size: usize) -> Result<(), Errno> {
    // SAFETY: changes nothing but a file of ours.
    unsafe { call(libc::SYS_fallocate, [fd.0 as usize, 0, 0, size, 0, 0]) }.map(|_| ())
}

/// Writes all of `bytes` at `offset`.
pub fn write_at(fd: &Fd, mut bytes: &[u8], mut offset: u64) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let args = [fd.0 as usize, bytes.as_ptr() as usize, bytes.len(), offset as usize, 0, 0];
        // SAFETY: the bytes are readable.
        match unsafe { call(libc::SYS_pwrite64, args) } {
            Ok(0) => return Err(Errno(libc::ENOSPC)),
            Ok(count) => {
                bytes = &bytes[count..];
                offset += count as u64;
            }
            Err(Errno(libc::EINTR)) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Writes all of `bytes` where the file is.
pub fn write_all(fd: &Fd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let args = [fd.0 as usize, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0];
        // SAFETY: the bytes are readable.
        match unsafe { call(libc::SYS_write, args) } {
            Ok(0) => return Err(Errno(libc::ENOSPC)),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno(libc::EINTR)) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Target of the link `path`; the name has no NUL at the end.
pub fn read_link<'b>(path: &CStr, buffer: &'b mut [u8]) -> Result<&'b [u8], Errno> {
    let args = [
        libc::AT_FDCWD as usize,
        path.as_ptr() as usize,
        buffer.as_mut_ptr() as usize,
        buffer.len(),
        0,
        0,
    ];
    // SAFETY: path and buffer are ours.
    let len = unsafe { call(libc::SYS_readlinkat, args) }?;
    Ok(&buffer[..len])
}

/// The working directory, without NUL.
pub fn working_directory(buffer: &mut [u8]) -> Result<&[u8], Errno> {
    let args = [buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0, 0];
    // SAFETY: the buffer is ours.
    let len = unsafe { call(libc::SYS_getcwd, args) }?;
    Ok(&buffer[..len.saturating_sub(1)])
}

/// Makes a directory.
pub fn make_dir(path: &CStr, mode: u32) -> Result<(), Errno> {
    let args = [libc::AT_FDCWD as usize, path.as_ptr() as usize, mode as usize, 0, 0, 0];
    // SAFETY: the path is a C string.
    unsafe { call(libc::SYS_mkdirat, args) }.map(drop)
}

/// Removes a file.
pub fn unlink(path: &CStr) -> Result<(), Errno> {
    let args = [libc::AT_FDCWD as usize, path.as_ptr() as usize, 0, 0, 0, 0];
    // SAFETY: the path is a C string.
    unsafe { call(libc::SYS_unlinkat, args) }.map(drop)
}

/// Removes an empty directory.
pub fn remove_dir(path: &CStr) -> Result<(), Errno> {
    let flag = libc::AT_REMOVEDIR as usize;
    let args = [libc::AT_FDCWD as usize, path.as_ptr() as usize, flag, 0, 0, 0];
    // SAFETY: the path is a C string.
    unsafe { call(libc::SYS_unlinkat, args) }.map(drop)
}

/// Renames a file.
pub fn rename(from: &CStr, to: &CStr) -> Result<(), Errno> {
    let (at, from, to) = (libc::AT_FDCWD as usize, from.as_ptr(), to.as_ptr());
    // SAFETY: the paths are C strings.
    unsafe { call(libc::SYS_renameat2, [at, from as usize, at, to as usize, 0, 0]) }.map(drop)
}

/// Renames a file to a name that no file has.
pub fn rename_new(from: &CStr, to: &CStr) -> Result<(), Errno> {
    let (at, old, new) = (libc::AT_FDCWD as usize, from.as_ptr() as usize, to.as_ptr() as usize);
    let flags = libc::RENAME_NOREPLACE as usize;
    // SAFETY: the paths are C strings.
    match unsafe { call(libc::SYS_renameat2, [at, old, at, new, flags, 0]) } {
        // Some file systems do not support this; they have links.
        Err(errno) if matches!(errno.0, libc::EINVAL | libc::ENOSYS | libc::EOPNOTSUPP) => {
            // SAFETY: as above.
            unsafe { call(libc::SYS_linkat, [at, old, at, new, 0, 0]) }?;
            unlink(from)
        }
        renamed => renamed.map(drop),
    }
}

/// Sets the permissions of a file.
pub fn set_mode(fd: &Fd, mode: u32) -> Result<(), Errno> {
    // SAFETY: changes only the file.
    unsafe { call(libc::SYS_fchmod, [fd.0 as usize, mode as usize, 0, 0, 0, 0]) }.map(drop)
}

/// Status of the file behind a descriptor.
pub fn stat_fd(fd: i32) -> Result<libc::stat, Errno> {
    // SAFETY: all zero is a value of it, and the kernel fills it.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        call(libc::SYS_fstat, [fd as usize, &raw mut stat as usize, 0, 0, 0, 0])?;
        Ok(stat)
    }
}

/// Status of the file at a path.
pub fn stat(path: &CStr) -> Result<libc::stat, Errno> {
    stat_at(libc::AT_FDCWD, path, 0)
}

/// Status of the file at a path below a directory.
pub fn stat_at(dir: i32, path: &CStr, flags: i32) -> Result<libc::stat, Errno> {
    // SAFETY: all zero is a value of it, and the kernel fills it.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        let args =
            [dir as usize, path.as_ptr() as usize, &raw mut stat as usize, flags as usize, 0, 0];
        call(libc::SYS_newfstatat, args)?;
        Ok(stat)
    }
}

/// The file system a descriptor is on.
pub fn statfs_fd(fd: i32) -> Result<libc::statfs, Errno> {
    // SAFETY: all zero is a value of it, and the kernel fills it.
    unsafe {
        let mut stat: libc::statfs = core::mem::zeroed();
        call(libc::SYS_fstatfs, [fd as usize, &raw mut stat as usize, 0, 0, 0, 0])?;
        Ok(stat)
    }
}

/// The file system a path is on.
pub fn statfs(path: &CStr) -> Result<libc::statfs, Errno> {
    // SAFETY: all zero is a value of it, and the kernel fills it.
    unsafe {
        let mut stat: libc::statfs = core::mem::zeroed();
        call(libc::SYS_statfs, [path.as_ptr() as usize, &raw mut stat as usize, 0, 0, 0, 0])?;
        Ok(stat)
    }
}

/// Reads an attribute of a descriptor's file into `room`, and returns its size; without room it
/// returns only the size.
pub fn attribute(fd: i32, name: &CStr, room: *mut u8, size: usize) -> Result<usize, Errno> {
    let args = [fd as usize, name.as_ptr() as usize, room as usize, size, 0, 0];
    // SAFETY: the caller has as much room.
    unsafe { call(libc::SYS_fgetxattr, args) }
}

/// The position of a descriptor.
pub fn position(fd: i32) -> Result<i64, Errno> {
    let args = [fd as usize, 0, libc::SEEK_CUR as usize, 0, 0, 0];
    // SAFETY: changes nothing.
    unsafe { call(libc::SYS_lseek, args) }.map(|position| position as i64)
}

/// Flags of an open file.
pub fn file_flags(fd: i32) -> Result<i32, Errno> {
    let args = [fd as usize, libc::F_GETFL as usize, 0, 0, 0, 0];
    // SAFETY: changes nothing.
    unsafe { call(libc::SYS_fcntl, args) }.map(|flags| flags as i32)
}

/// Soft and hard limit of a resource.
pub fn limit(resource: u32) -> Result<(u64, u64), Errno> {
    let mut limits = [0_u64; 2];
    let args = [0, resource as usize, 0, limits.as_mut_ptr() as usize, 0, 0];
    // SAFETY: asks only; the kernel fills two words.
    unsafe { call(libc::SYS_prlimit64, args) }?;
    Ok((limits[0], limits[1]))
}

/// Private memory that the kernel provides when it is touched.
pub fn map_private(size: usize) -> Result<*mut u8, Errno> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    map(size, flags, -1, 0)
}

/// A part of a file, shared with other mappings of it; all pages are populated at once.
pub fn map_shared(fd: &Fd, offset: u64, size: usize) -> Result<*mut u8, Errno> {
    map(size, libc::MAP_SHARED | libc::MAP_POPULATE, fd.0, offset)
}

/// All of a file, for reading; it may change meanwhile. If it is all in memory, `at_once` populates
/// all pages.
pub fn map_to_read(fd: &Fd, size: usize, at_once: bool) -> Result<*const u8, Errno> {
    let flags = if at_once { libc::MAP_SHARED | libc::MAP_POPULATE } else { libc::MAP_SHARED };
    let args = [0, size, libc::PROT_READ as usize, flags as usize, fd.0 as usize, 0];
    // SAFETY: a new mapping at an address of the kernel's choice.
    unsafe { call(libc::SYS_mmap, args) }.map(|address| address as *const u8)
}

fn map(size: usize, flags: i32, fd: i32, offset: u64) -> Result<*mut u8, Errno> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let args = [0, size, protection as usize, flags as usize, fd as usize, offset as usize];
    // SAFETY: a new mapping at an address of the kernel's choice.
    unsafe { call(libc::SYS_mmap, args) }.map(|address| address as *mut u8)
}

/// Populates pages that are about to be written, all at once. Kernels without this feature do so
/// one by one.
pub fn wants_pages(address: *mut u8, size: usize) {
    let args = [address as usize, size, libc::MADV_POPULATE_WRITE as usize, 0, 0, 0];
    // SAFETY: nothing changes but that the pages are populated.
    let _ = unsafe { call(libc::SYS_madvise, args) };
}

/// Maps pages of a file that are about to be read, all at once, where the kernel can.
pub fn reads_pages(address: *const u8, size: usize) {
    let args = [address as usize, size, libc::MADV_POPULATE_READ as usize, 0, 0, 0];
    // SAFETY: nothing changes but that the pages are populated.
    let _ = unsafe { call(libc::SYS_madvise, args) };
}

/// Unmaps a mapping.
///
/// # Safety
/// Nobody uses it any more.
pub unsafe fn unmap(address: *mut u8, size: usize) {
    // SAFETY: the caller vouches.
    let _ = unsafe { call(libc::SYS_munmap, [address as usize, size, 0, 0, 0, 0]) };
}

/// A clock, in nanoseconds.
pub fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: libc's function reads the clock without entering the kernel where it can; it is not
    // interposed.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Process id.
pub fn pid() -> u32 {
    // SAFETY: always succeeds.
    unsafe { call(libc::SYS_getpid, [0; 6]) }.unwrap_or(0) as u32
}

/// Process id of the parent.
pub fn parent_pid() -> u32 {
    // SAFETY: always succeeds.
    unsafe { call(libc::SYS_getppid, [0; 6]) }.unwrap_or(0) as u32
}

/// Thread id.
pub fn tid() -> u32 {
    // SAFETY: always succeeds.
    unsafe { call(libc::SYS_gettid, [0; 6]) }.unwrap_or(0) as u32
}

/// Real user id.
pub fn uid() -> u32 {
    // SAFETY: always succeeds.
    unsafe { call(libc::SYS_getuid, [0; 6]) }.unwrap_or(0) as u32
}

/// User id that is used for file access.
pub fn effective_uid() -> u32 {
    // SAFETY: always succeeds.
    unsafe { call(libc::SYS_geteuid, [0; 6]) }.unwrap_or(0) as u32
}

/// Returns true if a thread of this process lives.
pub fn thread_lives(pid: u32, tid: u32) -> bool {
    // SAFETY: signal 0 only asks.
    let asked = unsafe { call(libc::SYS_tgkill, [pid as usize, tid as usize, 0, 0, 0, 0]) };
    asked != Err(Errno(libc::ESRCH))
}

/// Returns true if the process exists.
pub fn process_lives(pid: u32) -> bool {
    // SAFETY: signal 0 only asks.
    let asked = unsafe { call(libc::SYS_kill, [pid as usize, 0, 0, 0, 0, 0]) };
    asked != Err(Errno(libc::ESRCH))
}

/// Blocks all signals in the calling thread, and returns those that were blocked before.
pub fn block_signals() -> u64 {
    change_signals(u64::MAX)
}

/// Sets the blocked signals of the calling thread.
pub fn set_signals(blocked: u64) {
    change_signals(blocked);
}

fn change_signals(blocked: u64) -> u64 {
    let mut before = 0_u64;
    let (new, old) = (&raw const blocked as usize, &raw mut before as usize);
    // SAFETY: the kernel reads one word and fills the other.
    let _ = unsafe {
        call(
            libc::SYS_rt_sigprocmask,
            [libc::SIG_SETMASK as usize, new, old, size_of::<u64>(), 0, 0],
        )
    };
    before
}

/// Returns true if the calling thread is on its alternate signal stack.
pub fn is_on_signal_stack() -> bool {
    // SAFETY: all zero is a value of it, and the kernel fills it.
    unsafe {
        let mut stack: libc::stack_t = core::mem::zeroed();
        let args = [0, &raw mut stack as usize, 0, 0, 0, 0];
        call(libc::SYS_sigaltstack, args).is_ok() && stack.ss_flags & libc::SS_ONSTACK != 0
    }
}

/// Lets other threads run.
pub fn yield_now() {
    // SAFETY: changes nothing.
    let _ = unsafe { call(libc::SYS_sched_yield, [0; 6]) };
}

/// Sleeps for `ns` nanoseconds.
pub fn pause(ns: u64) {
    let time = libc::timespec {
        tv_sec: (ns / 1_000_000_000).cast_signed(),
        tv_nsec: (ns % 1_000_000_000).cast_signed(),
    };
    // SAFETY: changes nothing.
    let _ = unsafe { call(libc::SYS_nanosleep, [&raw const time as usize, 0, 0, 0, 0, 0]) };
}

/// Sleeps while a word that processes share has this value, at most `ns` nanoseconds. Returns true
/// if it was woken, or had no reason to sleep.
pub fn sleep_on(word: &AtomicU32, value: u32, ns: u64) -> bool {
    let time = libc::timespec {
        tv_sec: (ns / 1_000_000_000).cast_signed(),
        tv_nsec: (ns % 1_000_000_000).cast_signed(),
    };
    let args = [
        word.as_ptr() as usize,
        libc::FUTEX_WAIT as usize,
        value as usize,
        &raw const time as usize,
        0,
        0,
    ];
    // SAFETY: only reads the word.
    let slept = unsafe { call(libc::SYS_futex, args) };
    slept != Err(Errno(libc::ETIMEDOUT))
}

/// Wakes all threads that sleep on a word.
pub fn wake(word: &AtomicU32) {
    let args = [word.as_ptr() as usize, libc::FUTEX_WAKE as usize, i32::MAX as usize, 0, 0, 0];
    // SAFETY: changes nothing.
    let _ = unsafe { call(libc::SYS_futex, args) };
}

// Only glibc has them.
core::arch::global_asm!(".weak gnu_get_libc_version", ".weak __libc_stack_end");

/// Sends a signal to a process.
pub fn tell(pid: u32, signal: i32) {
    // SAFETY: touches no memory.
    let _ = unsafe { call(libc::SYS_kill, [pid as usize, signal as usize, 0, 0, 0, 0]) };
}

/// The namespace of process ids; 0 if it is not known.
pub fn pid_namespace() -> u64 {
    stat(c"/proc/self/ns/pid").map_or(0, |stat| stat.st_ino)
}

/// Returns true if the C library is glibc.
pub fn is_glibc() -> bool {
    let version: usize;
    // SAFETY: an address that the loader has filled in, or null.
    unsafe {
        core::arch::asm!("mov {}, qword ptr [rip + gnu_get_libc_version@GOTPCREL]",
                         out(reg) version, options(pure, readonly, nostack));
    }
    version != 0
}

/// Address of the initial stack: the number of arguments, the arguments, and the environment.
pub fn first_stack() -> Option<*const usize> {
    let stack: *const *const usize;
    // SAFETY: as above.
    unsafe {
        core::arch::asm!("mov {}, qword ptr [rip + __libc_stack_end@GOTPCREL]",
                         out(reg) stack, options(pure, readonly, nostack));
        stack.as_ref().copied().filter(|stack| !stack.is_null())
    }
}

/// Returns true if the program has rights that its user does not have: then the environment, which is
/// the user's, is not to be trusted.
pub fn is_secure() -> bool {
    let Some(stack) = first_stack() else { return false };
    // SAFETY: the kernel has put arguments, environment and the auxiliary vector there, each ended by
    // null.
    unsafe {
        let mut at = stack.add(1 + *stack + 1);
        while *at != 0 {
            at = at.add(1);
        }
        at = at.add(1);
        while *at != 0 {
            if *at == libc::AT_SECURE as usize {
                return *at.add(1) != 0;
            }
            at = at.add(2);
        }
    }
    false
}
