//! What is thought of runs, one after the other: whether their results are right, and their times mean
//! something.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use ioglass_tune::journal::{Outcome, Recorded};
use ioglass_tune::objective::Objective;
use ioglass_tune::runner::{Request, Run, RunnerError};
use ioglass_tune::tuning::{Seed, TuneError};

use super::super::known::{self, Known};
use super::super::{failed, live, question};
use super::Made;
use super::check::Comparison;
use super::disturbance::{Disturbance, Judged};
use crate::cli::Tune;
use crate::failure::Failure;

/// Judges runs.
pub(in super::super) struct Judge<'a> {
    args: &'a Tune,
    comparison: Comparison,
    disturbance: Disturbance,
    /// The first run, which was made before there was a question.
    first: Option<Run>,
}

impl<'a> Judge<'a> {
    /// Nothing is expected, except what a journal tells.
    pub(in super::super) fn new(args: &'a Tune, recorded: Option<&Recorded>) -> Judge<'a> {
        Judge {
            args,
            comparison: recorded.map(Comparison::recorded).unwrap_or_default(),
            disturbance: recorded.map(Disturbance::recorded).unwrap_or_default(),
            first: None,
        }
    }

    /// The first run of all. Returns what its log tells; nothing if all is to end.
    pub(in super::super) fn first(
        &mut self,
        made: Result<Made, RunnerError>,
        stop: &AtomicBool,
    ) -> Result<Option<(Known, Vec<Seed>)>, Failure> {
        let mut made =
            made.map_err(|error| Failure::bad_input(super::super::runner_message(&error)))?;
        let learned = made.learned.take();
        let mut run = self.compared(made, true, false, stop);
        question::objective(self.args).judge(&mut run);
        match run.outcome {
            Outcome::Ok => {}
            Outcome::Cancelled => return Ok(None),
            outcome => {
                let error = TuneError::of_default(outcome, run.exit, run.wall, run.note);
                return Err(failed(error));
            }
        }
        let (mut known, seeds) = match (&self.args.from_log, learned) {
            (Some(log), _) => known::of_log(log)?,
            (None, Some(learned)) => learned,
            (None, None) => (Known::default(), Vec::new()),
        };
        known.seconds = run.wall;
        // It counts in any case: what follows is compared with it.
        self.disturbance.judge(run.load);
        self.first = Some(run);
        Ok(Some((known, seeds)))
    }

    /// The first run, when it is asked for.
    pub(in super::super) fn take_first(&mut self, request: &Request<'_>) -> Option<Run> {
        let is_first = request.run == 1 && request.is_default;
        self.first.take_if(|_| is_first)
    }

    /// A run that is compared with those before it.
    pub(in super::super) fn judge(&mut self, made: Made, request: &Request<'_>) -> Run {
        let mut run = self.compared(made, request.is_default, request.is_shared, request.stop);
        // Runs that go on at the same time take processors from each other.
        if !request.is_shared {
            self.look_at_load(&mut run);
        }
        run
    }

    /// A run whose result is compared with that of the default. Runs at the same time write over each
    /// other's files in the current folder, which says nothing about their settings.
    fn compared(
        &mut self,
        made: Made,
        is_default: bool,
        is_shared: bool,
        stop: &AtomicBool,
    ) -> Run {
        let Made { mut run, mut note, written, job, .. } = made;
        if let Some(written) = written {
            if let Some(said) = self.comparison.says(&written) {
                live::say(&format!("ioglass: {said}"));
            }
            let wrong = self.comparison.look(written, is_default, is_shared, &mut note);
            if let Some(wrong) = wrong.filter(|_| run.outcome == Outcome::Ok) {
                let is_ended = stop.load(Relaxed);
                run.outcome = if is_ended { Outcome::Cancelled } else { Outcome::Wrong };
                run.note = Some(wrong);
            }
        }
        run.rest = note.rest();
        if let Some(job) = job {
            run.rest.insert("job".into(), job.into());
        }
        run
    }

    /// A run whose time means little, as others took the machine, is to be made again.
    fn look_at_load(&mut self, run: &mut Run) {
        let is_timed = !matches!(self.args.objective, Objective::Output { .. });
        if !is_timed || run.outcome != Outcome::Ok {
            return;
        }
        match self.disturbance.judge(run.load) {
            Judged::Counts => {}
            Judged::Disturbed => run.outcome = Outcome::Disturbed,
            Judged::GivenUp if self.args.quiet => {}
            Judged::GivenUp => {
                live::say(
                    "ioglass: others take this machine all the time; no run is repeated for it",
                );
            }
        }
    }
}
