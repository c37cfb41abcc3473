//! Opens the captures of a job and writes the log of them.

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

use ioglass_harvest::{Fate, Note, ProfileOf, ProgramEnd, Run, Source, Summary, Triggers};
use ioglass_log::{Mount, Sink};
use ioglass_profile::Profile;
use ioglass_shm::{Entries, Header, Kind, MAGIC, Pod, RegionCell, VERSION};

use crate::alive::Seen;
use crate::child::{Ended, Ending};
use crate::{Error, Living, Result, alive, directory, sys};

/// Longest wait for the end of processes that outlive the program.
const MOMENT: Duration = Duration::from_millis(100);

/// In a log's metadata: calls were to be traced.
const TRACED: &str = "traced";

/// Captures up to this size are read, not mapped: the number of mappings is limited.
const SMALL: u64 = 128 << 10;

/// A capture, opened.
#[derive(Debug)]
pub(crate) struct OpenCapture {
    pub(crate) path: PathBuf,
    pub(crate) header: Header,
    pub(crate) fate: Fate,
    bytes: Bytes,
}

/// Bytes of a capture: mapped, or a copy if it is small or its process may still write.
#[derive(Debug)]
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

/// Facts about a job that its captures do not have.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobFacts {
    pub(crate) command: Vec<u8>,
    pub(crate) start_ns: Option<u64>,
    pub(crate) end_ns: Option<u64>,
    pub(crate) jobid: i64,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) notes: Vec<(&'static str, Vec<u8>)>,
    pub(crate) ticks_per_second: Option<f64>,
    pub(crate) end: Option<ProgramEnd>,
}

/// Opens captures and finds out how their processes ended. Files without the header of a capture are
/// left out.
pub(crate) fn open(paths: &[PathBuf], ended: &[Ended]) -> Vec<OpenCapture> {
    open_again(paths, ended, &mut Seen::default())
}

/// Opens captures like [`open`], and remembers whose process lives.
pub(crate) fn open_again(paths: &[PathBuf], ended: &[Ended], seen: &mut Seen) -> Vec<OpenCapture> {
    let mut found: Vec<OpenCapture> =
        paths.iter().filter_map(|path| open_one(path, seen)).collect();
    // Only the last capture of a process shows its end.
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
                Ending::Status(status) => Fate::Status(status),
                Ending::Signal(signal) => Fate::Signal(signal),
            };
        }
    }
    found
}

/// Opens captures like [`open`], but first waits a moment for processes that are about to end: helpers
/// of a program often end right after it.
pub(crate) fn open_after(paths: impl Fn() -> Vec<PathBuf>, ended: &[Ended]) -> Vec<OpenCapture> {
    let begin = Instant::now();
    let mut seen = Seen::default();
    loop {
        let captures = open_again(&paths(), ended, &mut seen);
        let all_gone = captures.iter().all(|capture| capture.fate != Fate::Running);
        if all_gone || begin.elapsed() > MOMENT {
            return captures;
        }
        drop(captures);
        std::thread::sleep(MOMENT / 10);
    }
}

/// Returns true if a program of this rank has initialised MPI and ended without finalising it.
pub(crate) fn has_left_mpi(paths: &[PathBuf], rank: u32) -> bool {
    let headers = paths.iter().filter_map(|path| header(&directory::open_capture(path).ok()?));
    let mut own = headers.filter(|header| i64::from(header.rank) == i64::from(rank));
    own.any(|header| header.by_mpi == 1 && header.mpi_ended == 0)
}

fn header(file: &File) -> Option<Header> {
    let mut head = [0; size_of::<Header>()];
    file.read_exact_at(&mut head, 0).ok()?;
    let header = Header::read(&head)?;
    (header.magic == MAGIC && header.version == VERSION).then_some(header)
}

fn open_one(path: &Path, seen: &mut Seen) -> Option<OpenCapture> {
    let mut file = directory::open_capture(path).ok()?;
    let header = header(&file)?;
    let (bytes, fate) = if seen.has_capture(&header, path) {
        (copy(&mut file)?, Fate::Running)
    } else if file.metadata().ok()?.len() <= SMALL {
        (copy(&mut file)?, Fate::Gone)
    } else {
        let map = sys::map(&file).map(Bytes::Mapped).ok();
        (map.or_else(|| copy(&mut file))?, Fate::Gone)
    };
    Some(OpenCapture { path: path.into(), header, fate, bytes })
}

fn copy(file: &mut File) -> Option<Bytes> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    Some(Bytes::Copied(bytes))
}

