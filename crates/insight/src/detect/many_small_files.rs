//! N02: data spread over very many small files.

use std::collections::BTreeMap;

use super::{Case, Check, Context, Detector, Feature, Pool, folder, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::{File, Usage};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "N02",
    slug: "many-small-files",
    dimension: Dimension::FileStrategy,
    highest: Level::High,
    what: "The data lies in very many files of less than 1 MiB.",
    condition: "More than small_files data files with something read or written are below \
                small_file_bytes each. They are more than small_files_per_rank for each rank \
                that does I/O.",
    why: "Each file costs an open, a close and an entry on the metadata server. Moving its bytes \
          costs almost nothing.",
    fix: "Put them into one file (HDF5, tar, zip, SQLite, WebDataset), or into one file for each \
          node.",
    see: "https://docs.nersc.gov/performance/io/lustre/",
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let (mut small, mut bytes, mut all) = (Vec::new(), 0_u64, 0_u64);
    for file in run.data() {
        // What is written and read again is there once.
        let held = file.bytes().min(extent(file));
        all += 1;
        if held > 0 && (held as f64) < limits.small_file_bytes {
            bytes = bytes.saturating_add(held);
            small.push(file);
        }
    }
    if all == 0 {
        return Check::Senseless;
    }
    let count = small.len() as u64;
    let detail = format!(
        "{} of {} files are smaller than {}, {} together.",
        number::thousands(count),
        number::thousands(all),
        number::bytes(limits.small_file_bytes as u64),
        number::bytes(bytes)
    );
    let per_rank = limits.small_files_per_rank * run.active_ranks as f64;
    if count as f64 <= limits.small_files.max(per_rank) {
        return Check::Fine(detail);
    }
    let price = |usage: &Usage| usage.time() * share(usage);
    let of_file = |usage: &Usage| usage.slowest_part(price(usage), run.ranks);
    let slowest = |file: &File| file.posix.as_deref().map_or(0.0, of_file);
    let usages = small.iter().filter_map(|file| file.posix.as_deref());
    let seconds = cx.slowest_rank(usages.map(|usage| (usage, price(usage))));
    let seconds = seconds.min(run.posix.slowest).min(run.run_time);
    let average = bytes / count.max(1);
    let title = format!("{} files hold {} each", number::thousands(count), number::bytes(average));
    let place = commonest_folder(&small).to_owned();
    let files = small.iter().map(|file| cx.share_of(file, slowest(file)));
    let setting = cx.setting(small.first().copied());
    Case::new(title, detail, seconds)
        .evidence("small files", count as f64, Quantity::Count)
        .evidence("files", all as f64, Quantity::Count)
        .evidence("bytes in small files", bytes as f64, Quantity::Bytes)
        .files(top_files(files))
        .pool(Pool::Metadata)
        .advise(advice::many_small_files(&setting, count, bytes, &place))
        .fired()
}

/// Requests that a small file needs each time it is opened.
const REQUESTS: u64 = 4;

/// The part of the time of a file that it costs because it is small. Many requests to one small file
/// are another matter, and so are syncs.
fn share(usage: &Usage) -> f64 {
    let needed = usage.opens.max(1).saturating_mul(REQUESTS);
    let all = usage.calls().saturating_add(usage.rare().syncs).max(1);
    let time = usage.time();
    if all <= needed || time <= 0.0 {
        return 1.0;
    }
    let data = usage.data_time() * needed as f64 / all as f64;
    (data + usage.meta_time) / time
}

/// The directory that holds most of these files.
pub(super) fn commonest_folder<'a>(files: &[&'a File]) -> &'a str {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    // By name, so that the files of a directory mostly follow each other.
    let Some(first) = files.first() else { return "." };
    let (mut last, mut follow) = (folder(&first.name), 0);
    for here in files.iter().map(|file| folder(&file.name)) {
        if here != last {
            *folders.entry(last).or_default() += follow;
            (last, follow) = (here, 0);
        }
        follow += 1;
    }
    *folders.entry(last).or_default() += follow;
    folders.into_iter().max_by_key(|(_, count)| *count).map_or(".", |(name, _)| name)
}

/// Bytes of a file, as far as they were touched.
fn extent(file: &File) -> u64 {
    let known = file.layers().map(Usage::extent).max().unwrap_or(0);
    if known == 0 { u64::MAX } else { known }
}
