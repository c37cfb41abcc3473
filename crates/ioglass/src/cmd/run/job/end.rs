//! How a job ends: the last of its commands makes the log, or the keeper does.

use std::io::Write;
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use ioglass_insight::Level;

use super::super::summary;
use super::{Job, Made};
use crate::cli;
use crate::job::file::JobFile;
use crate::job::keeper::Voice;
use crate::job::launch::Ended;
use crate::job::output::Output;
use crate::job::together::{self, Left, Member};
use crate::job::{alive, harvest, leftover, place, sys};

/// How long a command whose program failed waits for programs that still run.
const GRACE: Duration = Duration::from_secs(1);

/// How long it pauses before it looks again, for each that it looks at. All end at once then, which
/// matters to launchers.
const PAUSE: Duration = Duration::from_micros(200);

impl Job {
    /// The program was never started.
    pub(in crate::cmd::run) fn abandon(
        &mut self,
        args: &cli::Run,
        output: &Output,
    ) -> anyhow::Result<()> {
        let left = self.leave(None)?;
        if left.iter().any(|left| left.ended.is_some()) {
            let made = self.make_log(args, output, &left)?;
            self.clean_up(&made);
        } else if !left.is_empty() {
            place::remove_job(&self.folder);
        }
        Ok(())
    }

    /// Makes the log and says what is in it, unless others are still at it.
    pub(in crate::cmd::run) fn finish(
        &mut self,
        args: &cli::Run,
        output: &Output,
        ended: Ended,
    ) -> anyhow::Result<Option<Level>> {
        let left = self.leave(Some(ended))?;
        if left.is_empty() {
            if self.alarms_launcher(ended) {
                self.linger();
            }
            return Ok(None);
        }
        let told = self.make_log(args, output, &left).and_then(|made| self.tell(args, &made));
        // Those who linger end along with this command.
        self.member = None;
        told
    }

    /// Says what is in the log, and removes what it was made of.
    fn tell(&self, args: &cli::Run, made: &Made) -> anyhow::Result<Option<Level>> {
        if self.launched.is_none() {
            self.clean_up(made);
        }
        let told = made.log.as_ref().map(|log| {
            let others = if self.nested { Vec::new() } else { leftover::collect() };
            summary::report(args, log, &others)
        });
        // What was not said, because its command was killed or the launcher is gone, the keeper says.
        let is_said = told.as_ref().is_none_or(Result::is_ok);
        let has_keeper = self.member.is_some() && together::is_kept(&self.folder);
        if self.launched.is_some() && (is_said || !has_keeper) {
            self.clean_up(made);
        }
        told.transpose().map(Option::flatten)
    }

    /// Whether the launcher will kill the others for what this program did.
    fn alarms_launcher(&self, ended: Ended) -> bool {
        let rank = self.launched.as_ref().map(|launched| launched.rank);
        let has_left = |rank| harvest::has_left_mpi(&place::captures(&self.folder), rank);
        ended.code() != 0 || rank.is_some_and(has_left)
    }

    /// Gives the others, which probably end for the same reason, time to make the log before the
    /// launcher knows.
    fn linger(&self) {
        let begin = Instant::now();
        while let Some((members, programs)) = together::at_work(&self.folder) {
            // Another may have come late, and wait for this one in MPI.
            if sys::is_waiting(libc::SIGTERM) || programs > 0 && begin.elapsed() > GRACE {
                return;
            }
            // Others tell of themselves in files only; the more there are, the less often each looks.
            std::thread::sleep(PAUSE * members);
        }
    }

    /// Leaves a keeper beside a launch that this command begins.
    pub(in crate::cmd::run) fn leave_keeper(&mut self, args: &cli::Run, output: &Output) {
        let is_first = self.member.as_ref().is_some_and(Member::is_first);
        // Inside another run nothing is lost with the launch.
        if is_first && !self.nested {
            // Without one a job whose commands are all killed waits for `ioglass recover`.
            let _ = sys::detach(|| self.outlive_all(args, output));
        }
    }

    /// What the keeper does.
    fn outlive_all(&mut self, args: &cli::Run, output: &Output) {
        // The lock is the command's; here its file is closed already.
        let Some(member) = self.member.take().map(ManuallyDrop::new) else { return };
        let Some(launched) = self.launched.clone() else { return };
        let voice = Voice::of(launched.launcher);
        let Ok(_keeps) = together::keep(&self.folder) else { return };
        let missing = |left: &[Left]| -> Vec<u32> {
            let is_missing = |rank: &u32| left.iter().all(|left| left.rank != *rank);
            (0..launched.ranks).filter(is_missing).collect()
        };
        // With the launcher gone, whoever has not come to its node never will.
        let are_all_here = launched.here == Some(launched.ranks as usize);
        let wait = |left: &[Left]| {
            if are_all_here && !missing(left).is_empty() && voice.waits_for_launcher() {
                // What was killed with the launcher may still be writing its part.
                std::thread::sleep(GRACE);
            }
        };
        let Ok(mut left) = together::outlive(&self.folder, member.gate(), wait) else { return };
        let Some(file) = JobFile::read(&self.folder) else {
            // Whoever was removing the folder may have been killed at it.
            place::remove_job(&self.folder);
            return;
        };
        if file.told {
            return;
        }
        let never_came = missing(&left);
        let mut output = output.clone();
        if are_all_here && !never_came.is_empty() && voice.waits_for_launcher() {
            let pid = std::process::id();
            left.extend(never_came.into_iter().map(|rank| Left { rank, pid, ended: None }));
            // It may have been thought so before, and the log be that of others.
            if output.is_newer_than(file.start_ns) {
                output = Output::Named(output.path().to_path_buf());
            }
        }
        let made = if file.harvested {
            let captures = harvest::open(&self.paths(), &[]);
            Ok(Made { log: Some(file.log.clone()), captures, file })
        } else {
            self.make_log(args, &output, &left)
        };
        voice.take();
        if let Err(error) = made.and_then(|made| self.tell(args, &made)) {
            self.say_failure(&error);
        }
    }

    /// Says why there is no log, and how to get it.
    pub(in crate::cmd::run) fn say_failure(&self, error: &anyhow::Error) {
        let mut aside = anstream::stderr().lock();
        // If standard error is gone there is nobody left to tell.
        let _ = writeln!(aside, "ioglass: {error:#}");
        let folder = self.folder.display();
        let _ = writeln!(aside, "  help:  ioglass recover {folder}     tries again");
    }

    /// Removes what is in the log now. What living processes write to stays, and what they are
    /// still to write has a place.
    fn clean_up(&self, made: &Made) {
        if !self.nested {
            harvest::remove_finished(&made.captures, &self.paths());
        }
        let file = JobFile { told: true, ..made.file.clone() };
        let is_needed = self.nested || alive::has_members(&self.folder, file.pid);
        for folder in self.folders() {
            if is_needed || !place::remove_job(&folder) {
                // Without it the leftovers are recovered into another place.
                let _ = file.write(&folder);
            }
        }
    }
}
