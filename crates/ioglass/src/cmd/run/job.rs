//! The job of a run: its folder, its variables, and the log that is made of it.

mod end;

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ioglass_harvest::Fate;
use ioglass_report::text::quoted;
use ioglass_shm::place as names;

use crate::cli;
use crate::failure::Failure;
use crate::job::clock::Clock;
use crate::job::file::JobFile;
use crate::job::harvest::{self, About, Found};
use crate::job::launch::Ended;
use crate::job::launched::Launched;
use crate::job::output::{self, Output};
use crate::job::parts::{Made as Added, Part, Parts, job_name};
use crate::job::together::{self, Left, Member};
use crate::job::{alive, library, mounts, place};
use crate::recorded::{EXCLUDED, UNRECORDED};

/// What has become of a job's captures.
struct Made {
    /// The log; `None` if it has to wait for other nodes.
    log: Option<PathBuf>,
    captures: Vec<Found>,
    /// What is known of the job now.
    file: JobFile,
}

/// A job that is about to run, or has run.
pub(super) struct Job {
    folder: PathBuf,
    file: JobFile,
    /// Whether another `run` will harvest the captures too.
    nested: bool,
    clock: Clock,
    variables: Vec<(&'static str, OsString)>,
    /// Who was launched along with this command, and its place among them.
    launched: Option<Launched>,
    member: Option<Member>,
}

impl Job {
    pub(super) fn new(
        args: &cli::Run,
        launched: Option<Launched>,
        command: Vec<u8>,
        jobid: i64,
        output: &Output,
    ) -> Result<Self, Failure> {
        let library = library::path()?;
        let outer = env::var_os(names::JOB).map(PathBuf::from);
        let outer = outer.filter(|outer| place::is_ours(outer));
        let clock = Clock::best();
        let pid = std::process::id();
        let log = env::current_dir().unwrap_or_default().join(output.path());
        let mut file = JobFile {
            start_ns: now_ns(),
            end_ns: 0,
            jobid,
            pid,
            pid_start: alive::begin(&pid.to_string()).unwrap_or(0),
            command,
            log,
            launch: None,
            harvested: false,
            told: false,
            seen: Vec::new(),
        };
        file.launch = launched.as_ref().map(|l| (l.name_everywhere(&file.command), l.ranks));
        let entered = launched.as_ref().map(|l| together::enter(l, &file, outer.as_deref()));
        // Without the others it is a part of its own, which does no harm.
        let (folder, member) = match entered.and_then(Result::ok) {
            Some((job, member)) => {
                file = job;
                (member.folder().to_path_buf(), Some(member))
            }
            None => (place::make_job(&file, outer.as_deref())?, None),
        };
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
        Ok(Self { folder, file, nested: outer.is_some(), clock, variables, launched, member })
    }

