//! Makes logs of what jobs left behind: their command was killed, or a process outlived it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use ioglass_harvest::process::WHOLE;
use ioglass_harvest::{Fate, ProgramEnd};
use ioglass_profile::State;
use ioglass_shm::place as names;
use nix::fcntl::{Flock, FlockArg};

use crate::clock::Clock;
use crate::harvest::{self, JobFacts, OpenCapture};
use crate::job_file::JobFile;
use crate::output::{self, LogOutput, MadeLog, Refused, write_log};
use crate::parts::{self, Added, NodePart, Parts, Whole, job_name};
use crate::profile::{MadeProfile, ProfileOutput, ProfileSetup};
use crate::{Error, Living, Result, alive, directory, members, mounts, rooms};

/// Something that a job left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Leftover {
    /// The directory of a job.
    Job(PathBuf),
    /// The capture of one process.
    Capture(PathBuf),
    /// The directory with the parts of a log that several nodes left.
    Parts(PathBuf),
}

/// A log that was made of a leftover.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// The log; or the directory of its parts, if other nodes have the other ranks; or the profile, if
    /// no I/O was recorded.
    pub log: PathBuf,
    /// The place that was asked for, if the log could not be written there.
    pub refused: Option<Refused>,
    /// The profile of its regions, if there were any.
    pub profile: Option<MadeProfile>,
    /// The job, if the log is not merged from parts.
    pub job: Option<RecoveredJob>,
}

/// The job of a recovered log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecoveredJob {
    /// Its command line.
    pub command: String,
    /// Its number.
    pub jobid: i64,
    /// Number of captures in the log.
    pub captures: usize,
}

impl Leftover {
    /// The leftover at this path; `None` if there is none.
    pub fn at(path: &Path) -> Option<Self> {
        if path.is_dir() {
            let of = if parts::log_of(path).is_some() { Self::Parts } else { Self::Job };
            return Some(of(path.into()));
        }
        is_capture(path).then(|| Self::Capture(path.into()))
    }

    /// The directories of all dead jobs of this user. Also removes files of dead jobs that no log needs.
    pub fn all() -> Vec<Self> {
        rooms::remove_empty();
        directory::jobs().into_iter().filter(|job| is_dead(job)).map(Self::Job).collect()
    }

    /// The path of the leftover.
    pub fn path(&self) -> &Path {
        match self {
            Self::Job(path) | Self::Capture(path) | Self::Parts(path) => path,
        }
    }

    /// Size of its captures, in bytes.
    pub fn captured_bytes(&self) -> u64 {
        let captures = match self {
            Self::Job(path) => directory::captures(path),
            Self::Capture(path) => vec![path.clone()],
            Self::Parts(_) => Vec::new(),
        };
        directory::total_size(&captures)
    }

    /// Makes the logs and removes what is in them. There is none if the leftover has no I/O. Without
    /// `output` a log goes where its job wanted it; a directory takes logs under their usual names.
    pub fn recover(&self, output: Option<&LogOutput>) -> Result<Vec<Recovered>> {
        let named = output.map(|output| in_directory(output, self.path()));
        match self {
            Self::Job(path) if !is_dead(path) => {
                Err(Error::StillRuns { job: job_name(path), living: self.living() })
            }
            Self::Job(path) => Ok(recover_job(path, named.as_ref())?.into_iter().collect()),
            Self::Capture(path) => Ok(recover_capture(path, named.as_ref())?.into_iter().collect()),
            Self::Parts(path) => {
                let usual = parts::log_of(path).map(LogOutput::Named);
                let Some(output) = output.or(usual.as_ref()) else { return Ok(Vec::new()) };
                Ok(parts::recover(path, output)?
                    .into_iter()
                    .filter_map(|whole| Recovered::of_parts(whole, output))
                    .collect())
            }
        }
    }

