//! Runs on this machine.

use std::path::PathBuf;

use ioglass_job::trial::{Trials, catch_interrupts};
use ioglass_tune::journal::Recorded;
use ioglass_tune::runner::{Request, Run, Runner, RunnerError};
use ioglass_tune::tuning::Seed;

use super::Machine;
use super::best;
use super::known::Known;
use super::trial::{Files, Folders, ID, Judge, Made, Maker, Order, is_id, new_id};
use crate::cli::Tune;
use crate::failure::Failure;

/// Runs the command on this machine, with settings.
pub(super) struct LocalRunner<'a> {
    trials: Trials,
    folders: Folders,
    files: Files,
    judge: Judge<'a>,
    first: Order,
    known: Known,
}

impl<'a> LocalRunner<'a> {
    /// Nothing is run yet. What a killed search with the same journal has left is removed.
    pub(super) fn new(args: &'a Tune, recorded: Option<&Recorded>) -> Result<Self, Failure> {
        let id = id(recorded);
        let folders = Folders::new(&id, args.work.as_deref())?;
        catch_interrupts();
        let trials = Trials::new(&id, folders.all());
        folders.make()?;
        let own: Vec<PathBuf> = best::files(args);
        Ok(LocalRunner {
            trials,
            folders,
            files: Files::default(),
            judge: Judge::new(args, recorded),
            first: Order::first(args, &own)?,
            known: Known::default(),
        })
    }

    fn make(&mut self, order: &Order) -> Result<Made, RunnerError> {
        let place = self
            .folders
            .next()
            .map_err(|error| RunnerError(format!("cannot make the files of a run: {error}")))?;
        let made = order.make(&mut Maker {
            trials: &self.trials,
            place: &place,
            files: &mut self.files,
            stop: catch_interrupts(),
            at: &mut |_| {},
        });
        place.remove();
        made
    }
}

/// The id of the trials of a journal, or a new one.
pub(super) fn id(recorded: Option<&Recorded>) -> String {
    let id = recorded.and_then(|recorded| recorded.start.rest.get(ID)?.as_str());
    id.filter(|id| is_id(id)).map_or_else(new_id, str::to_owned)
}

impl Machine for LocalRunner<'_> {
    fn first(&mut self) -> Result<Option<(Known, Vec<Seed>)>, Failure> {
        let made = self.make(&self.first.clone());
        self.judge.first(made, catch_interrupts())
    }

    fn learn(&mut self, known: &Known) {
        self.known = known.clone();
    }

    fn id(&self) -> String {
        self.trials.variable().1.to_string_lossy().into_owned()
    }
}

impl Runner for LocalRunner<'_> {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, RunnerError> {
        if let Some(run) = self.judge.take_first(request) {
            return Ok(run);
        }
        let order = self.first.later(request, &self.known);
        let made = self.make(&order)?;
        Ok(self.judge.judge(made, request))
    }
}
