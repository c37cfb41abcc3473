//! What a rank leaves that has opened files and written once to each, as the driver does: generated, so
//! that there can be many ranks.

use ioglass_schema::{mpiio, posix, record_id};
use ioglass_shm::{
    Api, Clock, EntryHead, Header, HeatCell, Kind, MAGIC, Moment, MpiioCell, Pod, PosixCell,
    VERSION,
};

use crate::launch::Workload;

const SECOND: u64 = 1_000_000_000;
const ORIGIN: u64 = 1_700_000_000 * SECOND;
/// Bytes of the one write to a file.
const WRITTEN: i64 = 64;
/// Nanoseconds that a file takes, on average.
const PER_FILE: u64 = 40_000;

/// The capture of a rank.
pub(crate) fn of_rank(workload: Workload, rank: u32, ranks: u32) -> Vec<u8> {
    let mut header = zeroed::<Header>();
    header.magic = MAGIC;
    header.version = VERSION;
    header.clock = Clock::Nanoseconds as u32;
    header.pid = 1000 + rank;
    header.ppid = 1;
    (header.rank, header.ranks) = (rank.cast_signed(), ranks.cast_signed());
    header.by_mpi = 1;
    header.origin_real_ns = ORIGIN;
    // Ranks do not begin in the same moment, and nothing takes the same time twice.
    let mut noise = Noise(0x9E37_79B9 + u64::from(rank));
    let begin = SECOND / 100 + noise.below(SECOND / 1000);
    header.start = moment(begin);
    header.last = moment(begin + PER_FILE * (workload.files + 1));
    let host = format!("node{:05}", rank / 64);
    header.host[..host.len()].copy_from_slice(host.as_bytes());

    let mut bytes = header.bytes().to_vec();
    let mut heat = zeroed::<HeatCell>();
    heat.api = Api::Posix as u64;
    heat.bins[1][0] = WRITTEN * workload.files.cast_signed();
    for file in 0..workload.files {
        let of = if workload.shared { 0 } else { rank };
        let name = format!("/scratch/project/run-0001/file-{file}.{of}");
        let id = record_id(name.as_bytes());
        entry(&mut bytes, Kind::Name, &[&id.to_le_bytes(), name.as_bytes()]);
        let at = begin + PER_FILE * file + noise.below(PER_FILE / 4);
        entry(&mut bytes, Kind::Posix, &[posix_cell(id, file, rank, at, &mut noise).bytes()]);
        entry(&mut bytes, Kind::Mpiio, &[mpiio_cell(id, file, at, &mut noise).bytes()]);
    }
    entry(&mut bytes, Kind::Heat, &[heat.bytes()]);
    bytes.resize(bytes.len() + 4096, 0);
    bytes
}

fn posix_cell(id: u64, number: u64, rank: u32, at: u64, noise: &mut Noise) -> PosixCell {
    use posix::f;
    let mut cell = zeroed::<PosixCell>();
    (cell.id, cell.number) = (id, number);
    cell.int[posix::OPENS] = 1;
    cell.int[posix::WRITES] = 1;
    cell.int[posix::BYTES_WRITTEN] = WRITTEN;
    cell.int[posix::MAX_BYTE_WRITTEN] = WRITTEN * i64::from(rank + 1) - 1;
    cell.int[posix::MODE] = 0o100_644;
    cell.int[posix::MEM_ALIGNMENT] = 8;
    cell.int[posix::FILE_ALIGNMENT] = 4096;
    let (opening, writing) = (9_000 + noise.below(4_000), 3_000 + noise.below(2_000));
    let written = at + opening + noise.below(2_000);
    for (counter, tick) in [
        (f::OPEN_START_TIMESTAMP, at),
        (f::OPEN_END_TIMESTAMP, at + opening),
        (f::WRITE_START_TIMESTAMP, written),
        (f::WRITE_END_TIMESTAMP, written + writing),
        (f::CLOSE_START_TIMESTAMP, written + writing + noise.below(900)),
        (f::CLOSE_END_TIMESTAMP, written + writing + 2_000 + noise.below(900)),
        (f::WRITE_TIME, writing),
        (f::MAX_WRITE_TIME, writing),
        (f::META_TIME, opening + 1_000 + noise.below(900)),
    ] {
        cell.tick[counter] = tick;
    }
    cell
}

fn mpiio_cell(id: u64, number: u64, at: u64, noise: &mut Noise) -> MpiioCell {
    use mpiio::f;
    let mut cell = zeroed::<MpiioCell>();
    (cell.id, cell.number) = (id, number);
    cell.int[mpiio::INDEP_OPENS] = 1;
    cell.int[mpiio::INDEP_WRITES] = 1;
    cell.int[mpiio::BYTES_WRITTEN] = WRITTEN;
    let (opening, writing) = (14_000 + noise.below(4_000), 5_000 + noise.below(2_000));
    let (begin, written) = (at - noise.below(2_000), at + opening);
    for (counter, tick) in [
        (f::OPEN_START_TIMESTAMP, begin),
        (f::OPEN_END_TIMESTAMP, begin + opening),
        (f::WRITE_START_TIMESTAMP, written),
        (f::WRITE_END_TIMESTAMP, written + writing),
        (f::CLOSE_START_TIMESTAMP, written + writing + noise.below(900)),
        (f::CLOSE_END_TIMESTAMP, written + writing + 4_000 + noise.below(900)),
        (f::WRITE_TIME, writing),
        (f::MAX_WRITE_TIME, writing),
        (f::META_TIME, opening + 2_000 + noise.below(900)),
    ] {
        cell.tick[counter] = tick;
    }
    cell
}

fn entry(bytes: &mut Vec<u8>, kind: Kind, parts: &[&[u8]]) {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    let size = (size_of::<EntryHead>() + len).next_multiple_of(8);
    let end = bytes.len() + size;
    bytes.extend_from_slice(EntryHead { size: size as u32, kind: kind as u32 }.bytes());
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes.resize(end, 0);
}

fn zeroed<T: Pod>() -> T {
    let zero = vec![0; size_of::<T>()];
    T::read(&zero).expect("as long as it is")
}

fn moment(ns: u64) -> Moment {
    Moment { tick: ns, mono_ns: ns, real_ns: ORIGIN + ns }
}

/// The same numbers in every run.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
