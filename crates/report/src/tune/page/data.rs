//! The data of the charts, and the words of their tips.

use ioglass_param::find;
use ioglass_tune::journal::Outcome;
use ioglass_tune::report::{LayerReport, RoundReport, TrialReport};
use serde_json::{Value, json};

use super::Page;
use super::settings::large;
use crate::number::counted;
use crate::text;
use crate::tune::words;

/// Letters of a value beside its mark.
const VALUE: usize = 18;
/// Settings in a tip.
const MOST: usize = 10;

/// A parameter, with what is drawn of its values.
pub(super) struct Parameter {
    pub(super) name: String,
    /// What it does.
    pub(super) about: String,
    rows: Vec<Value>,
}

impl Page<'_> {
    pub(super) fn data(&self) -> Value {
        let report = self.report;
        let sides = report.default.iter().chain(report.tuned.iter().map(|tuned| &tuned.side));
        let sides: Vec<Value> = sides
            .map(|side| {
                let words = words::value(report, side.median);
                json!({ "low": side.low, "median": side.median, "high": side.high, "words": words })
            })
            .collect();
        let largest = report.rounds.iter().flat_map(|round| [round.default, round.tuned]);
        let (factor, unit) = words::scale(&report.objective.unit, largest.fold(0.0, f64::max));
        let speedup = report.speedup.as_ref().map(|speedup| {
            let interval = words::interval(speedup);
            let lines = ["all together".to_owned(), words::times(speedup.median)];
            let lines: Vec<String> = lines.into_iter().chain(interval).collect();
            json!({ "median": speedup.median, "low": speedup.low, "high": speedup.high, "lines": lines })
        });
        let parameters = self.parameters().into_iter();
        let parameters: Vec<Value> =
            parameters.map(|one| json!({ "name": one.name, "rows": one.rows })).collect();
        json!({
            "isGain": self.is_gain(),
            "axis": { "factor": factor, "unit": unit },
            "sides": sides,
            "rounds": report.rounds.iter().map(|round| self.round(round)).collect::<Vec<_>>(),
            "speedup": speedup,
            "layers": report.layers.iter().map(layer).collect::<Vec<_>>(),
            "asks": report.trials.last().map_or(0, |trial| trial.n),
            "trials": self.listed().iter().map(|trial| self.point(trial)).collect::<Vec<_>>(),
            "convergence": report.convergence,
            "random": report.random,
            "parameters": parameters,
        })
    }

    fn round(&self, round: &RoundReport) -> Value {
        let report = self.report;
        let ([default, tuned], unit) = words::values(report, [round.default, round.tuned]);
        let best = self.best();
        let lines = [
            format!("round {}: {}", round.round, words::times(round.ratio)),
            format!("default {default}, {best} {tuned}{unit}"),
            format!("{} ran first", if round.default_first { "default" } else { best }),
        ];
        json!({ "round": round.round, "default": round.default, "tuned": round.tuned, "ratio": round.ratio, "lines": lines })
    }

    fn point(&self, trial: &TrialReport) -> Value {
        let kind = match trial.how.as_str() {
            "default" => "default",
            "advice" => "advice",
            _ => "proposed",
        };
        let came = match (trial.outcome, trial.value, trial.gain) {
            (Outcome::Ok, Some(value), Some(gain)) => {
                format!("{}, {}", words::value(self.report, value), words::times(gain))
            }
            (outcome, ..) => outcome.name().to_owned(),
        };
        let mut lines = vec![format!("run {}, {}: {came}", trial.run, words::proposed(trial))];
        let settings = trial.settings.iter().take(MOST);
        lines.extend(settings.map(|(name, value)| text::shorten(&format!("{name}={value}"), 60)));
        if let Some(more) = trial.settings.len().checked_sub(MOST).filter(|more| *more > 0) {
            lines.push(format!("+ {}", counted(more as u64, "setting", "settings")));
        }
        lines
            .extend(trial.note.as_deref().map(|note| text::shorten(&note.replace('\n', " "), 160)));
        // Only what was measured has a place on the axis.
        let gain = trial.gain.filter(|_| trial.outcome == Outcome::Ok);
        json!({ "n": trial.n, "gain": gain, "kind": kind, "lines": lines })
    }

    /// The parameters with the effects of their values, those without any left out.
    pub(super) fn parameters(&self) -> Vec<Parameter> {
        let report = self.report;
        let one = |parameter: &ioglass_tune::space::Parameter| {
            let about = find(&parameter.name).map_or("", |(param, _)| param.meaning());
            let chosen = report.tuned.as_ref().filter(|_| self.is_gain());
            let chosen = chosen.map(|tuned| {
                tuned
                    .settings
                    .get(&parameter.name)
                    .map_or(parameter.default.as_str(), String::as_str)
            });
            let rows = parameter.values.iter().map(|value| {
                let found = report
                    .effects
                    .iter()
                    .find(|effect| effect.name == parameter.name && effect.value == *value);
                let is_chosen = chosen == Some(value.as_str());
                let label = large(&parameter.name, value).unwrap_or_else(|| value.clone());
                let words = found.map_or_else(
                    || "not tried".to_owned(),
                    |effect| {
                        let runs = counted(effect.trials, "run", "runs");
                        let sign = if is_chosen { " ✓" } else { "" };
                        format!("{}, {runs}{sign}", words::times(effect.ratio))
                    },
                );
                let whole = text::clean(&format!("{}={value}", parameter.name));
                json!({
                    "label": text::shorten(&label, VALUE),
                    "ratio": found.map(|effect| effect.ratio),
                    "low": found.and_then(|effect| effect.low),
                    "high": found.and_then(|effect| effect.high),
                    "words": words.clone(),
                    "isChosen": is_chosen,
                    "lines": [whole, words],
                })
            });
            Parameter {
                name: text::shorten(&parameter.name, 60),
                about: about.to_owned(),
                rows: rows.collect(),
            }
        };
        let is_known = |parameter: &&ioglass_tune::space::Parameter| {
            report.effects.iter().any(|effect| effect.name == parameter.name)
        };
        report.search.parameters.iter().filter(is_known).map(one).collect()
    }
}

fn layer(layer: &LayerReport) -> Value {
    let gain = layer.speedup.map_or_else(|| "its runs failed".into(), words::times);
    let mut lines = vec![format!("{} only: {gain}", text::clean(&layer.layer))];
    if let (Some(low), Some(high)) = (layer.low, layer.high) {
        let runs = counted(layer.rounds, "run", "runs");
        lines.push(format!("{runs}: {} to {}", words::times(low), words::times(high)));
    }
    json!({ "layer": text::shorten(&layer.layer, 12), "speedup": layer.speedup, "low": layer.low, "high": layer.high, "lines": lines })
}
