//! A lock that cannot hang the program.

use core::hint;
use core::sync::atomic::{AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::{sys, thread};

/// Spins before other threads are let run.
const SPINS_PER_YIELD: u32 = 256;
/// Yields before the lock is taken by force. Whoever holds it for so long was cancelled or left
/// through `siglongjmp` in the midst of a few instructions; a count may then be off by one.
const MAX_YIELDS: u32 = 20_000;

/// Held for a few instructions at a time, never across a call of the program's. It knows who holds
/// it: a thread that finds itself has left the first time through `siglongjmp`.
///
/// It lives in private memory, so nobody ever finds one held by a dead process.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct Spin(AtomicUsize);

impl Spin {
    /// A free lock.
    pub(crate) const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Takes the lock.
    #[inline]
    pub(crate) fn lock(&self) {
        let own = thread::pointer();
        if self.0.compare_exchange_weak(0, own, Acquire, Relaxed).is_err() {
            self.contend(own);
        }
    }

    /// Releases the lock.
    #[inline]
    pub(crate) fn unlock(&self) {
        self.0.store(0, Release);
    }

    #[cold]
    fn contend(&self, own: usize) {
        for _ in 0..MAX_YIELDS {
            for _ in 0..SPINS_PER_YIELD {
                let holder = self.0.load(Relaxed);
                if holder == own
                    || holder == 0 && self.0.compare_exchange_weak(0, own, Acquire, Relaxed).is_ok()
                {
                    return;
                }
                hint::spin_loop();
            }
            if crate::process::may_call_kernel() {
                sys::yield_now();
            }
        }
    }
}
