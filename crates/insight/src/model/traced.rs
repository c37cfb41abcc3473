//! Files that only the trace knows, because their records were lost or never kept.

use std::collections::HashSet;

use super::build;
use super::directory::mount_of;
use super::file::{File, FileKind};
use super::sizes::{CLASS_BOUNDS, Sizes};
use super::usage::{RankUse, Usage, Way};
use super::{Run, Totals};
use crate::recording::Recording;
use crate::trace::{FileFacts, Flow, TraceLimits};

impl Run {
    /// Adds these files, with the usage that follows from their calls.
    pub(super) fn add_traced(&mut self, recording: &dyn Recording) {
        let Some(trace) = &self.trace else { return };
        let known: HashSet<u64> = self.files.iter().map(|file| file.id).collect();
        let room = build::ModelLimits::of(recording.size()).things.saturating_sub(self.files.len());
        let is_new = |facts: &&FileFacts| !known.contains(&facts.id) && !facts.by_rank.is_empty();
        let mut new = Vec::new();
        for facts in trace.files.iter().filter(is_new).take(room) {
            let name = recording.names().lookup(facts.id).into_owned();
            let (kind, mount) = (FileKind::of(&name), mount_of(&self.mounts, &name));
            let mut file = File::new(facts.id, name.into(), kind, mount);
            file.posix = Some(Box::new(usage(facts, &trace.limits)));
            file.sum_up();
            new.push(file);
        }
        if new.is_empty() {
            return;
        }
        self.files.append(&mut new);
        self.files.sort_by(|a, b| a.name.cmp(&b.name).then(a.id.cmp(&b.id)));
        for totals in self.totals_mut() {
            *totals = Totals::default();
        }
        self.sum_up();
    }
}

fn usage(facts: &FileFacts, limits: &TraceLimits) -> Usage {
    let by_rank = facts.by_rank.iter().map(|own| RankUse {
        rank: i64::from(own.rank),
        read: own.read,
        written: own.written,
        data_time: own.time.seconds(),
        meta_time: 0.0,
    });
    Usage {
        ways: [way(&facts.reads, limits), way(&facts.writes, limits)],
        // Each rank must have opened it, though a trace does not show that.
        opens: facts.by_rank.len() as u64,
        file_misaligned: facts.reads.misaligned_offsets + facts.writes.misaligned_offsets,
        alignment: facts.unit,
        by_rank: by_rank.collect(),
        ..Usage::default()
    }
}

fn way(flow: &Flow, limits: &TraceLimits) -> Way {
    let mut sizes = Sizes::default();
    // Small requests and others are told apart; within, their mean decides.
    let class = |bytes: f64| CLASS_BOUNDS.partition_point(|bound| (*bound as f64) < bytes);
    let small = limits.small as f64;
    sizes.add(class(flow.mean().min(small - 1.0)), flow.small);
    let others = flow.requests - flow.small.min(flow.requests);
    sizes.add(class(flow.mean().max(small + 1.0)), others);
    Way {
        calls: flow.requests,
        bytes: flow.bytes,
        time: flow.time.seconds(),
        consecutive: flow.runs.requests,
        // What jumps is not known; nothing is said of it.
        sequential: flow.requests,
        extent: flow.extent,
        sizes,
        ..Way::default()
    }
}
