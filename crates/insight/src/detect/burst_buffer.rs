//! F07: files that never had to leave the node.

use super::{Case, Check, Context, Detector, Feature, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "F07",
    slug: "burst-buffer",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "Files are written and read back within the job.",
    condition: "Data files with at least buffer_bytes together are read after they are written. \
                At least half of what is written to each is read.",
    why: "Data that the same job reads back need not travel to the servers and return.",
    fix: "Keep such files on a disk of the node or a burst buffer.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::ReadsAndWrites],
    plots: &[Plot::Time],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let run = cx.run;
    let comes_back = |file: &&File| {
        file.posix.as_deref().is_some_and(|usage| {
            let (read, write) = (usage.way(Direction::Read), usage.way(Direction::Write));
            write.bytes > 0
                && read.bytes.saturating_mul(2) >= write.bytes
                && read.last > write.first
                && read.first >= write.last
                && write.last > 0.0
        })
    };
    if run.posix.way(Direction::Write).bytes == 0 || run.posix.way(Direction::Read).bytes == 0 {
        return Check::Senseless;
    }
    let back: Vec<&File> = run.data().filter(comes_back).collect();
    let bytes = back
        .iter()
        .filter_map(|file| file.posix.as_deref())
        .map(|u| u.way(Direction::Write).bytes)
        .fold(0, u64::saturating_add);
    let detail = format!(
        "{} with {} read back.",
        number::counted(back.len() as u64, "file", "files"),
        number::bytes(bytes)
    );
    if (bytes as f64) < cx.limits.buffer_bytes {
        return Check::Fine(detail);
    }
    let seconds =
        back.iter().map(|file| file.slowest_time(run.ranks)).sum::<f64>().min(run.posix.slowest);
    let files = back.iter().map(|file| cx.share_of(file, file.slowest_time(run.ranks)));
    let setting = cx.setting(back.first().copied());
    Case::new(
        format!("{} are written and read back", number::bytes(bytes)),
        detail,
        seconds.min(run.run_time),
    )
    .evidence("bytes", bytes as f64, Quantity::Bytes)
    .evidence("files", back.len() as f64, Quantity::Count)
    .files(top_files(files))
    .advise(advice::burst_buffer(&setting, bytes))
    .fired()
}