    /// What the program gets in its environment.
    pub(super) fn variables(&self) -> &[(&'static str, OsString)] {
        &self.variables
    }

    /// Who was there, if nobody is any more.
    fn leave(&mut self, ended: Option<Ended>) -> anyhow::Result<Vec<Left>> {
        let Some(member) = &mut self.member else {
            let rank = self.launched.as_ref().map_or(0, |launched| launched.rank);
            return Ok(vec![Left { rank, pid: std::process::id(), ended }]);
        };
        Ok(member.leave(ended)?.unwrap_or_default())
    }

    fn folders(&self) -> Vec<PathBuf> {
        place::namesakes(&self.folder)
    }

    /// Its captures.
    fn paths(&self) -> Vec<PathBuf> {
        self.folders().iter().flat_map(|folder| place::captures(folder)).collect()
    }

    /// Makes the log of all who were there.
    fn make_log(&self, args: &cli::Run, output: &Output, left: &[Left]) -> anyhow::Result<Made> {
        let mut file = JobFile { end_ns: now_ns(), ..self.file.clone() };
        let ended: Vec<Ended> = left.iter().filter_map(|left| left.ended).collect();
        let captures = harvest::open_after(|| self.paths(), &ended);
        let about = About {
            command: file.command.clone(),
            start_ns: Some(file.start_ns),
            end_ns: Some(file.end_ns),
            jobid: file.jobid,
            mounts: mounts::mounts(),
            notes: notes(&self.folders()),
            ticks_per_second: self.clock.rate(),
        };
        let log = self.write(args, output, left, &captures, &about)?;
        file.harvested = true;
        if let Some(log) = &log {
            file.log = env::current_dir().unwrap_or_default().join(log);
        }
        let running = captures.iter().filter(|capture| capture.fate == Fate::Running);
        file.seen = running.map(Found::contents).collect();
        file.pid = left.iter().map(|left| left.pid).min().unwrap_or(file.pid);
        if self.launched.is_some() {
            // Without it a keeper makes the log once more.
            let _ = file.write(&self.folder);
        }
        Ok(Made { log, captures, file })
    }

    /// Writes the log, or a part of it if there are ranks on other nodes.
    fn write(
        &self,
        args: &cli::Run,
        output: &Output,
        left: &[Left],
        captures: &[Found],
        about: &About,
    ) -> anyhow::Result<Option<PathBuf>> {
        let all: Vec<&Found> = captures.iter().collect();
        let write = |file, meant: Option<&Path>| harvest::write(&all, about, meant, file);
        let log = match self.file.launch.clone().map(|launch| Parts::new(&self.file.log, launch)) {
            None => Some(output.write(write)?.1),
            Some(parts) => {
                let ranks = left.iter().map(|left| left.rank).collect();
                let (start_ns, end_ns) = (about.start_ns.unwrap_or(0), about.end_ns.unwrap_or(0));
                let part = Part { of: job_name(&self.folder), ranks, start_ns, end_ns };
                match parts.add(&part, output, write)? {
                    Added::Log(log) => Some(log),
                    Added::Waiting { there, here } => {
                        // One node says it, when all its ranks have ended.
                        let local = self.launched.as_ref().and_then(|launched| launched.here);
                        // A keeper knows that nobody comes any more.
                        let is_all = self.member.is_none() || here.len() >= local.unwrap_or(0);
                        let is_to_say = here.contains(&0) && is_all;
                        if is_to_say && !args.quiet && !args.no_report {
                            say_waiting(there, &parts, &self.file.log);
                        }
                        None
                    }
                }
            }
        };
        if args.keep_per_process {
            keep_per_process(captures, about, log.as_deref().unwrap_or(&self.file.log))?;
        }
        Ok(log)
    }
}

/// Says where the ranks of this node are until those of others come.
fn say_waiting(there: usize, parts: &Parts, log: &Path) {
    let (folder, log) = (parts.folder().to_string_lossy(), log.to_string_lossy());
    // A courtesy that must not fail the run.
    let _ = writeln!(
        anstream::stderr(),
        "ioglass: {there} of {} ranks are in {folder}; the last node makes {log} of them.\n  \
         help:  ioglass recover {}     if a node never ends",
        parts.ranks(),
        quoted(&folder)
    );
}

/// What the log's metadata says of processes that have no capture.
fn notes(folders: &[PathBuf]) -> Vec<(&'static str, Vec<u8>)> {
    let budgets: Vec<_> = folders.iter().map(|folder| place::budget(folder)).collect();
    let unrecorded: u64 = budgets.iter().map(|budget| budget.unrecorded).sum();
    let excluded: u64 = budgets.iter().map(|budget| budget.excluded).sum();
    let notes = [(UNRECORDED, unrecorded), (EXCLUDED, excluded)].into_iter();
    let notes = notes.filter(|(_, count)| *count > 0);
    notes.map(|(name, count)| (name, count.to_string().into_bytes())).collect()
}

/// A log of each process with I/O beside the job's, under the number it has there.
fn keep_per_process(captures: &[Found], about: &About, log: &Path) -> anyhow::Result<()> {
    for (rank, members) in harvest::by_rank(captures) {
        let own: Vec<&Found> = members.iter().filter_map(|member| captures.get(*member)).collect();
        let command = own.iter().rev().find_map(|capture| capture.command());
        let command = command.unwrap_or_else(|| about.command.clone());
        let about = About { command, ..about.clone() };
        let output = Output::Named(output::with_suffix(log, &format!("_p{rank}")));
        output.write(|file, meant| harvest::write(&own, &about, meant, file))?;
    }
    Ok(())
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

/// The number that the scheduler gave this job, else the launcher's, else that of this process.
pub(super) fn number(launched: Option<&Launched>, command: &[u8]) -> i64 {
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
    let of_launch = || launched.map(|launched| launched.number(command));
    let scheduled = VARIABLES.iter().find_map(number);
    scheduled.or_else(of_launch).unwrap_or_else(|| std::process::id().into())
}

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}
