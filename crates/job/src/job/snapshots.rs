//! Snapshots: the profile of a job that runs, written again and again.

use std::time::Instant;

use ioglass_profile::State;

use super::Job;
use crate::alive::Seen;
use crate::child::{self, Ended};
use crate::harvest::{self, OpenCapture};
use crate::sys::Requests;
use crate::{Result, profile};

/// A snapshot takes at most one part in so many of the time between two.
const SHARE: u32 = 10;

/// The outcome for processes whose profile could not be written.
const FAILED: i32 = libc::EIO;

impl Job {
    /// Runs the command. Meanwhile the profile is written as it is then: every so often, and when a
    /// process asks for it.
    pub(super) fn run_with_snapshots(&self) -> Result<Ended> {
        let requests = Requests::hear(&self.directory).ok();
        let every = self.setup.snapshots;
        let (mut done, mut begin, mut pause) = (0, Instant::now(), every);
        let mut seen = Seen::default();
        let mut look = || {
            let count = requests.as_ref().map_or(0, Requests::count);
            let is_due = pause.is_some_and(|pause| begin.elapsed() >= pause);
            if count != done || is_due {
                let now = Instant::now();
                let is_written = self.write_snapshot(&mut seen);
                if let Some(requests) = &requests {
                    requests.are_done(count, if is_written { 0 } else { FAILED });
                }
                done = count;
                begin = Instant::now();
                pause = every.map(|every| every.max(now.elapsed() * SHARE));
            }
            pause.map(|pause| pause.saturating_sub(begin.elapsed()))
        };
        let ended = child::run_and_look(&self.setup.words, &self.variables, &mut look);
        if let Some(requests) = requests {
            requests.end();
        }
        ended
    }

    /// Writes the profile of what the processes did so far. Returns false if that failed; the one at
    /// the end tells why.
    fn write_snapshot(&self, seen: &mut Seen) -> bool {
        let captures = harvest::open_again(&self.captures(), &[], seen);
        let all: Vec<&OpenCapture> = captures.iter().collect();
        // A profile has no mounts.
        let facts = self.facts(super::now_ns(), Vec::new(), None);
        let log = self.snapshot_log.get_or_init(|| self.setup.output.expected());
        let made = self.setup.profile.make(&all, &facts, State::Running);
        match self.setup.profile.write(made, &facts, log) {
            Some(made) => made.path.map(|path| self.snapshot.set(path)).is_some(),
            None => true,
        }
    }

    /// Removes the last snapshot, unless the profile at the end took its place.
    pub(super) fn remove_snapshot(&self, made: Option<&std::path::Path>) {
        if let Some(snapshot) = self.snapshot.get().filter(|path| Some(path.as_path()) != made) {
            profile::remove(snapshot);
        }
    }
}
