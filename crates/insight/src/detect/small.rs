//! P05, P06, P15, P16: small requests, as Drishti counts them, in all files and in shared ones.

use super::top::TopFiles;
use super::{Case, Check, Context, Detector, Feature, Pool};
use crate::advice::{self, Setting};
use crate::finding::{Advice, Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File, Usage};
use crate::number;

const WHY: &str = "Each request pays the same price for the call, the network and the server, \
                  however little it moves.";

const FIX: &str = "Gather data in memory and move at least 1 MiB at a time. Where ranks share \
                  the file, let MPI-IO gather it with collective calls.";

pub(super) static READS: Detector = Detector {
    code: "P05",
    slug: "small-reads",
    dimension: Dimension::AccessGranularity,
    highest: Level::High,
    what: "Many reads are smaller than 1 MiB.",
    condition: "More than small_requests of the requests of all files, and more than \
                small_requests_absolute, are below small_bytes. Requests of exactly 1 MiB are \
                not small.",
    why: WHY,
    fix: FIX,
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Posix(Direction::Read)],
    plots: &[Plot::Requests, Plot::Time],
    moment: Moment::FileUse,
    check: |cx| check(cx, Direction::Read, false),
};

pub(super) static WRITES: Detector = Detector {
    code: "P06",
    slug: "small-writes",
    dimension: Dimension::AccessGranularity,
    highest: Level::High,
    what: "Many writes are smaller than 1 MiB.",
    condition: "More than small_requests of the requests of all files, and more than \
                small_requests_absolute, are below small_bytes. Requests of exactly 1 MiB are \
                not small.",
    why: WHY,
    fix: FIX,
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Posix(Direction::Write)],
    plots: &[Plot::Requests, Plot::Time],
    moment: Moment::FileUse,
    check: |cx| check(cx, Direction::Write, false),
};

pub(super) static SHARED_READS: Detector = Detector {
    code: "P15",
    slug: "shared-small-reads",
    dimension: Dimension::AccessGranularity,
    highest: Level::High,
    what: "Many reads of shared files are smaller than 1 MiB.",
    condition: "More than small_requests of the requests of files that several ranks use, and \
                more than small_requests_absolute, are below small_bytes. Requests of exactly 1 \
                MiB are not small.",
    why: WHY,
    fix: FIX,
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Ranks, Feature::Posix(Direction::Read)],
    plots: &[Plot::Requests, Plot::Time],
    moment: Moment::FileUse,
    check: |cx| check(cx, Direction::Read, true),
};

pub(super) static SHARED_WRITES: Detector = Detector {
    code: "P16",
    slug: "shared-small-writes",
    dimension: Dimension::AccessGranularity,
    highest: Level::High,
    what: "Many writes to shared files are smaller than 1 MiB.",
    condition: "More than small_requests of the requests of files that several ranks use, and \
                more than small_requests_absolute, are below small_bytes. Requests of exactly 1 \
                MiB are not small.",
    why: WHY,
    fix: FIX,
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Ranks, Feature::Posix(Direction::Write)],
    plots: &[Plot::Requests, Plot::Time],
    moment: Moment::FileUse,
    check: |cx| check(cx, Direction::Write, true),
};

fn check(cx: &Context<'_>, direction: Direction, shared: bool) -> Check {
    let run = cx.run;
    if shared && !run.ranks_mean_something {
        return Check::Senseless;
    }
    if run.posix.way(direction).calls == 0 {
        return Check::Senseless;
    }
    let limit = cx.limits.small_bytes as u64;
    let several = |usage: &Usage| usage.ranks(run.ranks) >= 2;
    let chosen = |file: &&File| {
        !shared || file.ranks(run.ranks) >= 2 && file.posix.as_deref().is_some_and(several)
    };
    let (mut small, mut all) = (0_u64, 0_u64);
    let mut files = TopFiles::default();
    let mut worst: Option<(f64, &File)> = None;
    let mut parts = Vec::new();
    for file in run.data().filter(chosen) {
        let Some(usage) = file.posix.as_deref() else { continue };
        let calls = usage.way(direction).calls;
        let few = usage.small(direction, limit).min(calls);
        all = all.saturating_add(calls);
        small = small.saturating_add(few);
        if few > 0 {
            let mean = usage.way(direction).bytes / calls.max(1);
            let bytes = few.saturating_mul(mean.min(limit));
            let part = cx.price_of_calls(usage, direction, few, bytes);
            let slowest = usage.slowest_part(part, run.ranks);
            parts.push((usage, part));
            files.push(cx.share_of(file, slowest));
            if worst.is_none_or(|(most, _)| slowest > most) {
                worst = Some((slowest, file));
            }
        }
    }
    if all == 0 {
        return Check::Senseless;
    }
    let share = small as f64 / all as f64;
    let detail = format!(
        "{} of {} {} are below {} ({}).",
        number::thousands(small),
        number::thousands(all),
        direction.noun(),
        number::bytes(limit),
        number::percent(share)
    );
    if share > cx.limits.small_requests && small as f64 > cx.limits.small_requests_absolute {
        let seconds = cx.slowest_rank(parts);
        let whose = if shared { " shared" } else { "" };
        let title = format!(
            "{} of{whose} {} are smaller than {}",
            number::percent(share),
            direction.noun(),
            number::bytes(limit)
        );
        let pool = if direction == Direction::Read { Pool::Read } else { Pool::Write };
        return Case::new(title, detail, seconds.min(run.run_time))
            .evidence("small requests", small as f64, Quantity::Count)
            .evidence("requests", all as f64, Quantity::Count)
            .evidence("share", share, Quantity::Share)
            .files(files.into())
            .pool(pool)
            .advise(advise(&cx.setting(worst.map(|(_, file)| file)), direction, shared))
            // Many healthy runs have small requests. Another check decides whether they are so
            // small that their number costs time.
            .cause_if(false)
            .fired();
    }
    Check::Fine(detail)
}

/// A size of requests that any file system serves well.
const LARGE: u64 = 1 << 20;

fn advise(setting: &Setting, direction: Direction, shared: bool) -> Advice {
    match direction {
        Direction::Read if shared => advice::collective_read(setting, setting.library()),
        Direction::Write if shared => advice::collective_write(setting, setting.library()),
        Direction::Read => advice::larger_reads(setting, LARGE),
        Direction::Write => advice::buffer_writes(setting, LARGE),
    }
}
