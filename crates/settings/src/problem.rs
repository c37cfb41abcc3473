//! Problems of settings, with their places.

use std::fmt;
use std::path::{Path, PathBuf};

/// The most problems that are told.
const MOST: usize = 10;

/// A problem of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file; none for an argument.
    pub file: Option<PathBuf>,
    /// The line, from 1, if one is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.text)
    }
}

/// All problems of a file and of what it includes.
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
#[error("{} problems in settings", .list.len() + .more)]
pub struct Problems {
    /// The first ten.
    pub list: Vec<Problem>,
    /// The number of others.
    pub more: usize,
}

impl Problems {
    /// Adds a problem; of many only the first ones are kept.
    pub fn add(&mut self, file: &Path, line: Option<usize>, text: impl Into<String>) {
        if self.list.len() == MOST {
            self.more += 1;
            return;
        }
        self.list.push(Problem { file: Some(file.to_owned()), line, text: text.into() });
    }

    /// There is no problem.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
