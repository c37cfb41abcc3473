//! The contribution of some ranks to a log.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use ioglass_log::block::{Block, Section};
use ioglass_log::piece::{Adler, Piece, PieceWriter, Pieces};
use ioglass_log::{Encode, LogWriter, Sink, Stream, WriteError};
use ioglass_schema::{ModuleId, record_id};

use super::shared::Shared;
use super::wire::{Reader, put, put_bytes};
use crate::heat::Scale;
use crate::sections::{Losses, add_losses};
use crate::{contexts, files, metadata, process, sections, settings};

/// Pieces of captures and sections of some ranks, and records of files that all ranks know.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogPart {
    streams: BTreeMap<Stream, Pieces>,
    sections: BTreeMap<String, Pieces>,
    shared: Shared,
    losses: Losses,
    /// Modules that have lost records, as bits.
    partial: u64,
    /// Ranks that did something.
    ranks: u64,
}

impl LogPart {
    pub(super) fn new(
        streams: Vec<(Stream, Piece)>,
        sections: Vec<(String, Piece)>,
        shared: Shared,
        losses: Losses,
        partial: u64,
        ranks: u64,
    ) -> Self {
        let mut part = Self { shared, losses, partial, ranks, ..Self::default() };
        for (stream, piece) in streams {
            part.streams.entry(stream).or_default().push(piece);
        }
        for (name, piece) in sections {
            part.sections.entry(name).or_default().push(piece);
        }
        part
    }

    /// Returns true if any rank did something.
    pub fn is_worth_it(&self) -> bool {
        self.ranks > 0
    }

    /// Leaves the captures of these ranks to `holder`, who keeps their bytes, in order.
    pub fn hold(&mut self, holder: u32) -> Vec<Vec<u8>> {
        self.streams.retain(|_, pieces| pieces.raw_len() > 0);
        self.streams.values_mut().map(|pieces| pieces.hold(holder)).collect()
    }

    /// Writes everything behind the job, and tells which gaps are left to whom, in order. `made` is when the
    /// first rank has made its records.
    pub(super) fn write<S: Sink>(
        &self,
        heat: &Scale,
        made: &[(ModuleId, u64, usize)],
        writer: &mut LogWriter<S>,
    ) -> Result<Vec<(u32, u64)>, WriteError<S::Error>> {
        // One piece for each module: what is compressed together becomes smaller, and in less time.
        let mut more: BTreeMap<Stream, PieceWriter> = BTreeMap::new();
        let names = more.entry(Stream::Names).or_default();
        for name in heat.names() {
            names.push(&record_id(name.as_bytes()).to_le_bytes());
            names.push(name.as_bytes());
            names.push(&[0]);
        }
        let mut bytes = Vec::new();
        self.shared.finish(made, |record| {
            bytes.clear();
            record.view().encode(&mut bytes);
            let stream = Stream::Module(record.module.id, record.module.version);
            more.entry(stream).or_default().push(&bytes);
        });
        let mut gaps = Vec::new();
        let mut leave = |holder, offset| gaps.push((holder, offset));
        let own = self.streams.iter().filter(|(_, pieces)| pieces.raw_len() > 0);
        let mut own = own.peekable();
        for (stream, piece) in more {
            while let Some((stream, pieces)) = own.next_if(|(own, _)| **own < stream) {
                writer.pieces(*stream, pieces, &mut leave)?;
            }
            let same = own.next_if(|(own, _)| **own == stream);
            let mut pieces = same.map(|(_, pieces)| pieces.clone()).unwrap_or_default();
            pieces.push(piece.finish());
            if pieces.raw_len() > 0 {
                writer.pieces(stream, &pieces, &mut leave)?;
            }
        }
        for (stream, pieces) in own {
            writer.pieces(*stream, pieces, &mut leave)?;
        }
        let lost = (0..ModuleId::MAX as u8).filter(|module| self.partial >> module & 1 != 0);
        lost.for_each(|module| writer.set_partial(ModuleId(module)));
        writer.block(&block(&self.sections, self.losses));
        Ok(gaps)
    }

