//! The `job` file: describes what was run, so that a log can be made without the command that ran it.

use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use ioglass_shm::place;

use crate::directory::UNFINISHED;

/// The contents of the `job` file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct JobFile {
    /// Start, in nanoseconds since 1970.
    pub(crate) start_ns: u64,
    /// End, in the same unit; 0 until it is known.
    pub(crate) end_ns: u64,
    /// The scheduler's number, or a process id.
    pub(crate) jobid: i64,
    /// The process that runs the job.
    pub(crate) pid: u32,
    /// Start of that process, in clock ticks since boot.
    pub(crate) pid_start: u64,
    /// The command line, words joined by blanks.
    pub(crate) command: Vec<u8>,
    /// The path of the log.
    pub(crate) log: PathBuf,
    /// The name of the launch that the job is part of, and its number of ranks.
    pub(crate) launch: Option<(String, u32)>,
    /// True if the log has been written and the directory holds only leftovers.
    pub(crate) harvested: bool,
    /// True if one of the commands of the launch has told the user about the log.
    pub(crate) told: bool,
    /// Captures of processes that lived when the log was written: file name, and a hash of the contents
    /// that are in the log.
    pub(crate) seen: Vec<(String, u64)>,
}

impl JobFile {
    /// Reads the file of the job in `directory`.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let text = fs::read(directory.join(place::JOB_FILE)).ok()?;
        let mut job = Self::default();
        for line in text.split(|byte| *byte == b'\n') {
            let Some(equals) = line.iter().position(|byte| *byte == b'=') else { continue };
            let (key, value) = (&line[..equals], &line[equals + 1..]);
            let number = || std::str::from_utf8(value).ok()?.parse::<u64>().ok();
            match key {
                b"start" => job.start_ns = number()?,
                b"end" => job.end_ns = number()?,
                b"jobid" => job.jobid = number()?.cast_signed(),
                b"pid" => job.pid = number()?.try_into().ok()?,
                b"pid_start" => job.pid_start = number()?,
                b"command" => job.command = unescape(value),
                b"log" => job.log = std::ffi::OsString::from_vec(unescape(value)).into(),
                b"launch" => job.launch = parse_launch(value),
                b"harvested" => job.harvested = value == b"1",
                b"told" => job.told = value == b"1",
                b"seen" => job.seen.extend(parse_seen(value)),
                _ => {}
            }
        }
        Some(job)
    }

    /// Writes the file into `directory`.
    pub(crate) fn write(&self, directory: &Path) -> io::Result<()> {
        let mut text = format!(
            "start={}\nend={}\njobid={}\npid={}\npid_start={}\nharvested={}\ntold={}\n",
            self.start_ns,
            self.end_ns,
            self.jobid,
            self.pid,
            self.pid_start,
            u8::from(self.harvested),
            u8::from(self.told)
        )
        .into_bytes();
        for (key, value) in
            [("command", &self.command[..]), ("log", self.log.as_os_str().as_bytes())]
        {
            text.extend_from_slice(key.as_bytes());
            text.push(b'=');
            text.extend(escape(value));
            text.push(b'\n');
        }
        if let Some((name, ranks)) = &self.launch {
            text.extend(format!("launch={ranks} {name}\n").into_bytes());
        }
        for (name, hash) in &self.seen {
            text.extend(format!("seen={hash:016x} {name}\n").into_bytes());
        }
        // The writer may be killed, and a reader needs the whole file.
        let beside = directory.join(format!("{UNFINISHED}{}", std::process::id()));
        fs::write(&beside, text)?;
        fs::rename(beside, directory.join(place::JOB_FILE))
    }
}

fn parse_launch(value: &[u8]) -> Option<(String, u32)> {
    let (ranks, name) = std::str::from_utf8(value).ok()?.split_once(' ')?;
    Some((name.to_owned(), ranks.parse().ok()?))
}

fn parse_seen(value: &[u8]) -> Option<(String, u64)> {
    let (hash, name) = std::str::from_utf8(value).ok()?.split_once(' ')?;
    Some((name.to_owned(), u64::from_str_radix(hash, 16).ok()?))
}

/// Escapes line breaks, which would end the value.
fn escape(value: &[u8]) -> Vec<u8> {
    let escaped = value.iter().flat_map(|byte| match byte {
        b'\n' => b"\\n".to_vec(),
        b'\\' => b"\\\\".to_vec(),
        other => vec![*other],
    });
    escaped.collect()
}

fn unescape(value: &[u8]) -> Vec<u8> {
    let mut bytes = value.iter();
    let mut unescaped = Vec::with_capacity(value.len());
    while let Some(byte) = bytes.next() {
        unescaped.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => b'\n',
                Some(other) => *other,
                None => b'\\',
            },
            other => *other,
        });
    }
    unescaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_survives_its_file() {
        let directory =
            std::env::temp_dir().join(format!("ioglass-job-file-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let job = JobFile {
            start_ns: 7,
            end_ns: 9,
            jobid: 1234,
            pid: 55,
            pid_start: 66,
            command: b"sh -c 'a\nb\\n\xFF'".to_vec(),
            log: "/a b/c=d.darshan".into(),
            launch: Some(("0123abcd".into(), 128)),
            harvested: true,
            told: true,
            seen: vec![("1-2.capture".into(), u64::MAX), ("3-4.capture".into(), 5)],
        };
        job.write(&directory).unwrap();
        assert_eq!(JobFile::read(&directory), Some(job));
        fs::remove_dir_all(&directory).unwrap();
    }
}
