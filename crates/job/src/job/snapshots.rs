//! Snapshots: the profile of a job that runs, written again and again.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use ioglass_profile::State;
use nix::sys::signal::{SigSet, SigmaskHow};

use super::Job;
use crate::child::{self, Ended};
use crate::harvest::{self, OpenCapture};
use crate::{Result, mounts, profile};

/// A snapshot takes at most one part in so many of the time between two.
const SHARE: u32 = 10;

impl Job {
    /// Runs the command; every so often another thread writes the profile as it is then.
    pub(super) fn run_with_snapshots(&self, every: Duration) -> Result<Ended> {
        let (end, ended) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let write = move || {
                let mut pause = every;
                while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                    let begin = Instant::now();
                    self.write_snapshot();
                    pause = every.max(begin.elapsed() * SHARE);
                }
            };
            // Signals are for the thread that passes them on.
            let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK);
            // Without a thread there are no snapshots.
            let _ = thread::Builder::new().spawn_scoped(scope, write);
            if let Ok(before) = before {
                // Fails only for an invalid mask.
                let _ = before.thread_set_mask();
            }
            let ended = child::run(&self.setup.words, &self.variables);
            drop(end);
            ended
        })
    }

    /// Writes the profile of what the processes did so far. The one at the end tells of problems.
    fn write_snapshot(&self) {
        let captures = harvest::open(&self.captures(), &[]);
        let all: Vec<&OpenCapture> = captures.iter().collect();
        let facts = self.facts(super::now_ns(), mounts::mounts(), None);
        let log = self.snapshot_log.get_or_init(|| self.setup.output.expected());
        let made = self.setup.profile.make(&all, &facts, State::Running);
        if let Some(path) = self.setup.profile.write(made, &facts, log).and_then(|made| made.path) {
            let _ = self.snapshot.set(path);
        }
    }

    /// Removes the last snapshot, unless the profile at the end took its place.
    pub(super) fn remove_snapshot(&self, made: Option<&std::path::Path>) {
        if let Some(snapshot) = self.snapshot.get().filter(|path| Some(path.as_path()) != made) {
            profile::remove(snapshot);
        }
    }
}
