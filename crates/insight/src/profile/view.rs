//! What a page shows of a profile beside its overview: regions rank by rank, and iterations.
//!
//! Everything here is bounded, whatever a profile holds. What is left out is counted.

mod ranks;
mod steps;

use std::collections::{BinaryHeap, HashSet};

use ioglass_profile::summary::Figures;
use ioglass_profile::{Process, Set};

use super::{Line, Overview};
pub use ranks::{ByRank, Columns};
pub use steps::{Slowest, StepMetric, StepView};

/// Regions that a page shows.
pub const MOST_REGIONS: usize = 1_000;
/// Regions that are told with the bytes that they moved.
const MOVERS: usize = 4;

/// What a page shows of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The regions, parents before children.
    pub regions: Vec<Shown>,
    /// Regions that took so little that they are left out.
    pub left_out: usize,
    /// The columns of figures by rank.
    pub columns: Columns,
    /// The iterations of regions of that kind, by time.
    pub steps: Vec<StepView>,
    /// Regions of that kind that are left out.
    pub steps_left_out: usize,
    /// The regions that moved most bytes.
    pub movers: Vec<Mover>,
    /// Nodes of the job.
    pub hosts: usize,
    /// Seconds per rank in file calls, in no region.
    pub outside: f64,
}

/// A region on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The region.
    pub region: u32,
    /// The one above it, as a position in [`View::regions`].
    pub parent: Option<usize>,
    /// What its time is spent on.
    pub work: Work,
    /// Seconds per rank in file calls, children included.
    pub files: f64,
    /// Bytes per second in file calls of its own, of all ranks together.
    pub rate: Option<f64>,
    /// Its figures by rank.
    pub by_rank: ByRank,
}

/// What the time of a region is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// It has regions below it.
    Inner,
    /// File calls, for the most part.
    Files,
    /// Communication and waiting.
    Waiting,
    /// Anything else.
    Computing,
}

impl Work {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Inner => "inner",
            Self::Files => "files",
            Self::Waiting => "waiting",
            Self::Computing => "computing",
        }
    }

    fn of(line: &Line) -> Self {
        match line {
            Line { is_inner: true, .. } => Self::Inner,
            Line { io, seconds, .. } if *io > 0.0 && 2.0 * io >= *seconds => Self::Files,
            Line { waits: true, .. } => Self::Waiting,
            _ => Self::Computing,
        }
    }
}

/// Bytes that a region moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mover {
    /// The region; none is outside all of them.
    pub region: Option<u32>,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

impl View {
    /// What a page shows of these regions, which are in the order of the tree.
    pub fn of(set: &Set, overview: &Overview, regions: &[u32]) -> Self {
        let kept = largest(set, regions);
        let shown: Vec<u32> =
            regions.iter().copied().filter(|region| kept.contains(region)).collect();
        let columns = Columns::of(set, shown.len());
        let mut tables = ranks::tables(set, regions, &kept, &columns);
        let mut list: Vec<Shown> = Vec::with_capacity(shown.len());
        let mut positions = vec![None; set.profile().regions.len()];
        for number in shown {
            let line = &overview.regions[number as usize];
            let parent = set.profile().regions[number as usize].parent;
            let (by_rank, files_ns) = tables.remove(&number).unwrap_or_default();
            let (read, written) = line.moved;
            let summary = &set.summaries()[number as usize];
            // Ranks move bytes at the same time.
            let time = summary.total.io_ns() as f64 / 1e9 / f64::from(summary.ranks.count.max(1));
            let moved = read.saturating_add(written) as f64;
            positions[number as usize] = Some(list.len());
            list.push(Shown {
                region: number,
                parent: parent.and_then(|parent| positions[parent as usize]),
                work: Work::of(line),
                files: files_ns as f64 / 1e9 / f64::from(line.ranks),
                rate: (moved > 0.0 && time > 0.0).then(|| moved / time),
                by_rank,
            });
        }
        let (steps, steps_left_out) = steps::of(set, overview, &kept);
        let outside = Figures { io: set.profile().outside.clone(), ..Figures::default() };
        Self {
            left_out: regions.len() - list.len(),
            regions: list,
            columns,
            steps,
            steps_left_out,
            movers: movers(overview, regions, &outside),
            hosts: hosts(&set.profile().processes),
            outside: match set.selected_rank() {
                Some(_) => 0.0,
                None => outside.io_ns() as f64 / 1e9 / f64::from(overview.ranks.max(1)),
            },
        }
    }
}

/// The regions that took most, with those above them.
fn largest(set: &Set, regions: &[u32]) -> HashSet<u32> {
    if regions.len() <= MOST_REGIONS {
        return regions.iter().copied().collect();
    }
    let wanted: HashSet<u32> = regions.iter().copied().collect();
    let by_time = regions.iter().zip(0..).map(|(region, at): (_, i64)| {
        // Of equal ones the first.
        (set.summaries()[*region as usize].total.time_ns, -at, *region)
    });
    let mut by_time: BinaryHeap<_> = by_time.collect();
    let mut kept = HashSet::new();
    while let Some((.., region)) = by_time.pop() {
        let mut path = Vec::new();
        let mut at = Some(region);
        while let Some(one) = at.filter(|one| wanted.contains(one) && !kept.contains(one)) {
            path.push(one);
            at = set.profile().regions[one as usize].parent;
        }
        if kept.len() + path.len() <= MOST_REGIONS {
            kept.extend(path);
        }
        if kept.len() == MOST_REGIONS {
            break;
        }
    }
    kept
}

fn movers(overview: &Overview, regions: &[u32], outside: &Figures) -> Vec<Mover> {
    let bytes = |mover: &Mover| mover.read.saturating_add(mover.written);
    let mut movers: Vec<Mover> = regions
        .iter()
        .map(|region| {
            let (read, written) = overview.regions[*region as usize].moved;
            Mover { region: Some(*region), read, written }
        })
        .filter(|mover| bytes(mover) > 0)
        .collect();
    movers.sort_by_key(|mover| std::cmp::Reverse(bytes(mover)));
    movers.truncate(MOVERS);
    let (read, written) = outside.moved();
    movers.extend((read > 0 || written > 0).then_some(Mover { region: None, read, written }));
    movers
}

fn hosts(processes: &[Process]) -> usize {
    processes.iter().map(|process| &process.host).collect::<HashSet<_>>().len()
}
