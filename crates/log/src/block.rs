//! The `IOGLASS` block: what Darshan's format has no place for.
//!
//! It follows the last log region, where other readers never look. A block is a table of
//! named sections; readers keep sections they do not know. `docs/formats.md` has the bytes.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ioglass_schema::Module;

use crate::piece::{Piece, PieceWriter, Pieces};
use crate::zlib::Zlib;

/// First bytes of a block.
pub const MAGIC: &[u8; 8] = b"IOGLASS\0";
/// Version of the block's own structure.
pub const VERSION: u32 = 1;
/// Bytes before the table of sections.
pub(crate) const HEAD_SIZE: usize = 24;
/// Bytes of one section in the table.
pub(crate) const ENTRY_SIZE: usize = 40;
/// Sections up to this size are not compressed: a compressor takes longer to set up than so few
/// bytes are worth to a process that writes its own log.
const SMALL: usize = 1 << 10;
/// Bytes of a section's name.
pub(crate) const NAME_SIZE: usize = 16;

/// The sections of a block, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// The sections.
    pub sections: Vec<Section>,
    /// Pieces of sections, if this is the part of a block that others will complete.
    pub pieces: Option<Vec<(String, Piece)>>,
}

/// Named bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// At most 16 bytes.
    pub name: String,
    /// Bytes as stored: one zlib stream.
    pub stored: Vec<u8>,
    /// Bytes before compression.
    pub raw_len: u64,
}

impl Section {
    /// A section that was made in pieces.
    pub fn of_pieces(name: &str, pieces: Pieces) -> Self {
        let raw_len = pieces.raw_len();
        Self { name: name.into(), stored: pieces.into_stream(), raw_len }
    }

    /// A section with these bytes.
    pub fn new(name: &str, raw: &[u8]) -> Self {
        let mut stored = Vec::new();
        let mut stream = match raw.len() {
            ..=SMALL => Zlib::stored(&mut stored),
            _ => Zlib::compressed(&mut stored),
        };
        stream.push(raw, &mut stored);
        stream.finish(&mut stored);
        Self { name: name.into(), stored, raw_len: raw.len() as u64 }
    }
}

/// A section whose bytes come piece by piece; few are kept.
#[derive(Debug)]
pub struct SectionWriter {
    name: String,
    piece: PieceWriter,
}

impl SectionWriter {
    /// Begins a section.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), piece: PieceWriter::default() }
    }

    /// Appends bytes.
    pub fn push(&mut self, raw: &[u8]) {
        self.piece.push(raw);
    }

    /// Ends the section and adds it to `block`, unless it is empty.
    pub fn finish(self, block: &mut Block) {
        let piece = self.piece.finish();
        match &mut block.pieces {
            _ if piece.raw_len == 0 => {}
            Some(pieces) => pieces.push((self.name, piece)),
            None if piece.is_compressed => {
                block.sections.push(Section::of_pieces(&self.name, Pieces(vec![piece])));
            }
            None => block.push(&self.name, &piece.bytes),
        }
    }
}

impl core::fmt::Write for SectionWriter {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

impl Block {
    /// One that others will complete.
    pub fn part() -> Self {
        Self { sections: Vec::new(), pieces: Some(Vec::new()) }
    }

    /// Returns true if others will complete it.
    pub fn is_part(&self) -> bool {
        self.pieces.is_some()
    }

    /// Adds a section unless it would be empty.
    pub fn push(&mut self, name: &str, raw: &[u8]) {
        if !raw.is_empty() {
            self.sections.push(Section::new(name, raw));
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        if self.sections.is_empty() {
            return Vec::new();
        }
        let head = HEAD_SIZE + ENTRY_SIZE * self.sections.len();
        let payload: usize = self.sections.iter().map(|section| section.stored.len()).sum();
        let mut bytes = Vec::with_capacity(head + payload);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(self.sections.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&((head + payload) as u64).to_le_bytes());
        let mut offset = head as u64;
        for section in &self.sections {
            let mut name = [0; NAME_SIZE];
            let len = section.name.len().min(NAME_SIZE);
            name[..len].copy_from_slice(&section.name.as_bytes()[..len]);
            bytes.extend_from_slice(&name);
            let len = section.stored.len() as u64;
            for number in [offset, len, section.raw_len] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            offset += len;
        }
        for section in &self.sections {
            bytes.extend_from_slice(&section.stored);
        }
        bytes
    }
}

/// Name of the section with the thread ids of a trace: one word for every segment, in order.
pub fn threads_section(module: &Module) -> &'static str {
    if module.id == ioglass_schema::dxt::POSIX.id { "dxt-posix-tid" } else { "dxt-mpiio-tid" }
}
