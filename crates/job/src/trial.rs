//! Programs that run unseen, one after the other, and are ended when they take too long.
//!
//! A trial runs in a group of its own, without a terminal. It ends with this process, even if this process
//! is killed: the kernel ends its first process, and a guard ends all others, which it knows by a variable
//! in their environment.

mod guard;
mod if_killed;
mod processors;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::sys::{self, Inherited};
use crate::{Ended, Ending, Error, Result};
use guard::Guard;
use processors::Processors;

pub use if_killed::IfKilled;
pub use sys::{catch_interrupts, interrupt};

/// The variable by which processes of trials are known.
const VARIABLE: &str = "IOGLASS_TRIAL";
/// Time that a program has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);
/// The longest pause before the next look whether all is to end.
const PAUSE: Duration = Duration::from_millis(100);

/// What runs trials. Processes of trials end with it.
#[derive(Debug)]
pub struct Trials {
    id: String,
    guard: Option<Guard>,
}

/// A program to run.
#[derive(Debug, Clone, Copy)]
pub struct Trial<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// Variables for its environment.
    pub variables: &'a [(OsString, OsString)],
    /// Gets its standard output.
    pub output: &'a File,
    /// Gets its standard error.
    pub errors: &'a File,
    /// Time after which it is ended.
    pub limit: Option<Duration>,
}

/// A program that has ended, or was.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TrialEnd {
    /// How it ended.
    pub ended: Ended,
    /// Why it was ended; none if it ended by itself.
    pub over: Option<Over>,
    /// Time from its start to its end.
    pub wall: Duration,
    /// The share of the processors that others took meanwhile, as far as it can be told.
    pub others: Option<f64>,
}

/// A reason to end a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// It took too long.
    Limit,
    /// All is to end.
    Stopped,
}

impl Trials {
    /// Trials under this id, which nobody else has. What another process has left of trials with the same
    /// id is ended. If this process is killed, its trials are ended and `folders` are removed.
    pub fn new(id: &str, folders: Vec<PathBuf>) -> Trials {
        guard::end_all(id);
        guard::remove(&folders);
        // Without a guard the next process with this id does its work.
        Trials { id: id.into(), guard: Guard::start(id, folders).ok() }
    }

    /// The variable by which processes of trials are known, and its value.
    pub fn variable(&self) -> (OsString, OsString) {
        (VARIABLE.into(), self.id.clone().into())
    }

    /// Runs a program and waits for its end. It is ended if it takes too long, or if `stop` is set: by
    /// SIGTERM to its group, and SIGKILL some seconds later.
    pub fn run(&self, trial: &Trial<'_>, stop: &AtomicBool) -> Result<TrialEnd> {
        self.start_and_wait(trial, stop).map_err(|source| {
            let program = trial.words.first().cloned().unwrap_or_default();
            Error::Start { program, source }
        })
    }

    fn start_and_wait(&self, trial: &Trial<'_>, stop: &AtomicBool) -> io::Result<TrialEnd> {
        let (program, arguments) = trial.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let (name, id) = self.variable();
        let mut command = Command::new(program);
        command.args(arguments);
        command.envs(trial.variables.iter().map(|(name, value)| (name, value))).env(name, id);
        command.stdin(Stdio::null());
        command.stdout(trial.output.try_clone()?).stderr(trial.errors.try_clone()?);
        command.process_group(0);
        Inherited::now().give(&mut command);
        sys::end_with_parent(&mut command);
        let children = Children::block()?;
        let processors = Processors::now();
        let begin = Instant::now();
        let child = command.spawn()?;
        let (how, over, wall) = children.wait(&child, begin, trial.limit, stop)?;
        let others = Processors::others_since(processors, wall);
        if over.is_some() {
            // What left the group, as ranks do, does not outlive it.
            guard::end_all(&self.id);
        }
        Ok(TrialEnd { ended: Ended { pid: child.id(), how }, over, wall, others })
    }
}

impl Drop for Trials {
    fn drop(&mut self) {
        drop(self.guard.take());
    }
}

/// SIGCHLD is blocked as long as this lives, so that it can be waited for.
struct Children {
    before: SigSet,
    waited_for: SigSet,
}

impl Children {
    fn block() -> io::Result<Children> {
        let before = SigSet::thread_get_mask()?;
        let mut waited_for = SigSet::empty();
        waited_for.add(Signal::SIGCHLD);
        waited_for.thread_block()?;
        sys::default_children();
        Ok(Children { before, waited_for })
    }

    fn wait(
        &self,
        child: &Child,
        begin: Instant,
        limit: Option<Duration>,
        stop: &AtomicBool,
    ) -> io::Result<(Ending, Option<Over>, Duration)> {
        let group = Pid::from_raw(child.id().cast_signed());
        let mut over = None;
        let mut asked: Option<Instant> = None;
        let mut is_killed = false;
        loop {
            match waitpid(group, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(_, status)) => {
                    return Ok((Ending::Status(status), over, begin.elapsed()));
                }
                Ok(WaitStatus::Signaled(_, signal, _)) => {
                    return Ok((Ending::Signal(signal as i32), over, begin.elapsed()));
                }
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
            let left = limit.map(|limit| limit.saturating_sub(begin.elapsed()));
            if asked.is_none() {
                let is_late = left.is_some_and(|left| left.is_zero());
                over = match (stop.load(Relaxed), is_late) {
                    (true, _) => Some(Over::Stopped),
                    (_, true) => Some(Over::Limit),
                    _ => None,
                };
                if over.is_some() {
                    // The group may have ended meanwhile.
                    let _ = killpg(group, Signal::SIGTERM);
                    asked = Some(Instant::now());
                }
            }
            let kills_in = asked.map(|asked| GRACE.saturating_sub(asked.elapsed()));
            if kills_in.is_some_and(|left| left.is_zero()) && !is_killed {
                let _ = killpg(group, Signal::SIGKILL);
                is_killed = true;
            }
            let pause = [left, kills_in].into_iter().flatten().filter(|left| !left.is_zero());
            let pause = pause.fold(PAUSE, Duration::min);
            sys::wait_for(&self.waited_for, Some(pause))?;
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        // Fails only for an invalid mask.
        let _ = self.before.thread_set_mask();
    }
}

#[cfg(test)]
mod tests;
