//! The job, from the lines a text begins with.

use std::collections::HashSet;

use super::line::{float, int, shown, words};
use crate::job::{JOB_SIZE, Job, METADATA_SIZE, Mount};

const NANOS: i128 = 1_000_000_000;

/// The job as a text describes it.
#[derive(Debug, Default)]
pub(super) struct JobText {
    exe: Vec<u8>,
    uid: i64,
    jobid: i64,
    start: Option<i64>,
    end: Option<i64>,
    nprocs: Option<i64>,
    /// In nanoseconds.
    run_time: Option<i128>,
    metadata: TextLines,
    mounts: TextLines,
    /// Mounts that columns of data lines show.
    seen_mounts: TextLines,
    highest_rank: i64,
    /// The latest time of anything, in seconds since the job began.
    latest: f64,
}

/// Metadata of a log whose text names no library: the release whose format is written.
/// PyDarshan cannot do without it.
const LIBRARY: &[u8] = b"lib_ver=3.5.0\n";

/// Lines without repetition, as many as a job has room for.
#[derive(Debug, Default)]
struct TextLines {
    list: Vec<Vec<u8>>,
    known: HashSet<Vec<u8>>,
    size: usize,
    last: Vec<u8>,
}

impl TextLines {
    /// Adds a line unless it is there. False if there is no room.
    fn add(&mut self, parts: [&[u8]; 3]) -> bool {
        // Most lines repeat the mount of the line before.
        if is_joined(&self.last, parts) {
            return true;
        }
        self.last.clear();
        parts.iter().for_each(|part| self.last.extend_from_slice(part));
        if self.known.contains(&self.last) {
            return true;
        }
        if self.size + self.last.len() > JOB_SIZE {
            self.last.clear();
            return false;
        }
        self.size += self.last.len();
        self.list.push(self.last.clone());
        self.known.insert(self.last.clone())
    }
}

fn is_joined(line: &[u8], parts: [&[u8]; 3]) -> bool {
    let rest = parts.iter().try_fold(line, |rest, part| rest.strip_prefix(*part));
    rest.is_some_and(<[u8]>::is_empty)
}

impl JobText {
    /// Takes a line `key: value`. Most keys say nothing that a log stores.
    pub(super) fn set(&mut self, key: &[u8], value: &[u8]) -> Result<(), String> {
        let word = value.trim_ascii();
        match key {
            b"exe" => self.exe = value.strip_prefix(b" ").unwrap_or(value).into(),
            b"uid" => self.uid = int(word, "uid")?,
            b"jobid" => self.jobid = int(word, "jobid")?,
            b"start_time" => self.start = Some(int(word, "start_time")?),
            b"end_time" => self.end = Some(int(word, "end_time")?),
            b"nprocs" => self.nprocs = Some(int(word, "nprocs")?),
            b"run time" => self.run_time = Some(nanos(word)?),
            b"metadata" => self.add_metadata(value.strip_prefix(b" ").unwrap_or(value))?,
            b"mount entry" => self.add_mount(word)?,
            _ => {}
        }
        Ok(())
    }

    fn add_metadata(&mut self, pair: &[u8]) -> Result<(), String> {
        let Some(equals) = pair.iter().position(|byte| *byte == b'=') else {
            return Err(format!("metadata is {}, expected key = value", shown(pair)));
        };
        let (key, value) = (&pair[..equals], &pair[equals + 1..]);
        let key = key.strip_suffix(b" ").unwrap_or(key);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        if !self.metadata.add([key, b"=", value])
            || self.metadata.size + self.metadata.list.len() > METADATA_SIZE
        {
            return Err(format!("a log has room for {} bytes of metadata", METADATA_SIZE - 1));
        }
        Ok(())
    }

