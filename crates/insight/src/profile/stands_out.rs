//! What is worth looking at: files, uneven ranks, slow iterations.

use ioglass_profile::{Region, Set};

use super::{Overview, UNEVEN, is_above, name};
use crate::number::{bytes, counted, of, percent, ratio, seconds};

/// What is below this share of the run does not stand out.
const LEAST: f64 = 0.05;
/// Things that are shown.
const MOST: usize = 3;
/// An iteration stands out if it takes so many times as long as nearly all others.
const FAR: f64 = 1.5;

/// The kind of a thing that stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutKind {
    /// A region spends its time in file calls.
    FileTime,
    /// The slowest rank of a region is far from the mean.
    UnevenRanks,
    /// An iteration takes far longer than the others.
    SlowIteration,
}

impl OutKind {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::FileTime => "file-time",
            Self::UnevenRanks => "uneven-ranks",
            Self::SlowIteration => "slow-iteration",
        }
    }
}

/// A thing that stands out.
#[derive(Debug, Clone, PartialEq)]
pub struct StandsOut {
    /// Its kind.
    pub kind: OutKind,
    /// The region.
    pub region: u32,
    /// The rank, if it is about one.
    pub rank: Option<u32>,
    /// Seconds of the run that it takes, or costs at most.
    pub seconds: f64,
    /// What happens.
    pub sentence: String,
    /// The numbers behind it.
    pub evidence: String,
    /// Seconds by rank, if they tell something.
    pub by_rank: Vec<(u32, f64)>,
}

/// The largest things, never two for the same second.
pub(super) fn find(set: &Set, overview: &Overview) -> Vec<StandsOut> {
    let least = overview.seconds * LEAST;
    let regions = &set.profile().regions;
    let mut found: Vec<(f64, OutKind, u32)> = Vec::new();
    for (line, number) in overview.regions.iter().zip(0..) {
        if line.io >= least && line.io > 0.0 {
            found.push((line.io, OutKind::FileTime, number));
        }
        if let Some(cost) = uneven_cost(set, overview, number).filter(|cost| *cost >= least) {
            found.push((cost, OutKind::UnevenRanks, number));
        }
    }
    for steps in &overview.steps {
        let usual = usual(&steps.seconds);
        let cost = steps.slowest.1 - usual;
        if steps.slowest.1 > FAR * usual && cost >= least && steps.count > 3 {
            found.push((cost, OutKind::SlowIteration, steps.region));
        }
    }
    found.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2)))
    });
    let mut chosen: Vec<(f64, OutKind, u32)> = Vec::new();
    for at in 0..found.len() {
        let out = innermost(regions, overview, &found, found[at]);
        let is_same = |other: &(f64, OutKind, u32)| is_same_second(regions, *other, out);
        if chosen.len() < MOST && !chosen.iter().any(is_same) {
            chosen.push(out);
        }
    }
    chosen.sort_by(|one, other| other.0.total_cmp(&one.0));
    chosen
        .into_iter()
        .map(|(cost, kind, region)| describe(set, overview, kind, region, cost))
        .collect()
}

/// Of a region and one below it with nearly the same cost the inner one says more.
fn innermost(
    regions: &[Region],
    overview: &Overview,
    found: &[(f64, OutKind, u32)],
    out: (f64, OutKind, u32),
) -> (f64, OutKind, u32) {
    let near = found.iter().filter(|other| {
        other.1 == out.1 && other.0 >= 0.9 * out.0 && is_above(regions, out.2, other.2)
    });
    near.copied().max_by_key(|other| overview.regions[other.2 as usize].depth).unwrap_or(out)
}

fn is_same_second(
    regions: &[Region],
    one: (f64, OutKind, u32),
    other: (f64, OutKind, u32),
) -> bool {
    let related = is_above(regions, one.2, other.2) || is_above(regions, other.2, one.2);
    related && !(one.1 == OutKind::FileTime && other.1 == OutKind::FileTime && one.2 != other.2)
}

/// Seconds that a region could save at most if its work were shared evenly. One that waits does not
/// work.
pub(super) fn uneven_cost(set: &Set, overview: &Overview, region: u32) -> Option<f64> {
    let line = overview.regions.get(region as usize)?;
    let ranks = set.summaries().get(region as usize)?.ranks;
    if line.waits || line.uneven? < UNEVEN {
        return None;
    }
    Some((ranks.max_ns as f64 - ranks.mean_ns()) / 1e9)
}

/// What nearly all iterations take at most.
fn usual(list: &[f64]) -> f64 {
    let mut sorted = list.to_vec();
    sorted.sort_by(f64::total_cmp);
    // All but one in twenty, and at least all but the slowest.
    let at = (sorted.len() * 19 / 20).min(sorted.len().saturating_sub(2));
    sorted.get(at).copied().unwrap_or(0.0)
}

fn describe(set: &Set, overview: &Overview, kind: OutKind, number: u32, cost: f64) -> StandsOut {
    let region = &set.profile().regions[number as usize];
    let called = name(region);
    let mut out = StandsOut {
        kind,
        region: number,
        rank: None,
        seconds: cost,
        sentence: String::new(),
        evidence: String::new(),
        by_rank: Vec::new(),
    };
    match kind {
        OutKind::FileTime => files(set, overview, &called, &mut out),
        OutKind::UnevenRanks => uneven(set, &called, &mut out),
        OutKind::SlowIteration => slow(set, overview, &called, &mut out),
    }
    out
}

