//! However a process ends, what it wrote is in the log, trace included.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ioglass_log::stdio::{self, Stdio};

use super::programs::program;
use super::recording::{Recording, counted, is_path, record, record_counters, run, traced};
use super::room::Room;
use crate::support::Rng;

/// Writes ten times, ends as `how` says, and must leave a whole log and nothing else.
#[track_caller]
fn ends(how: &str, status: i32) {
    let room = Room::new(&format!("ends-{how}-{status}"));
    let mut command = vec![program("life/ends.c"), how.into(), "file".into(), "10".into()];
    if how == "return" {
        command.push(status.to_string().into());
    }
    for recording in [record(&room, &command), record_counters(&room, &command)] {
        assert_eq!(recording.status(), Some(status), "{how}: {}", recording.stderr());
        recording.check(&[("file", &[(10, 80)])]);
        assert_eq!(recording.log.job().nprocs, 1, "{how}");
        assert_eq!(recording.log.job().metadata_value("ranks").as_deref(), Some("process"));
        assert!(recording.log.job().has_ended(), "{how}");
        recording.check_end(status);
        room.check_nothing_left();
    }
}

/// The status a shell gives a program that died of signal `number`.
fn died(number: i32) -> i32 {
    128 + number
}

#[test]
fn return_from_main() {
    ends("return", 0);
}

#[test]
fn return_of_a_status_from_main() {
    ends("return", 3);
}

#[test]
fn exit() {
    ends("exit", 3);
}

#[test]
fn underscore_exit() {
    ends("_exit", 3);
}

#[test]
fn underscore_capital_exit() {
    ends("_Exit", 3);
}

#[test]
fn quick_exit() {
    ends("quick_exit", 3);
}

#[test]
fn exit_group_by_syscall() {
    ends("exit_group", 3);
}

#[test]
fn abort() {
    ends("abort", died(6));
}

#[test]
fn sigsegv() {
    ends("SIGSEGV", died(11));
}

#[test]
fn sigbus() {
    ends("SIGBUS", died(7));
}

#[test]
fn sigterm() {
    ends("SIGTERM", died(15));
}

#[test]
fn sigkill() {
    ends("SIGKILL", died(9));
}

#[test]
fn characters_in_buffers_are_counted_before_sigkill() {
    let room = Room::new("ends-characters");
    let program = program("life/characters.c");
    let recording = record_counters(&room, [program.clone(), "file".into()]);
    assert_eq!(recording.status(), Some(died(9)), "{}", recording.stderr());
    let of = |path: &Path| {
        let records = recording.log.records_of::<Stdio>().unwrap().map(Result::unwrap);
        let mut found = records.filter(|record| is_path(&recording.log, record.base.id, path));
        let int = found.next().expect("a record").int;
        [stdio::READS, stdio::BYTES_READ, stdio::WRITES, stdio::BYTES_WRITTEN].map(|at| int[at])
    };
    assert_eq!(of(&room.folder.join("file")), [0, 0, 10_000, 10_000]);
    assert_eq!(of(Path::new(&program)), [5000, 5000, 0, 0]);
}

#[test]
fn processor_time_used_up() {
    // The hard limit is the soft limit: the kernel sends SIGKILL.
    ends("SIGXCPU", died(9));
}

#[test]
fn stack_overflow() {
    ends("stack-overflow", died(11));
}

#[test]
fn out_of_memory() {
    ends("out-of-memory", died(9));
}

#[test]
fn the_first_thread_ends_before_the_others() {
    let room = Room::new("ends-pthread_exit");
    let recording =
        record(&room, [program("life/ends.c"), "pthread_exit".into(), "file".into(), "10".into()]);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    recording.check(&[("file", &[(20, 160)])]);
}

#[test]
fn exec_after_writing() {
    let room = Room::new("ends-exec");
    let command = [program("life/ends.c"), "exec".into(), "a".into(), "10".into(), "b".into()];
    let recording = record(&room, command);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    recording.check(&[("a", &[(10, 80)]), ("b", &[(10, 80)])]);
    room.check_nothing_left();
}

#[test]
fn exec_with_a_descriptor_that_stays_open() {
    let room = Room::new("ends-exec-inherit");
    let command = [program("life/ends.c"), "exec-inherit".into(), "a".into(), "10".into()];
    let recording = record_counters(&room, command);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    assert_eq!(fs::metadata(room.folder.join("a")).unwrap().len(), 88);
    // Calls on descriptors are counted by POSIX; echo's single line went through stdio.
    recording.check(&[("a", &[(10, 80)])]);
    let named = recording.log.names().iter().any(|(_, name)| name == b"<STDOUT>");
    assert!(named, "the program after exec is not seen");
}

#[test]
fn failed_exec_then_more() {
    let room = Room::new("ends-failed-exec");
    let command =
        [program("life/ends.c"), "failed-exec".into(), "a".into(), "10".into(), "b".into()];
    let recording = record(&room, command);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    recording.check(&[("a", &[(10, 80)]), ("b", &[(10, 80)])]);
    assert_eq!(recording.log.job().nprocs, 1, "a failed exec makes no new process");
}

#[test]
fn calls_that_are_left_by_a_jump_cost_no_others() {
    let room = Room::new("ends-left");
    for recording in
        [record(&room, [program("life/left.c")]), record_counters(&room, [program("life/left.c")])]
    {
        assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
        recording.check(&[("after", &[(3000, 3000)])]);
    }
}

#[test]
fn sigkill_at_any_moment() {
    let mut rng = Rng::new();
    let room = Room::new("ends-any-moment");
    let path = room.folder.join("file");
    for round in 0..20 {
        let _ = fs::remove_file(&path);
        let after = (1000 + rng.below(30_000)).to_string();
        let command = [program("life/append.c"), "file".into(), after.clone().into()];
        let options =
            if round % 2 == 0 { &["--trace", "--no-report"][..] } else { &["--no-report"] };
        let recording =
            Recording::read(&room, run(&room, options, command).output().unwrap(), false);
        assert_eq!(recording.status(), Some(died(9)), "after {after} µs: {}", recording.stderr());
        // It may have been killed before it made the file.
        let size = fs::metadata(&path).map_or(0, |file| file.len() as i64);
        let in_flight = |written: &BTreeMap<i64, (i64, i64)>| {
            let (calls, bytes) = written.get(&0).copied().unwrap_or_default();
            (size - 1..=size).contains(&calls) && (size - 1..=size).contains(&bytes)
        };
        let counted = counted(&recording.log, &path);
        assert!(in_flight(&counted), "after {after} µs: {counted:?} of {size}");
        if round % 2 == 0 {
            let traced = traced(&recording.log, &path);
            assert!(in_flight(&traced), "after {after} µs: traced {traced:?} of {size}");
        }
        room.check_nothing_left();
    }
}
