//! Jobs of this user that still run, and logs of what they did so far.
//!
//! ```no_run
//! # fn main() -> Result<(), ioglass_job::Error> {
//! let job = ioglass_job::running::find("4711")?;
//! let snapshot = job.snapshot()?;
//! println!("{}: {} bytes of log", job.name(), snapshot.log()?.len());
//! # Ok(())
//! # }
//! ```

use std::path::{Path, PathBuf};

use crate::clock::Clock;
use crate::harvest::{self, JobFacts, OpenCapture};
use crate::job::now_ns;
use crate::job_file::JobFile;
use crate::parts::job_name;
use crate::{Error, Result, directory, mounts, recover};

/// A job that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningJob {
    directory: PathBuf,
    file: JobFile,
}

/// The captures of a running job at one moment.
#[derive(Debug)]
pub struct Snapshot {
    captures: Vec<OpenCapture>,
    facts: JobFacts,
}

/// All running jobs of this user, by name. Jobs inside other jobs belong to those.
pub fn jobs() -> Vec<RunningJob> {
    directory::jobs().into_iter().filter_map(RunningJob::in_directory).collect()
}

/// The running job with this name, `JOBID-xxxxxxxx`, or with this JOBID if only one has it.
pub fn find(id: &str) -> Result<RunningJob> {
    select(id, jobs())
}

fn select(id: &str, jobs: Vec<RunningJob>) -> Result<RunningJob> {
    let names = |jobs: &[RunningJob]| jobs.iter().map(RunningJob::name).collect();
    if let Some(job) = jobs.iter().find(|job| job.name() == id) {
        return Ok(job.clone());
    }
    let is_meant = |job: &RunningJob| job.file.jobid.to_string() == id;
    let (mut meant, others): (Vec<_>, Vec<_>) = jobs.into_iter().partition(is_meant);
    match (meant.pop(), meant.is_empty()) {
        (Some(job), true) => Ok(job),
        (Some(job), false) => {
            meant.push(job);
            Err(Error::AmbiguousJob { id: id.into(), jobs: names(&meant) })
        }
        (None, _) => Err(Error::UnknownJob { id: id.into(), jobs: names(&others) }),
    }
}

impl RunningJob {
    fn in_directory(directory: PathBuf) -> Option<Self> {
        let file = JobFile::read(&directory)?;
        let runs = !file.harvested && recover::is_running(&directory, &file);
        runs.then_some(Self { directory, file })
    }

    /// The name of its directory, `JOBID-xxxxxxxx`.
    pub fn name(&self) -> String {
        job_name(&self.directory)
    }

    /// Its directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Its number.
    pub fn jobid(&self) -> i64 {
        self.file.jobid
    }

    /// Its command line, words joined by blanks.
    pub fn command(&self) -> String {
        String::from_utf8_lossy(&self.file.command).into_owned()
    }

    /// Opens its captures. Nothing of the job is changed.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let directories = directory::namesakes(&self.directory);
        let paths: Vec<PathBuf> =
            directories.iter().flat_map(|directory| directory::captures(directory)).collect();
        let notes = directory::notes(&directories);
        let ticks_per_second = Clock::best().rate();
        // Last: the log has no process that ends after the run does.
        let captures = harvest::open(&paths, &[]);
        // Captures are removed at the end of a job, so some of them may be missing then.
        let Some(now) = Self::in_directory(self.directory.clone()) else {
            return Err(Error::JobEnded { log: self.file.log.clone() });
        };
        let facts = JobFacts {
            command: now.file.command,
            start_ns: Some(now.file.start_ns),
            end_ns: Some(now_ns()),
            jobid: now.file.jobid,
            mounts: mounts::mounts(),
            notes,
            ticks_per_second,
            end: None,
        };
        Ok(Snapshot { captures, facts })
    }
}

impl Snapshot {
    /// A Darshan log of the captures, in memory. In its table of processes the living ones are
    /// `running`.
    pub fn log(&self) -> Result<Vec<u8>> {
        let captures: Vec<&OpenCapture> = self.captures.iter().collect();
        let written = harvest::write(&captures, &self.facts, None, Vec::new());
        Ok(written.map_err(Error::Snapshot)?.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_found_by_name_or_number() {
        let job = |name: &str, jobid| RunningJob {
            directory: Path::new("/dev/shm/ioglass-0").join(name),
            file: JobFile { jobid, ..JobFile::default() },
        };
        let jobs = || vec![job("7-0000000a", 7), job("7-0000000b", 7), job("8-0000000c", 8)];
        let found = |id: &str| select(id, jobs()).map(|job| job.name());
        assert_eq!(found("8").unwrap(), "8-0000000c");
        assert_eq!(found("7-0000000b").unwrap(), "7-0000000b");
        let Err(Error::AmbiguousJob { jobs, .. }) = found("7") else { panic!() };
        assert_eq!(jobs.len(), 2);
        let Err(Error::UnknownJob { jobs, .. }) = found("0000000a") else { panic!() };
        assert_eq!(jobs.len(), 3);
    }
}
