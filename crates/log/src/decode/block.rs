//! The head and the table of an `IOGLASS` block.

use super::Cursor;
use crate::block::{ENTRY_SIZE, HEAD_SIZE, MAGIC, NAME_SIZE, VERSION};
use crate::bytes::{Order, until_nul};
use crate::error::Damage;

/// Sections a block may have.
const MAX_SECTIONS: usize = 1024;

/// Position and size of a section in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SectionEntry {
    pub(crate) name: String,
    /// From the beginning of the block.
    pub(crate) offset: u64,
    pub(crate) len: u64,
    pub(crate) raw_len: u64,
}

/// The head of a block: its sections and its length. `None` if `bytes` do not begin a block, an
/// error if they begin one that cannot be read.
pub(crate) fn parse_head(bytes: &[u8]) -> Option<Result<(usize, u64), Damage>> {
    let known = bytes.len().min(MAGIC.len());
    if known == 0 || bytes[..known] != MAGIC[..known] {
        return None;
    }
    if bytes.len() < HEAD_SIZE {
        return Some(Err(Damage::ShortBlock));
    }
    let mut cursor = Cursor::new(&bytes[MAGIC.len()..], Order::Little);
    if cursor.u32() != VERSION {
        return Some(Err(Damage::BlockVersion));
    }
    let sections = cursor.u32() as usize;
    if sections > MAX_SECTIONS {
        return Some(Err(Damage::ManySections));
    }
    Some(Ok((sections, cursor.u64())))
}

/// The table of a block `len` bytes long. `None` if a section lies outside it or over another,
/// which would let a small block have large contents.
pub(crate) fn parse_entries(bytes: &[u8], len: u64) -> Option<Vec<SectionEntry>> {
    let mut before = (HEAD_SIZE + bytes.len()) as u64;
    let entries = bytes.chunks_exact(ENTRY_SIZE).map(|entry| {
        let mut cursor = Cursor::new(entry, Order::Little);
        let name = cursor.array::<NAME_SIZE>();
        let name = String::from_utf8_lossy(until_nul(&name)).into_owned();
        let entry =
            SectionEntry { name, offset: cursor.u64(), len: cursor.u64(), raw_len: cursor.u64() };
        let end = entry.offset.checked_add(entry.len)?;
        let fits = entry.offset >= before && end <= len;
        before = end;
        fits.then_some(entry)
    });
    entries.collect()
}
