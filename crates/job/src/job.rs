//! A job: its directory, the environment of its program, and the log that is made of it.

mod end;
mod snapshots;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ioglass_harvest::{Fate, ProgramEnd};
use ioglass_log::Mount;
use ioglass_profile::State;
use ioglass_shm::place as names;

use crate::child::{self, Ended};
use crate::clock::Clock;
use crate::harvest::{self, JobFacts, OpenCapture};
use crate::job_file::JobFile;
use crate::launcher::Launch;
use crate::members::{self, Member, MemberRecord};
use crate::output::{self, LogOutput, Refused, write_log};
use crate::parts::{Added, NodePart, Parts, Whole, job_name};
use crate::profile::{MadeProfile, ProfileOutput, ProfileSetup, Unwritten};
use crate::{Result, alive, directory, library, mounts};

/// A command that is to be recorded, and the way to record it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Setup {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// Records every read and write, not only their sums.
    pub trace: bool,
    /// Regular expressions of paths that are not recorded.
    pub exclude: Vec<String>,
    /// Regular expressions of paths that are recorded even if they are excluded otherwise.
    pub include: Vec<String>,
    /// Writes a log of each process, too.
    pub keep_per_process: bool,
    /// The file of the log; [`default_name`](Self::default_name) in this directory unless set.
    pub output: LogOutput,
    /// False if I/O is not recorded, so that there is no log.
    pub records: bool,
    /// The profile of its regions.
    pub profile: ProfileSetup,
    /// Time between two snapshots of the profile, if there are to be any.
    pub snapshots: Option<Duration>,
    /// Further variables for the environment of the program.
    pub variables: Vec<(OsString, OsString)>,
    launch: Option<Launch>,
    command: Vec<u8>,
    jobid: i64,
}

/// A job that is about to run, runs or has run.
#[derive(Debug)]
pub struct Job {
    setup: Setup,
    directory: PathBuf,
    file: JobFile,
    /// True if another `run` will harvest the captures, too.
    nested: bool,
    clock: Clock,
    variables: Vec<(OsString, OsString)>,
    member: Option<Member>,
    /// The log beside which snapshots of the profile are written.
    snapshot_log: OnceLock<PathBuf>,
    /// The file of the snapshots.
    snapshot: OnceLock<PathBuf>,
}

/// A job whose captures have been harvested. Pass it to [`Job::close`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Harvested {
    /// The log; `None` if ranks on other nodes are missing.
    pub log: Option<PathBuf>,
    /// The place that was asked for, if the log could not be written there.
    pub refused: Option<Refused>,
    /// The profile of the regions; `None` if there were none.
    pub profile: Option<MadeProfile>,
    /// The parts that wait for other nodes, if the user should hear of them from this command.
    pub waiting: Option<Waiting>,
    captures: Vec<OpenCapture>,
    /// The job file after the harvest.
    file: JobFile,
}

/// Parts of a log that wait for the ranks of other nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// Number of ranks in the parts.
    pub there: usize,
    /// Number of ranks of the launch.
    pub ranks: u32,
    /// The directory of the parts.
    pub directory: PathBuf,
    /// The log that the last node will make.
    pub log: PathBuf,
}

impl Setup {
    /// Records `words`, a program and its arguments, as a job of its own.
    pub fn new(words: Vec<OsString>) -> Self {
        Self::launched(words, None)
    }

    /// Records `words` as one rank of a launch. All ranks of the launch get one log.
    pub fn launched(words: Vec<OsString>, launch: Option<Launch>) -> Self {
        let command = words.join(OsStr::new(" ")).into_vec();
        let jobid = number(launch.as_ref(), &command);
        let output = LogOutput::Named(default_name(&words, jobid).into());
        Self {
            words,
            trace: false,
            exclude: Vec::new(),
            include: Vec::new(),
            keep_per_process: false,
            output,
            records: true,
            profile: ProfileSetup::default(),
            snapshots: None,
            variables: Vec::new(),
            launch,
            command,
            jobid,
        }
    }

    /// The usual name of the log, `PROGRAM_JOBID.darshan`.
    pub fn default_name(&self) -> String {
        default_name(&self.words, self.jobid)
    }
}

fn default_name(words: &[OsString], jobid: i64) -> String {
    let program = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    output::default_name(&program, jobid)
}

