//! Headers of all formats.

use ioglass_schema::ModuleId;

use super::Cursor;
use crate::bytes::{Order, until_nul};
use crate::codec::Compression;
use crate::header::{Extent, Header, MAGIC, SIZE, Version};

/// Bytes of the header before format 3.41.
pub(crate) const OLD_SIZE: usize = 360;

/// Modules the header had room for before format 3.41.
const OLD_MODULES: usize = 16;

impl Version {
    const KNOWN: [u32; 5] = [0, 10, 20, 21, 41];

    fn parse(text: &[u8]) -> Option<Self> {
        let (major, minor) = core::str::from_utf8(text).ok()?.split_once('.')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }

    fn is_known(self) -> bool {
        self.major == 3 && Self::KNOWN.contains(&self.minor)
    }
}

/// The reason why bytes are not a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadHeader {
    Short,
    Magic,
    Version(Version),
    Compression(u8),
}

impl Header {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, BadHeader> {
        let Some(start) = bytes.first_chunk::<16>() else {
            return Err(BadHeader::Short);
        };
        let order = [Order::Little, Order::Big]
            .into_iter()
            .find(|order| Cursor::new(&start[8..], *order).i64() == MAGIC)
            .ok_or(BadHeader::Magic)?;
        let version = Version::parse(until_nul(&start[..8])).ok_or(BadHeader::Magic)?;
        if !version.is_known() {
            return Err(BadHeader::Version(version));
        }
        let size = if version.is_current() { SIZE } else { OLD_SIZE };
        if bytes.len() < size {
            return Err(BadHeader::Short);
        }

        let mut cursor = Cursor::new(&bytes[16..size], order);
        let code = cursor.array::<1>()[0];
        let compression = Compression::from_code(code).ok_or(BadHeader::Compression(code))?;
        let partial = if version.is_current() {
            cursor.array::<7>();
            cursor.u64()
        } else {
            cursor.array::<3>();
            u64::from(cursor.u32())
        };
        let names = extent(&mut cursor);
        let stored = if version.is_current() { ModuleId::MAX } else { OLD_MODULES };
        let extents: Vec<Extent> = (0..stored).map(|_| extent(&mut cursor)).collect();
        let versions: Vec<u32> = (0..stored).map(|_| cursor.u32()).collect();

        let mut header = Self {
            version,
            order,
            compression,
            partial: 0,
            size: size as u64,
            names,
            modules: [Extent::default(); ModuleId::MAX],
            versions: [0; ModuleId::MAX],
        };
        for (number, (extent, module_version)) in extents.into_iter().zip(versions).enumerate() {
            let current = current_number(version, number);
            header.modules[current] = extent;
            header.versions[current] = module_version;
            header.partial |= (partial >> number & 1) << current;
        }
        Ok(header)
    }
}

fn extent(cursor: &mut Cursor<'_>) -> Extent {
    Extent { offset: cursor.u64(), len: cursor.u64() }
}

/// Modules were inserted twice, at number 4 (H5D) and 6 (PNETCDF_VAR); later numbers moved up.
fn current_number(version: Version, stored: usize) -> usize {
    let mut number = stored;
    if version < (Version { major: 3, minor: 20 }) && number >= 4 {
        number += 1;
    }
    if !version.is_current() && number >= 6 {
        number += 1;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(minor: u32) -> Vec<usize> {
        (0..12).map(|stored| current_number(Version { major: 3, minor }, stored)).collect()
    }

    #[test]
    fn old_module_numbers() {
        assert_eq!(numbers(10), [0, 1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13]);
        assert_eq!(numbers(21), [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]);
        assert_eq!(numbers(41), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    }

    #[test]
    fn encoding_is_read_back() {
        let mut header = Header {
            version: Version::CURRENT,
            order: Order::Little,
            compression: Compression::Bzip2,
            partial: 1 << 40 | 2,
            size: SIZE as u64,
            names: Extent { offset: 2000, len: 17 },
            modules: [Extent::default(); ModuleId::MAX],
            versions: [0; ModuleId::MAX],
        };
        header.modules[63] = Extent { offset: 1, len: u64::MAX };
        header.versions[63] = 9;
        assert_eq!(Header::parse(&header.encode()), Ok(header));
    }
}
