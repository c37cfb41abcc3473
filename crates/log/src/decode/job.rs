//! The log region of the job.

use super::Cursor;
use crate::bytes::{Order, until_nul};
use crate::header::Version;
use crate::job::{Job, METADATA_SIZE, RECORD_SIZE, parse_mounts};

/// Bytes of the record before the command line, before format 3.41.
const OLD_RECORD_SIZE: usize = 5 * 8 + METADATA_SIZE;

impl Job {
    /// `None` if `bytes` are too few for a job.
    pub(crate) fn parse(bytes: &[u8], version: Version, order: Order) -> Option<Self> {
        let record_size = if version.is_current() { RECORD_SIZE } else { OLD_RECORD_SIZE };
        if bytes.len() <= record_size {
            return None;
        }
        let mut cursor = Cursor::new(bytes, order);
        let mut job = Self { uid: cursor.i64(), start_sec: cursor.i64(), ..Self::default() };
        if version.is_current() {
            job.start_nsec = cursor.i64();
        }
        job.end_sec = cursor.i64();
        if version.is_current() {
            job.end_nsec = cursor.i64();
        }
        job.nprocs = cursor.i64();
        job.jobid = cursor.i64();
        job.metadata = until_nul(&cursor.array::<METADATA_SIZE>()).into();

        job.text = until_nul(cursor.rest()).into();
        job.mounts = parse_mounts(&job.text);
        Some(job)
    }

    /// The job as a current log says it. An old log counts both its first and its last second;
    /// here the last nanosecond of the last second keeps the run time what it was.
    pub fn to_current(&self, version: Version) -> Self {
        let mut job = self.clone();
        if !version.is_current() {
            job.end_nsec = 999_999_999;
        }
        job
    }
}
