//! The folders of runs.

use std::cell::Cell;
use std::fs::{self, DirBuilder};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Message};

/// Where the folders of runs are, unless another place is asked for.
const WORK: &str = ".ioglass-tune";

/// The folders of a search: a private one for what is measured, and one with a folder for each run.
pub(in super::super) struct Folders {
    private: PathBuf,
    work: PathBuf,
    runs: PathBuf,
    /// Numbers of runs, so that each has a folder of its own.
    count: Cell<u64>,
}

/// The files of one run.
pub(in super::super) struct Place {
    trial_dir: PathBuf,
    private: PathBuf,
}

/// A new id for the trials of a search, which nobody else has.
pub(in super::super) fn new_id() -> String {
    let mut bytes = [0; 16];
    let random = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    if random.is_err() {
        // The kernel has no randomness: time and process tell searches apart.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.unwrap_or_default().as_nanos() as u64;
        bytes[..8].copy_from_slice(&now.to_le_bytes());
        bytes[8..12].copy_from_slice(&std::process::id().to_le_bytes());
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text can be an id: it is part of paths.
pub(in super::super) fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The folder in which those of runs are made.
pub(in super::super) fn work_folder(work: Option<&Path>) -> Result<PathBuf, Failure> {
    let work = work.map_or_else(|| WORK.into(), Path::to_path_buf);
    // Programs may change their folder.
    std::path::absolute(&work).map_err(|error| cannot_make(&work, &error))
}

impl Folders {
    /// The folders of trials with this id. They are not made yet.
    pub(in super::super) fn new(id: &str, work: Option<&Path>) -> Result<Folders, Failure> {
        let work = work_folder(work)?;
        let runs = work.join(id);
        let private = std::env::temp_dir().join(format!("ioglass-tune-{id}"));
        Ok(Folders { private, work, runs, count: Cell::new(0) })
    }

    /// Those that are removed at the end.
    pub(in super::super) fn all(&self) -> Vec<PathBuf> {
        vec![self.private.clone(), self.runs.clone()]
    }

    /// Makes them, without what a killed search has left in them.
    pub(in super::super) fn make(&self) -> Result<(), Failure> {
        for folder in self.all() {
            let _ = fs::remove_dir_all(folder);
        }
        fs::create_dir_all(&self.work).map_err(|error| cannot_make(&self.work, &error))?;
        DirBuilder::new()
            .mode(0o700)
            .create(&self.private)
            .map_err(|error| cannot_make(&self.private, &error))
    }

    /// The files of the next run.
    pub(in super::super) fn next(&self) -> io::Result<Place> {
        let number = self.count.get() + 1;
        self.count.set(number);
        let place = Place {
            trial_dir: self.runs.join(number.to_string()),
            private: self.private.join(number.to_string()),
        };
        fs::create_dir_all(&place.trial_dir)?;
        fs::create_dir_all(&place.private)?;
        Ok(place)
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        for folder in self.all() {
            // What cannot be removed is not ours any more.
            let _ = fs::remove_dir_all(folder);
        }
        // Others may use it, too; then it is not empty and stays.
        let _ = fs::remove_dir(&self.work);
    }
}

impl Place {
    /// The files of a run in folders that are there.
    pub(in super::super) fn new(trial_dir: PathBuf, private: PathBuf) -> Place {
        Place { trial_dir, private }
    }

    /// The empty folder of the program.
    pub(in super::super) fn trial_dir(&self) -> &Path {
        &self.trial_dir
    }

    /// What it prints.
    pub(in super::super) fn output(&self) -> PathBuf {
        self.private.join("output")
    }

    /// What it prints on standard error.
    pub(in super::super) fn errors(&self) -> PathBuf {
        self.private.join("errors")
    }

    /// Its log.
    pub(in super::super) fn log(&self) -> PathBuf {
        self.private.join("run.darshan")
    }

    /// Its profile.
    pub(in super::super) fn profile(&self) -> PathBuf {
        self.private.join("run.ioprof")
    }

    /// Removes them.
    pub(in super::super) fn remove(&self) {
        for folder in [&self.trial_dir, &self.private] {
            // The end of the search removes what stays.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

pub(in super::super) fn cannot_make(folder: &Path, error: &io::Error) -> Failure {
    let message = Message::new(format!("cannot make the folder {}", folder.display()));
    Failure::NotWritten(vec![message.evidence(error)])
}
