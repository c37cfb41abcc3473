//! The keeper: a process beside the commands of a launch that makes the log if all of them are killed.
//!
//! When a rank fails, launchers kill the rest: MPICH's by SIGKILL to the group of every rank, at once;
//! Open MPI's by SIGTERM, and SIGKILL as soon as one of them has ended. The first command of a launch
//! forks the keeper into a session of its own, where that does not reach it. It waits for the locks of
//! the commands and ends when the last of them has, or has made the log that none of them could.
//!
//! Until the log is there it keeps the standard error of its rank, for which most launchers wait. What it
//! has to say the launcher may not hand on any more, so that goes where the launcher's own words do.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use super::{alive, sys};

/// How long a launcher may take to end after all it has started.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Where a keeper speaks.
pub(crate) struct Voice {
    launcher: Option<Launcher>,
    file: Option<File>,
}

/// A process, known again by when it began.
#[derive(Debug, Clone, Copy)]
struct Launcher {
    pid: u32,
    begin: u64,
}

impl Voice {
    /// To be called while the launcher lives.
    pub(crate) fn of(launcher: Option<u32>) -> Self {
        let begin = |pid: u32| Some(Launcher { pid, begin: alive::begin(&pid.to_string())? });
        let launcher = launcher.and_then(begin);
        let mut options = OpenOptions::new();
        // Without a reader, opening a pipe would wait for one.
        options.append(true).custom_flags(libc::O_NOCTTY | libc::O_NONBLOCK);
        let open = |launcher: Launcher| {
            let file = options.open(format!("/proc/{}/fd/2", launcher.pid)).ok()?;
            sys::wait_for_room(&file);
            Some(file)
        };
        Self { launcher, file: launcher.and_then(open) }
    }

    /// Has standard error be where the launcher speaks, or leaves it if that is nowhere.
    pub(crate) fn take(&self) {
        let Some(file) = &self.file else { return };
        // First: the launcher may wait for the end of what it was.
        sys::redirect_stderr(file);
        if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            // It would write over what is appended.
            self.waits_for_launcher();
        }
    }

    /// Waits for the end of the launcher, and tells whether it came.
    pub(crate) fn waits_for_launcher(&self) -> bool {
        let Some(launcher) = self.launcher else { return false };
        let lives = || alive::begin(&launcher.pid.to_string()) == Some(launcher.begin);
        let begin = Instant::now();
        while lives() && begin.elapsed() < LAST_WORDS {
            // Nobody is told of the end of a process that is not its child.
            std::thread::sleep(Duration::from_millis(10));
        }
        !lives()
    }
}