impl Job {
    /// Makes the directory of the job, or joins the job of the launch. Nothing is run yet.
    pub fn start(setup: Setup) -> Result<Self> {
        let library = library::path()?;
        let outer = env::var_os(names::JOB).map(PathBuf::from);
        let outer = outer.filter(|outer| directory::is_ours(outer));
        let clock = Clock::best();
        let pid = std::process::id();
        let launch = setup.launch.as_ref();
        let mut file = JobFile {
            start_ns: now_ns(),
            jobid: setup.jobid,
            pid,
            pid_start: alive::begin(&pid.to_string()).unwrap_or(0),
            command: setup.command.clone(),
            log: env::current_dir().unwrap_or_default().join(setup.output.path()),
            launch: launch.map(|l| (l.name_everywhere(&setup.command), l.ranks)),
            ..JobFile::default()
        };
        let entered = launch.map(|launch| members::enter(launch, &file, outer.as_deref()));
        // A command that cannot join the others is a part of its own, which does no harm.
        let (directory, member) = match entered.and_then(Result::ok) {
            Some((job, member)) => {
                file = job;
                (member.directory().to_path_buf(), Some(member))
            }
            None => (directory::make_job(&file, outer.as_deref())?, None),
        };
        let mut variables: Vec<(&str, OsString)> = vec![
            (names::JOB, directory.clone().into_os_string()),
            (names::ORIGIN, file.start_ns.to_string().into()),
            (names::CLOCK, clock.name().into()),
            ("LD_PRELOAD", library::preloaded(&library)),
        ];
        if !setup.records {
            variables.push(("IOGLASS_DISABLE", "1".into()));
        }
        if setup.profile.output == ProfileOutput::None {
            variables.push(("IOGLASS_REGIONS", "0".into()));
        }
        if setup.trace {
            variables.push(("IOGLASS_TRACE", "1".into()));
        }
        for (name, patterns) in
            [("IOGLASS_EXCLUDE", &setup.exclude), ("IOGLASS_INCLUDE", &setup.include)]
        {
            if !patterns.is_empty() {
                variables.push((name, patterns.join("\n").into()));
            }
        }
        let mut all = setup.variables.clone();
        all.extend(variables.into_iter().map(|(name, value)| (name.into(), value)));
        Ok(Self {
            setup,
            directory,
            file,
            nested: outer.is_some(),
            clock,
            variables: all,
            member,
            snapshot_log: OnceLock::new(),
            snapshot: OnceLock::new(),
        })
    }

