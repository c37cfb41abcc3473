//! Errors of reading a log, each with the place and the reason.

use std::fmt;
use std::io;

use ioglass_schema::ModuleId;

use crate::codec::Compression;
use crate::header::Version;

/// A part of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogRegion {
    /// The fixed part at the beginning.
    Header,
    /// The job, its command line and mounts.
    Job,
    /// The table of names.
    Names,
    /// A module's records.
    Module(ModuleId),
    /// The block after the last log region.
    Block,
}

impl fmt::Display for LogRegion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("header"),
            Self::Job => f.write_str("job data"),
            Self::Names => f.write_str("record table"),
            Self::Module(id) => match id.module() {
                Some(module) => write!(f, "{} module", module.name),
                None => write!(f, "module {}", id.0),
            },
            Self::Block => f.write_str("IOGLASS block"),
        }
    }
}

/// The reason why a log, or a part of it, could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("not a Darshan log: {0}")]
    NotALog(NotALog),
    /// The file ends before its header does.
    #[error("cut off: {have} bytes, and the header alone has {need}")]
    ShortHeader {
        /// Bytes of the file.
        have: u64,
        /// Bytes of a header.
        need: u64,
    },
    /// The log has a format that this crate does not know.
    #[error("log format {0} is not known; 3.00, 3.10, 3.20, 3.21 and 3.41 are")]
    Version(Version),
    /// A log region contradicts itself or the file.
    #[error("{log_region} at byte {offset}: {damage}{}", after(*position))]
    Corrupt {
        /// The log region.
        log_region: LogRegion,
        /// Position in the file, of the compressed bytes.
        offset: u64,
        /// Decompressed bytes of the log region before the damage, if it was found while reading them.
        position: Option<u64>,
        /// The kind of damage.
        damage: Damage,
    },
    /// A module's version is newer than this crate.
    #[error("{log_region} has version {found}; versions up to {known} can be read")]
    ModuleVersion {
        /// The module.
        log_region: LogRegion,
        /// Version in the log.
        found: u32,
        /// Newest version that can be read.
        known: u32,
    },
    /// A module was asked for records of a shape that it does not have.
    #[error("records of {0} have another shape")]
    OwnShape(&'static str),
    /// A module lost records, and the caller did not want to see what is left.
    #[error("the {0} ran out of memory for records, so some are missing")]
    Incomplete(LogRegion),
    /// A line of a text that should become a log makes no sense.
    #[error("line {line}: {reason}")]
    Text {
        /// Line, from 1.
        line: u64,
        /// An explanation for people.
        reason: String,
    },
    /// A text would make records that are larger than any reader takes, or than the text warrants.
    #[error("the text makes {size} bytes of the {log_region}; {limit} are the most")]
    TooLarge {
        /// The module.
        log_region: LogRegion,
        /// Bytes.
        size: u64,
        /// Bytes there may be.
        limit: u64,
    },
}

fn after(position: Option<u64>) -> String {
    position.map_or_else(String::new, |bytes| format!(" (after {bytes} bytes of data)"))
}

impl Error {
    pub(crate) fn corrupt(log_region: LogRegion, offset: u64, damage: Damage) -> Self {
        Self::Corrupt { log_region, offset, position: None, damage }
    }
}

/// The beginning of a file that is no log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotALog {
    /// The file is empty.
    Empty,
    /// The file begins with zeros, as when its writer died.
    Zeros {
        /// Bytes of the file.
        size: u64,
    },
    /// The file is text.
    Text {
        /// Its first bytes.
        start: Vec<u8>,
        /// Bytes of the file.
        size: u64,
    },
    /// The file is something else.
    Binary {
        /// Its first bytes.
        start: Vec<u8>,
        /// Bytes of the file.
        size: u64,
    },
}

impl NotALog {
    /// True if the file is text as [`text::list`](crate::text::list) prints it, of which
    /// [`text::TextBuilder`](crate::text::TextBuilder) makes a log.
    pub fn is_listing(&self) -> bool {
        matches!(self, Self::Text { start, .. } if start.starts_with(b"# darshan log"))
    }

    pub(crate) fn of(bytes: &[u8], size: u64) -> Self {
        let start = &bytes[..bytes.len().min(16)];
        if bytes.is_empty() {
            Self::Empty
        } else if bytes.iter().all(|byte| *byte == 0) {
            Self::Zeros { size }
        } else if start.is_ascii() && !start.contains(&0) {
            Self::Text { start: start.into(), size }
        } else {
            Self::Binary { start: start.into(), size }
        }
    }
}

