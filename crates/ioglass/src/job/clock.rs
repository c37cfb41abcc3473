//! Which clock recorders should use, and how fast it ticks.

use std::fs;
use std::time::{Duration, Instant};

use super::sys;

/// Below this a measured rate is not worth much.
const SHORTEST: Duration = Duration::from_millis(2);

/// A clock to stamp events with.
#[derive(Clone, Copy)]
pub(crate) enum Clock {
    /// Nanoseconds.
    Nanoseconds,
    /// The time-stamp counter, and where it was when.
    Tsc { read: fn() -> u64, tick: u64, then: Instant },
}

impl Clock {
    /// The time-stamp counter if both the processor and the kernel hold it to be sound.
    pub(crate) fn best() -> Self {
        match sys::invariant_tsc() {
            Some(read) if kernel_clock().as_deref() == Some("tsc") => {
                Self::Tsc { read, tick: read(), then: Instant::now() }
            }
            _ => Self::Nanoseconds,
        }
    }

    /// As recorders are told.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Tsc { .. } => "tsc",
        }
    }

    /// Ticks per second, measured since [`best`](Self::best) was asked.
    pub(crate) fn rate(self) -> Option<f64> {
        let Self::Tsc { read, tick, then } = self else { return None };
        std::thread::sleep(SHORTEST.saturating_sub(then.elapsed()));
        let (now, passed) = (read(), then.elapsed());
        Some(now.wrapping_sub(tick) as f64 / passed.as_secs_f64())
    }
}

/// The clock that the kernel uses, if it says.
pub(crate) fn kernel_clock() -> Option<String> {
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    fs::read_to_string(path).ok().map(|name| name.trim().to_owned())
}
