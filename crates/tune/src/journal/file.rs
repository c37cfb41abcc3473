//! Files of journals.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Changed, Confirm, JournalError, Line, Start, Trial};

/// The schema of journals.
pub const SCHEMA: &str = "ioglass.journal/1";
/// The longest line.
const MOST_LINE: u64 = 4 << 20;

/// A journal that is being written. Others cannot use it meanwhile.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The end of the last whole line.
    end: u64,
}

/// What a journal holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// What is searched, and how.
    pub start: Start,
    /// Runs of the search.
    pub trials: Vec<Trial>,
    /// Runs after the search.
    pub confirms: Vec<Confirm>,
    /// How the search ended last.
    pub state: Option<String>,
}

impl Recorded {
    /// Nothing was run yet.
    pub fn new(start: Start) -> Recorded {
        Recorded { start, trials: Vec::new(), confirms: Vec::new(), state: None }
    }
}

impl Journal {
    /// A new journal.
    ///
    /// # Errors
    /// If the file exists or cannot be written.
    pub fn create(path: &Path, start: &Start) -> Result<Journal, JournalError> {
        let file =
            OpenOptions::new().append(true).create_new(true).open(path).map_err(|error| {
                if error.kind() == std::io::ErrorKind::AlreadyExists {
                    JournalError::Exists(path.to_owned())
                } else {
                    JournalError::Write(path.to_owned(), error)
                }
            })?;
        let mut journal = Journal { path: path.to_owned(), file, end: 0 };
        journal.lock()?;
        journal.append(&Line::Start(Box::new(start.clone())))?;
        Ok(journal)
    }

    /// The journal of a search that goes on. What a crash left of a line is cut off.
    ///
    /// # Errors
    /// If it is in use, damaged, of another search, or cannot be written.
    pub fn resume(path: &Path, start: &Start) -> Result<(Journal, Recorded), JournalError> {
        let mut journal = Journal::open(path)?;
        let (recorded, end) = parse(path, &journal.file)?;
        let changed = recorded.start.changed(start);
        if !changed.is_empty() {
            return Err(JournalError::Changed(path.to_owned(), changed));
        }
        journal.file.set_len(end).map_err(|error| JournalError::Write(path.to_owned(), error))?;
        journal.end = end;
        Ok((journal, recorded))
    }

    /// A new journal in the place of an old one, which gets `.1` behind its name.
    ///
    /// # Errors
    /// If the old one is in use or one cannot be written.
    pub fn restart(path: &Path, start: &Start) -> Result<Journal, JournalError> {
        // The old one stays locked until it has its new name.
        let old = Journal::open(path)?;
        let mut name = path.as_os_str().to_owned();
        name.push(".1");
        std::fs::rename(path, &name)
            .map_err(|error| JournalError::Write(path.to_owned(), error))?;
        drop(old);
        Journal::create(path, start)
    }

    fn open(path: &Path) -> Result<Journal, JournalError> {
        check_regular(path)?;
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(path)
            .map_err(|error| JournalError::Read(path.to_owned(), error))?;
        let journal = Journal { path: path.to_owned(), file, end: 0 };
        journal.lock()?;
        Ok(journal)
    }

    fn lock(&self) -> Result<(), JournalError> {
        match self.file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => {
                Err(JournalError::InUse(self.path.clone(), holder(&self.file)))
            }
            Err(TryLockError::Error(error)) => Err(JournalError::Write(self.path.clone(), error)),
        }
    }

    /// Adds a line, which is on the disk when this returns. Of a line that does not fit nothing stays.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, line: &Line) -> Result<(), JournalError> {
        let mut text = serde_json::to_string(line)
            .map_err(|error| JournalError::Write(self.path.clone(), error.into()))?;
        text.push('\n');
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // If this fails too, the rest of the line has no end and is dropped by who reads it.
            let _ = self.file.set_len(self.end);
            return Err(JournalError::Write(self.path.clone(), error));
        }
        self.end += text.len() as u64;
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Reads a journal, which may be in use.
///
/// # Errors
/// If it is none, or damaged.
pub fn read(path: &Path) -> Result<Recorded, JournalError> {
    check_regular(path)?;
    let file = File::open(path).map_err(|error| JournalError::Read(path.to_owned(), error))?;
    parse(path, &file).map(|(recorded, _)| recorded)
}

/// Opening a pipe would wait for its other end.
fn check_regular(path: &Path) -> Result<(), JournalError> {
    let type_ = path.metadata().map_err(|error| JournalError::Read(path.to_owned(), error))?;
    if type_.is_file() {
        return Ok(());
    }
    Err(JournalError::NotAJournal(path.to_owned(), "it is no regular file".into()))
}

