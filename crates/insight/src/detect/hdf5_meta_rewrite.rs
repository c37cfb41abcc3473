//! H01: HDF5 rewrites its metadata at close, scattered over the file.

use super::traced::{self, FileTrace};
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Confidence, Dimension, Level, Moment, Plot, Quantity};
use crate::model::Direction;
use crate::number;
use crate::trace::Round;

pub(super) static DETECTOR: Detector = Detector {
    code: "H01",
    slug: "hdf5-meta-rewrite",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "A collective write of little metadata, as HDF5 makes one at close, reads and writes \
           large parts of the file.",
    condition: "After the last write of data to an HDF5 file, a collective write asks for less \
                than meta_rewrite_share of what the file got. POSIX calls within it move \
                meta_rewrite_factor times as much, and it takes meta_rewrite_time of the run.",
    why: "Metadata lies in many small pieces between the data. With data sieving each aggregator \
          reads whole buffers, changes a few bytes and writes them back.",
    fix: "Keep metadata together (meta block size, paged allocation, newest format) and turn \
          data sieving off.",
    see: "https://support.hdfgroup.org/documentation/hdf5/latest/group___f_a_p_l.html",
    applies_to: &[Feature::Hdf5, Feature::Ranks, Feature::MpiIo, Feature::CollectiveCalls],
    plots: &[Plot::Time, Plot::Space],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let run = cx.run;
    let has_hdf5 = || run.data().any(|file| file.mpiio.is_some() && file.is_hdf5());
    if !traced::is_collective(cx) || !run.libraries.hdf5_files || !has_hdf5() {
        return Check::Senseless;
    }
    let (_, files) = match traced::files(cx) {
        Ok(traced) => traced,
        Err(check) => return check,
    };
    let rewrites = |traced: &FileTrace<'_>| -> Vec<Round> {
        let Some((_, rounds)) = traced.collective(Direction::Write) else {
            return Vec::new();
        };
        let is_rewrite = |round: &&Round| is_rewrite(cx, traced, round);
        rounds.longest.iter().filter(is_rewrite).copied().collect()
    };
    let hdf5 = files.iter().filter(|traced| traced.file.is_hdf5());
    let found: Vec<_> = hdf5
        .map(|traced| (traced, rewrites(traced)))
        .filter(|(_, rounds)| !rounds.is_empty())
        // All of it, because without sieving only a few bytes are written.
        .map(|(traced, rounds)| {
            let seconds = rounds.iter().map(Round::seconds).sum::<f64>();
            (traced, rounds, seconds)
        })
        .collect();
    let Some((worst, rounds, _)) = found.iter().max_by(|a, b| a.2.total_cmp(&b.2)) else {
        return Check::Fine(
            "No collective write of metadata moves much more than it asks for.".into(),
        );
    };
    let seconds: f64 = found.iter().map(|(_, _, seconds)| seconds).sum();
    let sum = |value: fn(&Round) -> u64| rounds.iter().map(value).fold(0, u64::saturating_add);
    let (asked, read, written) = (sum(|r| r.asked), sum(|r| r.read), sum(|r| r.written));
    let title = format!(
        "HDF5 rewrites {} to store {} of metadata",
        number::bytes(written),
        number::bytes(asked)
    );
    let detail = format!(
        "{}: after the data, a collective write takes {}. Below it {} reads and {} writes move {} and {}.",
        super::base(&worst.file.name),
        number::seconds(rounds.iter().map(Round::seconds).sum()),
        number::thousands(sum(|r| r.reads)),
        number::thousands(sum(|r| r.writes)),
        number::bytes(read),
        number::bytes(written)
    );
    let shares = found.iter().map(|(traced, _, seconds)| traced.share(*seconds));
    let setting = cx.setting(Some(worst.file));
    let block = worst.facts.unit.clamp(1 << 20, 16 << 20);
    let longest = rounds.iter().max_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("metadata asked for", asked as f64, Quantity::Bytes)
        .evidence("bytes read for it", read as f64, Quantity::Bytes)
        .evidence("bytes written for it", written as f64, Quantity::Bytes)
        .evidence("seconds", seconds, Quantity::Seconds)
        .files(top_files(shares))
        .pool(Pool::Data)
        .seen_in(Direction::Write)
        .seen_at(longest.map(|round| (round.begin, round.end)))
        .confidence(Confidence::Measured)
        .advise(advice::disable_data_sieving(&setting))
        .advise(advice::hdf5_meta_block(&setting, block))
        .advise(advice::hdf5_latest_format(&setting))
        .fired()
}

pub(super) fn is_rewrite(cx: &Context<'_>, traced: &FileTrace<'_>, round: &Round) -> bool {
    let limits = cx.limits;
    let all = traced.facts.asked.as_deref().map_or(0, |asked| asked.writes.bytes) as f64;
    let asked = round.asked as f64;
    let moved = round.read.saturating_add(round.written) as f64;
    let is_large = asked < limits.meta_rewrite_share * all
        && moved > 0.0
        && moved >= limits.meta_rewrite_factor * asked
        && cx.run.share(round.seconds()) >= limits.meta_rewrite_time;
    // Few rounds get here, while there may be many datasets.
    is_large && {
        let datasets = cx.run.datasets.iter().filter(|set| set.file == Some(traced.file.id));
        datasets.map(|set| set.usage.ways[1].last).fold(0.0, f64::max) <= round.complete
    }
}

/// Seconds of such rewrites, as far as a trace tells.
pub(super) fn seconds(cx: &Context<'_>) -> f64 {
    match check(cx) {
        Check::Fired(case) => case.seconds,
        _ => 0.0,
    }
}
