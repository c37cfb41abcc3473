//! What the checks of a trace have in common.

use super::{Check, Context};
use crate::advice::FileSystem;
use crate::finding::{FileShare, Need};
use crate::model::{Direction, File};
use crate::trace::{Asked, FileFacts, Flow, Rounds, TraceFacts};

/// A data file and what the trace tells of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Traced<'a> {
    pub(super) file: &'a File,
    pub(super) facts: &'a FileFacts,
}

/// The trace and its data files; the verdict if there is no trace.
pub(super) fn files<'a>(cx: &Context<'a>) -> Result<(&'a TraceFacts, Vec<Traced<'a>>), Check> {
    let trace = cx.run.trace.as_ref().ok_or(Check::NotCheckable(Need::Trace))?;
    let run = cx.run;
    let traced = |file| Some(Traced { file, facts: trace.file(file.id)? });
    Ok((trace, run.data().filter_map(traced).collect()))
}

impl Traced<'_> {
    /// Requests of one direction through POSIX.
    pub(super) fn flow(&self, direction: Direction) -> &Flow {
        match direction {
            Direction::Read => &self.facts.reads,
            Direction::Write => &self.facts.writes,
        }
    }

    /// Reads and writes through POSIX.
    pub(super) fn requests(&self) -> u64 {
        self.facts.reads.requests.saturating_add(self.facts.writes.requests)
    }

    /// The part that the file has in a finding.
    pub(super) fn share(&self, seconds: f64) -> FileShare {
        let (reads, writes) = (&self.facts.reads, &self.facts.writes);
        FileShare {
            path: self.file.name.clone(),
            seconds,
            bytes: reads.bytes.saturating_add(writes.bytes),
            ranks: reads.ranks.max(writes.ranks),
        }
    }

    /// What MPI-IO was asked for in one direction, if that was by collective calls.
    pub(super) fn collective(&self, direction: Direction) -> Option<(&Flow, &Rounds)> {
        let usage = self.file.mpiio.as_deref()?;
        let way = usage.way(direction);
        let asked: &Asked = self.facts.asked.as_deref()?;
        (way.kinds().together() > 0).then_some(match direction {
            Direction::Read => (&asked.reads, &asked.read_rounds),
            Direction::Write => (&asked.writes, &asked.write_rounds),
        })
    }
}

/// Whether collective calls were made at all.
pub(super) fn is_collective(cx: &Context<'_>) -> bool {
    cx.run.ranks_mean_something && cx.run.mpiio.sum.is_collective()
}

/// Whether several nodes share the file system, so that its blocks are locked.
pub(super) fn is_locked(cx: &Context<'_>, file: &File) -> bool {
    let kind = super::context::kind_of(cx.run.fs_type(file));
    file.stripes.is_some() || !matches!(kind, FileSystem::Local | FileSystem::Nfs)
}

/// A size to try: a power of two.
pub(super) fn round_up(bytes: f64, most: u64) -> u64 {
    (bytes.max(1.0) as u64).min(most).checked_next_power_of_two().unwrap_or(most).min(most)
}
