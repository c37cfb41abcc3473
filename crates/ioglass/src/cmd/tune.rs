//! `ioglass tune`: settings with which a program runs faster.

mod best;
mod health;
mod known;
mod live;
mod local;
mod motif;
mod question;
mod replay;
mod result;
mod seeds;
mod slurm;
mod trial;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ioglass_job::trial::{catch_interrupts, interrupt};
use ioglass_settings::Settings;
use ioglass_tune::journal::{Journal, JournalError, Recorded};
use ioglass_tune::model::{Kernel, Noise};
use ioglass_tune::report::{ModelReport, Report};
use ioglass_tune::runner::{ModelRunner, Runner, RunnerError};
use ioglass_tune::tuning::{Seed, State, TuneError, Tuning};

use crate::cli::{RunnerName, Tune};
use crate::cmd::check_file;
use crate::failure::{Failure, Message};
use known::Known;
use live::Live;
use local::LocalRunner;
use question::Question;
use slurm::SlurmRunner;
pub(super) use slurm::make as make_trial;

/// The status if the gain is less than --expect.
const UNEXPECTED: u8 = 1;

pub(super) fn run(args: &Tune) -> Result<ExitCode, Failure> {
    if args.json == Some(None) && args.html == Some(None) {
        let message = Message::new("--json and --html cannot both go to standard output".into());
        let help = "ioglass tune --json=result.json --html=result.html …".to_owned();
        return Err(Failure::usage(message.help(help, "writes both")));
    }
    if let Some(journal) = &args.replay {
        return replay::run(args, journal);
    }
    if args.health_check {
        return health::run(args);
    }
    if args.command.is_empty() {
        let message = Message::new("there is no command to tune".into());
        let help = "ioglass tune -- ./app".to_owned();
        return Err(Failure::usage(message.help(help, "finds settings for ./app")));
    }
    if args.maximize && !args.objective.to_string().starts_with("output:") {
        let message = Message::new("--maximize is for --objective output:REGEX only".into());
        return Err(Failure::usage(message));
    }
    check_jobs(args)?;
    ioglass_job::survive_size_limit();
    let recorded = args.resume.then(|| ioglass_tune::journal::read(&journal_path(args)));
    let recorded = recorded.transpose().map_err(bad_journal)?;
    // A search that goes on has the budget of its journal, unless another one was typed.
    let budget = recorded.as_ref().and_then(|one| question::recorded_budget(&one.start));
    let typed = question::typed(&args.command);
    let args = &Tune { budget: args.budget.or(budget), typed, ..args.clone() };
    match &args.runner {
        RunnerName::Local | RunnerName::Slurm => run_program(args, recorded.as_ref()),
        RunnerName::Model(model) => {
            let kernel = kernel(args)?;
            let known = Known::of_model(model, kernel);
            let noise = Noise { spread: args.model_noise, interference: args.model_interference };
            let mut runner = ModelRunner { model: *model, kernel, noise, seed: args.seed };
            let report = ModelReport {
                platform: model.platform.name.into(),
                ranks: model.ranks,
                kernel: kernel.name().into(),
                noise: noise.spread,
            };
            let question = Question::new(args, &known, &[])?;
            if args.dry_run {
                return result::dry_run(args, Some(&question), &known);
            }
            let resumed = resumed(args, &question)?;
            search(args, &question, &known, &mut runner, resumed, Some(report))
        }
    }
}

/// Runs a program, here or in jobs of a cluster.
trait Machine: Runner {
    /// Runs the program once with its default settings. Returns what its log tells; nothing if all is to
    /// end.
    fn first(&mut self) -> Result<Option<(Known, Vec<Seed>)>, Failure>;

    /// Tells what is known of the program.
    fn learn(&mut self, known: &Known);

    /// The id of its runs.
    fn id(&self) -> String;
}

/// What runs the program.
fn machine<'a>(
    args: &'a Tune,
    recorded: Option<&Recorded>,
) -> Result<Box<dyn Machine + 'a>, Failure> {
    Ok(match args.runner {
        RunnerName::Slurm => Box::new(SlurmRunner::new(args, recorded)?),
        _ => Box::new(LocalRunner::new(args, recorded)?),
    })
}

