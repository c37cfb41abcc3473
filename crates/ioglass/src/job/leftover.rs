//! Jobs whose logs are still to be written: their `run` was killed, or a process outlived it.

use std::fs::File;
use std::path::{Path, PathBuf};

use ioglass_harvest::{Fate, Summary};
use ioglass_shm::place as names;
use nix::fcntl::{Flock, FlockArg};

use super::clock::Clock;
use super::file::JobFile;
use super::harvest::{self, About, Found};
use super::output::{self, Output};
use super::{alive, mounts, place};

/// A log that was made of what a job left behind.
pub(crate) struct Recovered {
    pub(crate) log: PathBuf,
    pub(crate) command: String,
    pub(crate) jobid: i64,
    pub(crate) summary: Summary,
}

/// Whether the command that runs the job still does.
pub(crate) fn is_running(job: &JobFile) -> bool {
    alive::begin(&job.pid.to_string()).is_some_and(|begin| begin == job.pid_start)
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
    let paths: Vec<PathBuf> = folders.iter().flat_map(|folder| place::regions(folder)).collect();
    let mut regions = harvest::open(&paths, None);
    if job.as_ref().is_none_or(|job| job.harvested) {
        // What the living do is in a log already, or will be in one they write themselves.
        regions.retain(|region| region.fate != Fate::Running);
    }
    let seen = job.as_ref().map(|job| job.seen.clone()).unwrap_or_default();
    let has_news = regions.iter().any(|region| !seen.contains(&region.contents()));
    let recovered = match has_news {
        true => Some(write(&regions, job.as_ref(), output)?),
        false => None,
    };
    harvest::remove_finished(&regions, &paths);
    let is_needed = job.as_ref().is_some_and(|job| alive::has_members(folder, job.pid));
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

/// Makes a log of one region, and removes it then.
pub(crate) fn recover_region(
    path: &Path,
    output: Option<&Output>,
) -> anyhow::Result<Option<Recovered>> {
    let regions = harvest::open(&[path.to_path_buf()], None);
    let recovered = match &regions[..] {
        [] => None,
        regions => Some(write(regions, None, output)?),
    };
    harvest::remove_finished(&regions, &[]);
    Ok(recovered)
}

fn write(
    regions: &[Found],
    job: Option<&JobFile>,
    output: Option<&Output>,
) -> anyhow::Result<Recovered> {
    let first = regions.first();
    let own_command = || first.and_then(Found::command).unwrap_or_default();
    let jobid = job.map(|job| job.jobid).or_else(|| first.map(Found::jobid)).unwrap_or(0);
    let about = About {
        command: job.map_or_else(own_command, |job| job.command.clone()),
        start_ns: job.map(|job| job.start_ns),
        end_ns: None,
        jobid,
        mounts: mounts::mounts(),
        notes: vec![("recovered", b"yes".to_vec())],
        ticks_per_second: Clock::best().rate(),
    };
    let command = String::from_utf8_lossy(&about.command).into_owned();
    let program = command.split_whitespace().next().unwrap_or_default();
    let usual = match job {
        Some(job) if job.harvested => Output::Named(output::with_suffix(&job.log, "_rest")),
        Some(job) => Output::Named(job.log.clone()),
        None => Output::Named(output::default_name(program, jobid).into()),
    };
    let all: Vec<&Found> = regions.iter().collect();
    let write = |file, meant: Option<&Path>| harvest::write(&all, &about, meant, file);
    let (summary, log) = output.unwrap_or(&usual).write(write)?;
    Ok(Recovered { log, command, jobid, summary })
}

/// Makes logs of what processes left that outlived their job's `run` and are gone now.
pub(crate) fn collect() -> Vec<PathBuf> {
    let is_leftover = |folder: &PathBuf| {
        JobFile::read(folder).is_some_and(|job| job.harvested && !is_running(&job))
    };
    let folders = place::jobs().into_iter().filter(is_leftover);
    // They are found again by `recover`, which says what is wrong.
    let recovered = folders.filter_map(|folder| recover(&folder, None).ok().flatten());
    recovered.map(|recovered| recovered.log).collect()
}

/// Whether the file is a region.
pub(crate) fn is_region(path: &Path) -> bool {
    let magic = ioglass_shm::MAGIC.to_le_bytes();
    let mut start = [0; 8];
    let read = File::open(path)
        .and_then(|file| std::os::unix::fs::FileExt::read_exact_at(&file, &mut start, 0));
    read.is_ok() && start == magic
}
