//! Logs of single ranks: who is who, what is shared, what is joined.

use std::process::Command;

use ioglass_log::posix::{self, Posix};
use ioglass_log::{Compression, Log, record_id};

use super::craft::{log, wrote};
use super::dump::counters;
use super::merged;
use crate::lifecycle::room::empty;
use crate::support::ioglass;

fn records(log: &Log, file: &str) -> Vec<Posix> {
    let id = record_id(file.as_bytes());
    let all = log.records_of::<Posix>().unwrap().map(Result::unwrap);
    let mut found: Vec<Posix> = all.filter(|record| record.base.id == id).collect();
    found.sort_by_key(|record| record.base.rank);
    found
}

/// As the reference leaves them when ranks are killed: not compressed, without an end.
#[test]
fn files_of_all_ranks_become_one_record() {
    let folder = empty("merge-shared");
    let logs: Vec<_> = (0..4)
        .map(|rank| {
            let mut own = log(4);
            own.has_ended = false;
            own.compression = Compression::None;
            own.posix.push(wrote("/data/all", rank, 1000 * (rank + 1), 0.5));
            if rank % 2 == 1 {
                own.posix.push(wrote("/data/some", rank, 5000, 0.5));
            }
            own.write(&folder, &format!("r{rank}.darshan"))
        })
        .collect();
    let log = merged(&logs, &folder.join("out.darshan"));
    assert_eq!(log.job().nprocs, 4);
    assert_eq!(log.run_time(), 0.75, "up to the last thing that was seen");
    let [all] = &records(&log, "/data/all")[..] else { panic!("one record of all ranks") };
    assert_eq!(all.base.rank, -1);
    assert_eq!((all.int[posix::OPENS], all.int[posix::BYTES_WRITTEN]), (4, 10_000));
    assert_eq!((all.int[posix::FASTEST_RANK], all.int[posix::SLOWEST_RANK]), (0, 3));
    assert_eq!(all.int[posix::SLOWEST_RANK_BYTES], 4000);
    assert_eq!((all.int[posix::ACCESS1_ACCESS], all.int[posix::ACCESS1_COUNT]), (1000, 10));
    assert!((all.float[posix::f::VARIANCE_RANK_BYTES] - 1_250_000.0).abs() < 1e-6);
    let some = records(&log, "/data/some");
    let ranks: Vec<i64> = some.iter().map(|record| record.base.rank).collect();
    assert_eq!(ranks, [1, 3], "a strict subset keeps who they are");
    assert!(some.iter().all(|record| record.int[posix::BYTES_WRITTEN] == 5000));
}

#[test]
fn a_missing_rank_leaves_nothing_shared() {
    let folder = empty("merge-missing-rank");
    let logs = [0, 1, 3].map(|rank| {
        let mut own = log(4);
        own.posix.push(wrote("/data/all", rank, 1000, 0.5));
        own.write(&folder, &format!("r{rank}.darshan"))
    });
    let log = merged(&logs, &folder.join("out.darshan"));
    let ranks: Vec<i64> = records(&log, "/data/all").iter().map(|r| r.base.rank).collect();
    assert_eq!((log.job().nprocs, ranks), (4, vec![0, 1, 3]));
}

/// A log of some ranks says how many there are, and so does its report.
#[test]
fn ranks_of_which_there_is_no_log_are_counted() {
    let folder = empty("merge-some-ranks");
    let columns = "rank\tpid\tppid\thost\tstart\tend\tending\texcluded\tlost\tcommand";
    let table = |rank: &str| format!("{columns}\n{rank}\t7{rank}\t1\tn\t0\t1\texit 0\t0\t-\tapp\n");
    let logs: Vec<_> = ["0", "1", "-"]
        .iter()
        .map(|rank| {
            let mut own = log(4);
            own.metadata = "lib_ver=3.5.0\nranks=mpi\n";
            if let Ok(rank) = rank.parse() {
                own.posix.push(wrote("/data/all", rank, 1000, 0.5));
            }
            own.sections.push(("processes", table(rank).replace("7-", "79")));
            own.write(&folder, &format!("r{rank}.darshan"))
        })
        .collect();
    for (given, missing) in [(&logs[..1], 3), (&logs[..2], 2), (&logs[..], 1)] {
        let out = folder.join(format!("out-{missing}.darshan"));
        let output = Command::new(ioglass()).args(["merge", "-o"]).arg(&out).args(given).output();
        let said = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(said.contains(&format!("{} of 4 ranks are in these logs", 4 - missing)), "{said}");
        let log = Log::open(&out).unwrap();
        assert_eq!(log.job().metadata_value("missing_ranks").unwrap(), missing.to_string());
        let report = Command::new(ioglass()).arg("report").arg(&out).output().unwrap();
        let report = String::from_utf8(report.stdout).unwrap();
        assert!(
            report.contains(&format!("{} of 4 ranks are in this log", 4 - missing)),
            "{report}"
        );
    }
    // Those of a killed job of the reference have no table of processes.
    let killed: Vec<_> = (0..4)
        .map(|rank| {
            let mut own = log(4);
            own.has_ended = false;
            own.posix.push(wrote("/data/all", rank, 1000, 0.5));
            own.write(&folder, &format!("k{rank}.darshan"))
        })
        .collect();
    for (given, missing) in [(&killed[..3], Some("1")), (&killed[..], None)] {
        let log = merged(given, &folder.join("out-killed.darshan"));
        assert_eq!(log.job().metadata_value("missing_ranks").as_deref(), missing);
    }
}

