//! The clock that stamps events.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use ioglass_shm::{Clock, Moment};

use crate::hot::HOT;
use crate::sys;

static CHOSEN_TSC: AtomicBool = AtomicBool::new(false);
/// Tick, monotonic and real time when the clock was stopped; 0 while it runs.
static STOPPED: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// Chooses the clock: the time-stamp counter if it is known to be sound.
pub fn choose(clock: Clock) {
    HOT.tsc.store(clock == Clock::Tsc, Relaxed);
    CHOSEN_TSC.store(clock == Clock::Tsc, Relaxed);
}

/// Tests whether the time-stamp counter is sound: the kernel uses it as its clock only if it runs
/// evenly and equally on all processors.
pub fn probe() -> Clock {
    let mut name = [0; 8];
    let path = c"/sys/devices/system/clocksource/clocksource0/current_clocksource";
    match sys::read_file(path, &mut name) {
        Ok(4) if &name[..4] == b"tsc\n" => Clock::Tsc,
        _ => Clock::Nanoseconds,
    }
}

/// Now.
#[inline]
pub fn tick() -> u64 {
    if HOT.tsc.load(Relaxed) { counter() } else { slow_tick() }
}

#[cold]
#[inline(never)] // keeps the fast clock small
fn slow_tick() -> u64 {
    match STOPPED[0].load(Relaxed) {
        0 => sys::clock_ns(libc::CLOCK_MONOTONIC),
        stopped => stopped,
    }
}

/// Stops the clock: the program forbids itself to read the time-stamp counter, and the kernel would
/// kill it if we read it. Calls are still counted.
pub fn stop() {
    let now = moment();
    for (stopped, now) in STOPPED.iter().zip([now.tick, now.mono_ns, now.real_ns]) {
        stopped.store(now.max(1), Relaxed);
    }
    HOT.tsc.store(false, Relaxed);
}

/// Returns true if the clock was stopped.
#[inline]
pub fn is_stopped() -> bool {
    STOPPED[0].load(Relaxed) != 0
}

/// Now, on all clocks.
pub fn moment() -> Moment {
    if is_stopped() {
        let [tick, mono_ns, real_ns] = [0, 1, 2].map(|clock: usize| STOPPED[clock].load(Relaxed));
        return Moment { tick, mono_ns, real_ns };
    }
    Moment {
        tick: tick(),
        mono_ns: sys::clock_ns(libc::CLOCK_MONOTONIC),
        real_ns: sys::clock_ns(libc::CLOCK_REALTIME),
    }
}

/// The clock that was chosen.
pub fn current() -> Clock {
    if CHOSEN_TSC.load(Relaxed) { Clock::Tsc } else { Clock::Nanoseconds }
}

#[inline]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}
