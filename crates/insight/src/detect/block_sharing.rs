//! F05: ranks write to the same stripes or blocks.

use super::traced::{self, is_locked};
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Confidence, Dimension, Level, Moment, Plot, Quantity};
use crate::model::Direction;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "F05",
    slug: "block-sharing",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "Several ranks write to the same stripes or blocks of a file.",
    condition: "Ranks write at least block_sharing_units stripes of a file on a file system that \
                nodes share, or blocks of the file's alignment if it is not Lustre. Two or more \
                ranks write to more than block_sharing_share of them. Without a trace: at least \
                posix_shared_ranks ranks use a file of at least small_file_bytes without \
                collective calls, with more than blocks_per_rank requests each, and most of the \
                requests, at least common_requests, are below block_bytes.",
    why: "A stripe or block has one lock. Ranks on different nodes take it from each other, and \
          the cached data of one is written out before the next goes on.",
    fix: "Let each rank write whole stripes, or let a few ranks write for all with collective \
          buffering.",
    see: "https://doc.lustre.org/lustre_manual.xhtml",
    applies_to: &[Feature::Ranks, Feature::Posix(Direction::Write)],
    plots: &[Plot::Space, Plot::Time],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let writes = |file: &crate::model::File| {
        let usage = file.posix.as_deref();
        usage.is_some_and(|usage| usage.bytes() > 0 && usage.ranks(run.ranks) > 1)
    };
    if !run.ranks_mean_something || !run.shared().any(|file| writes(file) && is_locked(cx, file)) {
        return Check::Senseless;
    }
    let (_, files) = match traced::files(cx) {
        Ok(traced) => traced,
        Err(check) => return by_size(cx).unwrap_or(check),
    };
    let is_shared = |share: f64, units: u64| {
        units as f64 >= limits.block_sharing_units && share > limits.block_sharing_share
    };
    let found: Vec<_> = files
        .iter()
        .filter(|traced| is_locked(cx, traced.file))
        .filter(|traced| is_shared(traced.facts.sharing.share(), traced.facts.sharing.units))
        // Writes outside shared units gain nothing. At most the others' part of the slowest rank's
        // writes is at stake.
        .map(|traced| {
            let facts = traced.facts;
            (traced, facts.writes.slowest.seconds() * facts.sharing.share())
        })
        .collect();
    let Some((worst, _)) = found.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        let shares = files.iter().map(|traced| traced.facts.sharing.share());
        let most = number::percent(shares.fold(0.0, f64::max));
        return Check::Fine(format!("At most {most} of a file's blocks have several writers."));
    };
    let (facts, sharing) = (worst.facts, worst.facts.sharing);
    let unit = if facts.is_striped { "stripes" } else { "blocks" };
    let size = number::bytes(facts.unit);
    let title = format!(
        "{} of {unit} of {size} are written by several ranks",
        number::percent(sharing.share())
    );
    let detail = format!(
        "{}: {} of {} {unit}, each by up to {} of {} ranks, with {} at a time.",
        super::base(&worst.file.name),
        number::thousands(sharing.shared),
        number::thousands(sharing.units),
        number::thousands(sharing.most_ranks),
        number::thousands(facts.writes.ranks),
        number::bytes(facts.writes.mean() as u64)
    );
    let seconds: f64 = found.iter().map(|(_, seconds)| seconds).sum();
    let shares = found.iter().map(|(traced, seconds)| traced.share(*seconds));
    let setting = cx.setting(Some(worst.file));
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("share of units with several writers", sharing.share(), Quantity::Share)
        .evidence("units written to", sharing.units as f64, Quantity::Count)
        .evidence("most ranks on a unit", sharing.most_ranks as f64, Quantity::Count)
        .evidence("unit", facts.unit as f64, Quantity::Bytes)
        .files(top_files(shares))
        .pool(Pool::Write)
        .confidence(Confidence::Measured)
        .advise(advice::align_domains(&setting, facts.unit))
        .fired()
}

/// Without a trace: requests so small that neighbours share a block of any file system.
fn by_size(cx: &Context<'_>) -> Option<Check> {
    let (run, limits) = (cx.run, cx.limits);
    let mut shares = Vec::new();
    let mut worst: Option<(f64, &crate::model::File, u64, u64)> = None;
    for file in run.data().filter(|file| is_locked(cx, file)) {
        let Some(usage) = file.posix.as_deref() else { continue };
        let ranks = usage.ranks(run.ranks).min(run.active_ranks);
        let request = usage.common_size().map_or(0, |(size, _)| size);
        let is_collective = file.mpiio.as_deref().is_some_and(crate::model::Usage::is_collective);
        let is_tiny = request > 0 && (request as f64) < limits.block_bytes;
        // A few requests of each rank may be a header. Most must be small.
        let told: u64 = usage.common_sizes.iter().map(|(_, count)| count).sum();
        let tiny =
            usage.common_sizes.iter().filter(|(size, _)| (*size as f64) < limits.block_bytes);
        let tiny: u64 = tiny.map(|(_, count)| count).sum();
        let few = usage.calls() as f64 <= limits.blocks_per_rank * ranks as f64;
        if is_collective
            || few
            || usage.extent() > 0 && (usage.extent() as f64) < limits.small_file_bytes
            || !is_tiny
            || tiny * 2 <= told
            || (tiny as f64) < limits.common_requests
            || (ranks as f64) < limits.posix_shared_ranks
        {
            continue;
        }
        let seconds = usage.slowest_part(usage.data_time(), run.ranks);
        shares.push(cx.share_of(file, seconds));
        if worst.is_none_or(|(most, ..)| seconds > most) {
            worst = Some((seconds, file, request, ranks));
        }
    }
    let (_, file, request, ranks) = worst?;
    let title = format!(
        "{} ranks share blocks: each moves {} at a time",
        number::thousands(ranks),
        number::bytes(request)
    );
    let detail = format!(
        "{}: requests are smaller than the smallest block of a file system, {}. Neighbours share a block.",
        super::base(&file.name),
        number::bytes(limits.block_bytes as u64)
    );
    let seconds = shares.iter().map(|share| share.seconds).sum::<f64>();
    let unit = file.posix.as_deref().map_or(0, |usage| usage.alignment).max(4096);
    let setting = cx.setting(Some(file));
    Some(
        Case::new(title, detail, seconds.min(run.posix.slowest).min(run.run_time))
            .evidence("commonest request", request as f64, Quantity::Bytes)
            .evidence("ranks", ranks as f64, Quantity::Count)
            .files(top_files(shares))
            .confidence(Confidence::Assumed)
            .advise(advice::align_domains(&setting, unit))
            .fired(),
    )
}
