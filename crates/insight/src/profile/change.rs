//! Two profiles of a program: what became faster or slower, beyond what varies anyway.

use std::collections::BTreeMap;

use ioglass_profile::{Region, Set, Summary};

use super::stands_out::times_by_rank;
use super::{Overview, WORTH, name, path};
use crate::number::{digits, seconds};

/// A change that is smaller says nothing, if nothing is known about how much a region varies.
const USUAL: f64 = 0.05;
/// Iterations from which their spread is known.
const ENOUGH: usize = 8;
/// Ranks from which their spread is known.
const ENOUGH_RANKS: usize = 4;

/// The meaning of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// Less time, beyond the spread.
    Faster,
    /// More time, beyond the spread.
    Slower,
    /// Within the spread.
    Same,
    /// Only after.
    New,
    /// Only before.
    Gone,
}

impl Judgement {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::New => "new",
            Self::Gone => "gone",
        }
    }
}

/// A region in both profiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The names of its path.
    pub path: Vec<String>,
    /// Its own seconds per rank before.
    pub before: Option<f64>,
    /// Its own seconds per rank after.
    pub after: Option<f64>,
    /// What its seconds before are multiplied by, so that both runs made as many iterations; mostly 1.
    pub scale: f64,
    /// The share by which it may change without meaning anything.
    pub tolerance: f64,
    /// The meaning of the change.
    pub judgement: Judgement,
}

impl Change {
    /// Its own seconds per rank before, for as many iterations as there are after.
    pub fn expected(&self) -> Option<f64> {
        self.before.map(|before| before * self.scale)
    }

    /// Seconds that it takes more.
    pub fn seconds(&self) -> f64 {
        self.after.unwrap_or(0.0) - self.expected().unwrap_or(0.0)
    }

    /// The same as a share of what it took before.
    pub fn share(&self) -> Option<f64> {
        let before = self.expected().filter(|before| *before > 0.0)?;
        Some((self.after? - before) / before)
    }
}

/// The change of the run as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// It takes less time.
    Faster,
    /// It takes more time.
    Slower,
    /// Neither, beyond the spread.
    Same,
    /// The runs are not of the same kind.
    NotComparable,
}

impl Changed {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::NotComparable => "not-comparable",
        }
    }
}

/// The difference between two profiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// The run as a whole.
    pub changed: Changed,
    /// One sentence.
    pub sentence: String,
    /// The reason why the runs are not of the same kind.
    pub differences: Vec<String>,
    /// The region whose iterations differ in number, and their number after.
    pub scaled: Option<(String, u64)>,
    /// Seconds of the runs.
    pub seconds: [f64; 2],
    /// The share by which the run may change without meaning anything.
    pub tolerance: f64,
    /// The regions, the largest change first.
    pub regions: Vec<Change>,
    /// The overviews of both.
    pub overviews: [Overview; 2],
}

impl Changes {
    /// The region with the largest change of this kind, if the change matters to the run.
    pub fn first(&self, judgement: Judgement) -> Option<&Change> {
        first(&self.regions, judgement, self.seconds)
    }

    /// Regions that are slower by more than this share, beyond the spread, and matter to the run.
    pub fn slower_than(&self, limit: f64) -> impl Iterator<Item = &Change> {
        let least = least(self.seconds);
        self.regions.iter().filter(move |change| match change.judgement {
            Judgement::Slower => {
                change.after.unwrap_or(0.0) >= least
                    && change.share().is_none_or(|share| share > limit)
            }
            _ => false,
        })
    }
}

/// Seconds that matter to runs of so many.
fn least(seconds: [f64; 2]) -> f64 {
    seconds[0].max(seconds[1]) * WORTH
}

/// The largest change of this kind, if it matters to runs of so many seconds.
fn first(regions: &[Change], judgement: Judgement, seconds: [f64; 2]) -> Option<&Change> {
    let found = regions.iter().find(|change| change.judgement == judgement);
    found.filter(|change| change.seconds().abs() >= least(seconds))
}

/// Compares two profiles.
pub fn compare(before: &Set, after: &Set) -> Changes {
    let overviews = [Overview::of(before), Overview::of(after)];
    let differences = differences(before, after, &overviews);
    let scaling = Scaling::of(before, after, &overviews);
    let regions = regions(before, after, &overviews, scaling.as_ref());
    let seconds = [overviews[0].seconds, overviews[1].seconds];
    let steps = |overview: &Overview| overview.steps.first().map(|steps| steps.seconds.clone());
    let tolerance = match (steps(&overviews[0]), steps(&overviews[1])) {
        (Some(one), Some(other)) => iteration_spread(&one, &other).unwrap_or(USUAL),
        _ => USUAL,
    };
    let changed = match (differences.is_empty(), judge(seconds[0], seconds[1], tolerance)) {
        (false, _) => Changed::NotComparable,
        (true, Judgement::Faster) => Changed::Faster,
        (true, Judgement::Slower) => Changed::Slower,
        (true, _) => Changed::Same,
    };
    let sentence = sentence(changed, seconds, &regions, &overviews);
    let scaled = scaling.map(|scaling| (scaling.name, scaling.after));
    Changes { changed, sentence, differences, scaled, seconds, tolerance, regions, overviews }
}

