//! H05: datasets of a shared file that ranks access for themselves.

use std::collections::HashSet;

use super::{Case, Check, Context, Detector, Feature, datasets, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Need, Plot, Quantity};
use crate::model::File;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "H05",
    slug: "hdf5-independent",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "Ranks access HDF5 datasets of a shared file independently.",
    condition: "HDF5 opened a file with MPI-IO, and some of its datasets are never accessed \
                collectively. They have more than collective_operations_absolute accesses \
                together.",
    why: "Independent transfers of different ranks cannot be merged.",
    fix: "Ask for collective transfers: H5Pset_dxpl_mpio(H5FD_MPIO_COLLECTIVE).",
    see: "https://support.hdfgroup.org/documentation/hdf5/latest/group___d_x_p_l.html",
    applies_to: &[Feature::Hdf5, Feature::Ranks],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let run = cx.run;
    if !run.libraries.hdf5 || !run.ranks_mean_something {
        return Check::Senseless;
    }
    let parallel: Vec<&File> = run.data().filter(|file| file.h5f_uses_mpiio).collect();
    if parallel.is_empty() {
        return Check::Senseless;
    }
    if !datasets::are_known(cx) {
        return Check::NotCheckable(Need::Hdf5);
    }
    let ids: HashSet<u64> = parallel.iter().map(|file| file.id).collect();
    let (mut alone, mut together) = (0_u64, 0_u64);
    for dataset in
        run.datasets.iter().filter(|d| !d.is_pnetcdf && d.file.is_some_and(|id| ids.contains(&id)))
    {
        let calls = dataset.usage.calls();
        if dataset.is_collective { together += calls } else { alone = alone.saturating_add(calls) }
    }
    let detail = format!(
        "{} accesses of datasets are independent, {} collective.",
        number::thousands(alone),
        number::thousands(together)
    );
    if together > 0 || alone as f64 <= cx.limits.collective_operations_absolute {
        return Check::Fine(detail);
    }
    let seconds =
        parallel.iter().map(|file| file.slowest_time(run.ranks)).sum::<f64>().min(run.io_time());
    let files = parallel.iter().map(|file| cx.share_of(file, file.slowest_time(run.ranks)));
    let setting = cx.setting(parallel.first().copied());
    let writes = run.posix.slowest_write >= run.posix.slowest_read;
    let advice = if writes {
        advice::collective_write(&setting, advice::IoLibrary::Hdf5)
    } else {
        advice::collective_read(&setting, advice::IoLibrary::Hdf5)
    };
    Case::new(
        format!("{} HDF5 accesses are all independent", number::thousands(alone)),
        detail,
        seconds.min(run.run_time),
    )
    .evidence("independent accesses", alone as f64, Quantity::Count)
    .files(top_files(files))
    .advise(advice)
    .phrase("HDF5 without collective calls")
    .fired()
}
