//! Is the result of a run right? It is if it wrote what the default runs wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ioglass_content::hdf5::Dataset;
use ioglass_insight::model::{Direction, FileKind, Run};
use ioglass_tune::journal::Recorded;
use ioglass_tune::report;
use ioglass_tune::runner::Note;
use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::hdf5::Library;

/// The most files that are compared.
const FILES: usize = 1000;
/// The most bytes.
const BYTES: u64 = 10_000_000_000;
/// The most datasets of which each has a line of its own.
const DATASETS: usize = 1000;
/// The most entries of folders that are looked at where no log tells what was written.
const ENTRIES: usize = 20_000;
/// Pause before the next look at the clock of files, and the most of them.
const PAUSE: Duration = Duration::from_micros(500);
const PAUSES: usize = 100;

/// How names in the folder of a run begin.
const OWN: &str = "{trial_dir}/";

/// Compares what runs wrote.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// What default runs wrote, as far as it was always the same.
    expected: Option<BTreeMap<String, String>>,
    /// What differed between default runs, or could not be read.
    not_compared: BTreeSet<String>,
    has_said: bool,
}

/// Reads what runs wrote.
#[derive(Debug, Default)]
pub(in super::super) struct Files {
    library: Option<Option<Library>>,
}

/// What a run has written.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in super::super) struct Written {
    /// Digests by file, and by dataset in a file.
    digests: BTreeMap<String, String>,
    /// What is not compared.
    unread: BTreeSet<String>,
    /// What digests are of.
    parts: Vec<Part>,
    /// Bytes that were looked at.
    bytes: u64,
    /// What people should know of it.
    said: Option<String>,
}

/// A file, or a dataset in one.
#[derive(Debug, Serialize, Deserialize)]
struct Part {
    name: String,
    is_dataset: bool,
    bytes: u64,
}

/// A run whose result is to be looked at.
pub(super) struct Ran<'a> {
    /// The folder of the run.
    pub(super) trial_dir: &'a Path,
    /// What its log tells, if there is one.
    pub(super) run: Option<&'a Run>,
    /// When it began.
    pub(super) began: SystemTime,
    /// It is a run of the default.
    pub(super) is_default: bool,
    /// Files and folders of the search itself.
    pub(super) own: &'a [OsString],
}

impl Comparison {
    /// Expects what the default runs of a journal wrote.
    pub(super) fn recorded(recorded: &Recorded) -> Comparison {
        let mut comparison = Comparison::default();
        let trials = recorded.trials.iter().map(|trial| &trial.rest);
        for rest in trials.chain(recorded.confirms.iter().map(|confirm| &confirm.rest)) {
            let note = Note::of(rest);
            if let Some(check) = &note.check {
                comparison.not_compared.extend(check.not_compared.iter().cloned());
            }
            if !note.files.is_empty() {
                comparison.expect(&note.files);
            }
        }
        comparison
    }

    /// What people should know of what a run wrote, once.
    pub(super) fn says(&mut self, written: &Written) -> Option<String> {
        let said = written.said.clone().filter(|_| !self.has_said);
        self.has_said |= said.is_some();
        said
    }

    /// Looks at the result of a run: adds what it finds to the note. Returns what is wrong.
    pub(super) fn look(
        &mut self,
        written: Written,
        is_default: bool,
        is_shared: bool,
        note: &mut Note,
    ) -> Option<String> {
        self.not_compared.extend(written.unread);
        let wrong = if is_default {
            self.expect(&written.digests);
            note.files = written.digests;
            None
        } else {
            self.wrong(&written.digests, is_shared)
        };
        let compared =
            || written.parts.iter().filter(|part| !self.not_compared.contains(&part.name));
        note.check = Some(report::Check {
            state: "same".into(),
            files: compared().filter(|part| !part.is_dataset).count() as u64,
            datasets: compared().filter(|part| part.is_dataset).count() as u64,
            bytes: compared().map(|part| part.bytes).sum(),
            not_compared: self.not_compared.iter().cloned().collect(),
        });
        wrong
    }

