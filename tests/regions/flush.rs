//! The program asks the library for its profile, or the library takes snapshots.

use std::fs;
use std::process::Command;

use ioglass_profile::{Ending, Set, State};

use super::alone::{Stage, WAYS, Way, all, names, said};
use super::seen::read;
use crate::lifecycle::room::Room;
use crate::support::ioglass;

const BEFORE: [&str; 3] = ["main 1 +1", "main > after 1 +1", "main > step 3"];

#[test]
fn a_flush_writes_all_so_far() {
    let stage = Stage::new("flush");
    for way in WAYS {
        let output = stage.act(way, &[], &["flushes", "kill"]);
        assert_eq!(said(&output), "0 0\n");
        let (name, profile) = stage.only();
        assert_eq!(all(&profile), BEFORE, "{way:?}");
        assert_eq!(
            (profile.head.state, profile.processes[0].ending),
            (State::Running, Ending::Running)
        );
        assert!(profile.overhead.flush_ns > 0);
        let after = profile.regions.iter().find(|region| region.name == b"after").unwrap();
        assert!(after.rows[0].time_ns >= 1_000_000, "{after:?}");
        assert_eq!(all(&stage.recover()), BEFORE);
        // The end of the process replaces it.
        stage.act(way, &[], &["flushes"]);
        let (again, profile) = stage.only();
        assert_eq!(all(&profile), ["main 1", "main > after 1", "main > step 3"], "{way:?}");
        assert_eq!(profile.head.state, State::Complete);
        assert!(profile.overhead.flush_ns > 0);
        let stem = |name: &str| name.rsplit_once('_').unwrap().0.to_owned();
        assert_eq!(stem(&name), stem(&again));
        stage.room.check_nothing_left();
    }
}

#[test]
fn threads_and_handlers_may_flush() {
    let stage = Stage::new("flush-crowd");
    for way in WAYS {
        assert_eq!(said(&stage.act(way, &[], &["crowd"])), "0\n");
        let (_, profile) = stage.only();
        let tree: Vec<String> = ["a", "b", "c", "d"].map(|name| format!("{name} 20")).to_vec();
        assert_eq!(all(&profile)[..4], tree, "{way:?}");
        assert_eq!(said(&stage.act(way, &[], &["handlers"])), "0\n");
        stage.only();
        stage.room.check_nothing_left();
    }
}

#[test]
fn a_flush_that_is_not_possible_says_so() {
    let stage = Stage::new("flush-limits");
    for way in WAYS {
        // A limit on files: the program goes on, and what it has left is found.
        let output = stage.act(way, &[], &["limit"]);
        assert_eq!((said(&output).trim(), output.status.code()), ("27", Some(0)), "{way:?}");
        assert!(stage.take().is_empty());
        assert_eq!(all(&stage.recover()), ["main 1", "main > step 3"]);
    }
    // No file at all, not even what the command would read.
    let alone = WAYS.map(|way| stage.command(Some(way), &["IOGLASS_REGIONS=1"], &["no files"]));
    let mut run = stage.room.command(ioglass());
    run.args(["run", "--no-report", "-o", "job.darshan", "--"]);
    run.arg(super::seen::annotated("regions/alone.c")).arg("no files");
    for mut command in alone.into_iter().chain([run]) {
        let output = command.output().unwrap();
        assert_eq!((said(&output).trim(), output.status.code()), ("27", Some(0)), "{output:?}");
        assert!(stage.take().is_empty());
    }
    // A filter for system calls: none of ours is made.
    let output = stage.act(Way::Preloaded, &["IOGLASS_SNAPSHOT=.01"], &["filter"]);
    assert_eq!((said(&output).trim(), output.status.code()), ("1", Some(0)));
    assert!(stage.take().is_empty());
    assert_eq!(all(&stage.recover()), ["main 1", "main > step 3"]);
}

/// The place that was asked for has no room: the profile is in a fallback, and nothing is left of the
/// attempt.
#[test]
fn a_full_disk_costs_the_place() {
    let stage = Stage::of(Room::with_memory("flush-full", "1m"));
    if !stage.room.is_private() {
        return;
    }
    for way in WAYS {
        let output = stage.act(way, &["IOGLASS_PROFILE=/dev/shm/p.ioprof"], &["fills"]);
        assert_eq!((said(&output).trim(), output.status.code()), ("0", Some(0)), "{way:?}");
        let file = names(&stage.room.folder.join("state/ioglass"), "ioprof").pop().unwrap();
        assert_eq!(read(&file).head.state, State::Complete);
        fs::remove_file(file).unwrap();
        let left = stage.room.captures();
        let left: Vec<_> = left.iter().filter_map(|path| path.file_name()).collect();
        assert_eq!(left, ["fill"], "{way:?}");
        assert!(stage.room.command("rm").arg("/dev/shm/fill").status().unwrap().success());
    }
}

