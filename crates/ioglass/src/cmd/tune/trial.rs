//! One run of the program: what it needs, how it is made and measured, and what came of it.
//!
//! The same code runs on this machine and in a job of a cluster: an order is all that a run needs to know,
//! and can be a file.

mod check;
mod disturbance;
mod folder;
mod hdf5;
mod judge;
mod measure;
mod output;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use ioglass_job::trial::{Over, Trial, TrialEnd, Trials};
use ioglass_job::{Error, Job, LogOutput, ProfileOutput, Setup};
use ioglass_tune::journal::{Bytes, Outcome};
use ioglass_tune::objective::Objective;
use ioglass_tune::runner::{Note, Run, RunnerError};
use ioglass_tune::space::Settings;
use ioglass_tune::tuning::Seed;
use serde::{Deserialize, Serialize};

use super::known::Known;
use super::{as_settings, best, question};
use crate::cli::Tune;
use crate::cmd::apply;
use crate::cmd::run::obstacle;
use crate::failure::{Failure, Message};
use check::Ran;
pub(super) use check::{Files, Written};
pub(super) use folder::{Folders, Place, cannot_make, is_id, new_id, work_folder};
pub(super) use judge::Judge;
use measure::Measured;
use output::Number;
pub(super) use output::tail;

/// The placeholder of the folder of a run.
pub(super) const TRIAL_DIR: &str = "trial_dir";
/// Where the id of trials stands in the first line of a journal.
pub(super) const ID: &str = "trial";

/// All that a run needs to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Order {
    /// The command, with its placeholders.
    command: Vec<OsString>,
    /// All settings to apply.
    pub(super) settings: Settings,
    /// Settings of HDF5 are for files that are not opened through MPI-IO.
    serial: bool,
    /// It is a run of the default.
    pub(super) is_default: bool,
    /// What its log tells of the program is wanted.
    is_first: bool,
    /// Seconds after which it is ended, as it can no longer be the best.
    pub(super) cut: Option<f64>,
    /// Seconds after which it has failed.
    pub(super) timeout: Option<f64>,
    setup: Option<String>,
    cleanup: Option<String>,
    check: String,
    objective: String,
    /// Nothing is recorded and nothing is preloaded.
    is_plain: bool,
    /// Files and folders of the search itself.
    own: Vec<OsString>,
}

/// What came of a run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Made {
    /// Its numbers.
    pub(super) run: Run,
    note: Note,
    /// What it has written, if that is to be compared.
    written: Option<Written>,
    /// What its log tells of the program, if that was wanted.
    learned: Option<(Known, Vec<Seed>)>,
    /// The number of the job in which it was made.
    #[serde(skip)]
    pub(super) job: Option<String>,
}

/// A moment of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// The program begins.
    Begin,
    /// The program has ended.
    End,
}

/// What makes runs.
pub(super) struct Maker<'m> {
    /// Where the program runs.
    pub(super) trials: &'m Trials,
    /// The files of the run.
    pub(super) place: &'m Place,
    /// Reads what the program wrote.
    pub(super) files: &'m mut Files,
    /// Is set when all is to end.
    pub(super) stop: &'m AtomicBool,
    /// Is told of moments.
    pub(super) at: &'m mut dyn FnMut(Moment),
}

/// Fails if the command cannot be run, or the files of the result cannot be written.
pub(super) fn check_command(args: &Tune) -> Result<(), Failure> {
    best::try_to_write(args)?;
    if let Objective::Output { pattern, .. } = &args.objective {
        Number::new(pattern)?;
    }
    let is_plain = question::is_plain(args);
    let Some(obstacle) = obstacle(&args.command).filter(|_| !is_plain) else { return Ok(()) };
    let program = args.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    let message = Message::new(format!("{program} cannot be tuned: {obstacle}"));
    Err(Failure::bad_input(message.evidence("Settings come by a library that is loaded into it.")))
}

impl Order {
    /// The first run of a search, of which nothing is known yet.
    pub(super) fn first(args: &Tune, own: &[std::path::PathBuf]) -> Result<Order, Failure> {
        Ok(Order {
            command: args.command.clone(),
            settings: question::defaults(args)?,
            serial: false,
            is_default: true,
            is_first: true,
            cut: None,
            timeout: args.timeout,
            setup: args.setup.clone(),
            cleanup: args.cleanup.clone(),
            check: args.check.clone(),
            objective: args.objective.to_string(),
            is_plain: question::is_plain(args),
            own: own.iter().map(OsString::from).collect(),
        })
    }

