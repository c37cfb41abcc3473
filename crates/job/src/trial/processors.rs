//! The processors of this machine, and who took them.

use std::fs;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// Over a shorter time the kernel's counts are too coarse.
const SHORTEST: Duration = Duration::from_millis(200);
/// Ticks per second of the kernel's counts, whatever its own clock.
const TICKS: f64 = 100.0;

/// Seconds of processors since the machine was started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Processors {
    /// All of them that were busy.
    busy: f64,
    /// Of this process and of its children that have ended.
    own: f64,
    count: f64,
}

impl Processors {
    /// The counts now.
    pub(super) fn now() -> Option<Processors> {
        let text = fs::read_to_string("/proc/stat").ok()?;
        let mut lines = text.lines();
        let columns: Vec<f64> = lines
            .next()?
            .split_whitespace()
            .skip(1)
            .map(|column| column.parse().unwrap_or(0.0))
            .collect();
        let is_processor = |line: &&str| line.starts_with("cpu");
        let count = lines.take_while(is_processor).count().max(1) as f64;
        // User, nice, system; idle and waiting are left out; interrupts and what a hypervisor took.
        let busy: f64 = [0, 1, 2, 5, 6, 7].iter().filter_map(|place| columns.get(*place)).sum();
        let own: f64 = [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN]
            .into_iter()
            .filter_map(|who| getrusage(who).ok())
            .map(|usage| usage.user_time() + usage.system_time())
            .map(|time| time.num_microseconds() as f64 / 1e6)
            .sum();
        Some(Processors { busy: busy / TICKS, own, count })
    }

    /// The share of all processors that others took since then, a time of this length.
    pub(super) fn others_since(before: Option<Processors>, time: Duration) -> Option<f64> {
        let before = before.filter(|_| time >= SHORTEST)?;
        let now = Processors::now()?;
        let others = (now.busy - before.busy) - (now.own - before.own);
        Some((others / (time.as_secs_f64() * now.count)).clamp(0.0, 1.0))
    }
}
