//! The job, as far as it is known from elsewhere than captures.

use alloc::vec::Vec;

use ioglass_log::{Job, Mount};
use ioglass_schema::posix;
use ioglass_shm::{Entries, Kind};

use crate::capture::{Capture, until_nul};
use crate::end::ProgramEnd;
use crate::glance::Glance;
use crate::rank::Ranks;

/// Bytes that a log has for metadata, without the NUL at their end.
const METADATA_ROOM: usize = 1023;
/// The release whose logs these are like; tools look for it.
const LIBRARY: &[u8] = b"lib_ver=3.5.0";
/// The recorder's line in the log's metadata.
const RECORDER: &str = concat!("recorder=ioglass ", env!("CARGO_PKG_VERSION"));

/// A line for the log's metadata: key and value.
pub type Note<'j> = (&'j str, &'j [u8]);

/// The caller's knowledge of the job.
#[derive(Debug, Clone, Copy, Default)]
pub struct Run<'j> {
    /// The command line, words joined by blanks.
    pub command: &'j [u8],
    /// Start in nanoseconds since 1970; if it is not known, when the first process began.
    pub start_ns: Option<u64>,
    /// End in nanoseconds since 1970; if it is not known, the last thing that was recorded.
    pub end_ns: Option<u64>,
    /// The scheduler's number, or a process id.
    pub jobid: i64,
    /// Real user id.
    pub uid: i64,
    /// Mounted file systems.
    pub mounts: &'j [Mount],
    /// Further metadata.
    pub notes: &'j [Note<'j>],
    /// Ticks per second of the time-stamp counter, if they were measured: for processes that were
    /// too short to tell.
    pub ticks_per_second: Option<f64>,
    /// Traced operations kept in memory at a time; 0 is as many as a command may.
    pub events_at_once: usize,
    /// Files whose traces are kept.
    pub triggers: Triggers,
    /// The end of the program, if it is known.
    pub end: Option<ProgramEnd>,
    /// True if the log is to be quick rather than small, which pays for a few records.
    pub quick: bool,
}

/// Conditions for keeping the trace of a file; without any, all are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Triggers {
    /// Least share of accesses of up to 10 KiB.
    pub small: Option<f64>,
    /// Least share of accesses at offsets that are not aligned.
    pub unaligned: Option<f64>,
}

impl Triggers {
    /// Returns true if one of the conditions holds for this file.
    pub(crate) fn keep(&self, cell: &Glance<'_>) -> bool {
        // Added as floats: what is in a capture is anyone's, and integers would overflow.
        let count = |counter: usize| cell.int(counter) as f64;
        let sum = |from: usize, to: usize| (from..=to).map(count).sum::<f64>();
        let all = count(posix::READS) + count(posix::WRITES);
        let small = sum(posix::SIZE_READ_0_100, posix::SIZE_READ_1K_10K)
            + sum(posix::SIZE_WRITE_0_100, posix::SIZE_WRITE_1K_10K);
        let unaligned = count(posix::FILE_NOT_ALIGNED);
        let holds = |least: Option<f64>, part: f64| least.is_some_and(|least| part >= least * all);
        *self == Self::default() || holds(self.small, small) || holds(self.unaligned, unaligned)
    }
}

impl Run<'_> {
    /// Start of the job.
    pub(crate) fn start(&self, captures: &[Capture<'_>]) -> u64 {
        let began = |capture: &Capture<'_>| match capture.header.origin_real_ns {
            0 => capture.header.start.real_ns,
            origin => origin.min(capture.header.start.real_ns),
        };
        self.start_ns.or_else(|| captures.iter().map(began).min()).unwrap_or(0)
    }

    /// The job of the log.
    pub(crate) fn job(
        &self,
        captures: &[Capture<'_>],
        ranks: &Ranks,
        start_ns: u64,
        end_ns: u64,
    ) -> Job {
        const SECOND: u64 = 1_000_000_000;
        let mut job = Job::default();
        job.uid = self.uid;
        job.start_sec = (start_ns / SECOND).cast_signed();
        job.start_nsec = (start_ns % SECOND).cast_signed();
        job.end_sec = (end_ns / SECOND).cast_signed();
        job.end_nsec = (end_ns % SECOND).cast_signed();
        job.nprocs = ranks.count.max(1);
        job.jobid = self.jobid;
        job.metadata = self.metadata(captures, ranks);
        job.set_command(self.command, self.mounts);
        job
    }

    fn metadata(&self, captures: &[Capture<'_>], ranks: &Ranks) -> Vec<u8> {
        let mut metadata = Vec::with_capacity(METADATA_ROOM);
        add_line(&mut metadata, &[LIBRARY]);
        add_line(&mut metadata, &[RECORDER.as_bytes()]);
        add_line(&mut metadata, &[b"ranks=", ranks.numbered_by.as_bytes()]);
        for (key, value) in self.notes {
            add_line(&mut metadata, &[key.as_bytes(), b"=", value]);
        }
        for note in captures.iter().flat_map(|capture| capture.of(Kind::Note)) {
            add_line(&mut metadata, &[until_nul(note.bytes)]);
        }
        metadata
    }
}

/// The command line of the process with this capture, words joined by blanks.
pub fn command(capture: &[u8]) -> Option<Vec<u8>> {
    let words = Entries::of(capture).find(|entry| entry.kind == Kind::Command)?.bytes;
    let words: Vec<&[u8]> = words.split(|byte| *byte == 0).filter(|w| !w.is_empty()).collect();
    Some(words.join(&b' '))
}

/// Adds a line, unless it is there already or does not fit.
fn add_line(metadata: &mut Vec<u8>, parts: &[&[u8]]) {
    let start = metadata.len();
    metadata.extend(parts.iter().flat_map(|part| part.iter()).take(METADATA_ROOM));
    for byte in metadata.iter_mut().skip(start).filter(|byte| byte.is_ascii_control()) {
        *byte = b' ';
    }
    let (before, line) = metadata.split_at(start);
    let known = line.is_empty() || before.split(|byte| *byte == b'\n').any(|other| other == line);
    if known || metadata.len() + 1 > METADATA_ROOM {
        metadata.truncate(start);
    } else {
        metadata.push(b'\n');
    }
}
