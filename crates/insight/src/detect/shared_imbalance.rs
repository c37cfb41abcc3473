//! P18, P19: ranks that differ on a shared file.

use super::unequal_ranks::Unequal;
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Need, Plot, Quantity};
use crate::model::{RankUse, Usage};
use crate::number;

pub(super) static BYTES: Detector = Detector {
    code: "P18",
    slug: "shared-bytes-imbalance",
    dimension: Dimension::ParallelismEfficiency,
    highest: Level::High,
    what: "On a shared file some ranks move many more bytes than others.",
    condition: "On a file that several ranks use without collective MPI-IO, the most and the \
                least bytes of a rank differ by more than imbalance_stragglers of the most. A \
                record that stands for all ranks has the bytes of the slowest and of the fastest \
                rank, and the variance. The larger difference counts. It does not decide the \
                verdict.",
    why: "All wait for the rank with the most.",
    fix: "Give every rank the same amount.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Ranks],
    plots: &[Plot::Ranks, Plot::Heat],
    moment: Moment::WholeRun,
    check: |cx| check(cx, Quantity::Bytes, bytes),
};

pub(super) static TIME: Detector = Detector {
    code: "P19",
    slug: "shared-time-imbalance",
    dimension: Dimension::ParallelismEfficiency,
    highest: Level::High,
    what: "On a shared file some ranks take much longer than others.",
    condition: "On a file that several ranks use without collective MPI-IO, the times of the \
                slowest and the fastest rank differ by more than imbalance_stragglers of the \
                slowest. It does not decide the verdict.",
    why: "All wait for the slowest rank.",
    fix: "Give every rank the same amount. Stripe the file over more targets. Look at the node \
          of the slowest rank.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Ranks],
    plots: &[Plot::Ranks, Plot::Heat],
    moment: Moment::WholeRun,
    check: |cx| {
        if cx.run.cores_are_enough {
            check(cx, Quantity::Seconds, seconds)
        } else {
            Check::NotCheckable(Need::CoresForRanks)
        }
    },
};

/// The most and the least bytes of a rank, as far apart as is certain.
///
/// A record of all ranks has the bytes of the slowest and of the fastest rank, which need not have
/// the most and the least. Mostly it has the variance of all. Ranks are at least two standard
/// deviations apart, and at least as far apart as those two. The larger distance is certain.
fn bytes(usage: &Usage, ranks: u64) -> Option<(f64, f64)> {
    let Some(reduced) = &usage.reduced else { return of_ranks(usage, |rank| rank.bytes() as f64) };
    let (a, b) = (reduced.slowest_bytes as f64, reduced.fastest_bytes as f64);
    let mean = usage.bytes() as f64 / ranks.max(1) as f64;
    let deviation = reduced.variance_bytes.sqrt();
    let known = (a.max(b), a.min(b));
    let likely = (mean + deviation, (mean - deviation).max(0.0));
    let share = |(most, least): (f64, f64)| if most > 0.0 { (most - least) / most } else { 0.0 };
    Some(if share(likely) > share(known) { likely } else { known })
}

/// The most and the least seconds of a rank.
fn seconds(usage: &Usage, _: u64) -> Option<(f64, f64)> {
    match &usage.reduced {
        Some(reduced) => Some((reduced.slowest_time, reduced.fastest_time)),
        None => of_ranks(usage, RankUse::time),
    }
}

fn of_ranks(usage: &Usage, of: impl Fn(&RankUse) -> f64) -> Option<(f64, f64)> {
    if usage.by_rank.len() < 2 {
        return None;
    }
    let all = || usage.by_rank.iter().map(&of);
    Some((all().fold(0.0, f64::max), all().fold(f64::INFINITY, f64::min)))
}

fn check(
    cx: &Context<'_>,
    quantity: Quantity,
    spread: fn(&Usage, u64) -> Option<(f64, f64)>,
) -> Check {
    let found = match Unequal::find(cx, cx.limits.imbalance_stragglers, spread) {
        Ok(found) => found,
        Err(check) => return check,
    };
    let (most, least) = (found.most, found.least);
    let title = format!("Ranks differ by {} on {}", number::percent(found.share), found.name);
    let detail = format!(
        "Between {} and {}{}.",
        number::quantity(least, quantity),
        number::quantity(most, quantity),
        found.how_many()
    );
    Case::new(title, detail, found.seconds().min(cx.run.run_time))
        .evidence("most", most, quantity)
        .evidence("least", least, quantity)
        .evidence("difference", found.share, Quantity::Share)
        .evidence("files", found.files.len() as f64, Quantity::Count)
        .files(top_files(found.files))
        .pool(Pool::Data)
        .advise(match quantity {
            Quantity::Bytes => {
                advice::balance(&cx.setting(None), most as u64, most.midpoint(least) as u64)
            }
            _ => advice::balance_time(&cx.setting(None), most, least),
        })
        .cause_if(false)
        .fired()
}
