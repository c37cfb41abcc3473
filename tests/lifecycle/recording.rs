//! A run under `ioglass run`, and what its log says.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioglass_log::posix::{self, Posix};
use ioglass_log::{Log, Operation, dxt};

use super::room::Room;
use crate::support::ioglass;

/// What one process wrote to one file: calls and bytes.
pub(crate) type Written = (i64, i64);

/// A finished run with its log.
pub(crate) struct Recording {
    pub(crate) output: Output,
    pub(crate) log: Log,
    folder: PathBuf,
    traced: bool,
}

/// `ioglass run OPTIONS -o LOG -- COMMAND` in a room.
pub(crate) fn run<S: AsRef<OsStr>>(
    room: &Room,
    options: &[&str],
    command: impl IntoIterator<Item = S>,
) -> Command {
    let mut run = room.command(ioglass());
    run.arg("run").args(options).arg("-o").arg(log_path(room)).arg("--").args(command);
    run
}

/// Where [`run`] has the log written.
pub(crate) fn log_path(room: &Room) -> PathBuf {
    room.folder.join("job.darshan")
}

/// Records a command with its trace, and reads the log.
pub(crate) fn record<S: AsRef<OsStr>>(
    room: &Room,
    command: impl IntoIterator<Item = S>,
) -> Recording {
    let output = run(room, &["--trace", "--no-report"], command).output().unwrap();
    Recording::read(room, output, true)
}

/// Records a command without a trace, and reads the log.
pub(crate) fn record_counters<S: AsRef<OsStr>>(
    room: &Room,
    command: impl IntoIterator<Item = S>,
) -> Recording {
    let output = run(room, &["--no-report"], command).output().unwrap();
    Recording::read(room, output, false)
}

/// Records a command without a trace, with everything the command says, and reads the log.
pub(crate) fn record_and_report<S: AsRef<OsStr>>(
    room: &Room,
    command: impl IntoIterator<Item = S>,
) -> Recording {
    Recording::read(room, run(room, &[], command).output().unwrap(), false)
}

impl Recording {
    /// Reads the log of [`run`].
    pub(crate) fn read(room: &Room, output: Output, traced: bool) -> Self {
        let log = Log::open(log_path(room));
        let log = log.unwrap_or_else(|problem| panic!("no log: {problem}\n{}", said(&output)));
        Self { output, log, folder: room.folder.clone(), traced }
    }

    /// The exit status, as a shell would have it from `ioglass run`.
    pub(crate) fn status(&self) -> Option<i32> {
        self.output.status.code()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The table of processes, as text: how each of them ended, what of it was lost.
    pub(crate) fn processes(&self) -> String {
        let table = self.log.block_section("processes", 1 << 20).unwrap();
        String::from_utf8_lossy(&table.expect("a table of processes")).into_owned()
    }

    /// Fails unless the section `job` has the end for which a shell gives this status.
    #[track_caller]
    pub(crate) fn check_end(&self, status: i32) {
        let section = self.log.block_section("job", 1 << 10).unwrap().unwrap_or_default();
        let end = match status {
            ..=128 => format!("exit_status\t{status}"),
            signal => format!("signal\t{}", signal - 128),
        };
        assert_eq!(String::from_utf8_lossy(&section), format!("key\tvalue\n{end}\n"));
    }

    /// What each process wrote to `file`, by start of the processes. The trace must say the same.
    pub(crate) fn writes(&self, file: &str) -> Vec<Written> {
        let path = self.folder.join(file);
        let counted = counted(&self.log, &path);
        if self.traced {
            assert_eq!(traced(&self.log, &path), counted, "trace and counters of {file}");
        }
        counted.into_values().collect()
    }

    /// Fails unless the processes wrote this to these files.
    #[track_caller]
    pub(crate) fn check(&self, expected: &[(&str, &[Written])]) {
        for (file, writes) in expected {
            assert_eq!(self.writes(file), *writes, "{file}\n{}", said(&self.output));
        }
    }
}

/// What each process wrote to the file at `path`, by rank, as the counters have it.
pub(crate) fn counted(log: &Log, path: &Path) -> BTreeMap<i64, Written> {
    let mut by_rank = BTreeMap::new();
    for record in log.records_of::<Posix>().unwrap() {
        let record = record.unwrap();
        if is_path(log, record.base.id, path) && record.int[posix::WRITES] > 0 {
            let written = (record.int[posix::WRITES], record.int[posix::BYTES_WRITTEN]);
            let before = by_rank.insert(record.base.rank, written);
            assert_eq!(before, None, "two records of {} and one process", path.display());
        }
    }
    by_rank
}

/// What each process wrote to the file at `path`, by rank, as the trace has it.
pub(crate) fn traced(log: &Log, path: &Path) -> BTreeMap<i64, Written> {
    let mut by_rank: BTreeMap<i64, Written> = BTreeMap::new();
    let mut trace = log.dxt(&dxt::POSIX).unwrap();
    while let Some(head) = trace.next_record().unwrap() {
        if !is_path(log, head.base.id, path) || head.writes == 0 {
            continue;
        }
        let (calls, bytes) = by_rank.entry(head.base.rank).or_default();
        *calls += head.writes as i64;
        while let Some(chunk) = trace.next_chunk().unwrap() {
            if chunk.operation == Operation::Write {
                *bytes += chunk.segments.iter().map(|segment| segment.length).sum::<i64>();
            }
        }
    }
    by_rank
}

/// Returns true if a record is of the file at `path`.
pub(crate) fn is_path(log: &Log, id: u64, path: &Path) -> bool {
    log.names().get(id) == Some(path.as_os_str().as_encoded_bytes())
}

/// Everything a run said, for messages of failures.
pub(crate) fn said(output: &Output) -> String {
    format!(
        "{}\n--- stdout\n{}\n--- stderr\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
