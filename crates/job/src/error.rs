//! The errors of this crate.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use crate::Living;

/// Reason why a job could not be run, or why there is no log of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No root takes the directory of a job.
    #[error("no directory can hold the records of a job")]
    NoDirectory,
    /// There is not enough memory for a profile.
    #[error("there is not enough memory to put the profile together")]
    NoMemory,
    /// The directory of a job cannot be made.
    #[error("cannot make a directory in {}", parent.display())]
    MakeDirectory {
        /// The directory that was tried last.
        parent: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The preload library cannot be stored where programs can load it.
    #[error("cannot put the preload library into {}", directory.display())]
    Library {
        /// The directory that was tried last.
        directory: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// What programs include cannot be stored where compilers find it.
    #[error("cannot put the headers into {}", directory.display())]
    Include {
        /// The directory that was tried last.
        directory: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The program cannot be started.
    #[error("cannot run {}", program.to_string_lossy())]
    Start {
        /// The program as it was given.
        program: OsString,
        /// The reason.
        source: io::Error,
    },
    /// The job still runs, so it cannot be recovered.
    #[error("the job {job} still runs; its log is written when it ends")]
    StillRuns {
        /// The name of its directory.
        job: String,
        /// Its processes.
        living: Vec<Living>,
    },
    /// No running job of this user has this name or number.
    #[error("no running job has the name or number {id}")]
    UnknownJob {
        /// The name or number.
        id: String,
        /// The names of all running jobs of this user.
        jobs: Vec<String>,
    },
    /// Several running jobs have this number.
    #[error("several running jobs have the number {id}")]
    AmbiguousJob {
        /// The number.
        id: String,
        /// The names of these jobs.
        jobs: Vec<String>,
    },
    /// The job ended before its captures were read.
    #[error("the job has just ended; its log is {}", log.display())]
    JobEnded {
        /// The log that its command writes.
        log: PathBuf,
    },
    /// The captures of a running job cannot be harvested.
    #[error("cannot harvest the captures")]
    Snapshot(#[source] ioglass_harvest::Error<Infallible>),
    /// The log cannot be written to its file.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file that was asked for.
        path: PathBuf,
        /// The reason.
        source: Box<Error>,
    },
    /// The captures cannot be harvested into a log.
    #[error("cannot write the log")]
    Harvest(#[source] ioglass_harvest::Error<io::Error>),
    /// The parts that several nodes left cannot be merged.
    #[error("cannot merge the parts of the log")]
    Merge(#[source] ioglass_merge::Error),
    /// A file of the job cannot be used.
    #[error(transparent)]
    Io(#[from] io::Error),
}
