//! The difference between two profiles, for programs.

use ioglass_insight::profile::{Change, Changes};
use ioglass_profile::Set;
use serde::Serialize;

/// The difference between two profiles: `ioglass.profile-compare/1`.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// Name and version of this format.
    schema: &'static str,
    /// The earlier run.
    before: Run,
    /// The later run.
    after: Run,
    /// `faster`, `slower`, `same` or `not-comparable`.
    verdict: &'static str,
    /// The verdict in one sentence.
    sentence: String,
    /// Why the runs are not of the same kind.
    differences: Vec<String>,
    /// The share by which a run may change without meaning anything.
    tolerance: f64,
    /// The regions, the largest change first.
    regions: Vec<RegionChange>,
    /// The limit of `--fail-on`, in per cent.
    fail_on: Option<f64>,
    /// Regions beyond it.
    failed: Vec<Vec<String>>,
}

/// A run.
#[derive(Debug, Clone, Serialize)]
struct Run {
    /// The files.
    files: Vec<String>,
    /// Seconds of the run.
    seconds: f64,
    /// Ranks of the job.
    ranks: u32,
}

/// A region in both profiles.
#[derive(Debug, Clone, Serialize)]
struct RegionChange {
    /// The names from the outermost region to it.
    path: Vec<String>,
    /// Its own seconds per rank before.
    before_seconds: Option<f64>,
    /// Its own seconds per rank after.
    after_seconds: Option<f64>,
    /// What the seconds before are multiplied by for the change, as runs made other numbers of iterations.
    before_scale: f64,
    /// Seconds that it takes more.
    change_seconds: f64,
    /// The same as a share of what it took before.
    change: Option<f64>,
    /// The share by which it may change without meaning anything.
    tolerance: f64,
    /// `faster`, `slower`, `same`, `new` or `gone`.
    verdict: &'static str,
}

impl Comparison {
    /// The document of a comparison.
    pub fn new(sets: [&Set; 2], changes: &Changes, fail_on: Option<f64>) -> Self {
        let run = |side: usize| Run {
            files: sets[side].paths().map(|path| path.to_string_lossy().into_owned()).collect(),
            seconds: changes.seconds[side],
            ranks: sets[side].profile().head.ranks,
        };
        let region = |change: &Change| RegionChange {
            path: change.path.clone(),
            before_seconds: change.before,
            after_seconds: change.after,
            before_scale: change.scale,
            change_seconds: change.seconds(),
            change: change.share(),
            tolerance: change.tolerance,
            verdict: change.judgement.word(),
        };
        let failed =
            fail_on.map(|limit| changes.slower_than(limit).map(|change| change.path.clone()));
        Self {
            schema: "ioglass.profile-compare/1",
            before: run(0),
            after: run(1),
            verdict: changes.changed.word(),
            sentence: changes.sentence.clone(),
            differences: changes.differences.clone(),
            tolerance: changes.tolerance,
            regions: changes.regions.iter().map(region).collect(),
            fail_on: fail_on.map(|limit| 100.0 * limit),
            failed: failed.into_iter().flatten().collect(),
        }
    }
}
