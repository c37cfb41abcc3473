//! Facts that only our recorder knows: types and flags of files, metadata calls without a counter,
//! processes, the end of the run.

use std::collections::{BTreeMap, HashMap};

use ioglass_log::table::Table;

use super::believed::{add_count, believed, believed_time};
use crate::recording::Recording;

/// The type of something that was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileType {
    /// A regular file, or not known.
    #[default]
    Regular,
    /// A pipe, with or without a name.
    Pipe,
    /// A socket.
    Socket,
    /// A terminal or another device of characters.
    Device,
    /// A directory.
    Directory,
    /// Something else.
    Other,
}

impl FileType {
    fn of(word: &str) -> Self {
        match word {
            "-" => Self::Regular,
            "fifo" => Self::Pipe,
            "socket" => Self::Socket,
            "char" => Self::Device,
            "dir" => Self::Directory,
            _ => Self::Other,
        }
    }

    /// True if a call on it waits for somebody else, not for storage.
    pub fn waits(self) -> bool {
        matches!(self, Self::Pipe | Self::Socket | Self::Device)
    }
}

/// Facts about one file that have no counter, over all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FileFacts {
    /// Its type.
    pub file_type: FileType,
    /// Opens after which each write waits for the storage: `O_SYNC`, `O_DSYNC`.
    pub sync_opens: u64,
    /// Opens past the cache of the system: `O_DIRECT`.
    pub direct_opens: u64,
    /// Opens that emptied it.
    pub truncations: u64,
    /// Seconds in opens.
    pub opened: f64,
    /// Seconds in closes.
    pub closed: f64,
    /// Seconds in `fsync` and `fdatasync`.
    pub synced: f64,
    /// Bytes of it that were mapped into memory.
    pub mapped: u64,
}

/// Metadata calls of one kind in one directory, by one rank, that no counter has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetadataCalls {
    /// The rank; none of a process that did little else.
    pub rank: Option<i64>,
    /// The directory; empty for all others together.
    pub directory: String,
    /// The kind of call, such as `unlink`.
    pub operation: String,
    /// Calls.
    pub calls: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Seconds.
    pub seconds: f64,
}

impl MetadataCalls {
    /// Seconds of calls that failed.
    pub(crate) fn failed_seconds(&self) -> f64 {
        self.seconds * self.failed as f64 / self.calls.max(1) as f64
    }

    /// Calls that succeeded.
    pub(crate) fn done(&self) -> u64 {
        self.calls.saturating_sub(self.failed)
    }

    /// Their seconds.
    pub(crate) fn done_seconds(&self) -> f64 {
        self.seconds * self.done() as f64 / self.calls.max(1) as f64
    }
}

/// A process of the run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessFacts {
    /// Its rank, if it did I/O.
    pub rank: Option<i64>,
    /// Its command line; not to be trusted.
    pub command: String,
    /// Runtimes that it loaded, such as `stdc++`.
    pub libraries: Vec<String>,
}

/// The end of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With this status.
    Status(i64),
    /// By this signal.
    Signal(i64),
}

/// Everything that our recorder adds to a recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorded {
    pub(crate) files: HashMap<u64, FileFacts>,
    /// True if files of the recording have known types.
    pub(crate) knows_types: bool,
    pub(crate) metadata: Vec<MetadataCalls>,
    /// Seconds that a rank waited for input that is not a file.
    pub(crate) waiting: BTreeMap<i64, f64>,
    pub(crate) processes: Vec<ProcessFacts>,
    pub(crate) exit: Option<Exit>,
}

