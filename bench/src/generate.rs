//! The logs.

use std::fs::File;
use std::io;

use ioglass_log::mpiio::{self, Mpiio};
use ioglass_log::posix::{self, Posix};
use ioglass_log::stdio::{self, Stdio};
use ioglass_log::{
    Compression, DxtHead, FixedRecord, Job, LogWriter, Mount, Segment, WriteError, dxt, record_id,
};

use crate::random::Random;

pub(crate) type Result<T> = std::result::Result<T, WriteError<io::Error>>;

/// Ranks of the log of records.
const RANKS: u64 = 32;
/// Ranks of the trace.
const TRACE_RANKS: u64 = 8;
/// Files of each rank in the trace.
const TRACE_FILES: u64 = 16;
/// Ticks of the trace's clock in a second: about one for each microsecond.
const TICKS: f64 = (1 << 20) as f64;

/// `count` records, half of them POSIX and half MPI-IO, as of ranks that each wrote and read
/// files of their own.
pub fn records(file: File, count: u64) -> Result<()> {
    let files = count.div_ceil(2);
    let per_rank = files.div_ceil(RANKS).max(1);
    let names: Vec<String> = (0..files)
        .map(|i| {
            let (rank, file) = (i / per_rank, i % per_rank);
            format!("/lustre/scratch/astro/run-2041/checkpoint/rank{rank:04}/part.{file:06}.dat")
        })
        .collect();
    let rank_of = |i: usize| (i as u64 / per_rank).cast_signed();

    let mut writer = begin(file, RANKS, "./checkpoint --file-per-process --verify")?;
    let ids: Vec<u64> = names.iter().map(|name| record_id(name.as_bytes())).collect();
    writer.names(ids.iter().copied().zip(names.iter().map(String::as_bytes)))?;

    let mut random = Random::new();
    let mut out = writer.module(&posix::MODULE)?;
    for (i, id) in ids.iter().take(count as usize / 2).enumerate() {
        out.record(&posix_record(&mut random, *id, rank_of(i)).view())?;
    }
    out.finish()?;
    let mut out = writer.module(&mpiio::MODULE)?;
    for (i, id) in ids.iter().enumerate() {
        out.record(&mpiio_record(&mut random, *id, rank_of(i)).view())?;
    }
    out.finish()?;
    writer.finish()?;
    Ok(())
}

/// A trace of `count` POSIX calls, half of them writes.
pub fn segments(file: File, count: u64) -> Result<()> {
    let records = TRACE_RANKS * TRACE_FILES;
    let name = |i: u64| {
        let (rank, file) = (i / TRACE_FILES, i % TRACE_FILES);
        format!("/lustre/scratch/astro/trace/rank{rank:02}/part.{file:04}.dat")
    };
    let names: Vec<String> = (0..records).map(name).collect();
    let ids: Vec<u64> = names.iter().map(|name| record_id(name.as_bytes())).collect();

    let mut writer = begin(file, TRACE_RANKS, "./trace --small-accesses")?;
    writer.names(ids.iter().copied().zip(names.iter().map(String::as_bytes)))?;
    let mut random = Random::new();
    let mut out = writer.module(&dxt::POSIX)?;
    for (i, id) in (0..).zip(ids) {
        let own = count / records + u64::from(i < count % records);
        let writes = own.div_ceil(2);
        let rank = i / TRACE_FILES;
        let mut head = DxtHead { writes, reads: own - writes, ..DxtHead::default() };
        head.base.id = id;
        head.base.rank = rank.cast_signed();
        head.hostname = format!("nid{:05}", 1200 + rank / 4).into_bytes();
        out.record(&head)?;

        let mut now = 1 << 20;
        for kind in [head.writes, head.reads] {
            let mut offset = 0;
            for _ in 0..kind {
                let length = if random.below(16) == 0 { 4096 } else { 65536 };
                let end = now + 40 + random.below(24);
                out.record(&Segment {
                    offset,
                    length,
                    start: now as f64 / TICKS,
                    end: end as f64 / TICKS,
                })?;
                offset += length;
                now = end + 3 + random.below(4);
            }
        }
    }
    out.finish()?;
    writer.finish()?;
    Ok(())
}

