//! Ticks become seconds since the job began.

use ioglass_shm::{Clock, Header, Moment};

use crate::capture::Capture;

/// A span shorter than this says little about the rate of a clock.
const SOUND_SPAN_NS: u64 = 100_000_000;

/// Rates of time-stamp counters that can be true, in ticks per nanosecond.
const POSSIBLE: core::ops::RangeInclusive<f64> = 0.01..=100.0;

/// Times in counters lie on a grid of 238 ns: as fine as a second since 1970 can be told in a
/// number of a log, which is what the reference's times are. Finer digits would be noise, and noise does not
/// compress: a third of a record's bytes would be that.
const COUNTER_GRID: f64 = (1_u64 << 22) as f64;
/// Traces, which tell calls one by one, are finer: just under a nanosecond.
const TRACE_GRID: f64 = (1_u64 << 30) as f64;
/// The earliest time of an event: 0 means "never".
const EARLIEST: f64 = 1e-9;

/// The clock of one process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeline {
    /// A tick, and the second in the job at which it was.
    tick: u64,
    second: f64,
    seconds_per_tick: f64,
}

impl Timeline {
    /// The timeline of `capture`. `measured` are ticks per second as the caller measured them.
    pub(crate) fn new(
        capture: &Capture<'_>,
        all: &[Capture<'_>],
        origin_ns: u64,
        measured: Option<f64>,
    ) -> Self {
        let header = &capture.header;
        let per_ns = if header.clock == Clock::Tsc as u32 {
            ticks_per_ns(header, all, measured)
        } else {
            1.0
        };
        let after_ns = header.start.real_ns.wrapping_sub(origin_ns).cast_signed();
        Self {
            tick: header.start.tick,
            second: after_ns as f64 / 1e9,
            seconds_per_tick: 1.0 / (per_ns * 1e9),
        }
    }

    /// The time of `tick`; 0 is never.
    pub(crate) fn moment(&self, tick: u64) -> f64 {
        if tick == 0 { 0.0 } else { on_grid(self.second(tick), COUNTER_GRID).max(EARLIEST) }
    }

    /// The time of `tick`, not before the job began, for a trace.
    pub(crate) fn second_of(&self, tick: u64) -> f64 {
        on_grid(self.second(tick), TRACE_GRID)
    }

    fn second(&self, tick: u64) -> f64 {
        let ticks = tick.wrapping_sub(self.tick).cast_signed();
        self.second + ticks as f64 * self.seconds_per_tick
    }

    /// Whole nanoseconds of this many ticks. They are cut off, so that parts never add up to more than
    /// the whole.
    pub(crate) fn ns(&self, ticks: u64) -> u64 {
        (ticks as f64 * (self.seconds_per_tick * 1e9)) as u64
    }

    /// The tick at a moment, in nanoseconds since the job began.
    pub(crate) fn tick_at(&self, ns: u64) -> u64 {
        let seconds = ns as f64 / 1e9 - self.second;
        self.tick.saturating_add_signed((seconds / self.seconds_per_tick) as i64)
    }

    /// The duration of this many ticks. It is 0 only for no ticks.
    pub(crate) fn duration(&self, ticks: u64) -> f64 {
        let second = on_grid(ticks as f64 * self.seconds_per_tick, COUNTER_GRID);
        if ticks == 0 { 0.0 } else { second.max(1.0 / COUNTER_GRID) }
    }
}

/// The nearest second on a grid; none is negative.
fn on_grid(second: f64, grid: f64) -> f64 {
    ((second.max(0.0) * grid + 0.5) as u64) as f64 / grid
}

fn ticks_per_ns(header: &Header, all: &[Capture<'_>], measured: Option<f64>) -> f64 {
    let own = rate(header);
    let measured = measured.map(|rate| rate / 1e9).filter(|rate| POSSIBLE.contains(rate));
    if span(header) >= SOUND_SPAN_NS
        && let Some(own) = own
    {
        return own;
    }
    // Processes of one node share their clock: the one that lived longest knows it best.
    let neighbours = || {
        let others = all.iter().map(|capture| &capture.header).filter(|other| {
            other.clock == header.clock && other.host == header.host && rate(other).is_some()
        });
        others.max_by_key(|other| span(other)).and_then(rate)
    };
    measured.or_else(neighbours).or(own).unwrap_or(1.0)
}

fn span(header: &Header) -> u64 {
    header.last.mono_ns.saturating_sub(header.start.mono_ns)
}

/// Ticks per nanosecond between the two moments of a header.
fn rate(header: &Header) -> Option<f64> {
    let Moment { tick, .. } = header.last;
    let ticks = tick.checked_sub(header.start.tick)?;
    let rate = ticks as f64 / span(header) as f64;
    POSSIBLE.contains(&rate).then_some(rate)
}
