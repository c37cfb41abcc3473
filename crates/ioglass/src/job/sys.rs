//! What only `unsafe` can do: ask the loader, the processor and the kernel.
#![allow(unsafe_code)]

mod fork;

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;
use nix::sys::signal::{SigSet, Signal};

pub(crate) use fork::detach;
pub(super) use fork::idle_child;

/// Whether standard input, output and error were closed, and whether SIGPIPE was ignored, before
/// Rust's runtime changed that.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];
static PIPE_IGNORED: AtomicBool = AtomicBool::new(false);
/// Whether SIGXFSZ was ignored before we did that.
static SIZE_IGNORED: AtomicBool = AtomicBool::new(false);

#[used]
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = at_start;

extern "C" fn at_start() {
    for (fd, closed) in CLOSED.iter().enumerate() {
        // SAFETY: asks for the flags of a descriptor and touches no memory.
        let flags = unsafe { libc::fcntl(fd as i32, libc::F_GETFD) };
        closed.store(flags < 0, Ordering::Relaxed);
    }
    PIPE_IGNORED.store(is_ignored(libc::SIGPIPE), Ordering::Relaxed);
    SIZE_IGNORED.store(is_ignored(libc::SIGXFSZ), Ordering::Relaxed);
}

fn is_ignored(signal: i32) -> bool {
    // SAFETY: all zero is a valid `sigaction`, which the call fills.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut old) == 0
            && old.sa_sigaction == libc::SIG_IGN
    }
}

/// The state that a program is started with: what this process was started with.
#[derive(Clone, Copy)]
pub(super) struct Inherited {
    mask: libc::sigset_t,
    /// Of the signals whose treatment is changed here, those that were ignored.
    ignored: [(i32, bool); 3],
}

impl Inherited {
    /// To be asked before anything is changed.
    pub(super) fn now() -> Self {
        // SAFETY: all zero is a valid set, which the call fills.
        let mask = unsafe {
            let mut mask = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), &raw mut mask);
            mask
        };
        let child = (libc::SIGCHLD, is_ignored(libc::SIGCHLD));
        let pipe = (libc::SIGPIPE, PIPE_IGNORED.load(Ordering::Relaxed));
        let size = (libc::SIGXFSZ, SIZE_IGNORED.load(Ordering::Relaxed));
        Self { mask, ignored: [child, pipe, size] }
    }

    /// Has `command` begin in this state.
    pub(super) fn give(self, command: &mut Command) {
        let restore = move || {
            for (fd, closed) in CLOSED.iter().enumerate() {
                if closed.load(Ordering::Relaxed) {
                    // SAFETY: the descriptor is one that the runtime opened.
                    unsafe { libc::close(fd as i32) };
                }
            }
            for (signal, ignored) in self.ignored {
                let action = if ignored { libc::SIG_IGN } else { libc::SIG_DFL };
                // SAFETY: sets no handler, so there is none to be unsafe.
                unsafe { libc::signal(signal, action) };
            }
            // SAFETY: the set is valid.
            unsafe {
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.mask, std::ptr::null_mut())
            };
            Ok(())
        };
        // SAFETY: between fork and exec it makes only calls that are safe there.
        unsafe { command.pre_exec(restore) };
    }
}

/// Who sent a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    /// The terminal, to everybody in front of it.
    Keyboard,
    /// A process, or the kernel to this one alone.
    Other,
}

/// Waits for one of these signals, which are blocked.
pub(super) fn wait_for(signals: &SigSet) -> io::Result<(Signal, Sender)> {
    // SAFETY: all zero is a valid description, which the call fills.
    let (number, info) = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        (libc::sigwaitinfo(std::ptr::from_ref(signals.as_ref()), &raw mut info), info)
    };
    if number < 0 {
        let error = io::Error::last_os_error();
        // Being stopped and continued interrupts, too; that is no signal of ours.
        if error.kind() == io::ErrorKind::Interrupted {
            return Ok((Signal::SIGCHLD, Sender::Other));
        }
        return Err(error);
    }
    let from_terminal =
        matches!(number, libc::SIGINT | libc::SIGQUIT) && info.si_code == libc::SI_KERNEL;
    let sender = if from_terminal { Sender::Keyboard } else { Sender::Other };
    Ok((Signal::try_from(number)?, sender))
}

