//! Tells signals to the process group from signals to this process alone.
//!
//! The program is in the same process group as the command that runs it. A signal that a terminal, a
//! shell or a scheduler sends to the group reaches both. A signal to the command alone is meant for the
//! program and has to be passed on. The signal itself does not say which it is. So the group has a
//! witness, an idle process: a signal that reached the witness too was sent to the group.

use std::fs;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::Pid;

use crate::sys;

/// `timeout` sends a signal to one process, then to the group; this is longer than it takes between the two.
const MOMENT: Duration = Duration::from_millis(20);

/// The idle process.
pub(super) struct Witness(Option<Pid>);

impl Witness {
    /// Starts the witness. Limits may forbid it; then every signal counts as sent to the command alone.
    pub(super) fn new() -> Self {
        let child = sys::idle_child();
        Self(child.ok().map(|pid| Pid::from_raw(pid.cast_signed())))
    }

    /// Returns true if a signal that the command got was sent to the group.
    pub(super) fn saw(&mut self, signal: Signal) -> bool {
        // The kernel gives a group its signal one process after the other.
        std::thread::sleep(MOMENT);
        let saw = self.waiting().is_some_and(|waiting| waiting >> (signal as u32 - 1) & 1 == 1);
        if saw {
            // It may come twice, to the process and to the group. A new witness has seen neither.
            let mut signals = SigSet::empty();
            signals.add(signal);
            sys::drop_waiting(&signals);
            *self = Self::new();
        }
        saw
    }

    /// Pending signals of the witness, one bit each.
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
