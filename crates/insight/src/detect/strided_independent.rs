//! C07: interleaved pieces, each rank for itself.

use super::{Case, Check, Context, Detector, Feature, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::{File, Usage};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "C07",
    slug: "strided-independent",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "Ranks access interleaved pieces of a shared file without collective calls.",
    condition: "At least strided_ranks ranks use a file without collective MPI-IO. The known \
                strides are more than strided_share of the requests. The commonest request is \
                below strided_request, or at least strided_many_ranks ranks take turns.",
    why: "The pieces of all ranks together are contiguous, but each goes to the storage by \
          itself, and neighbours want the same blocks.",
    fix: "Describe the pattern with a file view and use collective calls, which merge it.",
    see: "https://www.mcs.anl.gov/~thakur/papers/romio-coll.pdf",
    applies_to: &[Feature::MpiIo],
    plots: &[Plot::Space, Plot::Time],
    moment: Moment::FileUse,
    check,
};

/// Requests that follow the last one at a known distance.
fn strided(usage: &Usage) -> u64 {
    usage.strides.iter().map(|(_, count)| count).sum::<u64>().min(usage.calls())
}

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.ranks_mean_something {
        return Check::Senseless;
    }
    let mut shared = 0_u64;
    let mut files = Vec::new();
    let mut worst: Option<(f64, &File, &Usage)> = None;
    for file in run.data() {
        let Some(usage) = file.posix.as_deref() else { continue };
        let ranks = usage.ranks(run.ranks).min(run.active_ranks.max(1));
        let is_collective = file.mpiio.as_deref().is_some_and(Usage::is_collective);
        if usage.calls() == 0 || (ranks as f64) < limits.strided_ranks || is_collective {
            continue;
        }
        shared += 1;
        let request = usage.common_size().map_or(0, |(size, _)| size) as f64;
        let many = ranks as f64 >= limits.strided_many_ranks;
        if strided(usage) as f64 <= limits.strided_share * usage.calls() as f64
            || (request >= limits.strided_request && !many)
        {
            continue;
        }
        let seconds = usage.slowest_part(usage.data_time(), run.ranks);
        files.push(cx.share_of(file, seconds));
        if worst.is_none_or(|(most, ..)| seconds > most) {
            worst = Some((seconds, file, usage));
        }
    }
    let Some((_, file, usage)) = worst else {
        return match shared {
            0 => Check::Senseless,
            _ => Check::Fine("Ranks do not take turns on shared files.".into()),
        };
    };
    let (stride, times) = usage.strides.first().copied().unwrap_or((0, 0));
    let request = usage.common_size().map_or(0, |(size, _)| size);
    let ranks = usage.ranks(run.ranks);
    let title = format!(
        "{} ranks take turns of {} in {} without collective calls",
        number::thousands(ranks),
        number::bytes(request),
        super::base(&file.name)
    );
    let detail = format!(
        "{} of {} requests follow at a distance of {}, the commonest of all.",
        number::thousands(times),
        number::thousands(usage.calls()),
        number::bytes(stride)
    );
    let seconds = files.iter().map(|file| file.seconds).sum::<f64>();
    let setting = cx.setting(Some(file));
    Case::new(title, detail, seconds.min(run.posix.slowest).min(run.run_time))
        .evidence("ranks", ranks as f64, Quantity::Count)
        .evidence("commonest request", request as f64, Quantity::Bytes)
        .evidence("commonest stride", stride as f64, Quantity::Bytes)
        .evidence("strided requests", strided(usage) as f64, Quantity::Count)
        .evidence("requests", usage.calls() as f64, Quantity::Count)
        .files(top_files(files))
        .advise(advice::file_view(&setting, request, stride.saturating_add(request)))
        .phrase("interleaved writes without collective calls")
        .fired()
}
