//! Processes that start processes: the calls of each are its own, and the parent's go on.

use std::fs;
use std::path::PathBuf;

use ioglass_log::Log;

use super::programs::program;
use super::recording::{Recording, Written, counted, log_path, record, record_and_report};
use super::room::{Room, wait_for_the_end};
use crate::support::ioglass;

/// What the program `family` does when it goes `how`, with the trace.
fn family(room: &Room, how: &str) -> Recording {
    let command = [program("life/family.c"), how.into(), program("life/ends.c")];
    let recording = record(room, command);
    assert_eq!(recording.status(), Some(0), "{how}: {}", recording.stderr());
    room.check_nothing_left();
    recording
}

/// A child made by fork or clone shares the parent's open file, and opens one of its own.
fn shares_an_open_file(how: &str) {
    let room = Room::new(&format!("family-{how}"));
    let recording = family(&room, how);
    recording.check(&[
        ("shared", &[(4, 32), (2, 16)]),
        ("child", &[(4, 32)]),
        ("parent", &[(5, 40)]),
    ]);
    assert_eq!(recording.log.job().nprocs, 2, "{how}");
}

/// A child that runs another program, started in a way that must not harm the parent.
fn runs_a_program(how: &str) {
    let room = Room::new(&format!("family-{how}"));
    family(&room, how).check(&[
        ("shared", &[(4, 32)]),
        ("child", &[(4, 32)]),
        ("parent", &[(5, 40)]),
    ]);
}

#[test]
fn fork() {
    shares_an_open_file("fork");
}

#[test]
fn clone_by_syscall() {
    shares_an_open_file("clone");
}

#[test]
fn grandchildren() {
    let room = Room::new("family-grandchild");
    let recording = family(&room, "grandchild");
    recording.check(&[("child", &[(4, 32)]), ("grandchild", &[(6, 48)]), ("parent", &[(5, 40)])]);
    let mut shared = recording.writes("shared");
    shared.sort_unstable();
    assert_eq!(shared, [(1, 8), (2, 16), (4, 32)]);
}

#[test]
fn parent_and_child_at_once() {
    let room = Room::new("family-both-at-once");
    family(&room, "both-at-once").check(&[
        ("parent-side", &[(20_000, 160_000)]),
        ("child-side", &[(20_000, 160_000)]),
        ("parent", &[(5, 40)]),
    ]);
}

#[test]
fn vfork_and_exit() {
    let room = Room::new("family-vfork-exit");
    family(&room, "vfork-exit").check(&[("shared", &[(4, 32)]), ("parent", &[(5, 40)])]);
}

#[test]
fn vfork_and_failed_exec() {
    let room = Room::new("family-vfork-failed-exec");
    let recording = family(&room, "vfork-failed-exec");
    recording.check(&[("shared", &[(4, 32)]), ("parent", &[(5, 40)])]);
    assert_eq!(fs::metadata(room.folder.join("shared")).unwrap().len(), 32);
}

#[test]
fn vfork_and_exec() {
    runs_a_program("vfork-exec");
}

#[test]
fn posix_spawn() {
    runs_a_program("posix_spawn");
}

#[test]
fn system() {
    runs_a_program("system");
}

#[test]
fn popen() {
    runs_a_program("popen");
}

#[test]
fn children_that_are_killed() {
    let room = Room::new("family-killed");
    let ends = program("life/ends.c");
    let script = r#"
        for how in SIGKILL SIGTERM SIGSEGV abort _exit return; do
            "$0" $how file-$how 7 & wait $!
        done 2>/dev/null"#;
    let recording = record(&room, ["sh".into(), "-c".into(), script.into(), ends]);
    for how in ["SIGKILL", "SIGTERM", "SIGSEGV", "abort", "_exit", "return"] {
        recording.check(&[(&format!("file-{how}"), &[(7, 56)])]);
    }
    room.check_nothing_left();
}

#[test]
fn fifty_children_at_once() {
    let room = Room::new("family-fifty");
    let ends = program("life/ends.c");
    let script = r#"for i in $(seq 50); do "$0" return file-$i $i & done; wait"#;
    let recording = record(&room, ["sh".into(), "-c".into(), script.into(), ends]);
    for i in 1..=50 {
        recording.check(&[(&format!("file-{i}"), &[(i, 8 * i)])]);
    }
    room.check_nothing_left();
}

#[test]
fn redirections_of_a_shell() {
    let room = Room::new("family-redirections");
    // cat and dd call write(2) themselves.
    let script = "printf 12345678 | cat > out; printf 12345678 | dd bs=2 status=none >> out";
    let recording = record(&room, ["sh", "-c", script]);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    recording.check(&[("out", &[(1, 8), (4, 8)])]);
}

/// A daemon is alive when CMD ends. What it did so far is in the log; the rest is collected by a
/// later command, which cleans up after it.
fn daemon(name: &str, collect: impl Fn(&Room) -> Vec<PathBuf>) {
    let room = Room::new(name);
    let recording = record_and_report(&room, [program("life/daemon.c")]);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    recording.check(&[("daemon", &[(3, 24)])]);
    assert!(recording.processes().contains("\trunning\t"), "{}", recording.processes());
    assert!(recording.stderr().contains("still running"), "{}", recording.stderr());
    if room.is_private() {
        assert!(!room.captures().is_empty(), "a living process keeps its capture");
    }
    // As long as it lives nobody takes the capture away from it.
    collect(&room);
    fs::write(room.folder.join("go"), "").unwrap();
    let pid = fs::read_to_string(room.folder.join("ready")).unwrap();
    wait_for_the_end(pid.trim());
    assert!(room.folder.join("ended").exists(), "the daemon failed");
    let logs = collect(&room);
    let found: Vec<Vec<Written>> = logs
        .iter()
        .map(|path| counted(&Log::open(path).unwrap(), &room.folder.join("daemon")))
        .map(|by_rank| by_rank.into_values().collect())
        .collect();
    assert!(found.contains(&vec![(7, 56)]), "{logs:?} {found:?}");
    room.check_nothing_left();
}

/// The logs in the room's directory, but for that of the run itself.
fn other_logs(room: &Room) -> Vec<PathBuf> {
    let entries = fs::read_dir(&room.folder).unwrap().map(|entry| entry.unwrap().path());
    let is_log = |path: &PathBuf| path.extension().is_some_and(|end| end == "darshan");
    entries.filter(|path| is_log(path) && *path != log_path(room)).collect()
}

#[test]
fn daemon_then_recover() {
    daemon("family-daemon-recover", |room| {
        let output = room.command(ioglass()).args(["recover", "--all"]).output().unwrap();
        assert!(output.status.success(), "{}", super::recording::said(&output));
        other_logs(room)
    });
}

#[test]
fn daemon_then_the_next_run() {
    daemon("family-daemon-run", |room| {
        let run = room.command(ioglass()).args(["run", "--", "true"]).output().unwrap();
        assert!(run.status.success(), "{}", super::recording::said(&run));
        other_logs(room)
    });
}