impl OpenCapture {
    fn source(&self) -> Source<'_> {
        Source { bytes: &self.bytes, fate: self.fate }
    }

    /// The name of its file, and a hash of its records. The hash leaves the header out, which changes
    /// when the process ends.
    pub(crate) fn contents(&self) -> (String, u64) {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entries = self.bytes.get(size_of::<Header>()..).unwrap_or_default();
        (name, ioglass_schema::record_id(entries))
    }

    /// Its process, if that still runs.
    pub(crate) fn living(&self) -> Option<Living> {
        let command = || self.command().unwrap_or_default();
        (self.fate == Fate::Running).then(|| Living::new(self.header.pid, &command()))
    }

    /// The number of its job, or else of the launcher of its rank, if it has regions, or of its process.
    pub(crate) fn jobid(&self) -> i64 {
        match (self.header.jobid, self.header.profile_job) {
            (0, 0) => self.header.pid.into(),
            (0, job) | (job, _) => job.cast_signed(),
        }
    }

    /// Returns true if its process has written a log of it and was killed before it could remove it.
    pub(crate) fn has_log(&self) -> bool {
        let logs = Entries::of(&self.bytes).filter(|entry| entry.kind == Kind::Log);
        logs.filter_map(|entry| entry.bytes.split_first_chunk()).any(|(number, path)| {
            let path = path.split(|byte| *byte == 0).next().unwrap_or_default();
            let log = fs::symlink_metadata(OsStr::from_bytes(path));
            log.is_ok_and(|log| log.ino() == u64::from_le_bytes(*number))
        })
    }

    /// Returns true if its process has given the profile a name.
    pub(crate) fn names_profile(&self) -> bool {
        Entries::of(&self.bytes).any(|entry| entry.kind == Kind::RegionProfile)
    }

    /// Returns true if its process has entered a region.
    pub(crate) fn has_regions(&self) -> bool {
        let is_visited = |bytes| RegionCell::read(bytes).is_some_and(|cell| cell.calls > 0);
        Entries::of(&self.bytes).any(|entry| entry.kind == Kind::Region && is_visited(entry.bytes))
    }

    /// The end of its process, if it is known.
    pub(crate) fn end(&self) -> Option<ProgramEnd> {
        ProgramEnd::of_capture(&self.bytes, self.fate)
    }

    /// The command line of its process, words joined by blanks.
    pub(crate) fn command(&self) -> Option<Vec<u8>> {
        ioglass_harvest::command(&self.bytes)
    }
}

/// The ranks of a job, each with the indices of its captures.
pub(crate) fn by_rank(captures: &[OpenCapture]) -> Vec<(i64, Vec<usize>)> {
    let sources: Vec<Source<'_>> = captures.iter().map(OpenCapture::source).collect();
    ioglass_harvest::ranks(&sources).unwrap_or_default()
}

/// Writes the log of these captures to a file.
pub(crate) fn write_file(
    captures: &[&OpenCapture],
    facts: &JobFacts,
    meant_for: Option<&Path>,
    file: File,
) -> Result<Summary> {
    let written = write(captures, facts, meant_for, file).map_err(Error::Harvest)?;
    Ok(written.1)
}

/// Writes the log of these captures to `sink`. `meant_for` is the file that could not be written, if
/// this is a fallback.
pub(crate) fn write<S: Sink>(
    captures: &[&OpenCapture],
    facts: &JobFacts,
    meant_for: Option<&Path>,
    sink: S,
) -> Result<(S, Summary), ioglass_harvest::Error<S::Error>> {
    let sources: Vec<Source<'_>> = captures.iter().map(|capture| capture.source()).collect();
    let meant = meant_for.map(|path| path.to_string_lossy().into_owned());
    let meant = meant.iter().map(|path| ("meant_for", path.as_bytes()));
    // A program may do nothing that has a place in a trace.
    let is_traced = captures.iter().any(|capture| capture.header.traced == 1);
    let traced = is_traced.then_some((TRACED, &b"yes"[..]));
    let notes = facts.notes.iter().map(|(key, value)| (*key, &value[..]));
    let notes: Vec<Note<'_>> = notes.chain(meant).chain(traced).collect();
    ioglass_harvest::write(&sources, &run_of(facts, &notes), sink)
}

/// The profile of these captures. `None` if they have no regions.
pub(crate) fn profile(
    captures: &[&OpenCapture],
    facts: &JobFacts,
    of: ProfileOf,
) -> Result<Option<Profile>> {
    let sources: Vec<Source<'_>> = captures.iter().map(|capture| capture.source()).collect();
    ioglass_harvest::profile(&sources, &run_of(facts, &[]), of).map_err(|_| Error::NoMemory)
}

/// The caller's knowledge of a job, for its log and its profile.
fn run_of<'f>(facts: &'f JobFacts, notes: &'f [Note<'f>]) -> Run<'f> {
    Run {
        command: &facts.command,
        start_ns: facts.start_ns,
        end_ns: facts.end_ns,
        jobid: facts.jobid,
        uid: nix::unistd::getuid().as_raw().into(),
        mounts: &facts.mounts,
        notes,
        ticks_per_second: facts.ticks_per_second,
        events_at_once: 0,
        triggers: triggers(),
        end: facts.end,
        quick: false,
    }
}

/// The triggers of Darshan's variables: they select the traces that are kept.
fn triggers() -> Triggers {
    let share = |name: &str| {
        let set = ["IOGLASS", "DARSHAN"].map(|prefix| env::var(format!("{prefix}_{name}")).ok());
        set.into_iter().flatten().find_map(|text| text.parse().ok())
    };
    Triggers { small: share("DXT_SMALL_IO_TRIGGER"), unaligned: share("DXT_UNALIGNED_IO_TRIGGER") }
}

/// Removes captures that are in a log; those of living processes stay. Of `paths`, also removes files
/// whose process died before it wrote a header.
pub(crate) fn remove_finished(captures: &[OpenCapture], paths: &[PathBuf]) {
    for capture in captures.iter().filter(|capture| capture.fate != Fate::Running) {
        // The next `recover` finds it again.
        let _ = fs::remove_file(&capture.path);
    }
    for path in paths.iter().filter(|path| was_never_begun(path)) {
        let _ = fs::remove_file(path);
    }
}

/// Returns true if a capture has no header and its process is dead.
fn was_never_begun(path: &Path) -> bool {
    let mut magic = [0; 8];
    let is_empty = directory::open_capture(path)
        .is_ok_and(|file| file.read_at(&mut magic, 0).is_ok() && magic == [0; 8]);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pid = name.split_once('-').map_or("", |(pid, _)| pid);
    is_empty && alive::begin(pid).is_none()
}
