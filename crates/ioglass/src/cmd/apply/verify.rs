//! `ioglass apply --verify`: what became of each setting.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ioglass_insight::settings::{Asked, Scope, SettingOutcome, add_missing, of_recording};
use ioglass_job::program::Program;
use ioglass_job::{Ended, Job, Launch, LogOutput, ProfileOutput, Setup};
use ioglass_log::Log;
use ioglass_param::{Layer, State};
use ioglass_report::settings::{self, Stack, Verify};
use ioglass_report::terminal::Options;
use ioglass_settings::Settings;

use crate::cli::Apply;
use crate::cmd::html_output;
use crate::cmd::report::width;
use crate::cmd::run::{cannot_start, die_as};
use crate::failure::Failure;
use crate::{glyphs, recorded};

/// The status if a setting did not take effect and --strict is given.
const NOT_IN_FORCE: u8 = 1;

/// Runs the program with the settings, recorded, and says what became of them.
pub(super) fn run(
    args: &Apply,
    settings: &Settings,
    words: &[OsString],
    variables: Vec<(OsString, OsString)>,
) -> Result<ExitCode, Failure> {
    for path in [&args.verify, &args.json].into_iter().flatten().flatten() {
        ioglass_job::output::try_to_write(path)
            .map_err(|problem| Failure::cannot_write(path, &problem).before_start())?;
    }
    ioglass_job::survive_size_limit();
    let launch = Launch::detect();
    let is_launched = launch.is_some();
    let mut setup = Setup::launched(words.to_owned(), launch);
    let log = TemporaryLog::new(&setup, is_launched);
    let cannot = |problem| Failure::cannot_write(&log.0, &problem).before_start();
    setup.output = LogOutput::asked(&log.0, "verify.darshan").map_err(cannot)?;
    setup.profile.output = ProfileOutput::None;
    setup.variables = variables;
    let mut job = Job::start(setup)?;
    let ended = match job.run() {
        Ok(ended) => ended,
        Err(error) => {
            let _ = job.abandon();
            return cannot_start(error);
        }
    };
    let told = tell(args, settings, words, &mut job, ended);
    let unmet = match told {
        Ok(unmet) => unmet,
        Err(failure) => {
            // The status is that of the program.
            let _ = failure.report();
            None
        }
    };
    drop(log);
    die_as(ended, is_launched);
    match (ended.code(), unmet) {
        (0, Some(_)) => Ok(ExitCode::from(NOT_IN_FORCE)),
        (code, _) => Ok(ExitCode::from(code)),
    }
}

/// Says what became of the settings. Returns why --strict is not satisfied, if it is given.
fn tell(
    args: &Apply,
    settings: &Settings,
    words: &[OsString],
    job: &mut Job,
    ended: Ended,
) -> Result<Option<String>, Failure> {
    let Some(harvested) = job.finish(ended)? else { return Ok(None) };
    let opened = harvested.log.as_deref().map(Log::open).transpose();
    job.close(&harvested, true);
    let Some(log) = opened.map_err(anyhow::Error::new)? else { return Ok(None) };
    let stack = stack(&log);
    let outcomes = outcomes(&log, settings, &stack, &args.command);
    let unmet = if args.strict { unmet(&outcomes) } else { None };
    let config = args.config.as_ref().map(|file| file.display().to_string());
    if let Some(file) = &args.json {
        let words = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let warnings = settings.notes.clone();
        let verify =
            Verify::new(config.clone(), words, ended.code(), stack.clone(), &outcomes, warnings);
        let text = serde_json::to_string_pretty(&verify).map_err(anyhow::Error::new)?;
        write_to(file.as_deref(), &mut anstream::stdout().lock(), &(text + "\n"))?;
    }
    if args.verify.is_some() || args.json.is_none() {
        let mut text = Vec::new();
        let under = stack.text();
        let under = if under.is_empty() { under } else { format!(" under {under}") };
        let from = config.as_deref().unwrap_or("the command line");
        let to_file = args.verify.as_ref().and_then(Option::as_deref);
        let nowhere = Path::new("");
        let options = Options {
            width: if to_file.is_some() { 80 } else { width(io::stderr()) },
            is_ascii: glyphs::is_ascii(),
            ..Options::new(nowhere)
        };
        writeln!(text, "ioglass: settings of {from}{under}")?;
        settings::write(&mut text, &outcomes, unmet.as_deref(), &options)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        match to_file {
            Some(path) => write_to(
                Some(path),
                &mut io::sink(),
                &anstream::adapter::strip_str(&text).to_string(),
            )?,
            None => write_to(None, &mut glyphs::shown(anstream::stderr().lock()), &text)?,
        }
    }
    Ok(unmet)
}

/// What became of the settings of a run.
pub(in crate::cmd) fn outcomes(
    log: &Log,
    settings: &Settings,
    stack: &Stack,
    words: &[OsString],
) -> Vec<SettingOutcome> {
    let asked: Vec<Asked> = asked(settings).collect();
    let mut outcomes = of_recording(log);
    outcomes.retain(|outcome| asked.contains(&outcome.asked));
    outcomes.extend(of_command(&asked, stack, words));
    add_missing(&mut outcomes, asked);
    if let Some(program) = own_hdf5(log) {
        let is_of_hdf5 = |one: &&mut SettingOutcome| {
            let param = ioglass_param::find(&one.asked.name);
            one.places.is_empty() && param.is_some_and(|(param, _)| param.layer == Layer::Hdf5)
        };
        for outcome in outcomes.iter_mut().filter(is_of_hdf5) {
            outcome.reason = Some(format!(
                "HDF5 is a part of {program}: link its shared library (h5pcc -shlib)"
            ));
        }
    }
    outcomes
}

