//! `ioglass run`: a program, recorded.

mod silence;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anstyle::{AnsiColor, Effects, Style};
use anyhow::Context;
use ioglass_harvest::Fate;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::{Diagnosis, Level, worst};
use ioglass_log::Log;
use ioglass_report::json;
use ioglass_report::terminal::{self, Options};
use ioglass_report::text::{quoted, shorten_path};
use ioglass_shm::place as names;

use crate::cli;
use crate::failure::{Failure, Message};
use crate::glyphs;
use crate::job::clock::Clock;
use crate::job::file::JobFile;
use crate::job::harvest::{self, About, Found};
use crate::job::launch::{self, Ended};
use crate::job::output::{self, Output};
use crate::job::{alive, leftover, library, mounts, place, sys};
use crate::recorded::{self, EXCLUDED, UNRECORDED};

const BOLD: Style = Style::new().effects(Effects::BOLD);
const BAD: Style = AnsiColor::Red.on_default();

/// Status of a shell that finds a program but cannot start it.
const CANNOT_START: u8 = 126;
/// Status of a shell that does not find a program.
const NOT_FOUND: u8 = 127;

pub(super) fn run(args: &cli::Run) -> Result<ExitCode, Failure> {
    sys::survive_size_limit();
    let jobid = jobid();
    let program = args.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    let name = output::default_name(&program, jobid);
    let output = match &args.output {
        Some(path) => Output::asked(path, &name).map_err(Failure::usage)?,
        None => Output::Named(name.into()),
    };
    let job = Job::new(args, jobid, &output)?;
    let ended = match launch::run(&args.command, &job.variables) {
        Ok(ended) => ended,
        Err(error) => {
            place::remove_job(&job.folder);
            return cannot_start(&program, &error);
        }
    };
    // The program's status is told whatever becomes of the log.
    let found = job.finish(args, &output, ended);
    if let Err(error) = &found {
        let mut aside = anstream::stderr().lock();
        let _ = writeln!(aside, "ioglass: {error:#}");
        let folder = job.folder.display();
        let _ = writeln!(aside, "  help:  ioglass recover {folder}     tries again");
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

/// A job that is about to run, or has run.
struct Job {
    folder: PathBuf,
    file: JobFile,
    /// Whether another `run` will harvest the regions too.
    nested: bool,
    clock: Clock,
    variables: Vec<(&'static str, OsString)>,
}

impl Job {
    fn new(args: &cli::Run, jobid: i64, output: &Output) -> Result<Self, Failure> {
        let library = library::path()?;
        let outer = env::var_os(names::JOB).map(PathBuf::from);
        let outer = outer.filter(|outer| place::is_ours(outer));
        let clock = Clock::best();
        let pid = std::process::id();
        let log = env::current_dir().unwrap_or_default().join(output.path());
        let file = JobFile {
            start_ns: now_ns(),
            end_ns: 0,
            jobid,
            pid,
            pid_start: alive::begin(&pid.to_string()).unwrap_or(0),
            command: args.command.join(OsStr::new(" ")).into_vec(),
            log,
            harvested: false,
            seen: Vec::new(),
        };
        let folder = place::make_job(&file, outer.as_deref())?;
        let mut variables = vec![
            (names::JOB, folder.clone().into_os_string()),
            (names::ORIGIN, file.start_ns.to_string().into()),
            (names::CLOCK, clock.name().into()),
            ("LD_PRELOAD", preload(&library)),
        ];
        if args.trace {
            variables.push(("IOGLASS_TRACE", "1".into()));
        }
        for (name, patterns) in
            [("IOGLASS_EXCLUDE", &args.exclude), ("IOGLASS_INCLUDE", &args.include)]
        {
            if !patterns.is_empty() {
                variables.push((name, patterns.join("\n").into()));
            }
        }
        Ok(Self { folder, file, nested: outer.is_some(), clock, variables })
    }

    /// Makes the log and says what is in it.
    fn finish(
        &self,
        args: &cli::Run,
        output: &Output,
        ended: Ended,
    ) -> anyhow::Result<Option<Level>> {
        let mut file = JobFile { end_ns: now_ns(), ..self.file.clone() };
        let folders = || place::namesakes(&self.folder);
        let paths = || folders().iter().flat_map(|folder| place::regions(folder)).collect();
        let regions = harvest::open_after(paths, ended);
        let all: Vec<&Found> = regions.iter().collect();
        let about = About {
            command: file.command.clone(),
            start_ns: Some(file.start_ns),
            end_ns: Some(file.end_ns),
            jobid: file.jobid,
            mounts: mounts::mounts(),
            notes: notes(&folders()),
            ticks_per_second: self.clock.rate(),
        };
        let write = |file, meant: Option<&Path>| harvest::write(&all, &about, meant, file);
        let (_, log) = output.write(write)?;
        if args.keep_per_process {
            keep_per_process(&regions, &about, &log)?;
        }
        file.harvested = true;
        file.log = env::current_dir().unwrap_or_default().join(&log);
        let running = regions.iter().filter(|region| region.fate == Fate::Running);
        file.seen = running.map(Found::contents).collect();
        self.clean_up(&regions, &paths(), &folders(), &file);
        let others = if self.nested { Vec::new() } else { leftover::collect() };
        report(args, &log, &others)
    }

    /// Removes what is in the log now. What living processes write to stays, and what they are
    /// still to write has a place.
    fn clean_up(&self, regions: &[Found], paths: &[PathBuf], folders: &[PathBuf], file: &JobFile) {
        if !self.nested {
            harvest::remove_finished(regions, paths);
        }
        let is_needed = self.nested || alive::has_members(&self.folder, file.pid);
        for folder in folders {
            if is_needed || !place::remove_job(folder) {
                // Without it the leftovers are recovered into another place.
                let _ = file.write(folder);
            }
        }
    }
}

/// What the log's metadata says of processes that have no region.
fn notes(folders: &[PathBuf]) -> Vec<(&'static str, Vec<u8>)> {
    let budgets: Vec<_> = folders.iter().map(|folder| place::budget(folder)).collect();
    let unrecorded: u64 = budgets.iter().map(|budget| budget.unrecorded).sum();
    let excluded: u64 = budgets.iter().map(|budget| budget.excluded).sum();
    let notes = [(UNRECORDED, unrecorded), (EXCLUDED, excluded)].into_iter();
    let notes = notes.filter(|(_, count)| *count > 0);
    notes.map(|(name, count)| (name, count.to_string().into_bytes())).collect()
}

/// A log of each process with I/O beside the job's, under the number it has there.
fn keep_per_process(regions: &[Found], about: &About, log: &Path) -> anyhow::Result<()> {
    for (rank, members) in harvest::by_rank(regions) {
        let own: Vec<&Found> = members.iter().filter_map(|member| regions.get(*member)).collect();
        let command = own.iter().rev().find_map(|region| region.command());
        let command = command.unwrap_or_else(|| about.command.clone());
        let about = About { command, ..about.clone() };
        let output = Output::Named(output::with_suffix(log, &format!("_p{rank}")));
        output.write(|file, meant| harvest::write(&own, &about, meant, file))?;
    }
    Ok(())
}

/// Says what is in the log; tells the highest level of what was found.
fn report(args: &cli::Run, log: &Path, others: &[PathBuf]) -> anyhow::Result<Option<Level>> {
    let opened = Log::open(log).with_context(|| format!("cannot read {}", log.display()))?;
    let mut diagnosis = Diagnosis::of(&opened, &Thresholds::default());
    recorded::add_warnings(&mut diagnosis, &opened);
    if let Some(file) = &args.json {
        let path = file.clone().unwrap_or_else(|| log.with_extension("json"));
        let text = json::page(&json::json(&diagnosis, log)) + "\n";
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let highest = worst(&diagnosis.findings);
    let mut aside = glyphs::shown(anstream::stderr().lock());
    if args.no_report {
        writeln!(aside, "{}", log.display())?;
        return Ok(highest);
    }
    let is_empty = opened.modules().next().is_none();
    let options = Options {
        width: super::report::width(io::stderr()),
        verbosity: args.verbose,
        is_ascii: glyphs::is_ascii(),
        ..Options::new(log)
    };
    if !args.quiet {
        if is_empty {
            writeln!(aside, "{BOLD}{}{BOLD:#}\n", diagnosis.verdict.sentence)?;
            silence::explain(&mut aside, &opened, &args.command)?;
        } else {
            terminal::write(&mut aside, &diagnosis, &options)?;
        }
        for other in others {
            let other = shorten_path(&other.to_string_lossy(), options.width - 40);
            writeln!(aside, "also wrote {other}: an earlier job went on")?;
        }
    }
    match silence::obstacle(&args.command).filter(|_| is_empty) {
        Some(obstacle) => {
            let log = quoted(&log.to_string_lossy());
            writeln!(
                aside,
                "{BAD}▲{BAD:#} nothing could be recorded: {obstacle}   ioglass info {log}"
            )?;
        }
        None => writeln!(aside, "{}", terminal::last_line(&diagnosis, &options))?,
    }
    Ok(highest)
}

/// The library before what is loaded already.
fn preload(library: &Path) -> OsString {
    let before = env::var_os("LD_PRELOAD").unwrap_or_default();
    let is_there = before
        .as_bytes()
        .split(|byte| matches!(byte, b' ' | b':'))
        .any(|word| word == library.as_os_str().as_bytes());
    if is_there || before.is_empty() {
        return if is_there { before } else { library.into() };
    }
    let mut all = library.as_os_str().to_owned();
    all.push(":");
    all.push(before);
    all
}

/// The number that the scheduler gave this job, else that of this process.
fn jobid() -> i64 {
    const VARIABLES: [&str; 8] = [
        "SLURM_JOB_ID",
        "SLURM_JOBID",
        "PBS_JOBID",
        "LSB_JOBID",
        "COBALT_JOBID",
        "LOAD_STEP_ID",
        "FLUX_JOB_ID",
        "JOB_ID",
    ];
    let number = |name: &&str| {
        let value = env::var(name).ok()?;
        let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
        value[..end].parse().ok()
    };
    VARIABLES.iter().find_map(number).unwrap_or_else(|| std::process::id().into())
}

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}
