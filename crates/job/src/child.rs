//! Runs a program as if this process were not there.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Child, Command};
use std::time::Duration;

use ioglass_harvest::ProgramEnd;
use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::sys::{self, Inherited, Sender};
use crate::witness::Witness;
use crate::{Error, Result};

/// Signals that are passed on, unless they were sent to the whole group, which includes the program.
const PASSED_ON: [Signal; 9] = [
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGHUP,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGPWR,
    Signal::SIGURG,
];

/// A program that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// Its process id.
    pub pid: u32,
    /// Its exit status or signal.
    pub how: Ending,
}

/// The way in which a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// It exited with this status.
    Status(i32),
    /// This signal ended it.
    Signal(i32),
}

impl Ended {
    /// The exit status of a shell for it: the program's own, or 128 + the signal.
    pub fn code(self) -> u8 {
        match self.how {
            Ending::Status(status) => status as u8,
            Ending::Signal(signal) => (128 + signal) as u8,
        }
    }
}

impl From<Ended> for ProgramEnd {
    fn from(ended: Ended) -> Self {
        match ended.how {
            Ending::Status(status) => Self::Status(status as u8),
            Ending::Signal(signal) => Self::Signal(signal),
        }
    }
}

/// Runs `words`, a program and its arguments, with these variables and waits for its end. Signals to
/// this process are passed on to it meanwhile; SIGTERM, SIGHUP and those that the program got stay
/// blocked afterwards.
pub fn run(words: &[OsString], variables: &[(impl AsRef<OsStr>, OsString)]) -> Result<Ended> {
    run_and_look(words, variables, &mut || None)
}

/// The same; `look` is called after SIGCHLD, and after the time that it returned.
pub(crate) fn run_and_look(
    words: &[OsString],
    variables: &[(impl AsRef<OsStr>, OsString)],
    look: &mut dyn FnMut() -> Option<Duration>,
) -> Result<Ended> {
    start_and_wait(words, variables, look).map_err(|source| {
        let program = words.first().cloned().unwrap_or_default();
        Error::Start { program, source }
    })
}

/// An error means that the program was not started.
fn start_and_wait(
    words: &[OsString],
    variables: &[(impl AsRef<OsStr>, OsString)],
    look: &mut dyn FnMut() -> Option<Duration>,
) -> io::Result<Ended> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let inherited = Inherited::now();
    let mut command = Command::new(program);
    command.args(arguments);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    inherited.give(&mut command);

    let mut guard = Guard::new()?;
    let child = command.spawn()?;
    let ended = guard.wait(&child, look);
    drop(guard);
    ended
}

/// Passes signals to this process on to the program, as long as the guard lives.
struct Guard {
    waited_for: SigSet,
    /// Signals that must not end this process before the log is written: those that the program
    /// got, which often come twice, and those of a scheduler, which reach the program first.
    after: SigSet,
    witness: Witness,
}

impl Guard {
    fn new() -> io::Result<Self> {
        let mut waited_for = SigSet::empty();
        PASSED_ON.iter().chain(&[Signal::SIGCHLD]).for_each(|signal| waited_for.add(*signal));
        let mut after = SigSet::thread_get_mask()?;
        after.add(Signal::SIGTERM);
        after.add(Signal::SIGHUP);
        waited_for.thread_block()?;
        sys::default_children();
        Ok(Self { waited_for, after, witness: Witness::new() })
    }

    fn wait(
        &mut self,
        child: &Child,
        look: &mut dyn FnMut() -> Option<Duration>,
    ) -> io::Result<Ended> {
        let pid = Pid::from_raw(child.id().cast_signed());
        loop {
            match waitpid(pid, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(_, status)) => {
                    return Ok(Ended { pid: child.id(), how: Ending::Status(status) });
                }
                Ok(WaitStatus::Signaled(_, signal, _)) => {
                    self.after.add(signal);
                    return Ok(Ended { pid: child.id(), how: Ending::Signal(signal as i32) });
                }
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
            let (signal, sender) = sys::wait_for(&self.waited_for, look())?;
            if signal != Signal::SIGCHLD {
                self.after.add(signal);
            }
            // The witness also gets what the keyboard sends, so it is always asked.
            let is_known =
                signal == Signal::SIGCHLD || self.witness.saw(signal) || sender == Sender::Keyboard;
            if !is_known {
                // The program may have ended meanwhile.
                let _ = kill(pid, signal);
            }
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // A Ctrl-C that ended the program must not end this process before the log is written.
        sys::forget_keyboard();
        // Fails only for an invalid mask. From here on a new Ctrl-C ends this process again.
        let _ = self.after.thread_set_mask();
    }
}