/// A few records, as of a test program that writes one shared file and reads it back.
pub fn small(file: File) -> Result<()> {
    let path = b"/lustre/scratch/astro/mpi-io-test.tmp.dat".as_slice();
    let output = b"<STDOUT>".as_slice();
    let (path_id, output_id) = (record_id(path), record_id(output));
    let mut writer = begin(file, 4, "./mpi-io-test -f mpi-io-test.tmp.dat")?;
    writer.names([(path_id, path), (output_id, output)])?;
    let mut random = Random::new();
    let mut out = writer.module(&posix::MODULE)?;
    out.record(&posix_record(&mut random, path_id, -1).view())?;
    out.finish()?;
    let mut out = writer.module(&mpiio::MODULE)?;
    out.record(&mpiio_record(&mut random, path_id, -1).view())?;
    out.finish()?;
    let mut record = Stdio::new(output_id, 0);
    record.int[stdio::OPENS] = 1;
    record.int[stdio::WRITES] = 12;
    record.int[stdio::BYTES_WRITTEN] = 318;
    record.float[stdio::f::WRITE_TIME] = random.micros(90);
    let mut out = writer.module(&stdio::MODULE)?;
    out.record(&record.view())?;
    out.finish()?;
    writer.finish()?;
    Ok(())
}

pub(crate) fn begin(file: File, ranks: u64, command: &str) -> Result<LogWriter<File>> {
    let mut job = Job::default();
    job.uid = 1000;
    (job.start_sec, job.start_nsec) = (1_700_000_000, 250_000_000);
    (job.end_sec, job.end_nsec) = (1_700_000_900, 750_000_000);
    job.nprocs = ranks.cast_signed();
    job.jobid = 204_117;
    job.metadata = b"lib_ver=3.5.0\nh=romio_no_indep_rw=true;cb_nodes=4\n".into();
    let mount = |path: &str, fs_type: &str| Mount { path: path.into(), fs_type: fs_type.into() };
    let mounts = [
        mount("/", "xfs"),
        mount("/home", "nfs"),
        mount("/lustre/scratch", "lustre"),
        mount("/dev/shm", "tmpfs"),
    ];
    job.set_command(command.as_bytes(), &mounts);
    let mut writer = LogWriter::new(file, Compression::Zlib)?;
    writer.job(&job)?;
    Ok(writer)
}

/// Writes of 1 MiB and some small ones, then reads of the same.
fn posix_record(random: &mut Random, id: u64, rank: i64) -> Posix {
    let large = random.between(4, 20);
    let little = random.between(1, 6);
    let bytes = (large << 20) + little * 512;
    let mut record = Posix::new(id, rank);
    for (counter, value) in [
        (posix::OPENS, 2),
        (posix::READS, large + little),
        (posix::WRITES, large + little),
        (posix::SEEKS, random.between(0, 8)),
        (posix::STATS, 2),
        (posix::MODE, 436),
        (posix::BYTES_READ, bytes),
        (posix::BYTES_WRITTEN, bytes),
        (posix::MAX_BYTE_READ, bytes - 1),
        (posix::MAX_BYTE_WRITTEN, bytes - 1),
        (posix::CONSEC_READS, large),
        (posix::CONSEC_WRITES, large),
        (posix::SEQ_READS, large + little - 1),
        (posix::SEQ_WRITES, large + little - 1),
        (posix::RW_SWITCHES, 1),
        (posix::MEM_NOT_ALIGNED, little),
        (posix::MEM_ALIGNMENT, 8),
        (posix::FILE_NOT_ALIGNED, little),
        (posix::FILE_ALIGNMENT, 1 << 20),
        (posix::MAX_READ_TIME_SIZE, 1 << 20),
        (posix::MAX_WRITE_TIME_SIZE, 1 << 20),
        (posix::SIZE_READ_100_1K, little),
        (posix::SIZE_READ_100K_1M, large),
        (posix::SIZE_WRITE_100_1K, little),
        (posix::SIZE_WRITE_100K_1M, large),
        (posix::STRIDE1_STRIDE, 512),
        (posix::STRIDE1_COUNT, little),
        (posix::ACCESS1_ACCESS, 1 << 20),
        (posix::ACCESS2_ACCESS, 512),
        (posix::ACCESS1_COUNT, 2 * large),
        (posix::ACCESS2_COUNT, 2 * little),
    ] {
        record.int[counter] = value;
    }
    let times = Times::new(random);
    for (counter, value) in [
        (posix::f::OPEN_START_TIMESTAMP, times.open),
        (posix::f::WRITE_START_TIMESTAMP, times.write),
        (posix::f::READ_START_TIMESTAMP, times.read),
        (posix::f::CLOSE_START_TIMESTAMP, times.close),
        (posix::f::OPEN_END_TIMESTAMP, times.write),
        (posix::f::WRITE_END_TIMESTAMP, times.read),
        (posix::f::READ_END_TIMESTAMP, times.close),
        (posix::f::CLOSE_END_TIMESTAMP, times.close + times.slowest),
        (posix::f::READ_TIME, times.close - times.read),
        (posix::f::WRITE_TIME, times.read - times.write),
        (posix::f::META_TIME, times.write - times.open),
        (posix::f::MAX_READ_TIME, times.slowest),
        (posix::f::MAX_WRITE_TIME, 2.0 * times.slowest),
    ] {
        record.float[counter] = value;
    }
    record
}

