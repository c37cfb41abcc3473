//! What some ranks contribute to a log.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use ioglass_log::block::{Block, Section};
use ioglass_log::piece::{Adler, Piece, PieceWriter, Pieces};
use ioglass_log::reduce::Reduction;
use ioglass_log::{Encode, LogWriter, Sink, Stream, WriteError};
use ioglass_schema::{ModuleId, record_id};

use super::wire::{Reader, put, put_bytes};
use crate::heat::Scale;
use crate::sections::{Losses, add_losses};
use crate::{process, sections};

/// What a message has beside the bytes of a piece, and for a record that all ranks know, at most.
const HEAD: usize = 256;
const SHARED: usize = 1024;

/// Pieces of regions and sections of some ranks, and records of files that all ranks know.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    streams: BTreeMap<Stream, Pieces>,
    sections: BTreeMap<String, Pieces>,
    /// By module and file.
    shared: BTreeMap<(ModuleId, u64), Reduction>,
    losses: Losses,
    /// Modules that have lost records, as bits.
    partial: u64,
    /// Ranks that did something.
    ranks: u64,
}

impl Part {
    pub(super) fn new(
        streams: Vec<(Stream, Piece)>,
        sections: Vec<(String, Piece)>,
        shared: Vec<Reduction>,
        losses: Losses,
        partial: u64,
        ranks: u64,
    ) -> Self {
        let mut part = Self { losses, partial, ranks, ..Self::default() };
        for (stream, piece) in streams {
            part.streams.entry(stream).or_default().push(piece);
        }
        for (name, piece) in sections {
            part.sections.entry(name).or_default().push(piece);
        }
        part.shared.extend(shared.into_iter().map(|record| (record.key(), record)));
        part
    }

    /// Whether any rank did something.
    pub fn is_worth_it(&self) -> bool {
        self.ranks > 0
    }

    /// Adds the part of ranks that come behind these.
    pub fn append(&mut self, other: Self) {
        for (stream, pieces) in other.streams {
            self.streams.entry(stream).or_default().append(pieces);
        }
        for (name, pieces) in other.sections {
            self.sections.entry(name).or_default().append(pieces);
        }
        for record in other.shared.into_values() {
            self.append_shared(record);
        }
        self.losses = add_losses(self.losses, other.losses);
        self.partial |= other.partial;
        self.ranks += other.ranks;
    }

    /// Leaves the regions of these ranks to `holder`, who keeps their bytes, in order.
    pub fn hold(&mut self, holder: u32) -> Vec<Vec<u8>> {
        self.streams.retain(|_, pieces| pieces.raw_len() > 0);
        self.streams.values_mut().map(|pieces| pieces.hold(holder)).collect()
    }

    /// Writes everything behind the job, and tells which gaps are left to whom, in order.
    pub(super) fn write<S: Sink>(
        &self,
        heat: &Scale,
        writer: &mut LogWriter<S>,
    ) -> Result<Vec<(u32, u64)>, WriteError<S::Error>> {
        let mut streams = self.streams.clone();
        let mut names = PieceWriter::default();
        for name in heat.names() {
            names.push(&record_id(name.as_bytes()).to_le_bytes());
            names.push(name.as_bytes());
            names.push(&[0]);
        }
        streams.entry(Stream::Names).or_default().push(names.finish());
        // One piece for each module: what is compressed together becomes smaller, and in less time.
        let mut shared: BTreeMap<Stream, PieceWriter> = BTreeMap::new();
        let mut bytes = Vec::new();
        for ((module, _), record) in &self.shared {
            let Some(module) = module.module() else { continue };
            bytes.clear();
            record.clone().finish().view().encode(&mut bytes);
            shared.entry(Stream::Module(module.id, module.version)).or_default().push(&bytes);
        }
        for (stream, piece) in shared {
            streams.entry(stream).or_default().push(piece.finish());
        }
        let mut gaps = Vec::new();
        for (stream, pieces) in streams {
            if pieces.raw_len() > 0 {
                writer.pieces(stream, &pieces, |holder, offset| gaps.push((holder, offset)))?;
            }
        }
        let lost = (0..ModuleId::MAX as u8).filter(|module| self.partial >> module & 1 != 0);
        lost.for_each(|module| writer.set_partial(ModuleId(module)));
        writer.block(&block(&self.sections, self.losses));
        Ok(gaps)
    }