    /// The processes of the job, or of the capture, that still run.
    pub fn living(&self) -> Vec<Living> {
        match self {
            Self::Job(path) => {
                let job = JobFile::read(path);
                let directories = directory::namesakes(path);
                let captures = directories.iter().flat_map(|path| directory::captures(path));
                let captures = harvest::open(&captures.collect::<Vec<_>>(), &[]);
                let mut living = alive::members(path, job.map_or(0, |job| job.pid));
                for process in captures.iter().filter_map(OpenCapture::living) {
                    if living.iter().all(|known| known.pid != process.pid) {
                        living.push(process);
                    }
                }
                living.sort_by_key(|process| process.pid);
                living
            }
            Self::Capture(path) => {
                let captures = harvest::open(std::slice::from_ref(path), &[]);
                captures.iter().filter_map(OpenCapture::living).collect()
            }
            Self::Parts(_) => Vec::new(),
        }
    }

    /// The log of its job, and true if it has been written; `None` if that is not known.
    pub fn log(&self) -> Option<(PathBuf, bool)> {
        let Self::Job(path) = self else { return None };
        JobFile::read(path).map(|job| (job.log, job.harvested))
    }
}

impl Recovered {
    /// Writes the profile of merged parts beside their log.
    fn of_parts(whole: Whole, output: &LogOutput) -> Option<Self> {
        let Whole { log, mut profile } = whole;
        let mut facts = JobFacts::default();
        if let Some(made) = &mut profile {
            made.profile.head.state = State::Recovered;
            facts.jobid = made.profile.head.job;
        }
        let beside = log.as_ref().map_or(output.path(), |log| &log.path);
        let profile = setup(Some(output)).write(Ok(profile), &facts, beside);
        let path = || profile.as_ref().and_then(|made| made.path.clone());
        let log = log.or_else(|| Some(MadeLog { path: path()?, refused: None }))?;
        Some(Self { log: log.path, refused: log.refused, profile, job: None })
    }
}

/// The directories of jobs of this user that have living processes, with or without their command.
pub fn alive() -> Vec<Leftover> {
    let lives = |job: &Leftover| !is_dead(job.path()) || !job.living().is_empty();
    directory::jobs().into_iter().map(Leftover::Job).filter(lives).collect()
}

/// Makes logs of what processes left that outlived their job and have ended since. Returns the logs.
pub fn collect() -> Vec<PathBuf> {
    let is_leftover = |directory: &PathBuf| {
        JobFile::read(directory).is_some_and(|job| job.harvested && !is_running(directory, &job))
    };
    let directories = directory::jobs().into_iter().filter(is_leftover);
    // `ioglass recover` finds the others again and reports their errors.
    let recovered =
        directories.filter_map(|directory| recover_job(&directory, None).ok().flatten());
    recovered.map(|recovered| recovered.log).collect()
}

/// Returns true if no command works on the job any more.
fn is_dead(directory: &Path) -> bool {
    JobFile::read(directory).is_none_or(|job| !is_running(directory, &job))
}

/// Returns true if a command of the job in `directory` lives.
pub(crate) fn is_running(directory: &Path, job: &JobFile) -> bool {
    alive::begin(&job.pid.to_string()).is_some_and(|begin| begin == job.pid_start)
        || members::is_alive(directory)
}

/// The output for one of several leftovers: a directory takes a log under its usual name.
fn in_directory(output: &LogOutput, source: &Path) -> LogOutput {
    match output {
        LogOutput::Named(path) if path.is_dir() => {
            let job = JobFile::read(source);
            let name = job.and_then(|job| Some(job.log.file_name()?.to_owned()));
            let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let name = name.unwrap_or_else(|| format!("{stem}.darshan").into());
            LogOutput::Named(path.join(name))
        }
        other => other.clone(),
    }
}

