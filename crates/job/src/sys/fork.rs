//! Forked copies of this process.

use std::fs::{self, File};
use std::io::{self, PipeWriter, Read};
use std::os::fd::AsRawFd;

use super::replace_file;

/// Runs `work` in another process with a session of its own: signals to the group of this process do
/// not reach it. Of the open files it keeps standard error alone.
pub(crate) fn detach(work: impl FnOnce()) -> io::Result<()> {
    let first = fork_alone(|| {
        // SAFETY: no memory is touched.
        if unsafe { libc::setsid() } >= 0 {
            // A second fork, so that no process has to wait for its end.
            let _ = fork_alone(|| {
                keep_only_stderr();
                work();
            });
        }
    })?;
    // SAFETY: the status is not asked for.
    unsafe { libc::waitpid(first.cast_signed(), std::ptr::null_mut(), 0) };
    Ok(())
}

fn keep_only_stderr() {
    close_from(libc::STDERR_FILENO + 1);
    if let Ok(null) = File::options().read(true).write(true).open("/dev/null") {
        replace_file(&null, libc::STDIN_FILENO);
        replace_file(&null, libc::STDOUT_FILENO);
    }
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGPIPE] {
        // SAFETY: sets no handler, so there is none to be unsafe.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// Starts an idle child in the group of this process: it has no files, blocks all signals and ends
/// with this process.
pub(crate) fn idle_child() -> io::Result<u32> {
    let parent = std::process::id();
    fork_alone(|| {
        // SAFETY: sets are filled before they are used; no other memory is touched.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
        close_from(libc::STDIN_FILENO);
        // The parent may have ended before.
        while std::os::unix::process::parent_id() == parent {
            // SAFETY: waits for a signal that is not blocked; such a signal ends the process.
            unsafe { libc::pause() };
        }
    })
}

/// Starts a child in a session of its own that runs `work` when the pipe is closed, at the latest when this
/// process ends, unless something is written to the pipe. Returns its process id and the end of the pipe.
pub(crate) fn outliving_child(work: impl FnOnce()) -> io::Result<(u32, PipeWriter)> {
    let (mut reader, writer) = io::pipe()?;
    let pid = fork_alone(|| {
        // SAFETY: no memory is touched.
        unsafe { libc::setsid() };
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGPIPE] {
            // SAFETY: sets no handler, so there is none to be unsafe.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
        close_all_but(reader.as_raw_fd());
        if !matches!(reader.read(&mut [0]), Ok(1)) {
            work();
        }
    })?;
    Ok((pid, writer))
}

/// Forks; the copy runs `work` and ends. Returns the process id of the copy.
fn fork_alone(work: impl FnOnce()) -> io::Result<u32> {
    // The copy of a process with several threads would not be sound.
    if fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    // SAFETY: there is one thread, so the copy is as good as the original.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            // A panic cannot be reported.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            // SAFETY: ends the copy without the exit handlers of the original.
            unsafe { libc::_exit(0) }
        }
        pid => Ok(pid.cast_unsigned()),
    }
}

/// Closes all files from this number on.
fn close_from(first: i32) {
    close(|fd| fd >= first);
}

/// Closes all files but this one.
fn close_all_but(kept: i32) {
    close(|fd| fd != kept);
}

fn close(is_closed: impl Fn(i32) -> bool) {
    let open = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<i32> =
        open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| is_closed(*fd)) {
        // SAFETY: nothing in this copy uses the descriptor any more.
        unsafe { libc::close(fd) };
    }
}
