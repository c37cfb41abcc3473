//! The ranks that logs tell of: some may have been killed before they left a log, or their logs are not
//! given.

use std::collections::BTreeSet;

use ioglass_harvest::process::Process;
use ioglass_log::{Error, Log};

use crate::input::{Input, each_counted};
use crate::ranks::Ranks;

/// The ranks that a log tells of.
#[derive(Debug, Default)]
pub(crate) struct Present {
    /// Ranks, by their number in the log.
    ranks: BTreeSet<i64>,
    /// Processes that did nothing to files and may be any rank.
    idle: i64,
    /// True if it is of the whole job.
    is_all: bool,
}

impl Present {
    /// Asks the table of processes, or the records where there is none.
    pub(crate) fn of(log: &Log, processes: &[Process]) -> Result<Self, Error> {
        if processes.is_empty() {
            return Self::by_records(log);
        }
        let ranks = processes.iter().filter_map(|process| process.rank).collect();
        let idle = processes.iter().filter(|process| process.rank.is_none());
        let idle = idle.filter(|process| process.ending != "unseen").count() as i64;
        Ok(Self { ranks, idle, is_all: false })
    }

    fn by_records(log: &Log) -> Result<Self, Error> {
        let mut found = Self::default();
        each_counted(log, |record| {
            found.ranks.insert(record.base.rank);
        })?;
        // The reference leaves logs of single ranks of a job that did not end.
        found.is_all = found.ranks.contains(&-1) || found.ranks.len() > 1 && log.job().has_ended();
        found.idle = i64::from(found.ranks.is_empty());
        Ok(found)
    }
}

/// Number of ranks of the job that no log tells of.
pub(crate) fn missing(inputs: &[Input], ranks: &Ranks) -> i64 {
    let numbered = || inputs.iter().filter(|input| input.has_fixed_ranks());
    if numbered().next().is_none() || numbered().any(|input| input.present.is_all) {
        return 0;
    }
    let places = inputs.iter().enumerate();
    let there: BTreeSet<i64> = places
        .flat_map(|(log, input)| input.present.ranks.iter().map(move |rank| ranks.of(log, *rank)))
        .filter(|rank| (0..ranks.count).contains(rank))
        .collect();
    let idle: i64 = inputs.iter().map(|input| input.present.idle).sum();
    (ranks.count - there.len() as i64 - idle).max(0)
}
