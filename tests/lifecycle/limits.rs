//! Limits a user sets on a program are the program's, not ours to hit.

use super::programs::program;
use super::recording::{Recording, record_and_report, record_counters};
use super::room::Room;

/// Runs a script in which `$0` is the program `ends`; it must behave as without us.
#[track_caller]
fn unharmed(room: &Room, script: &str) -> Recording {
    let command = ["bash".into(), "-c".into(), script.into(), program("life/ends.c")];
    let bare = room.command(&command[0]).args(&command[1..]).output().unwrap();
    let _ = std::fs::remove_file(room.folder.join("file"));
    let recording = record_and_report(room, &command);
    assert_eq!(recording.status(), bare.status.code(), "{}", recording.stderr());
    assert_eq!(recording.output.stdout, bare.stdout);
    room.check_nothing_left();
    recording
}

/// A limit that leaves the recorder all it needs.
#[track_caller]
fn recorded(name: &str, script: &str) {
    unharmed(&Room::new(name), script).check(&[("file", &[(10, 80)])]);
}

/// A limit that may keep the recorder from its work: then it says so.
#[track_caller]
fn recorded_or_said(name: &str, script: &str) {
    let recording = unharmed(&Room::new(name), script);
    let said = recording.stderr();
    let honest = said.contains("not recorded") || said.contains("out of our sight");
    assert!(recording.writes("file") == [(10, 80)] || honest, "{said}");
}

#[test]
fn file_size() {
    // One block of 1024 bytes: a file of ours would exceed it, and SIGXFSZ kills.
    recorded_or_said("limit-f", r#"ulimit -f 1; "$0" return file 10; echo $?"#);
}

#[test]
fn no_files_at_all() {
    let room = Room::new("limit-f-0");
    let script = "ulimit -f 0; cat /proc/self/comm; echo $?";
    let recording = record_counters(&room, ["bash", "-c", script]);
    assert_eq!(recording.output.stdout, b"cat\n0\n", "{}", recording.stderr());
}

#[test]
fn address_space() {
    recorded("limit-v", r#"ulimit -v 60000; "$0" return file 10; echo $?"#);
}

#[test]
fn descriptors() {
    // 0, 1, 2, and one for the file.
    recorded_or_said("limit-n", r#"ulimit -n 4; exec "$0" return file 10"#);
}

#[test]
fn descriptors_raised_to_the_hard_limit() {
    recorded("limit-n-hard", r#"ulimit -Sn $(ulimit -Hn); exec "$0" return file 10"#);
}

#[test]
fn processes_and_locked_memory() {
    recorded("limit-l", r#"ulimit -l 0; ulimit -c 0; "$0" return file 10; echo $?"#);
}

#[test]
fn a_limit_on_run_itself() {
    let room = Room::new("limit-run");
    let mut command = room.command("bash");
    command.args(["-c", r#"ulimit -f 1; "$0" run --quiet -- "$@""#]);
    command.arg(crate::support::ioglass()).arg(program("life/ends.c"));
    let output = command.args(["exit", "file", "10"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", super::recording::said(&output));
    // What could not be written is kept until it can be.
    let recover = room.command(crate::support::ioglass()).arg("recover").output().unwrap();
    assert!(recover.status.success(), "{}", super::recording::said(&recover));
    room.check_nothing_left();
}
