//! What each value of a parameter went along with.

use serde::{Deserialize, Serialize};

use crate::journal::Outcome;
use crate::tuning::Tuning;

/// What a value went along with: the runs that had it against all others. As a searcher prefers good
/// values of several parameters together, this is no proof that the value was the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Effect {
    /// The parameter.
    pub name: String,
    /// The value.
    pub value: String,
    /// The mean of the other runs over the mean of those with the value: above 1 is faster.
    pub ratio: f64,
    /// The lower end of the interval, two standard errors wide on each side.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Runs with the value.
    pub trials: u64,
}

/// The effects of all values that were measured, by the runs of the search.
pub(super) fn effects(tuning: &Tuning<'_>) -> Vec<Effect> {
    let plan = tuning.plan();
    let space = &plan.space;
    let runs: Vec<(Vec<u16>, f64)> = tuning
        .trials()
        .iter()
        .filter(|trial| trial.outcome == Outcome::Ok && !trial.cached)
        .filter_map(|trial| {
            Some((space.point(&trial.settings)?, plan.objective.cost(trial.value?).ln()))
        })
        .filter(|(point, _)| space.is_searched(point))
        .collect();
    let mut effects = Vec::new();
    for (parameter, axis) in space.axes().iter().enumerate() {
        for value in 0..axis.searched {
            let (with, without): (Vec<_>, Vec<_>) =
                runs.iter().partition(|(point, _)| point[parameter] == value);
            let (Some(with), Some(without)) = (Moments::of(&with), Moments::of(&without)) else {
                continue;
            };
            let log = without.mean - with.mean;
            let error = with.error.zip(without.error).map(|(a, b)| 2.0 * (a + b).sqrt());
            effects.push(Effect {
                name: space.parameters()[parameter].name.clone(),
                value: axis.values[usize::from(value)].clone(),
                ratio: log.exp(),
                low: error.map(|error| (log - error).exp()),
                high: error.map(|error| (log + error).exp()),
                trials: with.count,
            });
        }
    }
    effects
}

struct Moments {
    count: u64,
    mean: f64,
    /// The square of the standard error of the mean, of two or more.
    error: Option<f64>,
}

impl Moments {
    fn of(runs: &[&(Vec<u16>, f64)]) -> Option<Moments> {
        let count = runs.len() as f64;
        let mean = runs.iter().map(|run| run.1).sum::<f64>() / count;
        let squares: f64 = runs.iter().map(|run| (run.1 - mean).powi(2)).sum();
        let error = (runs.len() > 1).then(|| squares / (count - 1.0) / count);
        (!runs.is_empty()).then_some(Moments { count: runs.len() as u64, mean, error })
    }
}
