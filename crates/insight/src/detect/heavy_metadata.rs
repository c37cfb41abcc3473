//! N01: more metadata calls than data transfers.

use super::{Case, Check, Context, Detector, Feature, Pool, many_small_files, top_files};
use crate::advice;
use crate::finding::{Advice, Dimension, Level, Moment, Plot, Quantity};
use crate::model::{File, Usage};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "N01",
    slug: "heavy-metadata",
    dimension: Dimension::MetadataIntensity,
    highest: Level::High,
    what: "Files are opened, looked up and closed, and hardly anything is read or written.",
    condition: "One of these holds for files that are not start-up files. There are at least \
                metadata_opens opens, with less than metadata_bytes_per_open moved per file on \
                average. Or opens, stats and seeks together are more than metadata_per_data for \
                each read or write, and more than metadata_operations. Or each rank opens a file \
                more than metadata_opens_per_file times, metadata_opens in all, and that costs \
                metadata_share of the run.",
    why: "Each open and close is a trip to the metadata server, which all jobs share.",
    fix: "Keep files open. Put many small things into one file. Let one rank ask and tell the \
          others.",
    see: "https://docs.nersc.gov/performance/io/lustre/",
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let sum = &run.posix.sum;
    if run.posix.files == 0 {
        return Check::Senseless;
    }
    let (mut opened, mut reopened) = (0_u64, 0_u64);
    for usage in run.data().filter_map(|file| file.posix.as_deref()) {
        let each = usage.opens as f64 / usage.ranks(run.ranks).max(1) as f64;
        // What is only asked about has no bytes to speak of.
        opened += u64::from(usage.opens > 0);
        reopened += u64::from(
            each > limits.metadata_opens_per_file && usage.opens as f64 >= limits.metadata_opens,
        );
    }
    let per_file = sum.bytes() as f64 / opened.max(1) as f64;
    // One stat and one open of a file are normal.
    let needed = run.posix.files.saturating_mul(2);
    let asked =
        sum.opens.saturating_add(sum.stats).saturating_add(sum.seeks).saturating_sub(needed);
    let calls = sum.calls();
    let ratio = asked as f64 / calls.max(1) as f64;
    let meta = run.posix.slowest_meta;
    // What streams move through a file is no less than what calls move.
    let streamed = run.stdio.sum.bytes();
    let empty = sum.opens as f64 >= limits.metadata_opens
        && per_file < limits.metadata_bytes_per_open
        && !(streamed > 0 && streamed as f64 >= limits.metadata_bytes_per_open * opened as f64);
    // Seeks are free. A program that only seeks is not held back by metadata.
    let looked_up = sum.opens.saturating_add(sum.stats);
    let asks = ratio > limits.metadata_per_data
        && looked_up as f64 > limits.metadata_operations
        && run.share(meta) >= limits.metadata_share
        && meta > run.posix.slowest_read + run.posix.slowest_write;
    let reopens = reopened > 0
        && run.share(meta) >= limits.metadata_share
        && meta > run.posix.slowest_read + run.posix.slowest_write;
    let detail = format!(
        "{} opens, {} stats and {} seeks for {} reads and writes, {} a file.",
        number::thousands(sum.opens),
        number::thousands(sum.stats),
        number::thousands(sum.seeks),
        number::thousands(calls),
        number::bytes(per_file as u64)
    );
    if !(empty || asks || reopens) {
        return Check::Fine(detail);
    }
    let title = if empty && sum.bytes() == 0 && reopened == 0 {
        format!(
            "{} are opened and none is read or written",
            number::counted(opened, "file", "files")
        )
    } else if empty && reopened == 0 {
        format!("{} opens for {} of data", number::thousands(sum.opens), number::bytes(sum.bytes()))
    } else if reopened > 0 {
        format!("{} opened over and over", number::counted(reopened, "file is", "files are"))
    } else if sum.stats > sum.opens {
        format!(
            "{} stat calls on {}",
            number::thousands(sum.stats),
            number::counted(run.posix.files, "file", "files")
        )
    } else {
        format!("{} metadata calls for each read or write", number::digits(ratio))
    };
    let files = run.data().filter_map(|file| {
        let usage = file.posix.as_deref().filter(|usage| usage.meta_time > 0.0)?;
        Some(cx.share_of(file, usage.slowest_part(usage.meta_time, run.ranks)))
    });
    Case::new(title, detail, meta.min(run.run_time))
        .evidence("opens", sum.opens as f64, Quantity::Count)
        .evidence("stats", sum.stats as f64, Quantity::Count)
        .evidence("seeks", sum.seeks as f64, Quantity::Count)
        .evidence("reads and writes", calls as f64, Quantity::Count)
        .evidence("bytes a file", per_file, Quantity::Bytes)
        .files(top_files(files))
        .pool(Pool::Metadata)
        .advise(fewer_questions(cx))
        .fired()
}

/// Advises on opens or on stats, whichever are too many.
pub(super) fn fewer_questions(cx: &Context<'_>) -> Advice {
    let (run, setting) = (cx.run, cx.setting(None));
    let each = |usage: &Usage| usage.opens / usage.ranks(run.ranks).max(1);
    let most = run.data().filter_map(|file| file.posix.as_deref()).map(each).max().unwrap_or(0);
    if most > 1 {
        return advice::open_once(&setting, most);
    }
    let sum = &run.posix.sum;
    if sum.stats > sum.opens {
        return advice::ask_less(&setting, sum.stats, run.posix.files);
    }
    let files: Vec<&File> = run.data().filter(|file| file.posix.is_some()).collect();
    let place = many_small_files::commonest_folder(&files);
    advice::many_small_files(&setting, files.len() as u64, sum.bytes(), place)
}
