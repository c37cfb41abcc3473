//! The end of a job: the last of its commands makes the log, or the keeper does.

use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use super::{Harvested, Job};
use crate::child::Ended;
use crate::job_file::JobFile;
use crate::keeper::Voice;
use crate::members::{self, Member, MemberRecord};
use crate::output::LogOutput;
use crate::{Result, alive, directory, harvest, sys};

/// Longest time that a command whose program failed waits for programs that still run.
const GRACE: Duration = Duration::from_secs(1);

/// Pause of the keeper before its next look at processes that end.
const PAUSE_OF_KEEPER: Duration = Duration::from_millis(10);

/// Pause before the next look, for each command that is looked at. Short, because launchers expect that
/// all end at once.
const PAUSE: Duration = Duration::from_micros(200);

impl Job {
    /// Gives the job up because its program was not started. The log of a launch is made if this was
    /// its last command.
    pub fn abandon(mut self) -> Result<()> {
        let members = self.leave(None)?;
        if members.iter().any(|member| member.ended.is_some()) {
            let harvested = self.harvest(&self.setup.output, &members)?;
            self.clean_up(&harvested);
        } else if !members.is_empty() {
            directory::remove_job(&self.directory);
        }
        Ok(())
    }

    /// Removes the job and its captures without a log.
    pub fn discard(self) {
        directory::discard(&self.directory);
    }

    /// Makes the log. `None` if other commands of the launch still run; the last of them makes it. The
    /// caller tells the user about the log and then calls [`close`](Self::close).
    pub fn finish(&mut self, ended: Ended) -> Result<Option<Harvested>> {
        let members = self.leave(Some(ended))?;
        if members.is_empty() {
            if self.alarms_launcher(ended) {
                self.linger();
            }
            return Ok(None);
        }
        let harvested = self.harvest(&self.setup.output, &members)?;
        if self.setup.launch.is_none() {
            self.clean_up(&harvested);
        }
        Ok(Some(harvested))
    }

    /// Removes what is in the log and ends the job. `was_told` is true if the user knows about the log; if
    /// not, because this command cannot print any more, the keeper of the launch tells the user.
    pub fn close(&mut self, harvested: &Harvested, was_told: bool) {
        let has_keeper = self.member.is_some() && members::is_kept(&self.directory);
        if self.setup.launch.is_some() && (was_told || !has_keeper) {
            self.clean_up(harvested);
        }
        // Commands that linger end together with this one.
        self.member = None;
    }

    /// Returns true if the launcher will kill the other ranks for what this program did.
    fn alarms_launcher(&self, ended: Ended) -> bool {
        let rank = self.setup.launch.as_ref().map(|launch| launch.rank);
        let has_left = |rank| harvest::has_left_mpi(&directory::captures(&self.directory), rank);
        ended.code() != 0 || rank.is_some_and(has_left)
    }

    /// Waits for the other commands, which probably end for the same reason, so that they can make the
    /// log before the launcher knows.
    fn linger(&self) {
        let begin = Instant::now();
        while let Some((commands, programs)) = members::at_work(&self.directory) {
            // Another command may have come late and wait for this one in MPI.
            if sys::is_pending(libc::SIGTERM) || programs > 0 && begin.elapsed() > GRACE {
                return;
            }
            // The state of the others is in files only. The more commands, the less often each looks.
            std::thread::sleep(PAUSE * commands);
        }
    }

    /// Starts a keeper if this command began a launch: a process that makes the log if all commands of
    /// the launch are killed, and then calls `tell`. Its standard error is that of the launcher. This
    /// process must have one thread; otherwise there is no keeper.
    pub fn keep(&mut self, tell: impl FnOnce(&mut Job, Result<Harvested>)) {
        let is_first = self.member.as_ref().is_some_and(Member::is_first);
        // Inside another job nothing is lost with the launch.
        if is_first && !self.nested {
            // Without a keeper a job whose commands are all killed waits for `ioglass recover`.
            let _ = sys::detach(|| self.outlive_all(tell));
        }
    }

