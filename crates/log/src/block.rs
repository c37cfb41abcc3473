//! The `IOGLASS` block: what Darshan's format has no place for.
//!
//! It follows the last region of a log, where other readers never look. A block is a table of
//! named sections; readers keep sections they do not know. `docs/formats.md` has the bytes.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use ioglass_schema::Module;
use miniz_oxide::deflate::core::CompressorOxide;
use miniz_oxide::deflate::stream::deflate;
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

/// How a block begins.
pub const MAGIC: &[u8; 8] = b"IOGLASS\0";
/// Version of the block's own structure.
pub const VERSION: u32 = 1;
/// zlib level, as that of regions.
const LEVEL: u8 = 4;
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
    /// A section with these bytes.
    pub fn new(name: &str, raw: &[u8]) -> Self {
        let stored = if raw.len() <= SMALL {
            store(raw)
        } else {
            miniz_oxide::deflate::compress_to_vec_zlib(raw, LEVEL)
        };
        Self { name: name.into(), stored, raw_len: raw.len() as u64 }
    }
}

/// A zlib stream of one block that is stored as it is.
fn store(raw: &[u8]) -> Vec<u8> {
    let len = raw.len() as u16;
    let mut stream = Vec::with_capacity(raw.len() + 11);
    stream.extend_from_slice(&[0x78, 0x01, 1]);
    stream.extend_from_slice(&len.to_le_bytes());
    stream.extend_from_slice(&(!len).to_le_bytes());
    stream.extend_from_slice(raw);
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in raw {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    stream.extend_from_slice(&(b << 16 | a).to_be_bytes());
    stream
}

/// A section whose bytes come piece by piece and are not kept.
pub struct SectionWriter {
    section: Section,
    /// The bytes so far, while they are few.
    small: Vec<u8>,
    /// Begun when they are no longer.
    compressor: Option<Box<CompressorOxide>>,
}

impl SectionWriter {
    /// Begins a section.
    pub fn new(name: &str) -> Self {
        let section = Section { name: name.into(), stored: Vec::new(), raw_len: 0 };
        Self { section, small: Vec::new(), compressor: None }
    }

    /// Appends bytes.
    pub fn push(&mut self, raw: &[u8]) {
        self.section.raw_len += raw.len() as u64;
        if self.compressor.is_none() {
            if self.small.len() + raw.len() <= SMALL {
                self.small.extend_from_slice(raw);
                return;
            }
            let mut compressor = Box::<CompressorOxide>::default();
            compressor.set_format_and_level(DataFormat::Zlib, LEVEL);
            self.compressor = Some(compressor);
            let small = core::mem::take(&mut self.small);
            self.compress(&small, MZFlush::None);
        }
        self.compress(raw, MZFlush::None);
    }

    /// Ends the section and adds it to `block`, unless it is empty.
    pub fn finish(mut self, block: &mut Block) {
        if self.section.raw_len == 0 {
            return;
        }
        if self.compressor.is_some() {
            self.compress(&[], MZFlush::Finish);
        } else {
            self.section.stored = store(&self.small);
        }
        block.sections.push(self.section);
    }

    fn compress(&mut self, mut raw: &[u8], flush: MZFlush) {
        let Some(compressor) = &mut self.compressor else { return };
        let mut room = [0; 4096];
        loop {
            let step = deflate(compressor, raw, &mut room, flush);
            raw = raw.get(step.bytes_consumed..).unwrap_or_default();
            self.section.stored.extend_from_slice(&room[..step.bytes_written]);
            let more = match step.status {
                Ok(MZStatus::Ok) => !raw.is_empty() || flush == MZFlush::Finish,
                // The end, or nothing left to do.
                _ => false,
            };
            if !more && step.bytes_written < room.len() {
                return;
            }
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
