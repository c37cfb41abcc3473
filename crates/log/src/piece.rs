//! Pieces of a log region, made in several places and put together to one stream.
//!
//! If many processes write one log, each makes a piece of every log region. A piece of a few bytes is
//! handed on as it is, so that it is compressed together with others; a large one is compressed where
//! it is made. Compressed pieces end at a full flush and can stand in any order in one zlib stream, the
//! checksum of which follows from theirs.

use alloc::vec::Vec;

use crate::deflate::{Deflate, Flush, deflate};
pub use crate::zlib::Adler;
use crate::zlib::BEGIN;

/// Larger pieces are compressed at once.
const LARGE: usize = 128 << 10;
/// A last block of no bytes.
const LAST_BLOCK: [u8; 2] = [0x03, 0x00];

/// A part of a log region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The bytes, compressed or as they are.
    pub bytes: Vec<u8>,
    /// True if they are compressed.
    pub is_compressed: bool,
    /// Number of bytes before compression.
    pub raw_len: u64,
    /// Checksum of the bytes before compression.
    pub checksum: Adler,
    /// The process that writes the bytes, and their number, if they are not here.
    pub holder: Option<(u32, u64)>,
}

impl Piece {
    /// Bytes that it takes in a log.
    pub fn len(&self) -> u64 {
        self.holder.map_or(self.bytes.len() as u64, |(_, len)| len)
    }

    /// Returns true if it takes none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Makes a piece of bytes that come one after the other.
#[derive(Debug)]
pub struct PieceWriter {
    piece: Piece,
    /// Begun when the bytes are many.
    compressor: Option<Deflate>,
}

impl Default for PieceWriter {
    fn default() -> Self {
        let (bytes, checksum) = (Vec::new(), Adler::EMPTY);
        let piece = Piece { bytes, is_compressed: false, raw_len: 0, checksum, holder: None };
        Self { piece, compressor: None }
    }
}

impl PieceWriter {
    /// Appends bytes.
    pub fn push(&mut self, raw: &[u8]) {
        self.piece.raw_len += raw.len() as u64;
        self.piece.checksum.push(raw);
        match &mut self.compressor {
            Some(compressor) => compressor.push(raw, &mut self.piece.bytes),
            None => {
                self.piece.bytes.extend_from_slice(raw);
                if self.piece.bytes.len() > LARGE {
                    self.begin_to_compress();
                }
            }
        }
    }

    fn begin_to_compress(&mut self) {
        let raw = core::mem::take(&mut self.piece.bytes);
        let mut compressor = Deflate::new();
        compressor.push(&raw, &mut self.piece.bytes);
        self.compressor = Some(compressor);
        self.piece.is_compressed = true;
    }

    /// Ends the piece.
    pub fn finish(mut self) -> Piece {
        if let Some(compressor) = self.compressor {
            compressor.finish(Flush::Open, &mut self.piece.bytes);
        }
        self.piece
    }
}

/// The pieces of one log region, in order. Small ones that follow each other become one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces(pub Vec<Piece>);

impl Pieces {
    /// Appends a piece.
    pub fn push(&mut self, piece: Piece) {
        match self.0.last_mut().filter(|last| !last.is_compressed && !piece.is_compressed) {
            Some(last) => {
                last.checksum = last.checksum.followed_by(piece.checksum, piece.raw_len);
                last.raw_len += piece.raw_len;
                last.bytes.extend_from_slice(&piece.bytes);
            }
            None if piece.raw_len == 0 => {}
            None => self.0.push(piece),
        }
        if let Some(last) = self.0.pop_if(|last| !last.is_compressed && last.bytes.len() > LARGE) {
            self.0.push(compressed(last));
        }
    }

    /// Appends all of another's.
    pub fn append(&mut self, others: Self) {
        others.0.into_iter().for_each(|piece| self.push(piece));
    }

    /// Bytes before compression.
    pub fn raw_len(&self) -> u64 {
        self.0.iter().map(|piece| piece.raw_len).sum()
    }

    /// Leaves what will stand in a log to `holder`: all pieces become one, whose bytes are handed out.
    pub fn hold(&mut self, holder: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (mut checksum, mut raw_len) = (Adler::EMPTY, 0);
        for piece in core::mem::take(&mut self.0) {
            checksum = checksum.followed_by(piece.checksum, piece.raw_len);
            raw_len += piece.raw_len;
            let piece = if piece.is_compressed { piece } else { compressed(piece) };
            bytes.extend_from_slice(&piece.bytes);
        }
        let holder = Some((holder, bytes.len() as u64));
        let held = Piece { bytes: Vec::new(), is_compressed: true, raw_len, checksum, holder };
        self.0.push(held);
        bytes
    }

    /// Hands out the zlib stream of them all, part by part: bytes, or how many of them another writes.
    /// There is none if there are no bytes.
    pub fn stream<E>(
        &self,
        mut put: impl FnMut(Result<&[u8], (u32, u64)>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((last, others)) = self.0.split_last() else { return Ok(()) };
        let mut checksum = Adler::EMPTY;
        put(Ok(&BEGIN))?;
        for piece in others {
            match piece.holder {
                Some(holder) => put(Err(holder))?,
                None if piece.is_compressed => put(Ok(&piece.bytes))?,
                None => put(Ok(&compressed(piece.clone()).bytes))?,
            }
            checksum = checksum.followed_by(piece.checksum, piece.raw_len);
        }
        match last.holder {
            // The last piece needs no block of its own to end the stream.
            None if !last.is_compressed => put(Ok(&deflate(&last.bytes)))?,
            holder => {
                put(holder.map_or(Ok(&last.bytes), Err))?;
                put(Ok(&LAST_BLOCK))?;
            }
        }
        checksum = checksum.followed_by(last.checksum, last.raw_len);
        put(Ok(&checksum.0.to_be_bytes()))
    }

    /// The zlib stream of them all, if none is held elsewhere.
    pub fn into_stream(self) -> Vec<u8> {
        let mut stream = Vec::new();
        let _ = self.stream(|part| part.map(|bytes| stream.extend_from_slice(bytes)));
        stream
    }
}

fn compressed(piece: Piece) -> Piece {
    let mut writer = PieceWriter { piece, compressor: None };
    writer.begin_to_compress();
    writer.finish()
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use std::io::Read;

    use super::*;

    fn piece(raw: &[u8]) -> Piece {
        let mut writer = PieceWriter::default();
        raw.chunks(1000).for_each(|chunk| writer.push(chunk));
        writer.finish()
    }

    #[test]
    fn pieces_are_one_stream() {
        let noise = |len: usize, seed: u32| -> Vec<u8> {
            let mut state = seed;
            let next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 28) as u8
            };
            core::iter::repeat_with(next).take(len).collect()
        };
        let sizes = [0, 1, 5, LARGE - 3, 2, 3 * LARGE, 0, 7, LARGE + 1, 100_000, 100_000];
        for count in 0..=sizes.len() {
            let (mut pieces, mut all) = (Pieces::default(), Vec::new());
            for (seed, size) in sizes[..count].iter().enumerate() {
                let raw = noise(*size, seed as u32);
                pieces.push(piece(&raw));
                all.extend(raw);
            }
            assert_eq!(pieces.raw_len(), all.len() as u64);
            let stream = pieces.into_stream();
            let mut read = Vec::new();
            if !stream.is_empty() {
                // Fails if the checksum is another.
                flate2::read::ZlibDecoder::new(&stream[..]).read_to_end(&mut read).unwrap();
            }
            assert!(read == all, "{count}");
        }
    }
}
