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
                let bytes = ioglass_report::number::thousands(*len);
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

/// Standard output, or a file. Files and pipes have names as they are; on a terminal they do no harm.
fn output(file: Option<&Path>) -> Result<Box<dyn Write>, Failure> {
    let Some(path) = file else {
        let out = BufWriter::new(io::stdout().lock());
        let is_terminal = io::stdout().is_terminal();
        return Ok(if is_terminal { Box::new(Harmless::new(out)) } else { Box::new(out) });
    };
    let cannot = |problem: OutputProblem| Failure::cannot_write(path, &problem);
    output::try_to_write(path).map_err(cannot)?;
    let file = File::create(path).map_err(|error| cannot(error.into()))?;
    Ok(Box::new(BufWriter::new(file)))
}