    /// A later one.
    pub(super) fn later(
        &self,
        request: &ioglass_tune::runner::Request<'_>,
        known: &Known,
    ) -> Order {
        Order {
            settings: request.settings.clone(),
            serial: known.serial,
            is_default: request.is_default,
            is_first: false,
            cut: request.limit,
            ..self.clone()
        }
    }

    /// Seconds after which the program is ended.
    pub(super) fn limit(&self) -> Option<f64> {
        [self.cut, self.timeout].into_iter().flatten().min_by(f64::total_cmp)
    }

    /// The outcome of a run that was ended after so many seconds.
    pub(super) fn over(&self, seconds: f64) -> Outcome {
        if self.timeout.is_some_and(|longest| seconds >= longest) {
            Outcome::Timeout
        } else {
            Outcome::Cut
        }
    }

    /// Makes the run.
    pub(super) fn make(&self, maker: &mut Maker<'_>) -> Result<Made, RunnerError> {
        let own =
            |error: io::Error| RunnerError(format!("cannot make the files of a run: {error}"));
        let bad = || bad(&self.settings);
        let objective = Objective::from_str(&self.objective).map_err(RunnerError)?;
        let settings = as_settings(&self.settings, self.serial).map_err(|_| bad())?;
        let (place, stop) = (maker.place, maker.stop);
        let fill = |word: &OsString| {
            let folder = place.trial_dir().as_os_str().as_bytes();
            let mark = format!("{{{TRIAL_DIR}}}");
            OsString::from_vec(apply::replaced(word.as_bytes(), mark.as_bytes(), folder))
        };
        let words = apply::filled_in(&self.command, &settings);
        let words: Vec<OsString> = words.iter().map(fill).collect();
        let mut variables = apply::variables(&settings).map_err(|_| bad())?;
        let output = File::create(place.output()).map_err(own)?;
        let errors = File::create(place.errors()).map_err(own)?;
        let trials = maker.trials;
        let timeout = self.timeout.map(Duration::from_secs_f64);
        let shell = |script: Option<&String>| {
            let Some(script) = script else { return Ok(None) };
            let script = fill(&script.into());
            let words = ["sh".into(), "-c".into(), script];
            let trial = Trial {
                words: &words,
                variables: &[],
                output: &errors,
                errors: &errors,
                limit: timeout,
            };
            trials.run(&trial, stop).map(Some)
        };
        let began = question::now();
        if let Some(layout) = self.settings.get(question::LAYOUT)
            && let Err(reason) = apply::set_layout(place.trial_dir(), layout)
        {
            return Ok(Made::unmeasured(Outcome::Failed, began, reason));
        }
        if let Some(end) = shell(self.setup.as_ref()).map_err(cannot_start)?
            && let Some(outcome) = ended_badly(&end)
        {
            let note = format!("--setup failed\n{}", output::tail(&place.errors()));
            return Ok(Made::unmeasured(outcome, began, note));
        }
        let job = if self.is_plain {
            variables.retain(|(name, _)| name != apply::SETTINGS);
            None
        } else {
            let mut setup = Setup::new(words.clone());
            setup.output = LogOutput::asked(&place.log(), "run.darshan")
                .map_err(|problem| RunnerError(problem.to_string()))?;
            setup.profile.files = Some(1);
            setup.profile.output = match objective {
                Objective::Regions(_) => ProfileOutput::File(place.profile()),
                _ => ProfileOutput::None,
            };
            setup.variables = std::mem::take(&mut variables);
            let job = Job::start(setup).map_err(|error| RunnerError(error.to_string()))?;
            variables = job.variables().to_vec();
            Some(job)
        };
        let trial = Trial {
            words: &words,
            variables: &variables,
            output: &output,
            errors: &errors,
            limit: self.limit().map(Duration::from_secs_f64),
        };
        let began_at = match self.check.as_str() {
            "auto" => check::moment(),
            _ => SystemTime::now(),
        };
        (maker.at)(Moment::Begin);
        let ended = trials.run(&trial, stop);
        (maker.at)(Moment::End);
        let end = match ended {
            Ok(end) => end,
            Err(error) => {
                if let Some(job) = job {
                    job.discard();
                }
                return Err(cannot_start(error));
            }
        };
        let mut made = Made::unmeasured(self.outcome(&end), began, String::new());
        let run = &mut made.run;
        run.note = None;
        run.wall = end.wall.as_secs_f64();
        run.load = end.others;
        run.exit = Some(end.ended.code().into());
        let measured = match (job, run.outcome) {
            (Some(job), Outcome::Ok) => {
                Some(measure::of_job(job, &end, place, (&settings, &self.command), &objective)?)
            }
            (Some(job), _) => {
                job.discard();
                None
            }
            (None, _) => None,
        };
        if let Some(measured) = &measured {
            run.io = Some(measured.io);
            run.read = Some(measured.read);
            run.write = Some(measured.write);
            run.bytes = measured.bytes;
            run.other = measured.regions;
            made.note.verified = ioglass_report::tune::verified(&measured.settings);
        }
        if let Objective::Output { pattern, .. } = &objective {
            let number = Number::new(pattern).map_err(|_| RunnerError(pattern.clone()))?;
            run.other = number.of(&[place.output(), place.errors()]);
        }
        if run.outcome == Outcome::Failed {
            run.note = Some(output::tail(&place.errors()));
        }
        if run.outcome == Outcome::Ok {
            match self.check.as_str() {
                "auto" => {
                    let ran = Ran {
                        trial_dir: place.trial_dir(),
                        run: measured.as_ref().map(Measured::run),
                        began: began_at,
                        is_default: self.is_default,
                        own: &self.own,
                    };
                    made.written = Some(maker.files.written(&ran));
                }
                "off" => {}
                script => {
                    let end = shell(Some(&script.to_owned())).map_err(cannot_start)?;
                    if let Some(outcome) = end.as_ref().and_then(ended_badly) {
                        let is_cancelled = outcome == Outcome::Cancelled;
                        run.outcome = if is_cancelled { outcome } else { Outcome::Wrong };
                        let lines = output::tail(&place.errors());
                        run.note = Some(format!("--check failed\n{lines}"));
                    }
                }
            }
        }
        if let Some(end) = shell(self.cleanup.as_ref()).map_err(cannot_start)?
            && run.outcome == Outcome::Ok
            && let Some(outcome) = ended_badly(&end)
        {
            run.outcome = outcome;
            run.note = Some(format!("--cleanup failed\n{}", output::tail(&place.errors())));
        }
        if self.is_first {
            made.learned = measured.as_ref().map(Measured::learned);
        }
        Ok(made)
    }

