//! The sections `files` and `waiting`: what Darshan has no counter for, by file and by rank.

use alloc::vec::Vec;
use core::fmt::Write;

use ioglass_log::block::{Block, SectionWriter};
use ioglass_shm::{FileFacts, FileType, Kind, Pod, PosixCell, StdioCell};

use crate::capture::Capture;
use crate::rank::{Rank, Ranks};
use crate::time::Timeline;
use crate::{NoMemory, push};

/// Name of the section with facts about files.
pub const FILES: &str = "files";
/// Its first line.
pub const FILES_COLUMNS: &str =
    "record\trank\ttype\tsync\tdirect\ttruncated\topened\tclosed\tsynced\tmapped";

/// Name of the section with the time in which processes waited for their standard input.
pub const WAITING: &str = "waiting";
/// Its first line.
pub const WAITING_COLUMNS: &str = "rank\tseconds";

/// Seconds in opens and closes that are worth a line.
const WORTH: f64 = 0.001;

/// The facts of one file and rank.
#[derive(Debug, Clone, Copy, Default)]
struct Facts {
    id: u64,
    kind: u32,
    sync: u64,
    direct: u64,
    truncated: u64,
    opened: f64,
    closed: f64,
    synced: f64,
    mapped: u64,
}

impl Facts {
    fn new(id: u64, facts: &FileFacts, time: &Timeline) -> Self {
        Self {
            id,
            kind: facts.kind,
            sync: facts.sync.into(),
            direct: facts.direct.into(),
            truncated: facts.truncated.into(),
            opened: time.duration(facts.opened),
            closed: time.duration(facts.closed),
            synced: time.duration(facts.synced),
            mapped: facts.mapped,
        }
    }

    fn add(self, other: &Self) -> Self {
        Self {
            id: self.id,
            kind: self.kind.max(other.kind),
            sync: self.sync.saturating_add(other.sync),
            direct: self.direct.saturating_add(other.direct),
            truncated: self.truncated.saturating_add(other.truncated),
            opened: self.opened + other.opened,
            closed: self.closed + other.closed,
            synced: self.synced + other.synced,
            mapped: self.mapped.max(other.mapped),
        }
    }

    fn is_worth_it(&self) -> bool {
        let counts = [self.kind.into(), self.sync, self.direct, self.truncated, self.mapped];
        counts.iter().any(|count| *count > 0)
            || self.synced > 0.0
            || self.opened + self.closed >= WORTH
    }
}

/// Adds the facts about files, by rank and record.
pub(crate) fn files(
    block: &mut Block,
    captures: &[Capture<'_>],
    times: &[Timeline],
    ranks: &Ranks,
) -> Result<(), NoMemory> {
    let mut section = SectionWriter::new(FILES);
    // Whoever completes the block adds the head.
    let mut has_head = block.is_part();
    let mut found: Vec<Facts> = Vec::new();
    for rank in &ranks.list {
        found.clear();
        for (capture, time) in members(rank, captures, times) {
            for kind in [Kind::Posix, Kind::Stdio] {
                for (id, offset) in capture.used(kind) {
                    if let Some(facts) = facts_of(capture, kind, offset) {
                        push(&mut found, Facts::new(id, facts, time))?;
                    }
                }
            }
        }
        found.sort_by_key(|facts| facts.id);
        for same in found.chunk_by(|a, b| a.id == b.id) {
            let Some((first, rest)) = same.split_first() else { continue };
            let all = rest.iter().fold(*first, Facts::add);
            if !all.is_worth_it() {
                continue;
            }
            if !has_head {
                has_head = true;
                let _ = writeln!(section, "{FILES_COLUMNS}");
            }
            // A capture may have anything.
            let kind = FileType::NAMES.get(all.kind as usize).unwrap_or(&"other");
            let Facts { id, sync, direct, truncated, opened, closed, synced, mapped, .. } = all;
            // Writing to a section cannot fail.
            let _ = writeln!(
                section,
                "{id}\t{}\t{kind}\t{sync}\t{direct}\t{truncated}\t{opened:.7}\t{closed:.7}\t\
                 {synced:.7}\t{mapped}",
                rank.number
            );
        }
    }
    section.finish(block);
    Ok(())
}

fn facts_of<'r>(capture: &Capture<'r>, kind: Kind, offset: usize) -> Option<&'r FileFacts> {
    let bytes = capture.entry(offset, kind)?;
    match kind {
        Kind::Posix => Some(&PosixCell::view(bytes)?.facts),
        _ => Some(&StdioCell::view(bytes)?.facts),
    }
}

/// The captures of a rank and their times.
pub(crate) fn members<'h, 'r>(
    rank: &'h Rank,
    captures: &'h [Capture<'r>],
    times: &'h [Timeline],
) -> impl Iterator<Item = (&'h Capture<'r>, &'h Timeline)> {
    rank.members.iter().filter_map(|member| Some((captures.get(*member)?, times.get(*member)?)))
}

/// Adds the time in which ranks waited for their standard input.
pub(crate) fn waiting(
    block: &mut Block,
    captures: &[Capture<'_>],
    times: &[Timeline],
    ranks: &Ranks,
) {
    let mut section = SectionWriter::new(WAITING);
    let mut has_head = block.is_part();
    for rank in &ranks.list {
        let waited = members(rank, captures, times);
        let seconds: f64 = waited.map(|(capture, time)| time.duration(capture.header.waited)).sum();
        if seconds > 0.0 {
            if !has_head {
                has_head = true;
                let _ = writeln!(section, "{WAITING_COLUMNS}");
            }
            let _ = writeln!(section, "{}\t{seconds:.7}", rank.number);
        }
    }
    section.finish(block);
}
