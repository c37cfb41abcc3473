//! A06: data forced to the storage again and again.

use std::collections::HashSet;

use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Dimension, FileShare, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "A06",
    slug: "flush-storm",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "Data is forced to the storage after every few writes.",
    condition: "One of these holds. There are more than syncs calls of fsync and fdatasync with \
                less than sync_bytes written for each. HDF5 files and datasets are flushed more \
                than syncs times. Streams are flushed more than sync_stream times, and after \
                more than half of the writes. There are more than syncs calls of MPI_File_sync \
                with less than sync_bytes written for each. One sync for each rank does not \
                count.",
    why: "Each sync waits until the storage has everything. Nothing can be gathered meanwhile.",
    fix: "Sync once per checkpoint, after the last write.",
    see: "https://man7.org/linux/man-pages/man2/fsync.2.html",
    applies_to: &[Feature::Posix(Direction::Write)],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let mut files = Vec::new();
    let (mut syncs, mut writes, mut bytes, mut seconds) = (0_u64, 0_u64, 0_u64, 0.0);
    let mut text_only = true;
    // One sync by each rank at the end is fine, however many files it has. More are not.
    let all: u64 =
        [&run.posix.sum, &run.mpiio.sum].iter().map(|sum| sum.rare().syncs).max().unwrap_or(0);
    let hdf5 = run.data().filter_map(|file| file.h5f.as_deref());
    let in_hdf5: u64 =
        if run.libraries.hdf5 { hdf5.map(|usage| usage.rare().syncs).sum() } else { 0 };
    let often = all.max(in_hdf5).saturating_sub(run.active_ranks) as f64 > limits.syncs;
    let are_synced = all > 0 || in_hdf5 > 0 || run.stdio.sum.rare().syncs > 0;
    for file in run.data().filter(|_| are_synced) {
        for (usage, is_text) in
            [(&file.posix, false), (&file.mpiio, false), (&file.stdio, true), (&file.h5f, false)]
        {
            let Some(usage) = usage.as_deref() else { continue };
            let (way, own_syncs) = (usage.way(Direction::Write), usage.rare().syncs);
            let each = way.bytes as f64 / own_syncs.max(1) as f64;
            let fires = if is_text {
                let more = own_syncs.saturating_sub(usage.ranks(run.ranks));
                more as f64 > limits.sync_stream && own_syncs > way.calls / 2
            } else {
                often && own_syncs > 0 && each < limits.sync_bytes
            };
            if !fires {
                continue;
            }
            syncs = syncs.saturating_add(own_syncs);
            writes = writes.saturating_add(way.calls);
            bytes = bytes.saturating_add(way.bytes);
            let own = usage.slowest_part(way.time, run.ranks);
            seconds += own;
            text_only &= is_text;
            files.push(cx.share_of(file, own));
        }
    }
    let flushes: u64 =
        run.datasets.iter().map(|dataset| dataset.usage.rare().syncs).fold(0, u64::saturating_add);
    if flushes as f64 > limits.syncs {
        syncs = syncs.saturating_add(flushes);
        text_only = false;
        // They cause writes to the files below.
        let flushed: HashSet<u64> = run
            .datasets
            .iter()
            .filter(|dataset| dataset.usage.rare().syncs > 0)
            .filter_map(|dataset| dataset.file)
            .collect();
        for file in run.data().filter(|file| flushed.contains(&file.id)) {
            let Some(usage) = file.posix.as_deref() else { continue };
            let way = usage.way(Direction::Write);
            let own = usage.slowest_part(way.time, run.ranks);
            if files.iter().all(|known: &FileShare| known.path != file.name) {
                writes = writes.saturating_add(way.calls);
                bytes = bytes.saturating_add(way.bytes);
                seconds += own;
                files.push(cx.share_of(file, own));
            }
        }
    }
    let all = run.posix.sum.rare().syncs
        + run.mpiio.sum.rare().syncs
        + run.stdio.sum.rare().syncs
        + flushes;
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
        run.data().max_by_key(|file| file.posix.as_deref().map_or(0, |u| u.rare().syncs));
    let setting = cx.setting(largest);
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("syncs", syncs as f64, Quantity::Count)
        .evidence("writes", writes as f64, Quantity::Count)
        .evidence("bytes a sync", each as f64, Quantity::Bytes)
        .pool(if text_only { Pool::Text } else { Pool::Write })
        .advise(advice::sync_once(&setting, syncs, each))
        // Flushes that cause no visible write hold nothing back.
        .cause_if(!files.is_empty())
        .files(top_files(files))
        .fired()
}
