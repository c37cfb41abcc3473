//! All `unsafe` of this crate: calls to the loader, the processor and the kernel.
#![allow(unsafe_code)]

mod fork;
mod interrupts;
mod requests;

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use memmap2::Mmap;
use nix::sys::signal::{SigSet, Signal};

pub(crate) use fork::{detach, idle_child, outliving_child};
pub use interrupts::{catch_interrupts, interrupt};
pub(crate) use requests::Requests;

/// True for standard input, output and error if they were closed before Rust's runtime opened them.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];
/// True if SIGPIPE was ignored before Rust's runtime ignored it.
static PIPE_IGNORED: AtomicBool = AtomicBool::new(false);
/// True if SIGXFSZ was ignored before [`survive_size_limit`].
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

/// Signals and descriptors as this process inherited them. A program is started with the same.
#[derive(Clone, Copy)]
pub(super) struct Inherited {
    mask: libc::sigset_t,
    /// The signals whose disposition this process changes; true if it was "ignored" before.
    ignored: [(i32, bool); 3],
}

impl Inherited {
    /// The present state. To be called before anything is changed.
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

    /// Lets `command` begin in this state.
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

/// Lets the kernel kill the program of `command` when the thread that starts it ends.
pub(super) fn end_with_parent(command: &mut Command) {
    let parent = std::process::id();
    let bind = move || {
        // SAFETY: touches no memory.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        // The parent may have ended before.
        if std::os::unix::process::parent_id() != parent {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    };
    // SAFETY: between fork and exec it makes only calls that are safe there.
    unsafe { command.pre_exec(bind) };
}

/// The sender of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    /// The terminal, which sends to its whole foreground group.
    Keyboard,
    /// A process, or the kernel for this process alone.
    Other,
}

/// Waits for one of these signals, which are blocked; at most so long, if there is a limit. A timeout
/// looks like the end of a child.
pub(super) fn wait_for(
    signals: &SigSet,
    longest: Option<Duration>,
) -> io::Result<(Signal, Sender)> {
    let longest = longest.map(|longest| libc::timespec {
        tv_sec: longest.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: longest.subsec_nanos().into(),
    });
    let limit = longest.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: all zero is a valid description, which the call fills.
    let (number, info) = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        (libc::sigtimedwait(std::ptr::from_ref(signals.as_ref()), &raw mut info, limit), info)
    };
    if number < 0 {
        let error = io::Error::last_os_error();
        // A stop and continue also interrupts the call.
        if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) {
            return Ok((Signal::SIGCHLD, Sender::Other));
        }
        return Err(error);
    }
    let from_terminal =
        matches!(number, libc::SIGINT | libc::SIGQUIT) && info.si_code == libc::SI_KERNEL;
    let sender = if from_terminal { Sender::Keyboard } else { Sender::Other };
    Ok((Signal::try_from(number)?, sender))
}

/// Resets SIGCHLD, so that this process can wait for its children.
pub(super) fn default_children() {
    // SAFETY: sets no handler, so there is none to be unsafe.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Drops pending signals of the keyboard.
pub(super) fn forget_keyboard() {
    for signal in [libc::SIGINT, libc::SIGQUIT] {
        // SAFETY: sets no handler, so there is none to be unsafe. Ignoring a signal drops it.
        unsafe {
            let before = libc::signal(signal, libc::SIG_IGN);
            libc::signal(signal, before);
        }
    }
}

/// Ignores SIGXFSZ: a write past the limit on file sizes fails then, and does not end this process.
/// Programs that a [`Job`](crate::Job) runs do not inherit that.
pub fn survive_size_limit() {
    // SAFETY: sets no handler, so there is none to be unsafe.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Makes writes to this file block.
pub(super) fn wait_for_room(file: &File) {
    use std::os::fd::AsRawFd;
    // SAFETY: asks for flags and sets them; touches no memory.
    unsafe {
        let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
        libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK);
    }
}

/// Redirects standard error to this file.
pub(super) fn redirect_stderr(file: &File) {
    replace_file(file, libc::STDERR_FILENO);
}

fn replace_file(file: &File, fd: i32) {
    use std::os::fd::AsRawFd;
    // SAFETY: it closes a standard stream, which is used by number only.
    unsafe { libc::dup2(file.as_raw_fd(), fd) };
}

/// Ends this process by a signal, without a core file. Returns if the signal does not end processes.
pub fn die_by(signal: i32) {
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

/// Takes these signals if they are pending.
pub(super) fn drop_waiting(signals: &SigSet) {
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the set and the time are valid; no description of the signals is asked for.
    unsafe {
        while libc::sigtimedwait(signals.as_ref(), std::ptr::null_mut(), &raw const now) > 0 {}
    }
}

/// Returns true if this signal is blocked and pending.
pub(crate) fn is_pending(signal: i32) -> bool {
    // SAFETY: all zero is a valid set, which the call fills.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigpending(&raw mut set) == 0 && libc::sigismember(&raw const set, signal) == 1
    }
}

/// Switches off the recorder in this process, if there is one.
pub fn disable_recorder() {
    // SAFETY: the name ends with NUL; a symbol of this name is a function without arguments.
    unsafe {
        let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"ioglass_disable".as_ptr());
        if !symbol.is_null() {
            let disable: extern "C" fn() = std::mem::transmute(symbol);
            disable();
        }
    }
}

/// The version of glibc.
pub fn glibc_version() -> String {
    // SAFETY: the function returns a string that lives for ever.
    let version = unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) };
    version.to_string_lossy().into_owned()
}

/// Returns true if a file has capabilities.
pub(crate) fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    let name = c"security.capability";
    // SAFETY: both names end with NUL; no value is asked for, only its size.
    unsafe { libc::getxattr(path.as_ptr(), name.as_ptr(), std::ptr::null_mut(), 0) > 0 }
}

/// Maps a file that has no writer any more.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: its process has ended, and the mode of its directory keeps other users out.
    unsafe { Mmap::map(file) }
}

/// The processor's time-stamp counter, if its rate is constant.
#[cfg(target_arch = "x86_64")]
pub(super) fn invariant_tsc() -> Option<fn() -> u64> {
    use std::arch::x86_64::{__cpuid, _rdtsc};
    const POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    let known = __cpuid(0x8000_0000).eax >= POWER && __cpuid(POWER).edx & INVARIANT != 0;
    // SAFETY: every 64-bit x86 processor has the instruction.
    known.then_some(|| unsafe { _rdtsc() })
}

/// Other processors have no time-stamp counter; their clock is the kernel's.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn invariant_tsc() -> Option<fn() -> u64> {
    None
}
