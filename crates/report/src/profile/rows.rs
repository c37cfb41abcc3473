//! The rows of a region, added up to the dimensions that are asked for.

use std::collections::BTreeMap;

use ioglass_profile::summary::Figures;
use ioglass_profile::{Kind, Measure, Metric, MetricSeries, Row, Series, Set};

use super::{By, Selection};

/// The place of a row in the dimensions that are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The rank.
    pub rank: Option<u32>,
    /// The thread.
    pub thread: Option<u32>,
    /// The execution.
    pub execution: Option<u32>,
    /// The iteration.
    pub iteration: Option<u64>,
}

impl Key {
    /// The place of a row, without iterations.
    fn of(row: &Row, set: &Set, selection: &Selection) -> Self {
        let rank = set.profile().processes.get(row.process as usize).map_or(0, |own| own.rank);
        Self {
            rank: selection.has(By::Rank).then_some(rank),
            thread: selection.has(By::Thread).then_some(row.thread),
            execution: selection.has(By::Execution).then_some(row.execution),
            iteration: None,
        }
    }
}

/// What is added up for one place.
#[derive(Debug, Clone, Default)]
pub struct Sums {
    /// The figures.
    pub figures: Figures,
    /// I/O of an iteration. Where there is one, of metrics only the sum of a count or the last value is
    /// known.
    pub io_total: Option<IterationIo>,
    /// True if it stands for several iterations, so that single ones are not known.
    pub is_joined: bool,
}

/// I/O of the thread of an iteration, from its begin to its end.
#[derive(Debug, Clone, Copy, Default)]
pub struct IterationIo {
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Time in I/O.
    pub time_ns: u64,
}

/// The rows of a region, in the order of their places.
pub fn of(set: &Set, region: u32, selection: &Selection) -> BTreeMap<Key, Sums> {
    let by_iteration = selection.has(By::Iteration);
    let keeps = set.profile().regions[region as usize].kind == Kind::Iteration;
    let mut sums: BTreeMap<Key, Sums> = BTreeMap::new();
    for row in &set.rows(region, by_iteration && keeps) {
        let key = Key::of(row, set, selection);
        match row.series.as_deref().filter(|_| by_iteration && keeps) {
            Some(series) => add_series(&mut sums, key, series),
            // Refused memory would have ended the command already.
            None => drop(sums.entry(key).or_default().figures.add_row(row)),
        }
    }
    sums
}

fn add_series(sums: &mut BTreeMap<Key, Sums>, key: Key, series: &Series) {
    for (at, time_ns) in series.time_ns.iter().enumerate() {
        let first = (at as u64).saturating_mul(series.each);
        let calls = series.visits_of(at);
        let row = Row {
            calls,
            time_ns: *time_ns,
            min_ns: *time_ns,
            max_ns: *time_ns,
            metrics: series.metrics.iter().filter_map(|own| metric(own, at)).collect(),
            ..Row::default()
        };
        let sums = sums.entry(Key { iteration: Some(first), ..key }).or_default();
        sums.is_joined |= calls > 1;
        let _ = sums.figures.add_row(&row);
        let of = |list: &[u64]| list.get(at).copied().unwrap_or(0);
        let io = sums.io_total.get_or_insert_default();
        io.bytes_read = io.bytes_read.saturating_add(of(&series.bytes_read));
        io.bytes_written = io.bytes_written.saturating_add(of(&series.bytes_written));
        io.time_ns = io.time_ns.saturating_add(of(&series.io_ns));
    }
}

/// A metric of one entry of a series: the sum of a count, or the last value. How often it was given is
/// not known, nor are the other values.
fn metric((metric, values): &(u32, MetricSeries), at: usize) -> Option<Metric> {
    let measure = match values {
        MetricSeries::Count(list) => Measure::Count { calls: 1, sum: (*list.get(at)?)? },
        MetricSeries::Value(list) => {
            let value = (*list.get(at)?)?;
            Measure::Value { calls: 1, sum: value, min: value, max: value, last: value }
        }
    };
    Some(Metric { metric: *metric, measure })
}