/// Sees to it that this process is told of the end of its children.
pub(super) fn default_children() {
    // SAFETY: sets no handler, so there is none to be unsafe.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Drops what the keyboard has sent and nobody has taken.
pub(super) fn forget_keyboard() {
    for signal in [libc::SIGINT, libc::SIGQUIT] {
        // SAFETY: sets no handler, so there is none to be unsafe. Ignoring a signal drops it.
        unsafe {
            let before = libc::signal(signal, libc::SIG_IGN);
            libc::signal(signal, before);
        }
    }
}

/// Has writes past a limit on the size of files fail instead of ending this process.
pub(crate) fn survive_size_limit() {
    // SAFETY: sets no handler, so there is none to be unsafe.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Has writes to this file wait until there is room.
pub(super) fn wait_for_room(file: &File) {
    use std::os::fd::AsRawFd;
    // SAFETY: asks for flags and sets them; touches no memory.
    unsafe {
        let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
        libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK);
    }
}

/// Has standard error be this file.
pub(super) fn redirect_stderr(file: &File) {
    replace_file(file, libc::STDERR_FILENO);
}

fn replace_file(file: &File, fd: i32) {
    use std::os::fd::AsRawFd;
    // SAFETY: what is closed by it is a standard stream, which is used by number only.
    unsafe { libc::dup2(file.as_raw_fd(), fd) };
}

/// Ends this process by a signal, if the signal ends processes; no memory image is left.
pub(crate) fn die_by(signal: i32) {
    // SAFETY: sets no handler; sets and masks are valid.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
        libc::signal(signal, libc::SIG_DFL);
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut());
        libc::raise(signal);
    }
}

/// Takes these signals if they wait, and does not wait for them.
pub(super) fn drop_waiting(signals: &SigSet) {
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the set and the time are valid; what is known of the signals is not asked for.
    unsafe {
        while libc::sigtimedwait(signals.as_ref(), std::ptr::null_mut(), &raw const now) > 0 {}
    }
}

/// Whether a signal waits that this process has blocked.
pub(crate) fn is_waiting(signal: i32) -> bool {
    // SAFETY: all zero is a valid set, which the call fills.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigpending(&raw mut set) == 0 && libc::sigismember(&raw const set, signal) == 1
    }
}

/// Tells a recorder in this process, if there is one, that the command is not to be recorded.
pub(crate) fn disable_recorder() {
    // SAFETY: the name ends with NUL; a symbol of this name is a function without arguments.
    unsafe {
        let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"ioglass_disable".as_ptr());
        if !symbol.is_null() {
            let disable: extern "C" fn() = std::mem::transmute(symbol);
            disable();
        }
    }
}

/// The version of libc.
pub(crate) fn glibc_version() -> String {
    // SAFETY: the function gives a string that lives for ever.
    let version = unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) };
    version.to_string_lossy().into_owned()
}

/// Whether a file has been given capabilities.
pub(crate) fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    let name = c"security.capability";
    // SAFETY: both names end with NUL; no value is asked for, only its size.
    unsafe { libc::getxattr(path.as_ptr(), name.as_ptr(), std::ptr::null_mut(), 0) > 0 }
}

/// Maps a file that nobody writes any more.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: its process is gone, and others are kept out by its folder's mode.
    unsafe { Mmap::map(file) }
}

/// The processor's time-stamp counter, if it runs at one rate whatever the processor does.
#[cfg(target_arch = "x86_64")]
pub(super) fn invariant_tsc() -> Option<fn() -> u64> {
    use std::arch::x86_64::{__cpuid, _rdtsc};
    const POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    let known = __cpuid(0x8000_0000).eax >= POWER && __cpuid(POWER).edx & INVARIANT != 0;
    // SAFETY: every 64-bit x86 processor has the instruction.
    known.then_some(|| unsafe { _rdtsc() })
}

/// Other processors count in nanoseconds.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn invariant_tsc() -> Option<fn() -> u64> {
    None
}
