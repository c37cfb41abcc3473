//! Signals that ask this process to end.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

/// Is set by the first signal.
static ASKED: AtomicBool = AtomicBool::new(false);
/// The number of that signal.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// From now on SIGINT, SIGTERM and SIGHUP do not end this process but set the flag that is returned. A
/// second SIGINT ends it at once. What is ignored, as under nohup, stays so.
pub fn catch_interrupts() -> &'static AtomicBool {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        if super::is_ignored(signal) {
            continue;
        }
        // SAFETY: all zero is a valid action; the handler makes only calls that are safe in one.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = note as *const () as usize;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
    &ASKED
}

/// The signal that has set the flag.
pub fn interrupt() -> Option<i32> {
    Some(SIGNAL.load(Relaxed)).filter(|signal| *signal != 0)
}

extern "C" fn note(signal: i32) {
    if ASKED.swap(true, Relaxed) {
        if signal == libc::SIGINT {
            // SAFETY: ends the process without the handlers of exit.
            unsafe { libc::_exit(128 + signal) };
        }
        return;
    }
    SIGNAL.store(signal, Relaxed);
}