fn judge(before: f64, after: f64, tolerance: f64) -> Judgement {
    match after - before {
        change if change.abs() <= tolerance * before.max(after) => Judgement::Same,
        change if change < 0.0 => Judgement::Faster,
        _ => Judgement::Slower,
    }
}

/// What makes seconds of two runs incomparable.
fn differences(before: &Set, after: &Set, overviews: &[Overview; 2]) -> Vec<String> {
    let mut found = Vec::new();
    let [one, other] = [before, after].map(|set| set.profile().head.ranks);
    if one != other {
        found.push(format!("ranks {one} → {other}"));
    }
    if let Some(Scaling { name, before, after, .. }) = Scaling::of(before, after, overviews) {
        found.push(format!("iterations of {name} {before} → {after}"));
    }
    found
}

/// Runs whose main iterations differ in number.
struct Scaling {
    /// The region of the iterations.
    name: String,
    path: Path,
    /// Their numbers.
    before: u64,
    after: u64,
}

impl Scaling {
    fn of(before: &Set, after: &Set, overviews: &[Overview; 2]) -> Option<Self> {
        let steps = |set: &Set, overview: &Overview| {
            let steps = overview.steps.first()?;
            let regions = &set.profile().regions;
            let mut path = vec![regions[steps.region as usize].name.clone()];
            let mut at = regions[steps.region as usize].parent;
            while let Some(parent) = at {
                path.push(regions[parent as usize].name.clone());
                at = regions[parent as usize].parent;
            }
            path.reverse();
            Some((name(&regions[steps.region as usize]), path, steps.count))
        };
        let one = steps(before, &overviews[0])?;
        let other = steps(after, &overviews[1])?;
        let is_other = one.1 == other.1 && one.2 != other.2 && one.2 > 0;
        is_other.then_some(Self { name: one.0, path: one.1, before: one.2, after: other.2 })
    }

    /// What seconds of a region before are multiplied by.
    fn of_region(&self, path: &Path) -> f64 {
        if path.starts_with(&self.path) { self.after as f64 / self.before as f64 } else { 1.0 }
    }
}

type Path = Vec<Vec<u8>>;

/// The regions by the names of their paths.
fn by_path(regions: &[Region]) -> BTreeMap<Path, u32> {
    let mut paths: Vec<Path> = Vec::with_capacity(regions.len());
    for region in regions {
        let mut path = match region.parent {
            Some(parent) => paths[parent as usize].clone(),
            None => Vec::new(),
        };
        path.push(region.name.clone());
        paths.push(path);
    }
    paths.into_iter().zip(0..).collect()
}

fn regions(
    before: &Set,
    after: &Set,
    overviews: &[Overview; 2],
    scaling: Option<&Scaling>,
) -> Vec<Change> {
    let one = by_path(&before.profile().regions);
    let other = by_path(&after.profile().regions);
    let mut changes = Vec::new();
    let least = |side: usize| overviews[side].seconds * WORTH;
    for path in one.keys().chain(other.keys().filter(|path| !one.contains_key(*path))) {
        let own = |side: usize, set: &BTreeMap<Path, u32>| {
            set.get(path).map(|region| (*region, overviews[side].regions[*region as usize].itself))
        };
        let (earlier, later) = (own(0, &one), own(1, &other));
        let scale = scaling.map_or(1.0, |scaling| scaling.of_region(path));
        let (tolerance, judgement) = match (earlier, later) {
            (Some(earlier), Some(later)) => {
                // How ranks differ is read only where it matters.
                let is_small = earlier.1 < least(0) && later.1 < least(1);
                let tolerance = tolerance(before, after, earlier.0, later.0, overviews, is_small);
                (tolerance, judge(earlier.1 * scale, later.1, tolerance))
            }
            (None, _) => (0.0, Judgement::New),
            (_, None) => (0.0, Judgement::Gone),
        };
        changes.push(Change {
            path: path.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect(),
            before: earlier.map(|(_, seconds)| seconds),
            after: later.map(|(_, seconds)| seconds),
            scale,
            tolerance,
            judgement,
        });
    }
    changes.sort_by(|one, other| {
        other
            .seconds()
            .abs()
            .total_cmp(&one.seconds().abs())
            .then_with(|| one.path.cmp(&other.path))
    });
    changes
}

