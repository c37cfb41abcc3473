//! Darshan logs of one job become one log.
//!
//! The logs may be of single processes, of single ranks or of nodes, written by any tool. [`Merge::new`] looks at
//! all of them and decides which rank each record belongs to; [`Merge::write`] writes the one log, log region by
//! log region, and returns a [`Summary`]. Logs of different jobs are an [`Error`] with the [`Difference`].
//!
//! ```no_run
//! use std::fs::File;
//! use ioglass_merge::Merge;
//!
//! let logs = ["rank0.darshan".into(), "rank1.darshan".into()];
//! let merge = Merge::new(&logs, false)?;
//! let (_, summary) = merge.write(File::create("job.darshan")?, &mut |_done, _of| {})?;
//! println!("{} ranks", summary.ranks);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Ranks that a launcher or MPI has numbered keep their numbers; processes that nobody numbered get
//! theirs by the time they began. A file that all ranks of an MPI job used becomes one record; all
//! times are those since the earliest log began.
//!
//! Invariants: a log is open only while it is read, so there may be more of them than a process may
//! have files; memory grows with the number of records, not with traces; a log that is damaged is an
//! error, because what is missing could not be seen in the result.

mod again;
mod counters;
mod heat;
mod input;
mod job;
mod measured;
mod names;
mod other;
mod plan;
mod present;
mod ranks;
mod same_job;
mod tables;
mod time;
mod trace;
mod write;

pub use job::MISSING;
pub use same_job::Difference;
pub use write::{Merge, Summary};

use std::io;
use std::path::PathBuf;

use ioglass_log::WriteError;

/// The reason why logs did not become one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A log could not be read.
    #[error("{}: {error}", log.display())]
    Read {
        /// The log.
        log: PathBuf,
        /// The error.
        error: ioglass_log::Error,
    },
    /// The logs are not of one job.
    #[error("{0}")]
    Different(Box<Difference>),
    /// The new log could not be written.
    #[error(transparent)]
    Write(#[from] WriteError<io::Error>),
}

pub(crate) type Result<T> = std::result::Result<T, Error>;
