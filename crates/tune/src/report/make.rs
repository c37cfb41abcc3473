//! How a result is put together from a search.

use super::*;
use crate::journal::{Confirm, Trial};
use crate::objective::Objective;
use crate::paired::{median, quantile};
use crate::runner::Note;
use crate::tuning::{Round, Tuning, Verdict};

impl Report {
    /// The result of a search. What only the command knows is empty.
    pub(crate) fn new(tuning: &Tuning<'_>, verdict: &Verdict) -> Report {
        let plan = tuning.plan();
        let objective = &plan.objective;
        let settings = verdict.candidate.as_ref().map(|point| plan.space.settings(point));
        let confirmed = verdict.gain.is_some() && verdict.state != State::Interrupted;
        let measured = |is_its: &dyn Fn(&Settings) -> bool| -> Vec<(f64, f64)> {
            let trials = tuning.trials().iter().filter(|trial| !trial.cached);
            let trials = trials.filter(|trial| is_its(&trial.settings));
            let trials = trials.filter(|trial| trial.outcome == Outcome::Ok);
            trials.filter_map(|trial| Some((trial.value?, trial.wall))).collect()
        };
        let (default, tuned) = if verdict.rounds.is_empty() {
            let chosen = |one: &Settings| settings.as_ref() == Some(one);
            (side(objective, &measured(&Settings::is_empty)), side(objective, &measured(&chosen)))
        } else {
            let rounds = &verdict.rounds;
            (
                side(objective, &rounds.iter().map(|round| round.default).collect::<Vec<_>>()),
                side(objective, &rounds.iter().map(|round| round.tuned).collect::<Vec<_>>()),
            )
        };
        let unproven = || {
            let ratio =
                objective.cost(default.as_ref()?.median) / objective.cost(tuned.as_ref()?.median);
            Some(Speedup {
                median: ratio,
                low: None,
                high: None,
                confidence: None,
                confirmed: false,
            })
        };
        let proven = |gain: crate::paired::Ratio| Speedup {
            median: gain.median,
            low: Some(gain.low),
            high: Some(gain.high),
            confidence: Some(verdict.confidence),
            confirmed: true,
        };
        let speedup = if confirmed { verdict.gain.map(proven) } else { unproven() };
        let wall_speedup = if confirmed { verdict.wall.map(proven) } else { None };
        let found = settings.as_ref().and_then(|settings| {
            let trial = tuning.trials().iter().find(|trial| trial.settings == *settings)?;
            Some(Found { n: trial.n, how: name(trial.from.how) })
        });
        let random = estimate::random(tuning);
        let layers = verdict.layers.iter().map(|layer| LayerReport {
            layer: layer.layer.clone(),
            speedup: layer.median(),
            low: layer.ratios.first().copied(),
            high: layer.ratios.last().copied(),
            rounds: layer.ratios.len() as u64,
        });
        Report {
            schema: SCHEMA.into(),
            command: Vec::new(),
            model: None,
            run: None,
            state: verdict.state,
            reason: verdict.reason.clone(),
            objective: ObjectiveReport {
                name: objective.to_string(),
                unit: objective.unit().into(),
                direction: objective.direction(),
            },
            at_most: default.as_ref().and_then(at_most),
            default,
            tuned: tuned.zip(settings).map(|(side, settings)| TunedSide { side, settings }),
            speedup,
            wall_speedup,
            worth: plan.worth,
            more_rounds: verdict.more,
            search: SearchReport {
                random_estimate: random.last().map(|step| step.median),
                ..search(tuning, found)
            },
            layers: layers.collect(),
            effects: effects::effects(tuning),
            verified: verified(tuning, verdict),
            trials: tuning.trials().iter().map(|one| trial(tuning, one)).collect(),
            outcomes: outcomes(tuning),
            rounds: verdict.rounds.iter().map(|one| round(tuning, one)).collect(),
            check: check(tuning),
            convergence: convergence(tuning),
            random,
            journal: None,
            typed: Vec::new(),
            best: None,
            warnings: Vec::new(),
        }
    }
}

/// What became of the best settings, by the last of their runs that tells.
fn verified(tuning: &Tuning<'_>, verdict: &Verdict) -> Vec<Verified> {
    let Some(point) = &verdict.candidate else { return Vec::new() };
    let settings = tuning.plan().space.settings(point);
    let confirms = tuning.confirms().iter().rev().map(|one| (&one.settings, &one.rest));
    let trials = tuning.trials().iter().rev().map(|one| (&one.settings, &one.rest));
    let its = confirms.chain(trials).filter(|(of, _)| **of == settings);
    let told = its.map(|(_, rest)| Note::of(rest).verified);
    told.into_iter().find(|verified| !verified.is_empty()).unwrap_or_default()
}

