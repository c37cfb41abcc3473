//! Logs with a trace, for tests.

use std::collections::BTreeMap;

use ioglass_log::mpiio::{self, Mpiio};
use ioglass_log::posix::{self, Posix};
use ioglass_log::{
    Compression, DxtHead, FixedRecord, Job, Log, LogWriter, Lustre, LustreComponent, Mount,
    Segment, dxt, lustre, record_id,
};

use crate::detect::{Check, Context, Detector};
use crate::model::Run;
use crate::threshold::Thresholds;

/// A call: file, rank, whether it reads, offset, length, begin and end.
type Call = (&'static str, i64, bool, i64, i64, f64, f64);

/// The calls of a log. Records of counters follow from them.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) ranks: i64,
    pub(crate) run_time: i64,
    /// Ranks on a node; 0 for all on one.
    pub(crate) per_node: i64,
    pub(crate) posix: Vec<Call>,
    pub(crate) mpiio: Vec<Call>,
    /// MPI-IO calls are collective.
    pub(crate) is_collective: bool,
    /// Stripe size and targets of all files.
    pub(crate) stripes: Option<(i64, Vec<i64>)>,
    /// Leave the trace out.
    pub(crate) no_trace: bool,
    /// Leave the records of counters out.
    pub(crate) no_records: bool,
}

impl Sample {
    pub(crate) fn new(ranks: i64, run_time: i64) -> Self {
        Self { ranks, run_time, ..Self::default() }
    }

    pub(crate) fn log(&self) -> Log {
        let mut job = Job::default();
        (job.start_sec, job.end_sec) = (1_700_000_000, 1_700_000_000 + self.run_time - 1);
        job.nprocs = self.ranks;
        let mount = Mount { path: b"/lustre".to_vec(), fs_type: b"lustre".to_vec() };
        job.set_command(b"./sample", &[mount]);
        let mut writer = LogWriter::new(Vec::new(), Compression::Zlib).unwrap();
        writer.job(&job).unwrap();
        let calls = || self.posix.iter().chain(&self.mpiio);
        let names: BTreeMap<u64, &[u8]> =
            calls().map(|call| (record_id(call.0.as_bytes()), call.0.as_bytes())).collect();
        writer.names(names.iter().map(|(id, name)| (*id, *name))).unwrap();

        if !self.no_records {
            let mut out = writer.module(&posix::MODULE).unwrap();
            for ((name, rank), calls) in &by_record(&self.posix) {
                out.record(&posix_record(name, *rank, calls).view()).unwrap();
            }
            out.finish().unwrap();
            let mut out = writer.module(&mpiio::MODULE).unwrap();
            for ((name, rank), calls) in &by_record(&self.mpiio) {
                out.record(&self.mpiio_record(name, *rank, calls).view()).unwrap();
            }
            out.finish().unwrap();
        }
        if let Some((size, targets)) = &self.stripes {
            let mut out = writer.module(&lustre::MODULE).unwrap();
            for id in names.keys() {
                let count = targets.len() as i64;
                let component = LustreComponent {
                    stripe_size: *size,
                    stripe_count: count,
                    end: -1,
                    ..LustreComponent::default()
                };
                let mut record = Lustre { osts: targets.clone(), ..Lustre::default() };
                record.base.id = *id;
                record.components.push(component);
                out.record(&record).unwrap();
            }
            out.finish().unwrap();
        }
        for (module, calls) in [(&dxt::POSIX, &self.posix), (&dxt::MPIIO, &self.mpiio)] {
            if self.no_trace || calls.is_empty() {
                continue;
            }
            let mut out = writer.module(module).unwrap();
            for ((name, rank), calls) in &by_record(calls) {
                out.record(&self.head(name, *rank, calls)).unwrap();
                // Writes come first.
                for wanted in [false, true] {
                    for call in calls.iter().filter(|call| call.2 == wanted) {
                        let (offset, length, start, end) = (call.3, call.4, call.5, call.6);
                        out.record(&Segment { offset, length, start, end }).unwrap();
                    }
                }
            }
            out.finish().unwrap();
        }
        Log::from_bytes(writer.finish().unwrap()).unwrap()
    }

    fn head(&self, name: &str, rank: i64, calls: &[&Call]) -> DxtHead {
        let reads = calls.iter().filter(|call| call.2).count() as u64;
        let writes = calls.len() as u64 - reads;
        let mut head = DxtHead { writes, reads, ..DxtHead::default() };
        (head.base.id, head.base.rank) = (record_id(name.as_bytes()), rank);
        let node = if self.per_node > 0 { rank / self.per_node } else { 0 };
        head.hostname = format!("node{node}").into_bytes();
        head
    }

    fn mpiio_record(&self, name: &str, rank: i64, calls: &[&Call]) -> Mpiio {
        let mut record = Mpiio::new(record_id(name.as_bytes()), rank);
        record.int[mpiio::COLL_OPENS] = 1;
        for call in calls {
            let (count, bytes, time) = match (call.2, self.is_collective) {
                (true, true) => (mpiio::COLL_READS, mpiio::BYTES_READ, mpiio::f::READ_TIME),
                (true, false) => (mpiio::INDEP_READS, mpiio::BYTES_READ, mpiio::f::READ_TIME),
                (false, true) => (mpiio::COLL_WRITES, mpiio::BYTES_WRITTEN, mpiio::f::WRITE_TIME),
                (false, false) => (mpiio::INDEP_WRITES, mpiio::BYTES_WRITTEN, mpiio::f::WRITE_TIME),
            };
            record.int[count] += 1;
            record.int[bytes] += call.4;
            record.float[time] += call.6 - call.5;
        }
        record
    }

    pub(crate) fn run(&self) -> Run {
        Run::of(&self.log())
    }

    /// Result of a detector's check.
    pub(crate) fn check(&self, detector: &Detector) -> Check {
        let limits = Thresholds::default();
        (detector.check)(&Context { run: &self.run(), limits: &limits })
    }
}

fn by_record(calls: &[Call]) -> BTreeMap<(&'static str, i64), Vec<&Call>> {
    let mut records: BTreeMap<_, Vec<&Call>> = BTreeMap::new();
    for call in calls {
        records.entry((call.0, call.1)).or_default().push(call);
    }
    records
}

fn posix_record(name: &str, rank: i64, calls: &[&Call]) -> Posix {
    let mut record = Posix::new(record_id(name.as_bytes()), rank);
    record.int[posix::OPENS] = 1;
    record.int[posix::FILE_ALIGNMENT] = 4096;
    for call in calls {
        let (count, bytes, time, size) = match call.2 {
            true => (posix::READS, posix::BYTES_READ, posix::f::READ_TIME, posix::SIZE_READ_1K_10K),
            false => (
                posix::WRITES,
                posix::BYTES_WRITTEN,
                posix::f::WRITE_TIME,
                posix::SIZE_WRITE_1K_10K,
            ),
        };
        record.int[count] += 1;
        record.int[size] += 1;
        record.int[bytes] += call.4;
        record.float[time] += call.6 - call.5;
    }
    record
}
