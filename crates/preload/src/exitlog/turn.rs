//! The right to make a log or a profile: one thread of a process has it at a time.
//!
//! Who ends the process does not wait for less important work: memory is refused to that work from
//! then on, so it ends.

use core::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_recorder::sys;

/// What the work is for, the least important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
#[repr(u32)]
pub(crate) enum Errand {
    /// A snapshot, which waits for nobody.
    Snapshot,
    /// The program has asked for its profile.
    Flush,
    /// The process or MPI ends.
    End,
}

/// Longest time for which a thread waits for its turn.
const PATIENCE_NS: u64 = 60_000_000_000;
/// Time after which a waiting thread looks again, whether it was woken or not.
const LOOK_AGAIN_NS: u64 = 50_000_000;

/// Thread id of the thread at work; 0 if there is none. A child inherits that of its parent.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// The errand of that thread.
static ERRAND: AtomicU32 = AtomicU32::new(0);
/// Thread id of the thread whose work is to end.
static GIVEN_UP: AtomicU32 = AtomicU32::new(0);

/// The right to work; it ends with this.
pub(super) struct Turn(());

impl Turn {
    /// Waits for the right to work. `None` if this very thread is at work, which a signal handler
    /// has interrupted, or if another thread does not end its work.
    pub(super) fn take(errand: Errand) -> Option<Self> {
        let own = sys::tid();
        let until = sys::clock_ns(libc::CLOCK_MONOTONIC).saturating_add(PATIENCE_NS);
        loop {
            let owner = OWNER.load(Acquire);
            if owner == own {
                return None;
            }
            if owner == 0 || !sys::thread_lives(sys::pid(), owner) {
                if OWNER.compare_exchange(owner, own, Acquire, Relaxed).is_ok() {
                    ERRAND.store(errand as u32, Relaxed);
                    return Some(Self(()));
                }
                continue;
            }
            if errand == Errand::Snapshot || sys::clock_ns(libc::CLOCK_MONOTONIC) > until {
                return None;
            }
            if errand as u32 > ERRAND.load(Relaxed) {
                GIVEN_UP.store(owner, Relaxed);
            }
            sys::sleep_on(&OWNER, owner, LOOK_AGAIN_NS);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let own = OWNER.load(Relaxed);
        let _ = GIVEN_UP.compare_exchange(own, 0, Relaxed, Relaxed);
        OWNER.store(0, Release);
        sys::wake(&OWNER);
    }
}

/// Returns true if the work that is under way is to end.
pub(super) fn is_given_up() -> bool {
    let given_up = GIVEN_UP.load(Relaxed);
    given_up != 0 && given_up == OWNER.load(Relaxed)
}
