//! H06: all ranks read the same metadata of HDF5.

use super::traced::{self, FileTrace};
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Confidence, Dimension, Level, Moment, Plot, Quantity};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "H06",
    slug: "hdf5-meta-all-ranks",
    dimension: Dimension::MetadataIntensity,
    highest: Level::High,
    what: "Nearly all ranks read the same small pieces of an HDF5 file.",
    condition: "At least meta_all_ranks_ranks ranks use an HDF5 file. At least \
                meta_all_ranks_share of all requests to it, and at least \
                meta_all_ranks_requests, read extents below meta_all_ranks_bytes that at least \
                meta_all_ranks_part of the ranks read.",
    why: "Every rank asks the storage for the same few bytes of metadata, one after the other, before it can touch data.",
    fix: "Let HDF5 read metadata collectively: one rank reads it and tells the others.",
    see: "https://support.hdfgroup.org/documentation/hdf5/latest/group___f_a_p_l.html",
    applies_to: &[Feature::Hdf5, Feature::Ranks],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let is_read = |file: &crate::model::File| {
        file.posix.as_deref().is_some_and(|usage| usage.ways[0].calls > 0)
    };
    let has_hdf5 =
        || run.libraries.hdf5_files && run.data().any(|file| file.is_hdf5() && is_read(file));
    let is_small = (run.active_ranks as f64) < limits.meta_all_ranks_ranks;
    if !run.ranks_mean_something || is_small || !has_hdf5() {
        return Check::Senseless;
    }
    let (trace, files) = match traced::files(cx) {
        Ok(traced) => traced,
        Err(check) => return check,
    };
    let ranks = trace.ranks.len() as u64;
    let is_common = |traced: &&FileTrace<'_>| {
        let common = traced.facts.common.requests as f64;
        common >= limits.meta_all_ranks_requests
            && common >= limits.meta_all_ranks_share * traced.requests() as f64
    };
    let hdf5 = || files.iter().filter(|traced| traced.file.is_hdf5());
    let found: Vec<_> = hdf5().filter(is_common).collect();
    let is_enough = ranks as f64 >= limits.meta_all_ranks_ranks;
    let worst = found.iter().max_by_key(|traced| traced.facts.common.requests);
    let Some(worst) = worst.filter(|_| is_enough) else {
        let reads: u64 = hdf5().map(|traced| traced.facts.common.requests).sum();
        let all: u64 = hdf5().map(FileTrace::requests).sum();
        return Check::Fine(format!(
            "{} of {} requests to HDF5 files read pieces that all ranks read.",
            number::thousands(reads),
            number::thousands(all)
        ));
    };
    // The reads of the slowest rank. One rank still has to read, but the others do not delay it.
    let seconds = found.iter().map(|traced| traced.facts.common.slowest.seconds()).sum::<f64>();
    let common = worst.facts.common;
    let unique = common.bytes / (common.requests / common.extents.max(1)).max(1);
    let title = format!(
        "All {} ranks read the same {} pieces of HDF5 metadata",
        number::thousands(ranks),
        number::thousands(common.extents)
    );
    let detail = format!(
        "{}: {} of {} requests are for {} that one rank could read for all.",
        super::base(&worst.file.name),
        number::thousands(common.requests),
        number::thousands(worst.requests()),
        number::bytes(unique)
    );
    let share = common.requests as f64 / worst.requests().max(1) as f64;
    let shares = found.iter().map(|traced| traced.share(traced.facts.common.slowest.seconds()));
    let setting = cx.setting(Some(worst.file));
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("extents", common.extents as f64, Quantity::Count)
        .evidence("reads of them", common.requests as f64, Quantity::Count)
        .evidence("share of all requests", share, Quantity::Share)
        .evidence("ranks", ranks as f64, Quantity::Count)
        .files(top_files(shares))
        .pool(Pool::Read)
        .confidence(Confidence::Measured)
        .advise(advice::hdf5_collective_metadata(&setting))
        .fired()
}
