//! What Darshan has no counter for: other calls on files, and what was lost.

use alloc::vec::Vec;
use core::fmt::Write;

use ioglass_log::block::{Block, SectionWriter};
use ioglass_shm::{Kind, Loss, Operation, OpsCell, Pod};

use crate::rank::Ranks;
use crate::region::{Region, is_used};
use crate::{NoMemory, push};

/// Name of the section with calls that have no counter.
const OPERATIONS: &str = "operations";
/// Name of the section that sums up what was lost.
const LOST: &str = "lost";

/// Adds the calls on files for which Darshan has no counter, by rank and record.
pub(crate) fn operations(
    block: &mut Block,
    regions: &[Region<'_>],
    ranks: &Ranks,
) -> Result<(), NoMemory> {
    let mut section = SectionWriter::new(OPERATIONS);
    let mut cells: Vec<OpsCell> = Vec::new();
    let mut begun = false;
    for rank in &ranks.list {
        cells.clear();
        for region in rank.members.iter().filter_map(|member| regions.get(*member)) {
            for entry in region.entries().filter(|entry| entry.kind == Kind::Ops) {
                if let Some(cell) = OpsCell::read(entry.bytes).filter(is_used) {
                    push(&mut cells, cell)?;
                }
            }
        }
        cells.sort_by_key(|cell| cell.id);
        for same in cells.chunk_by(|a, b| a.id == b.id) {
            if !begun {
                begun = true;
                let _ = write!(section, "record\trank");
                for name in Operation::NAMES {
                    let _ = write!(section, "\t{name}");
                }
                let _ = writeln!(section);
            }
            let Some(first) = same.first() else { continue };
            // Writing to a section cannot fail.
            let _ = write!(section, "{}\t{}", first.id, rank.number);
            for (i, _) in Operation::NAMES.iter().enumerate() {
                let counts = same.iter().filter_map(|cell| cell.count.get(i));
                let sum = counts.fold(0_u64, |sum, count| sum.saturating_add(*count));
                let _ = write!(section, "\t{sum}");
            }
            let _ = writeln!(section);
        }
    }
    section.finish(block);
    Ok(())
}

/// Adds what was lost, if anything was.
pub(crate) fn lost(block: &mut Block, regions: &[Region<'_>], unreadable: u64) {
    let mut section = SectionWriter::new(LOST);
    let sum = |kind: usize| {
        let counts = regions.iter().filter_map(|region| region.header.lost.get(kind));
        counts.fold(0_u64, |sum, count| sum.saturating_add(*count))
    };
    let kinds = Loss::NAMES.into_iter().enumerate().map(|(kind, name)| (name, sum(kind)));
    let kinds = kinds.chain([("unreadable-regions", unreadable)]);
    let mut kinds = kinds.filter(|(_, count)| *count > 0).peekable();
    if kinds.peek().is_some() {
        let _ = writeln!(section, "kind\tcount");
    }
    for (kind, count) in kinds {
        let _ = writeln!(section, "{kind}\t{count}");
    }
    section.finish(block);
}