/// How far results were compared, by the last run that tells.
fn check(tuning: &Tuning<'_>) -> Option<Check> {
    let confirms = tuning.confirms().iter().rev().map(|one| (one.outcome, &one.rest));
    let trials = tuning.trials().iter().rev().map(|one| (one.outcome, &one.rest));
    let all = || confirms.clone().chain(trials.clone());
    let sound = all().filter(|(outcome, _)| *outcome == Outcome::Ok);
    let mut check = sound.filter_map(|(_, rest)| Note::of(rest).check).next()?;
    let is_wrong = all().any(|(outcome, _)| outcome == Outcome::Wrong);
    let has_none = check.bytes == 0 && (check.files == 0 || !check.not_compared.is_empty());
    check.state = match (is_wrong, has_none) {
        (true, _) => "differs",
        (false, true) => "not-compared",
        (false, false) => "same",
    }
    .into();
    Some(check)
}

fn name(how: crate::search::How) -> String {
    how.name().to_owned()
}

fn trial(tuning: &Tuning<'_>, trial: &Trial) -> TrialReport {
    let of_default = || {
        let is_one = trial.settings.is_empty() && trial.outcome == Outcome::Ok;
        let cost = |value| tuning.plan().objective.cost(value);
        Some(cost(tuning.default_value()?) / cost(trial.value.filter(|_| is_one)?))
    };
    TrialReport {
        n: trial.n,
        run: trial.run,
        settings: trial.settings.clone(),
        outcome: trial.outcome,
        value: trial.value.filter(|_| trial.outcome == Outcome::Ok),
        gain: tuning.gain(trial).or_else(of_default),
        wall: trial.wall,
        how: name(trial.from.how),
        codes: trial.from.codes.clone(),
        cached: trial.cached,
        note: trial.note.clone(),
    }
}

fn round(tuning: &Tuning<'_>, round: &Round) -> RoundReport {
    let cost = |value| tuning.plan().objective.cost(value);
    RoundReport {
        round: round.round,
        default: round.default.0,
        tuned: round.tuned.0,
        default_wall: round.default.1,
        tuned_wall: round.tuned.1,
        ratio: cost(round.default.0) / cost(round.tuned.0),
        default_first: tuning.proof_order(round.round)[0] == 0,
    }
}

/// What a part of the run time leaves to gain; none of an objective that is no part of it.
fn at_most(default: &Side) -> Option<AtMost> {
    let (rest, share) = (default.rest?, default.median / default.wall);
    (rest > 0.0).then(|| AtMost { speedup: default.wall / rest, share })
}

/// The objective is a part of the run time.
fn is_part(objective: &Objective) -> bool {
    matches!(objective, Objective::Io | Objective::Read | Objective::Write | Objective::Regions(_))
}

fn side(objective: &Objective, values: &[(f64, f64)]) -> Option<Side> {
    if values.is_empty() {
        return None;
    }
    let sorted = |part: fn(&(f64, f64)) -> f64| {
        let mut column: Vec<f64> = values.iter().map(part).collect();
        column.sort_by(f64::total_cmp);
        column
    };
    let (measured, wall) = (sorted(|one| one.0), sorted(|one| one.1));
    let (value, whole) = (median(&measured), median(&wall));
    Some(Side {
        median: value,
        low: quantile(&measured, 0.25),
        high: quantile(&measured, 0.75),
        runs: values.len() as u64,
        wall: whole,
        rest: is_part(objective).then(|| (whole - value).max(0.0)),
    })
}

fn search(tuning: &Tuning<'_>, found: Option<Found>) -> SearchReport {
    let plan = tuning.plan();
    let trials = tuning.trials();
    let cached = trials.iter().filter(|trial| trial.cached).count() as u64;
    let best = trials.iter().filter_map(|trial| tuning.gain(trial)).max_by(f64::total_cmp);
    let walls = trials.iter().filter(|trial| !trial.cached).map(|trial| trial.wall);
    let later = tuning.confirms().iter().map(|confirm: &Confirm| confirm.wall);
    SearchReport {
        method: plan.method.name().into(),
        seed: plan.seed,
        runs: trials.len() as u64 - cached,
        asks: trials.len() as u64,
        cached,
        space: plan.space.size(),
        best_seen: best,
        found,
        random_estimate: None,
        seconds: walls.chain(later).sum(),
        all_runs: trials.len() as u64 - cached + tuning.confirms().len() as u64,
        parameters: plan.space.parameters().to_vec(),
    }
}

fn outcomes(tuning: &Tuning<'_>) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for trial in tuning.trials().iter().filter(|trial| !trial.cached) {
        match trial.outcome {
            Outcome::Ok => outcomes.ok += 1,
            Outcome::Failed => outcomes.failed += 1,
            Outcome::Timeout => outcomes.timeout += 1,
            Outcome::Cut => outcomes.cut += 1,
            Outcome::Wrong => outcomes.wrong += 1,
            Outcome::Disturbed => outcomes.disturbed += 1,
            Outcome::Cancelled => {}
        }
    }
    outcomes
}

/// The best gain so far, where it changed.
fn convergence(tuning: &Tuning<'_>) -> Vec<(u64, f64)> {
    let mut steps = vec![(1, 1.0)];
    for trial in tuning.trials() {
        let Some(gain) = tuning.gain(trial) else { continue };
        if gain > steps[steps.len() - 1].1 {
            steps.push((trial.n, gain));
        }
    }
    steps
}
