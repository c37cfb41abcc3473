//! `ioglass run`: a program, recorded.

mod auto;
mod silence;
mod summary;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use ioglass_insight::Level;
use ioglass_job::output;
use ioglass_job::{
    Ended, Ending, Error, Harvested, Job, Launch, LogOutput, ProfileOutput, Setup, Waiting,
};
use ioglass_report::text::quoted;

pub(super) use silence::obstacle;

use super::{apply, spinner};
use crate::cli;
use crate::failure::{Failure, Message};

/// Status of a shell that finds a program but cannot start it.
const CANNOT_START: u8 = 126;
/// Status of a shell that does not find a program.
const NOT_FOUND: u8 = 127;
/// Variables that concern the profile.
const FILES: &str = "IOGLASS_PROFILE_FILES";
const SNAPSHOT: &str = "IOGLASS_SNAPSHOT";

pub(super) fn run(args: &cli::Run) -> Result<ExitCode, Failure> {
    ioglass_job::survive_size_limit();
    let launch = if args.alone { None } else { Launch::detect() };
    let is_launched = launch.is_some();
    // Of many ranks one is enough to find out if a directory takes files.
    let tries = launch.as_ref().is_none_or(|launch| launch.rank == 0);
    let setup = setup(args, launch, tries).map_err(Failure::before_start)?;
    let mut job = Job::start(setup)?;
    job.keep(|job, harvested| {
        tell(args, job, harvested.map(Some));
    });
    let ended = match job.run() {
        Ok(ended) => ended,
        Err(error) => {
            // This command has no log; other commands of the launch report on theirs.
            let _ = job.abandon();
            return cannot_start(error);
        }
    };
    let highest = finish(args, &mut job, ended);
    die_as(ended, is_launched);
    match ended.code() {
        0 => Ok(super::report::status(args.fail_on, highest)),
        code => Ok(ExitCode::from(code)),
    }
}

/// The job to run. `tries` is true if the outputs that were asked for are to be tried out.
fn setup(args: &cli::Run, launch: Option<Launch>, tries: bool) -> Result<Setup, Failure> {
    let mut setup = Setup::launched(args.command.clone(), launch);
    setup.trace = args.trace;
    setup.exclude.clone_from(&args.exclude);
    setup.include.clone_from(&args.include);
    setup.keep_per_process = args.keep_per_process;
    setup.records = !args.no_record;
    setup.profile.output = profile(args);
    setup.profile.files = args.profile_files.map(|files| files.max(1));
    setup.snapshots = args.snapshot.as_ref().and_then(|every| **every);
    let settings = match &args.apply {
        Some(file) => Some(apply::read(file)?),
        None => auto::settings(args, tries)?,
    };
    if let Some(settings) = settings {
        setup.words = apply::filled_in(&args.command, &settings);
        setup.variables = apply::variables(&settings)?;
    }
    read_variables(args, &mut setup);
    if let ProfileOutput::File(path) = &setup.profile.output
        && tries
        && !path.is_dir()
    {
        output::try_to_write(path).map_err(|problem| Failure::cannot_write(path, &problem))?;
    }
    if let Some(path) = &args.output {
        let cannot = |problem| Failure::cannot_write(path, &problem);
        setup.output = LogOutput::asked(path, &setup.default_name()).map_err(cannot)?;
        if tries {
            setup.output.try_to_write().map_err(cannot)?;
        }
    }
    let reports = [&args.json, &args.html].into_iter().flatten().flatten();
    for path in reports.filter(|_| tries) {
        output::try_to_write(path).map_err(|problem| Failure::cannot_write(path, &problem))?;
    }
    Ok(setup)
}

/// Reads the variables that concern the profile, unless the command line says otherwise. What makes
/// no sense is told in the profile.
fn read_variables(args: &cli::Run, setup: &mut Setup) {
    let value = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if args.profile_files.is_none()
        && let Some(text) = value(FILES)
    {
        let files = text.trim().parse::<u64>().ok().filter(|files| *files > 0);
        if files.is_none() {
            setup.profile.ignored.push(FILES);
        }
        setup.profile.files = Some(files.unwrap_or(1));
    }
    if args.snapshot.is_none()
        && let Some(text) = value(SNAPSHOT)
    {
        match cli::seconds(&text) {
            Ok(every) => setup.snapshots = *every,
            Err(_) => setup.profile.ignored.push(SNAPSHOT),
        }
    }
}

/// The file of the profile.
fn profile(args: &cli::Run) -> ProfileOutput {
    let asked = args.profile.clone().or_else(|| {
        let asked = std::env::var_os("IOGLASS_PROFILE").filter(|path| !path.is_empty());
        asked.map(std::path::PathBuf::from)
    });
    match asked {
        _ if args.no_regions => ProfileOutput::None,
        Some(path) => ProfileOutput::File(path),
        None if args.output.is_some() => ProfileOutput::BesideLog,
        None => ProfileOutput::Usual,
    }
}

