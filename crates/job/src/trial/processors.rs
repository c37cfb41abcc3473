//! The processors that this process may use, and who took them.

use std::fs;
use std::time::Duration;

use nix::sched::{CpuSet, sched_getaffinity};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::unistd::Pid;

/// Over a shorter time the kernel's counts are too coarse.
const SHORTEST: Duration = Duration::from_millis(200);
/// Ticks per second of the kernel's counts, whatever its own clock.
const TICKS: f64 = 100.0;

/// Seconds of processors since the machine was started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Processors {
    /// Those that were busy.
    busy: f64,
    /// Of this process and of its children that have ended.
    own: f64,
    count: f64,
}

impl Processors {
    /// The counts now.
    pub(super) fn now() -> Option<Processors> {
        let text = fs::read_to_string("/proc/stat").ok()?;
        let usable = sched_getaffinity(Pid::from_raw(0)).ok();
        let (busy, count) = busy(&text, usable.as_ref());
        let own: f64 = [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN]
            .into_iter()
            .filter_map(|who| getrusage(who).ok())
            .map(|usage| usage.user_time() + usage.system_time())
            .map(|time| time.num_microseconds() as f64 / 1e6)
            .sum();
        Some(Processors { busy: busy / TICKS, own, count: count.max(1.0) })
    }

    /// The share of all processors that others took since then, a time of this length.
    pub(super) fn others_since(before: Option<Processors>, time: Duration) -> Option<f64> {
        let before = before.filter(|_| time >= SHORTEST)?;
        let now = Processors::now()?;
        let others = (now.busy - before.busy) - (now.own - before.own);
        Some((others / (time.as_secs_f64() * now.count)).clamp(0.0, 1.0))
    }
}

/// Ticks in which processors were busy, and the number of them: all, or those of a set. A job of a cluster
/// often has a part of a machine.
fn busy(text: &str, usable: Option<&CpuSet>) -> (f64, f64) {
    let (mut busy, mut count) = (0.0, 0.0);
    for line in text.lines() {
        let mut columns = line.split_whitespace();
        let name = columns.next().and_then(|name| name.strip_prefix("cpu"));
        let Some(number) = name.and_then(|name| name.parse::<usize>().ok()) else { continue };
        if usable.is_some_and(|usable| !usable.is_set(number).unwrap_or(true)) {
            continue;
        }
        let columns: Vec<f64> = columns.map(|column| column.parse().unwrap_or(0.0)).collect();
        // User, nice, system; idle and waiting are left out; interrupts and what a hypervisor took.
        busy += [0, 1, 2, 5, 6, 7].iter().filter_map(|place| columns.get(*place)).sum::<f64>();
        count += 1.0;
    }
    (busy, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_processors_that_may_be_used_count() {
        let text = "cpu  11 0 22 900 0 0 0 0 0 0\ncpu0 10 0 20 400 9 1 2 3 0 0\ncpu1 1 0 2 500 0 0 0 0 0 0\nintr 5\n";
        assert_eq!(busy(text, None), (39.0, 2.0));
        let mut second = CpuSet::new();
        second.set(1).unwrap();
        assert_eq!(busy(text, Some(&second)), (3.0, 1.0));
    }
}