/// A program of the run that HDF5 is a part of.
fn own_hdf5(log: &Log) -> Option<String> {
    let processes = recorded::processes(log);
    let commands: BTreeSet<&str> = processes.iter().map(|one| one.command.as_str()).collect();
    let words = commands.iter().filter_map(|command| command.split_whitespace().next());
    let programs: BTreeSet<&str> = words.collect();
    let own = programs.into_iter().find(|word| Program::inspect(OsStr::new(word)).has_own_hdf5)?;
    own.rsplit('/').next().map(str::to_owned)
}

fn write_to(path: Option<&Path>, out: &mut impl Write, text: &str) -> Result<(), Failure> {
    match path {
        Some(path) => html_output::write(path, text)
            .map_err(|error| Failure::cannot_write(path, &error.into())),
        None => Ok(out.write_all(text.as_bytes())?),
    }
}

/// The settings that were asked for.
fn asked(settings: &Settings) -> impl Iterator<Item = Asked> {
    settings.all().map(|(rule, setting)| Asked {
        name: setting.name.clone(),
        // So does the library, whose rows have one line each.
        value: setting.value.replace(|letter: char| letter.is_ascii_control(), " "),
        scope: Scope {
            file: rule.file.clone(),
            variable: rule.variable.clone(),
            program: rule.program.clone(),
        },
    })
}

/// What became of settings that the command itself has applied.
fn of_command<'a>(
    asked: &'a [Asked],
    stack: &'a Stack,
    words: &'a [OsString],
) -> impl Iterator<Item = SettingOutcome> + 'a {
    let layer = |asked: &Asked| ioglass_param::find(&asked.name).map(|(param, _)| param.layer);
    asked.iter().filter_map(move |asked| {
        let (state, reason) = match layer(asked)? {
            Layer::Cmd => filled(asked.name.strip_prefix("cmd.")?, words),
            Layer::Env => reader(asked.name.strip_prefix("env.")?, stack),
            _ => return None,
        };
        let mut outcome = SettingOutcome::new(asked.clone(), Vec::new());
        outcome.state = state;
        outcome.reason = reason;
        Some(outcome)
    })
}

/// Whether the command has a placeholder.
fn filled(name: &str, words: &[OsString]) -> (State, Option<String>) {
    let mark = format!("{{{name}}}");
    match words.iter().any(|word| word.to_string_lossy().contains(&mark)) {
        true => (State::Applied, None),
        false => {
            let variable = super::placeholder_variable(name);
            (State::Unverifiable, Some(format!("the command has no {mark}; {variable} has it")))
        }
    }
}

/// Whether the library that reads a variable was there.
fn reader(name: &str, stack: &Stack) -> (State, Option<String>) {
    let mpi = stack.mpi.as_deref().unwrap_or_default();
    let readers = [
        (&["OMPI_MCA_", "PRTE_MCA_"][..], "Open MPI", mpi.starts_with("Open MPI")),
        (&["MPICH_MPIIO_", "MPIR_CVAR_"], "MPICH", mpi.starts_with("MPICH")),
        (&["ROMIO_"], "ROMIO", stack.mpiio.as_deref() == Some("ROMIO")),
        (&["HDF5_", "H5FD_"], "HDF5", stack.hdf5.is_some()),
    ];
    let reader = readers.iter().find(|(prefixes, ..)| prefixes.iter().any(|p| name.starts_with(p)));
    match reader {
        Some((.., true)) => (State::Applied, None),
        Some((_, library, false)) => {
            (State::NotApplicable, Some(format!("no file was opened through {library}")))
        }
        None => (State::Unverifiable, Some("its reader is not known".into())),
    }
}

/// Why --strict is not satisfied.
fn unmet(outcomes: &[SettingOutcome]) -> Option<String> {
    let changed = outcomes.iter().filter(|outcome| outcome.state == State::Changed).count();
    let without = outcomes
        .iter()
        .filter(|outcome| {
            let is_known = matches!(outcome.state, State::Applied | State::Unverifiable);
            outcome.state != State::Changed && !is_known && !outcome.is_in_force()
        })
        .count();
    let words = [
        (changed > 0).then(|| format!("{changed} changed")),
        (without > 0).then(|| {
            format!("{without} has no place")
                .replace("has", if without == 1 { "has" } else { "have" })
        }),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The libraries of the program, as the log tells them.
pub(in crate::cmd) fn stack(log: &Log) -> Stack {
    let job = log.job();
    let value = |key: &str| job.metadata_value(key).map(std::borrow::Cow::into_owned);
    let processes = recorded::processes(log).len() as u64;
    Stack::new(value, processes, u64::try_from(job.nprocs).unwrap_or(0))
}

/// A log that is needed for a moment.
struct TemporaryLog(PathBuf);

impl TemporaryLog {
    /// The commands of a launch, perhaps on several nodes, have one log.
    fn new(setup: &Setup, is_launched: bool) -> Self {
        let folder = if is_launched { PathBuf::new() } else { std::env::temp_dir() };
        Self(folder.join(format!(".ioglass-verify-{}", setup.default_name())))
    }
}

impl Drop for TemporaryLog {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
