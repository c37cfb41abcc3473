//! A job's captures become a log.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::ProgressBar;
use ioglass_harvest::{Fate, Note, Run, Source, Summary, Triggers};
use ioglass_log::Mount;
use ioglass_shm::{Entries, Header, Kind, MAGIC, Pod, VERSION};

use super::launch::{Ended, How};
use super::{alive, place, sys};

/// With fewer bytes than this a log is done before a sign of life could be seen.
const MUCH: u64 = 16 << 20;

/// How long the end of processes is waited for that outlive the program.
const MOMENT: Duration = Duration::from_millis(100);

/// Captures up to this size are read: a process can have only so many mappings.
const SMALL: u64 = 128 << 10;

/// A capture on disk.
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) header: Header,
    pub(crate) fate: Fate,
    bytes: Bytes,
}

/// Bytes of a capture: mapped, or a copy if it is small or its process may still write.
enum Bytes {
    Mapped(memmap2::Mmap),
    Copied(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Copied(bytes) => bytes,
        }
    }
}

/// What is known of a job besides its captures.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    pub(crate) command: Vec<u8>,
    pub(crate) start_ns: Option<u64>,
    pub(crate) end_ns: Option<u64>,
    pub(crate) jobid: i64,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) notes: Vec<(&'static str, Vec<u8>)>,
    pub(crate) ticks_per_second: Option<f64>,
}

/// Opens captures and finds out what became of their processes. Files that are no captures yet, or
/// never will be, are left out.
pub(crate) fn open(paths: &[PathBuf], ended: &[Ended]) -> Vec<Found> {
    let mut found: Vec<Found> = paths.iter().filter_map(|path| open_one(path)).collect();
    // Only the last capture of a process can tell of its end.
    let mut last: BTreeMap<(u64, u32), usize> = BTreeMap::new();
    found.sort_by_key(|capture| capture.header.start.mono_ns);
    for (i, capture) in found.iter().enumerate() {
        last.insert((capture.header.pid_namespace, capture.header.pid), i);
    }
    for (i, capture) in found.iter_mut().enumerate() {
        let is_last = last.get(&(capture.header.pid_namespace, capture.header.pid)) == Some(&i);
        let ended = ended.iter().find(|ended| ended.pid == capture.header.pid && is_last);
        if let Some(ended) = ended
            && capture.fate == Fate::Gone
        {
            capture.fate = match ended.how {
                How::Status(status) => Fate::Status(status),
                How::Signal(signal) => Fate::Signal(signal),
            };
        }
    }
    found
}

/// As [`open`], but waits a moment for processes that are about to end: helpers of a program often
/// do so right after it.
pub(crate) fn open_after(paths: impl Fn() -> Vec<PathBuf>, ended: &[Ended]) -> Vec<Found> {
    let begin = Instant::now();
    loop {
        let captures = open(&paths(), ended);
        let all_gone = captures.iter().all(|capture| capture.fate != Fate::Running);
        if all_gone || begin.elapsed() > MOMENT {
            return captures;
        }
        drop(captures);
        std::thread::sleep(MOMENT / 10);
    }
}

/// Whether a program of this rank has begun MPI and ended without it.
pub(crate) fn has_left_mpi(paths: &[PathBuf], rank: u32) -> bool {
    let headers = paths.iter().filter_map(|path| header(&place::open_capture(path).ok()?));
    let mut own = headers.filter(|header| i64::from(header.rank) == i64::from(rank));
    own.any(|header| header.by_mpi == 1 && header.mpi_ended == 0)
}

fn header(file: &File) -> Option<Header> {
    let mut head = [0; size_of::<Header>()];
    file.read_exact_at(&mut head, 0).ok()?;
    let header = Header::read(&head)?;
    (header.magic == MAGIC && header.version == VERSION).then_some(header)
}

fn open_one(path: &Path) -> Option<Found> {
    let mut file = place::open_capture(path).ok()?;
    let header = header(&file)?;
    let (bytes, fate) = if alive::has_capture(&header, path) {
        (copy(&mut file)?, Fate::Running)
    } else if file.metadata().ok()?.len() <= SMALL {
        (copy(&mut file)?, Fate::Gone)
    } else {
        let map = sys::map(&file).map(Bytes::Mapped).ok();
        (map.or_else(|| copy(&mut file))?, Fate::Gone)
    };
    Some(Found { path: path.into(), header, fate, bytes })
}

fn copy(file: &mut File) -> Option<Bytes> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    Some(Bytes::Copied(bytes))
}