impl fmt::Display for NotALog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the file is empty"),
            Self::Zeros { size } => {
                write!(f, "it begins with zeros, as when its writer died ({size} bytes)")
            }
            Self::Text { start, size } => {
                let start = start.escape_ascii();
                write!(f, "it is text and starts with \"{start}\" ({size} bytes)")
            }
            Self::Binary { start, size } => {
                let start = start.escape_ascii();
                write!(f, "it starts with the bytes \"{start}\" ({size} bytes)")
            }
        }
    }
}

/// The damage of a log region.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The header names a compression that is not known.
    #[error("compression {0} is not known")]
    Compression(u8),
    /// The job would lie inside the header.
    #[error("the job data would end at byte {end}, inside the header")]
    JobInHeader {
        /// Byte at which the job would end.
        end: u64,
    },
    /// The job is too short.
    #[error("{0} bytes are too few for a job")]
    ShortJob(usize),
    /// Two log regions overlap.
    #[error("overlaps the {before} that ends at {end}")]
    Overlap {
        /// The log region before this one.
        before: LogRegion,
        /// Byte at which it ends.
        end: u64,
    },
    /// The log region reaches past the end of the log.
    #[error("ends at byte {end}, but the log has only {size} bytes")]
    PastEnd {
        /// Byte at which the log region ends.
        end: u64,
        /// Bytes of the log.
        size: u64,
    },
    /// The log ends inside the log region.
    #[error("the log ends here; {missing} bytes are missing")]
    CutOff {
        /// Bytes that are missing.
        missing: u64,
    },
    /// A stream ends too early.
    #[error("the {} stream is cut off", .0.name().to_ascii_lowercase())]
    ShortStream(Compression),
    /// A stream cannot be decompressed.
    #[error("the {} stream is damaged", .0.name().to_ascii_lowercase())]
    BadStream(Compression),
    /// A stream has more bytes than a log region of its size can mean.
    #[error("more comes out of the stream than a log can mean")]
    LongStream,
    /// The last record is too short.
    #[error("the last record has {have} of {need} bytes{}", of(part))]
    ShortRecord {
        /// Bytes that are there.
        have: u64,
        /// Bytes that should be there.
        need: u64,
        /// The part of the record, if it is not the whole.
        part: &'static str,
    },
    /// A record claims to be larger than any.
    #[error("a record claims {size} bytes{}", of(part))]
    LargeRecord {
        /// Bytes it claims.
        size: u64,
        /// The part of the record.
        part: &'static str,
    },
    /// A record has another shape than its module says.
    #[error("the record has another shape")]
    Shape,
    /// A traced file has fewer segments than its head says.
    #[error("the record misses {0} segments")]
    MissingSegments(u64),
    /// A name ends too early.
    #[error("the last name is cut off")]
    ShortName,
    /// A name claims to be longer than any.
    #[error("a name claims {0} bytes")]
    ClaimedName(usize),
    /// A name does not end.
    #[error("a name is longer than {0} bytes")]
    LongName(usize),
    /// The table of names does not fit in memory.
    #[error("too many names; the first {kept} were kept")]
    ManyNames {
        /// Names that were kept.
        kept: usize,
    },
    /// More things than a log of this size can mean.
    #[error("more {0} than a log of this size can mean")]
    Many(&'static str),
    /// The head of the block is too short.
    #[error("the block is cut off")]
    ShortBlock,
    /// The block has another version.
    #[error("the block has a version that is not known")]
    BlockVersion,
    /// The block has too many sections.
    #[error("the block has more sections than any should")]
    ManySections,
    /// The block reaches past the end of the file.
    #[error("the block is longer than the file")]
    LongBlock,
    /// A section lies outside the block or over another.
    #[error("a section lies outside the block or over another")]
    SectionPlace,
    /// A section claims to be larger than the caller allows.
    #[error("section {name} claims {size} bytes")]
    LargeSection {
        /// Its name.
        name: String,
        /// Bytes it claims.
        size: u64,
    },
    /// A section has more bytes than it claims.
    #[error("section {0} is longer than it says")]
    LongSection(String),
}

fn of(part: &str) -> String {
    if part.is_empty() { String::new() } else { format!(" of {part}") }
}
