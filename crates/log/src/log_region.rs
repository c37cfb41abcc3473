//! A log region's bytes, decompressed as they are asked for.
//!
//! A log region is one or more independent streams, one after the other. Memory is two fixed
//! buffers, whatever the log region claims to contain.

use std::fmt;

use flate2::{Decompress, FlushDecompress, Status};

use crate::codec::Compression;
use crate::error::{Damage, Error, LogRegion};
use crate::header::Extent;
use crate::source::Source;

/// Compressed bytes read at a time.
const INPUT: usize = 64 << 10;
/// Decompressed bytes held at a time; grows only for a record that is larger.
const OUTPUT: usize = 256 << 10;

/// Reads one log region from its beginning to its end.
pub(crate) struct LogRegionReader<'a> {
    source: &'a Source,
    log_region: LogRegion,
    /// Next compressed byte to fetch, and the end of the log region.
    next: u64,
    end: u64,
    /// Bytes of the log region that the log does not have, because it is cut off.
    missing: u64,
    /// Compressed bytes not yet used: `input[used..]`.
    input: Vec<u8>,
    used: usize,
    method: Decompressor,
    /// Decompressed bytes not yet taken: `output[taken..filled]`.
    output: Vec<u8>,
    taken: usize,
    filled: usize,
    /// Decompressed bytes before `output[taken]`, and how many there may be.
    position: u64,
    limit: u64,
}

enum Decompressor {
    Zlib { state: Box<Decompress>, inside: bool },
    Bzip2 { state: Box<bzip2::Decompress>, inside: bool },
    Plain,
}

impl fmt::Debug for LogRegionReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reader = f.debug_struct("LogRegionReader");
        reader.field("log_region", &self.log_region).field("position", &self.position);
        reader.finish_non_exhaustive()
    }
}

impl<'a> LogRegionReader<'a> {
    pub(crate) fn new(
        source: &'a Source,
        log_region: LogRegion,
        extent: Extent,
        compression: Compression,
    ) -> Self {
        let method = match compression {
            Compression::Zlib => {
                Decompressor::Zlib { state: Box::new(Decompress::new(true)), inside: false }
            }
            Compression::Bzip2 => Decompressor::Bzip2 {
                state: Box::new(bzip2::Decompress::new(false)),
                inside: false,
            },
            Compression::None => Decompressor::Plain,
        };
        // Small log regions are the rule; a hundred thousand small logs should not pay for large ones.
        let input = usize::try_from(extent.len).unwrap_or(INPUT).min(INPUT);
        let output = (input * 8).clamp(4 << 10, OUTPUT);
        Self {
            source,
            log_region,
            next: extent.offset,
            end: extent.end().min(source.len()),
            missing: extent.end().saturating_sub(source.len().max(extent.offset)),
            input: Vec::with_capacity(input),
            used: 0,
            method,
            output: vec![0; output],
            taken: 0,
            filled: 0,
            position: 0,
            limit: most_output(extent.len),
        }
    }

    /// The next `count` bytes, without taking them. Fewer if the log region ends before.
    pub(crate) fn peek(&mut self, count: usize) -> Result<&[u8], Error> {
        if self.filled - self.taken < count {
            self.fill(count)?;
        }
        let there = count.min(self.filled - self.taken);
        Ok(&self.output[self.taken..self.taken + there])
    }

    /// The bytes that are decompressed already, at least one unless the log region has ended.
    pub(crate) fn window(&mut self) -> Result<&[u8], Error> {
        self.peek(1)?;
        Ok(&self.output[self.taken..self.filled])
    }

    /// Takes `count` bytes that were seen by [`peek`](Self::peek) or [`window`](Self::window).
    pub(crate) fn take(&mut self, count: usize) {
        self.taken += count;
        self.position += count as u64;
    }

    /// The next record of `size` bytes; `None` at the end of the log region.
    pub(crate) fn record(&mut self, size: usize) -> Result<Option<&[u8]>, Error> {
        let there = self.peek(size)?.len();
        if there == 0 && size > 0 {
            self.check_end()?;
            return Ok(None);
        }
        if there < size {
            let (have, need) = (there as u64, size as u64);
            return Err(self.corrupt(Damage::ShortRecord { have, need, part: "" }));
        }
        let start = self.taken;
        self.take(size);
        Ok(Some(&self.output[start..start + size]))
    }

