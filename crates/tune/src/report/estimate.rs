//! What a random search would have found.

use serde::{Deserialize, Serialize};

use crate::paired::quantile;
use crate::random::Random;
use crate::search::Surrogate;
use crate::tuning::Tuning;

/// Searches that are drawn.
const SEARCHES: u64 = 50;
/// The most runs of each.
const MOST: usize = 100;

/// The best gain of random search after an ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RandomStep {
    /// The number of the ask.
    pub n: u64,
    /// What one in ten searches stays below.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// What one in ten searches exceeds.
    pub high: f64,
}

/// The gain that as many random runs would have found, by the process of the search: over drawn searches,
/// the best expected cost so far. An estimate; nothing was run.
pub(super) fn random(tuning: &Tuning<'_>) -> Vec<RandomStep> {
    steps(tuning).unwrap_or_default()
}

fn steps(tuning: &Tuning<'_>) -> Option<Vec<RandomStep>> {
    let plan = tuning.plan();
    let surrogate = Surrogate::new(tuning.searcher().history())?;
    let default = plan.objective.cost(tuning.default_value()?).ln();
    let runs = tuning.trials().iter().filter(|trial| !trial.settings.is_empty()).count();
    if runs == 0 {
        return None;
    }
    let defaults = (tuning.trials().len() - runs) as u64;
    // The logarithm of the best gain after each run of a search.
    let searches: Vec<Vec<f64>> = (0..SEARCHES)
        .map(|search| {
            let mut random = Random::new(plan.seed, "estimate", search);
            let mut best = f64::NEG_INFINITY;
            let gains = (0..runs.min(MOST)).map(|_| {
                let mean = surrogate.mean(&plan.space, &plan.space.random(&mut random));
                best = f64::max(best, default - mean);
                best
            });
            gains.collect()
        })
        .collect();
    let step = |run: usize| {
        // The default was run before, so that no best is below it.
        let mut gains: Vec<f64> = searches.iter().map(|gains| gains[run].exp().max(1.0)).collect();
        gains.sort_by(f64::total_cmp);
        let [low, median, high] = [0.1, 0.5, 0.9].map(|share| quantile(&gains, share));
        RandomStep { n: defaults + run as u64 + 1, low, median, high }
    };
    Some((0..runs.min(MOST)).map(step).collect())
}
