//! The files of HTML pages.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ioglass_job::output::{self, OutputProblem};

use crate::failure::{Failure, Message};

/// The output of HTML pages.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HtmlOutput {
    Stdout,
    File(PathBuf),
    /// A directory with a page for each log, under the name of the log; and the pages written so far.
    Directory(PathBuf, HashSet<PathBuf>),
}

impl HtmlOutput {
    /// The output that was asked for, for this number of logs.
    pub(super) fn new(file: Option<&Path>, logs: usize) -> Result<Self, Failure> {
        Self::of(file, logs, "log", "mkdir pages; ioglass report --html=pages LOG…")
    }

    /// The output that was asked for, for this number of profiles.
    pub(super) fn of_profiles(file: Option<&Path>, profiles: usize) -> Result<Self, Failure> {
        let help = "mkdir pages; ioglass profile show --html=pages PROFILE…";
        Self::of(file, profiles, "profile", help)
    }

    fn of(file: Option<&Path>, count: usize, what: &str, help: &str) -> Result<Self, Failure> {
        let try_to_write = |path: &Path| {
            let cannot = |problem: OutputProblem| Failure::cannot_write(path, &problem);
            output::try_to_write(path).map_err(cannot)
        };
        match file {
            Some(path) if path.is_dir() => {
                try_to_write(&path.join("log.html"))?;
                Ok(Self::Directory(path.into(), HashSet::new()))
            }
            None if count <= 1 => Ok(Self::Stdout),
            Some(path) if count <= 1 => {
                try_to_write(path)?;
                Ok(Self::File(path.into()))
            }
            _ => {
                let message = Message::new(format!("a page shows one {what}"));
                let message = message
                    .evidence(format!("{count} {what}s are given; name a directory that exists."));
                Err(Failure::usage(message.help(help.into(), "makes a page for each")))
            }
        }
    }

    /// Writes the page about this log.
    pub(super) fn write(&mut self, log: &Path, page: &str) -> Result<(), Failure> {
        let write = |path: &Path| {
            let cannot = |error: io::Error| Failure::cannot_write(path, &error.into());
            write(path, page).map_err(cannot)
        };
        match self {
            Self::Stdout => Ok(io::stdout().lock().write_all(page.as_bytes())?),
            Self::File(path) => write(path),
            Self::Directory(directory, made) => {
                let name = log.with_extension("html");
                let first = directory.join(name.file_name().unwrap_or("log.html".as_ref()));
                // Logs in different directories may have the same name.
                let mut path = first.clone();
                for number in 2_u32.. {
                    if made.insert(path.clone()) {
                        break;
                    }
                    path = output::with_suffix(&first, &format!("_{number}"));
                }
                write(&path)
            }
        }
    }
}

/// Writes a page or another text: completely or not at all.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    output::replace(path, |mut file| file.write_all(text.as_bytes())).map(drop)
}
