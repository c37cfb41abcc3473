//! F02: a large file on one storage target.

use super::{Case, Check, Context, Detector, Feature, base, top_files};
use crate::advice;
use crate::finding::{Confidence, Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File, Usage};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "F02",
    slug: "single-stripe",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "A large file lies on one storage target and gets the bandwidth of one target.",
    condition: "A file on Lustre has one stripe and at least stripe_bytes, and ranks share it or \
                it takes stripe_share of the slowest rank's POSIX time. Or it has at least \
                stripe_bytes_any, whoever uses it. If the log has no layouts: at least \
                stripe_ranks ranks use a file on Lustre through POSIX alone and write at least \
                stripe_assumed_bytes in requests of at least stripe_assumed_request, at less \
                than stripe_rate, the rate of one target. Files that belong to one rank each do \
                not count.",
    why: "A stripe is a target. With one stripe all ranks queue at the same disks.",
    fix: "Stripe the directory before the file is created. A good count is the square root of \
          the file size in pieces of 128 MiB.",
    see: "https://doc.lustre.org/lustre_manual.xhtml",
    applies_to: &[Feature::Lustre],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check,
};

/// The size of a stripe to advise.
const STRIPE: u64 = 16 << 20;

fn check(cx: &Context<'_>) -> Check {
    let run = cx.run;
    if !run.is_on_lustre {
        return Check::Senseless;
    }
    let on_lustre =
        run.data().filter(|file| file.stripes.is_some() || run.fs_type(file) == "lustre");
    let own_files = file_per_rank(cx);
    let mut files = Vec::new();
    let mut worst: Option<(f64, &File, &Usage, bool)> = None;
    for file in on_lustre {
        let Some(usage) = file.posix.as_deref() else { continue };
        let known = known(cx, file, usage, own_files);
        let assumed = known.is_none() && assumed(cx, file, usage);
        if known != Some(true) && !assumed {
            continue;
        }
        let count = advice::stripe_count(file.bytes(), run.ranks, None);
        let own = usage.slowest_time(run.ranks) * (1.0 - 1.0 / count.max(1) as f64);
        files.push(cx.share_of(file, own));
        if worst.is_none_or(|(most, ..)| own > most) {
            worst = Some((own, file, usage, assumed));
        }
    }
    let Some((seconds, file, usage, assumed)) = worst else {
        return Check::Fine("No large shared file lies on one target.".into());
    };
    let bytes = file.bytes();
    let count = advice::stripe_count(bytes, run.ranks, None);
    let slowest = usage.slowest_time(run.ranks);
    let setting = cx.setting(Some(file));
    let name = base(&file.name);
    if assumed {
        let write = usage.way(Direction::Write);
        let rate = write.bytes as f64 * usage.ranks(run.ranks) as f64 / write.time.max(1e-9);
        let title = format!(
            "{} ranks share {name} at {}, the rate of one target",
            number::thousands(usage.ranks(run.ranks)),
            number::rate(rate)
        );
        let detail = format!(
            "{} in large requests through POSIX, {} in the slowest rank. The log has no stripes. The default of a directory is often one.",
            number::bytes(bytes),
            number::seconds(slowest)
        );
        return Case::new(title, detail, seconds.min(run.posix.slowest).min(run.run_time))
            .evidence("bytes", bytes as f64, Quantity::Bytes)
            .evidence("rate", rate, Quantity::BytesPerSecond)
            .evidence("suggested stripes", count as f64, Quantity::Count)
            .files(top_files(files))
            .confidence(Confidence::Assumed)
            .advise(advice::check_stripe(&setting, &file.name, count, STRIPE))
            .fired();
    }
    let target = file
        .stripes
        .as_ref()
        .and_then(|s| s.main(usage.extent()))
        .and_then(|part| part.targets.first());
    let of_one = usage
        .reduced
        .as_ref()
        .is_some_and(|r| r.slowest_bytes as f64 >= 0.9 * usage.bytes() as f64);
    let title = match (of_one, run.ranks_mean_something) {
        (true, true) => {
            format!("{} pass through one rank to one OST", number::bytes(usage.bytes()))
        }
        _ => format!("{} lie on one OST", number::bytes(bytes)),
    };
    let size = usage.common_size().map_or(0, |(size, _)| size);
    let ost = target.map_or(String::new(), |target| format!(" (OST {target})"));
    let detail = if of_one && file.mpiio.is_some() {
        format!(
            "{name} has stripe count 1{ost}, so MPI-IO used one aggregator: rank {} moved all {} in {} requests, {} in POSIX; the others waited.",
            usage.reduced.as_ref().map_or(0, |r| r.slowest),
            number::bytes(usage.bytes()),
            number::bytes(size),
            number::seconds(slowest)
        )
    } else {
        format!("{name} has stripe count 1{ost} and takes {} in POSIX.", number::seconds(slowest))
    };
    Case::new(title, detail, seconds.min(run.posix.slowest).min(run.run_time))
        .first_step("stripe the output directory")
        .evidence("bytes", bytes as f64, Quantity::Bytes)
        .evidence("stripes", 1.0, Quantity::Count)
        .evidence("suggested stripes", count as f64, Quantity::Count)
        .evidence("seconds of the slowest rank", slowest, Quantity::Seconds)
        .files(top_files(files))
        .advise(advice::stripe(&setting, count, STRIPE, cx.folder_of(file)))
        .phrase("one storage target for all data")
        .fired()
}

/// True if a file is too large for its one stripe; none if its layout is not known.
fn known(cx: &Context<'_>, file: &File, usage: &Usage, own_files: u64) -> Option<bool> {
    let (run, limits) = (cx.run, cx.limits);
    let part = file.stripes.as_ref()?.main(usage.extent())?;
    let bytes = file.bytes() as f64;
    let is_shared = file.ranks(run.ranks) >= 2;
    let matters = usage.slowest_time(run.ranks) >= limits.stripe_share * run.posix.slowest
        && own_files < run.active_ranks;
    let large = bytes >= limits.stripe_bytes && (is_shared || matters);
    let is_one_of_many = !is_shared && own_files >= run.active_ranks.max(2);
    let huge = bytes >= limits.stripe_bytes_any && !is_one_of_many;
    Some(part.count == 1 && (large || huge))
}

/// Files that belong to one rank each.
fn file_per_rank(cx: &Context<'_>) -> u64 {
    let run = cx.run;
    run.data().filter(|file| file.bytes() > 0 && file.ranks(run.ranks) == 1).count().max(1) as u64
}

/// True if a file behaves as if it had one stripe.
fn assumed(cx: &Context<'_>, file: &File, usage: &Usage) -> bool {
    let (run, limits) = (cx.run, cx.limits);
    let ranks = usage.ranks(run.ranks).min(run.active_ranks);
    let write = usage.way(Direction::Write);
    // The average rank counts, because the slowest may have been late for another reason.
    let mean = write.time / ranks.max(1) as f64;
    let request = usage.common_size().map_or(0, |(size, _)| size);
    // A program that uses POSIX alone cannot ask for stripes; MPI-IO has hints for that.
    file.stripes.is_none()
        && run.fs_type(file) == "lustre"
        && file.mpiio.is_none()
        && run.ranks_mean_something
        && ranks as f64 >= limits.stripe_ranks
        && write.bytes as f64 >= limits.stripe_assumed_bytes
        && request as f64 >= limits.stripe_assumed_request
        && write.bytes as f64 / mean.max(1e-9) < limits.stripe_rate
}