fn files(set: &Set, overview: &Overview, called: &str, out: &mut StandsOut) {
    let line = &overview.regions[out.region as usize];
    let summary = &set.summaries()[out.region as usize];
    let ranks = u64::from(summary.ranks.count.max(1));
    let visits = summary.total.calls.div_ceil(ranks);
    let visits = counted(visits, "visit", "visits");
    // Then all of it is about files.
    if line.io >= 0.8 * line.itself {
        out.seconds = line.itself;
    }
    out.sentence = format!("{called} takes {} in {visits}.", seconds(line.seconds));
    let (read, written) = line.moved;
    let mut moved = Vec::new();
    if written > 0 {
        moved.push(format!("{} written", bytes(written)));
    }
    if read > 0 {
        moved.push(format!("{} read", bytes(read)));
    }
    let moved = if moved.is_empty() { "no data moved".into() } else { moved.join(" and ") };
    out.evidence = format!("{} in file calls, {moved}.", of(line.io, line.seconds));
    if let Some(steps) = overview.steps.iter().find(|steps| steps.region == out.region) {
        let (iteration, slowest) = steps.slowest;
        let median = seconds(steps.median);
        let slowest = seconds(slowest);
        out.evidence +=
            &format!(" The median visit took {median}, visit {iteration} took {slowest}.");
    }
}

fn uneven(set: &Set, called: &str, out: &mut StandsOut) {
    let summary = &set.summaries()[out.region as usize];
    let by_rank = times_by_rank(set, out.region);
    let (max, mean) = (summary.ranks.max_ns as f64 / 1e9, summary.ranks.mean_ns() / 1e9);
    let limit = (max + mean) / 2.0;
    let (slow, others): (Vec<_>, Vec<_>) = by_rank.iter().partition(|(_, time)| *time > limit);
    let average = |list: &[&(u32, f64)]| {
        list.iter().map(|(_, time)| time).sum::<f64>() / list.len().max(1) as f64
    };
    let (slow_time, other_time) = (average(&slow), average(&others));
    let who = spoken(&slow.iter().map(|(rank, _)| *rank).collect::<Vec<_>>());
    let verb = if slow.len() == 1 { "takes" } else { "take" };
    let factor = match other_time > 0.0 {
        true => format!("{} as long as the others", ratio(slow_time / other_time)),
        false => "all the time".into(),
    };
    out.sentence = format!("{who} {verb} {factor} in {called}.");
    let each = if slow.len() == 1 { "" } else { " each" };
    out.evidence = format!(
        "{}{each}, the others {}; the slowest is {} above the mean.",
        seconds(slow_time),
        seconds(other_time),
        percent(summary.ranks.imbalance().unwrap_or(0.0)),
    );
    out.rank = (slow.len() == 1).then_some(summary.ranks.slowest);
    out.by_rank = by_rank;
}

fn slow(set: &Set, overview: &Overview, called: &str, out: &mut StandsOut) {
    let Some(steps) = overview.steps.iter().find(|steps| steps.region == out.region) else {
        return;
    };
    let (iteration, time) = steps.slowest;
    let (time, median) = (seconds(time), seconds(steps.median));
    out.sentence = format!("Iteration {iteration} of {called} takes {time}, the median {median}.");
    let first = set.summaries()[out.region as usize].slowest.first();
    if let Some(slow) = first.filter(|slow| slow.iteration == iteration) {
        out.evidence = format!(
            "The slowest visit of all is that of rank {}, {}.",
            slow.rank,
            seconds(slow.time_ns as f64 / 1e9)
        );
        // If it took as long on all ranks, it is about none of them.
        let alone = slow.time_ns as f64 / 1e9 > 2.0 * steps.slowest.1;
        out.rank = alone.then_some(slow.rank);
    }
}

/// Seconds of each rank that has visits of a region.
pub(super) fn times_by_rank(set: &Set, region: u32) -> Vec<(u32, f64)> {
    let processes = &set.profile().processes;
    let mut times: Vec<(u32, f64)> = Vec::new();
    for row in set.rows(region, false).iter().filter(|row| row.calls > 0) {
        let Some(process) = processes.get(row.process as usize) else { continue };
        let time = row.time_ns as f64 / 1e9;
        match times.last_mut().filter(|(rank, _)| *rank == process.rank) {
            Some((_, sum)) => *sum += time,
            None => times.push((process.rank, time)),
        }
    }
    times
}

/// Ranks in words: `Rank 3`, `Ranks 24 to 39`, `Ranks 1, 5, 9 and 4 more`.
fn spoken(ranks: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match ranges.last_mut().filter(|(_, last)| last.checked_add(1) == Some(*rank)) {
            Some((_, last)) => *last = *rank,
            None => ranges.push((*rank, *rank)),
        }
    }
    let one = |(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first} to {last}"),
    };
    let shown: Vec<String> = ranges.iter().take(3).map(one).collect();
    let rest: u32 = ranges.iter().skip(3).map(|(first, last)| last - first + 1).sum();
    let word = if ranks.len() == 1 { "Rank" } else { "Ranks" };
    match rest {
        0 => format!("{word} {}", shown.join(", ")),
        rest => format!("{word} {} and {rest} more", shown.join(", ")),
    }
}
