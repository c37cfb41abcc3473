//! Processes that become ranks.

use super::*;

#[test]
fn processes_with_io_are_ranks_by_start() {
    let mut late = Builder::new(10, 5);
    late.posix("/data/b", 0, |cell| cell.int[posix::READS] = 7);
    let idle = Builder::new(11, 1);
    let mut early = Builder::new(12, 2);
    early.posix("/data/a", 0, |cell| {
        cell.int[posix::BYTES_WRITTEN] = 4096;
        cell.tick[posix::f::OPEN_START_TIMESTAMP] = 3 * SECOND;
        cell.tick[posix::f::WRITE_TIME] = SECOND / 2;
    });
    let log = harvest(&gone(&[&late, &idle, &early]), &run());
    assert_eq!(log.job().nprocs, 2);
    assert_eq!((log.job().uid, log.job().jobid), (1001, 42));
    assert_eq!(log.job().exe(), "./app --fast");
    assert_eq!(log.job().metadata_value("ranks").unwrap(), "process");
    assert_eq!(log.run_time(), 10.0);

    let records = records(&log);
    let ranks: Vec<i64> = records.iter().map(|record| record.base.rank).collect();
    assert_eq!(ranks, [0, 1]);
    assert_eq!(log.names().lookup(records[0].base.id), "/data/a");
    assert_eq!(records[0].int[posix::BYTES_WRITTEN], 4096);
    assert_eq!(records[0].float[posix::f::OPEN_START_TIMESTAMP], 3.0);
    assert_eq!(records[0].float[posix::f::WRITE_TIME], 0.5);
    assert_eq!(records[0].float[posix::f::READ_START_TIMESTAMP], 0.0, "0 stays never");
    assert_eq!(records[1].int[posix::READS], 7);

    let table = processes(&log);
    let rows: Vec<_> = table.iter().map(|process| (process.pid, process.rank)).collect();
    assert_eq!(rows, [(11, None), (12, Some(0)), (10, Some(1))]);
    assert!(table.iter().all(|process| process.ending == "killed" && process.host == "node1"));
}

#[test]
fn a_launchers_ranks_count() {
    let mut captures = Vec::new();
    for (pid, rank) in [(10, 3), (11, 1), (12, 1)] {
        let mut builder = Builder::new(pid, 1);
        (builder.header.rank, builder.header.ranks) = (rank, 4);
        builder.posix("/data/shared", 0, |cell| cell.int[posix::WRITES] = 5);
        captures.push((builder.build(), Fate::Gone));
    }
    let log = harvest(&captures, &run());
    assert_eq!(log.job().nprocs, 4);
    assert_eq!(log.job().metadata_value("ranks").unwrap(), "launcher");
    let records = records(&log);
    let writes: Vec<_> =
        records.iter().map(|record| (record.base.rank, record.int[posix::WRITES])).collect();
    assert_eq!(writes, [(1, 10), (3, 5)], "a child's calls are its rank's");
}

#[test]
fn what_a_launcher_did_not_number_comes_behind_its_ranks() {
    let mut launcher = Builder::new(5, 0);
    launcher.posix("/data/hosts", 0, |cell| cell.int[posix::WRITES] = 7);
    let mut ranks = [Builder::new(10, 1), Builder::new(11, 1)];
    for (rank, builder) in ranks.iter_mut().enumerate() {
        (builder.header.rank, builder.header.ranks) = (rank as i32, 3);
        builder.posix("/data/shared", 0, |cell| cell.int[posix::WRITES] = 5);
    }
    // A child of a rank that has thrown its environment away.
    let mut child = Builder::new(20, 2);
    child.header.ppid = 11;
    child.posix("/data/shared", 0, |cell| cell.int[posix::WRITES] = 1);
    let [first, second] = &ranks;
    let log = harvest(&gone(&[&launcher, first, second, &child]), &run());
    assert_eq!(log.job().nprocs, 3);
    assert_eq!(log.job().metadata_value("ranks").unwrap(), "launcher");
    let mut writes: Vec<_> =
        records(&log).iter().map(|record| (record.base.rank, record.int[posix::WRITES])).collect();
    writes.sort_unstable();
    assert_eq!(writes, [(0, 5), (1, 6), (3, 7)]);
}

#[test]
fn a_process_that_becomes_another_program_stays_one_rank() {
    let mut before = Builder::new(10, 1);
    before.header.ending = Ending::Exec as u32;
    before.posix("/data/out", 0, |cell| {
        cell.int[posix::MODE] = 420;
        cell.sizes = values(&[(100, 2), (5, 2)]);
    });
    let mut after = Builder::new(10, 3);
    after.header.ending = Ending::QuickExit as u32;
    after.header.status = 3;
    after.posix("/data/out", 0, |cell| {
        cell.int[posix::OPENS] = 0;
        cell.int[posix::WRITES] = 3;
        cell.sizes = values(&[(5, 1)]);
    });
    let other = Builder::new(10, 5);
    let log = harvest(&gone(&[&after, &other, &before]), &run());
    assert_eq!(log.job().nprocs, 1);
    let records = records(&log);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].int[posix::OPENS], 1);
    assert_eq!(records[0].int[posix::WRITES], 3);
    assert_eq!(records[0].int[posix::MODE], 420, "0 is no mode");
    assert_eq!(records[0].int[posix::ACCESS1_ACCESS..][..2], [5, 100]);
    assert_eq!(records[0].int[posix::ACCESS1_COUNT..][..2], [3, 2]);
    let table = processes(&log);
    let endings: Vec<&str> = table.iter().map(|process| process.ending.as_str()).collect();
    assert_eq!(endings, ["exec", "_exit 3", "killed"]);
    assert_eq!(table[1].rank, Some(0));
    assert_eq!(table[2].rank, None, "the number was used again");
}

#[test]
fn an_exec_that_failed_is_no_end() {
    let mut builder = Builder::new(10, 1);
    builder.header.ending = Ending::Exec as u32;
    builder.posix("/data/out", 0, |cell| cell.tick[posix::f::CLOSE_END_TIMESTAMP] = 3 * SECOND);
    let log = harvest(&[(builder.build(), Fate::Signal(9))], &run());
    let table = processes(&log);
    assert_eq!(table[0].ending, "signal 9");
    assert_eq!(table[0].end, Some(3.0), "what was recorded last");
}
