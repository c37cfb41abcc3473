//! Sections as parts of a profile.

use alloc::vec::Vec;

use super::bytes::{Damage, In};
use super::index::Section;
use super::{rows, series};
use crate::model::Row;

pub(crate) use super::manifest::Manifest;
pub(crate) use super::skeleton::{take_head, take_processes, take_regions};
pub(crate) use super::summary::take as take_summary;

/// Returns true if these are the bytes of a section.
pub(crate) fn has_checksum(section: &Section, stored: &[u8]) -> bool {
    super::crc::crc(stored) == section.crc
}

/// The bytes of a section as they were before compression; at most `room` of them.
pub(crate) fn unpack(section: &Section, stored: Vec<u8>, room: u64) -> Result<Vec<u8>, Damage> {
    if !section.is_compressed {
        return Ok(stored);
    }
    inflate(&stored, section.raw_len, room)
}

#[cfg(feature = "std")]
fn inflate(stored: &[u8], raw_len: u64, room: u64) -> Result<Vec<u8>, Damage> {
    use std::io::Read;

    if raw_len > room {
        return Err(Damage::Many("bytes"));
    }
    let mut raw = Vec::new();
    let stream = flate2::read::ZlibDecoder::new(stored);
    stream.take(raw_len + 1).read_to_end(&mut raw).map_err(|_| Damage::Stream)?;
    if raw.len() as u64 == raw_len { Ok(raw) } else { Err(Damage::Stream) }
}

#[cfg(not(feature = "std"))]
fn inflate(_: &[u8], _: u64, _: u64) -> Result<Vec<u8>, Damage> {
    Err(Damage::Stream)
}

/// The rows of a region in the bytes of its section, from the region and place `at` on, which become
/// its own; with `metrics` and `processes`, how many there are.
pub(crate) fn take_rows(
    raw: &[u8],
    at: &mut (u32, usize),
    region: u32,
    (processes, metrics): (usize, usize),
    room: u64,
) -> Result<Vec<Row>, Damage> {
    let mut input = In::new(raw.get(at.1..).ok_or(Damage::Short)?, room);
    while at.0 < region {
        input.part()?;
        *at = (at.0 + 1, raw.len() - input.len());
    }
    rows::take(&mut input.part()?, processes, metrics)
}

/// Reads the series of a region into its rows.
pub(crate) fn take_series(
    raw: &[u8],
    rows: &mut [Row],
    metrics: usize,
    room: u64,
) -> Result<(), Damage> {
    series::take(&mut In::new(raw, room), rows, metrics)
}
