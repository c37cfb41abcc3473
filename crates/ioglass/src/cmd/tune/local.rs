//! Runs on this machine.

mod check;
mod disturbance;
mod folder;
mod hdf5;
mod measure;
mod output;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime};

use ioglass_job::trial::{Over, Trial, TrialEnd, Trials};
use ioglass_job::{Error, Job, LogOutput, ProfileOutput, Setup};
use ioglass_tune::journal::{Bytes, Outcome, Recorded};
use ioglass_tune::objective::Objective;
use ioglass_tune::runner::{Note, Request, Run, Runner, RunnerError};
use ioglass_tune::space::Settings;
use ioglass_tune::tuning::{Seed, TuneError};

use super::known::{self, Known};
use super::question;
use super::{as_settings, best, failed, live};
use crate::cli::Tune;
use crate::cmd::apply;
use crate::cmd::run::obstacle;
use crate::failure::{Failure, Message};
use check::{Comparison, Ran};
use disturbance::{Disturbance, Judged};
use folder::Folders;
pub(super) use folder::new_id;
use measure::Measured;
use output::Number;

/// The placeholder of the folder of a run.
pub(super) const TRIAL_DIR: &str = "trial_dir";
/// Where the id of trials stands in the first line of a journal.
pub(super) const ID: &str = "trial";

/// Runs the command on this machine, with settings.
pub(super) struct LocalRunner<'a> {
    args: &'a Tune,
    trials: Trials,
    folders: Folders,
    /// Nothing is recorded and nothing is preloaded.
    is_plain: bool,
    number: Option<Number>,
    /// What runs wrote, unless that is not compared.
    comparison: Option<Comparison>,
    disturbance: Disturbance,
    known: Known,
    /// The first run, which was made before there was a question.
    first: Option<Run>,
}

/// Fails if the command cannot be run, or the files of the result cannot be written.
pub(super) fn check_command(args: &Tune) -> Result<(), Failure> {
    best::try_to_write(args)?;
    let is_plain = question::is_plain(args);
    let Some(obstacle) = obstacle(&args.command).filter(|_| !is_plain) else { return Ok(()) };
    let program = args.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    let message = Message::new(format!("{program} cannot be tuned: {obstacle}"));
    Err(Failure::bad_input(message.evidence("Settings come by a library that is loaded into it.")))
}

impl<'a> LocalRunner<'a> {
    /// Nothing is run yet. What a killed search with the same journal has left is removed.
    pub(super) fn new(args: &'a Tune, recorded: Option<&Recorded>) -> Result<Self, Failure> {
        let id = recorded.and_then(|recorded| recorded.start.rest.get(ID)?.as_str());
        let id = id.filter(|id| folder::is_id(id)).map_or_else(folder::new_id, str::to_owned);
        let number = match &args.objective {
            Objective::Output { pattern, .. } => Some(Number::new(pattern)?),
            _ => None,
        };
        let comparison = (args.check == "auto").then(|| {
            let comparison = Comparison::new(best::files(args));
            match recorded {
                Some(recorded) => comparison.recorded(recorded),
                None => comparison,
            }
        });
        let folders = Folders::new(&id, args.work.as_deref())?;
        ioglass_job::trial::catch_interrupts();
        let trials = Trials::new(&id, folders.all());
        folders.make()?;
        Ok(LocalRunner {
            args,
            trials,
            folders,
            is_plain: question::is_plain(args),
            number,
            comparison,
            disturbance: recorded.map(Disturbance::recorded).unwrap_or_default(),
            known: Known::default(),
            first: None,
        })
    }

