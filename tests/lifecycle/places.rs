//! Processes that cannot see the directory of the captures, or see it full.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use ioglass_log::posix::Posix;
use ioglass_log::{FixedRecord, dxt};

use super::programs::{program, source};
use super::recording::{Recording, counted, record, record_counters, run};
use super::room::{Room, is_root};
use crate::support::missing;

/// Whether `unshare` with these arguments works here.
fn can_unshare(arguments: &[&str]) -> bool {
    let works = is_root()
        && Command::new("unshare").args(arguments).arg("true").status().is_ok_and(|s| s.success());
    if !works {
        missing("processes in namespaces of their own", Path::new("root's right to unshare(1)"));
    }
    works
}

#[test]
fn a_mount_namespace_without_the_captures() {
    if !can_unshare(&["--mount"]) {
        return;
    }
    let room = Room::new("place-mounts");
    let script = r#"
        "$0" return outside 3
        unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/shm && "$0" return inside 5 && "$0" SIGKILL killed 6' "$0"
        "$0" return after 4"#;
    let recording =
        record(&room, ["sh".into(), "-c".into(), script.into(), program("life/ends.c")]);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    recording.check(&[
        ("outside", &[(3, 24)]),
        ("inside", &[(5, 40)]),
        ("killed", &[(6, 48)]),
        ("after", &[(4, 32)]),
    ]);
    room.check_nothing_left();
}

#[test]
fn pid_namespaces_in_which_everybody_is_number_one() {
    if !can_unshare(&["--pid", "--fork", "--mount-proc"]) {
        return;
    }
    let room = Room::new("place-pids");
    let script = r#"
        for i in 1 2 3; do
            unshare --pid --fork --mount-proc "$0" return one-after-another-$i $i
        done
        for i in 4 5 6; do
            unshare --pid --fork --mount-proc "$0" return at-once-$i $i &
        done
        wait"#;
    let recording =
        record(&room, ["sh".into(), "-c".into(), script.into(), program("life/ends.c")]);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    for i in 1..=3 {
        recording.check(&[(&format!("one-after-another-{i}"), &[(i, 8 * i)])]);
    }
    for i in 4..=6 {
        recording.check(&[(&format!("at-once-{i}"), &[(i, 8 * i)])]);
    }
    room.check_nothing_left();
}

#[test]
fn chroot() {
    if !is_root() {
        return missing("chroot(2)", Path::new("root"));
    }
    let room = Room::new("place-chroot");
    fs::create_dir(room.folder.join("prison")).unwrap();
    let recording = record(&room, [program("life/prison.c"), "prison".into()]);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    recording.check(&[("before", &[(7, 56)])]);
    // A path inside is all that a process in there can know.
    let inside = counted(&recording.log, Path::new("/inside"));
    assert_eq!(inside.into_values().collect::<Vec<_>>(), [(5, 40)]);
    let child: Vec<_> = counted(&recording.log, Path::new("/child")).into_values().collect();
    // The child has no directory to leave a capture in; at least it is known to have been there.
    let known =
        recording.processes().contains("\tunseen\t") || recording.stderr().contains("not recorded");
    assert!(child == [(6, 48)] || known, "{child:?}: {}", recording.processes());
    room.check_nothing_left();
}

#[test]
fn a_process_that_becomes_another_users() {
    if !is_root() {
        return missing("setresuid(2)", Path::new("root"));
    }
    let room = Room::new("place-user");
    fs::set_permissions(&room.folder, fs::Permissions::from_mode(0o777)).unwrap();
    let recording = record(&room, [program("life/becomes.c")]);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    recording.check(&[("after", &[(5, 40)]), ("child", &[(6, 48)])]);
    room.check_nothing_left();
}

#[test]
fn another_c_library_is_left_alone() {
    let compiler = Path::new("/usr/bin/musl-gcc");
    if !compiler.exists() {
        return missing("another C library", compiler);
    }
    let room = Room::new("place-musl");
    let program = room.folder.join("program");
    let source = source("life/other_libc.c");
    let status = Command::new(compiler).arg(source).arg("-o").arg(&program).status().unwrap();
    assert!(status.success());
    let recording = record(&room, [PathBuf::from("/bin/sh"), "-c".into(), "./program".into()]);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    assert_eq!(recording.output.stdout, b"done\n");
    assert!(!recording.stderr().contains("relocating"), "{}", recording.stderr());
    assert_eq!(fs::read_to_string(room.folder.join("data")).unwrap(), "a line\n");
}

#[test]
fn full_shared_memory_stops_the_recording_not_the_program() {
    for (options, size) in [("counters", "1m"), ("trace", "1m"), ("no room at all", "4k")] {
        let room = Room::with_memory("place-full", size);
        if !room.is_private() {
            return;
        }
        let trace: &[&str] = if options == "trace" { &["--trace"] } else { &[] };
        let command = [program("life/many.c"), "20000".into()];
        let recording = Recording::read(&room, run(&room, trace, command).output().unwrap(), false);
        assert_eq!(recording.status(), Some(0), "{options}: {}", recording.stderr());
        assert_eq!(recording.output.stdout, b"all written\n", "{options}");
        let partial = recording.log.module_info(Posix::MODULE.id).partial
            || recording.log.module_info(dxt::POSIX.id).partial;
        let said = recording.stderr().contains("not recorded");
        // Without any room at all there may be another place for the whole of it.
        let files = recording.log.names().len();
        let whole = size == "4k" && files >= 20_000 && !partial && !said;
        assert!(whole || (partial && said), "{options}: {files} files\n{}", recording.stderr());
        room.check_nothing_left();
    }
}

#[test]
fn a_record_for_every_file_where_there_is_room() {
    let room = Room::new("place-many");
    let recording = record_counters(&room, [program("life/many.c"), "20000".into()]);
    let records = recording.log.records_of::<Posix>().unwrap().count();
    assert!(records >= 20_000, "{records}");
    assert!(!recording.log.module_info(Posix::MODULE.id).partial);
}
