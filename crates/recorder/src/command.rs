//! The command that runs the job: it writes the profile when a process asks for it.

use core::sync::atomic::{AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};

use crate::wait::wait;
use crate::{capture, neighbour, sys};

/// Time after which a waiting process looks whether the command lives.
const LOOK_AGAIN: u64 = 50_000_000;

/// Asks the command to write the profile, and waits at most `seconds` for it. Returns 0 or an error
/// number; 0 if there is nobody to ask, because the command writes it at the end.
pub fn ask_for_profile(seconds: u64) -> i32 {
    let Some(budget) = capture::shared_budget() else { return 0 };
    // SAFETY: words of a mapping that stays, and that are changed only atomically.
    let [wanted, done, outcome, by] = unsafe {
        [
            &raw mut (*budget).flush_wanted,
            &raw mut (*budget).flush_done,
            &raw mut (*budget).flush_outcome,
            &raw mut (*budget).flush_by,
        ]
        .map(|word| AtomicU32::from_ptr(word))
    };
    let command = by.load(Acquire);
    // SAFETY: written before the process id.
    let namespace = unsafe { (*budget).flush_namespace };
    let is_there = || by.load(Acquire) == command && neighbour::lives(command);
    if command == 0 || sys::pid_namespace() != namespace || !is_there() {
        return 0;
    }
    let own = wanted.fetch_add(1, AcqRel).wrapping_add(1);
    sys::tell(command, libc::SIGCHLD);
    let now = sys::clock_ns(libc::CLOCK_MONOTONIC);
    let deadline = now.saturating_add(seconds.saturating_mul(1_000_000_000));
    let is_done = |number: u32| number.wrapping_sub(own).cast_signed() >= 0;
    let waited = wait(done, is_done, LOOK_AGAIN, || {
        let is_in_time = sys::clock_ns(libc::CLOCK_MONOTONIC) <= deadline;
        match is_there() {
            false => Err(0),
            true if is_in_time => Ok(()),
            true => Err(libc::ETIMEDOUT),
        }
    });
    match waited {
        Ok(_) => outcome.load(Relaxed).cast_signed(),
        Err(errno) => errno,
    }
}
