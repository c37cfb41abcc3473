//! Searches whose runs go on several at a time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::tests::{of, plan, program, start};
use super::*;
use crate::journal::Trial;
use crate::model::{Kernel, Model, Noise};
use crate::runner::{ModelRunner, RunnerError};
use crate::search::{How, Method, Population};

/// Runs of a model, some of which are begun before they are asked for.
struct Several {
    inner: ModelRunner,
    under_way: BTreeSet<u64>,
    most: usize,
    /// The end of this run was disturbed.
    disturbed: BTreeSet<u64>,
}

impl Several {
    fn new(seed: u64) -> Several {
        let model: Model = "hopper-2048".parse().unwrap();
        let noise = Noise::default();
        let inner = ModelRunner { model, kernel: Kernel::Vorpal, noise, seed };
        Several { inner, under_way: BTreeSet::new(), most: 0, disturbed: BTreeSet::new() }
    }
}

impl Runner for Several {
    fn begin(&mut self, request: &Request<'_>) -> Result<(), RunnerError> {
        assert!(request.is_shared && request.phase == Phase::Search && !request.is_default);
        assert!(self.under_way.insert(request.run));
        self.most = self.most.max(self.under_way.len());
        Ok(())
    }

    fn run(&mut self, request: &Request<'_>) -> Result<Run, RunnerError> {
        let was_begun = self.under_way.remove(&request.run);
        assert_eq!(was_begun, request.is_shared);
        assert!(was_begun || self.under_way.is_empty(), "it is alone");
        let mut run = self.inner.run(request)?;
        if self.disturbed.contains(&request.run) && run.outcome == Outcome::Ok {
            run.outcome = Outcome::Disturbed;
        }
        Ok(run)
    }
}

fn searcher(plan: &Plan) -> Box<dyn Searcher> {
    let population = Population { size: 7, ..Population::default() };
    plan.method.searcher(plan.space.clone(), plan.seed, population)
}

fn plan_of(method: Method, jobs: u64) -> Plan {
    let model: Model = "hopper-2048".parse().unwrap();
    let space = super::tests::space_of(&model, Kernel::Vorpal);
    Plan { method, jobs, ..plan(space, 7) }
}

/// Searches, and keeps the trials as the journal has them.
fn tune(plan: &Plan, runner: &mut dyn Runner, recorded: Recorded) -> (Report, Vec<Trial>) {
    let stop = AtomicBool::new(false);
    let mut trials = recorded.trials.clone();
    let mut keep = |event: Event<'_>| {
        if let Event::Trial { trial, .. } = event {
            trials.push(trial.clone());
        }
    };
    let tuning = Tuning::new(plan, searcher(plan), runner, None, &mut keep, &stop);
    (tuning.run(recorded).unwrap(), trials)
}

#[test]
fn rounds_keep_as_many_runs_under_way_as_are_allowed() {
    for method in Method::ALL {
        let plan = plan_of(method, 4);
        let mut runner = Several::new(7);
        let (report, trials) = tune(&plan, &mut runner, Recorded::new(start(&plan)));
        assert_eq!(runner.most, 4, "{method:?}");
        assert!(runner.under_way.is_empty());
        let batches: Vec<&[Trial]> = trials.chunk_by(|a, b| a.told() == b.told()).collect();
        assert!(batches.iter().all(|batch| batch.len() <= 4), "{method:?}");
        assert!(batches[..2].iter().all(|batch| batch.len() == 1), "the default runs alone");
        // Nobody asks twice for the same, except a genetic algorithm, which is then not run twice.
        let asked = trials.iter().filter(|trial| trial.from.how != How::Default);
        let asked = asked.filter(|trial| !trial.cached);
        let settings: Vec<_> = asked.map(|trial| &trial.settings).collect();
        let distinct: BTreeSet<_> = settings.iter().collect();
        assert_eq!(distinct.len(), settings.len(), "{method:?}");
        assert_eq!(report.search.asks, if method == Method::Ga { 32 } else { 30 });
    }
}

#[test]
fn a_search_with_rounds_goes_on_from_every_line() {
    for method in Method::ALL {
        let plan = plan_of(method, 3);
        let disturbed = BTreeSet::from([2, 5, 9, 10, 20]);
        let runner = || Several { disturbed: disturbed.clone(), ..Several::new(7) };
        let recorded = Recorded::new(start(&plan));
        let (whole, trials) = tune(&plan, &mut runner(), recorded.clone());
        assert!(trials.iter().any(|trial| trial.from.how == How::Again), "{method:?}");
        assert_eq!(tune(&plan, &mut runner(), recorded.clone()).0, whole, "{method:?}");
        for lines in 0..=trials.len() {
            let trials = trials[..lines].to_vec();
            let recorded = Recorded { trials, ..recorded.clone() };
            let (report, _) = tune(&plan, &mut runner(), recorded);
            assert_eq!(report, whole, "{method:?} after {lines} lines");
        }
    }
}

#[test]
fn what_is_under_way_when_a_search_ends_leaves_no_trace() {
    let plan = plan_of(Method::Gp, 4);
    let (_, trials) = tune(&plan, &mut Several::new(7), Recorded::new(start(&plan)));
    // The journal ends within a batch; nothing more is run.
    let recorded = Recorded { trials: trials[..13].to_vec(), ..Recorded::new(start(&plan)) };
    let ended = |plan: &Plan| {
        let stop = AtomicBool::new(true);
        let mut runner = Several::new(7);
        let mut ignore = |_: Event<'_>| {};
        Tuning::new(plan, searcher(plan), &mut runner, None, &mut ignore, &stop)
            .run(recorded.clone())
            .unwrap()
    };
    let one_at_a_time = Plan { jobs: 1, ..plan.clone() };
    assert_eq!(ended(&plan), ended(&one_at_a_time));
    assert_eq!(ended(&plan).trials.len(), 13);
}

#[test]
fn a_budget_of_time_counts_what_goes_on_together_once() {
    let values = ["default", "1", "2", "4", "8", "16", "32", "64"];
    let asks = |jobs| {
        let space = of(&[("mpiio.cb_nodes", &values), ("mpiio.cb_buffer_size", &values)]);
        let plan = Plan { budget: Budget::Seconds(300.0), jobs, ..plan(space, 1) };
        let report = super::tests::tune(&plan, &mut program(1, |_| 5.0)).unwrap();
        report.search.asks
    };
    assert!(asks(4) > asks(1), "{} and {}", asks(4), asks(1));
}

#[test]
fn points_under_way_are_not_proposed_again() {
    let space = Arc::new(of(&[("mpiio.cb_nodes", &["default", "1", "2", "4"])]));
    for method in Method::ALL {
        let mut searcher = method.searcher(space.clone(), 1, Population::default());
        let mut points = BTreeSet::new();
        for n in 1..=4 {
            let Some(ask) = searcher.ask(n) else { break };
            searcher.pend(&ask.point, &ask.from);
            // Individuals of a genetic algorithm may be alike.
            assert!(points.insert(ask.point) || method == Method::Ga, "{method:?}");
        }
        assert!(searcher.history().told().seen().is_empty());
    }
}