/// Makes a log of the job in `directory` and removes what is in it.
fn recover_job(directory: &Path, output: Option<&LogOutput>) -> Result<Option<Recovered>> {
    let _lock = match File::open(directory.join(names::JOB_FILE)) {
        Ok(file) => match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => Some(lock),
            // Another process recovers it.
            Err(_) => return Ok(None),
        },
        Err(_) => None,
    };
    let job = JobFile::read(directory);
    let directories = match job.is_some() {
        true => directory::namesakes(directory),
        false => vec![directory.to_path_buf()],
    };
    let captures = directories.iter().flat_map(|directory| directory::captures(directory));
    let paths: Vec<PathBuf> = captures.collect();
    let (logged, mut captures) = open(&paths);
    if job.as_ref().is_none_or(|job| job.harvested) {
        // The work of living processes is in a log already, or they write a log themselves.
        captures.retain(|capture| capture.fate != Fate::Running);
    }
    let seen = job.as_ref().map(|job| job.seen.clone()).unwrap_or_default();
    let has_news = captures.iter().any(|capture| !seen.contains(&capture.contents()));
    let launch = job.as_ref().filter(|job| !job.harvested).and_then(|job| job.launch.clone());
    let launch = launch.map(|launch| (launch, directory));
    let recovered = match has_news || launch.is_some() {
        true => Some(write(&captures, job.as_ref(), launch, output)?),
        false => None,
    };
    harvest::remove_finished(&logged, &[]);
    harvest::remove_finished(&captures, &paths);
    let is_needed = job.as_ref().is_some_and(|job| alive::has_members(directory, job.pid));
    members::close_gate(directory);
    for directory in &directories {
        if (is_needed || !directory::remove_job(directory))
            && let Some(job) = &job
        {
            // Without it the rest is recovered once more, which does no harm.
            let _ = JobFile { harvested: true, ..job.clone() }.write(directory);
        }
    }
    Ok(recovered)
}

/// Makes a log of one capture and removes the capture.
fn recover_capture(path: &Path, output: Option<&LogOutput>) -> Result<Option<Recovered>> {
    let (logged, captures) = open(&[path.to_path_buf()]);
    let recovered = match &captures[..] {
        [] => None,
        captures => Some(write(captures, None, None, output)?),
    };
    harvest::remove_finished(&logged, &[]);
    harvest::remove_finished(&captures, &[]);
    Ok(recovered)
}

/// Opens captures: first those that have a log already, then the others.
fn open(paths: &[PathBuf]) -> (Vec<OpenCapture>, Vec<OpenCapture>) {
    harvest::open(paths, &[]).into_iter().partition(OpenCapture::has_log)
}

/// What is known of a job that was killed, besides its captures.
fn facts(captures: &[OpenCapture], job: Option<&JobFile>, launch: Option<&Path>) -> JobFacts {
    let first = captures.first();
    let own_command = || first.and_then(OpenCapture::command).unwrap_or_default();
    let jobid = job.map(|job| job.jobid).or_else(|| first.map(OpenCapture::jobid)).unwrap_or(0);
    JobFacts {
        command: job.map_or_else(own_command, |job| job.command.clone()),
        start_ns: job.map(|job| job.start_ns),
        end_ns: None,
        jobid,
        mounts: mounts::mounts(),
        notes: notes(job),
        ticks_per_second: Clock::best().rate(),
        end: end(captures, job, launch),
    }
}

/// The usual file of the log of a job that was killed.
fn usual_output(facts: &JobFacts, job: Option<&JobFile>) -> LogOutput {
    let command = String::from_utf8_lossy(&facts.command);
    let program = command.split_whitespace().next().unwrap_or_default();
    LogOutput::Named(match job {
        Some(job) if job.harvested => output::with_suffix(&job.log, "_rest"),
        Some(job) => job.log.clone(),
        None => output::default_name(program, facts.jobid).into(),
    })
}

fn write(
    captures: &[OpenCapture],
    job: Option<&JobFile>,
    launch: Option<((String, u32), &Path)>,
    output: Option<&LogOutput>,
) -> Result<Recovered> {
    let facts = facts(captures, job, launch.as_ref().map(|(_, directory)| *directory));
    let usual = usual_output(&facts, job);
    let all: Vec<&OpenCapture> = captures.iter().collect();
    let write = |file: File, meant: Option<&Path>| harvest::write_file(&all, &facts, meant, file);
    let setup = setup(output);
    let (profile, error) = match setup.make(&all, &facts, State::Recovered) {
        Ok(profile) => (profile, None),
        Err(error) => (None, Some(error)),
    };
    let mut waits_at = None;
    let whole = match (launch, job) {
        // Other nodes may have the other ranks.
        (Some((launch, directory)), Some(job)) if output.is_none() => {
            let ranks = members::all(directory).iter().map(|member| member.rank).collect();
            // The end is unknown; all nodes began at about the same time.
            let start_ns = job.start_ns;
            let part = NodePart { of: job_name(directory), ranks, start_ns, end_ns: start_ns };
            let parts = Parts::new(&job.log, launch);
            match parts.add(&part, Some(&usual), write, profile)? {
                Added::Whole(whole) => *whole,
                Added::Waiting { .. } => {
                    waits_at = Some(parts.directory().to_path_buf());
                    Whole::default()
                }
            }
        }
        _ => {
            let log = write_log(output.unwrap_or(&usual), write)?.1;
            Whole { log: Some(log), profile }
        }
    };
    let Whole { log, profile } = whole;
    let path = waits_at.unwrap_or_else(|| output.unwrap_or(&usual).path().to_path_buf());
    let log = log.unwrap_or(MadeLog { path, refused: None });
    let profile = setup.write(error.map_or(Ok(profile), Err), &facts, &log.path);
    let command = String::from_utf8_lossy(&facts.command).into_owned();
    let job = Some(RecoveredJob { command, jobid: facts.jobid, captures: captures.len() });
    Ok(Recovered { log: log.path, refused: log.refused, profile, job })
}

