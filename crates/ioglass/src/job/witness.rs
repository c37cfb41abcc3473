//! Who a signal was for.
//!
//! The program is in the same process group as the command. What is sent to the group, by a terminal, a
//! shell or a scheduler, reaches both; what is sent to the command alone is meant for the program and
//! has to be passed on. A signal does not tell. So there is a witness, a process in the group that does
//! nothing: what it has got as well was sent to all.

use std::fs;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::Pid;

use super::sys;

/// Who sends to each process by its number, as `timeout` does before it sends to the group, takes less.
const MOMENT: Duration = Duration::from_millis(20);

/// The witness.
pub(super) struct Witness(Option<Pid>);

impl Witness {
    /// Without one, which limits may forbid, every signal is taken to be for the command alone.
    pub(super) fn new() -> Self {
        let child = sys::idle_child();
        Self(child.ok().map(|pid| Pid::from_raw(pid.cast_signed())))
    }

    /// Whether a signal that the command got was for others as well.
    pub(super) fn saw(&mut self, signal: Signal) -> bool {
        // The kernel gives a group its signal one process after the other.
        std::thread::sleep(MOMENT);
        let saw = self.waiting().is_some_and(|waiting| waiting >> (signal as u32 - 1) & 1 == 1);
        if saw {
            // It may come twice, to the process and to the group; the next witness knows nothing of it.
            let mut signals = SigSet::empty();
            signals.add(signal);
            sys::drop_waiting(&signals);
            *self = Self::new();
        }
        saw
    }

    /// Signals that wait for the witness, a bit for each.
    fn waiting(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0?)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"))?;
        u64::from_str_radix(line.trim(), 16).ok()
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            let _ = kill(pid, Signal::SIGKILL);
            let _ = waitpid(pid, None);
        }
    }
}
