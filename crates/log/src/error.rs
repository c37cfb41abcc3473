//! What can be wrong with a log, said so that somebody can act on it.

use std::fmt;
use std::io;

use ioglass_schema::ModuleId;

/// A part of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogRegion {
    /// The fixed part at the beginning.
    Header,
    /// The job, its command line and mounts.
    Job,
    /// The table of names.
    Names,
    /// A module's records.
    Module(ModuleId),
    /// The block after the last out.
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

/// Why a log, or a part of it, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("not a Darshan log: {0}")]
    NotALog(String),
    /// It ends before its header does.
    #[error("cut off: {have} bytes, and the header alone has {need}")]
    ShortHeader {
        /// Bytes there are.
        have: u64,
        /// Bytes a header has.
        need: u64,
    },
    /// It is a log of a format this crate does not know.
    #[error("log format {0} is not known; 3.00, 3.10, 3.20, 3.21 and 3.41 are")]
    Version(String),
    /// A log region contradicts itself or the file.
    #[error("{log_region} at byte {offset}: {reason}")]
    Corrupt {
        /// The out.
        log_region: LogRegion,
        /// Position in the file, of the compressed bytes.
        offset: u64,
        /// What is wrong.
        reason: String,
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
    /// A text that should become a log has a line that makes no sense.
    #[error("line {line}: {reason}")]
    Text {
        /// Line, from 1.
        line: u64,
        /// What is wrong.
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

impl Error {
    pub(crate) fn corrupt(log_region: LogRegion, offset: u64, reason: impl Into<String>) -> Self {
        Self::Corrupt { log_region, offset, reason: reason.into() }
    }
}