/// The profile stands beside the log. Where a log replaces none, neither does the profile.
fn setup(output: Option<&LogOutput>) -> ProfileSetup {
    let is_new = output.is_none_or(|output| matches!(output, LogOutput::Named(_)));
    ProfileSetup { is_new, ..ProfileSetup::default() }
}

impl Leftover {
    /// Returns true if a region was entered.
    pub fn has_regions(&self) -> bool {
        self.captures().iter().any(OpenCapture::has_regions)
    }

    fn captures(&self) -> Vec<OpenCapture> {
        let paths: Vec<PathBuf> = match self {
            Self::Job(path) => {
                let directories = directory::namesakes(path);
                directories.iter().flat_map(|path| directory::captures(path)).collect()
            }
            Self::Capture(path) => vec![path.clone()],
            Self::Parts(_) => Vec::new(),
        };
        harvest::open(&paths, &[])
    }

    /// Writes the profile alone, to this file or into this directory, else beside the log of the job.
    /// Only this file may replace another profile. Nothing is removed. `None` if no region was entered.
    pub fn recover_profile(&self, output: Option<&Path>) -> Result<Option<MadeProfile>> {
        let job = match self {
            Self::Job(path) if !is_dead(path) => {
                return Err(Error::StillRuns { job: job_name(path), living: self.living() });
            }
            Self::Job(path) => JobFile::read(path),
            Self::Capture(_) => None,
            Self::Parts(_) => return Ok(None),
        };
        let captures = self.captures();
        let facts = facts(&captures, job.as_ref(), None);
        let is_new = output.is_none_or(Path::is_dir);
        let output = output.map(|path| ProfileOutput::File(path.into())).unwrap_or_default();
        let setup = ProfileSetup { output, is_new, ..ProfileSetup::default() };
        let all: Vec<&OpenCapture> = captures.iter().collect();
        let made = setup.make(&all, &facts, State::Recovered);
        Ok(setup.write(made, &facts, usual_output(&facts, job.as_ref()).path()))
    }
}

/// The end of the program, if it is known: from the files of the commands of a launch, or from the
/// last capture of the process that the command has started.
fn end(
    captures: &[OpenCapture],
    job: Option<&JobFile>,
    launch: Option<&Path>,
) -> Option<ProgramEnd> {
    let members = launch.map(members::all).unwrap_or_default();
    let of_members = members.iter().filter_map(|member| member.ended).map(ProgramEnd::from).max();
    let is_program = |capture: &&OpenCapture| job.is_none_or(|job| capture.header.ppid == job.pid);
    of_members.or_else(|| captures.iter().rfind(is_program)?.end())
}

/// Notes for the log's metadata.
fn notes(job: Option<&JobFile>) -> Vec<(&'static str, Vec<u8>)> {
    let mut notes = vec![("recovered", b"yes".to_vec())];
    if job.is_some_and(|job| job.harvested) {
        notes.push((WHOLE, b"yes".to_vec()));
    }
    notes
}

/// Returns true if the file is a capture.
fn is_capture(path: &Path) -> bool {
    let magic = ioglass_shm::MAGIC.to_le_bytes();
    let mut start = [0; 8];
    let read = File::open(path).and_then(|file| file.read_exact_at(&mut start, 0));
    read.is_ok() && start == magic
}