fn mpiio_record(random: &mut Random, id: u64, rank: i64) -> Mpiio {
    let calls = random.between(4, 20);
    let mut record = Mpiio::new(id, rank);
    for (counter, value) in [
        (mpiio::INDEP_OPENS, 1),
        (mpiio::INDEP_READS, calls),
        (mpiio::INDEP_WRITES, calls),
        (mpiio::MODE, 9),
        (mpiio::BYTES_READ, calls << 20),
        (mpiio::BYTES_WRITTEN, calls << 20),
        (mpiio::RW_SWITCHES, 1),
        (mpiio::MAX_READ_TIME_SIZE, 1 << 20),
        (mpiio::MAX_WRITE_TIME_SIZE, 1 << 20),
        (mpiio::SIZE_READ_AGG_100K_1M, calls),
        (mpiio::SIZE_WRITE_AGG_100K_1M, calls),
        (mpiio::ACCESS1_ACCESS, 1 << 20),
        (mpiio::ACCESS1_COUNT, 2 * calls),
    ] {
        record.int[counter] = value;
    }
    let times = Times::new(random);
    for (counter, value) in [
        (mpiio::f::OPEN_START_TIMESTAMP, times.open),
        (mpiio::f::WRITE_START_TIMESTAMP, times.write),
        (mpiio::f::READ_START_TIMESTAMP, times.read),
        (mpiio::f::CLOSE_START_TIMESTAMP, times.close),
        (mpiio::f::OPEN_END_TIMESTAMP, times.write),
        (mpiio::f::WRITE_END_TIMESTAMP, times.read),
        (mpiio::f::READ_END_TIMESTAMP, times.close),
        (mpiio::f::CLOSE_END_TIMESTAMP, times.close + times.slowest),
        (mpiio::f::READ_TIME, times.close - times.read),
        (mpiio::f::WRITE_TIME, times.read - times.write),
        (mpiio::f::META_TIME, times.write - times.open),
        (mpiio::f::MAX_READ_TIME, times.slowest),
        (mpiio::f::MAX_WRITE_TIME, 2.0 * times.slowest),
    ] {
        record.float[counter] = value;
    }
    record
}

/// When a file was opened, written, read and closed, and how long its slowest call took.
struct Times {
    open: f64,
    write: f64,
    read: f64,
    close: f64,
    slowest: f64,
}

impl Times {
    fn new(random: &mut Random) -> Self {
        let open = 0.5 + random.micros(800_000_000);
        let write = open + random.micros(900);
        let read = write + random.micros(40_000);
        let close = read + random.micros(20_000);
        Self { open, write, read, close, slowest: random.micros(2_000) }
    }
}
