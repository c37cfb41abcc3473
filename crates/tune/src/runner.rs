//! What runs a program with settings.

mod model;
mod note;
mod replay;

use std::sync::atomic::AtomicBool;

pub use model::ModelRunner;
pub use note::Note;
pub use replay::{Replay, Replayed};
use serde::{Deserialize, Serialize};

use crate::journal::{Bytes, Outcome, Phase};
use crate::space::Settings;

/// A run that is wanted.
#[derive(Debug)]
pub struct Request<'a> {
    /// The number of the run, from 1.
    pub run: u64,
    /// What it is for.
    pub phase: Phase,
    /// All settings to apply.
    pub settings: &'a Settings,
    /// It is the default run.
    pub is_default: bool,
    /// Seconds after which it is ended, as it can no longer be the best.
    pub limit: Option<f64>,
    /// Others go on at the same time.
    pub is_shared: bool,
    /// Is set when the search is to end at once.
    pub stop: &'a AtomicBool,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What became of it.
    pub outcome: Outcome,
    /// Seconds of I/O.
    pub io: Option<f64>,
    /// Seconds of reads.
    pub read: Option<f64>,
    /// Seconds of writes.
    pub write: Option<f64>,
    /// What the objective alone knows: seconds of regions, or a number of the output.
    pub other: Option<f64>,
    /// Seconds from start to end.
    pub wall: f64,
    /// Bytes moved.
    pub bytes: Bytes,
    /// The status.
    pub exit: Option<i32>,
    /// When it began.
    pub began: String,
    /// The share of the processors that others took.
    pub load: Option<f64>,
    /// What is to be said of it: the end of what a failed run printed.
    pub note: Option<String>,
    /// What the runner notes of it beside its numbers.
    pub rest: serde_json::Map<String, serde_json::Value>,
}

/// Runs a program with settings.
pub trait Runner {
    /// Says that this run will be asked for, and others meanwhile. A runner that can make several at once
    /// begins it.
    ///
    /// # Errors
    /// If the runner itself fails.
    fn begin(&mut self, _request: &Request<'_>) -> Result<(), RunnerError> {
        Ok(())
    }

    /// Runs it once, or waits for its end if it was begun.
    ///
    /// # Errors
    /// If the runner itself fails; a program that fails is an outcome.
    fn run(&mut self, request: &Request<'_>) -> Result<Run, RunnerError>;
}

/// A runner could not run.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RunnerError(pub String);
