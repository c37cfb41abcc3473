//! `ioglass run`: a program, recorded.

mod job;
mod silence;
mod summary;

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;

use crate::cli;
use crate::failure::{Failure, Message};
use crate::job::launch::{self, How};
use crate::job::launched::Launched;
use crate::job::output::{self, Output};
use crate::job::sys;
use job::Job;

/// Status of a shell that finds a program but cannot start it.
const CANNOT_START: u8 = 126;
/// Status of a shell that does not find a program.
const NOT_FOUND: u8 = 127;

pub(super) fn run(args: &cli::Run) -> Result<ExitCode, Failure> {
    sys::survive_size_limit();
    let launched = if args.alone { None } else { Launched::now() };
    let command = args.command.join(OsStr::new(" ")).into_vec();
    let jobid = job::number(launched.as_ref(), &command);
    let program = args.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    let name = output::default_name(&program, jobid);
    let output = match &args.output {
        Some(path) => Output::asked(path, &name).map_err(Failure::usage)?,
        None => Output::Named(name.into()),
    };
    let is_launched = launched.is_some();
    let mut job = Job::new(args, launched, command, jobid, &output)?;
    job.leave_keeper(args, &output);
    let ended = match launch::run(&args.command, job.variables()) {
        Ok(ended) => ended,
        Err(error) => {
            // There is nothing of this one; what others did is told by them.
            let _ = job.abandon(args, &output);
            return cannot_start(&program, &error);
        }
    };
    // The program's status is told whatever becomes of the log.
    let found = job.finish(args, &output, ended);
    if let Err(error) = &found {
        job.say_failure(error);
    }
    if let (How::Signal(signal), true) = (ended.how, is_launched) {
        // Launchers tell it from a status.
        sys::die_by(signal);
    }
    match ended.code() {
        0 => Ok(super::report::status(args.fail_on, found.ok().flatten())),
        code => Ok(ExitCode::from(code)),
    }
}

fn cannot_start(program: &str, error: &io::Error) -> Result<ExitCode, Failure> {
    let message = Message::new(format!("cannot run {program}")).evidence(error);
    let code = if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { CANNOT_START };
    // If standard error is gone there is nobody left to tell.
    let _ = message.write(&mut anstream::stderr().lock());
    Ok(ExitCode::from(code))
}
