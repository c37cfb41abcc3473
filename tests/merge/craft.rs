//! Small logs made for a test.

use std::fs::File;
use std::path::{Path, PathBuf};

use ioglass_log::block::Block;
use ioglass_log::posix::{self, Posix};
use ioglass_log::{
    Compression, DxtHead, Encode, FixedRecord, Heatmap, Job, LogWriter, Segment, dxt, heatmap,
    record_id,
};

/// A log that is to be made.
#[derive(Clone)]
pub(super) struct Craft {
    /// Begin in milliseconds since 1970; the job runs for a second.
    pub(super) start_ms: i64,
    pub(super) nprocs: i64,
    pub(super) jobid: i64,
    pub(super) uid: i64,
    pub(super) command: &'static str,
    pub(super) metadata: &'static str,
    pub(super) has_ended: bool,
    pub(super) compression: Compression,
    pub(super) posix: Vec<Posix>,
    pub(super) heat: Vec<Heatmap>,
    pub(super) trace: Vec<(DxtHead, Vec<Segment>)>,
    pub(super) sections: Vec<(&'static str, String)>,
}

/// A log without records, as the reference would write it for so many ranks.
pub(super) fn log(nprocs: i64) -> Craft {
    Craft {
        start_ms: 1_700_000_000_000,
        nprocs,
        jobid: 77,
        uid: 1000,
        command: "./app -n 3",
        metadata: "lib_ver=3.5.0\n",
        has_ended: true,
        compression: Compression::Zlib,
        posix: Vec::new(),
        heat: Vec::new(),
        trace: Vec::new(),
        sections: Vec::new(),
    }
}

/// `rank` wrote `bytes` to `file` in as many calls as there are kilobytes, from `begin` on.
pub(super) fn wrote(file: &str, rank: i64, bytes: i64, begin: f64) -> Posix {
    let mut record = Posix::new(record_id(file.as_bytes()), rank);
    record.int[posix::OPENS] = 1;
    record.int[posix::WRITES] = bytes / 1000;
    record.int[posix::BYTES_WRITTEN] = bytes;
    record.int[posix::MAX_BYTE_WRITTEN] = bytes - 1;
    record.int[posix::ACCESS1_ACCESS] = 1000;
    record.int[posix::ACCESS1_COUNT] = bytes / 1000;
    record.float[posix::f::OPEN_START_TIMESTAMP] = begin;
    record.float[posix::f::WRITE_START_TIMESTAMP] = begin + 0.125;
    record.float[posix::f::WRITE_END_TIMESTAMP] = begin + 0.25;
    record.float[posix::f::WRITE_TIME] = bytes as f64 / 1e6;
    record
}

pub(super) const FILES: [&str; 4] = ["/data/all", "/data/some", "/data/own", "heatmap:POSIX"];

impl Craft {
    pub(super) fn write(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        let file = File::create(&path).unwrap();
        let mut writer = LogWriter::new(file, self.compression).unwrap();
        let mut job = Job::default();
        (job.uid, job.nprocs, job.jobid) = (self.uid, self.nprocs, self.jobid);
        (job.start_sec, job.start_nsec) = (self.start_ms / 1000, self.start_ms % 1000 * 1_000_000);
        if self.has_ended {
            (job.end_sec, job.end_nsec) = (job.start_sec + 1, job.start_nsec);
        }
        job.metadata = self.metadata.into();
        job.set_command(self.command.as_bytes(), &[]);
        writer.job(&job).unwrap();
        writer
            .names(FILES.iter().map(|name| (record_id(name.as_bytes()), name.as_bytes())))
            .unwrap();
        let mut out = writer.module(&posix::MODULE).unwrap();
        self.posix.iter().for_each(|record| out.record(&record.view()).unwrap());
        out.finish().unwrap();
        if !self.trace.is_empty() {
            let mut out = writer.module(&dxt::POSIX).unwrap();
            for (head, segments) in &self.trace {
                out.record(head).unwrap();
                let mut bytes = Vec::new();
                segments.iter().for_each(|segment| segment.encode(&mut bytes));
                out.bytes(&bytes).unwrap();
            }
            out.finish().unwrap();
        }
        if !self.heat.is_empty() {
            let mut out = writer.module(&heatmap::MODULE).unwrap();
            self.heat.iter().for_each(|map| out.record(map).unwrap());
            out.finish().unwrap();
        }
        let mut block = Block::default();
        self.sections.iter().for_each(|(name, text)| block.push(name, text.as_bytes()));
        writer.block(&block);
        writer.finish().unwrap();
        path
    }
}
