//! What a report is made of: logs, and jobs that still run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ioglass_job::running::RunningJob;
use ioglass_log::Log;

use crate::cmd::open;
use crate::failure::Message;

/// The logs to report on: named files, all logs in named directories, and what patterns match.
pub(super) fn find(named: &[PathBuf]) -> (Vec<Input>, Vec<Message>) {
    let (mut logs, mut messages) = (Vec::new(), Vec::new());
    for path in named {
        if !path.is_dir() {
            match matching(path) {
                Some(Ok(found)) => logs.extend(found),
                Some(Err(message)) => messages.push(message),
                None => logs.push(path.clone()),
            }
            continue;
        }
        let before = logs.len();
        if let Err(error) = find_in(path, &mut logs) {
            let message = Message::new(format!("{} cannot be read", path.display()));
            messages.push(message.evidence(error));
        } else if logs.len() == before {
            let message = Message::new(format!("{} holds no logs", path.display()));
            messages.push(message.evidence("No file in it ends in .darshan."));
        }
    }
    (logs.into_iter().map(Input::Log).collect(), messages)
}

/// The logs that a quoted pattern matches; none if it is no pattern, or a file of that name exists.
fn matching(pattern: &Path) -> Option<Result<Vec<PathBuf>, Message>> {
    let text = pattern.to_str().filter(|text| text.contains(['*', '?', '[']))?;
    if pattern.exists() {
        return None;
    }
    let paths = match glob::glob(text) {
        Ok(paths) => paths,
        Err(error) => {
            let message = Message::new(format!("{text} is no pattern of files"));
            return Some(Err(message.evidence(error)));
        }
    };
    // Directories that cannot be read have no logs to offer.
    let found: Vec<PathBuf> = paths.flatten().filter(|path| path.is_file()).collect();
    Some(match found.is_empty() {
        true => Err(Message::new(format!("{text} matches no file"))),
        false => Ok(found),
    })
}

fn find_in(directory: &Path, logs: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links to directories are not followed: they could form a cycle.
        if entry.file_type()?.is_dir() {
            find_in(&path, logs)?;
        } else if path.extension().is_some_and(|extension| extension == "darshan")
            // Nobody waits for a pipe that lies there.
            && path.metadata().map_or(true, |found| found.is_file())
        {
            logs.push(path);
        }
    }
    Ok(())
}

/// Something to report on.
pub(super) enum Input {
    Log(PathBuf),
    /// A job that still runs.
    Job(RunningJob),
}

impl Input {
    /// The path of the log, or the name of the job.
    pub(super) fn path(&self) -> PathBuf {
        match self {
            Self::Log(path) => path.clone(),
            Self::Job(job) => job.name().into(),
        }
    }

    pub(super) fn open(&self) -> Result<Log, Message> {
        match self {
            Self::Log(path) => open(path),
            Self::Job(job) => {
                let bytes = job.snapshot().and_then(|snapshot| snapshot.log());
                let bytes = bytes.map_err(|error| Message::of_job(&error))?;
                Log::from_bytes(bytes).map_err(|error| Message::cannot_open(&self.path(), &error))
            }
        }
    }
}
