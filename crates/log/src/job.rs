//! The log region of the job: who ran what, when, on how many ranks, with which file systems mounted.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::header::Version;

/// Bytes of metadata in the log region, NUL included.
pub(crate) const METADATA_SIZE: usize = 1024;
/// Bytes of the log region: record, command line, mounts and NUL.
pub(crate) const JOB_SIZE: usize = 4096;
/// Bytes of the record before the command line, in current logs.
pub(crate) const RECORD_SIZE: usize = 7 * 8 + METADATA_SIZE;
/// Bytes for command line and mounts.
const TEXT_ROOM: usize = JOB_SIZE - 1 - RECORD_SIZE;
/// The end of a command line that was too long.
const TRUNCATED: &[u8] = b"<TRUNCATED>";

/// The facts of the whole job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// Real user id.
    pub uid: i64,
    /// Start in seconds since 1970.
    pub start_sec: i64,
    /// Nanoseconds of the start.
    pub start_nsec: i64,
    /// End in seconds since 1970.
    pub end_sec: i64,
    /// Nanoseconds of the end.
    pub end_nsec: i64,
    /// Ranks.
    pub nprocs: i64,
    /// The scheduler's number, or a process id.
    pub jobid: i64,
    /// Lines `key=value`.
    pub metadata: Vec<u8>,
    /// Command line and mounts as the log region stores them: lines, the first the command line.
    pub(crate) text: Vec<u8>,
    /// The mounts in `text`, in its order.
    pub(crate) mounts: Vec<Mount>,
}

/// A mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The mount point.
    pub path: Vec<u8>,
    /// Its type, such as `lustre`.
    pub fs_type: Vec<u8>,
}

impl Job {
    /// Sets the command line and the mounts. Line breaks in the command line become blanks,
    /// because a line break ends it.
    pub fn set_command(&mut self, command: &[u8], mounts: &[Mount]) {
        self.text.clear();
        push_command(&mut self.text, command);
        for byte in self.text.iter_mut().filter(|byte| **byte == b'\n') {
            *byte = b' ';
        }
        for mount in mounts {
            if self.text.len() + mount.fs_type.len() + mount.path.len() + 2 <= TEXT_ROOM {
                self.text.push(b'\n');
                self.text.extend_from_slice(&mount.fs_type);
                self.text.push(b'\t');
                self.text.extend_from_slice(&mount.path);
            }
        }
        self.mounts = parse_mounts(&self.text);
    }

    /// The command line.
    pub fn command(&self) -> &[u8] {
        self.text.split(|byte| *byte == b'\n').next().unwrap_or_default()
    }

    /// The command line, for people.
    pub fn exe(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.command())
    }

    /// Returns true if a line break ends the command line. Without one, as in a log that has no room for
    /// mounts, tools of the reference see no command line.
    pub fn is_command_ended(&self) -> bool {
        self.text.contains(&b'\n')
    }

    /// Returns true if the command line was cut, and left no room for mounts.
    pub fn is_command_cut(&self) -> bool {
        self.mounts.is_empty() && self.text.ends_with(TRUNCATED)
    }

    /// Mounted file systems, in the order of the log.
    pub fn mounts(&self) -> &[Mount] {
        &self.mounts
    }

    /// Pairs of the metadata; a line without `=` is skipped.
    pub fn metadata(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.metadata.split(|byte| *byte == b'\n').filter_map(|line| {
            let equals = line.iter().position(|byte| *byte == b'=')?;
            Some((&line[..equals], &line[equals + 1..]))
        })
    }

    /// The value of a metadata key, for people.
    pub fn metadata_value(&self, key: &str) -> Option<Cow<'_, str>> {
        self.metadata()
            .find(|(found, _)| *found == key.as_bytes())
            .map(|(_, value)| String::from_utf8_lossy(value))
    }

    /// Returns true if the end was written. It was not if the program was killed.
    pub fn has_ended(&self) -> bool {
        self.end_sec != 0 || self.start_sec == 0
    }

    /// Seconds the job ran. Logs before 3.41 know only whole seconds and count both ends.
    pub fn run_time(&self, version: Version) -> f64 {
        if version.is_current() {
            seconds(self.end_sec, self.end_nsec) - seconds(self.start_sec, self.start_nsec)
        } else {
            self.end_sec.wrapping_sub(self.start_sec).wrapping_add(1) as f64
        }
    }

    /// The mount whose path is the longest prefix of `path`. Like the reference's, this is a
    /// plain comparison of bytes.
    pub fn mount_of(&self, path: &[u8]) -> Option<&Mount> {
        // `max_by_key` takes the last of equals; mounts of one length differ in their path.
        self.mounts
            .iter()
            .filter(|mount| path.starts_with(&mount.path))
            .rev()
            .max_by_key(|mount| mount.path.len())
    }

    /// The mounts, longest path first: the order in which tools list them.
    pub fn mounts_by_length(&self) -> Vec<&Mount> {
        let mut mounts: Vec<&Mount> = self.mounts.iter().collect();
        mounts.sort_by_key(|mount| core::cmp::Reverse(mount.path.len()));
        mounts
    }

    /// The log region as a current log stores it. Old logs had 16 bytes more for mounts; what no
    /// longer fits is left out.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(JOB_SIZE);
        for number in [
            self.uid,
            self.start_sec,
            self.start_nsec,
            self.end_sec,
            self.end_nsec,
            self.nprocs,
            self.jobid,
        ] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.metadata[..self.metadata.len().min(METADATA_SIZE - 1)]);
        bytes.resize(RECORD_SIZE, 0);

        let mut text = &self.text[..];
        while text.len() > TEXT_ROOM
            && let Some(line) = text.iter().rposition(|byte| *byte == b'\n')
        {
            text = &text[..line];
        }
        push_command(&mut bytes, text);
        bytes.push(0);
        bytes
    }
}

/// Appends a command line, marked if it had to be cut.
fn push_command(bytes: &mut Vec<u8>, command: &[u8]) {
    if command.len() <= TEXT_ROOM {
        bytes.extend_from_slice(command);
    } else {
        bytes.extend_from_slice(&command[..TEXT_ROOM - TRUNCATED.len()]);
        bytes.extend_from_slice(TRUNCATED);
    }
}

/// Every line after the first is a type and a path. Like the reference, this takes the next two
/// words wherever they are, so that an empty line repeats the mount after it.
pub(crate) fn parse_mounts(text: &[u8]) -> Vec<Mount> {
    let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let mounts = breaks.filter_map(|(position, _)| {
        let rest = &text[position + 1..];
        let mut words = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let (fs_type, path) = (words.next()?, words.next()?);
        Some(Mount { path: path.into(), fs_type: fs_type.into() })
    });
    mounts.collect()
}

/// The reference adds in this order, and tools print what comes out.
fn seconds(whole: i64, nanos: i64) -> f64 {
    whole as f64 + nanos as f64 / 1e9
}
