//! C05: collective calls in which every rank writes for itself.

use super::traced::{self, FileTrace};
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Confidence, Dimension, FileShare, Level, Moment, Need, Plot, Quantity};
use crate::model::{Direction, File, HeatLayer, RankUse, Usage};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "C05",
    slug: "no-collective-buffering",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "Calls are collective, but every rank goes to the storage with its own small pieces.",
    condition: "At least no_buffering_ranks ranks use collective calls on a file. More than \
                no_buffering_share of the ranks that use MPI-IO on it also make POSIX calls in \
                that direction, of less than small_bytes on average. The trace tells the ranks, \
                or else the heat maps; there are no more of them than the variance of the ranks' \
                bytes in the file's records allows. Without either, there are more than \
                small_requests_absolute POSIX calls with at least small_data_bytes for each \
                rank, and their number and size equal those of the MPI-IO calls to within \
                no_buffering_alike.",
    why: "Collective calls pay off because a few ranks gather large contiguous pieces. If each \
          rank writes its own, many small requests meet in the same blocks.",
    fix: "Turn collective buffering on. Begin with one aggregator on each node.",
    see: "https://ftp.mcs.anl.gov/pub/romio/users-guide/node6.html",
    applies_to: &[Feature::Ranks, Feature::MpiIo, Feature::CollectiveCalls],
    plots: &[Plot::Time, Plot::Space],
    moment: Moment::FileUse,
    check,
};

/// The ranks that use a file in one direction, and their calls.
#[derive(Debug, Clone, Copy)]
struct RankCalls {
    asking: u64,
    /// Ranks that make POSIX calls; none if that is not known.
    moving: Option<u64>,
    mean: f64,
    /// True if each call of a rank becomes one POSIX call of the same size.
    is_one_to_one: bool,
    hosts: u64,
    seconds: f64,
}

fn check(cx: &Context<'_>) -> Check {
    if !traced::is_collective(cx) {
        return Check::Senseless;
    }
    let (uses, confidence): (Vec<_>, _) = match traced::files(cx) {
        Ok((_, files)) => {
            (files.iter().flat_map(|file| measured(cx, file)).collect(), Confidence::Measured)
        }
        Err(_) => (cx.run.data().flat_map(|file| derived(cx, file)).collect(), Confidence::Derived),
    };
    judge(cx, &uses, confidence)
}

fn measured<'a>(
    cx: &Context<'_>,
    traced: &FileTrace<'a>,
) -> Vec<(&'a File, Direction, RankCalls, FileShare)> {
    let one = |direction| {
        let (asked, _) = traced.collective(direction)?;
        let flow = traced.flow(direction);
        // A rank that moves a few bytes, such as a header, does not move the data.
        let below = traced.file.posix.as_deref();
        let movers = below.map_or(u64::MAX, |below| below.movers(cx.run.ranks));
        // All the time of MPI-IO is at stake: it includes the POSIX calls and the waiting for them.
        let seconds = asked.slowest.seconds();
        let found = RankCalls {
            asking: asked.ranks,
            moving: Some(flow.ranks.min(movers)),
            mean: flow.mean(),
            is_one_to_one: false,
            hosts: asked.hosts,
            seconds,
        };
        (flow.requests > 0).then(|| (traced.file, direction, found, traced.share(seconds)))
    };
    Direction::BOTH.into_iter().filter_map(one).collect()
}

fn derived<'a>(
    cx: &Context<'_>,
    file: &'a File,
) -> Vec<(&'a File, Direction, RankCalls, FileShare)> {
    let one = |direction| {
        let (above, below) = (file.mpiio.as_deref()?, file.posix.as_deref()?);
        let (asked, moved) = (above.way(direction), below.way(direction));
        // What moves the data may not be recorded; then a few writes of a header say nothing.
        let is_seen = moved.bytes > 0 && moved.bytes >= asked.bytes / 2;
        if !is_seen || asked.kinds().together() == 0 {
            return None;
        }
        let (asking, moving) = ranks(cx, above, below, direction);
        let each = |bytes: u64, calls: u64| bytes as f64 / calls.max(1) as f64;
        let mean = each(moved.bytes, moved.calls);
        // An aggregator makes one call of many. Calls are equal in number and size only without
        // one. A few calls may be a header, and little data cannot become large requests.
        let is_one_to_one = moved.calls as f64 > cx.limits.small_requests_absolute
            && moved.bytes as f64 >= cx.limits.small_data_bytes * asking as f64
            && is_near(cx, moved.calls as f64, asked.calls as f64)
            && is_near(cx, mean, each(asked.bytes, asked.calls));
        let seconds = above.slowest_part(asked.time, cx.run.ranks);
        let found = RankCalls { asking, moving, mean, is_one_to_one, hosts: 0, seconds };
        Some((file, direction, found, cx.share_of(file, seconds)))
    };
    Direction::BOTH.into_iter().filter_map(one).collect()
}

