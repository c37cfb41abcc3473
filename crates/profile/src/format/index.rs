//! The first bytes of a file: what it is, and where its sections are.

use alloc::vec::Vec;

use super::bytes::{Damage, In, Out, list};
use super::crc::crc;
use super::{MAGIC, VERSION};
use crate::NoMemory;

/// Bytes before the first entry.
pub(crate) const HEADER: usize = 32;
/// Bytes of an entry.
pub(crate) const ENTRY: usize = 40;

/// The kind of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum SectionKind {
    /// The job, I/O outside, notices, losses.
    Head = 1,
    /// The tree and the names of metrics.
    Regions = 2,
    /// Totals by region.
    Summary = 3,
    /// Processes.
    Processes = 4,
    /// Figures of some regions.
    Rows = 5,
    /// Iterations of some regions.
    Series = 6,
    /// The files of a manifest.
    Parts = 7,
}

impl SectionKind {
    const ALL: [Self; 7] = [
        Self::Head,
        Self::Regions,
        Self::Summary,
        Self::Processes,
        Self::Rows,
        Self::Series,
        Self::Parts,
    ];

    /// Its name, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Regions => "tree of regions",
            Self::Summary => "summary",
            Self::Processes => "table of processes",
            Self::Rows => "rows",
            Self::Series => "iterations",
            Self::Parts => "list of files",
        }
    }
}

/// The place of a section.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    pub(crate) kind: SectionKind,
    pub(crate) is_compressed: bool,
    /// Its first region, and how many they are.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) offset: u64,
    pub(crate) len: u64,
    pub(crate) raw_len: u64,
    pub(crate) crc: u32,
}

impl Section {
    /// True if it has this region.
    pub(crate) fn has(&self, region: u32) -> bool {
        region.checked_sub(self.first).is_some_and(|at| at < self.count)
    }
}

/// Everything before the first section.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) is_manifest: bool,
    /// Bytes of the file.
    pub(crate) len: u64,
    pub(crate) sections: Vec<Section>,
}

impl Index {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, NoMemory> {
        let mut entries = Out::default();
        for section in &self.sections {
            entries.put(&[section.kind as u8, section.is_compressed.into(), 0, 0]);
            entries.word(section.first);
            entries.word(section.count);
            entries.word(section.crc);
            entries.long(section.offset);
            entries.long(section.len);
            entries.long(section.raw_len);
        }
        let mut out = Out::default();
        out.put(&MAGIC);
        out.word(VERSION);
        out.word(self.is_manifest.into());
        out.long(self.len);
        out.word(self.sections.len() as u32);
        let entries = entries.finish()?;
        out.word(0);
        out.put(&entries);
        let mut bytes = out.finish()?;
        let sum = crc(&bytes);
        bytes[HEADER - 4..HEADER].copy_from_slice(&sum.to_le_bytes());
        Ok(bytes)
    }

    /// Bytes of the whole index, from those of the header.
    pub(crate) fn size(header: &[u8; HEADER]) -> u64 {
        let count = u32::from_le_bytes([header[24], header[25], header[26], header[27]]);
        HEADER as u64 + u64::from(count) * ENTRY as u64
    }

    /// The index with these bytes, which begin with the magic number. Sections of a kind that is not
    /// known are passed over: later versions add some.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let mut input = In::new(bytes, 0);
        input.take(MAGIC.len())?;
        if input.word()? != VERSION {
            return Err(Damage::Unknown("version"));
        }
        let is_manifest = input.word()? & 1 == 1;
        let len = input.long()?;
        let count = input.word()? as usize;
        let sum = input.word()?;
        let mut copy: Vec<u8> = list(bytes.len())?;
        copy.extend_from_slice(bytes);
        copy[HEADER - 4..HEADER].fill(0);
        if crc(&copy) != sum {
            return Err(Damage::Checksum);
        }
        let mut sections = list(count.min(bytes.len() / ENTRY))?;
        for _ in 0..count {
            let [kind, flags, ..] = *input.take(4)? else { return Err(Damage::Short) };
            let (first, count, crc) = (input.word()?, input.word()?, input.word()?);
            let (offset, len, raw_len) = (input.long()?, input.long()?, input.long()?);
            let Some(kind) = SectionKind::ALL.into_iter().find(|known| *known as u8 == kind) else {
                continue;
            };
            let is_compressed = flags & 1 == 1;
            sections.push(Section { kind, is_compressed, first, count, offset, len, raw_len, crc });
        }
        Ok(Self { is_manifest, len, sections })
    }
}
