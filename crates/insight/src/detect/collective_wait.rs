//! C03: ranks that wait for each other in MPI-IO.

use super::{Case, Check, Context, Detector, Feature, Pool, base, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Need, Plot, Quantity};
use crate::model::{File, Usage};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "C03",
    slug: "collective-wait",
    dimension: Dimension::ParallelismEfficiency,
    highest: Level::High,
    what: "MPI-IO calls take much longer than the file accesses below them.",
    condition: "On files that MPI-IO uses, its slowest rank takes more than wait_factor times as \
                long as the slowest rank of POSIX, and wait_time of the run longer. It decides \
                the verdict if ranks differ, the fastest taking less than wait_spread of the \
                slowest, or if the recorder lost records below MPI-IO. Otherwise the time may go \
                into exchanging data.",
    why: "In a collective call all ranks wait for the last one to arrive and for the aggregators \
          to finish.",
    fix: "Let ranks arrive together: balance what they compute. Make fewer and larger calls. Use \
          more aggregators.",
    see: "https://www.mcs.anl.gov/~thakur/papers/romio-coll.pdf",
    applies_to: &[Feature::Ranks, Feature::MpiIo],
    plots: &[Plot::Time, Plot::Space],
    moment: Moment::FileUse,
    check,
};

/// A stripe size that suits large files.
const STRIPE: u64 = 16 << 20;

/// Seconds of the fastest rank in MPI-IO calls.
fn fastest(usage: &Usage) -> f64 {
    match &usage.reduced {
        Some(reduced) => reduced.fastest_time,
        None => usage.by_rank.iter().map(crate::model::RankUse::time).fold(f64::INFINITY, f64::min),
    }
}

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if run.mpiio.files == 0 || !run.ranks_mean_something {
        return Check::Senseless;
    }
    if !run.cores_are_enough {
        return Check::NotCheckable(Need::CoresForRanks);
    }
    let mut files = Vec::new();
    let mut seconds = 0.0;
    let mut worst: Option<(f64, &File, &Usage, f64)> = None;
    let mut proven = false;
    for file in run.data() {
        let Some(mpiio) = file.mpiio.as_deref() else { continue };
        let above = mpiio.slowest_time(run.ranks);
        let below = file.posix.as_deref().map_or(0.0, |usage| usage.slowest_time(run.ranks));
        let wait = above - below;
        if above <= limits.wait_factor * below || run.share(wait) < limits.wait_time {
            continue;
        }
        seconds += wait;
        proven |= fastest(mpiio) < limits.wait_spread * above
            || run.is_partial(&ioglass_log::posix::MODULE);
        if worst.is_none_or(|(most, ..)| wait > most) {
            worst = Some((wait, file, mpiio, below));
        }
        files.push(cx.share_of(file, wait));
    }
    let Some((_, file, usage, below)) = worst else {
        return Check::Fine(format!(
            "MPI-IO takes {}, POSIX below it {}.",
            number::seconds(run.mpiio.slowest),
            number::seconds(run.posix.slowest)
        ));
    };
    let above = usage.slowest_time(run.ranks);
    let ranks = usage.ranks(run.ranks).max(1);
    // A few opens and closes that take long wait for a rank that is late, whatever it does.
    let opens_each = usage.opens as f64 / ranks as f64;
    let is_late =
        usage.meta_time > usage.data_time() && opens_each <= limits.metadata_opens_per_file;
    let calls = usage.ways.iter().map(|way| way.kinds().together()).sum::<u64>();
    let each = usage.calls().div_ceil(ranks).max(1);
    let kind = if calls > 0 { "collective" } else { "MPI-IO" };
    let title = match each {
        _ if is_late => {
            format!("Ranks wait {} to open and close {}", number::seconds(above), base(&file.name))
        }
        1 => format!("1 {kind} call per rank takes {}", number::seconds(above)),
        _ => format!(
            "{} {kind} calls per rank take {} each",
            number::thousands(each),
            number::seconds(above / each as f64)
        ),
    };
    let mean = usage.bytes() / usage.calls().max(1);
    let detail = format!(
        "{}: {} per rank and call, {} in MPI-IO, {} of them in recorded POSIX calls. The rest is waiting{}.",
        base(&file.name),
        number::bytes(mean),
        number::seconds(above),
        number::seconds(below),
        if run.is_partial(&ioglass_log::posix::MODULE) {
            ", or ranks that were not recorded"
        } else {
            " or exchanging data"
        }
    );
    let setting = cx.setting(Some(file));
    let mut case = Case::new(title, detail, seconds.min(run.mpiio.slowest).min(run.run_time))
        .evidence("seconds in MPI-IO", above, Quantity::Seconds)
        .evidence("seconds in POSIX", below, Quantity::Seconds)
        .evidence("fastest rank in MPI-IO", fastest(usage), Quantity::Seconds)
        .evidence("calls per rank", each as f64, Quantity::Count)
        .evidence("bytes a call", mean as f64, Quantity::Bytes)
        .files(top_files(files))
        .pool(Pool::Wait)
        .asked()
        .cause_if(proven && !is_late)
        .at_most(if is_late { Level::Info } else { Level::High });
    if is_late {
        return case.advise(advice::arrive_together(&setting, above)).fired();
    }
    if setting.file_system == advice::FileSystem::Lustre {
        let count = advice::stripe_count(file.bytes(), run.ranks, None);
        let stripes = file.stripes.as_ref().and_then(|stripes| stripes.main(file.bytes()));
        match stripes.map(|part| part.count) {
            None => case = case.advise(advice::check_stripe(&setting, &file.name, count, STRIPE)),
            Some(1) => {
                case = case.advise(advice::stripe(&setting, count, STRIPE, cx.folder_of(file)));
            }
            Some(_) => {}
        }
    }
    if each > 2 {
        case = case.advise(advice::merge_calls(&setting, each, mean));
    }
    case.fired()
}
