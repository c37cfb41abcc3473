//! The commands, one file each.

mod convert;
mod info;
mod json;
mod listing;
mod pages;

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use ioglass_log::{Error, Log};

use crate::cli::Command;
use crate::failure::{Failure, Message};

/// Runs a command.
pub(crate) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Info(args) => info::run(&args),
        Command::Parse(args) => listing::parse(&args),
        Command::Dxt(args) => listing::dxt(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Completions(args) => pages::completions(&args),
        Command::Man(args) => pages::man(&args),
    }
}

/// Opens a log, or says why not.
fn open(path: &Path) -> Result<Log, Message> {
    let log = open_file(path).map_err(Error::from).and_then(Log::from_file);
    log.map_err(|error| Message::cannot_open(path, &error))
}

/// Opens a file; `-` is standard input, whatever that is.
fn open_file(path: &Path) -> io::Result<File> {
    if path == Path::new("-") {
        return io::stdin().as_fd().try_clone_to_owned().map(File::from);
    }
    File::open(path)
}
