//! One layer of the best settings alone.

use super::{Event, Stop, Tuning, Verdict};
use crate::journal::{Outcome, Phase};
use crate::paired::{median, quantile};
use crate::space::Point;

/// Runs of each layer.
const ROUNDS: u64 = 2;

/// What a layer gains alone.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerGain {
    /// The layer.
    pub layer: String,
    /// The ratios of its runs to the default of the proof, sorted.
    pub ratios: Vec<f64>,
}

impl Tuning<'_> {
    /// Runs each layer of the winner alone. A winner of one layer was proven already.
    pub(super) fn layers(
        &mut self,
        winner: &Point,
        verdict: &Verdict,
    ) -> Result<Vec<LayerGain>, Stop> {
        let space = self.plan.space.clone();
        let default = space.default_point();
        let mut layers: Vec<String> = Vec::new();
        for (parameter, (chosen, left)) in winner.iter().zip(&default).enumerate() {
            let layer = space.parameters()[parameter].layer();
            if chosen != left && !layers.iter().any(|one| one == layer) {
                layers.push(layer.to_owned());
            }
        }
        if layers.len() < 2 {
            return Ok(Vec::new());
        }
        let cost = |value| self.plan.objective.cost(value);
        let mut costs: Vec<f64> = verdict.rounds.iter().map(|one| cost(one.default.0)).collect();
        costs.sort_by(f64::total_cmp);
        let usual = median(&costs);
        let mut gains = Vec::new();
        for layer in layers {
            let point = (0..winner.len()).map(|parameter| {
                let is_its = space.parameters()[parameter].layer() == layer;
                if is_its { winner[parameter] } else { default[parameter] }
            });
            let point = space.settle(point.collect());
            let mut ratios = Vec::new();
            for round in 1..=ROUNDS {
                let confirm = self.confirm(Phase::Layer, round, &point)?;
                if let (Outcome::Ok, Some(value)) = (confirm.outcome, confirm.value) {
                    ratios.push(usual / self.plan.objective.cost(value));
                }
                (self.event)(Event::Layer { layer: &layer });
            }
            ratios.sort_by(f64::total_cmp);
            gains.push(LayerGain { layer, ratios });
        }
        Ok(gains)
    }
}

impl LayerGain {
    /// The middle of its ratios; none if all runs failed.
    pub fn median(&self) -> Option<f64> {
        (!self.ratios.is_empty()).then(|| quantile(&self.ratios, 0.5))
    }
}