impl Recorded {
    pub(crate) fn of(recording: &dyn Recording) -> Self {
        let mut recorded = Self::default();
        if let Some(text) = recording.table("files") {
            recorded.read_files(&text);
        }
        recorded.knows_types = recording.table("processes").is_some();
        if let Some(text) = recording.table("metadata") {
            for [rank, directory, operation, calls, failed, seconds] in
                rows(&text, ["rank", "directory", "operation", "calls", "failed", "seconds"])
            {
                recorded.metadata.push(MetadataCalls {
                    rank: rank.parse().ok(),
                    directory: if directory == "-" { "" } else { directory }.to_owned(),
                    operation: operation.to_owned(),
                    calls: count(calls),
                    failed: count(failed),
                    seconds: time(seconds),
                });
            }
        }
        if let Some(text) = recording.table("waiting") {
            for [rank, seconds] in rows(&text, ["rank", "seconds"]) {
                if let Ok(rank) = rank.parse() {
                    *recorded.waiting.entry(rank).or_default() += time(seconds);
                }
            }
        }
        if let Some(text) = recording.table("processes") {
            for [rank, libraries, command] in rows(&text, ["rank", "libraries", "command"]) {
                let libraries = libraries.split(',').filter(|name| !matches!(*name, "" | "-"));
                recorded.processes.push(ProcessFacts {
                    rank: rank.parse().ok(),
                    command: command.to_owned(),
                    libraries: libraries.map(str::to_owned).collect(),
                });
            }
        }
        if let Some(text) = recording.table("job") {
            for [key, value] in rows(&text, ["key", "value"]) {
                let Ok(number) = value.parse() else { continue };
                match key {
                    "signal" => recorded.exit = Some(Exit::Signal(number)),
                    "exit_status" if recorded.exit.is_none() => {
                        recorded.exit = Some(Exit::Status(number));
                    }
                    _ => {}
                }
            }
        }
        recorded
    }

    fn read_files(&mut self, text: &str) {
        let columns = [
            "record",
            "type",
            "sync",
            "direct",
            "truncated",
            "opened",
            "closed",
            "synced",
            "mapped",
        ];
        for [record, kind, sync, direct, truncated, opened, closed, synced, mapped] in
            rows(text, columns)
        {
            let Ok(id) = record.parse() else { continue };
            let facts = self.files.entry(id).or_default();
            let file_type = FileType::of(kind);
            if file_type != FileType::Regular {
                facts.file_type = file_type;
            }
            add_count(&mut facts.sync_opens, count(sync));
            add_count(&mut facts.direct_opens, count(direct));
            add_count(&mut facts.truncations, count(truncated));
            facts.opened += time(opened);
            facts.closed += time(closed);
            facts.synced += time(synced);
            facts.mapped = facts.mapped.max(count(mapped));
        }
    }
}

fn count(text: &str) -> u64 {
    text.parse().map_or(0, believed)
}

fn time(text: &str) -> f64 {
    text.parse().map_or(0.0, believed_time)
}

/// The rows of a table, by the names of its columns. A column that is missing is empty.
fn rows<'t, const N: usize>(
    text: &'t str,
    columns: [&str; N],
) -> impl Iterator<Item = [&'t str; N]> {
    let table = Table::new(text);
    let columns = columns.map(|name| table.column(name));
    table.rows().map(move |row| columns.map(|column| row.get(column).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryRecording;

    #[test]
    fn tables_are_read_by_the_names_of_their_columns() {
        let mut recording = MemoryRecording::default();
        let files = "rank\trecord\ttype\tnew\tsync\tsynced\n0\t7\tfifo\tx\t2\t0.5\n1\t7\t-\tx\t1\t0.25\n\nbad";
        recording.set_table("files", files.into());
        recording.set_table("job", "key\tvalue\nexit_status\t3\n".into());
        let processes = "rank\tlibraries\tcommand\n0\tstdc++,hdf5\t./app\ta b\n-\t-\tsh";
        recording.set_table("processes", processes.into());
        let recorded = Recorded::of(&recording);
        let facts = recorded.files[&7];
        assert_eq!((facts.file_type, facts.sync_opens, facts.synced), (FileType::Pipe, 3, 0.75));
        assert_eq!(recorded.exit, Some(Exit::Status(3)));
        assert_eq!(recorded.processes[0].command, "./app\ta b");
        assert_eq!(recorded.processes[0].libraries, ["stdc++", "hdf5"]);
        assert_eq!((recorded.processes[1].rank, recorded.processes[1].libraries.len()), (None, 0));
    }

    #[test]
    fn any_text_is_read_without_harm() {
        for text in
            ["", "\n", "\t\t\n\t", "rank\nrank\n", "record\ttype\n18446744073709551616\tfifo"]
        {
            let mut recording = MemoryRecording::default();
            for name in ["files", "metadata", "waiting", "processes", "job"] {
                recording.set_table(name, text.into());
            }
            let recorded = Recorded::of(&recording);
            assert!(recorded.files.is_empty() && recorded.exit.is_none());
        }
    }
}
