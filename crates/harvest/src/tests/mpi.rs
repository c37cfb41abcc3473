//! Ranks of MPI, their helpers, and the records they share.

use ioglass_schema::mpiio::{self, Mpiio};
use ioglass_shm::MpiioCell;

use super::*;

fn rank_of_mpi(pid: u32, rank: i32, ranks: i32) -> Builder {
    let mut builder = Builder::new(pid, 1);
    (builder.header.rank, builder.header.ranks) = (rank, ranks);
    builder.header.by_mpi = 1;
    builder
}

fn mpiio(builder: &mut Builder, name: &str, number: u64, fill: impl FnOnce(&mut MpiioCell)) {
    builder.name(name);
    let mut cell = MpiioCell::read(&vec![0; size_of::<MpiioCell>()]).unwrap();
    cell.id = record_id(name.as_bytes());
    cell.number = number;
    cell.int[mpiio::COLL_OPENS] = 1;
    fill(&mut cell);
    builder.entry(Kind::Mpiio, &[cell.bytes()]);
}

/// Rank, last part of the name, and writes of each POSIX record, in order.
fn writes(log: &Log) -> Vec<(i64, String, i64)> {
    let one = |record: &Posix| {
        let name = log.names().lookup(record.base.id);
        let last = name.rsplit('/').next().unwrap_or_default().into();
        (record.base.rank, last, record.int[posix::WRITES])
    };
    let mut writes: Vec<_> = records(log).iter().map(one).collect();
    writes.sort();
    writes
}

#[test]
fn what_all_ranks_share_is_one_record() {
    let mut builders: Vec<Builder> = (0..3).map(|i| rank_of_mpi(10 + i, i as i32, 3)).collect();
    for (rank, builder) in builders.iter_mut().enumerate() {
        builder.posix("/data/all", 0, |cell| {
            cell.int[posix::WRITES] = 1 + rank as i64;
            cell.tick[posix::f::WRITE_TIME] = (1 + rank as u64) * SECOND;
        });
        if rank > 0 {
            builder.posix("/data/some", 1, |cell| cell.int[posix::WRITES] = 5);
        }
        mpiio(builder, "/data/all", 2, |cell| {
            cell.int[mpiio::BYTES_WRITTEN] = 100 * rank as i64;
            cell.sizes = values(&[(100, 1), (1 + rank as i64, 2)]);
        });
    }
    let log = harvest(&gone(&builders.iter().collect::<Vec<_>>()), &run());
    assert_eq!(log.job().nprocs, 3);
    assert_eq!(log.job().metadata_value("ranks").unwrap(), "mpi");
    let expected = [(-1, "all", 6), (1, "some", 5), (2, "some", 5)];
    assert_eq!(writes(&log), expected.map(|(rank, name, writes)| (rank, name.into(), writes)));

    let posix = records(&log).into_iter().find(|record| record.base.rank == -1).unwrap();
    assert_eq!(posix.int[posix::SLOWEST_RANK], 2);
    assert_eq!(posix.float[posix::f::SLOWEST_RANK_TIME], 3.0);
    assert_eq!(posix.float[posix::f::FASTEST_RANK_TIME], 1.0);

    let shared: Vec<Mpiio> = log.records_of().unwrap().map(Result::unwrap).collect();
    assert_eq!(shared.len(), 1);
    assert_eq!(shared[0].base.rank, -1);
    assert_eq!(shared[0].int[mpiio::COLL_OPENS], 3);
    assert_eq!(shared[0].int[mpiio::BYTES_WRITTEN], 300);
    assert_eq!(shared[0].int[mpiio::SLOWEST_RANK_BYTES], 0, "none took any time");
    assert_eq!(shared[0].int[mpiio::ACCESS1_ACCESS..][..4], [100, 3, 2, 1]);
    assert_eq!(shared[0].int[mpiio::ACCESS1_COUNT..][..4], [3, 2, 2, 2]);
}

#[test]
fn bytes_of_ranks_that_differ_are_told_exactly() {
    const MIB: i64 = 1 << 20;
    let mut builders: Vec<Builder> = (0..8).map(|i| rank_of_mpi(10 + i, i as i32, 8)).collect();
    for (rank, builder) in builders.iter_mut().enumerate() {
        let bytes = if rank == 5 { 64 * MIB } else { 4 * MIB };
        builder.posix("/data/all", 0, |cell| cell.int[posix::BYTES_WRITTEN] = bytes);
        mpiio(builder, "/data/all", 1, |cell| {
            cell.int[mpiio::BYTES_WRITTEN] = if rank == 5 { 29_393 } else { 3 };
        });
    }
    let log = harvest(&gone(&builders.iter().collect::<Vec<_>>()), &run());
    let posix = &records(&log)[0];
    assert_eq!(posix.int[posix::BYTES_WRITTEN], 92 * MIB);
    assert_eq!(posix.float[posix::f::VARIANCE_RANK_BYTES], 432_932_703_436_800.0);
    let mpiio: Vec<Mpiio> = log.records_of().unwrap().map(Result::unwrap).collect();
    assert_eq!(mpiio[0].float[mpiio::f::VARIANCE_RANK_BYTES], 94_475_073.437_5);
}