/// The share by which a region may change: what its iterations vary, else those around it, but not less
/// than the usual; and not less than what ranks vary.
fn tolerance(
    before: &Set,
    after: &Set,
    earlier: u32,
    later: u32,
    overviews: &[Overview; 2],
    is_small: bool,
) -> f64 {
    let steps = |side: usize, region: u32| {
        let steps = overviews[side].steps.iter().find(|steps| steps.region == region);
        steps.map(|steps| &steps.seconds[..])
    };
    let spread = |earlier, later| iteration_spread(steps(0, earlier)?, steps(1, later)?);
    let around = || {
        // Both have the same path.
        let [one, other] = [(before, earlier), (after, later)]
            .map(|(set, region)| path(&set.profile().regions, region).into_iter().rev());
        one.zip(other).find_map(|(one, other)| spread(one, other)).map(|spread| spread.max(USUAL))
    };
    let may_be = !overviews[0].steps.is_empty() && !is_small;
    let own = spread(earlier, later).or_else(|| if may_be { around() } else { None });
    let own = own.unwrap_or(USUAL);
    let count = |set: &Set, region: u32| -> u32 {
        set.summaries().get(region as usize).map_or(0, |summary: &Summary| summary.ranks.count)
    };
    if is_small || (count(before, earlier) as usize) < ENOUGH_RANKS {
        return own;
    }
    own.max(
        rank_spread(&times_by_rank(before, earlier), &times_by_rank(after, later)).unwrap_or(0.0),
    )
}

/// Twice the standard error of what an iteration changed on average, as a share of what it took; at
/// least 1 %. Iterations with the same number do the same, so they are compared with each other.
fn iteration_spread(before: &[f64], after: &[f64]) -> Option<f64> {
    if before.len() < ENOUGH || after.len() < ENOUGH {
        return None;
    }
    let (mean, one) = error_of_mean(before);
    let error = if before.len() == after.len() {
        let changes: Vec<f64> = before.iter().zip(after).map(|(one, other)| other - one).collect();
        error_of_mean(&changes).1
    } else {
        let (_, other) = error_of_mean(after);
        (one * one + other * other).sqrt()
    };
    (mean > 0.0).then(|| (2.0 * error / mean).max(WORTH))
}

/// Twice the standard error of the change of each rank, as a share of what it took.
fn rank_spread(before: &[(u32, f64)], after: &[(u32, f64)]) -> Option<f64> {
    let later: BTreeMap<u32, f64> = after.iter().copied().collect();
    let changes: Vec<f64> = before
        .iter()
        .filter_map(|(rank, seconds)| later.get(rank).map(|later| later - seconds))
        .collect();
    if changes.len() < ENOUGH_RANKS {
        return None;
    }
    let mean = before.iter().map(|(_, seconds)| seconds).sum::<f64>() / before.len() as f64;
    let (_, error) = error_of_mean(&changes);
    (mean > 0.0).then(|| 2.0 * error / mean)
}

/// The mean of values and its standard error.
fn error_of_mean(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(2) as f64;
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

fn sentence(
    changed: Changed,
    [before, after]: [f64; 2],
    regions: &[Change],
    overviews: &[Overview; 2],
) -> String {
    let times = format!("{} → {}", digits(before), seconds(after));
    let begin = match changed {
        Changed::Faster => format!("Faster: {times}."),
        Changed::Slower => format!("Slower: {times}."),
        Changed::Same => format!("No change: {times}."),
        Changed::NotComparable => {
            let step = |overview: &Overview| {
                let steps = overview.steps.first()?;
                Some(overview.seconds / steps.count.max(1) as f64)
            };
            match (step(&overviews[0]), step(&overviews[1])) {
                (Some(one), Some(other)) => {
                    format!("Not comparable; {} → {} per iteration.", digits(one), seconds(other))
                }
                _ => format!("Not comparable: {times}."),
            }
        }
    };
    let last = |change: &Change| change.path.last().cloned().unwrap_or_default();
    let mut parts = Vec::new();
    let of = |judgement: Judgement| first(regions, judgement, [before, after]);
    if let Some(change) = of(Judgement::Faster) {
        parts.push(format!("{} saves {}", last(change), seconds(-change.seconds())));
    }
    if let Some(change) = of(Judgement::Slower) {
        parts.push(format!("{} costs {} more", last(change), seconds(change.seconds())));
    }
    match parts.is_empty() {
        true => begin,
        false => format!("{begin} {}.", parts.join(", ")),
    }
}