    /// As a message: numbers, pieces, then records.
    pub fn to_message(&self) -> Vec<u8> {
        let mut message = Vec::new();
        self.losses.iter().chain([&self.partial, &self.ranks]).for_each(|n| put(&mut message, *n));
        put(&mut message, self.streams.len() as u64);
        for (stream, pieces) in &self.streams {
            let (module, version) = match stream {
                Stream::Names => (u64::MAX, 0),
                Stream::Module(module, version) => (module.0.into(), *version),
            };
            put(&mut message, module);
            put(&mut message, version.into());
            put_pieces(&mut message, pieces);
        }
        put(&mut message, self.sections.len() as u64);
        for (name, pieces) in &self.sections {
            put_bytes(&mut message, name.as_bytes());
            put_pieces(&mut message, pieces);
        }
        self.shared.encode(&mut message);
        message
    }

    /// Adds what a message tells of ranks that come behind these; `None` if it is none.
    pub fn append_message(&mut self, message: &[u8]) -> Option<()> {
        let mut reader = Reader(message);
        let mut losses = Losses::default();
        for loss in &mut losses {
            *loss = reader.number()?;
        }
        self.losses = add_losses(self.losses, losses);
        self.partial |= reader.number()?;
        self.ranks += reader.number()?;
        for _ in 0..reader.len(24)? {
            let (module, version) = (reader.number()?, u32::try_from(reader.number()?).ok()?);
            let stream = match module {
                u64::MAX => Stream::Names,
                module => Stream::Module(ModuleId(u8::try_from(module).ok()?), version),
            };
            append_pieces(self.streams.entry(stream).or_default(), &mut reader)?;
        }
        for _ in 0..reader.len(16)? {
            let name = core::str::from_utf8(reader.bytes()?).ok()?;
            append_pieces(self.sections.entry(name.into()).or_default(), &mut reader)?;
        }
        self.shared.merge(reader.0)
    }

    /// Reads a message; `None` if it is none.
    pub fn decode(message: &[u8]) -> Option<Self> {
        let mut part = Self::default();
        part.append_message(message)?;
        Some(part)
    }
}

fn put_pieces(message: &mut Vec<u8>, pieces: &Pieces) {
    put(message, pieces.0.len() as u64);
    for piece in &pieces.0 {
        put(message, piece.is_compressed.into());
        put(message, piece.raw_len);
        put(message, piece.checksum.0.into());
        let (holder, len) = piece.holder.map_or((u64::MAX, 0), |(rank, len)| (rank.into(), len));
        put(message, holder);
        put(message, len);
        put_bytes(message, &piece.bytes);
    }
}

fn append_pieces(pieces: &mut Pieces, reader: &mut Reader<'_>) -> Option<()> {
    for _ in 0..reader.len(48)? {
        let (is_compressed, raw_len) = (reader.number()? != 0, reader.number()?);
        let checksum = Adler(reader.number()? as u32);
        let (holder, len) = (u32::try_from(reader.number()?).ok(), reader.number()?);
        let (holder, bytes) = (holder.map(|rank| (rank, len)), reader.bytes()?.into());
        pieces.push(Piece { bytes, is_compressed, raw_len, checksum, holder });
    }
    Some(())
}

/// The block: sections with their heads in front.
fn block(sections: &BTreeMap<String, Pieces>, losses: Losses) -> Block {
    let mut block = Block::default();
    for (name, rows) in sections {
        let head = match name.as_str() {
            process::SECTION => [process::COLUMNS, "\n"].concat(),
            sections::OPERATIONS => sections::operations_head(),
            files::FILES => [files::FILES_COLUMNS, "\n"].concat(),
            files::WAITING => [files::WAITING_COLUMNS, "\n"].concat(),
            contexts::SECTION => [contexts::COLUMNS, "\n"].concat(),
            metadata::SECTION => [metadata::COLUMNS, "\n"].concat(),
            settings::SECTION => settings::head(),
            _ => String::new(),
        };
        let mut whole = Pieces::default();
        let mut first = PieceWriter::default();
        first.push(head.as_bytes());
        whole.push(first.finish());
        whole.append(rows.clone());
        block.sections.push(Section::of_pieces(name, whole));
    }
    sections::lost(&mut block, losses, 0);
    block
}
