//! The message of a profile: where the time of a run went, and what stands out.
//!
//! An [`Overview`] has the numbers that screens and pages show. Seconds are means over the ranks that
//! were in the region or in one around it, so that those of children add up to their parent.

mod change;
mod select;
mod stands_out;
mod steps;
#[cfg(test)]
mod tests;
mod verdict;
pub mod view;

use std::collections::BTreeSet;

use ioglass_profile::{Kind, Layer, Notice, NoticeCode, Profile, RankKind, Region, Set, Summary};

pub use change::{Change, Changed, Changes, Judgement, compare};
pub use select::{Sort, find, joined, select, unit};
pub use stands_out::{OutKind, StandsOut};
pub use steps::Steps;

/// Regions whose imbalance is below this are called even.
pub const UNEVEN: f64 = 0.1;
/// A region below this share of the run gets no line.
pub const WORTH: f64 = 0.01;

/// The numbers of a profile that people look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// Seconds of the run.
    pub seconds: f64,
    /// Ranks of the job.
    pub ranks: u32,
    /// One sentence.
    pub verdict: String,
    /// The run by what it was spent on.
    pub budget: Budget,
    /// The regions, in the order of the profile.
    pub regions: Vec<Line>,
    /// The iterations of regions of that kind, by time.
    pub steps: Vec<Steps>,
    /// Things worth looking at, the largest first, at most three.
    pub stands_out: Vec<StandsOut>,
    /// Mistakes in annotations, also those that only the whole shows.
    pub notices: Vec<Notice>,
    /// The cost of measuring, as a share of the run.
    pub overhead: f64,
}

/// Seconds of a run by what they were spent on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// In file calls.
    pub files: f64,
    /// In named regions, but for files.
    pub computing: f64,
    /// In regions of communication; `None` if no region is tagged so.
    pub waiting: Option<f64>,
    /// Between the named regions.
    pub between: f64,
}

/// A region on a screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Levels above it.
    pub depth: usize,
    /// Seconds in it.
    pub seconds: f64,
    /// Seconds in it, but for its children.
    pub itself: f64,
    /// Its own seconds in file calls.
    pub io: f64,
    /// Its own bytes read and written.
    pub moved: (u64, u64),
    /// The time of the slowest rank above the mean, as a share of the mean.
    pub uneven: Option<f64>,
    /// Iterations on a rank, if it keeps them.
    pub iterations: Option<u64>,
    /// Ranks that were there, if not all were.
    pub on_ranks: Option<u32>,
    /// Ranks over which seconds are a mean: those that were there or in a region around it.
    pub ranks: u32,
    /// True if its time is that of communication or waiting.
    pub waits: bool,
    /// True if it has children.
    pub is_inner: bool,
}

impl Overview {
    /// The overview of a profile.
    pub fn of(set: &Set) -> Self {
        let profile = set.profile();
        let ranks = match set.selected_rank() {
            Some(_) => 1,
            None => annotated_ranks(profile),
        };
        let all = match profile.head.rank_kind {
            RankKind::Process => ranks,
            RankKind::Launcher | RankKind::Mpi => profile.head.ranks,
        };
        let mut regions: Vec<Line> = Vec::new();
        for (region, summary) in profile.regions.iter().zip(set.summaries()) {
            let above = region.parent.map_or(1, |parent| regions[parent as usize].ranks);
            regions.push(line(region, summary, summary.ranks.count.max(above), all));
        }
        let mut overview = Self {
            seconds: 0.0,
            ranks,
            verdict: String::new(),
            budget: Budget::default(),
            regions,
            steps: Vec::new(),
            stands_out: Vec::new(),
            notices: notices(set),
            overhead: 0.0,
        };
        overview.finish_lines(set);
        let outermost: f64 =
            overview.regions.iter().filter(|line| line.depth == 0).map(|line| line.seconds).sum();
        overview.seconds = match profile.head.duration_ns {
            0 => outermost,
            duration => duration as f64 / 1e9,
        };
        overview.budget = overview.budget_of(set);
        overview.steps = steps::all(set);
        overview.stands_out = stands_out::find(set, &overview);
        overview.verdict = verdict::sentence(set, &overview);
        let cost = profile.overhead.annotation_ns as f64 / f64::from(annotated_ranks(profile))
            + profile.overhead.flush_ns as f64;
        overview.overhead =
            if overview.seconds > 0.0 { cost / 1e9 / overview.seconds } else { 0.0 };
        overview
    }

    /// Fills in what follows from the tree.
    fn finish_lines(&mut self, set: &Set) {
        for (number, region) in set.profile().regions.iter().enumerate() {
            if let Some(parent) = region.parent {
                self.regions[number].depth = self.regions[parent as usize].depth + 1;
                self.regions[parent as usize].is_inner = true;
            }
        }
    }