    /// Runs the program once with its default settings. Returns what its log tells; nothing if all is to
    /// end.
    pub(super) fn first(&mut self, args: &Tune) -> Result<Option<(Known, Vec<Seed>)>, Failure> {
        let settings = question::defaults(args)?;
        let stop = ioglass_job::trial::catch_interrupts();
        let (mut run, learned) = self
            .one(&settings, true, None, stop)
            .map_err(|error| Failure::bad_input(Message::new(error.0)))?;
        question::objective(args).judge(&mut run);
        match run.outcome {
            Outcome::Ok => {}
            Outcome::Cancelled => return Ok(None),
            outcome => {
                let error = TuneError::of_default(outcome, run.exit, run.wall, run.note);
                return Err(failed(error));
            }
        }
        let (mut known, seeds) = match (&args.from_log, learned) {
            (Some(log), _) => known::of_log(log)?,
            (None, Some(measured)) => measured.learned(),
            (None, None) => (Known::default(), Vec::new()),
        };
        known.seconds = run.wall;
        // It counts in any case: what follows is compared with it.
        self.disturbance.judge(run.load);
        self.first = Some(run);
        Ok(Some((known, seeds)))
    }

    /// Tells the runner what is known of the program.
    pub(super) fn learn(&mut self, known: &Known) {
        self.known = known.clone();
    }

    /// The id of its trials.
    pub(super) fn id(&self) -> String {
        self.trials.variable().1.to_string_lossy().into_owned()
    }