/// What a rank did after its log was written is in a small second one.
#[test]
fn two_logs_of_one_rank_are_joined() {
    let folder = empty("merge-joined");
    let mut logs: Vec<_> = (0..2)
        .map(|rank| {
            let mut own = log(2);
            own.posix.push(wrote("/data/all", rank, 2000, 0.5));
            own.write(&folder, &format!("r{rank}.darshan"))
        })
        .collect();
    let mut second = log(2);
    second.start_ms += 1000;
    second.posix.extend([wrote("/data/all", 1, 3000, 0.5), wrote("/data/own", 1, 7000, 0.25)]);
    logs.push(second.write(&folder, "r1-late.darshan"));
    let log = merged(&logs, &folder.join("out.darshan"));
    let [all] = &records(&log, "/data/all")[..] else { panic!("one record of all ranks") };
    assert_eq!((all.int[posix::OPENS], all.int[posix::BYTES_WRITTEN]), (3, 7000));
    assert_eq!((all.int[posix::SLOWEST_RANK], all.int[posix::SLOWEST_RANK_BYTES]), (1, 5000));
    assert_eq!(all.float[posix::f::WRITE_END_TIMESTAMP], 1.75);
    let [own] = &records(&log, "/data/own")[..] else { panic!("one record") };
    assert_eq!((own.base.rank, own.float[posix::f::OPEN_START_TIMESTAMP]), (1, 1.25));
    // A shared record cannot be divided again; what comes later stands beside it.
    let again = [folder.join("out.darshan"), folder.join("r1-late.darshan")];
    let log = merged(&again, &folder.join("again.darshan"));
    let ranks: Vec<i64> = records(&log, "/data/all").iter().map(|r| r.base.rank).collect();
    assert_eq!(ranks, [-1, 1]);
}

#[test]
fn the_order_of_the_logs_does_not_matter() {
    let folder = empty("merge-order");
    let mut logs: Vec<_> = (0..5)
        .map(|rank| {
            let mut own = log(5);
            own.start_ms += 40 * (4 - rank);
            own.posix.push(wrote("/data/all", rank, 1000 * (rank + 1), 0.1));
            own.posix.push(wrote("/data/own", rank % 2, 1000, 0.1));
            own.write(&folder, &format!("r{rank}.darshan"))
        })
        .collect();
    let forwards = counters(&merged(&logs, &folder.join("forwards.darshan")));
    logs.reverse();
    let backwards = counters(&merged(&logs, &folder.join("backwards.darshan")));
    assert_eq!(forwards, backwards);
    assert_eq!(forwards.len(), 3, "{forwards:?}");
    let bytes = |name| std::fs::read(folder.join(name)).unwrap();
    assert!(bytes("forwards.darshan") == bytes("backwards.darshan"));
}

/// Processes that nobody numbered, beside ranks that MPI did, come after them.
#[test]
fn helpers_come_after_the_ranks() {
    let folder = empty("merge-helpers");
    let mut logs: Vec<_> = (0..2)
        .map(|rank| {
            let mut own = log(2);
            own.posix.push(wrote("/data/all", rank, 1000, 0.1));
            own.write(&folder, &format!("r{rank}.darshan"))
        })
        .collect();
    let mut helper = log(1);
    (helper.command, helper.start_ms) = ("helper", helper.start_ms - 10);
    helper.posix.push(wrote("/data/all", 0, 9000, 0.1));
    logs.push(helper.write(&folder, "helper.darshan"));
    let log = merged(&logs, &folder.join("out.darshan"));
    let found = records(&log, "/data/all");
    let found: Vec<_> = found.iter().map(|r| (r.base.rank, r.int[posix::BYTES_WRITTEN])).collect();
    assert_eq!((log.job().nprocs, found), (2, vec![(-1, 2000), (2, 9000)]));
}
