//! Helpers of the checks that use a trace.

use super::{Check, Context};
use crate::advice::FileSystem;
use crate::finding::{FileShare, Need};
use crate::model::{Direction, File};
use crate::trace::{Asked, FileFacts, Flow, Rounds, TraceFacts};

/// A data file and its facts from the trace.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileTrace<'a> {
    pub(super) file: &'a File,
    pub(super) facts: &'a FileFacts,
}

/// The trace and its data files. The error is the outcome of the check without a trace.
pub(super) fn files<'a>(cx: &Context<'a>) -> Result<(&'a TraceFacts, Vec<FileTrace<'a>>), Check> {
    let trace = cx.run.trace.as_ref().ok_or(Check::NotCheckable(Need::Trace))?;
    let run = cx.run;
    let traced = |file| Some(FileTrace { file, facts: trace.file(file.id)? });
    Ok((trace, run.data().filter_map(traced).collect()))
}

impl FileTrace<'_> {
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

    /// The share of the file in a finding.
    pub(super) fn share(&self, seconds: f64) -> FileShare {
        let (reads, writes) = (&self.facts.reads, &self.facts.writes);
        FileShare {
            path: self.file.name.clone(),
            seconds,
            bytes: reads.bytes.saturating_add(writes.bytes),
            ranks: reads.ranks.max(writes.ranks),
            record: self.file.id,
        }
    }

    /// The requests to MPI-IO in one direction, if they were collective.
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

/// True if there are collective calls.
pub(super) fn is_collective(cx: &Context<'_>) -> bool {
    cx.run.ranks_mean_something && cx.run.mpiio.sum.is_collective()
}

/// True if several nodes share the file system, so that its blocks are locked.
pub(super) fn is_locked(cx: &Context<'_>, file: &File) -> bool {
    let kind = super::context::kind_of(cx.run.fs_type(file));
    file.stripes.is_some() || !matches!(kind, FileSystem::Local | FileSystem::Nfs)
}

/// A power of two to try as a size.
pub(super) fn round_up(bytes: f64, most: u64) -> u64 {
    (bytes.max(1.0) as u64).min(most).checked_next_power_of_two().unwrap_or(most).min(most)
}