fn run_program(args: &Tune, recorded: Option<&Recorded>) -> Result<ExitCode, Failure> {
    trial::check_command(args)?;
    if let Some(log) = &args.from_log {
        check_file(log).map_err(Failure::bad_input)?;
    }
    if !args.resume && !args.restart && !args.dry_run {
        check_no_journal(args)?;
    }
    if args.dry_run {
        let (known, seeds) = match &args.from_log {
            Some(log) => known::of_log(log)?,
            // What `auto` is a log tells.
            None if question::spaces(args).iter().any(|space| space == "auto") => {
                return result::dry_run(args, None, &Known::default());
            }
            None => (Known::default(), Vec::new()),
        };
        let question = Question::new(args, &known, &seeds)?;
        return result::dry_run(args, Some(&question), &known);
    }
    if let Some(recorded) = recorded {
        let known = Known::recorded(recorded);
        let question = Question::new(args, &known, &seeds::of_start(&recorded.start))?;
        // Another search with this journal may still go on: what it has made is its own.
        let resumed = resumed(args, &question)?;
        let mut runner = machine(args, Some(recorded))?;
        runner.learn(&known);
        return search(args, &question, &known, &mut *runner, resumed, None);
    }
    if args.restart {
        leave_nothing_of(args, &journal_path(args))?;
    }
    let mut runner = machine(args, None)?;
    let mut all = motif::seeds(args)?;
    let Some((known, seeds)) = runner.first()? else { return Ok(interrupted()) };
    all.extend(seeds);
    let seeds = all;
    let mut question = Question::new(args, &known, &seeds)?;
    question.start.rest.insert(trial::ID.into(), runner.id().into());
    runner.learn(&known);
    let resumed = resumed(args, &question)?;
    search(args, &question, &known, &mut *runner, resumed, None)
}

/// Ends what a killed search with this journal has left in a cluster.
fn leave_nothing_of(args: &Tune, journal: &Path) -> Result<(), Failure> {
    // What is no journal is told when it is replaced.
    let Ok(old) = ioglass_tune::journal::read(journal) else { return Ok(()) };
    if old.start.runner != "slurm" || !matches!(args.runner, RunnerName::Slurm) {
        return Ok(());
    }
    // Another search may still use it.
    let (in_use, old) = Journal::resume(journal, &old.start).map_err(bad_journal)?;
    drop(machine(args, Some(&old))?);
    drop(in_use);
    Ok(())
}

/// Several runs at once, and arguments of sbatch, are for clusters only.
fn check_jobs(args: &Tune) -> Result<(), Failure> {
    if matches!(args.runner, RunnerName::Slurm) {
        return Ok(());
    }
    let what = match (args.jobs, &args.slurm_args) {
        (1, None) => return Ok(()),
        (1, _) => "--slurm-args is",
        _ => "--jobs is",
    };
    let message = Message::new(format!("{what} for --runner slurm only"));
    let message = match args.jobs {
        1 => message,
        _ => message.evidence(
            "Runs on one machine at the same time would take its processors from each other.",
        ),
    };
    let help = "ioglass tune --runner slurm --jobs 4 -- …".to_owned();
    Err(Failure::usage(message.help(help, "runs four jobs at the same time")))
}

/// The journal, and what it holds.
type Resumed = (Journal, Recorded);

/// Opens or makes the journal.
fn resumed(args: &Tune, question: &Question) -> Result<Resumed, Failure> {
    let path = journal_path(args);
    let start = &question.start;
    let opened = if args.resume {
        Journal::resume(&path, start)
    } else if args.restart && path.exists() {
        Journal::restart(&path, start).map(|journal| (journal, Recorded::new(start.clone())))
    } else {
        Journal::create(&path, start).map(|journal| (journal, Recorded::new(start.clone())))
    };
    opened.map_err(bad_journal)
}

/// Searches, and tells the result.
fn search(
    args: &Tune,
    question: &Question,
    known: &Known,
    runner: &mut dyn Runner,
    (mut journal, recorded): Resumed,
    model: Option<ModelReport>,
) -> Result<ExitCode, Failure> {
    let stop = catch_interrupts();
    let plan = &question.plan;
    let mut live = Live::new(args, question, known, &recorded);
    live.head();
    let searcher = plan.method.searcher(plan.space.clone(), plan.seed, question.population);
    let mut event = |event: ioglass_tune::tuning::Event<'_>| live.event(&event);
    let tuning = Tuning::new(plan, searcher, runner, Some(&mut journal), &mut event, stop);
    let ended = tuning.run(recorded);
    live.end();
    let (mut report, unwritten) = match ended {
        Ok(report) => (report, None),
        Err(TuneError::Journal { error, report }) => (*report, Some(error)),
        Err(error) => return Err(failed(error)),
    };
    report.model = model;
    question.complete(&mut report, known, journal.path());
    let written = best::write(args, question, known, &mut report);
    if report.model.is_none() {
        motif::remember(args, known, &report);
    }
    // Whatever cannot be written, the result is told.
    let told = result::tell(args, &report);
    if let Some(error) = unwritten {
        return Err(bad_journal(error));
    }
    written?;
    told?;
    status(args, &report)
}