/// Makes the log and reports on it; the program's status does not depend on that.
fn finish(args: &cli::Run, job: &mut Job, ended: Ended) -> Option<Level> {
    let harvested = spinner::during(job.captured_bytes(), || job.finish(ended));
    tell(args, job, harvested)
}

/// Reports on the log and closes the job. Returns the highest level of the findings.
fn tell(
    args: &cli::Run,
    job: &mut Job,
    harvested: Result<Option<Harvested>, Error>,
) -> Option<Level> {
    let harvested = match harvested {
        Ok(harvested) => harvested?,
        Err(error) => {
            say_failure(job, &error.into());
            return None;
        }
    };
    if let (Some(refused), Some(log)) = (&harvested.refused, &harvested.log) {
        super::say_elsewhere(&refused.path, &refused.reason, "log", log);
    }
    if let Some(refused) = harvested.profile.as_ref().and_then(|made| made.refused.as_ref()) {
        let made = harvested.profile.as_ref().and_then(|made| made.path.as_deref());
        say_no_profile(&refused.path, &refused.reason, made);
    }
    if args.no_record && !args.quiet {
        say_profile(args, harvested.profile.as_ref().and_then(|made| made.path.as_deref()));
    }
    if let Some(waiting) = harvested.waiting.as_ref().filter(|_| !args.quiet && !args.no_report) {
        say_waiting(waiting);
    }
    let told = harvested.log.as_ref().map(|log| {
        let others = if job.is_nested() { Vec::new() } else { ioglass_job::recover::collect() };
        let profile = harvested.profile.as_ref().and_then(|made| made.path.as_deref());
        summary::report(args, log, profile, &others)
    });
    job.close(&harvested, told.as_ref().is_none_or(Result::is_ok));
    match told? {
        Ok(highest) => highest,
        Err(error) => {
            say_failure(job, &error);
            None
        }
    }
}

/// Says that a program cannot be started.
pub(super) fn cannot_start(error: Error) -> Result<ExitCode, Failure> {
    let Error::Start { program, source } = error else { return Err(error.into()) };
    let message = Message::new(format!("cannot run {}", program.to_string_lossy()));
    let message = message.evidence(&source);
    let code = if source.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { CANNOT_START };
    // Without standard error the status has to do.
    let _ = message.write(&mut anstream::stderr().lock());
    Ok(ExitCode::from(code))
}

/// Ends this process by the signal that ended the program, if a launcher waits for it: launchers tell
/// a signal from a status.
pub(super) fn die_as(ended: Ended, is_launched: bool) {
    if let (Ending::Signal(signal), true) = (ended.how, is_launched) {
        ioglass_job::die_by(signal);
    }
}

/// Prints where the ranks of this node are until those of other nodes come.
fn say_waiting(waiting: &Waiting) {
    let Waiting { there, ranks, directory, log, .. } = waiting;
    let (directory, log) = (directory.to_string_lossy(), log.to_string_lossy());
    // A failure to print must not fail the run.
    let _ = writeln!(
        anstream::stderr(),
        "ioglass: {there} of {ranks} ranks are in {directory}; the last node merges them into {log}.\n  \
         help:  ioglass recover {}     if a node never ends",
        quoted(&directory)
    );
}

/// Prints the regions of a run without a log, or where its profile is.
fn say_profile(args: &cli::Run, made: Option<&Path>) {
    // A failure to print must not fail the run.
    let _ = match made {
        Some(path) if !args.no_report => summary::regions_alone(args, path),
        Some(path) => writeln!(anstream::stderr(), "{}", path.display()),
        None => writeln!(anstream::stderr(), "ioglass: there is no profile: no region was entered"),
    };
}

/// Prints the reason why the profile is not where it should be.
fn say_no_profile(path: &Path, reason: &str, made: Option<&Path>) {
    match made {
        Some(made) => super::say_elsewhere(path, reason, "profile", made),
        None => {
            // A failure to print must not fail the run.
            let path = path.display();
            let _ = writeln!(anstream::stderr(), "ioglass: cannot write {path}: {reason}");
        }
    }
}

/// Prints the reason why there is no log or report, and how to get it.
fn say_failure(job: &Job, error: &anyhow::Error) {
    let mut aside = anstream::stderr().lock();
    // A failure to print must not fail the run.
    let _ = writeln!(aside, "ioglass: {error:#}");
    let directory = job.directory().display();
    let _ = writeln!(aside, "  help:  ioglass recover {directory}     tries again");
}