fn is_near(cx: &Context<'_>, a: f64, b: f64) -> bool {
    (a - b).abs() <= cx.limits.no_buffering_alike * a.max(b)
}

/// The ranks that ask MPI-IO, and those of them that make POSIX calls. Heat maps count all bytes of
/// ranks, to other files as well. The records of the file tell how unequal the ranks are.
fn ranks(
    cx: &Context<'_>,
    above: &Usage,
    below: &Usage,
    direction: Direction,
) -> (u64, Option<u64>) {
    let moves = |rank: &&RankUse| match direction {
        Direction::Read => rank.read > 0,
        Direction::Write => rank.written > 0,
    };
    let rows = |layer: &HeatLayer| layer.ranks.values().filter(moves).count() as u64;
    match (&cx.run.heat.mpiio, &cx.run.heat.posix) {
        (Some(mpiio), Some(posix)) => {
            let asking = rows(mpiio);
            (asking, Some(rows(posix).min(below.movers(cx.run.ranks)).min(asking)))
        }
        _ => (above.ranks(cx.run.ranks), None),
    }
}

fn judge(
    cx: &Context<'_>,
    uses: &[(&File, Direction, RankCalls, FileShare)],
    confidence: Confidence,
) -> Check {
    let limits = cx.limits;
    let enough = |one: &RankCalls| one.asking as f64 >= limits.no_buffering_ranks;
    if !uses.iter().any(|(_, _, one, _)| enough(one)) {
        let is_unknown = uses.is_empty() && confidence == Confidence::Derived;
        return if is_unknown { Check::NotCheckable(Need::Trace) } else { Check::Senseless };
    }
    let by_most = |one: &RankCalls| {
        one.moving.map(|moving| moving as f64 > limits.no_buffering_share * one.asking as f64)
    };
    let is_unbuffered = |one: &RankCalls| {
        enough(one) && one.mean < limits.small_bytes && by_most(one).unwrap_or(one.is_one_to_one)
    };
    let found: Vec<_> = uses.iter().filter(|(_, _, one, _)| is_unbuffered(one)).collect();
    let worst = found.iter().max_by(|a, b| a.2.seconds.total_cmp(&b.2.seconds));
    let Some((file, direction, worst, _)) = worst else {
        let most = uses.iter().map(|(_, _, one, _)| one).max_by_key(|one| one.moving);
        return Check::Fine(most.map_or_else(String::new, |one| {
            let who = match one.moving {
                Some(moving) => format!(
                    "{} of {} ranks go to the storage",
                    number::thousands(moving),
                    number::thousands(one.asking)
                ),
                None => "Requests reach the storage".to_owned(),
            };
            format!("{who} with {} at a time.", number::bytes(one.mean as u64))
        }));
    };
    let seconds: f64 = found.iter().map(|(_, _, one, _)| one.seconds).sum();
    let noun = direction.noun();
    let moving = worst.moving.unwrap_or(worst.asking);
    let title = format!(
        "{} of {} ranks make their own {noun} in collective calls",
        number::thousands(moving),
        number::thousands(worst.asking)
    );
    let detail = format!(
        "{}: the {noun} that reach the storage have {} on average, as if there were no collective buffering.",
        super::base(&file.name),
        number::bytes(worst.mean as u64)
    );
    let nodes = if worst.hosts > 0 { worst.hosts } else { worst.asking.div_ceil(32) };
    let pool = if *direction == Direction::Read { Pool::Read } else { Pool::Write };
    let buffer = file.posix.as_deref().map_or(0, |usage| usage.alignment).max(16 << 20);
    let files = found.iter().map(|(_, _, _, share)| share.clone());
    Case::new(title, detail, seconds.min(cx.run.run_time))
        .evidence("ranks that use MPI-IO", worst.asking as f64, Quantity::Count)
        .evidence("of them with POSIX calls", moving as f64, Quantity::Count)
        .evidence("bytes of a POSIX call", worst.mean, Quantity::Bytes)
        .files(top_files(files))
        .pool(pool)
        .confidence(confidence)
        .advise(advice::collective_buffering(&cx.setting(Some(file)), nodes, buffer))
        .phrase("collective calls without buffering")
        .fired()
}
