//! A search from the first default run to the verdict.
//!
//! The default is run twice. Then comes the search: advice first, then what the searcher asks for. Three
//! candidates are run against each other, and the best of them is proven in fresh runs, in turn with the
//! default. What is reported comes from the proof alone.

#[cfg(test)]
mod batch_tests;
mod choice;
mod layers;
mod plan;
mod proof;
#[cfg(test)]
mod tests;
mod trials;
mod verdict;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub use choice::CHOICE_ROUNDS;
pub use layers::LayerGain;
pub use plan::{Budget, Failing, Plan, Seed, TuneError};
pub use proof::{FIRST_LOOK, Round};
pub use verdict::{State, Verdict};

use crate::journal::{Confirm, End, Journal, JournalError, Line, Outcome, Phase, Recorded, Trial};
use crate::random::Random;
use crate::report::Report;
use crate::runner::{Request, Run, Runner};
use crate::search::{Cost, Searcher};
use crate::space::{Point, Settings};

/// What happens, as it happens.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A run of the search ended.
    Trial {
        /// The run.
        trial: &'a Trial,
        /// The gain over the mean of the default runs, if it was measured.
        gain: Option<f64>,
        /// Seconds after which it was ended.
        limit: Option<f64>,
    },
    /// The search is over; so many candidates are left.
    Choosing {
        /// Candidates.
        candidates: usize,
        /// Runs to come.
        runs: u64,
    },
    /// One more run of the choice ended.
    Chosen {
        /// Runs so far.
        runs: u64,
        /// Runs in all.
        of: u64,
    },
    /// One more round of the proof ended.
    Proven {
        /// Rounds so far.
        rounds: u64,
        /// The next look at the result.
        look: u64,
        /// Rounds at most.
        of: u64,
    },
    /// One more run of a layer alone ended.
    Layer {
        /// The layer.
        layer: &'a str,
    },
}

/// A search that is under way.
pub struct Tuning<'a> {
    plan: &'a Plan,
    runner: &'a mut dyn Runner,
    journal: Option<&'a mut Journal>,
    event: &'a mut dyn FnMut(Event<'_>),
    stop: &'a AtomicBool,
    searcher: Box<dyn Searcher>,
    trials: Vec<Trial>,
    /// Recorded runs of a batch that may not be complete.
    unfinished: VecDeque<Trial>,
    /// Runs after the search that were recorded before, each used once.
    recorded: HashMap<(Phase, u64, u64, Settings), Confirm>,
    /// Runs after the search.
    confirms: Vec<Confirm>,
    runs: u64,
}

impl std::fmt::Debug for Tuning<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tuning").field("runs", &self.runs).finish_non_exhaustive()
    }
}

/// A run that is wanted.
struct Wanted<'p> {
    point: &'p Point,
    run: u64,
    phase: Phase,
    limit: Option<f64>,
    is_shared: bool,
}

/// Why a phase ends before its time.
pub(crate) enum Stop {
    /// The search is to end at once.
    Cancelled,
    /// The journal cannot be written.
    Unwritten(JournalError),
    /// Something is wrong.
    Error(TuneError),
}

impl From<TuneError> for Stop {
    fn from(error: TuneError) -> Stop {
        Stop::Error(error)
    }
}