/// Under the command the profile is that of the job, and is there before its end.
#[test]
fn under_the_command() {
    let stage = Stage::new("flush-run");
    let mut command = stage.room.command(ioglass());
    let program = super::seen::annotated("regions/alone.c");
    command.args(["run", "--no-report", "-o", "job.darshan", "--", "sh", "-c"]);
    command.arg("\"$0\" flushes && ls *.ioprof").arg(program);
    assert_eq!(said(&command.output().unwrap()), "0 0\njob.ioprof\n");
    let (name, profile) = stage.only();
    assert_eq!(name, "job.ioprof");
    assert_eq!(all(&profile), ["main 1", "main > after 1", "main > step 3"]);
}

const OFTEN: &str = "IOGLASS_SNAPSHOT=.01";

#[test]
fn snapshots_are_there_until_the_profile_is() {
    let stage = Stage::new("snapshots");
    for way in WAYS {
        for (settings, words) in [
            (&[OFTEN][..], &["snapshots"][..]),
            (&[OFTEN, "IOGLASS_PROFILE=p.ioprof"], &["snapshots", "exit"]),
            (&[OFTEN], &["last thread"]),
            (&[], &["asks", "exit"]),
            (&[OFTEN], &["child snapshots"]),
        ] {
            let output = stage.act(way, settings, words);
            assert!(matches!(output.status.code(), Some(0 | 3)), "{way:?} {words:?}");
            let profiles = stage.take();
            assert_eq!(profiles.len(), if words == ["child snapshots"] { 2 } else { 1 });
            assert!(profiles.values().all(|profile| profile.head.state == State::Complete));
            assert!(names(&stage.room.folder, "snapshot").is_empty(), "{way:?} {words:?}");
            stage.room.check_nothing_left();
        }
    }
}

#[test]
fn a_killed_process_leaves_its_snapshot() {
    let stage = Stage::new("snapshots-killed");
    for way in WAYS {
        // The library takes them, or the program asks for one.
        for (setting, act) in [(OFTEN, "snapshots"), ("IOGLASS_SNAPSHOT=0", "asks")] {
            let output = stage.act(way, &[setting, "IOGLASS_PROFILE=p.ioprof"], &[act, "kill"]);
            assert!(output.status.code().is_none(), "{output:?}");
            check_snapshot(&stage);
        }
    }
}

/// Checks the snapshot that a killed process has left, and removes it.
#[track_caller]
fn check_snapshot(stage: &Stage) {
    let folder = stage.room.folder.join("p.snapshot");
    let (sets, errors) = Set::open(std::slice::from_ref(&folder));
    assert!(errors.is_empty() && sets.len() == 1, "{errors:?}");
    let whole = sets[0].whole();
    assert_eq!(whole.head.state, State::Running);
    assert_eq!(whole.regions[0].name, b"main");
    assert_eq!(whole.processes[0].ending, Ending::Running);
    let show = Command::new(ioglass()).args(["profile", "show"]).arg(&folder).output();
    assert!(said(&show.unwrap()).contains("running"));
    for file in names(&folder, "ioprof") {
        read(&file);
    }
    fs::remove_dir_all(folder).unwrap();
    assert_eq!(stage.recover().head.state, State::Recovered);
}

/// The process ends at any moment of the work of the thread that takes snapshots, with another thread
/// that annotates.
#[test]
fn the_end_does_not_wait_for_a_snapshot() {
    let stage = Stage::new("snapshots-end");
    for time in 0..30 {
        let way = WAYS[time % 2];
        let output = stage.act(way, &[OFTEN], &["busy", &time.to_string()]);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let (_, profile) = stage.only();
        assert_eq!(profile.head.state, State::Complete);
        let left: Vec<_> = fs::read_dir(&stage.room.folder).unwrap().collect();
        // The folder of fallbacks.
        assert_eq!(left.len(), 1, "{left:?}");
        stage.room.check_nothing_left();
    }
}