/// The content of a file, and the end of its last whole line.
fn parse(path: &Path, file: &File) -> Result<(Recorded, u64), JournalError> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let (mut recorded, mut end, mut number) = (None::<Recorded>, 0, 0);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        number += 1;
        let bad = |text: &str| JournalError::BadLine(path.to_owned(), number, text.to_owned());
        (&mut reader)
            .take(MOST_LINE)
            .read_until(b'\n', &mut bytes)
            .map_err(|error| JournalError::Read(path.to_owned(), error))?;
        if bytes.len() as u64 == MOST_LINE && !bytes.ends_with(b"\n") {
            return Err(bad("the line is longer than 4 MiB"));
        }
        // Without its end a line was not written to its end.
        if !bytes.ends_with(b"\n") {
            break;
        }
        end += bytes.len() as u64;
        let line: Line = serde_json::from_slice(&bytes).map_err(|error| match number {
            1 => JournalError::NotAJournal(path.to_owned(), format!("line 1: {error}")),
            _ => bad(&error.to_string()),
        })?;
        match (&mut recorded, line) {
            (None, Line::Start(start)) => {
                if start.schema != SCHEMA {
                    let text = format!("its schema is {}, not {SCHEMA}", start.schema);
                    return Err(JournalError::NotAJournal(path.to_owned(), text));
                }
                recorded = Some(Recorded::new(*start));
            }
            (None, _) => return Err(bad("the first line is no start")),
            (Some(_), Line::Start(_)) => return Err(bad("a second start")),
            (Some(recorded), Line::Trial(trial)) => {
                if trial.n != recorded.trials.len() as u64 + 1 {
                    let expected = recorded.trials.len() + 1;
                    return Err(bad(&format!("trial {} where {expected} is due", trial.n)));
                }
                recorded.trials.push(*trial);
            }
            (Some(recorded), Line::Confirm(confirm)) => recorded.confirms.push(*confirm),
            (Some(recorded), Line::End(state)) => recorded.state = Some(state.state),
            (Some(_), Line::Other) => {}
        }
    }
    let empty = || JournalError::NotAJournal(path.to_owned(), "it has no whole line".into());
    Ok((recorded.ok_or_else(empty)?, end))
}

impl Start {
    /// The digest of all that may not change when a search goes on.
    pub fn digest(&self) -> String {
        let identity = serde_json::json!([
            self.command,
            self.cwd,
            self.space,
            self.search,
            self.seed,
            self.objective,
            self.direction,
            self.runner,
            self.options,
        ]);
        format!("b3:{}", blake3::hash(identity.to_string().as_bytes()).to_hex())
    }

    /// What differs from a search that is to go on.
    fn changed(&self, now: &Start) -> Vec<Changed> {
        let mut changed = Vec::new();
        let mut compare = |what: &str, journal: String, now: String| {
            if journal != now {
                changed.push(Changed { what: what.to_owned(), journal, now });
            }
        };
        compare("command", self.command.join(" "), now.command.join(" "));
        compare("folder", self.cwd.clone(), now.cwd.clone());
        compare("space", names(self), names(now));
        for before in &self.space {
            if let Some(after) = now.space.iter().find(|after| after.name == before.name) {
                let text = |one| serde_json::to_string(one).unwrap_or_default();
                compare("space", text(before), text(after));
            }
        }
        let objective = |start: &Start| format!("{} {:?}", start.objective, start.direction);
        compare("objective", objective(self).to_lowercase(), objective(now).to_lowercase());
        compare("searcher", self.search.clone(), now.search.clone());
        compare("seed", self.seed.to_string(), now.seed.to_string());
        compare("runner", self.runner.clone(), now.runner.clone());
        let names: BTreeSet<&String> = self.options.keys().chain(now.options.keys()).collect();
        for name in names {
            let option = |start: &Start| match start.options.get(name) {
                Some(value) => value.to_string(),
                None => "nothing".into(),
            };
            compare(name, option(self), option(now));
        }
        changed
    }
}

fn names(start: &Start) -> String {
    let names: Vec<&str> = start.space.iter().map(|one| one.name.as_str()).collect();
    names.join(", ")
}

/// The process that has locked a file, as the kernel lists it.
fn holder(file: &File) -> Option<u32> {
    let inode = file.metadata().ok()?.ino().to_string();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| {
        let mut words = line.split_whitespace().filter(|word| *word != "->");
        let process = words.nth(4)?;
        let place = words.next()?;
        (place.rsplit(':').next() == Some(&inode)).then(|| process.parse().ok())?
    })
}