    /// Keeps what is the same in all default runs.
    fn expect(&mut self, digests: &BTreeMap<String, String>) {
        let Some(expected) = &mut self.expected else {
            self.expected = Some(digests.clone());
            return;
        };
        let differing: Vec<String> = expected
            .keys()
            .chain(digests.keys())
            .filter(|name| expected.get(*name) != digests.get(*name))
            .cloned()
            .collect();
        for name in differing {
            expected.remove(&name);
            self.not_compared.insert(name);
        }
    }

    /// The first thing that a run wrote differently, or not at all. Of a run that others shared the current
    /// folder with, only its own folder counts.
    fn wrong(&self, digests: &BTreeMap<String, String>, is_shared: bool) -> Option<String> {
        let expected = self.expected.as_ref()?;
        let own = expected.iter().filter(|(name, _)| !is_shared || name.starts_with(OWN));
        own.into_iter().find_map(|(name, digest)| match digests.get(name) {
            Some(same) if same == digest => None,
            Some(_) => Some(format!("{name} differs")),
            None => Some(format!("{name} was not written")),
        })
    }
}

impl Files {
    /// What a run has written.
    pub(super) fn written(&mut self, ran: &Ran<'_>) -> Written {
        let mut written = Written::default();
        let mut files = match ran.run {
            Some(run) => told(run, ran.trial_dir),
            None => new_in(&current_folder(), ran),
        };
        files.extend(new_in(ran.trial_dir, ran));
        let is_own = |path: &Path| ran.own.iter().any(|own| path.starts_with(own));
        files.retain(|_, path| path.starts_with(ran.trial_dir) || !is_own(path));
        let mut hdf5 = Vec::new();
        if files.len() > FILES {
            written
                .say(&format!("{} files are written; the first {FILES} are compared", files.len()));
            files = files.into_iter().take(FILES).collect();
        }
        for (name, path) in files {
            let Ok(metadata) = fs::metadata(&path) else { continue };
            if !metadata.is_file() {
                continue;
            }
            if written.bytes.saturating_add(metadata.len()) > BYTES {
                written.say(&format!("{name} is too large to be compared"));
                written.unread.insert(name);
                continue;
            }
            if ioglass_content::is_hdf5(&path) {
                hdf5.push((name, path));
                continue;
            }
            match ioglass_content::of_bytes(&path) {
                Ok((digest, bytes)) => {
                    written.bytes += bytes;
                    written.digests.insert(name.clone(), digest);
                    written.parts.push(Part { name, is_dataset: false, bytes });
                }
                Err(_) => {
                    written.unread.insert(name);
                }
            }
        }
        if !hdf5.is_empty() {
            self.read_hdf5(ran, hdf5, &mut written);
        }
        written
    }

    fn read_hdf5(&mut self, ran: &Ran<'_>, files: Vec<(String, PathBuf)>, written: &mut Written) {
        let library = self.library.get_or_insert_with(|| ran.run.and_then(Library::of)).clone();
        let Some(library) = library else {
            written.say("HDF5 files are not compared: no library of HDF5 was found");
            written.unread.extend(files.into_iter().map(|(name, _)| name));
            return;
        };
        let (names, paths): (Vec<String>, Vec<PathBuf>) = files.into_iter().unzip();
        for (name, content) in names.into_iter().zip(library.read(&paths)) {
            let Some(content) = content else {
                // What a run of the default wrote can be read; of another run this is wrong.
                if ran.is_default {
                    written.unread.insert(name);
                }
                continue;
            };
            let mut whole = content.structure;
            for Dataset { path, digest, bytes } in content.datasets {
                written.bytes += bytes;
                let mut part = Part { name: name.clone(), is_dataset: true, bytes };
                if written.digests.len() < DATASETS {
                    part.name = format!("{name}:{path}");
                    written.digests.insert(part.name.clone(), digest);
                } else {
                    whole.push_str(&digest);
                }
                written.parts.push(part);
            }
            written.digests.insert(name.clone(), whole);
            written.parts.push(Part { name, is_dataset: false, bytes: 0 });
        }
    }
}

