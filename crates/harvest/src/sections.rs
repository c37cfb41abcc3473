//! Sections for facts that Darshan has no counter for: other calls on files, and losses.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use ioglass_log::block::{Block, SectionWriter};
use ioglass_shm::{Kind, Loss, Operation, OpsCell, Pod};

use crate::capture::{Capture, is_used};
use crate::rank::Ranks;
use crate::{NoMemory, push};

/// Name of the section with calls that have no counter.
pub const OPERATIONS: &str = "operations";
/// Name of the section that sums up what was lost.
pub const LOST: &str = "lost";

/// The head of the section with calls.
pub(crate) fn operations_head() -> String {
    let mut head = String::from("record\trank");
    for name in Operation::NAMES {
        head.push('\t');
        head.push_str(name);
    }
    head.push('\n');
    head
}

/// Adds the calls on files for which Darshan has no counter, by rank and record.
pub(crate) fn operations(
    block: &mut Block,
    captures: &[Capture<'_>],
    ranks: &Ranks,
) -> Result<(), NoMemory> {
    let mut section = SectionWriter::new(OPERATIONS);
    let mut cells: Vec<OpsCell> = Vec::new();
    // Whoever completes the block adds the head.
    let mut begun = block.is_part();
    for rank in &ranks.list {
        cells.clear();
        for capture in rank.members.iter().filter_map(|member| captures.get(*member)) {
            for entry in capture.of(Kind::Ops) {
                if let Some(cell) = OpsCell::read(entry.bytes).filter(is_used) {
                    push(&mut cells, cell)?;
                }
            }
        }
        cells.sort_by_key(|cell| cell.id);
        for same in cells.chunk_by(|a, b| a.id == b.id) {
            if !begun {
                begun = true;
                section.push(operations_head().as_bytes());
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

/// Counts of what was lost, by kind.
pub(crate) type Losses = [u64; Loss::COUNT];

/// The losses of all of these.
pub(crate) fn losses(captures: &[Capture<'_>]) -> Losses {
    captures.iter().fold([0; Loss::COUNT], |sum, capture| add_losses(sum, capture.header.lost))
}

pub(crate) fn add_losses(mut sum: Losses, other: Losses) -> Losses {
    for (sum, count) in sum.iter_mut().zip(other) {
        *sum = sum.saturating_add(count);
    }
    sum
}

/// Adds what was lost, if anything was.
pub(crate) fn lost(block: &mut Block, losses: Losses, unreadable: u64) {
    let mut section = SectionWriter::new(LOST);
    let kinds = Loss::NAMES.into_iter().zip(losses);
    let kinds = kinds.chain([("unreadable-captures", unreadable)]);
    let mut kinds = kinds.filter(|(_, count)| *count > 0).peekable();
    if kinds.peek().is_some() {
        let _ = writeln!(section, "kind\tcount");
    }
    for (kind, count) in kinds {
        let _ = writeln!(section, "{kind}\t{count}");
    }
    section.finish(block);
}
