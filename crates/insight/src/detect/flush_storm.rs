//! A06: data forced to the storage again and again.

use super::{Case, Check, Context, Detector, Pool, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Quantity};
use crate::model::{Direction, File};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "A06",
    slug: "flush-storm",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "Data is forced to the storage after every few writes.",
    condition: "One of: fsync and fdatasync more than syncs times with less than sync_bytes written for each; \
                flushes of HDF5 files and datasets more than syncs times; flushes of streams more than \
                sync_stream times and for more than half of the writes; MPI_File_sync more than syncs times \
                with less than sync_bytes for each. One sync for each rank does not count.",
    why: "Each sync waits until the storage has everything; nothing can be gathered meanwhile.",
    fix: "Sync once per checkpoint, after the last write.",
    see: "https://man7.org/linux/man-pages/man2/fsync.2.html",
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let mut files = Vec::new();
    let (mut syncs, mut writes, mut bytes, mut seconds) = (0_u64, 0_u64, 0_u64, 0.0);
    let mut text_only = true;
    // One by each rank at the end is as it should be, however many files it has; more are not.
    let all: u64 = [&run.posix.sum, &run.mpiio.sum].iter().map(|sum| sum.syncs).max().unwrap_or(0);
    let in_hdf5: u64 = run.data().filter_map(|file| file.h5f.as_deref()).map(|u| u.syncs).sum();
    let often = all.max(in_hdf5).saturating_sub(run.active_ranks) as f64 > limits.syncs;
    for file in run.data() {
        for (usage, is_text) in
            [(&file.posix, false), (&file.mpiio, false), (&file.stdio, true), (&file.h5f, false)]
        {
            let Some(usage) = usage.as_deref() else { continue };
            let way = usage.way(Direction::Write);
            let each = way.bytes as f64 / usage.syncs.max(1) as f64;
            let fires = if is_text {
                usage.syncs as f64 > limits.sync_stream && usage.syncs > way.calls / 2
            } else {
                often && usage.syncs > 0 && each < limits.sync_bytes
            };
            if !fires {
                continue;
            }
            syncs = syncs.saturating_add(usage.syncs);
            writes = writes.saturating_add(way.calls);
            bytes = bytes.saturating_add(way.bytes);
            let own = usage.slowest_part(way.time, run.ranks);
            seconds += own;
            text_only &= is_text;
            files.push(cx.share_of(file, own));
        }
    }
    let flushes: u64 =
        run.datasets.iter().map(|dataset| dataset.usage.syncs).fold(0, u64::saturating_add);
    if flushes as f64 > limits.syncs {
        syncs = syncs.saturating_add(flushes);
        text_only = false;
        // They end in writes of the file below, whichever that is.
        seconds += run.posix.slowest_write;
    }
    let all = run.posix.sum.syncs + run.mpiio.sum.syncs + run.stdio.sum.syncs + flushes;
    if syncs == 0 {
        let has_writes =
            run.posix.way(Direction::Write).calls + run.stdio.way(Direction::Write).calls > 0;
        return if has_writes {
            Check::Fine(format!("{} in all.", number::counted(all, "sync", "syncs")))
        } else {
            Check::Senseless
        };
    }
    let each = bytes / syncs.max(1);
    let title =
        format!("{} syncs, one for every {}", number::thousands(syncs), number::bytes(each));
    let detail = format!(
        "{} writes of {} and {} syncs on {}.",
        number::thousands(writes),
        number::bytes(bytes / writes.max(1)),
        number::thousands(syncs),
        number::counted(files.len() as u64, "file", "files")
    );
    let largest: Option<&File> =
        run.data().max_by_key(|file| file.posix.as_deref().map_or(0, |u| u.syncs));
    let setting = cx.setting(largest);
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("syncs", syncs as f64, Quantity::Count)
        .evidence("writes", writes as f64, Quantity::Count)
        .evidence("bytes a sync", each as f64, Quantity::Bytes)
        .files(top_files(files))
        .pool(if text_only { Pool::Text } else { Pool::Write })
        .advise(advice::sync_once(&setting, syncs, each))
        .fired()
}