    /// Runs the command once.
    fn one(
        &mut self,
        chosen: &Settings,
        is_default: bool,
        cut: Option<f64>,
        stop: &std::sync::atomic::AtomicBool,
    ) -> Result<(Run, Option<Measured>), RunnerError> {
        let own =
            |error: io::Error| RunnerError(format!("cannot make the files of a run: {error}"));
        let settings = as_settings(chosen, &self.known).map_err(|_| bad(chosen))?;
        let place = self.folders.next().map_err(own)?;
        let fill = |word: &OsString| {
            let folder = place.trial_dir().as_os_str().as_bytes();
            let mark = format!("{{{TRIAL_DIR}}}");
            OsString::from_vec(apply::replaced(word.as_bytes(), mark.as_bytes(), folder))
        };
        let words = apply::filled_in(&self.args.command, &settings);
        let words: Vec<OsString> = words.iter().map(fill).collect();
        let mut variables = apply::variables(&settings).map_err(|_| bad(chosen))?;
        let output = File::create(place.output()).map_err(own)?;
        let errors = File::create(place.errors()).map_err(own)?;
        let trials = &self.trials;
        let timeout = self.args.timeout.map(Duration::from_secs_f64);
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
        let failed = |outcome, note: String| Run {
            outcome,
            io: None,
            read: None,
            write: None,
            other: None,
            wall: 0.0,
            bytes: Bytes::default(),
            exit: None,
            began: began.clone(),
            load: None,
            note: Some(note),
            rest: serde_json::Map::new(),
        };
        if let Some(layout) = chosen.get(question::LAYOUT)
            && let Err(reason) = apply::set_layout(place.trial_dir(), layout)
        {
            place.remove();
            return Ok((failed(Outcome::Failed, reason), None));
        }
        if let Some(end) = shell(self.args.setup.as_ref()).map_err(cannot_start)?
            && let Some(outcome) = ended_badly(&end)
        {
            let note = output::tail(&place.errors());
            return Ok((failed(outcome, format!("--setup failed\n{note}")), None));
        }
        let job = if self.is_plain {
            variables.retain(|(name, _)| name != apply::SETTINGS);
            None
        } else {
            let mut setup = Setup::new(words.clone());
            setup.output = LogOutput::asked(&place.log(), "run.darshan")
                .map_err(|problem| RunnerError(problem.to_string()))?;
            setup.profile.files = Some(1);
            setup.profile.output = match self.args.objective {
                Objective::Regions(_) => ProfileOutput::File(place.profile()),
                _ => ProfileOutput::None,
            };
            setup.variables = std::mem::take(&mut variables);
            let job = Job::start(setup).map_err(|error| RunnerError(error.to_string()))?;
            variables = job.variables().to_vec();
            Some(job)
        };
        let limits = [cut, self.args.timeout].into_iter().flatten();
        let limit = limits.min_by(f64::total_cmp);
        let trial = Trial {
            words: &words,
            variables: &variables,
            output: &output,
            errors: &errors,
            limit: limit.map(Duration::from_secs_f64),
        };
        let began_at = SystemTime::now();
        let end = match self.trials.run(&trial, stop) {
            Ok(end) => end,
            Err(error) => {
                if let Some(job) = job {
                    job.discard();
                }
                return Err(cannot_start(error));
            }
        };
        let wall = end.wall.as_secs_f64();
        let mut run = failed(Outcome::Ok, String::new());
        run.note = None;
        run.wall = wall;
        run.load = end.others;
        run.exit = Some(end.ended.code().into());
        run.outcome = match end.over {
            Some(Over::Stopped) => Outcome::Cancelled,
            Some(Over::Limit) if self.args.timeout.is_some_and(|longest| wall >= longest) => {
                Outcome::Timeout
            }
            Some(Over::Limit) => Outcome::Cut,
            None if end.ended.code() != 0 => Outcome::Failed,
            None => Outcome::Ok,
        };
        let measured = match (job, run.outcome) {
            (Some(job), Outcome::Ok) => {
                let objective = &self.args.objective;
                Some(measure::of_job(
                    job,
                    &end,
                    &place,
                    (&settings, &self.args.command),
                    objective,
                )?)
            }
            (Some(job), _) => {
                job.discard();
                None
            }
            (None, _) => None,
        };
        let mut note = Note::default();
        if let Some(measured) = &measured {
            run.io = Some(measured.io);
            run.read = Some(measured.read);
            run.write = Some(measured.write);
            run.bytes = measured.bytes;
            run.other = measured.regions;
            note.verified = ioglass_report::tune::verified(&measured.settings);
        }
        if let Some(number) = &self.number {
            run.other = number.of(&[place.output(), place.errors()]);
        }
        if run.outcome == Outcome::Failed {
            run.note = Some(output::tail(&place.errors()));
        }
        if run.outcome == Outcome::Ok {
            let wrong = match (&mut self.comparison, self.args.check.as_str()) {
                (Some(comparison), _) => {
                    let ran = Ran {
                        trial_dir: place.trial_dir(),
                        run: measured.as_ref().map(Measured::run),
                        began: began_at,
                        is_default,
                    };
                    comparison.look(&ran, &mut note)
                }
                (None, "off") => None,
                (None, _) => {
                    let end = shell(Some(&self.args.check)).map_err(cannot_start)?;
                    let is_wrong = end.is_some_and(|end| ended_badly(&end).is_some());
                    is_wrong.then(|| format!("--check failed\n{}", output::tail(&place.errors())))
                }
            };
            if wrong.is_some() {
                run.outcome = if stop.load(Relaxed) { Outcome::Cancelled } else { Outcome::Wrong };
                run.note = wrong;
            }
        }
        if let Some(end) = shell(self.args.cleanup.as_ref()).map_err(cannot_start)?
            && run.outcome == Outcome::Ok
            && let Some(outcome) = ended_badly(&end)
        {
            run.outcome = outcome;
            run.note = Some(format!("--cleanup failed\n{}", output::tail(&place.errors())));
        }
        run.rest = note.rest();
        place.remove();
        Ok((run, measured))
    }

    /// A run whose time means little, as others took the machine, is to be made again.
    fn judge(&mut self, run: &mut Run) {
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

impl Runner for LocalRunner<'_> {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, RunnerError> {
        if request.run == 1
            && request.is_default
            && let Some(run) = self.first.take()
        {
            return Ok(run);
        }
        let (mut run, _) =
            self.one(request.settings, request.is_default, request.limit, request.stop)?;
        self.judge(&mut run);
        Ok(run)
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