impl Found {
    fn source(&self) -> Source<'_> {
        Source { bytes: &self.bytes, fate: self.fate }
    }

    /// Its file's name, and a hash of all that was recorded: the header says only how it ended.
    pub(crate) fn contents(&self) -> (String, u64) {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entries = self.bytes.get(size_of::<Header>()..).unwrap_or_default();
        (name, ioglass_schema::record_id(entries))
    }

    /// The number of its job, or of the process.
    pub(crate) fn jobid(&self) -> i64 {
        match self.header.jobid {
            0 => self.header.pid.into(),
            jobid => jobid.cast_signed(),
        }
    }

    /// Whether its process has written a log of it, and was killed before it could remove it.
    pub(crate) fn has_log(&self) -> bool {
        let logs = Entries::of(&self.bytes).filter(|entry| entry.kind == Kind::Log);
        logs.filter_map(|entry| entry.bytes.split_first_chunk()).any(|(number, path)| {
            let path = path.split(|byte| *byte == 0).next().unwrap_or_default();
            let log = fs::symlink_metadata(OsStr::from_bytes(path));
            log.is_ok_and(|log| log.ino() == u64::from_le_bytes(*number))
        })
    }

    /// The command line of its process, words joined by blanks.
    pub(crate) fn command(&self) -> Option<Vec<u8>> {
        ioglass_harvest::command(&self.bytes)
    }
}

/// The ranks of a job, and which of its captures belong to each.
pub(crate) fn by_rank(captures: &[Found]) -> Vec<(i64, Vec<usize>)> {
    let sources: Vec<Source<'_>> = captures.iter().map(Found::source).collect();
    ioglass_harvest::ranks(&sources).unwrap_or_default()
}

/// Writes the log of these captures.
pub(crate) fn write(
    captures: &[&Found],
    about: &About,
    fallback_from: Option<&Path>,
    file: File,
) -> anyhow::Result<Summary> {
    let sources: Vec<Source<'_>> = captures.iter().map(|capture| capture.source()).collect();
    let meant = fallback_from.map(|path| path.to_string_lossy().into_owned());
    let meant = meant.iter().map(|path| ("meant_for", path.as_bytes()));
    let notes: Vec<Note<'_>> =
        about.notes.iter().map(|(key, value)| (*key, &value[..])).chain(meant).collect();
    let run = Run {
        command: &about.command,
        start_ns: about.start_ns,
        end_ns: about.end_ns,
        jobid: about.jobid,
        uid: nix::unistd::getuid().as_raw().into(),
        mounts: &about.mounts,
        notes: &notes,
        ticks_per_second: about.ticks_per_second,
        events_at_once: 0,
        triggers: triggers(),
        quick: false,
    };
    let size: u64 = sources.iter().map(|source| source.bytes.len() as u64).sum();
    let spinner = (size > MUCH).then(|| ProgressBar::new_spinner().with_message("writing the log"));
    if let Some(spinner) = &spinner {
        spinner.enable_steady_tick(Duration::from_millis(120));
    }
    let written = ioglass_harvest::write(&sources, &run, file).context("cannot write the log");
    if let Some(spinner) = spinner {
        spinner.finish_and_clear();
    }
    Ok(written?.1)
}

/// Which traces Darshan's variables ask to keep.
fn triggers() -> Triggers {
    let share = |name: &str| {
        let set = ["IOGLASS", "DARSHAN"].map(|prefix| env::var(format!("{prefix}_{name}")).ok());
        set.into_iter().flatten().find_map(|text| text.parse().ok())
    };
    Triggers { small: share("DXT_SMALL_IO_TRIGGER"), unaligned: share("DXT_UNALIGNED_IO_TRIGGER") }
}

/// Removes the captures that are in a log now; those of living processes stay. Of `paths`, files
/// whose process died before it could begin are removed too.
pub(crate) fn remove_finished(captures: &[Found], paths: &[PathBuf]) {
    for capture in captures.iter().filter(|capture| capture.fate != Fate::Running) {
        // What cannot be removed now is found again by the next `recover`.
        let _ = fs::remove_file(&capture.path);
    }
    for path in paths.iter().filter(|path| was_never_begun(path)) {
        let _ = fs::remove_file(path);
    }
}

/// Whether a capture has no header, and nobody lives to write it.
fn was_never_begun(path: &Path) -> bool {
    let mut magic = [0; 8];
    let is_empty = place::open_capture(path)
        .is_ok_and(|file| file.read_at(&mut magic, 0).is_ok() && magic == [0; 8]);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pid = name.split_once('-').map_or("", |(pid, _)| pid);
    is_empty && alive::begin(pid).is_none()
}
