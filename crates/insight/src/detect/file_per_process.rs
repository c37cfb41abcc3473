//! N03: a file for every rank, on many ranks.

use super::{Case, Check, Context, Detector, Feature, Pool, small_requests, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::File;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "N03",
    slug: "file-per-process",
    dimension: Dimension::FileStrategy,
    highest: Level::Warn,
    what: "Every rank has files of its own, and there are many ranks.",
    condition: "At least file_per_process_ranks ranks do I/O. At least as many files are each \
                used by one rank alone, and they hold most of the bytes. The commonest request \
                is below file_per_process_request; with larger requests a file pays off.",
    why: "The number of files grows with the job. Creating, finding and moving them costs the \
          metadata server time, and later everybody who handles them.",
    fix: "Write one file with MPI-IO, HDF5 or ADIOS, or one for each node (subfiling).",
    see: "https://docs.nersc.gov/performance/io/lustre/",
    applies_to: &[Feature::Ranks],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.ranks_mean_something {
        return Check::Senseless;
    }
    let alone = |file: &&File| file.bytes() > 0 && file.ranks(run.ranks) == 1;
    let own: Vec<&File> = run.data().filter(alone).collect();
    let bytes = |files: &mut dyn Iterator<Item = &File>| {
        files.fold(0_u64, |s, f| s.saturating_add(f.bytes()))
    };
    let (own_bytes, all_bytes) = (bytes(&mut own.iter().copied()), bytes(&mut run.data()));
    let request = small_requests::commonest(cx).map_or(0, |(size, ..)| size);
    let detail = format!(
        "{} ranks do I/O, {} files belong to one rank each and hold {} of {}.",
        number::thousands(run.active_ranks),
        number::thousands(own.len() as u64),
        number::bytes(own_bytes),
        number::bytes(all_bytes)
    );
    let fires = run.active_ranks as f64 >= limits.file_per_process_ranks
        && own.len() as u64 >= run.active_ranks
        && own_bytes.saturating_mul(2) > all_bytes
        && (request as f64) < limits.file_per_process_request;
    if !fires {
        return Check::Fine(detail);
    }
    let title = format!(
        "{} ranks write {} files of their own",
        number::thousands(run.active_ranks),
        number::thousands(own.len() as u64)
    );
    let files = own.iter().map(|file| cx.share_of(file, file.slowest_time(run.ranks)));
    let setting = cx.setting(own.first().copied());
    Case::new(title, detail, run.posix.slowest_meta.min(run.run_time))
        .evidence("files of one rank", own.len() as f64, Quantity::Count)
        .evidence("ranks", run.active_ranks as f64, Quantity::Count)
        .evidence("bytes in them", own_bytes as f64, Quantity::Bytes)
        .files(top_files(files))
        .pool(Pool::Metadata)
        .advise(advice::aggregate_files(&setting, own.len() as u64))
        .fired()
}
