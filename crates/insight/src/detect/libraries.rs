//! H09, H10: PnetCDF and DAOS.

use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::{CLASS_BOUNDS, Usage};
use crate::number;

pub(super) static PNETCDF: Detector = Detector {
    code: "H09",
    slug: "pnetcdf-wait",
    dimension: Dimension::InterfaceChoice,
    highest: Level::Warn,
    what: "PnetCDF moves variables one by one, or spends long waiting for them.",
    condition: "Wait calls take at least pnetcdf_time of the run. Or more than pnetcdf_calls \
                accesses to variables are independent and none is non-blocking.",
    why: "All ranks wait once for non-blocking requests, and PnetCDF merges them then. It does \
          not merge single requests.",
    fix: "Post with ncmpi_iput and ncmpi_iget, then wait once for all with ncmpi_wait_all.",
    see: "https://parallel-netcdf.github.io/",
    applies_to: &[Feature::Pnetcdf],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check: pnetcdf,
};

pub(super) static DAOS: Detector = Detector {
    code: "H10",
    slug: "daos-small",
    dimension: Dimension::AccessGranularity,
    highest: Level::Warn,
    what: "Requests to DAOS are small.",
    condition: "Requests of at most 100 KiB are more than small_requests of all requests to \
                DAOS, and more than small_requests_absolute.",
    why: "Each request is a message. A small one does not fill a chunk.",
    fix: "Move at least a chunk (1 MiB) at a time.",
    see: "https://docs.daos.io/latest/user/filesystem/",
    applies_to: &[Feature::Daos],
    plots: &[Plot::Requests, Plot::Time],
    moment: Moment::FileUse,
    check: daos,
};

fn pnetcdf(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.libraries.pnetcdf {
        return Check::Senseless;
    }
    let files: Vec<_> = run.data().filter(|file| file.pnetcdf.is_some()).collect();
    let variables = run.datasets.iter().filter(|dataset| dataset.is_pnetcdf);
    let (mut alone, mut posted) = (0_u64, 0_u64);
    for variable in variables {
        for way in &variable.usage.ways {
            alone = alone.saturating_add(way.kinds().independent);
            posted = posted.saturating_add(way.kinds().nonblocking);
        }
    }
    let wait = files.iter().map(|file| file.pnetcdf_wait).sum::<f64>() / run.ranks as f64;
    let detail = format!(
        "{} in wait calls per rank, {} independent accesses, {} non-blocking ones.",
        number::seconds(wait),
        number::thousands(alone),
        number::thousands(posted)
    );
    let slow = run.share(wait) >= limits.pnetcdf_time;
    let single = alone as f64 > limits.pnetcdf_calls && posted == 0;
    if !(slow || single) {
        return Check::Fine(detail);
    }
    let seconds =
        if slow { wait } else { files.iter().map(|file| file.slowest_time(run.ranks)).sum() };
    let title = if slow {
        format!("Ranks wait {} for PnetCDF", number::seconds(wait))
    } else {
        format!("{} accesses of PnetCDF variables, one by one", number::thousands(alone))
    };
    let shares = files.iter().map(|file| cx.share_of(file, file.slowest_time(run.ranks)));
    let setting = cx.setting(files.first().copied());
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("seconds of waiting", wait, Quantity::Seconds)
        .evidence("independent accesses", alone as f64, Quantity::Count)
        .evidence("non-blocking accesses", posted as f64, Quantity::Count)
        .files(top_files(shares))
        .pool(Pool::Wait)
        .advise(advice::pnetcdf_wait(&setting))
        .fired()
}

fn daos(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let sum: &Usage = &run.daos.sum;
    let all: u64 = sum.ways.iter().map(|way| way.sizes.all()).sum();
    if all == 0 {
        return Check::Senseless;
    }
    // Classes up to 100 KiB.
    let small: u64 = sum.ways.iter().map(|way| way.sizes.up_to(3)).sum();
    let share = small as f64 / all as f64;
    let detail = format!(
        "{} of {} requests have at most {} ({}).",
        number::thousands(small),
        number::thousands(all),
        number::bytes(CLASS_BOUNDS[3]),
        number::percent(share)
    );
    if share <= limits.small_requests || small as f64 <= limits.small_requests_absolute {
        return Check::Fine(detail);
    }
    let size = sum.common_size().map_or(0, |(size, _)| size);
    Case::new(
        format!("{} of requests to DAOS are small", number::percent(share)),
        detail,
        (run.daos.slowest * share).min(run.run_time),
    )
    .evidence("small requests", small as f64, Quantity::Count)
    .evidence("requests", all as f64, Quantity::Count)
    .advise(advice::daos_size(&cx.setting(None), size))
    .fired()
}
