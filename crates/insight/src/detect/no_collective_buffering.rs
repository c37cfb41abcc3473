//! C05: collective calls in which every rank writes for itself.

use super::traced::{self, Traced};
use super::{Case, Check, Context, Detector, Pool, top_files};
use crate::advice;
use crate::finding::{Confidence, Dimension, FileShare, Level, Need, Quantity};
use crate::model::{Direction, File, HeatLayer, RankUse};
use crate::number;
use crate::trace::SMALL;

pub(super) static DETECTOR: Detector = Detector {
    code: "C05",
    slug: "no-collective-buffering",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "Calls are collective, but every rank goes to the storage with its own small pieces.",
    condition: "A file has collective calls, of at least no_buffering_ranks ranks; more than no_buffering_share of \
                the ranks that use MPI-IO on it also make POSIX calls of that direction; and these move less than \
                small_bytes on average. Ranks are counted in the trace, else in the heat maps of the run.",
    why: "Collective calls pay off because a few ranks gather large contiguous pieces. If each rank writes its own, \
          many small requests meet in the same blocks.",
    fix: "Turn collective buffering on, with one aggregator on each node to begin with.",
    see: "https://ftp.mcs.anl.gov/pub/romio/users-guide/node6.html",
    check,
};

/// Who does what to a file in one direction.
#[derive(Debug, Clone, Copy)]
struct Use {
    asking: u64,
    moving: u64,
    mean: f64,
    hosts: u64,
    seconds: f64,
}

fn check(cx: &Context<'_>) -> Check {
    if !traced::is_collective(cx) {
        return Check::Senseless;
    }
    let (uses, confidence): (Vec<_>, _) = match traced::files(cx) {
        Ok((_, files)) => (files.iter().flat_map(measured).collect(), Confidence::Measured),
        Err(check) => {
            let (Some(posix), Some(mpiio)) = (&cx.run.heat.posix, &cx.run.heat.mpiio) else {
                return check;
            };
            let files = cx.run.data().flat_map(|file| derived(cx, file, posix, mpiio));
            (files.collect(), Confidence::Derived)
        }
    };
    judge(cx, &uses, confidence)
}

fn measured<'a>(traced: &Traced<'a>) -> Vec<(&'a File, Direction, Use, FileShare)> {
    let one = |direction| {
        let (asked, _) = traced.collective(direction)?;
        let flow = traced.flow(direction);
        // All that MPI-IO spends there is at stake: it holds the POSIX calls, and waiting for them.
        let seconds = asked.slowest.seconds();
        let found = Use {
            asking: asked.ranks,
            moving: flow.ranks,
            mean: flow.mean(),
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
    posix: &HeatLayer,
    mpiio: &HeatLayer,
) -> Vec<(&'a File, Direction, Use, FileShare)> {
    let one = |direction| {
        let above = file.mpiio.as_deref()?;
        let below = file.posix.as_deref()?.way(direction);
        let way = above.way(direction);
        if below.calls == 0 || way.collective.saturating_add(way.split) == 0 {
            return None;
        }
        let moves = |rank: &&RankUse| match direction {
            Direction::Read => rank.read > 0,
            Direction::Write => rank.written > 0,
        };
        let rows = |layer: &HeatLayer| layer.ranks.values().filter(moves).count() as u64;
        let seconds = above.slowest_part(way.time, cx.run.ranks);
        let found = Use {
            asking: rows(mpiio),
            moving: rows(posix),
            mean: below.bytes as f64 / below.calls as f64,
            hosts: 0,
            seconds,
        };
        Some((file, direction, found, cx.share_of(file, seconds)))
    };
    Direction::BOTH.into_iter().filter_map(one).collect()
}

fn judge(
    cx: &Context<'_>,
    uses: &[(&File, Direction, Use, FileShare)],
    confidence: Confidence,
) -> Check {
    let limits = cx.limits;
    let enough = |one: &Use| one.asking as f64 >= limits.no_buffering_ranks;
    if !uses.iter().any(|(_, _, one, _)| enough(one)) {
        return match uses.is_empty() && confidence == Confidence::Derived {
            true => Check::NotCheckable(Need::Trace),
            false => Check::Senseless,
        };
    }
    let is_unbuffered = |one: &Use| {
        enough(one)
            && one.moving as f64 > limits.no_buffering_share * one.asking as f64
            && one.mean < limits.small_bytes.min(SMALL as f64)
    };
    let found: Vec<_> = uses.iter().filter(|(_, _, one, _)| is_unbuffered(one)).collect();
    let worst = found.iter().max_by(|a, b| a.2.seconds.total_cmp(&b.2.seconds));
    let Some((file, direction, worst, _)) = worst else {
        let most = uses.iter().map(|(_, _, one, _)| one).max_by_key(|one| one.moving);
        return Check::Fine(most.map_or_else(String::new, |one| {
            format!(
                "{} of {} ranks go to the storage, with {} at a time.",
                number::thousands(one.moving),
                number::thousands(one.asking),
                number::bytes(one.mean as u64)
            )
        }));
    };
    let seconds: f64 = found.iter().map(|(_, _, one, _)| one.seconds).sum();
    let noun = direction.noun();
    let title = format!(
        "{} of {} ranks make their own {noun} in collective calls",
        number::thousands(worst.moving),
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
    let files = found.iter().map(|(_, _, _, share)| share.clone()).collect();
    Case::new(title, detail, seconds.min(cx.run.run_time))
        .evidence("ranks that use MPI-IO", worst.asking as f64, Quantity::Count)
        .evidence("of them with POSIX calls", worst.moving as f64, Quantity::Count)
        .evidence("bytes of a POSIX call", worst.mean, Quantity::Bytes)
        .files(top_files(files))
        .pool(pool)
        .confidence(confidence)
        .advise(advice::collective_buffering(&cx.setting(Some(file)), nodes, buffer))
        .fired()
}
