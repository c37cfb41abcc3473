//! `ioglass parse` and `ioglass dxt`.

use std::io::{self, Write};
use std::path::Path;

use ioglass_log::text::{self, ListOptions, TraceOptions};
use ioglass_log::{Error, Log};

use super::{json, open};
use crate::cli;
use crate::failure::{Failure, Message};

pub(super) fn parse(args: &cli::Parse) -> Result<(), Failure> {
    let asked = args.base || args.file || args.perf || args.total;
    let options = ListOptions {
        base: args.base || args.all || !asked,
        total: args.total || args.all,
        perf: args.perf || args.all,
        file: args.file || args.all,
        show_incomplete: args.show_incomplete || args.all,
    };
    let log = open(&args.log).map_err(Failure::bad_input)?;
    let problems = if args.json {
        json::list(&log, options, &mut stdout())?
    } else {
        text::list(&log, options, &mut stdout())?
    };
    finish("parse", &args.log, &log, &problems)
}

pub(super) fn dxt(args: &cli::Dxt) -> Result<(), Failure> {
    let options = TraceOptions { show_incomplete: args.show_incomplete };
    let log = open(&args.log).map_err(Failure::bad_input)?;
    let problems = if args.json {
        json::trace(&log, options, &mut stdout())?
    } else {
        text::trace(&log, options, &mut stdout())?
    };
    finish("dxt", &args.log, &log, &problems)
}

/// Standard output without a buffer: listings have their own.
fn stdout() -> impl Write {
    use std::os::fd::AsFd;
    let owned = io::stdout().as_fd().try_clone_to_owned();
    owned.map(std::fs::File::from).map_or_else(
        |_| Box::new(io::stdout()) as Box<dyn Write>,
        |file| Box::new(file) as Box<dyn Write>,
    )
}

/// Reports the faults of the log, after its sound part has been printed.
fn finish(command: &str, path: &Path, log: &Log, problems: &[Error]) -> Result<(), Failure> {
    let is_incomplete = |problem: &&Error| matches!(problem, Error::Incomplete(_));
    let damage = problems.iter().filter(|problem| !is_incomplete(problem));
    let damaged = Message::damaged(path, log, damage, "The part before that was printed.");
    let incomplete = problems
        .iter()
        .find(is_incomplete)
        .map(|problem| Message::incomplete(path, problem, command));
    let messages: Vec<Message> = damaged.into_iter().chain(incomplete).collect();
    if messages.is_empty() { Ok(()) } else { Err(Failure::BadInput(messages)) }
}
