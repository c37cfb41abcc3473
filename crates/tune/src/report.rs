//! The result of a search, for programs: the schema `ioglass.tune/1`.

mod effects;
mod estimate;
mod make;

use serde::{Deserialize, Serialize};

use crate::journal::{Direction, Outcome};
use crate::space::{Parameter, Settings};
use crate::tuning::State;

pub use effects::Effect;
pub use estimate::RandomStep;

/// The schema of results.
pub const SCHEMA: &str = "ioglass.tune/1";

/// A result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("$id" = "ioglass.tune/1")))]
pub struct Report {
    /// `ioglass.tune/1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "ioglass.tune/1")))]
    pub schema: String,
    /// The command.
    pub command: Vec<String>,
    /// The model that ran in its place, if one did.
    pub model: Option<ModelReport>,
    /// What the default run says of program and machine.
    pub run: Option<RunReport>,
    /// How the search ended.
    pub state: State,
    /// Why, if the numbers do not say it.
    pub reason: Option<String>,
    /// What was measured.
    pub objective: ObjectiveReport,
    /// The default: in the proof, or in the search if there was none.
    pub default: Option<Side>,
    /// The best settings: in the proof, or in the search if there was none.
    pub tuned: Option<TunedSide>,
    /// How much faster the best settings are.
    pub speedup: Option<Speedup>,
    /// The same for the time from start to end.
    pub wall_speedup: Option<Speedup>,
    /// The smallest gain that is worth a change.
    pub worth: f64,
    /// Rounds that would probably decide, if they were too few.
    pub more_rounds: Option<u64>,
    /// What there would be to gain at most; none if the objective is no part of the run time.
    pub at_most: Option<AtMost>,
    /// The search.
    pub search: SearchReport,
    /// What each layer gains alone, two runs each.
    pub layers: Vec<LayerReport>,
    /// What each value went along with, by the runs of the search.
    pub effects: Vec<Effect>,
    /// Whether settings were applied.
    pub verified: Vec<Verified>,
    /// The runs of the search.
    pub trials: Vec<TrialReport>,
    /// The number of runs of the search by outcome.
    pub outcomes: Outcomes,
    /// The rounds of the proof.
    pub rounds: Vec<RoundReport>,
    /// Whether results were right; none if it was not checked.
    pub check: Option<Check>,
    /// The best gain over the default after so many asks, where it changed.
    pub convergence: Vec<(u64, f64)>,
    /// The same of random search: an estimate, nothing was run. Empty if there is none.
    pub random: Vec<RandomStep>,
    /// The journal.
    pub journal: Option<String>,
    /// The options that were typed: what goes on with the search needs them again.
    #[serde(skip)]
    pub typed: Vec<String>,
    /// The file with the best settings.
    pub best: Option<String>,
    /// What should be known.
    pub warnings: Vec<String>,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelReport {
    /// The platform.
    pub platform: String,
    /// Ranks.
    pub ranks: u64,
    /// The kernel.
    pub kernel: String,
    /// The standard deviation of the logarithm of times.
    pub noise: f64,
}

/// What the default run says of program and machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunReport {
    /// The program: not its launcher.
    pub program: String,
    /// Ranks, or processes.
    pub ranks: u64,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The file system of its files.
    pub file_system: Option<String>,
    /// Names and versions of its libraries, such as `MPICH 4.0.2 (ROMIO), HDF5 1.10.8`.
    pub stack: Option<String>,
    /// When the search began, in UTC.
    pub began: Option<String>,
    /// Where the program ran: `local`, or `slurm` for jobs of a cluster.
    #[serde(default)]
    pub runner: String,
}

/// What there would be to gain if what is measured took no time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AtMost {
    /// The gain of the whole run.
    pub speedup: f64,
    /// The part of the run time that is measured, from 0 to 1.
    pub share: f64,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectiveReport {
    /// The name that people type.
    pub name: String,
    /// The unit.
    pub unit: String,
    /// Whether it is to be small or large.
    pub direction: Direction,
}

/// The default or the best settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Side {
    /// The median.
    pub median: f64,
    /// The lower quartile.
    pub low: f64,
    /// The upper quartile.
    pub high: f64,
    /// Runs.
    pub runs: u64,
    /// The median of seconds from start to end.
    pub wall: f64,
    /// What of them is not measured; none if the objective is no part of the run time.
    pub rest: Option<f64>,
}

