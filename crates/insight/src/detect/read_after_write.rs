//! A07: a rank reads data that another rank wrote.

use super::{Case, Check, Context, Detector, Feature, Pool, top_files, traced};
use crate::advice;
use crate::finding::{Confidence, Dimension, Level, Moment, Plot, Quantity};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "A07",
    slug: "read-after-write",
    dimension: Dimension::Information,
    highest: Level::Warn,
    what: "Ranks read data that other ranks wrote to files in the same run.",
    condition: "Ranks read bytes whose last writer is another rank that finished before the read \
                began. These are at least read_after_write_bytes of a file, or \
                read_after_write_share of what is read from it.",
    why: "The data could go from memory to memory instead of through the storage. If writer and \
          reader do not synchronise, the result of the read is not certain.",
    fix: "Send the data with MPI, or keep it in memory. Otherwise call MPI_File_sync and a \
          barrier in between.",
    see: "https://www.mpi-forum.org/docs/",
    applies_to: &[Feature::Ranks, Feature::ReadsAndWrites],
    plots: &[Plot::Space, Plot::Time],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let has_both = run.posix.sum.ways.iter().all(|way| way.bytes > 0);
    if !run.ranks_mean_something || !has_both {
        return Check::Senseless;
    }
    let (_, files) = match traced::files(cx) {
        Ok(traced) => traced,
        Err(check) => return check,
    };
    let (mut bytes, mut requests, mut read, mut seconds) = (0_u64, 0_u64, 0_u64, 0.0);
    let (mut found, mut is_sieving) = (Vec::new(), true);
    for traced in &files {
        let handed = traced.facts.handed_over;
        let share = handed.bytes as f64 / traced.facts.reads.bytes.max(1) as f64;
        let is_much = handed.bytes as f64 >= limits.read_after_write_bytes
            || share >= limits.read_after_write_share;
        if handed.bytes > 0 && is_much {
            bytes = bytes.saturating_add(handed.bytes);
            requests = requests.saturating_add(handed.requests);
            read = read.saturating_add(traced.facts.reads.bytes);
            // These reads go away if data stays in memory. The slowest rank of each file counts.
            seconds += handed.slowest.seconds();
            found.push(traced.share(handed.slowest.seconds()));
            // Reads that nobody asked MPI-IO for are its own, for data sieving.
            let above = traced.file.mpiio.as_deref();
            is_sieving &= above.is_some_and(|usage| usage.ways[0].bytes == 0);
        }
    }
    if found.is_empty() {
        return Check::Fine("No rank reads much of what another wrote.".into());
    }
    let seconds = seconds.min(run.run_time);
    let title = format!("Ranks read back {} that other ranks wrote", number::bytes(bytes));
    let why =
        if is_sieving { " The program asked for none of them: data sieving does." } else { "" };
    let detail = format!(
        "{} in {} touch such bytes, {} of what is read there. They take up to {} of a rank's time.{why}",
        number::counted(requests, "read", "reads"),
        number::counted(found.len() as u64, "file", "files"),
        number::percent(bytes as f64 / read.max(1) as f64),
        number::seconds(seconds)
    );
    let setting = cx.setting(None);
    let advice = if is_sieving {
        advice::disable_data_sieving(&setting)
    } else {
        advice::keep_in_memory(&setting, bytes)
    };
    Case::new(title, detail, seconds)
        .evidence("bytes read that another rank wrote", bytes as f64, Quantity::Bytes)
        .evidence("reads of such bytes", requests as f64, Quantity::Count)
        .evidence("share of bytes read", bytes as f64 / read.max(1) as f64, Quantity::Share)
        .files(top_files(found))
        .pool(Pool::Read)
        .confidence(Confidence::Measured)
        .advise(advice)
        .fired()
}
