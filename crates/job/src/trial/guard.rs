//! Who ends the processes of trials if nobody else can.

use std::fs;
use std::io;
use std::io::PipeWriter;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::VARIABLE;
use crate::job_file::JobFile;
use crate::{directory, sys};

/// The longest time that is spent on processes that do not end.
const LONGEST: Duration = Duration::from_secs(5);
/// Pause before the next look at processes that end.
const PAUSE: Duration = Duration::from_millis(5);

/// A process that ends all processes of trials when this one ends, however it ends.
#[derive(Debug)]
pub(super) struct Guard {
    pid: u32,
    /// It waits for the end of this pipe.
    life: Option<PipeWriter>,
}

impl Guard {
    /// Starts it. This process must have one thread.
    pub(super) fn start(id: &str, folders: Vec<PathBuf>) -> io::Result<Guard> {
        let id = id.to_owned();
        let (pid, life) = sys::outliving_child(move || {
            end_all(&id);
            remove(&folders);
        })?;
        Ok(Guard { pid, life: Some(life) })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.life.take());
        // Its status is of no interest.
        let _ = nix::sys::wait::waitpid(Pid::from_raw(self.pid.cast_signed()), None);
    }
}

/// Removes folders of runs, and what is recorded for logs in them.
pub(super) fn remove(folders: &[PathBuf]) {
    let folders: Vec<PathBuf> =
        folders.iter().filter_map(|folder| std::path::absolute(folder).ok()).collect();
    for directory in directory::jobs() {
        let job = JobFile::read(&directory);
        if job.is_some_and(|job| folders.iter().any(|folder| job.log.starts_with(folder))) {
            directory::discard(&directory);
        }
    }
    for folder in folders {
        // It may be gone already.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Ends all processes of this user whose environment has this id.
pub(super) fn end_all(id: &str) {
    let mark = format!("{VARIABLE}={id}").into_bytes();
    let begin = Instant::now();
    loop {
        let found = marked(&mark);
        for pid in &found {
            // It may have ended meanwhile.
            let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
        }
        if found.is_empty() || begin.elapsed() > LONGEST {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Processes with this text among their variables. Those of others cannot be read, and the dead have none.
fn marked(mark: &[u8]) -> Vec<i32> {
    let own = std::process::id().cast_signed();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_marked = |pid: &i32| {
        let variables = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable == mark)
    };
    pids.filter(|pid| *pid != own).filter(is_marked).collect()
}
