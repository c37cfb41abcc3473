//! The section `settings`: what became of injected settings, place by place.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use ioglass_log::block::{Block, SectionWriter};
use ioglass_param::COLUMNS;
use ioglass_shm::Kind;

use crate::capture::Capture;
use crate::process::words;
use crate::{NoMemory, push};

/// Name of the section.
pub const SECTION: &str = "settings";

/// The first line.
pub fn head() -> String {
    let mut head = COLUMNS.join("\t");
    head.push_str("\tranks\ttimes\n");
    head
}

/// Adds what became of settings; the same on several ranks is one row.
pub(crate) fn write(
    block: &mut Block,
    captures: &[Capture<'_>],
    ranks: &[Option<i64>],
) -> Result<(), NoMemory> {
    let mut rows: Vec<(&[u8], Option<i64>, u64)> = Vec::new();
    for (capture, rank) in captures.iter().zip(ranks) {
        for entry in capture.of(Kind::Setting) {
            if let Some((times, row)) = entry.bytes.split_first_chunk() {
                let end = row.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                let row = row.get(..end).unwrap_or_default();
                push(&mut rows, (row, *rank, u64::from_ne_bytes(*times)))?;
            }
        }
    }
    rows.sort_unstable();
    let mut section = SectionWriter::new(SECTION);
    // Whoever completes the block adds the head.
    if !rows.is_empty() && !block.is_part() {
        section.push(head().as_bytes());
    }
    for same in rows.chunk_by(|a, b| a.0 == b.0) {
        let Some((row, ..)) = same.first() else { continue };
        let fields = row.split(|byte| *byte == b'\t').chain(core::iter::repeat(&b""[..]));
        for field in fields.take(COLUMNS.len()) {
            // Writing to a section cannot fail.
            let _ = write!(section, "{}\t", words(field));
        }
        let ranks = same.chunk_by(|a, b| a.1 == b.1).count();
        let times = same.iter().fold(0_u64, |sum, (.., times)| sum.saturating_add(*times));
        let _ = writeln!(section, "{ranks}\t{times}");
    }
    section.finish(block);
    Ok(())
}