impl Written {
    /// Says something, unless something was said.
    fn say(&mut self, text: &str) {
        self.said.get_or_insert_with(|| text.to_owned());
    }
}

/// A moment by the clock that files get their times of: what is written from now on is not older, and what
/// was written is. That clock goes in steps of some milliseconds, and the next one is waited for.
pub(super) fn moment() -> SystemTime {
    let clock = || clock_gettime(ClockId::CLOCK_REALTIME_COARSE).map(Duration::from).ok();
    let begin = clock();
    for _ in 0..PAUSES {
        std::thread::sleep(PAUSE);
        if let Some(now) = clock().filter(|now| Some(*now) != begin) {
            return SystemTime::UNIX_EPOCH + now;
        }
    }
    SystemTime::now()
}

/// The name of a file below the folder of the run, or below the current one.
fn name_of(path: &Path, trial_dir: &Path) -> Option<String> {
    if let Ok(inside) = path.strip_prefix(trial_dir) {
        return Some(format!("{{trial_dir}}/{}", inside.display()));
    }
    let inside = path.strip_prefix(current_folder()).ok()?;
    Some(inside.display().to_string())
}

/// The files that a run wrote, by its log.
fn told(run: &Run, trial_dir: &Path) -> BTreeMap<String, PathBuf> {
    let writes = |usage: &ioglass_insight::model::Usage| usage.way(Direction::Write).calls > 0;
    let files = run.files.iter().filter(|file| file.kind == FileKind::Data);
    let files = files.filter(|file| file.layers().any(writes));
    let paths = files.map(|file| PathBuf::from(file.name.to_string()));
    paths.filter_map(|path| Some((name_of(&path, trial_dir)?, path))).collect()
}

/// The files in a folder that were written since a run began, by their times.
fn new_in(folder: &Path, ran: &Ran<'_>) -> BTreeMap<String, PathBuf> {
    let since = ran.began;
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    let mut entries = 0;
    while let Some(folder) = folders.pop() {
        let Ok(device) = fs::metadata(&folder).map(|metadata| metadata.dev()) else { continue };
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            entries += 1;
            if entries > ENTRIES {
                return found;
            }
            let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if metadata.is_dir() && !is_hidden && metadata.dev() == device {
                folders.push(path);
                continue;
            }
            let is_new = metadata.modified().is_ok_and(|modified| modified >= since);
            if metadata.is_file()
                && is_new
                && let Some(name) = name_of(&path, ran.trial_dir)
            {
                found.insert(name, path);
            }
        }
    }
    found
}

fn current_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        all.iter().map(|(name, digest)| ((*name).to_owned(), (*digest).to_owned())).collect()
    }

    #[test]
    fn what_default_runs_differ_in_is_not_compared() {
        let mut comparison = Comparison::default();
        assert_eq!(comparison.wrong(&digests(&[]), false), None, "nothing is expected yet");
        comparison.expect(&digests(&[("a", "1"), ("log", "x"), ("old", "1")]));
        comparison.expect(&digests(&[("a", "1"), ("log", "y"), ("new", "1")]));
        let not: Vec<&str> = comparison.not_compared.iter().map(String::as_str).collect();
        assert_eq!(not, ["log", "new", "old"]);
        assert_eq!(comparison.wrong(&digests(&[("a", "1"), ("log", "z")]), false), None);
        assert_eq!(comparison.wrong(&digests(&[("a", "2")]), false), Some("a differs".into()));
        assert_eq!(comparison.wrong(&digests(&[]), false), Some("a was not written".into()));
    }
}
