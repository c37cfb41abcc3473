//! A tree of many ranks without MPI: every rank's part is made of a generated capture, and parts travel and
//! become one as they would between ranks.
//!
//! Ranks work one after the other here. What they would need side by side follows from the longest way to
//! the root: at each level the slowest.

use std::time::Duration;

use anyhow::Context as _;
use ioglass_harvest::team::{Agreement, LogPart, Member};
use ioglass_harvest::{Fate, Run, Source};
use nix::time::{ClockId, clock_gettime};

use crate::capture;
use crate::launch::{WORKLOADS, Workload};
use crate::measured::Row;
use crate::model;

/// As the library has it unless another number is asked for.
const RANKS_PER_HOLDER: u32 = 256;
/// Ranks of the paper, from the fewest.
const RANKS: [u32; 5] = [32, 256, 2_400, 4_800, 12_000];

/// What a tree took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outcome {
    /// Seconds of the longest way, in making a rank's agreement and part.
    pub(crate) own: f64,
    /// In the messages of all levels: encoded, decoded, merged.
    pub(crate) levels: f64,
    /// In the root alone: the log.
    pub(crate) root: f64,
    /// Bytes of the log.
    pub(crate) bytes: u64,
    /// Bytes that the root received.
    pub(crate) received: u64,
}

impl Outcome {
    pub(crate) fn seconds(&self) -> f64 {
        self.own + self.levels + self.root
    }
}

/// What a rank and those below have, and when it is there.
struct Below {
    part: LogPart,
    seconds: f64,
    received: u64,
}

struct Tree {
    workload: Workload,
    ranks: u32,
    agreed: Agreement,
    apart: u32,
    /// The longest that a rank took for its own part.
    own: f64,
    held: u64,
}

/// What the ranks know of the job.
fn run() -> Run<'static> {
    Run { command: b"./application", ..Run::default() }
}

/// A rank of the tree, for as long as it is looked at, and the seconds that a first look took.
fn with_member<T>(
    workload: Workload,
    rank: u32,
    ranks: u32,
    work: impl FnOnce(&mut Member<'_>, f64) -> Option<T>,
) -> anyhow::Result<T> {
    let bytes = capture::of_rank(workload, rank, ranks);
    let sources = [Source { bytes: &bytes, fate: Fate::Gone }];
    let (member, opening) = timed(|| Member::open(&sources, run(), rank.into(), ranks.into()));
    work(&mut member.context("no member")?, opening).context("nothing of a rank")
}

/// What it takes, of the processor: the longest of 12,000 would otherwise be what else the machine does.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let now = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Into::into);
    let begin: Duration = now();
    let done = work();
    (done, now().saturating_sub(begin).as_secs_f64())
}

impl Tree {
    /// The part of a rank and the `span` − 1 behind it.
    fn gather(&mut self, rank: u32, span: u32) -> anyhow::Result<Below> {
        let (mut part, own) = with_member(self.workload, rank, self.ranks, |member, _| {
            let (part, seconds) = timed(|| member.part(&self.agreed));
            Some((part?, seconds))
        })?;
        self.own = self.own.max(own);
        let (mut seconds, mut received, mut holds) =
            (0.0_f64, 0, rank > 0 && rank.is_multiple_of(self.apart));
        let mut step = 1;
        while step < span && rank + step < self.ranks {
            if step >= self.apart && std::mem::take(&mut holds) {
                seconds += self.hold(&mut part, rank);
            }
            let below = self.gather(rank + step, step)?;
            // As it travels.
            let (message, encoding) = timed(|| below.part.to_message());
            let (appended, appending) = timed(|| part.append_message(&message));
            appended.context("no message")?;
            // Who is below has worked at the same time.
            seconds = seconds.max(below.seconds) + encoding + appending;
            received += message.len() as u64;
            step *= 2;
        }
        if holds {
            seconds += self.hold(&mut part, rank);
        }
        Ok(Below { part, seconds, received })
    }

    fn hold(&mut self, part: &mut LogPart, rank: u32) -> f64 {
        let (held, seconds) = timed(|| part.hold(rank));
        self.held += held.iter().map(|bytes| bytes.len() as u64).sum::<u64>();
        seconds
    }
}

/// What all ranks agree on, and the seconds of the longest way to it.
fn agree(workload: Workload, ranks: u32) -> anyhow::Result<(Agreement, f64)> {
    let of = |rank| {
        with_member(workload, rank, ranks, |member, opening| {
            let (agreement, seconds) = timed(|| member.agreement());
            Some((agreement?, opening + seconds))
        })
    };
    let (mut agreed, mut own) = of(0)?;
    let mut level = 0.0_f64;
    for rank in 1..ranks {
        let (other, seconds) = of(rank)?;
        let message = other.encode();
        let (merged, merging) =
            timed(|| Agreement::decode(&message).map(|other| agreed.merge(&other)));
        merged.context("no message")?;
        (own, level) = (own.max(seconds), level.max(merging));
    }
    let levels = f64::from(u32::BITS - (ranks - 1).leading_zeros());
    Ok((agreed, own + levels * level))
}

fn simulate(workload: Workload, ranks: u32) -> anyhow::Result<Outcome> {
    let (agreed, agreeing) = agree(workload, ranks)?;
    let apart = ranks.div_ceil(ranks.div_ceil(RANKS_PER_HOLDER)).next_power_of_two();
    let mut tree = Tree { workload, ranks, agreed, apart, own: 0.0, held: 0 };
    let below = tree.gather(0, u32::MAX)?;
    let mut log = Vec::new();
    let root = with_member(workload, 0, ranks, |member, _| {
        member.part(&tree.agreed)?;
        let (written, seconds) =
            timed(|| member.write(&run(), &tree.agreed, &below.part, &mut log));
        // What is held elsewhere was left as a gap.
        written.ok().map(|_| seconds)
    })?;
    Ok(Outcome {
        own: agreeing + tree.own,
        levels: below.seconds,
        root,
        bytes: log.len() as u64,
        received: below.received,
    })
}

/// Prints the tree by workload and ranks as it comes, and gives back the model beside the paper.
pub(crate) fn section(measured: &[Row]) -> anyhow::Result<String> {
    println!(
        "{:<17} {:>6} {:>9} {:>10}    root ms     all ms     log bytes  bytes to root",
        "a tree without MPI", "ranks", "own ms", "levels ms"
    );
    let mut points = Vec::new();
    for workload in WORKLOADS {
        for ranks in RANKS {
            let outcome = simulate(workload, ranks)?;
            let [own, levels, root, all] =
                [outcome.own, outcome.levels, outcome.root, outcome.seconds()].map(|s| s * 1e3);
            println!(
                "{workload:<17} {ranks:>6} {own:>9.2} {levels:>10.2} {root:>10.2} {all:>10.2} {:>13} {:>14}",
                outcome.bytes, outcome.received
            );
            points.push((workload, ranks, outcome));
        }
    }
    model::section(measured, &points)
}
