//! The seconds that a run without a fault saves: the price of the calls that go, while every byte
//! still moves once.

use super::Context;
use crate::model::{Direction, Usage};

/// Below this size, a read is nothing but its call.
const TINY: u64 = 1024;
/// The most that such a call costs, on the slowest machines.
const TINY_CALL: f64 = 5e-6;

impl Context<'_> {
    /// Bytes per second that one rank moves in large pieces: as seen in this run, else assumed.
    pub(crate) fn rate(&self, direction: Direction) -> f64 {
        let assumed = match direction {
            Direction::Read => self.limits.read_rate,
            Direction::Write => self.limits.write_rate,
        };
        self.run.seen_rates[direction as usize].unwrap_or(assumed)
    }

    /// A sentence on the time between calls, where an interpreter makes them: it goes with them, but
    /// nobody measured it. Begins with a space; empty for compiled programs.
    pub(crate) fn time_between(&self) -> String {
        let name = self.run.doer_name();
        let known = [("python", "Python"), ("node", "Node"), ("perl", "Perl"), ("ruby", "Ruby")];
        let known = known.iter().find(|(start, _)| name.starts_with(start));
        known.map_or(String::new(), |(_, name)| {
            format!(" What {name} does around each call goes as well and is not counted.")
        })
    }

    /// Seconds, all ranks together, that go if `calls` of one direction, with `bytes`, become few
    /// large ones.
    pub(crate) fn price_of_calls(
        &self,
        usage: &Usage,
        direction: Direction,
        calls: u64,
        bytes: u64,
    ) -> f64 {
        let way = usage.way(direction);
        let time = (way.time - way.synced) * calls as f64 / way.calls.max(1) as f64;
        let saved = (time - bytes as f64 / self.rate(direction)).max(0.0);
        // A local file system reads ahead of whoever reads in order. Then a call costs only itself.
        let is_ahead = direction == Direction::Read
            && !usage.is_direct
            && way.sequential as f64 >= self.limits.sequential_requests * way.calls as f64;
        let most =
            if bytes < calls.saturating_mul(TINY) { TINY_CALL } else { self.limits.call_time };
        if is_ahead && self.run.is_local { saved.min(calls as f64 * most) } else { saved }
    }
}
