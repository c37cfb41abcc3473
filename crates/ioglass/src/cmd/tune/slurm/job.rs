//! A job of one run: its folder, in which it gets its order and leaves its result, and what is known of it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ioglass_tune::journal::Outcome;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::super::trial::{Made, Moment, Order, new_id};

/// What is to be done.
const ORDER: &str = "order.json";
/// The number of the job.
const NUMBER: &str = "number";
/// What came of it.
const RESULT: &str = "result.json";
/// What the job itself prints.
pub(super) const OUTPUT: &str = "slurm.out";
/// The folder of the program.
const TRIAL_DIR: &str = "dir";
/// The folder for what is measured.
const PRIVATE: &str = "private";
/// Names of jobs begin so.
const NAME: &str = "ioglass-tune";

/// What a job is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Task {
    /// The id of its processes.
    pub(super) id: String,
    /// The number of the run.
    pub(super) run: u64,
    /// The folder in which the program runs.
    pub(super) folder: OsString,
    /// The run.
    pub(super) order: Order,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Answer {
    /// The run was made.
    Made(Box<Made>),
    /// It could not be made.
    Error(String),
}

/// A job.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) folder: PathBuf,
    pub(super) task: Task,
    pub(super) number: Option<String>,
    /// When the program was first seen to run.
    pub(super) began: Option<Instant>,
    /// When the job was first seen to be over, and Slurm's word for how.
    pub(super) over: Option<(Instant, String)>,
    /// It was cancelled, as its run took too long.
    pub(super) cancelled: Option<Outcome>,
    /// When it was submitted, or found.
    pub(super) since: Instant,
    /// It was said that it waits.
    pub(super) is_said: bool,
}

/// The name of the job with this id.
pub(super) fn name(id: &str) -> String {
    format!("{NAME}-{id}")
}

impl Job {
    /// A job below this folder that is not submitted yet.
    pub(super) fn make(root: &Path, run: u64, order: Order) -> io::Result<Job> {
        let id = new_id();
        let folder = root.join(format!("{run}-{}", &id[..8]));
        let here = std::env::current_dir()?.into_os_string();
        let task = Task { id, run, folder: here, order };
        fs::create_dir_all(folder.join(TRIAL_DIR))?;
        write(&folder, ORDER, &serde_json::to_vec(&task)?)?;
        Ok(Job::new(folder, task))
    }

    fn new(folder: PathBuf, task: Task) -> Job {
        Job {
            folder,
            task,
            number: None,
            began: None,
            over: None,
            cancelled: None,
            since: Instant::now(),
            is_said: false,
        }
    }

    /// The jobs that another process has left below this folder.
    pub(super) fn all(root: &Path) -> Vec<Job> {
        let folders = fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path());
        let job = |folder: PathBuf| {
            let task = read::<Task>(&folder, ORDER)?;
            let number = fs::read_to_string(folder.join(NUMBER)).ok();
            Some(Job { number, ..Job::new(folder, task) })
        };
        folders.filter_map(job).collect()
    }

    /// The name under which Slurm knows it. Nobody else has it.
    pub(super) fn name(&self) -> String {
        name(&self.task.id)
    }

    /// How people know it.
    pub(super) fn shown(&self) -> String {
        format!("job {}", self.number.as_deref().unwrap_or("?"))
    }

    /// Notes its number.
    pub(super) fn submitted(&mut self, number: String) -> io::Result<()> {
        write(&self.folder, NUMBER, number.as_bytes())?;
        self.number = Some(number);
        self.since = Instant::now();
        Ok(())
    }

    /// The script that Slurm runs.
    pub(super) fn script(&self) -> io::Result<Vec<u8>> {
        let mut script = b"#!/bin/sh\nexec >>".to_vec();
        script.extend(quoted(self.folder.join(OUTPUT).as_os_str().as_bytes()));
        script.extend(b" 2>&1\nexec ");
        script.extend(quoted(std::env::current_exe()?.as_os_str().as_bytes()));
        script.extend(b" trial ");
        script.extend(quoted(self.folder.as_os_str().as_bytes()));
        script.push(b'\n');
        Ok(script)
    }

    /// What came of it, if it is there.
    pub(super) fn answer(&self) -> Option<Answer> {
        // Listing the folder makes a network file system look.
        let mut entries = fs::read_dir(&self.folder).ok()?.flatten();
        entries.find(|entry| entry.file_name() == RESULT)?;
        read(&self.folder, RESULT)
    }

    /// Seconds since the program was first seen to run; none before it runs or after its end.
    pub(super) fn runs_for(&mut self) -> Option<f64> {
        if self.folder.join(mark(Moment::End)).exists() {
            return None;
        }
        if self.began.is_none() && self.folder.join(mark(Moment::Begin)).exists() {
            self.began = Some(Instant::now());
        }
        self.began.map(|began| began.elapsed().as_secs_f64())
    }

    /// The end of what the job itself printed.
    pub(super) fn last_lines(&self) -> String {
        super::super::trial::tail(&self.folder.join(OUTPUT))
    }

    /// Removes its files.
    pub(super) fn remove(&self) {
        // The end of the search removes what stays.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The order in a folder.
pub(super) fn task(folder: &Path) -> Option<Task> {
    read(folder, ORDER)
}

/// The folder of the program.
pub(super) fn trial_dir(folder: &Path) -> PathBuf {
    folder.join(TRIAL_DIR)
}

/// The folder for what is measured.
pub(super) fn private(folder: &Path) -> PathBuf {
    folder.join(PRIVATE)
}

/// Notes a moment.
pub(super) fn note(folder: &Path, moment: Moment) {
    // Without it only the job itself ends a run that takes too long.
    let _ = fs::File::create(folder.join(mark(moment)));
}

/// Leaves the result.
pub(super) fn leave(folder: &Path, answer: &Answer) -> io::Result<()> {
    write(folder, RESULT, &serde_json::to_vec(answer)?)
}

fn mark(moment: Moment) -> &'static str {
    match moment {
        Moment::Begin => "began",
        Moment::End => "ended",
    }
}

/// Writes a file that is there completely or not at all.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let new = folder.join(format!("{name}.new"));
    let mut file = fs::File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(new, folder.join(name))
}

fn read<T: DeserializeOwned>(folder: &Path, name: &str) -> Option<T> {
    serde_json::from_slice(&fs::read(folder.join(name)).ok()?).ok()
}

/// A word for a shell.
fn quoted(word: &[u8]) -> Vec<u8> {
    let mut quoted = b"'".to_vec();
    for byte in word {
        match byte {
            b'\'' => quoted.extend(b"'\\''"),
            other => quoted.push(*other),
        }
    }
    quoted.push(b'\'');
    quoted
}
