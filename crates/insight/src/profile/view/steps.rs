//! Iterations, one by one.

use std::collections::{BTreeMap, HashSet};

use ioglass_profile::{MetricSeries, Row, Series, Set};

use super::super::{Overview, Steps};

/// Regions whose iterations are shown.
const MOST: usize = 6;
/// Iterations that are shown of the first region, and of each other.
const ENTRIES: [usize; 2] = [4_096, 1_024];
/// Metrics that are shown with them.
const METRICS: usize = 3;
/// Entries of all ranks together, beyond which the slowest rank of each is not looked for.
const MOST_READ: u64 = 16_000_000;

/// The iterations of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct StepView {
    /// The region.
    pub region: u32,
    /// Number of iterations.
    pub count: u64,
    /// Iterations of an entry.
    pub each: u64,
    /// Seconds of one iteration in each entry, the mean of all ranks.
    pub seconds: Vec<f64>,
    /// The slowest rank of each entry; empty if there are too many to look.
    pub slowest: Vec<Slowest>,
    /// Seconds in file calls of one iteration in each entry, the mean of all ranks; empty if there
    /// were none.
    pub files: Vec<f64>,
    /// Metrics in each entry.
    pub metrics: Vec<StepMetric>,
}

/// The slowest rank in an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Slowest {
    /// Its seconds in one iteration.
    pub seconds: f64,
    /// Its rank.
    pub rank: u32,
}

/// A metric in each entry: the mean of all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct StepMetric {
    /// The metric, as a position in the metrics of the profile.
    pub metric: u32,
    /// Its values.
    pub values: Vec<Option<f64>>,
}

/// The iterations of the regions that are kept, and the number of such regions that are left out.
pub(super) fn of(set: &Set, overview: &Overview, kept: &HashSet<u32>) -> (Vec<StepView>, usize) {
    let all: Vec<&Steps> =
        overview.steps.iter().filter(|steps| kept.contains(&steps.region)).collect();
    let views = all.iter().take(MOST).zip(0..);
    let views = views.map(|(steps, at): (_, usize)| view(set, steps, ENTRIES[at.min(1)]));
    (views.collect(), all.len().saturating_sub(MOST))
}

fn view(set: &Set, steps: &Steps, most: usize) -> StepView {
    let mut each = steps.each.max(1);
    let mut join = 1;
    while steps.seconds.len().div_ceil(join) > most {
        join *= 2;
        each = each.saturating_mul(2);
    }
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len().max(1) as f64;
    let seconds: Vec<f64> = steps.seconds.chunks(join).map(mean).collect();
    let mut view = StepView {
        region: steps.region,
        count: steps.count,
        each,
        slowest: Vec::new(),
        files: Vec::new(),
        metrics: Vec::new(),
        seconds,
    };
    let series = set.summaries()[steps.region as usize].series.as_ref();
    let read = series.map_or(0, |series| {
        let visits = series.visits.iter().fold(0, |sum: u64, visits| sum.saturating_add(*visits));
        visits / series.each.max(1)
    });
    if read <= MOST_READ {
        Sums::of(set, &view).put(&mut view);
    }
    view
}

/// What is added up for entries.
#[derive(Default)]
struct Sums {
    slowest: Vec<Slowest>,
    /// Sum, number.
    files: Vec<(f64, u64)>,
    metrics: BTreeMap<u32, Vec<(f64, u64)>>,
}

impl Sums {
    fn of(set: &Set, view: &StepView) -> Self {
        let mut sums = Self::default();
        let entries = view.seconds.len();
        for row in set.rows(view.region, true) {
            let Some(series) = row.series.as_deref() else { continue };
            sums.add(&row, series, view.each, entries, set);
        }
        sums
    }

    fn add(&mut self, row: &Row, series: &Series, each: u64, entries: usize, set: &Set) {
        let rank = set.profile().processes.get(row.process as usize).map_or(0, |own| own.rank);
        let own = series.each.max(1);
        let place = |at: usize| {
            let place = (at as u64).saturating_mul(own) / each;
            (place < entries as u64).then_some(place as usize)
        };
        let visits = |at: usize| series.visits_of(at).max(1) as f64;
        self.slowest.resize(entries, Slowest::default());
        for (at, time) in series.time_ns.iter().enumerate() {
            let Some(place) = place(at) else { break };
            let seconds = *time as f64 / 1e9 / visits(at);
            if seconds > self.slowest[place].seconds {
                self.slowest[place] = Slowest { seconds, rank };
            }
        }
        if !series.io_ns.is_empty() {
            self.files.resize(entries, (0.0, 0));
        }
        for (at, time) in series.io_ns.iter().enumerate() {
            let Some(place) = place(at) else { break };
            let (sum, count) = &mut self.files[place];
            *sum += *time as f64 / 1e9 / visits(at);
            *count += 1;
        }
        for (metric, values) in &series.metrics {
            let sums = self.metrics.entry(*metric).or_default();
            sums.resize(entries, (0.0, 0));
            let mut note = |at: usize, value: Option<f64>| {
                let Some((place, value)) = place(at).zip(value.filter(|value| value.is_finite()))
                else {
                    return;
                };
                sums[place].0 += value;
                sums[place].1 += 1;
            };
            match values {
                MetricSeries::Count(list) => list
                    .iter()
                    .enumerate()
                    .for_each(|(at, value)| note(at, value.map(|value| value as f64))),
                MetricSeries::Value(list) => {
                    list.iter().enumerate().for_each(|(at, value)| note(at, *value));
                }
            }
        }
    }

    fn put(self, view: &mut StepView) {
        let mean = |(sum, count): &(f64, u64)| (*count > 0).then(|| sum / *count as f64);
        view.slowest = self.slowest;
        if self.files.iter().any(|(sum, _)| *sum > 0.0) {
            view.files = self.files.iter().map(|sums| mean(sums).unwrap_or(0.0)).collect();
        }
        view.metrics = self
            .metrics
            .into_iter()
            .map(|(metric, sums)| StepMetric { metric, values: sums.iter().map(mean).collect() })
            .filter(|metric| metric.values.iter().any(Option::is_some))
            .take(METRICS)
            .collect();
    }
}