    fn add_mount(&mut self, text: &[u8]) -> Result<(), String> {
        let mut parts = words(text);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(path), Some(fs_type), None) => {
                self.mounts.add([path, b"\t", fs_type]);
                Ok(())
            }
            _ => Err(format!("mount entry is {}, expected a path and a type", shown(text))),
        }
    }

    /// A file's mount, from the columns of its line.
    pub(super) fn see_mount(&mut self, path: &[u8], fs_type: &[u8]) {
        let unknown: [&[u8]; 3] = [b"", b"UNKNOWN", b"N/A"];
        let storable = |text: &[u8]| !unknown.contains(&text) && words(text).nth(1).is_none();
        if storable(path) && storable(fs_type) {
            self.seen_mounts.add([path, b"\t", fs_type]);
        }
    }

    pub(super) fn see_rank(&mut self, rank: i64) {
        self.highest_rank = self.highest_rank.max(rank);
    }

    pub(super) fn see_time(&mut self, seconds: f64) {
        if seconds > self.latest {
            self.latest = seconds;
        }
    }

    /// Statements of the text for which a log has no room.
    pub(super) fn left_out(&self) -> Vec<String> {
        let job = self.build();
        let mut notes = Vec::new();
        if job.command() != self.exe {
            let (kept, all) = (job.command().len(), self.exe.len());
            notes.push(format!("the command line was cut from {all} to {kept} bytes"));
        }
        let (kept, all) = (job.mounts().len(), self.mounts().len());
        if kept < all {
            notes.push(format!("there was room for {kept} of {all} mounts"));
        }
        notes
    }

    pub(super) fn build(&self) -> Job {
        let mut job = Job::default();
        (job.uid, job.jobid) = (self.uid, self.jobid);
        job.nprocs = self.nprocs.unwrap_or_else(|| self.highest_rank.saturating_add(1));
        self.set_times(&mut job);
        if !self.metadata.list.iter().any(|line| line.starts_with(b"lib_ver=")) {
            job.metadata.extend_from_slice(LIBRARY);
        }
        for line in &self.metadata.list {
            job.metadata.extend_from_slice(line);
            job.metadata.push(b'\n');
        }
        job.set_command(&self.exe, &self.mounts());
        job
    }

    fn mounts(&self) -> Vec<Mount> {
        let mounts = if self.mounts.list.is_empty() { &self.seen_mounts } else { &self.mounts };
        mounts.list.iter().filter_map(|line| mount(line)).collect()
    }

    /// The run time is the most precise of what a text says, so it wins over the whole seconds of
    /// start and end; nanoseconds are chosen so that all three come out if they can.
    fn set_times(&self, job: &mut Job) {
        let whole = |nanos: i128| i64::try_from(nanos.div_euclid(NANOS)).unwrap_or(i64::MAX);
        // Without any other word the job ran as long as the text shows it at work.
        let is_timed = self.start.is_some() && self.end.is_some();
        let shown = Some(self.latest).filter(|latest| !is_timed && (0.0..1e15).contains(latest));
        let shown = shown.filter(|latest| *latest > 0.0).map(|latest| (latest * 1e9) as i128);
        let Some(run_time) = self.run_time.or(shown) else {
            job.start_sec = self.start.or(self.end).unwrap_or(0);
            job.end_sec = self.end.unwrap_or(job.start_sec);
            return;
        };
        let start = match (self.start, self.end) {
            (Some(start), _) => start,
            (None, Some(end)) => end.saturating_sub(whole(run_time)),
            (None, None) => 0,
        };
        job.start_sec = start;
        if let Some(end) = self.end {
            let rest = run_time - (i128::from(end) - i128::from(start)) * NANOS;
            // Old logs count both their first and their last second, so a whole second can be
            // left over. Decimals of 0.999999999 are those of 1.
            let nearly = NANOS - 1;
            let rest = if rest.abs() == NANOS { rest.signum() * nearly } else { rest };
            if rest.abs() <= nearly {
                job.end_sec = end;
                job.end_nsec = rest.max(0) as i64;
                job.start_nsec = (-rest).max(0) as i64;
                return;
            }
        }
        job.end_sec = start.saturating_add(whole(run_time));
        job.end_nsec = run_time.rem_euclid(NANOS) as i64;
    }
}

fn mount(line: &[u8]) -> Option<Mount> {
    let mut parts = words(line);
    Some(Mount { path: parts.next()?.into(), fs_type: parts.next()?.into() })
}

fn nanos(text: &[u8]) -> Result<i128, String> {
    let seconds = float(text, "run time")?;
    // Longer than this nothing ran; it keeps what follows within the range of seconds.
    if seconds.is_nan() || seconds.abs() > 1e15 {
        return Err(format!("run time is {}, expected seconds", shown(text)));
    }
    Ok((seconds * 1e9).round() as i128)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Version;

    fn job(lines: &[(&str, &str)]) -> Job {
        let mut text = JobText::default();
        for (key, value) in lines {
            text.set(key.as_bytes(), value.as_bytes()).unwrap();
        }
        text.build()
    }

    fn times(lines: &[(&str, &str)]) -> (i64, i64, String) {
        let job = job(lines);
        (job.start_sec, job.end_sec, format!("{:.4}", job.run_time(Version::CURRENT)))
    }

    #[test]
    fn the_run_time_wins() {
        let start = ("start_time", "1709999999");
        let (run, end) = (("run time", "12.3456"), ("end_time", "1710000011"));
        assert_eq!(times(&[start, run]), (1709999999, 1710000011, "12.3456".into()));
        assert_eq!(times(&[start, run, end]), (1709999999, 1710000011, "12.3456".into()));
        // The clock ticked over between start and end.
        let end = ("end_time", "1710000012");
        assert_eq!(times(&[start, run, end]), (1709999999, 1710000012, "12.3456".into()));
        assert_eq!(times(&[start, end]), (1709999999, 1710000012, "13.0000".into()));
        assert_eq!(times(&[end, run]), (1710000000, 1710000012, "12.3456".into()));
        assert_eq!(times(&[run]), (0, 12, "12.3456".into()));
        assert_eq!(times(&[]), (0, 0, "0.0000".into()));
    }

    #[test]
    fn old_logs_counted_both_ends() {
        let lines = [("start_time", "100"), ("end_time", "101"), ("run time", "2.0000")];
        assert_eq!(times(&lines), (100, 101, "2.0000".into()));
        // Two seconds cannot be hidden in nanoseconds.
        let lines = [("start_time", "100"), ("end_time", "101"), ("run time", "3.0000")];
        assert_eq!(times(&lines), (100, 103, "3.0000".into()));
        // A process that died has no end.
        let died =
            [("start_time", "1700000000"), ("end_time", "0"), ("run time", "-1700000000.2500")];
        assert_eq!(times(&died), (1700000000, 0, "-1700000000.2500".into()));
    }

    #[test]
    fn metadata_and_mounts() {
        let job = job(&[
            ("metadata", " lib_ver = 3.4.4"),
            ("metadata", " h = a=b;c = d"),
            ("metadata", " lib_ver = 3.4.4"),
            ("mount entry", "\t/home\tnfs"),
            ("exe", " ./app  -x "),
        ]);
        assert_eq!(job.metadata, b"lib_ver=3.4.4\nh=a=b;c = d\n");
        assert_eq!(self::job(&[]).metadata, LIBRARY);
        assert_eq!(job.mounts(), [Mount { path: "/home".into(), fs_type: "nfs".into() }]);
        assert_eq!(job.command(), b"./app  -x ");
    }
}