/// The best settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TunedSide {
    /// The numbers.
    #[serde(flatten)]
    pub side: Side,
    /// What differs from the default.
    pub settings: Settings,
}

/// A gain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Speedup {
    /// The estimate.
    pub median: f64,
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The confidence of the interval.
    pub confidence: Option<f64>,
    /// It was proven in fresh runs.
    pub confirmed: bool,
}

/// The search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchReport {
    /// The searcher.
    pub method: String,
    /// The seed.
    pub seed: u64,
    /// Runs.
    pub runs: u64,
    /// Asks: runs and repeats that were not run.
    pub asks: u64,
    /// Repeats that were not run.
    pub cached: u64,
    /// Distinct settings in the space.
    pub space: u64,
    /// The best gain that a single run showed; never the result.
    pub best_seen: Option<f64>,
    /// The ask that proposed the best settings, and how.
    pub found: Option<Found>,
    /// The gain that as many random runs would have found: the median of drawn searches, an estimate.
    pub random_estimate: Option<f64>,
    /// Seconds of all runs.
    pub seconds: f64,
    /// All runs: search, choice, proof and layers.
    pub all_runs: u64,
    /// The parameters, with the values that are searched.
    pub parameters: Vec<Parameter>,
}

/// The ask that proposed the best settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// Its number.
    pub n: u64,
    /// The way.
    pub how: String,
}

/// What a layer gains alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerReport {
    /// The layer.
    pub layer: String,
    /// The gain; none if its runs failed.
    pub speedup: Option<f64>,
    /// The lower of its ratios.
    pub low: Option<f64>,
    /// The higher.
    pub high: Option<f64>,
    /// Runs.
    pub rounds: u64,
}

/// Whether a setting was applied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verified {
    /// The parameter.
    pub name: String,
    /// `applied`, `changed`, `not-applicable` or `unverifiable`.
    pub state: String,
    /// The value that was asked for.
    pub requested: String,
    /// The value that the stack tells.
    pub effective: Option<String>,
    /// The reason for the state.
    pub reason: Option<String>,
    /// Files where it was so.
    pub files: u64,
    /// Datasets and variables where it was so.
    pub variables: u64,
    /// The call by which the stack tells.
    pub by: Option<String>,
}

/// A run of the search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrialReport {
    /// The number of the ask.
    pub n: u64,
    /// The number of the run.
    pub run: u64,
    /// What differs from the default.
    pub settings: Settings,
    /// What became of it.
    pub outcome: Outcome,
    /// The objective.
    pub value: Option<f64>,
    /// The gain over the mean of the default runs.
    pub gain: Option<f64>,
    /// Seconds from start to end.
    pub wall: f64,
    /// The way in which it was proposed.
    pub how: String,
    /// Codes of the findings whose advice it is.
    pub codes: Vec<String>,
    /// It was answered from an earlier run.
    pub cached: bool,
    /// What is to be said of it: the end of what a failed run printed, what of the result differs.
    pub note: Option<String>,
}

/// The number of runs of the search by outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcomes {
    /// Measured.
    pub ok: u64,
    /// Failed.
    pub failed: u64,
    /// Took too long.
    pub timeout: u64,
    /// Ended as they could no longer be the best.
    pub cut: u64,
    /// Gave a wrong result.
    pub wrong: u64,
    /// Were disturbed by others.
    pub disturbed: u64,
}

/// A round of the proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundReport {
    /// The number.
    pub round: u64,
    /// The default.
    pub default: f64,
    /// The best settings.
    pub tuned: f64,
    /// Seconds of the default from start to end.
    pub default_wall: f64,
    /// Seconds of the best settings from start to end.
    pub tuned_wall: f64,
    /// The gain of the round.
    pub ratio: f64,
    /// The default ran first; the order is drawn.
    pub default_first: bool,
}

/// Whether results were right.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// `same`, `differs`, or `not-compared` if no data was the same in all default runs.
    pub state: String,
    /// Files that were compared.
    pub files: u64,
    /// Datasets and variables in them that were compared.
    pub datasets: u64,
    /// Bytes that were compared.
    pub bytes: u64,
    /// What was not compared, as it differs between default runs, too.
    pub not_compared: Vec<String>,
}
