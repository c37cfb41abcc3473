//! Runs programs under the ioglass recorder and makes Darshan logs of what they did.
//!
//! A *job* is one recorded command with all processes that it starts. Each process writes what it does
//! into a *capture*, a mapped file in the job's directory. When the command ends, the captures are
//! *harvested* into one log and removed.
//!
//! ```no_run
//! use ioglass_job::{Job, Setup};
//!
//! # fn main() -> Result<(), ioglass_job::Error> {
//! let mut setup = Setup::new(vec!["tar".into(), "czf".into(), "src.tgz".into(), "src".into()]);
//! setup.trace = true;
//! let mut job = Job::start(setup)?;
//! let ended = job.run()?;
//! if let Some(harvested) = job.finish(ended)? {
//!     println!("the log is {:?}", harvested.log);
//!     job.close(&harvested, true);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | to do this | use |
//! |---|---|
//! | run a command and make its log | [`Setup`], [`Job`] |
//! | find out if a program can be recorded | [`program`] |
//! | look at a job that still runs | [`running`] |
//! | make logs of what killed jobs left behind | [`recover`] |
//! | choose where a log goes | [`output`] |
//! | run programs unseen, one after the other | [`trial`] |
//!
//! The crate prints nothing and ends no process. All its `unsafe` is in one module. Errors are
//! [`Error`] and the enums of the modules. Only captures of this user's processes are read; root
//! also reads those of processes that became another user's within its own job.

mod alive;
mod child;
pub mod clock;
mod directory;
mod error;
mod harvest;
pub mod include;
mod job;
mod job_file;
mod keeper;
mod launcher;
pub mod library;
mod members;
mod mounts;
pub mod output;
mod parts;
mod profile;
pub mod program;
pub mod recover;
mod rooms;
pub mod running;
mod stored;
mod sys;
pub mod trial;
mod witness;

pub use alive::Living;
pub use child::{Ended, Ending, run};
pub use directory::{EXCLUDED, UNRECORDED};
pub use error::Error;
pub use job::{Harvested, Job, Setup, Waiting};
pub use launcher::Launch;
pub use mounts::mounts;
pub use output::LogOutput;
pub use profile::{MadeProfile, ProfileOutput, ProfileSetup, free_path, write_rest};
pub use sys::{die_by, disable_recorder, glibc_version, survive_size_limit};

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
