//! Compressions of log regions.

/// Compression of all log regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// zlib streams (RFC 1950): what every runtime writes.
    Zlib,
    /// bzip2 streams: what conversion tools can write.
    Bzip2,
    /// Plain bytes: memory-mapped logs.
    None,
}

impl Compression {
    /// The value in a header.
    pub const fn code(self) -> u8 {
        match self {
            Self::Zlib => 0,
            Self::Bzip2 => 1,
            Self::None => 2,
        }
    }

    /// The compression a header's value stands for.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Zlib),
            1 => Some(Self::Bzip2),
            2 => Some(Self::None),
            _ => None,
        }
    }

    /// The name tools print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zlib => "ZLIB",
            Self::Bzip2 => "BZIP2",
            Self::None => "NONE",
        }
    }
}