    /// The outcome of a program that has ended.
    fn outcome(&self, end: &TrialEnd) -> Outcome {
        match end.over {
            Some(Over::Stopped) => Outcome::Cancelled,
            Some(Over::Limit) => self.over(end.wall.as_secs_f64()),
            None if end.ended.code() != 0 => Outcome::Failed,
            None => Outcome::Ok,
        }
    }
}

impl Made {
    /// A run of which nothing was measured.
    pub(super) fn unmeasured(outcome: Outcome, began: String, note: String) -> Made {
        let run = Run {
            outcome,
            io: None,
            read: None,
            write: None,
            other: None,
            wall: 0.0,
            bytes: Bytes::default(),
            exit: None,
            began,
            load: None,
            note: Some(note),
            rest: serde_json::Map::new(),
        };
        Made { run, note: Note::default(), written: None, learned: None, job: None }
    }
}

/// The outcome of a run whose command before or after it ended badly.
fn ended_badly(end: &TrialEnd) -> Option<Outcome> {
    match end.over {
        Some(Over::Stopped) => Some(Outcome::Cancelled),
        Some(Over::Limit) => Some(Outcome::Timeout),
        None => (end.ended.code() != 0).then_some(Outcome::Failed),
    }
}

fn bad(chosen: &Settings) -> RunnerError {
    let settings: Vec<String> =
        chosen.iter().map(|(name, value)| format!("{name}={value}")).collect();
    RunnerError(format!("these settings cannot be applied: {}", settings.join(" ")))
}

fn cannot_start(error: Error) -> RunnerError {
    match error {
        Error::Start { program, source } => {
            RunnerError(format!("cannot run {}: {source}", program.to_string_lossy()))
        }
        error => RunnerError(error.to_string()),
    }
}
