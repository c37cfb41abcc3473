//! What can be wrong with a journal.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// What differs between a journal and the search that is to go on with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The thing.
    pub what: String,
    /// What the journal says.
    pub journal: String,
    /// What was asked for.
    pub now: String,
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} in the journal, now {}", self.what, self.journal, self.now)
    }
}

/// A reason why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It exists, and it was not said what to do with it.
    #[error("{0} exists")]
    Exists(PathBuf),
    /// Another process uses it.
    #[error("{path} is in use{by}", path = .0.display(), by = by(*.1))]
    InUse(PathBuf, Option<u32>),
    /// It is of another search.
    #[error("{0} is the journal of another search")]
    Changed(PathBuf, Vec<Changed>),
    /// A line is bad.
    #[error("{0}:{1}: {2}")]
    BadLine(PathBuf, usize, String),
    /// It is no journal.
    #[error("{0} is no journal: {1}")]
    NotAJournal(PathBuf, String),
    /// It cannot be read.
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] io::Error),
    /// It cannot be written.
    #[error("cannot write {0}")]
    Write(PathBuf, #[source] io::Error),
}

fn by(process: Option<u32>) -> String {
    process.map(|process| format!(" by process {process}")).unwrap_or_default()
}
