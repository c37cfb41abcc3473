//! H11: parts of datasets that lie scattered over a shared file.

use super::{Case, Check, Context, Detector, Feature, Pool, base, top_files};
use crate::advice;
use crate::finding::{Dimension, FileShare, Level, Moment, Need, Plot, Quantity};
use crate::model::{Dataset, Direction, File, Reduced, Usage};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "H11",
    slug: "hdf5-scattered",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "Each rank's part of an HDF5 dataset is scattered over the file, so that ranks exchange \
           their data before it is written.",
    condition: "HDF5 opened a file with MPI-IO, and datasets in it that have no chunks are \
                written collectively, in parts of more than one dimension. Fewer ranks write to \
                the storage than write through MPI-IO, so data is exchanged. Its writes take \
                the slowest rank wait_time of the run longer than those of POSIX. Ranks are \
                alike: the fastest takes at least wait_spread of the slowest. \
                On Lustre, where few ranks write for all in any case, it decides no verdict.",
    why: "A dataset without chunks has its elements in the order of its dimensions. A part of it \
          is many short pieces between those of other ranks, which aggregators have to sort.",
    fix: "Store the dataset in chunks that are, or divide, the part of a rank, without fill \
          values. Then each part is one piece of the file.",
    see: "https://support.hdfgroup.org/documentation/hdf5/latest/group___d_c_p_l.html",
    applies_to: &[Feature::Hdf5, Feature::Ranks, Feature::CollectiveCalls],
    plots: &[Plot::Space, Plot::Time],
    moment: Moment::FileUse,
    check,
};

/// A file with such datasets.
struct Scattered<'a> {
    file: &'a File,
    /// The dataset with most bytes, and its commonest access.
    dataset: &'a Dataset,
    writing: u64,
    asking: u64,
    above: f64,
    below: f64,
    share: FileShare,
}

fn check(cx: &Context<'_>) -> Check {
    let run = cx.run;
    let parallel = || run.data().filter(|file| file.h5f_uses_mpiio);
    if !run.ranks_mean_something || !run.libraries.hdf5 || parallel().next().is_none() {
        return Check::Senseless;
    }
    let (found, passed): (Vec<_>, Vec<_>) =
        parallel().filter_map(|file| scattered(cx, file)).partition(|one| is_costly(cx, one));
    if !found.is_empty() && !run.cores_are_enough {
        return Check::NotCheckable(Need::CoresForRanks);
    }
    let Some(worst) = found.iter().max_by(|a, b| a.share.seconds.total_cmp(&b.share.seconds))
    else {
        return match passed.first() {
            None => Check::Senseless,
            Some(one) => Check::Fine(format!("{}.", times(one))),
        };
    };
    let calls = worst.dataset.usage.way(Direction::Write).calls;
    let seconds: f64 = found.iter().map(|one| one.share.seconds).sum();
    let part = run.part_of(worst.file).unwrap_or_default();
    let name = base(&worst.file.name);
    let title = format!("Parts of {} lie scattered over {name}", number::bytes(part));
    let detail = format!(
        "{}: each part of a dataset is many pieces between those of other ranks. {} of {} ranks \
         write, after all have exchanged their data. {}.",
        name,
        number::thousands(worst.writing),
        number::thousands(worst.asking),
        times(worst)
    );
    let setting = cx.setting(Some(worst.file));
    // There, aggregators write for all whatever the parts are like.
    let is_usual = setting.file_system == advice::FileSystem::Lustre;
    Case::new(title, detail, seconds.min(run.mpiio.slowest_write).min(run.run_time))
        .evidence("bytes of a part", part as f64, Quantity::Bytes)
        .evidence("writes of the dataset", calls as f64, Quantity::Count)
        .evidence("ranks that ask", worst.asking as f64, Quantity::Count)
        .evidence("ranks that write", worst.writing as f64, Quantity::Count)
        .evidence("seconds in MPI-IO", worst.above, Quantity::Seconds)
        .evidence("seconds in POSIX", worst.below, Quantity::Seconds)
        .files(top_files(found.iter().map(|one| one.share.clone())))
        .pool(Pool::Wait)
        .seen_in(Direction::Write)
        .asked()
        .advise(advice::hdf5_parts(&setting, &worst.dataset.sides()))
        .phrase("datasets whose parts are scattered")
        .cause_if(!is_usual)
        .fired()
}

fn times(one: &Scattered<'_>) -> String {
    format!(
        "Collective writes take {}, the writes below them {}",
        number::seconds(one.above),
        number::seconds(one.below)
    )
}

fn scattered<'a>(cx: &Context<'a>, file: &'a File) -> Option<Scattered<'a>> {
    let run = cx.run;
    let (mpiio, posix) = (file.mpiio.as_deref()?, file.posix.as_deref()?);
    let asked = mpiio.way(Direction::Write);
    if asked.kinds().together() == 0 {
        return None;
    }
    let dataset = run.scattered_dataset(file)?;
    let slowest = |usage: &Usage| usage.slowest_part(usage.way(Direction::Write).time, run.ranks);
    let (above, below) = (slowest(mpiio), slowest(posix));
    Some(Scattered {
        file,
        dataset,
        writing: posix.movers(run.ranks),
        asking: mpiio.movers(run.ranks),
        above,
        below,
        share: cx.share_of(file, (above - below).max(0.0)),
    })
}

/// Ranks exchange data, and that takes long; it is no rank that comes late.
fn is_costly(cx: &Context<'_>, one: &Scattered<'_>) -> bool {
    let limits = cx.limits;
    let usage = one.file.mpiio.as_deref().and_then(|usage| usage.reduced.as_deref());
    let is_alike = |ranks: &Reduced| ranks.fastest_time >= limits.wait_spread * ranks.slowest_time;
    one.writing < one.asking
        && cx.run.share(one.above - one.below) >= limits.wait_time
        && usage.is_none_or(is_alike)
}
