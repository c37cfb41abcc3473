//! Logs that are large for a diagnosis: very many files, and a trace of files that all ranks share.

use std::fs::File;

use ioglass_log::posix::{self, Posix};
use ioglass_log::{
    DxtHead, FixedRecord as _, Lustre, LustreComponent, Module, Segment, dxt, lustre, record_id,
};

use crate::generate::{Result, begin};
use crate::random::Random;

/// One file in so many is read by all ranks.
const SHARED: u64 = 100;
/// A prime: files are numbered by its multiples.
const SHUFFLE: u64 = 123_457;
/// Storage targets of the file system.
const TARGETS: u64 = 48;
/// Bytes of a read.
const PIECE: i64 = 4096;
/// Bytes in a stripe.
const STRIPE: i64 = 1 << 20;

/// Ranks of the shared trace.
const TRACE_RANKS: u64 = 64;
/// Files that they share.
const TRACE_FILES: u64 = 4;
/// What a rank writes or reads in a call.
const BLOCK: u64 = 256 << 10;
/// How long a round of calls takes, and one of them.
const ROUND: f64 = 0.0004;
const CALL: f64 = 0.0001;

/// `count` small files on Lustre, each read by one rank; with several ranks, each hundredth by all.
/// They are opened in an order that has nothing to do with their names.
pub fn files(file: File, count: u64, ranks: u64) -> Result<()> {
    let name = |i| {
        let i = i * SHUFFLE % count;
        format!("/lustre/scratch/astro/samples/{:03}/image.{i:06}.dat", i / 1000)
    };
    let names: Vec<String> = (0..count).map(name).collect();
    let ids: Vec<u64> = names.iter().map(|name| record_id(name.as_bytes())).collect();
    let mut writer = begin(file, ranks, "./classify --train")?;
    writer.names(ids.iter().copied().zip(names.iter().map(String::as_bytes)))?;
    let mut random = Random::new();
    let mut out = writer.module(&posix::MODULE)?;
    for rank in 0..ranks {
        for (i, id) in (0..).zip(&ids) {
            if i % ranks == rank || i % SHARED == 0 {
                out.record(&small_file(&mut random, *id, rank.cast_signed()).view())?;
            }
        }
    }
    out.finish()?;
    let mut out = writer.module(&lustre::MODULE)?;
    for (i, id) in (0..).zip(&ids) {
        out.record(&layout(*id, (i % ranks).cast_signed(), i, 1))?;
    }
    out.finish()?;
    writer.finish()?;
    Ok(())
}

/// A file of some 100 KiB that is opened and read in pieces of 4 KiB, now and then jumping.
fn small_file(random: &mut Random, id: u64, rank: i64) -> Posix {
    let reads = random.between(20, 30);
    let jumps = random.between(0, 8);
    let mut record = Posix::new(id, rank);
    for (counter, value) in [
        (posix::OPENS, 1),
        (posix::STATS, 1),
        (posix::SEEKS, jumps),
        (posix::READS, reads),
        (posix::MODE, 436),
        (posix::BYTES_READ, reads * PIECE),
        (posix::MAX_BYTE_READ, reads * PIECE - 1),
        (posix::CONSEC_READS, reads - 2 * jumps),
        (posix::SEQ_READS, reads - jumps),
        (posix::FILE_NOT_ALIGNED, reads - 1),
        (posix::FILE_ALIGNMENT, STRIPE),
        (posix::MEM_ALIGNMENT, 8),
        (posix::MAX_READ_TIME_SIZE, PIECE),
        (posix::SIZE_READ_1K_10K, reads),
        (posix::STRIDE1_STRIDE, PIECE),
        (posix::STRIDE1_COUNT, jumps),
        (posix::ACCESS1_ACCESS, PIECE),
        (posix::ACCESS1_COUNT, reads),
    ] {
        record.int[counter] = value;
    }
    let open = 0.5 + random.micros(800_000_000);
    let read = open + random.micros(500);
    let close = read + random.micros(4_000);
    for (counter, value) in [
        (posix::f::OPEN_START_TIMESTAMP, open),
        (posix::f::READ_START_TIMESTAMP, read),
        (posix::f::CLOSE_START_TIMESTAMP, close),
        (posix::f::OPEN_END_TIMESTAMP, read),
        (posix::f::READ_END_TIMESTAMP, close),
        (posix::f::CLOSE_END_TIMESTAMP, close + 1e-5),
        (posix::f::READ_TIME, close - read),
        (posix::f::META_TIME, read - open),
        (posix::f::MAX_READ_TIME, (close - read) / 4.0),
    ] {
        record.float[counter] = value;
    }
    record
}

/// A trace of `count` calls, half of them MPI-IO's and half POSIX's below: ranks write a few files
/// block by block, and read them back.
pub fn shared_segments(file: File, count: u64) -> Result<()> {
    let name = |i| format!("/lustre/scratch/astro/plot/plt{i:05}.h5");
    let names: Vec<String> = (0..TRACE_FILES).map(name).collect();
    let ids: Vec<u64> = names.iter().map(|name| record_id(name.as_bytes())).collect();
    let mut writer = begin(file, TRACE_RANKS, "./plot --shared")?;
    writer.names(ids.iter().copied().zip(names.iter().map(String::as_bytes)))?;
    let mut out = writer.module(&lustre::MODULE)?;
    for (i, id) in (0..).zip(&ids) {
        out.record(&layout(*id, -1, 8 * i, 8))?;
    }
    out.finish()?;
    let own = (count / 2 / TRACE_RANKS / TRACE_FILES).max(2);
    for module in [&dxt::POSIX, &dxt::MPIIO] {
        let mut random = Random::new();
        let mut out = writer.module(module)?;
        for rank in 0..TRACE_RANKS {
            for (number, id) in (0..).zip(&ids) {
                let mut head = DxtHead { writes: own / 2, reads: own - own / 2, ..<_>::default() };
                head.base.id = *id;
                head.base.rank = rank.cast_signed();
                head.hostname = format!("nid{:05}", 1200 + rank / 16).into_bytes();
                out.record(&head)?;
                for call in 0..own {
                    out.record(&call_of(&mut random, module, rank, number * own + call, own))?;
                }
            }
        }
        out.finish()?;
    }
    writer.finish()?;
    Ok(())
}

/// The call that `rank` makes in a round; POSIX's lies within MPI-IO's.
fn call_of(random: &mut Random, module: &Module, rank: u64, round: u64, own: u64) -> Segment {
    let is_inner = module.id == dxt::POSIX.id;
    let jitter = random.micros(40);
    let start = 1.0 + ROUND * round as f64 + if is_inner { jitter } else { 0.0 };
    let length = if is_inner { CALL / 2.0 } else { CALL };
    let block = round % own % own.div_ceil(2);
    Segment {
        offset: ((block * TRACE_RANKS + rank) * BLOCK).cast_signed(),
        length: BLOCK.cast_signed(),
        start,
        end: start + length,
    }
}

/// A file on `count` targets from `first` on.
fn layout(id: u64, rank: i64, first: u64, count: u64) -> Lustre {
    let component = LustreComponent {
        stripe_size: STRIPE,
        stripe_count: count.cast_signed(),
        pattern: -1,
        flags: -1,
        start: 0,
        end: -1,
        mirror: -1,
        ..LustreComponent::default()
    };
    let osts = (first..first + count).map(|target| (target % TARGETS).cast_signed()).collect();
    let mut layout = Lustre { components: vec![component], osts, ..Lustre::default() };
    layout.base.id = id;
    layout.base.rank = rank;
    layout
}