#[test]
fn ranks_keep_their_records_if_that_is_asked_for() {
    let mut builders = [rank_of_mpi(10, 0, 2), rank_of_mpi(11, 1, 2)];
    for builder in &mut builders {
        builder.header.keeps_ranks = 1;
        builder.posix("/data/all", 0, |cell| cell.int[posix::WRITES] = 5);
    }
    let log = harvest(&gone(&builders.iter().collect::<Vec<_>>()), &run());
    assert_eq!(writes(&log), [0, 1].map(|rank| (rank, "all".into(), 5)));
}

#[test]
fn a_rank_that_is_missing_leaves_a_record_for_each_other() {
    let mut builders: Vec<Builder> = (0..2).map(|i| rank_of_mpi(10 + i, i as i32, 3)).collect();
    for builder in &mut builders {
        builder.posix("/data/all", 0, |cell| cell.int[posix::WRITES] = 1);
    }
    let log = harvest(&gone(&builders.iter().collect::<Vec<_>>()), &run());
    assert_eq!(log.job().nprocs, 3);
    assert_eq!(writes(&log), [(0, "all".into(), 1), (1, "all".into(), 1)]);
}

#[test]
fn helpers_come_behind_the_ranks_and_children_belong_to_theirs() {
    let mut launcher = Builder::new(5, 0);
    launcher.posix("/data/all", 0, |cell| cell.int[posix::WRITES] = 100);
    let idle = Builder::new(6, 0);
    let mut ranks = [rank_of_mpi(10, 0, 2), rank_of_mpi(11, 1, 2)];
    for builder in &mut ranks {
        builder.header.ppid = 5;
        builder.posix("/data/all", 0, |cell| cell.int[posix::WRITES] = 1);
    }
    // A grandchild; its parent's capture began with the parent's first I/O, which was later.
    let mut child = Builder::new(20, 4);
    child.header.ppid = 11;
    child.posix("/data/late", 0, |cell| cell.int[posix::WRITES] = 2);
    let mut grandchild = Builder::new(21, 3);
    grandchild.header.ppid = 20;
    grandchild.posix("/data/all", 0, |cell| cell.int[posix::WRITES] = 3);
    // Started by the launcher as rank 0, but it never got to MPI.
    let mut script = Builder::new(9, 0);
    (script.header.rank, script.header.ranks) = (0, 2);
    script.posix("/data/script", 0, |cell| cell.int[posix::WRITES] = 4);
    let mut other = Builder::new(30, 5);
    other.posix("/data/other", 0, |cell| cell.int[posix::WRITES] = 9);

    let [first, second] = &ranks;
    let all = [&launcher, &idle, first, second, &child, &grandchild, &script, &other];
    let log = harvest(&gone(&all), &run());
    assert_eq!(log.job().nprocs, 2);
    let expected =
        [(-1, "all", 5), (0, "script", 4), (1, "late", 2), (2, "all", 100), (3, "other", 9)];
    assert_eq!(writes(&log), expected.map(|(rank, name, writes)| (rank, name.into(), writes)));
}

/// Programs that begin MPI without a launcher are each rank 0 of 1.
#[test]
fn ranks_that_are_alone_are_processes() {
    let mut builders = [rank_of_mpi(10, 0, 1), rank_of_mpi(11, 0, 1), rank_of_mpi(12, 0, 1)];
    for (i, builder) in builders.iter_mut().enumerate() {
        builder.header.ppid = [5, 10, 5][i];
        builder.posix("/data/all", 0, |cell| cell.int[posix::WRITES] = 1 + i as i64);
    }
    let [first, child, second] = &builders;
    let log = harvest(&gone(&[first, child]), &run());
    assert_eq!(log.job().metadata_value("ranks").unwrap(), "mpi", "a child is no other program");
    assert_eq!(writes(&log), [(-1, "all".into(), 3)]);
    let log = harvest(&gone(&[first, child, second]), &run());
    assert_eq!(log.job().metadata_value("ranks").unwrap(), "process");
    assert_eq!(log.job().nprocs, 3);
    let apart = [(0, 1), (1, 2), (2, 3)].map(|(rank, writes)| (rank, "all".into(), writes));
    assert_eq!(writes(&log), apart);
}

#[test]
fn calls_of_mpi_have_a_trace_of_their_own() {
    let mut builder = rank_of_mpi(10, 0, 1);
    builder.posix("/data/a", 0, |_| {});
    mpiio(&mut builder, "/data/a", 1, |_| {});
    let event = |op, record, offset| Event {
        thread: 10,
        region: 0,
        op,
        record,
        offset,
        length: 8,
        begin: 2 * SECOND + offset as u64,
        end: 2 * SECOND + offset as u64 + 1,
    };
    let calls =
        [(Op::MpiWrite, 1, 64), (Op::Write, 0, 65), (Op::MpiRead, 1, 66), (Op::Read, 0, 67)];
    builder.trace(10, &calls.map(|(op, record, offset)| event(op, record, offset)));
    let log = harvest(&gone(&[&builder]), &run());
    for (module, expected) in [(&dxt::MPIIO, [64, 66]), (&dxt::POSIX, [65, 67])] {
        let mut reader = log.dxt(module).unwrap();
        let head = reader.next_record().unwrap().unwrap();
        assert_eq!((head.writes, head.reads), (1, 1), "{}", module.name);
        let mut offsets = Vec::new();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            let write = chunk.operation == Operation::Write;
            offsets.extend(chunk.segments.iter().map(|segment| (write, segment.offset)));
        }
        assert_eq!(offsets, [(true, expected[0]), (false, expected[1])], "{}", module.name);
        assert!(reader.next_record().unwrap().is_none());
    }
}