    fn budget_of(&self, set: &Set) -> Budget {
        let has_tags = self.regions.iter().any(|line| line.waits);
        let outside = ioglass_profile::summary::Figures {
            io: set.profile().outside.clone(),
            ..Default::default()
        };
        let outside = match set.selected_rank() {
            Some(_) => 0.0,
            None => outside.io_ns() as f64 / 1e9 / f64::from(self.ranks),
        };
        let mut budget = Budget { files: outside, ..Budget::default() };
        let mut waiting = 0.0;
        for line in &self.regions {
            budget.files += line.io;
            let rest = (line.itself - line.io).max(0.0);
            match (line.waits, line.is_inner) {
                (true, _) => waiting += rest,
                (false, true) => {}
                (false, false) => budget.computing += rest,
            }
        }
        budget.waiting = has_tags.then_some(waiting);
        budget.between = (self.seconds - budget.files - budget.computing - waiting).max(0.0);
        if !has_tags {
            budget.computing += budget.between;
            budget.between = 0.0;
        }
        budget
    }
}

/// Ranks with regions, at least one. Others have no part in figures: absent is not zero.
fn annotated_ranks(profile: &Profile) -> u32 {
    let ranks: BTreeSet<u32> = profile.processes.iter().map(|process| process.rank).collect();
    (ranks.len() as u32).max(1)
}

/// The line of a region. Its figures are means over `ranks` ranks; the job had `all`.
fn line(region: &Region, summary: &Summary, ranks: u32, all: u32) -> Line {
    let seconds = |ns: u64| ns as f64 / 1e9 / f64::from(ranks);
    let there = summary.ranks.count;
    let iterations = summary.series.as_ref().map(|series| series.iterations);
    Line {
        depth: 0,
        seconds: seconds(summary.total.time_ns),
        itself: seconds(summary.total.exclusive_ns),
        io: seconds(summary.total.io_ns()),
        moved: summary.total.moved(),
        uneven: summary.ranks.imbalance().filter(|_| there > 1),
        iterations: iterations.filter(|_| region.kind == Kind::Iteration),
        ranks,
        on_ranks: (there > 0 && there < all).then_some(there),
        waits: tag(region, b"kind").or_else(|| tag(region, b"tag")).is_some_and(|kind| {
            matches!(kind, b"communication" | b"comm" | b"mpi" | b"waiting" | b"wait")
        }),
        is_inner: false,
    }
}

/// The text of a region for a key.
pub fn tag<'r>(region: &'r Region, key: &[u8]) -> Option<&'r [u8]> {
    region.tags.iter().find(|tag| tag.key == key).map(|tag| &tag.text[..])
}

/// The name of a region, as text.
pub fn name(region: &Region) -> String {
    String::from_utf8_lossy(&region.name).into_owned()
}

/// The regions from the outermost to this one.
pub fn path(regions: &[Region], region: u32) -> Vec<u32> {
    let mut path = vec![region];
    let mut at = region;
    while let Some(parent) = regions.get(at as usize).and_then(|region| region.parent) {
        path.push(parent);
        at = parent;
    }
    path.reverse();
    path
}

/// Returns true if one region is the other, or above it.
pub(crate) fn is_above(regions: &[Region], above: u32, below: u32) -> bool {
    let mut at = Some(below);
    while let Some(region) = at {
        if region == above {
            return true;
        }
        at = regions.get(region as usize).and_then(|region| region.parent);
    }
    false
}

/// All notices: also tags that differ between processes, and hints that are wrong.
fn notices(set: &Set) -> Vec<Notice> {
    let profile = set.profile();
    let mut notices = profile.notices.clone();
    let mut add = |code, name: &[u8], region: u32, count: u64| {
        let own = |notice: &&mut Notice| {
            (notice.code, &notice.name[..], notice.region) == (code, name, Some(region))
        };
        match notices.iter_mut().find(own) {
            Some(notice) => notice.count = notice.count.saturating_add(count),
            None if count > 0 => {
                notices.push(Notice { code, name: name.to_vec(), region: Some(region), count });
            }
            None => {}
        }
    };
    for ((region, summary), number) in profile.regions.iter().zip(set.summaries()).zip(0..) {
        for tags in region.tags.chunk_by(|one, other| one.key == other.key) {
            let others = tags.iter().skip(1).map(|tag| u64::from(tag.processes)).sum();
            add(NoticeCode::TagChanged, &tags[0].key, number, others);
        }
        let absent = profile.head.ranks.saturating_sub(summary.ranks.count);
        if tag(region, b"ranks") == Some(b"all") && absent > 0 && set.selected_rank().is_none() {
            add(NoticeCode::HintWrong, b"ranks", number, 1);
        }
    }
    notices.sort();
    notices
}

/// The layers of I/O whose bytes are counted as moved.
pub const MOVED: [Layer; 2] = [Layer::Posix, Layer::Stdio];
