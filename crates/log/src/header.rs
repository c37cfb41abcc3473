//! The fixed header of a log: which log regions there are and where.

use alloc::vec::Vec;

use ioglass_schema::ModuleId;

use crate::bytes::Order;
use crate::codec::Compression;

/// The number by which a log is known, in either byte order.
pub(crate) const MAGIC: i64 = 6_567_223;

/// Bytes of the header in current logs, which is also what is written.
pub(crate) const SIZE: usize = 1328;

/// Format version of a log, such as 3.41.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Number before the dot.
    pub major: u32,
    /// Number after the dot.
    pub minor: u32,
}

impl Version {
    /// The version that is written.
    pub const CURRENT: Self = Self { major: 3, minor: 41 };

    /// Returns true if headers, job records and module numbers have their current form.
    pub fn is_current(self) -> bool {
        self >= Self::CURRENT
    }
}

impl core::fmt::Display for Version {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}.{:02}", self.major, self.minor)
    }
}

/// Position and size of a log region in the file, in compressed bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub len: u64,
}

impl Extent {
    /// The byte after the last; saturates, because both numbers may be lies.
    pub fn end(self) -> u64 {
        self.offset.saturating_add(self.len)
    }
}

/// A log's header, with module numbers as current logs have them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Format version.
    pub version: Version,
    /// Byte order of everything in the log.
    pub order: Order,
    /// Compression of the log regions.
    pub compression: Compression,
    /// Bit *i* is set if module *i* lost records.
    pub partial: u64,
    /// Bytes of this header in the file.
    pub size: u64,
    /// The table of names.
    pub names: Extent,
    /// The modules' log regions.
    pub modules: [Extent; ModuleId::MAX],
    /// The modules' versions; 0 if absent.
    pub versions: [u32; ModuleId::MAX],
}

impl Header {
    /// Returns true if module `id` lost records.
    pub fn is_partial(&self, id: ModuleId) -> bool {
        self.partial.checked_shr(id.0.into()).unwrap_or(0) & 1 == 1
    }

    /// The header as a current log stores it.
    pub(crate) fn encode(&self) -> [u8; SIZE] {
        let mut bytes = Vec::with_capacity(SIZE);
        bytes.extend_from_slice(b"3.41\0\0\0\0");
        bytes.extend_from_slice(&MAGIC.to_le_bytes());
        bytes.extend_from_slice(&[self.compression.code(), 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend_from_slice(&self.partial.to_le_bytes());
        for extent in core::iter::once(&self.names).chain(&self.modules) {
            bytes.extend_from_slice(&extent.offset.to_le_bytes());
            bytes.extend_from_slice(&extent.len.to_le_bytes());
        }
        for version in self.versions {
            bytes.extend_from_slice(&version.to_le_bytes());
        }
        let mut header = [0; SIZE];
        header.copy_from_slice(&bytes);
        header
    }
}
