//! The iterations of a region.

use ioglass_profile::{Kind, Set};

/// The iterations of a region, as the mean of all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// The region.
    pub region: u32,
    /// Number of iterations.
    pub count: u64,
    /// Iterations of an entry of `seconds`.
    pub each: u64,
    /// Seconds of one iteration, for each entry.
    pub seconds: Vec<f64>,
    /// The middle one.
    pub median: f64,
    /// Seconds that one in so many takes or more, if they stand out.
    pub tail: Option<(u64, f64)>,
    /// Number and seconds of the slowest.
    pub slowest: (u64, f64),
}

/// The iterations of all regions that keep them, by time.
pub(super) fn all(set: &Set) -> Vec<Steps> {
    let mut found: Vec<(u64, Steps)> = Vec::new();
    for ((region, summary), number) in set.profile().regions.iter().zip(set.summaries()).zip(0..) {
        let Some(series) = summary.series.as_ref().filter(|_| region.kind == Kind::Iteration)
        else {
            continue;
        };
        let seconds: Vec<f64> = series.means().map(|ns| ns / 1e9).collect();
        if seconds.is_empty() {
            continue;
        }
        let mut sorted = seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        let slowest = slowest(&seconds, series.each, summary);
        let tail = tail(&sorted, median);
        let (count, each) = (series.iterations, series.each);
        let steps = Steps { region: number, count, each, seconds, median, tail, slowest };
        found.push((summary.total.time_ns, steps));
    }
    found.sort_by_key(|(time, steps)| (std::cmp::Reverse(*time), steps.region));
    found.into_iter().map(|(_, steps)| steps).collect()
}

/// The slowest one. Where an entry stands for several, the list of slow ones knows more.
fn slowest(seconds: &[f64], each: u64, summary: &ioglass_profile::Summary) -> (u64, f64) {
    if let Some(slow) = summary.slowest.first().filter(|_| each > 1) {
        return (slow.iteration, slow.time_ns as f64 / 1e9);
    }
    let at = (0..seconds.len())
        .max_by(|one, other| seconds[*one].total_cmp(&seconds[*other]).then(other.cmp(one)));
    at.map_or((0, 0.0), |at| ((at as u64).saturating_mul(each), seconds[at]))
}

/// What the slow ones take: those beyond twice the median, from one in a hundred to one in two.
fn tail(sorted: &[f64], median: f64) -> Option<(u64, f64)> {
    let from = sorted.partition_point(|seconds| *seconds <= 2.0 * median);
    let slow = sorted.len() - from;
    if slow < 2 || slow * 100 < sorted.len() {
        return None;
    }
    let one_in = (sorted.len() as f64 / slow as f64).round() as u64;
    Some((one_in.max(2), sorted[from + slow / 2]))
}
