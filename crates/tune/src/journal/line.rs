//! The lines of a journal.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::search::From;
use crate::space::{Parameter, Settings};

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "k", rename_all = "lowercase")]
pub enum Line {
    /// The first: what is searched, and how.
    Start(Box<Start>),
    /// A run of the search.
    Trial(Box<Trial>),
    /// A run of the choice, the proof or a layer.
    Confirm(Box<Confirm>),
    /// The search is over.
    End(End),
    /// A line of a later version.
    #[serde(other)]
    Other,
}

/// What is searched, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// `ioglass.journal/1`.
    pub schema: String,
    /// The version of ioglass.
    pub ioglass: String,
    /// When the search began.
    pub time: String,
    /// The command.
    pub command: Vec<String>,
    /// The folder in which it runs.
    pub cwd: String,
    /// The parameters.
    pub space: Vec<Parameter>,
    /// The searcher.
    pub search: String,
    /// The seed of all randomness.
    pub seed: u64,
    /// What is measured.
    pub objective: String,
    /// Whether it is to be small or large.
    pub direction: Direction,
    /// Runs, or a time.
    pub budget: Value,
    /// What runs the command.
    pub runner: String,
    /// What else decides what is asked and measured.
    pub options: Map<String, Value>,
    /// The digest of all that may not change.
    pub digest: String,
    /// What later versions add.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Whether an objective is to be small or large.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Small.
    #[default]
    Min,
    /// Large.
    Max,
}

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It ran to its end and its result is right.
    Ok,
    /// It ended with another status than 0.
    Failed,
    /// It took longer than is allowed.
    Timeout,
    /// It was ended when it could no longer be the best.
    Cut,
    /// Its result differs from that of the default run.
    Wrong,
    /// Others took the machine meanwhile.
    Disturbed,
    /// The search was ended during it.
    Cancelled,
}

impl Outcome {
    /// The word of journals.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Failed => "failed",
            Outcome::Timeout => "timeout",
            Outcome::Cut => "cut",
            Outcome::Wrong => "wrong",
            Outcome::Disturbed => "disturbed",
            Outcome::Cancelled => "cancelled",
        }
    }
}

/// Bytes that a run moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    /// Read.
    pub read: u64,
    /// Written.
    pub written: u64,
}

/// A run of the search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The number of the ask.
    pub n: u64,
    /// The number of the run.
    pub run: u64,
    /// Always `search`.
    pub phase: Phase,
    /// Who proposed it.
    pub from: From,
    /// What differs from the default.
    pub settings: Settings,
    /// What became of it.
    pub outcome: Outcome,
    /// The objective; of a run that was cut, what it would at least have been.
    pub value: Option<f64>,
    /// Seconds of I/O.
    pub io: Option<f64>,
    /// Seconds from start to end.
    pub wall: f64,
    /// The status.
    pub exit: Option<i32>,
    /// Bytes moved.
    #[serde(default)]
    pub bytes: Bytes,
    /// When it began.
    #[serde(default)]
    pub began: String,
    /// The share of the processors that others took.
    #[serde(default)]
    pub load: Option<f64>,
    /// It was not run: an earlier run of the same settings counts.
    #[serde(default)]
    pub cached: bool,
    /// What is to be said of it.
    #[serde(default)]
    pub note: Option<String>,
    /// The number of asks whose answers were known when it was asked for; none if these are all before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<u64>,
    /// What later versions add.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Trial {
    /// The number of asks whose answers were known when it was asked for.
    pub fn told(&self) -> u64 {
        self.told.unwrap_or(self.n.saturating_sub(1))
    }
}

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The search.
    Search,
    /// The choice among the best of the search.
    Choose,
    /// The proof of the best against the default.
    Prove,
    /// One layer of the best alone.
    Layer,
}

/// A run of the choice, the proof or a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confirm {
    /// What it is for.
    pub phase: Phase,
    /// One more than the asks before: runs after more asks are others.
    pub n: u64,
    /// The number of the run.
    pub run: u64,
    /// The round, from 1.
    pub round: u64,
    /// What differs from the default.
    pub settings: Settings,
    /// What became of it.
    pub outcome: Outcome,
    /// The objective.
    pub value: Option<f64>,
    /// Seconds of I/O.
    #[serde(default)]
    pub io: Option<f64>,
    /// Seconds from start to end.
    pub wall: f64,
    /// What is to be said of it.
    #[serde(default)]
    pub note: Option<String>,
    /// What later versions add.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The search is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// How.
    pub state: String,
}
