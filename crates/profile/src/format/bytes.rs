//! Numbers and texts as bytes.

use alloc::vec::Vec;
use core::fmt;

use crate::{NoMemory, copy};

/// Bytes that are written. Refused memory is noted, and an error at the end.
#[derive(Debug, Default)]
pub(crate) struct Out {
    bytes: Vec<u8>,
    refused: bool,
    /// Memory that reading will claim.
    room: u64,
}

impl Out {
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        if self.bytes.try_reserve(bytes.len()).is_err() {
            self.refused = true;
            return;
        }
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.put(&[byte]);
    }

    pub(crate) fn word(&mut self, word: u32) {
        self.put(&word.to_le_bytes());
    }

    pub(crate) fn long(&mut self, long: u64) {
        self.put(&long.to_le_bytes());
    }

    /// Seven bits in each byte, the lowest first; the highest bit says that more follow.
    pub(crate) fn number(&mut self, mut number: u64) {
        let mut bytes = [0; 10];
        let mut len = 0;
        while number >= 0x80 {
            bytes[len] = number as u8 | 0x80;
            number >>= 7;
            len += 1;
        }
        bytes[len] = number as u8;
        self.put(&bytes[..=len]);
    }

    /// A number with a sign: small ones of either sign take few bytes.
    pub(crate) fn signed(&mut self, number: i64) {
        self.number(fold(number));
    }

    pub(crate) fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.claim(text_size(text.len() as u64), 1);
        self.put(text);
    }

    /// A number of things of this size in memory.
    pub(crate) fn count(&mut self, count: usize, size: usize) {
        self.number(count as u64);
        self.claim(count as u64, size);
    }

    /// Notes that reading claims room for so many things.
    pub(crate) fn claim(&mut self, count: u64, size: usize) {
        self.room = self.room.saturating_add(count.saturating_mul(size as u64));
    }

    /// Appends a part, which is read by itself.
    pub(crate) fn part(&mut self, part: Self) -> Result<(), NoMemory> {
        self.room = self.room.max(part.room);
        let bytes = part.finish()?;
        self.number(bytes.len() as u64);
        self.put(&bytes);
        Ok(())
    }

    /// Memory that reading will claim.
    pub(crate) fn room(&self) -> u64 {
        self.room
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>, NoMemory> {
        if self.refused { Err(NoMemory) } else { Ok(self.bytes) }
    }
}

/// Bytes that an allocator takes for a text.
pub(crate) fn text_size(len: u64) -> u64 {
    len.saturating_add(31) & !15
}

/// Numbers with a sign in the order 0, -1, 1, -2, 2 …
pub(crate) fn fold(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

pub(crate) fn unfold(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// What is wrong with bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// They end too early.
    Short,
    /// A number has more than 64 bits, or more than its place allows.
    Number,
    /// Something is named that is not there.
    Unknown(&'static str),
    /// More than a file of this size can mean.
    Many(&'static str),
    /// The checksum is another.
    Checksum,
    /// They lie beyond the end of the file.
    PastEnd,
    /// They cannot be decompressed.
    Stream,
    /// Nothing is there.
    Missing,
    /// Memory was refused.
    NoMemory,
}

impl From<NoMemory> for Damage {
    fn from(_: NoMemory) -> Self {
        Self::NoMemory
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => f.write_str("it ends too early"),
            Self::Number => f.write_str("a number makes no sense"),
            Self::Unknown(what) => write!(f, "it names a {what} that is not there"),
            Self::Many(what) => write!(f, "more {what} than a file of this size can mean"),
            Self::Checksum => f.write_str("its checksum is wrong"),
            Self::PastEnd => f.write_str("it lies beyond the end of the file"),
            Self::Stream => f.write_str("it cannot be decompressed"),
            Self::Missing => f.write_str("it is missing"),
            Self::NoMemory => f.write_str("memory was refused"),
        }
    }
}

impl core::error::Error for Damage {}

/// Bytes that are read, and the memory that what they say may take.
#[derive(Debug)]
pub(crate) struct In<'i> {
    bytes: &'i [u8],
    room: u64,
}

impl<'i> In<'i> {
    pub(crate) fn new(bytes: &'i [u8], room: u64) -> Self {
        Self { bytes, room }
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'i [u8], Damage> {
        let (taken, rest) = self.bytes.split_at_checked(len).ok_or(Damage::Short)?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Damage> {
        let (first, rest) = self.bytes.split_first().ok_or(Damage::Short)?;
        self.bytes = rest;
        Ok(*first)
    }

    pub(crate) fn word(&mut self) -> Result<u32, Damage> {
        let bytes = self.take(4)?.try_into().map_err(|_| Damage::Short)?;
        Ok(u32::from_le_bytes(bytes))
    }

    pub(crate) fn long(&mut self) -> Result<u64, Damage> {
        let bytes = self.take(8)?.try_into().map_err(|_| Damage::Short)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub(crate) fn number(&mut self) -> Result<u64, Damage> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits {
                return Err(Damage::Number);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Damage::Number)
    }

    pub(crate) fn signed(&mut self) -> Result<i64, Damage> {
        self.number().map(unfold)
    }

    /// A number of 32 bits.
    pub(crate) fn small(&mut self) -> Result<u32, Damage> {
        self.number()?.try_into().map_err(|_| Damage::Number)
    }

    /// A number of things, if there is room for them.
    pub(crate) fn count(&mut self, size: usize, what: &'static str) -> Result<usize, Damage> {
        let count = self.number()?;
        self.claim(count, size, what)
    }

    /// Takes room for so many things.
    pub(crate) fn claim(
        &mut self,
        count: u64,
        size: usize,
        what: &'static str,
    ) -> Result<usize, Damage> {
        let bytes = count.checked_mul(size as u64).ok_or(Damage::Many(what))?;
        self.room = self.room.checked_sub(bytes).ok_or(Damage::Many(what))?;
        usize::try_from(count).map_err(|_| Damage::Many(what))
    }

    pub(crate) fn text(&mut self) -> Result<Vec<u8>, Damage> {
        let len = usize::try_from(self.number()?).map_err(|_| Damage::Short)?;
        let text = self.take(len)?;
        self.claim(text_size(len as u64), 1, "texts")?;
        Ok(copy(text)?)
    }

    /// Bytes that are left.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Room that is left.
    pub(crate) fn room(&self) -> u64 {
        self.room
    }

    /// The bytes of a part, with their own room left as here.
    pub(crate) fn part(&mut self) -> Result<In<'i>, Damage> {
        let len = usize::try_from(self.number()?).map_err(|_| Damage::Short)?;
        Ok(In { bytes: self.take(len)?, room: self.room })
    }
}

/// An empty list with this capacity, unless memory is refused.
pub(crate) fn list<T>(capacity: usize) -> Result<Vec<T>, NoMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(capacity).map_err(|_| NoMemory)?;
    Ok(list)
}
