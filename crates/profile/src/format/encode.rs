//! Writes a profile as one buffer.

use alloc::vec::Vec;

use ioglass_log::piece::{PieceWriter, Pieces};

use super::bytes::{Out, list};
use super::crc::crc;
use super::index::{ENTRY, HEADER, Index, Section, SectionKind};
use super::room::Need;
use super::{rows, series, skeleton, summary};
use crate::model::Profile;
use crate::{NoMemory, Summary, push, summarize};

/// Regions share a section until it has so many bytes.
const GROUP: usize = 32 << 10;
/// Sections up to this size are not compressed: it would take longer than it is worth.
const SMALL: usize = 512;

/// Whether a file is small, or quick to write and to read without an inflater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compression {
    /// Deflate.
    #[default]
    Deflate,
    /// None: for what is handed on from process to process.
    None,
}

/// The bytes of the file of a profile.
pub fn write(profile: &Profile, compression: Compression) -> Result<Vec<u8>, NoMemory> {
    write_with_totals(profile, &summarize(profile)?, compression)
}

/// The bytes of the file of a profile with these totals, which tell of rows that are lost, too.
pub fn write_with_totals(
    profile: &Profile,
    totals: &[Summary],
    compression: Compression,
) -> Result<Vec<u8>, NoMemory> {
    let mut file = File::new(compression);
    let all = profile.regions.len() as u32;
    file.add(SectionKind::Head, 0, 0, skeleton::put_head(profile)?)?;
    file.add(SectionKind::Regions, 0, all, skeleton::put_regions(profile)?)?;
    file.add(SectionKind::Summary, 0, all, summary::put(totals)?)?;
    file.add(SectionKind::Processes, 0, 0, skeleton::put_processes(&profile.processes)?)?;
    let mut first = 0;
    let mut group = Out::default();
    for (region, number) in profile.regions.iter().zip(0..) {
        let mut out = Out::default();
        rows::put(&region.rows, &mut out)?;
        file.need.add_rows(&region.rows);
        group.part(out)?;
        if group.len() >= GROUP || number + 1 == all {
            let group = core::mem::take(&mut group);
            file.add(SectionKind::Rows, first, number + 1 - first, group)?;
            first = number + 1;
        }
    }
    for (region, number) in profile.regions.iter().zip(0..) {
        if region.rows.iter().any(|row| row.series.is_some()) {
            let mut out = Out::default();
            series::put(&region.rows, &mut out)?;
            file.add(SectionKind::Series, number, 1, out)?;
        }
    }
    file.finish(false)
}

/// A file that is being written.
pub(super) struct File {
    sections: Vec<Section>,
    bodies: Vec<Vec<u8>>,
    compression: Compression,
    need: Need,
}

impl File {
    pub(super) fn new(compression: Compression) -> Self {
        Self { sections: Vec::new(), bodies: Vec::new(), compression, need: Need::default() }
    }

    pub(super) fn add(
        &mut self,
        kind: SectionKind,
        first: u32,
        count: u32,
        out: Out,
    ) -> Result<(), NoMemory> {
        self.need.add(kind, out.room(), out.len() as u64);
        let raw = out.finish()?;
        let raw_len = raw.len() as u64;
        let mut body = raw;
        let mut is_compressed = false;
        if self.compression == Compression::Deflate && body.len() > SMALL {
            let mut piece = PieceWriter::default();
            piece.push(&body);
            let mut pieces = Pieces::default();
            pieces.push(piece.finish());
            let stream = pieces.into_stream();
            if stream.len() < body.len() {
                (body, is_compressed) = (stream, true);
            }
        }
        let (len, crc) = (body.len() as u64, crc(&body));
        let section = Section { kind, is_compressed, first, count, offset: 0, len, raw_len, crc };
        push(&mut self.sections, section)?;
        push(&mut self.bodies, body)
    }

    pub(super) fn finish(mut self, is_manifest: bool) -> Result<Vec<u8>, NoMemory> {
        let index = (HEADER + ENTRY * self.sections.len()) as u64;
        let len = self.sections.iter().fold(index, |len, section| len + section.len);
        // Before the sections, so that the beginning of a cut file can be read, too.
        let filling = self.need.len().saturating_sub(len);
        let mut offset = index + filling;
        for section in &mut self.sections {
            section.offset = offset;
            offset += section.len;
        }
        let index = Index { is_manifest, len: offset, sections: self.sections };
        let mut bytes = list(offset as usize)?;
        bytes.extend_from_slice(&index.bytes()?);
        bytes.resize(bytes.len() + filling as usize, 0);
        for body in self.bodies {
            bytes.extend_from_slice(&body);
        }
        Ok(bytes)
    }
}