    /// An error if the log region has ended only because the log is cut off.
    pub(crate) fn check_end(&self) -> Result<(), Error> {
        match self.missing {
            0 => Ok(()),
            missing => Err(self.corrupt(Damage::CutOff { missing })),
        }
    }

    /// `size` bytes that belong to a record already begun.
    pub(crate) fn rest_of_record(&mut self, size: u64, part: &'static str) -> Result<&[u8], Error> {
        if size > LARGEST_RECORD {
            return Err(self.corrupt(Damage::LargeRecord { size, part }));
        }
        let (need, size) = (size, size as usize);
        let have = self.peek(size)?.len() as u64;
        if have < need {
            return Err(self.corrupt(Damage::ShortRecord { have, need, part }));
        }
        let start = self.taken;
        self.take(size);
        Ok(&self.output[start..start + size])
    }

    /// An error at the current place.
    pub(crate) fn corrupt(&self, damage: Damage) -> Error {
        let offset = self.next - (self.input.len() - self.used) as u64;
        let position = Some(self.position);
        Error::Corrupt { log_region: self.log_region, offset, position, damage }
    }

    fn fill(&mut self, count: usize) -> Result<(), Error> {
        self.output.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        self.taken = 0;
        if self.output.len() < count {
            self.output.resize(count, 0);
        }
        while self.filled < count && self.step()? {}
        Ok(())
    }

    /// Decompresses some more. False at the end of the log region.
    fn step(&mut self) -> Result<bool, Error> {
        if self.position + self.filled as u64 > self.limit {
            return Err(self.corrupt(Damage::LongStream));
        }
        if self.used == self.input.len() && self.next < self.end {
            let want = INPUT.min((self.end - self.next) as usize);
            self.input.resize(want, 0);
            let got = self.source.read_at(self.next, &mut self.input)?;
            self.input.truncate(got);
            self.used = 0;
            self.next += got as u64;
            if got == 0 {
                self.end = self.next;
            }
        }
        let input = &self.input[self.used..];
        let room = &mut self.output[self.filled..];
        let (consumed, written, problem) = match &mut self.method {
            Decompressor::Plain => {
                let count = input.len().min(room.len());
                room[..count].copy_from_slice(&input[..count]);
                (count, count, None)
            }
            Decompressor::Zlib { state, inside } => {
                if input.is_empty() && !*inside {
                    return Ok(false);
                }
                let before = (state.total_in(), state.total_out());
                let status = state.decompress(input, room, FlushDecompress::None);
                let consumed = (state.total_in() - before.0) as usize;
                let written = (state.total_out() - before.1) as usize;
                *inside = true;
                let problem = match status {
                    Ok(Status::StreamEnd) => {
                        state.reset(true);
                        *inside = false;
                        None
                    }
                    Ok(_) if consumed + written == 0 => {
                        Some(Damage::ShortStream(Compression::Zlib))
                    }
                    Ok(_) => None,
                    Err(_) => Some(Damage::BadStream(Compression::Zlib)),
                };
                (consumed, written, problem)
            }
            Decompressor::Bzip2 { state, inside } => {
                if input.is_empty() && !*inside {
                    return Ok(false);
                }
                let before = (state.total_in(), state.total_out());
                let status = state.decompress(input, room);
                let consumed = (state.total_in() - before.0) as usize;
                let written = (state.total_out() - before.1) as usize;
                *inside = true;
                let problem = match status {
                    Ok(bzip2::Status::StreamEnd) => {
                        **state = bzip2::Decompress::new(false);
                        *inside = false;
                        None
                    }
                    Ok(_) if consumed + written == 0 => {
                        Some(Damage::ShortStream(Compression::Bzip2))
                    }
                    Ok(_) => None,
                    Err(_) => Some(Damage::BadStream(Compression::Bzip2)),
                };
                (consumed, written, problem)
            }
        };
        self.used += consumed;
        self.filled += written;
        match problem {
            // What came out before the damage is still worth having.
            Some(_) if written > 0 => Ok(true),
            Some(damage) => Err(self.corrupt(damage)),
            None => Ok(consumed + written > 0),
        }
    }
}

/// No record of a sound log comes near this; it keeps a lying length from taking memory.
pub(crate) const LARGEST_RECORD: u64 = 2 << 20;

/// Decompressed bytes a log region of `len` bytes may have. zlib cannot reach this; bzip2 could make
/// a terabyte of a megabyte, and reading that would take hours.
fn most_output(len: u64) -> u64 {
    len.saturating_mul(2048).saturating_add(256 << 20)
}
