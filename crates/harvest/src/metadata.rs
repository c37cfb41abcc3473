//! The section `metadata`: calls that Darshan has no counter for, by rank and directory.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt::Write;

use ioglass_log::block::{Block, SectionWriter};
use ioglass_shm::{Kind, MetadataCall, MetadataCell, Pod};

use crate::capture::{Capture, until_nul};
use crate::process::words;
use crate::time::Timeline;
use crate::{NoMemory, push};

/// Name of the section.
pub const SECTION: &str = "metadata";
/// Its first line.
pub const COLUMNS: &str = "rank\tdirectory\toperation\tcalls\tfailed\tseconds";
/// Directories that a log names; the others of a rank are one.
pub const NAMED: usize = 64;
/// The name of all others.
pub const OTHERS: &str = "-";
/// A process without other I/O is a rank if it has made at least this many of these calls.
pub(crate) const RANK_CALLS: u64 = 32;

/// A directory of the job and the nanoseconds of calls in it.
pub(crate) type Cost = (u64, u64);

/// The calls of one process in one directory.
struct Calls<'r> {
    rank: Option<i64>,
    /// Empty for all that have no name here.
    directory: &'r [u8],
    cell: MetadataCell,
    time: Timeline,
}

/// All calls in this cell.
pub(crate) fn calls(cell: &MetadataCell) -> u64 {
    cell.of.iter().fold(0, |sum, count| sum.saturating_add(count.calls))
}

fn seconds(cell: &MetadataCell, time: &Timeline) -> f64 {
    cell.of.iter().map(|count| time.duration(count.ticks)).sum()
}

/// The cells of a capture, each with the name of its directory.
fn cells<'h, 'r>(
    capture: &'h Capture<'r>,
) -> impl Iterator<Item = (MetadataCell, &'r [u8])> + use<'h, 'r> {
    capture.of(Kind::Metadata).filter_map(|entry| {
        let cell = MetadataCell::read(entry.bytes)?;
        let name = entry.bytes.get(size_of::<MetadataCell>()..).unwrap_or_default();
        (calls(&cell) > 0).then_some((cell, until_nul(name)))
    })
}

/// The cost of calls in each directory, by id.
pub(crate) fn costs(captures: &[Capture<'_>], times: &[Timeline]) -> Result<Vec<Cost>, NoMemory> {
    let mut costs = Vec::new();
    for (capture, time) in captures.iter().zip(times) {
        for (cell, name) in cells(capture) {
            if !name.is_empty() {
                // A call that took no time at all costs something.
                let ns = (seconds(&cell, time) * 1e9) as u64;
                push(&mut costs, (cell.id, ns.saturating_add(calls(&cell))))?;
            }
        }
    }
    Ok(sum(costs))
}

/// Adds up what the same directories cost; in the order of their ids.
pub(crate) fn sum(mut costs: Vec<Cost>) -> Vec<Cost> {
    costs.sort_unstable();
    costs.dedup_by(|later, first| {
        let is_same = later.0 == first.0;
        if is_same {
            first.1 = first.1.saturating_add(later.1);
        }
        is_same
    });
    costs
}

/// The costliest directories, in the order of their ids.
pub(crate) fn costliest(mut costs: Vec<Cost>, most: usize) -> Vec<Cost> {
    costs.sort_unstable_by_key(|(id, ns)| (Reverse(*ns), *id));
    costs.truncate(most);
    costs.sort_unstable();
    costs
}

/// Adds the calls, by rank, directory and operation. `named` are the directories that have a name in
/// the log, by id.
pub(crate) fn write(
    block: &mut Block,
    captures: &[Capture<'_>],
    times: &[Timeline],
    ranks: &[Option<i64>],
    named: &[Cost],
) -> Result<(), NoMemory> {
    let mut all: Vec<Calls<'_>> = Vec::new();
    for ((capture, time), rank) in captures.iter().zip(times).zip(ranks) {
        for (cell, name) in cells(capture) {
            let is_named = named.binary_search_by_key(&cell.id, |(id, _)| *id).is_ok();
            let directory = if is_named { name } else { &[] };
            push(&mut all, Calls { rank: *rank, directory, cell, time: *time })?;
        }
    }
    // Processes without a rank and directories without a name come last.
    all.sort_by_key(|calls| {
        let (rank, directory) = (calls.rank, calls.directory);
        (rank.is_none(), rank, directory.is_empty(), directory)
    });
    let mut section = SectionWriter::new(SECTION);
    // Whoever completes the block adds the head.
    if !all.is_empty() && !block.is_part() {
        let _ = writeln!(section, "{COLUMNS}");
    }
    for same in all.chunk_by(|a, b| (a.rank, a.directory) == (b.rank, b.directory)) {
        let Some(first) = same.first() else { continue };
        let directory = match first.directory {
            b"" => String::from(OTHERS),
            name => words(name),
        };
        for (i, operation) in MetadataCall::NAMES.iter().enumerate() {
            let (mut calls, mut failed, mut seconds) = (0_u64, 0_u64, 0.0);
            for (count, time) in same.iter().filter_map(|c| Some((c.cell.of.get(i)?, c.time))) {
                calls = calls.saturating_add(count.calls);
                failed = failed.saturating_add(count.failed);
                seconds += time.duration(count.ticks);
            }
            if calls == 0 {
                continue;
            }
            // Writing to a section cannot fail.
            let _ = match first.rank {
                Some(rank) => write!(section, "{rank}"),
                None => write!(section, "-"),
            };
            let _ =
                writeln!(section, "\t{directory}\t{operation}\t{calls}\t{failed}\t{seconds:.7}");
        }
    }
    section.finish(block);
    Ok(())
}
