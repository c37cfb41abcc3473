//! What a search is to do.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::journal::{JournalError, Outcome};
use crate::objective::Objective;
use crate::report::Report;
use crate::runner::RunnerError;
use crate::search::From;
use crate::search::Method;
use crate::space::{Settings, Space};

/// What a search is to do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The space.
    pub space: Arc<Space>,
    /// The searcher.
    pub method: Method,
    /// The seed of all randomness.
    pub seed: u64,
    /// How long the search goes on.
    pub budget: Budget,
    /// Rounds of the proof at most; 0 is no proof.
    pub confirm: u64,
    /// What is measured.
    pub objective: Objective,
    /// The smallest gain that is worth a change.
    pub worth: f64,
    /// A trial ends at so many times the best so far; 0 is never.
    pub cut: f64,
    /// A repeat is answered from the run before.
    pub cache: bool,
    /// Runs of the search that go on at the same time.
    pub jobs: u64,
    /// First trials: advice of findings, alone and together.
    pub seeds: Vec<Seed>,
}

/// How long a search goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// Asks; both default runs count, but not for a genetic algorithm.
    Runs(u64),
    /// Seconds for everything, the proof included.
    Seconds(f64),
}

/// Settings to try first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seed {
    /// Whose advice it is.
    pub from: From,
    /// The settings.
    pub settings: Settings,
}

/// Most of the first runs failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    /// Runs that failed.
    pub failed: usize,
    /// Runs in all.
    pub of: usize,
    /// Settings that all of them had and no other run.
    pub shared: Vec<String>,
    /// What the last one printed.
    pub note: Option<String>,
}

/// A reason why a search ends without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The default run failed.
    #[error("the default run {what}")]
    Default {
        /// What became of it.
        what: String,
        /// The end of what it printed.
        note: Option<String>,
    },
    /// Most of the first runs failed.
    #[error("{} of the first {} runs failed", .0.failed, .0.of)]
    Failing(Failing),
    /// The runner failed.
    #[error("{0}")]
    Runner(#[source] RunnerError),
    /// The journal cannot be written.
    #[error("{error}")]
    Journal {
        /// Why.
        #[source]
        error: JournalError,
        /// The result so far.
        report: Box<Report>,
    },
}

impl TuneError {
    /// What is wrong with a run of the default.
    pub fn of_default(
        outcome: Outcome,
        exit: Option<i32>,
        wall: f64,
        note: Option<String>,
    ) -> Self {
        let what = match (outcome, exit) {
            (Outcome::Timeout, _) => format!("took longer than {wall:.0} s"),
            (Outcome::Wrong, _) => "gave a wrong result".into(),
            (_, Some(status)) if status != 0 => format!("failed with status {status}"),
            (_, Some(0)) => "gave nothing to measure".into(),
            _ => "failed".into(),
        };
        TuneError::Default { what, note }
    }
}