/// The status for a result.
fn status(args: &Tune, report: &Report) -> Result<ExitCode, Failure> {
    if report.state == State::Interrupted && interrupt().is_some() {
        return Ok(interrupted());
    }
    let proven = report.speedup.as_ref().filter(|_| report.state == State::Gain);
    let least = proven.and_then(|speedup| speedup.low).unwrap_or(1.0);
    match args.expect {
        Some(expected) if least < expected => {
            writeln!(
                anstream::stderr(),
                "ioglass: the gain is not proven to be at least {expected}×"
            )?;
            Ok(ExitCode::from(UNEXPECTED))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The status after a signal.
fn interrupted() -> ExitCode {
    let signal = interrupt().unwrap_or(0);
    ExitCode::from(128_u8.saturating_add(signal as u8))
}

/// The kernel that a model is to run.
fn kernel(args: &Tune) -> Result<Kernel, Failure> {
    let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy()).collect();
    let named = match &words[..] {
        [program, kernel, name] if program.ends_with("ioglass") && kernel == "kernel" => {
            name.parse().ok()
        }
        _ => None,
    };
    named.ok_or_else(|| {
        let message = Message::new("a model runs nothing but its kernels".into());
        let help = "ioglass tune --runner model:hopper-2048 -- ioglass kernel vpic".to_owned();
        Failure::usage(message.help(help, "also vorpal and gcrm"))
    })
}

/// The file of the journal.
fn journal_path(args: &Tune) -> PathBuf {
    args.journal.clone().unwrap_or_else(|| format!("{}.tune.jsonl", question::program(args)).into())
}

/// Fails if there is a journal and it was not said what to do with it: before anything is run.
fn check_no_journal(args: &Tune) -> Result<(), Failure> {
    let path = journal_path(args);
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    Err(bad_journal(JournalError::Exists(path)))
}

/// The failure of a journal.
fn bad_journal(error: JournalError) -> Failure {
    let message = Message::new(error.to_string());
    let message = match std::error::Error::source(&error) {
        Some(source) => message.evidence(source),
        None => message,
    };
    match error {
        JournalError::Exists(_) => Failure::bad_input(
            message
                .evidence("It is the journal of an earlier search.")
                .help("ioglass tune --resume …".into(), "goes on with it; --restart begins anew"),
        ),
        JournalError::Changed(_, changed) => Failure::bad_input(
            changed
                .iter()
                .fold(message, Message::evidence)
                .help("ioglass tune --restart …".into(), "begins anew"),
        ),
        JournalError::Write(..) => Failure::NotWritten(vec![message]),
        _ => Failure::bad_input(message),
    }
}

/// The failure of a search.
fn failed(error: TuneError) -> Failure {
    let message = Message::new(error.to_string());
    let with_lines = |message: Message, note: &Option<String>| {
        note.iter().flat_map(|note| note.lines()).fold(message, Message::evidence)
    };
    match error {
        TuneError::Default { note, .. } => Failure::bad_input(with_lines(message, &note)),
        TuneError::Failing(failing) => {
            let message = match failing.shared.is_empty() {
                true => message,
                false => {
                    let shared = failing.shared.join(" ");
                    message.evidence(format!("All of them had {shared}, and no other run."))
                }
            };
            Failure::bad_input(with_lines(message, &failing.note))
        }
        TuneError::Runner(error) => Failure::NotWritten(vec![runner_message(&error)]),
        error => Failure::Own(anyhow::Error::new(error)),
    }
}

/// What a runner says: its first line, and what it shows for it.
fn runner_message(error: &RunnerError) -> Message {
    let mut lines = error.0.lines();
    let title = Message::new(lines.next().unwrap_or_default().into());
    lines.fold(title, Message::evidence)
}

/// The settings of a point, as a settings file would have them.
fn as_settings(chosen: &ioglass_tune::space::Settings, serial: bool) -> Result<Settings, Failure> {
    let arguments = chosen.iter().map(|(name, value)| {
        let parsed = ioglass_settings::argument(&format!("{name}={value}"));
        parsed.map_err(|problem| Failure::bad_input(Message::new(problem)))
    });
    let mut settings = Settings::of_arguments(arguments.collect::<Result<_, _>>()?);
    for rule in &mut settings.rules {
        rule.serial = serial;
    }
    Ok(settings)
}
