//! The keeper: a process beside the commands of a launch that makes the log if all of them are killed.
//!
//! Launchers kill all ranks if one fails: MPICH's by SIGKILL to the group of every rank, at once;
//! Open MPI's by SIGTERM, and SIGKILL as soon as one of them has ended. The first command of a launch
//! forks the keeper into a session of its own, where these signals do not reach it. It waits for the
//! locks of the commands. If the last command ends without a log, the keeper makes it.
//!
//! Until the log is written the keeper holds the standard error of its rank open, for which most launchers
//! wait. The launcher may not pass on its messages any more, so the keeper writes them to the launcher's
//! own standard error.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use crate::{alive, sys};

/// Longest time that a launcher takes to end after its ranks.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// The standard error of a launcher, for the messages of a keeper.
pub(crate) struct Voice {
    launcher: Option<Launcher>,
    file: Option<File>,
}

/// A process, identified by its number and its start.
#[derive(Debug, Clone, Copy)]
struct Launcher {
    pid: u32,
    begin: u64,
}

impl Voice {
    /// Opens it. The launcher has to live.
    pub(crate) fn of(launcher: Option<u32>) -> Self {
        let begin = |pid: u32| Some(Launcher { pid, begin: alive::begin(&pid.to_string())? });
        let launcher = launcher.and_then(begin);
        let mut options = OpenOptions::new();
        // Opening a pipe without a reader would block.
        options.append(true).custom_flags(libc::O_NOCTTY | libc::O_NONBLOCK);
        let open = |launcher: Launcher| {
            let file = options.open(format!("/proc/{}/fd/2", launcher.pid)).ok()?;
            sys::wait_for_room(&file);
            Some(file)
        };
        Self { launcher, file: launcher.and_then(open) }
    }

    /// Redirects standard error to it, if it could be opened.
    pub(crate) fn take(&self) {
        let Some(file) = &self.file else { return };
        // First: the launcher may wait until the old one is closed.
        sys::redirect_stderr(file);
        if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            // The launcher would overwrite what is appended to a file.
            self.waits_for_launcher();
        }
    }

    /// Waits for the end of the launcher, for some time. Returns true if it has ended.
    pub(crate) fn waits_for_launcher(&self) -> bool {
        let Some(launcher) = self.launcher else { return false };
        let lives = || alive::begin(&launcher.pid.to_string()) == Some(launcher.begin);
        let begin = Instant::now();
        while lives() && begin.elapsed() < LAST_WORDS {
            // The kernel reports the end of children only.
            std::thread::sleep(Duration::from_millis(10));
        }
        !lives()
    }
}
