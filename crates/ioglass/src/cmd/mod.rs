//! The commands, one file each.

mod apply;
mod content;
mod convert;
mod doctor;
mod generate;
mod html_output;
mod include;
mod info;
mod json;
mod kernel;
mod lib;
mod listing;
mod merge;
mod profile;
mod recover;
mod region;
mod report;
mod run;
mod spinner;
mod tune;

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;

use ioglass_log::{Error, Log};

use crate::cli::Command;
use crate::failure::{Failure, Message};

/// Runs a command. Returns its exit status.
pub(crate) fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(args) => return run::run(&args),
        Command::Apply(args) => return apply::run(&args),
        Command::Tune(args) => return tune::run(&args),
        Command::Kernel(args) => return kernel::run(&args),
        Command::Report(args) => return report::run(&args),
        Command::Explain(args) => report::explain(&args),
        Command::Recover(args) => recover::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Lib(_) => lib::run(),
        Command::Include(args) => include::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Parse(args) => listing::parse(&args),
        Command::Dxt(args) => listing::dxt(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Profile(args) => return profile::run(&args.command),
        Command::Region(args) => return region::run(&args),
        Command::Completions(args) => generate::completions(&args),
        Command::Man(args) => generate::man(&args),
        Command::Content(args) => content::run(&args),
        Command::Trial(args) => tune::make_trial(&args),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Opens a log.
fn open(path: &Path) -> Result<Log, Message> {
    let log = open_file(path).map_err(Error::from).and_then(Log::from_file);
    log.map_err(|error| Message::cannot_open(path, &error))
}

/// Opens a log that is a file.
fn open_file_only(path: &Path) -> Result<Log, Message> {
    check_file(path)?;
    open(path)
}

/// Fails for what is no file: a pipe could make the command wait for ever.
fn check_file(path: &Path) -> Result<(), Message> {
    let found = path.metadata().map_err(|error| Message::cannot_open(path, &error.into()))?;
    if found.is_file() {
        return Ok(());
    }
    let message = Message::new(format!("cannot read {}", path.display()));
    Err(message.evidence("It is no regular file."))
}

/// Opens a file; `-` is standard input.
fn open_file(path: &Path) -> io::Result<File> {
    if path == Path::new("-") {
        return io::stdin().as_fd().try_clone_to_owned().map(File::from);
    }
    File::open(path)
}

/// Prints where a log or profile is that could not be written to `path`, in one line.
fn say_elsewhere(path: &Path, reason: &str, what: &str, made: &Path) {
    let (path, made) = (path.display(), made.display());
    // A failure to print must not fail the command.
    let _ = writeln!(
        anstream::stderr(),
        "ioglass: cannot write {path}: {reason}; the {what} is {made}"
    );
}
