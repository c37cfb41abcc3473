//! `ioglass profile`: profiles of annotated programs.

mod compare;
mod convert;
mod recover;
mod show;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ioglass_job::output::{self, OutputProblem};
use ioglass_profile::{Error, OpenError, Set, SetProblem};
use ioglass_report::harmless::Harmless;
use ioglass_report::number::thousands;
use ioglass_report::profile::{TooDeep, TooWide};
use ioglass_report::text::quoted;

use crate::cli::ProfileCommand;
use crate::failure::{Failure, Message};

pub(super) fn run(command: &ProfileCommand) -> Result<ExitCode, Failure> {
    match command {
        ProfileCommand::Show(args) => show::run(args),
        ProfileCommand::Compare(args) => compare::run(args),
        ProfileCommand::Convert(args) => convert::run(args),
        ProfileCommand::Recover(args) => recover::run(args),
    }
}

/// Opens profiles; those of one job become one. Text of TinyProf is read too.
fn open(paths: &[PathBuf]) -> (Vec<Set>, Vec<Message>) {
    let (mut sets, errors) = Set::open(paths);
    let mut messages = Vec::new();
    for error in errors {
        match convert::tinyprof(&error) {
            Some(Ok(set)) => sets.push(set),
            Some(Err(message)) => messages.push(message),
            None => messages.push(cannot_open(&error)),
        }
    }
    (sets, messages)
}

/// Opens exactly one profile.
fn open_one(path: &Path) -> Result<Set, Failure> {
    let (mut sets, messages) = open(&[path.to_owned()]);
    match sets.pop() {
        Some(set) if messages.is_empty() => Ok(set),
        _ => Err(Failure::BadInput(messages)),
    }
}

/// A message about a file that is no profile.
fn cannot_open(error: &OpenError) -> Message {
    let name = error.path.display();
    match &error.error {
        Error::Io(problem) => Message::new(format!("cannot read {name}")).evidence(problem),
        Error::NotAProfile { len, .. } => {
            if let Ok(log) = ioglass_log::Log::open(&error.path) {
                let version = log.header().version;
                let bytes = thousands(*len);
                return Message::new(format!("{name} is a log, not a profile"))
                    .evidence(format!("it begins as Darshan {version} logs do ({bytes} bytes)"))
                    .help(
                        format!("ioglass report {}", quoted(&error.path.to_string_lossy())),
                        "diagnoses it",
                    );
            }
            let evidence = error.error.to_string();
            let evidence = evidence.strip_prefix("not a profile: ").unwrap_or(&evidence).to_owned();
            Message::new(format!("{name} is not a profile")).evidence(evidence)
        }
        other => Message::new(format!("{name} cannot be read")).evidence(other),
    }
}

/// What could not be read of a profile, by file.
fn damaged(set: &Set) -> Vec<Message> {
    let mut messages: Vec<(PathBuf, Message)> = Vec::new();
    for problem in set.take_problems() {
        match problem {
            SetProblem::File(error) => messages.push((error.path.clone(), cannot_open(&error))),
            SetProblem::Part(path, problem) => {
                let at = messages.iter().position(|(other, _)| *other == path);
                let message = match at {
                    Some(at) => messages.remove(at).1,
                    None => Message::new(format!("{} is damaged", path.display())),
                };
                messages.push((path, message.evidence(problem)));
            }
            _ => {}
        }
    }
    let shown = "The sound part is shown.";
    messages.into_iter().map(|(_, message)| message.evidence(shown)).collect()
}

/// Calls `write` with standard output, or with a file, which appears when it is whole. Files and pipes
/// have names as they are; on a terminal they do no harm.
fn output(
    file: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(path) = file else {
        let mut out = BufWriter::new(io::stdout().lock());
        if io::stdout().is_terminal() {
            let mut out = Harmless::new(out);
            write(&mut out)?;
            return Ok(out.flush()?);
        }
        write(&mut out)?;
        return Ok(out.flush()?);
    };
    let cannot = |problem: OutputProblem| Failure::cannot_write(path, &problem);
    output::try_to_write(path).map_err(cannot)?;
    let write = |file: File| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        Ok::<_, Failure>(out.flush()?)
    };
    match path.metadata() {
        // A pipe may wait for its reader.
        Ok(found) if !found.is_file() => {
            write(File::create(path).map_err(|error| cannot(error.into()))?)
        }
        _ => output::replace(path, write).map(drop),
    }
}

/// An error of writing; a profile that is too deep or too wide for a format is bad input. `help` is a
/// command that works on a deep one, and what it does.
fn failed(set: &Set, error: io::Error, help: (String, &'static str)) -> Failure {
    let name = set.named().first().map(|path| path.display().to_string()).unwrap_or_default();
    if let Some(TooWide { metrics, most }) = TooWide::of(&error) {
        let (metrics, most) = (thousands(metrics as u64), thousands(most));
        let message = Message::new(format!("{name} has too many metrics for a table")).evidence(
            format!("A column for each of {metrics} metrics would take more than {most} cells."),
        );
        let command = format!("ioglass profile convert {} --to hatchet", quoted(&name));
        return Failure::bad_input(message.help(command, "writes what each row has"));
    }
    let Some(TooDeep { depth, most }) = TooDeep::of(&error) else { return error.into() };
    let (depth, most) = (thousands(depth.into()), ioglass_report::number::bytes(most));
    let message = Message::new(format!("{name} is too deep for this format")).evidence(format!(
        "It writes every path whole: those of up to {depth} names would take more than {most}."
    ));
    Failure::bad_input(message.help(help.0, help.1))
}
