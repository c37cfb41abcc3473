//! Which logs are of one job, and which are not.

use super::craft::{log, wrote};
use super::{merge, merged};
use crate::lifecycle::recording::said;
use crate::lifecycle::room::empty;

#[test]
fn logs_of_different_jobs_are_refused() {
    let folder = empty("merge-different");
    let base = || {
        let mut base = log(2);
        base.posix.push(wrote("/data/own", 0, 1000, 0.1));
        base
    };
    let first = base().write(&folder, "first.darshan");
    let out = folder.join("out.darshan");
    let mut other_user = base();
    other_user.uid = 7;
    let mut other_size = base();
    other_size.nprocs = 4;
    let mut other_program = base();
    other_program.command = "./other";
    let mut other_time = base();
    (other_time.jobid, other_time.start_ms) = (78, other_time.start_ms + 60_000);
    for (log, what) in [
        (other_user, "user: 1000, 7"),
        (other_size, "number of ranks: 2, 4"),
        (other_program, "program: ./app -n 3, ./other"),
        (other_time, "job, and in their time: 77, 78"),
    ] {
        let second = log.write(&folder, "second.darshan");
        let refused = merge(&[first.clone(), second.clone()], &out, &[]);
        let words = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(3), "{}", said(&refused));
        assert!(words.contains("not of one job") && words.contains(what), "{words}");
        assert!(words.contains("ioglass merge --force"), "{words}");
        assert!(!out.exists());
        let forced = merge(&[first.clone(), second], &out, &["--force"]);
        assert!(forced.status.success(), "{}", said(&forced));
        std::fs::remove_file(&out).unwrap();
    }
}

/// Where there is no scheduler each process is a job of its own number.
#[test]
fn processes_without_a_scheduler_belong_together_by_time() {
    let folder = empty("merge-unscheduled");
    let logs: Vec<_> = [(100, 0), (101, 400), (102, 1300)]
        .map(|(pid, later)| {
            let mut own = log(1);
            (own.jobid, own.start_ms) = (pid, own.start_ms + later);
            own.posix.push(wrote("/data/own", 0, 1000, 0.1));
            own.write(&folder, &format!("{pid}.darshan"))
        })
        .into();
    let out = folder.join("out.darshan");
    let log = merged(&logs, &out);
    assert_eq!((log.job().nprocs, log.job().jobid), (3, 100));
    let ranks: Vec<_> = super::dump::counters(&log).into_keys().map(|(_, rank, _)| rank).collect();
    assert_eq!(ranks, [0, 1, 2], "nothing is shared by processes");
}

/// And by family: the same parent, or a child of one that was seen.
#[test]
fn processes_without_a_scheduler_belong_together_by_family() {
    let folder = empty("merge-family");
    let process = |pid: u64, ppid: u64, host: &str| {
        let columns = "rank\tpid\tppid\thost\tstart\tend\tending\texcluded\tlost\tcommand";
        format!(
            "{columns}\n0\t{pid}\t{ppid}\t{host}\t0.000000\t0.500000\texit 0\t1\t-\ttool {pid}\n"
        )
    };
    let own = |pid: i64, ppid: u64, host: &str, later: i64| {
        let mut own = log(1);
        (own.jobid, own.start_ms) = (pid, own.start_ms + later);
        own.metadata = "lib_ver=3.5.0\nranks=process\n";
        own.posix.push(wrote("/data/own", 0, 1000, 0.1));
        own.sections.push(("processes", process(pid.cast_unsigned(), ppid, host)));
        own.write(&folder, &format!("{pid}.darshan"))
    };
    let siblings = [own(100, 90, "n1", 0), own(101, 90, "n1", 5000), own(102, 101, "n1", 9000)];
    let log = merged(&siblings, &folder.join("out.darshan"));
    let rows = super::dump::table(&log, "processes", &["rank", "pid", "start"]);
    assert_eq!(
        rows,
        [["0", "100", "0.000000"], ["1", "101", "5.000000"], ["2", "102", "9.000000"]]
    );
    let stranger = [siblings[0].clone(), own(103, 90, "n2", 20_000)];
    let refused = merge(&stranger, &folder.join("no.darshan"), &[]);
    assert_eq!(refused.status.code(), Some(3), "{}", said(&refused));
}
