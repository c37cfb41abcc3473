//! Where pages for a browser go.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::failure::{Failure, Message};
use crate::job::output;

/// Where the pages of a report go.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pages {
    Stdout,
    File(PathBuf),
    /// A page for each log, under the name that it has; pages that are there by now.
    Folder(PathBuf, HashSet<PathBuf>),
}

impl Pages {
    /// What was asked for, for so many logs.
    pub(super) fn new(file: Option<&Path>, logs: usize) -> Result<Self, Failure> {
        match file {
            Some(path) if path.is_dir() => Ok(Self::Folder(path.into(), HashSet::new())),
            None if logs <= 1 => Ok(Self::Stdout),
            Some(path) if logs <= 1 => Ok(Self::File(path.into())),
            _ => {
                let message = Message::new("a page is about one log".into());
                let message =
                    message.evidence(format!("{logs} logs are given; name a folder that exists."));
                let help = "mkdir pages; ioglass report --html=pages LOG…";
                Err(Failure::usage(message.help(help.into(), "makes a page of each")))
            }
        }
    }

    /// Writes the page about this log.
    pub(super) fn write(&mut self, log: &Path, page: &str) -> anyhow::Result<()> {
        match self {
            Self::Stdout => Ok(io::stdout().lock().write_all(page.as_bytes())?),
            Self::File(path) => write(path, page),
            Self::Folder(folder, made) => {
                let name = log.with_extension("html");
                let first = folder.join(name.file_name().unwrap_or("log.html".as_ref()));
                // Logs of several folders may have one name.
                let mut path = first.clone();
                for number in 2_u32.. {
                    if made.insert(path.clone()) {
                        break;
                    }
                    path = output::with_suffix(&first, &format!("_{number}"));
                }
                write(&path, page)
            }
        }
    }
}

/// Writes a page: whole, or not at all.
pub(super) fn write(path: &Path, page: &str) -> anyhow::Result<()> {
    let is_special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let written = if is_special {
        // A pipe or a terminal stays what it is.
        fs::write(path, page).map_err(Into::into)
    } else {
        output::replace(path, |mut file| Ok(file.write_all(page.as_bytes())?)).map(drop)
    };
    written.with_context(|| format!("cannot write {}", path.display()))
}
