//! The clock that recorders use, and its rate.

use std::fs;
use std::time::{Duration, Instant};

use crate::sys;

/// Over a shorter time a measured rate is not exact enough.
const SHORTEST: Duration = Duration::from_millis(2);

/// A clock to stamp events with: the time-stamp counter, or the kernel's clock in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Option<Counter>);

/// The time-stamp counter.
#[derive(Debug, Clone, Copy)]
struct Counter {
    read: fn() -> u64,
    /// Its value at `then`.
    tick: u64,
    then: Instant,
}

impl Clock {
    /// The time-stamp counter if both the processor and the kernel trust it, else the kernel's clock.
    pub fn best() -> Self {
        let is_trusted = kernel_clock().as_deref() == Some("tsc");
        let read = sys::invariant_tsc().filter(|_| is_trusted);
        Self(read.map(Counter::now))
    }

    /// Returns true for the time-stamp counter.
    pub fn is_counter(self) -> bool {
        self.0.is_some()
    }

    /// The name that recorders get in their environment.
    pub(crate) fn name(self) -> &'static str {
        if self.is_counter() { "tsc" } else { "ns" }
    }

    /// Ticks per second, measured since [`best`](Self::best) was called; `None` for nanoseconds.
    pub(crate) fn rate(self) -> Option<f64> {
        let Counter { read, tick, then } = self.0?;
        std::thread::sleep(SHORTEST.saturating_sub(then.elapsed()));
        let now = Counter::now(read);
        Some(now.tick.wrapping_sub(tick) as f64 / now.then.duration_since(then).as_secs_f64())
    }
}

/// Readings of which the best counts.
const READINGS: u32 = 16;

impl Counter {
    /// The counter and the kernel's clock at one moment. Whoever is interrupted between the two reads
    /// them far apart, so they are read several times, and the closest pair counts.
    fn now(read: fn() -> u64) -> Self {
        let reading = |_| {
            let before = read();
            let then = Instant::now();
            let apart = read().wrapping_sub(before);
            (apart, Self { read, tick: before.wrapping_add(apart / 2), then })
        };
        let best = (1..READINGS).map(reading).min_by_key(|(apart, _)| *apart);
        best.unwrap_or_else(|| reading(0)).1
    }
}

/// The name of the clock that the kernel uses.
pub fn kernel_clock() -> Option<String> {
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    fs::read_to_string(path).ok().map(|name| name.trim().to_owned())
}