    /// About as many bytes as its message has, so that memory for it is taken once.
    fn most_bytes(&self) -> usize {
        let pieces =
            self.streams.values().chain(self.sections.values()).flat_map(|pieces| &pieces.0);
        let pieces: usize = pieces.map(|piece| piece.bytes.len() + HEAD).sum();
        pieces + self.shared.len() * SHARED + HEAD
    }

    /// As a message.
    pub fn encode(&self) -> Vec<u8> {
        let mut message = Vec::with_capacity(self.most_bytes());
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
        put(&mut message, self.shared.len() as u64);
        for ((module, _), record) in &self.shared {
            put(&mut message, module.0.into());
            record.encode(&mut message);
        }
        message
    }

    /// Adds what a message tells of ranks that come behind these; `None` if it is none.
    pub fn append_message(&mut self, message: &[u8]) -> Option<()> {
        let mut reader = Reader(message);
        let other = Self::decode_all_but_shared(&mut reader)?;
        self.append(other);
        // One by one, so that there is never a second set of them in memory.
        for _ in 0..reader.len(8)? {
            self.append_shared(shared_record(&mut reader)?);
        }
        Some(())
    }

    /// Reads a message; `None` if it is none.
    pub fn decode(message: &[u8]) -> Option<Self> {
        let mut part = Self::default();
        part.append_message(message)?;
        Some(part)
    }

    fn decode_all_but_shared(reader: &mut Reader<'_>) -> Option<Self> {
        let mut part = Self::default();
        for loss in &mut part.losses {
            *loss = reader.number()?;
        }
        (part.partial, part.ranks) = (reader.number()?, reader.number()?);
        for _ in 0..reader.len(24)? {
            let (module, version) = (reader.number()?, u32::try_from(reader.number()?).ok()?);
            let stream = match module {
                u64::MAX => Stream::Names,
                module => Stream::Module(ModuleId(u8::try_from(module).ok()?), version),
            };
            part.streams.insert(stream, pieces(reader)?);
        }
        for _ in 0..reader.len(16)? {
            let name = core::str::from_utf8(reader.bytes()?).ok()?;
            part.sections.insert(name.into(), pieces(reader)?);
        }
        Some(part)
    }

    fn append_shared(&mut self, record: Reduction) {
        match self.shared.get_mut(&record.key()) {
            Some(own) => own.merge(&record),
            None => drop(self.shared.insert(record.key(), record)),
        }
    }
}

fn shared_record(reader: &mut Reader<'_>) -> Option<Reduction> {
    let module = ModuleId(u8::try_from(reader.number()?).ok()?).module()?;
    Reduction::decode(module, &mut reader.0)
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

fn pieces(reader: &mut Reader<'_>) -> Option<Pieces> {
    let mut pieces = Vec::new();
    for _ in 0..reader.len(48)? {
        let (is_compressed, raw_len) = (reader.number()? != 0, reader.number()?);
        let checksum = Adler(reader.number()? as u32);
        let (holder, len) = (u32::try_from(reader.number()?).ok(), reader.number()?);
        let (holder, bytes) = (holder.map(|rank| (rank, len)), reader.bytes()?.into());
        pieces.push(Piece { bytes, is_compressed, raw_len, checksum, holder });
    }
    Some(Pieces(pieces))
}

/// The block: sections with their heads in front.
fn block(sections: &BTreeMap<String, Pieces>, losses: Losses) -> Block {
    let mut block = Block::default();
    for (name, rows) in sections {
        let head = match name.as_str() {
            process::SECTION => [process::COLUMNS, "\n"].concat(),
            sections::OPERATIONS => sections::operations_head(),
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