impl<'a> Tuning<'a> {
    /// A search that goes on after what is recorded.
    pub fn new(
        plan: &'a Plan,
        searcher: Box<dyn Searcher>,
        runner: &'a mut dyn Runner,
        journal: Option<&'a mut Journal>,
        event: &'a mut dyn FnMut(Event<'_>),
        stop: &'a AtomicBool,
    ) -> Tuning<'a> {
        Tuning {
            plan,
            runner,
            journal,
            event,
            stop,
            searcher,
            trials: Vec::new(),
            unfinished: VecDeque::new(),
            recorded: HashMap::new(),
            confirms: Vec::new(),
            runs: 0,
        }
    }

    /// Runs the search to its end.
    ///
    /// # Errors
    /// If the default run fails, most runs fail, or something of our own does.
    pub fn run(mut self, recorded: Recorded) -> Result<Report, TuneError> {
        let was_over = recorded.state.clone();
        self.take(recorded);
        let mut verdict = Verdict::default();
        match self.phases(&mut verdict) {
            Ok(()) => {}
            Err(Stop::Cancelled) => self.interrupt(&mut verdict),
            Err(Stop::Unwritten(error)) => {
                self.interrupt(&mut verdict);
                let report = Box::new(Report::new(&self, &verdict));
                return Err(TuneError::Journal { error, report });
            }
            Err(Stop::Error(error)) => {
                let failed = matches!(error, TuneError::Default { .. } | TuneError::Failing(_));
                if failed {
                    // What is wrong is told anyway.
                    let _ = self.append(&Line::End(End { state: State::Failed.name().into() }));
                }
                return Err(error);
            }
        }
        let state = verdict.state.name();
        let report = Report::new(&self, &verdict);
        if was_over.as_deref() != Some(state)
            && let Err(Stop::Unwritten(error)) =
                self.append(&Line::End(End { state: state.into() }))
        {
            return Err(TuneError::Journal { error, report: Box::new(report) });
        }
        Ok(report)
    }

    /// The search ends here; the best so far is what is left of it.
    fn interrupt(&self, verdict: &mut Verdict) {
        verdict.state = State::Interrupted;
        verdict.gain = None;
        if verdict.candidate.is_none() {
            verdict.candidate = self.finalists().into_iter().next();
        }
    }

    fn phases(&mut self, verdict: &mut Verdict) -> Result<(), Stop> {
        self.search()?;
        let candidates = self.finalists();
        verdict.candidate = candidates.first().cloned();
        if self.plan.confirm == 0 || candidates.is_empty() {
            match candidates.first().map(|candidate| self.plan.space.settings(candidate)) {
                Some(settings) if !self.was_faster(&settings) => {
                    verdict.nothing("no settings were faster than the default");
                }
                candidate => verdict.unproven(self, candidate.is_none()),
            }
            return Ok(());
        }
        let Some(winner) = self.choose(&candidates)? else {
            verdict.nothing("no candidate could be run again");
            return Ok(());
        };
        verdict.candidate = Some(winner.clone());
        self.prove(&winner, verdict)?;
        if verdict.state == State::Gain {
            verdict.layers = self.layers(&winner, verdict)?;
        }
        Ok(())
    }

    /// Tells the searcher what is recorded, as if it had just been run.
    fn take(&mut self, recorded: Recorded) {
        // Of the last batch some runs may be missing.
        let told = recorded.trials.last().map_or(0, Trial::told);
        for trial in recorded.trials {
            self.runs = self.runs.max(trial.run);
            if trial.n <= told {
                self.tell(&trial);
                self.trials.push(trial);
            } else {
                self.unfinished.push_back(trial);
            }
        }
        for confirm in recorded.confirms {
            self.runs = self.runs.max(confirm.run);
            if confirm.outcome != Outcome::Cancelled {
                let key = (confirm.phase, confirm.n, confirm.round, confirm.settings.clone());
                self.recorded.insert(key, confirm);
            }
        }
    }

    /// Tells the searcher what came of a trial.
    fn tell(&mut self, trial: &Trial) {
        if trial.outcome == Outcome::Cancelled {
            return;
        }
        let Some(point) = self.plan.space.point(&trial.settings) else { return };
        let cost = match (trial.outcome, trial.value) {
            (Outcome::Ok, Some(value)) => Cost::Measured(self.plan.objective.cost(value)),
            (Outcome::Cut, Some(value)) => Cost::AtLeast(self.plan.objective.cost(value)),
            (Outcome::Disturbed | Outcome::Cancelled | Outcome::Cut, _) => Cost::Unknown,
            _ => Cost::Bad,
        };
        self.searcher.tell(&point, &trial.from, cost);
    }

    /// The number of the next run.
    fn next_run(&mut self) -> u64 {
        self.runs += 1;
        self.runs
    }

    /// Tells the runner of a run that will be asked for.
    fn begin(&mut self, wanted: &Wanted<'_>) -> Result<(), TuneError> {
        let settings = self.plan.space.applied(wanted.point);
        self.runner.begin(&self.request(wanted, &settings)).map_err(TuneError::Runner)
    }

    /// Runs a point once.
    fn one(&mut self, wanted: &Wanted<'_>) -> Result<Run, TuneError> {
        let settings = self.plan.space.applied(wanted.point);
        let mut run =
            self.runner.run(&self.request(wanted, &settings)).map_err(TuneError::Runner)?;
        self.plan.objective.judge(&mut run);
        Ok(run)
    }

    fn request<'s>(&self, wanted: &Wanted<'_>, settings: &'s Settings) -> Request<'s>
    where
        'a: 's,
    {
        Request {
            run: wanted.run,
            phase: wanted.phase,
            settings,
            is_default: *wanted.point == self.plan.space.default_point(),
            limit: wanted.limit,
            is_shared: wanted.is_shared,
            stop: self.stop,
        }
    }

    /// Runs a point for the choice, the proof or a layer, unless that was recorded.
    fn confirm(&mut self, phase: Phase, round: u64, point: &Point) -> Result<Confirm, Stop> {
        let settings = self.plan.space.settings(point);
        let n = self.trials.len() as u64 + 1;
        if let Some(confirm) = self.recorded.remove(&(phase, n, round, settings.clone())) {
            self.confirms.push(confirm.clone());
            return Ok(confirm);
        }
        self.check_stop()?;
        let number = self.next_run();
        let run = self.one(&Wanted { point, run: number, phase, limit: None, is_shared: false })?;
        let confirm = Confirm {
            phase,
            n,
            run: number,
            round,
            settings,
            outcome: run.outcome,
            value: self.plan.objective.value(&run).filter(|_| run.outcome == Outcome::Ok),
            io: run.io,
            wall: run.wall,
            note: run.note,
            rest: run.rest,
        };
        // A run that was cancelled is none.
        if confirm.outcome == Outcome::Cancelled {
            return Err(Stop::Cancelled);
        }
        self.append(&Line::Confirm(Box::new(confirm.clone())))?;
        self.confirms.push(confirm.clone());
        Ok(confirm)
    }

    fn append(&mut self, line: &Line) -> Result<(), Stop> {
        match &mut self.journal {
            Some(journal) => journal.append(line).map_err(Stop::Unwritten),
            None => Ok(()),
        }
    }

    fn check_stop(&self) -> Result<(), Stop> {
        if self.stop.load(Relaxed) { Err(Stop::Cancelled) } else { Ok(()) }
    }

    /// The order in which a round runs its points.
    fn shuffled(&self, phase: &str, round: u64, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        Random::new(self.plan.seed, phase, round).shuffle(&mut order);
        order
    }

    /// The plan.
    pub(crate) fn plan(&self) -> &Plan {
        self.plan
    }

    /// The runs of the search.
    pub(crate) fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// The runs after the search.
    pub(crate) fn confirms(&self) -> &[Confirm] {
        &self.confirms
    }

    /// The searcher.
    pub(crate) fn searcher(&self) -> &dyn Searcher {
        &*self.searcher
    }
}
