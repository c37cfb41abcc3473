//! Jobs whose logs are still to be written: their `run` was killed, or a process outlived it.

use std::fs::File;
use std::path::{Path, PathBuf};

use ioglass_harvest::process::WHOLE;
use ioglass_harvest::{Fate, Summary};
use ioglass_shm::place as names;
use nix::fcntl::{Flock, FlockArg};

use super::clock::Clock;
use super::file::JobFile;
use super::harvest::{self, About, Found};
use super::output::{self, Output};
use super::parts::{Made, Part, Parts, job_name};
use super::{alive, mounts, place, together};

/// A log that was made of what a job left behind.
pub(crate) struct Recovered {
    pub(crate) log: PathBuf,
    pub(crate) command: String,
    pub(crate) jobid: i64,
    pub(crate) summary: Summary,
}

/// Whether the command that runs the job in `folder` still does, or one of those that do.
pub(crate) fn is_running(folder: &Path, job: &JobFile) -> bool {
    alive::begin(&job.pid.to_string()).is_some_and(|begin| begin == job.pid_start)
        || together::is_alive(folder)
}

/// Makes a log of the job in `folder`, and removes what is in it then. `None` if there is nothing
/// that could be in one.
pub(crate) fn recover(folder: &Path, output: Option<&Output>) -> anyhow::Result<Option<Recovered>> {
    let _lock = match File::open(folder.join(names::JOB_FILE)) {
        Ok(file) => match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => Some(lock),
            // Somebody else is at it.
            Err(_) => return Ok(None),
        },
        Err(_) => None,
    };
    let job = JobFile::read(folder);
    let folders = match job.is_some() {
        true => place::namesakes(folder),
        false => vec![folder.to_path_buf()],
    };
    let paths: Vec<PathBuf> = folders.iter().flat_map(|folder| place::captures(folder)).collect();
    let (logged, mut captures) = open(&paths);
    if job.as_ref().is_none_or(|job| job.harvested) {
        // What the living do is in a log already, or will be in one they write themselves.
        captures.retain(|capture| capture.fate != Fate::Running);
    }
    let seen = job.as_ref().map(|job| job.seen.clone()).unwrap_or_default();
    let has_news = captures.iter().any(|capture| !seen.contains(&capture.contents()));
    let launch = job.as_ref().filter(|job| !job.harvested).and_then(|job| job.launch.clone());
    let launch = launch.map(|launch| (launch, folder));
    let recovered = match has_news || launch.is_some() {
        true => Some(write(&captures, job.as_ref(), launch, output)?),
        false => None,
    };
    harvest::remove_finished(&logged, &[]);
    harvest::remove_finished(&captures, &paths);
    let is_needed = job.as_ref().is_some_and(|job| alive::has_members(folder, job.pid));
    together::close_gate(folder);
    for folder in &folders {
        if (is_needed || !place::remove_job(folder))
            && let Some(job) = &job
        {
            // Without it the rest is recovered once more, which does no harm.
            let _ = JobFile { harvested: true, ..job.clone() }.write(folder);
        }
    }
    Ok(recovered)
}

/// Makes a log of one capture, and removes it then.
pub(crate) fn recover_capture(
    path: &Path,
    output: Option<&Output>,
) -> anyhow::Result<Option<Recovered>> {
    let (logged, captures) = open(&[path.to_path_buf()]);
    let recovered = match &captures[..] {
        [] => None,
        captures => Some(write(captures, None, None, output)?),
    };
    harvest::remove_finished(&logged, &[]);
    harvest::remove_finished(&captures, &[]);
    Ok(recovered)
}

/// Captures, those first whose logs are there already.
fn open(paths: &[PathBuf]) -> (Vec<Found>, Vec<Found>) {
    harvest::open(paths, &[]).into_iter().partition(Found::has_log)
}

fn write(
    captures: &[Found],
    job: Option<&JobFile>,
    launch: Option<((String, u32), &Path)>,
    output: Option<&Output>,
) -> anyhow::Result<Recovered> {
    let first = captures.first();
    let own_command = || first.and_then(Found::command).unwrap_or_default();
    let jobid = job.map(|job| job.jobid).or_else(|| first.map(Found::jobid)).unwrap_or(0);
    let about = About {
        command: job.map_or_else(own_command, |job| job.command.clone()),
        start_ns: job.map(|job| job.start_ns),
        end_ns: None,
        jobid,
        mounts: mounts::mounts(),
        notes: notes(job),
        ticks_per_second: Clock::best().rate(),
    };
    let command = String::from_utf8_lossy(&about.command).into_owned();
    let program = command.split_whitespace().next().unwrap_or_default();
    let usual = match job {
        Some(job) if job.harvested => Output::Named(output::with_suffix(&job.log, "_rest")),
        Some(job) => Output::Named(job.log.clone()),
        None => Output::Named(output::default_name(program, jobid).into()),
    };
    let all: Vec<&Found> = captures.iter().collect();
    let write = |file, meant: Option<&Path>| harvest::write(&all, &about, meant, file);
    let summary = Summary { captures: captures.len(), ..Summary::default() };
    let log = match (launch, job) {
        // Other nodes may have the other ranks.
        (Some((launch, folder)), Some(job)) if output.is_none() => {
            let ranks = together::all(folder).iter().map(|left| left.rank).collect();
            // When it ended nobody knows; all nodes began at about the same time.
            let start_ns = job.start_ns;
            let part = Part { of: job_name(folder), ranks, start_ns, end_ns: start_ns };
            let parts = Parts::new(&job.log, launch);
            match parts.add(&part, &usual, write)? {
                Made::Log(log) => log,
                Made::Waiting { .. } => parts.folder().to_path_buf(),
            }
        }
        _ => output.unwrap_or(&usual).write(write)?.1,
    };
    Ok(Recovered { log, command, jobid, summary })
}

/// What the log's metadata says of how it came about.
fn notes(job: Option<&JobFile>) -> Vec<(&'static str, Vec<u8>)> {
    let mut notes = vec![("recovered", b"yes".to_vec())];
    if job.is_some_and(|job| job.harvested) {
        notes.push((WHOLE, b"yes".to_vec()));
    }
    notes
}

/// Makes logs of what processes left that outlived their job's `run` and are gone now.
pub(crate) fn collect() -> Vec<PathBuf> {
    let is_leftover = |folder: &PathBuf| {
        JobFile::read(folder).is_some_and(|job| job.harvested && !is_running(folder, &job))
    };
    let folders = place::jobs().into_iter().filter(is_leftover);
    // They are found again by `recover`, which says what is wrong.
    let recovered = folders.filter_map(|folder| recover(&folder, None).ok().flatten());
    recovered.map(|recovered| recovered.log).collect()
}

/// Whether the file is a capture.
pub(crate) fn is_capture(path: &Path) -> bool {
    let magic = ioglass_shm::MAGIC.to_le_bytes();
    let mut start = [0; 8];
    let read = File::open(path)
        .and_then(|file| std::os::unix::fs::FileExt::read_exact_at(&file, &mut start, 0));
    read.is_ok() && start == magic
}
