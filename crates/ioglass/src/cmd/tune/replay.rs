//! A journal in place of a machine.

use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ioglass_tune::journal::{Direction, Recorded, Start};
use ioglass_tune::model::Model;
use ioglass_tune::objective::Objective;
use ioglass_tune::report::{ModelReport, Report};
use ioglass_tune::runner::{Replay, Replayed, Request, Run, Runner, RunnerError};
use ioglass_tune::search::{Method, Population};
use ioglass_tune::space::Space;
use ioglass_tune::tuning::{Plan, Tuning};

use super::known::Known;
use super::{bad_journal, failed, question, result, seeds, status};
use crate::cli::{Mutate, Tune};
use crate::failure::{Failure, Message};

/// Shows the result of a journal again or, with --search, how far another searcher would have come.
pub(super) fn run(args: &Tune, path: &Path) -> Result<ExitCode, Failure> {
    let recorded = ioglass_tune::journal::read(path).map_err(bad_journal)?;
    let bad = |what: String| {
        Failure::bad_input(Message::new(format!("{} cannot be replayed: {what}", path.display())))
    };
    let plan = plan(args, &recorded.start).map_err(bad)?;
    let start = recorded.start.clone();
    let known = Known::recorded(&recorded);
    let population = Population {
        size: args.population,
        generations: args.generations,
        elites: args.elites.min(args.population),
        by_effect: args.mutate == Mutate::Effect,
    };
    let searcher = plan.method.searcher(plan.space.clone(), plan.seed, population);
    let mut ignore = |_: ioglass_tune::tuning::Event<'_>| {};
    let report = match args.search {
        // All is recorded; what is not ends the search.
        None => {
            let stop = AtomicBool::new(true);
            let mut nothing = Nothing;
            Tuning::new(&plan, searcher, &mut nothing, None, &mut ignore, &stop).run(recorded)
        }
        Some(_) => {
            let stop = AtomicBool::new(false);
            let mut replay = Replay::new(&recorded, plan.space.clone());
            let searcher = Box::new(Replayed::new(searcher, replay.points()));
            let empty = Recorded::new(start.clone());
            Tuning::new(&plan, searcher, &mut replay, None, &mut ignore, &stop).run(empty)
        }
    };
    let mut report = report.map_err(failed)?;
    complete(&mut report, &start, &known, path);
    result::tell(args, &report)?;
    status(args, &report)
}

/// Adds to a result what only the journal knows.
fn complete(report: &mut Report, start: &Start, known: &Known, path: &Path) {
    report.command.clone_from(&start.command);
    report.journal = Some(path.display().to_string());
    report.typed = question::typed_before(start);
    let model = start.runner.strip_prefix("model:").and_then(|name| name.parse::<Model>().ok());
    report.model = model.map(|model| ModelReport {
        platform: model.platform.name.into(),
        ranks: model.ranks,
        kernel: start.command.last().cloned().unwrap_or_default(),
        noise: start.options.get("noise").and_then(serde_json::Value::as_f64).unwrap_or(0.0),
    });
    report.run = report.model.is_none().then(|| known.report(start));
}

/// The plan of a journal.
fn plan(args: &Tune, start: &Start) -> Result<Plan, String> {
    let space = Space::new(start.space.clone()).map_err(|error| error.to_string())?;
    let mut objective = Objective::from_str(&start.objective)?;
    if let Objective::Output { maximize, .. } = &mut objective {
        *maximize = start.direction == Direction::Max;
    }
    let named = Method::ALL.into_iter().find(|method| method.name() == start.search);
    let method = args.search.or(named).ok_or("its searcher is unknown")?;
    let number = |name: &str| start.rest.get(name).and_then(serde_json::Value::as_f64);
    let budget = question::recorded_budget(start).ok_or("its budget is unknown")?;
    let option = |name: &str| start.options.get(name);
    Ok(Plan {
        space: Arc::new(space),
        method,
        seed: args.search.map_or(start.seed, |_| args.seed),
        budget: args.budget.unwrap_or(budget),
        confirm: number("confirm").map_or(args.confirm, |rounds| rounds as u64),
        objective,
        worth: number("worth").unwrap_or(args.worth),
        cut: option("cut").and_then(serde_json::Value::as_f64).unwrap_or(args.cut),
        jobs: option("jobs").and_then(serde_json::Value::as_u64).unwrap_or(1),
        cache: option("cache").and_then(serde_json::Value::as_bool).unwrap_or(true),
        seeds: seeds::of_start(start),
    })
}

/// Runs nothing.
struct Nothing;

impl Runner for Nothing {
    fn run(&mut self, _: &Request<'_>) -> Result<Run, RunnerError> {
        Err(RunnerError("the journal has no such run".into()))
    }
}