    /// The directory of the job. Its name is `JOBID-xxxxxxxx`.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The environment variables by which a program becomes part of the job.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.variables
    }

    /// Returns true if the command was started inside another job, which records it as well.
    pub fn is_nested(&self) -> bool {
        self.nested
    }

    /// Runs the command and waits for its end. Signals to this process are passed on to it meanwhile;
    /// SIGTERM, SIGHUP and those that the program got stay blocked afterwards, so that they cannot end
    /// this process before the log is written.
    pub fn run(&self) -> Result<Ended> {
        // Of the commands of a launch one writes snapshots, of the ranks on its node.
        let is_alone = self.setup.launch.as_ref().is_none_or(|launch| launch.rank == 0);
        match is_alone && self.setup.profile.output != ProfileOutput::None {
            true => self.run_with_snapshots(),
            false => child::run(&self.setup.words, &self.variables),
        }
    }

    /// Size of the captures so far, in bytes.
    pub fn captured_bytes(&self) -> u64 {
        directory::total_size(&self.captures())
    }

    /// The files of the captures so far.
    pub fn captures(&self) -> Vec<PathBuf> {
        self.directories().iter().flat_map(|directory| directory::captures(directory)).collect()
    }

    fn directories(&self) -> Vec<PathBuf> {
        directory::namesakes(&self.directory)
    }

    /// Leaves the job. Returns all members if this was the last of them, else none.
    fn leave(&mut self, ended: Option<Ended>) -> Result<Vec<MemberRecord>> {
        let Some(member) = &mut self.member else {
            let rank = self.setup.launch.as_ref().map_or(0, |launch| launch.rank);
            return Ok(vec![MemberRecord { rank, pid: std::process::id(), ended }]);
        };
        Ok(member.leave(ended)?.unwrap_or_default())
    }

    /// Makes the log of all members.
    fn harvest(&self, output: &LogOutput, members: &[MemberRecord]) -> Result<Harvested> {
        let mut file = JobFile { end_ns: now_ns(), ..self.file.clone() };
        let ended: Vec<Ended> = members.iter().filter_map(|member| member.ended).collect();
        let captures = harvest::open_after(|| self.captures(), &ended);
        let end = ended.iter().map(|ended| (*ended).into()).max();
        let facts = self.facts(file.end_ns, mounts::mounts(), end);
        let all: Vec<&OpenCapture> = captures.iter().collect();
        let setup = &self.setup.profile;
        let (profile, error) = match setup.make(&all, &facts, State::Complete) {
            Ok(profile) => (profile, None),
            Err(error) => (None, Some(error)),
        };
        let (Whole { log, profile }, waiting) =
            self.write(output, members, &captures, &facts, profile)?;
        let beside = log.as_ref().map_or(output.path(), |log| &log.path);
        let profile = setup.write(error.map_or(Ok(profile), Err), &facts, beside);
        self.remove_snapshot(profile.as_ref().and_then(|made| made.path.as_deref()));
        file.harvested = true;
        if let Some(log) = &log {
            file.log = env::current_dir().unwrap_or_default().join(&log.path);
        }
        let running = captures.iter().filter(|capture| capture.fate == Fate::Running);
        file.seen = running.map(OpenCapture::contents).collect();
        file.pid = members.iter().map(|member| member.pid).min().unwrap_or(file.pid);
        if self.setup.launch.is_some() {
            // Without it a keeper makes the log once more.
            let _ = file.write(&self.directory);
        }
        let (log, refused) = log.map(|log| (log.path, log.refused)).unzip();
        Ok(Harvested { log, refused: refused.flatten(), profile, waiting, captures, file })
    }

    /// What is known of the job besides its captures.
    fn facts(&self, end_ns: u64, mounts: Vec<Mount>, end: Option<ProgramEnd>) -> JobFacts {
        JobFacts {
            command: self.file.command.clone(),
            start_ns: Some(self.file.start_ns),
            end_ns: Some(end_ns),
            jobid: self.file.jobid,
            mounts,
            notes: directory::notes(&self.directories()),
            ticks_per_second: self.clock.rate(),
            end,
        }
    }

    /// Writes the log, unless I/O is not recorded. If there are ranks on other nodes, leaves a part of
    /// log and profile for them, or puts all parts together.
    fn write(
        &self,
        output: &LogOutput,
        members: &[MemberRecord],
        captures: &[OpenCapture],
        facts: &JobFacts,
        profile: Option<Unwritten>,
    ) -> Result<(Whole, Option<Waiting>)> {
        let all: Vec<&OpenCapture> = captures.iter().collect();
        let write =
            |file: File, meant: Option<&Path>| harvest::write_file(&all, facts, meant, file);
        let output = self.setup.records.then_some(output);
        let written = match self.file.launch.clone() {
            None => {
                let log = output.map(|output| write_log(output, write)).transpose()?;
                (Whole { log: log.map(|(_, log)| log), profile }, None)
            }
            Some(launch) => {
                let parts = Parts::new(&self.file.log, launch);
                let ranks = members.iter().map(|member| member.rank).collect();
                let (start_ns, end_ns) = (facts.start_ns.unwrap_or(0), facts.end_ns.unwrap_or(0));
                let part = NodePart { of: job_name(&self.directory), ranks, start_ns, end_ns };
                match parts.add(&part, output, write, profile)? {
                    Added::Whole(whole) => (*whole, None),
                    Added::Waiting { there, here } => {
                        // The node of rank 0 tells the user, when all its ranks have ended.
                        let local = self.setup.launch.as_ref().and_then(|launch| launch.here);
                        // A keeper knows that no other command will come.
                        let is_all = self.member.is_none() || here.len() >= local.unwrap_or(0);
                        let waiting = Waiting {
                            there,
                            ranks: parts.ranks(),
                            directory: parts.directory().into(),
                            log: self.file.log.clone(),
                        };
                        (Whole::default(), (here.contains(&0) && is_all).then_some(waiting))
                    }
                }
            }
        };
        if self.setup.keep_per_process {
            let log = written.0.log.as_ref().map_or(&self.file.log, |log| &log.path);
            keep_per_process(captures, facts, log)?;
        }
        Ok(written)
    }
}

/// Writes a log of each process with I/O beside the job's, under the number that it has there.
fn keep_per_process(captures: &[OpenCapture], facts: &JobFacts, log: &Path) -> Result<()> {
    for (rank, members) in harvest::by_rank(captures) {
        let own: Vec<&OpenCapture> =
            members.iter().filter_map(|member| captures.get(*member)).collect();
        let command = own.iter().rev().find_map(|capture| capture.command());
        let command = command.unwrap_or_else(|| facts.command.clone());
        let end = own.last().and_then(|capture| capture.end());
        let facts = JobFacts { command, end, ..facts.clone() };
        let output = LogOutput::Named(output::with_suffix(log, &format!("_p{rank}")));
        write_log(&output, |file, meant| harvest::write_file(&own, &facts, meant, file))?;
    }
    Ok(())
}

/// The number of the job: the scheduler's, else the launcher's, else that of this process.
fn number(launch: Option<&Launch>, command: &[u8]) -> i64 {
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
    let of_launch = || launch.map(|launch| launch.number(command));
    let scheduled = VARIABLES.iter().find_map(number);
    scheduled.or_else(of_launch).unwrap_or_else(|| std::process::id().into())
}

/// The time, in nanoseconds since 1970.
pub(crate) fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}