    /// The work of the keeper.
    fn outlive_all(&mut self, tell: impl FnOnce(&mut Job, Result<Harvested>)) {
        // The lock belongs to the command; in this process its file is closed already.
        let Some(member) = self.member.take().map(ManuallyDrop::new) else { return };
        let Some(launch) = self.setup.launch.clone() else { return };
        let voice = Voice::of(launch.launcher);
        let Ok(_keeps) = members::keep(&self.directory) else { return };
        let missing = |members: &[MemberRecord]| -> Vec<u32> {
            let is_missing = |rank: &u32| members.iter().all(|member| member.rank != *rank);
            (0..launch.ranks).filter(is_missing).collect()
        };
        // A rank that has not come before the launcher ends never will.
        let are_all_here = launch.here == Some(launch.ranks as usize);
        let wait = |members: &[MemberRecord]| {
            if are_all_here && !missing(members).is_empty() && voice.waits_for_launcher() {
                // A command that was killed with the launcher may still write its part.
                std::thread::sleep(GRACE);
            }
        };
        let outlived = members::outlive(&self.directory, member.gate(), wait);
        let Ok(mut members) = outlived else { return };
        let Some(file) = JobFile::read(&self.directory) else {
            // The command that removed the directory may have been killed before it was done.
            directory::remove_job(&self.directory);
            return;
        };
        if file.told {
            // The launcher waits for the standard error of the rank, and need not.
            voice.take();
            return self.clean_up_rest();
        }
        let never_came = missing(&members);
        let mut output = self.setup.output.clone();
        if are_all_here && !never_came.is_empty() && voice.waits_for_launcher() {
            let pid = std::process::id();
            let absent = never_came.into_iter().map(|rank| MemberRecord { rank, pid, ended: None });
            members.extend(absent);
            // A log that is newer than this job is that of other ranks.
            if output.is_newer_than(file.start_ns) {
                output = LogOutput::Named(output.path().to_path_buf());
            }
        }
        let harvested = if file.harvested {
            let captures = harvest::open(&self.captures(), &[]);
            let log = Some(file.log.clone());
            let profile = None;
            Ok(Harvested { log, refused: None, profile, waiting: None, captures, file })
        } else {
            self.harvest(&output, &members)
        };
        voice.take();
        tell(self, harvested);
        self.clean_up_rest();
    }

    /// Removes captures of processes that still lived when the log was made and have done nothing since.
    /// A launcher kills programs together with their commands, but they may take a moment to end.
    fn clean_up_rest(&self) {
        let open = || harvest::open(&self.captures(), &[]);
        let begin = Instant::now();
        let mut captures = open();
        while captures.iter().any(|capture| capture.living().is_some()) && begin.elapsed() < GRACE {
            std::thread::sleep(PAUSE_OF_KEEPER);
            captures = open();
        }
        let Some(file) = JobFile::read(&self.directory).filter(|file| file.harvested) else {
            return;
        };
        // What has news becomes a log with the next command.
        captures.retain(|capture| file.seen.contains(&capture.contents()));
        harvest::remove_finished(&captures, &self.captures());
        if !alive::has_members(&self.directory, file.pid) {
            for directory in self.directories() {
                directory::remove_job(&directory);
            }
        }
    }

    /// Removes what is in the log. Captures of living processes stay, and the directory stays for captures that
    /// they are still to make.
    fn clean_up(&self, harvested: &Harvested) {
        if !self.nested {
            harvest::remove_finished(&harvested.captures, &self.captures());
        }
        let file = JobFile { told: true, ..harvested.file.clone() };
        let is_needed = self.nested || alive::has_members(&self.directory, file.pid);
        for directory in self.directories() {
            if is_needed || !directory::remove_job(&directory) {
                // Without it the leftovers are recovered into another file.
                let _ = file.write(&directory);
            }
        }
    }
}
