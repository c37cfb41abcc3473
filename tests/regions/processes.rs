//! Threads and processes.

use super::seen::{Seen, annotated, io, read, scenes, see, see_with, tree};
use crate::lifecycle::recording::{log_path, run, said};
use crate::lifecycle::room::Room;
use ioglass_profile::{Ending, Layer, Measure};

#[test]
fn threads_have_trees_of_their_own() {
    let room = Room::new("regions-threads");
    let seen = see(&room, &["threads"]);
    assert_eq!(
        seen.tree(),
        [
            "forgotten 1",
            "forgotten > inner 1",
            "main 1",
            "main > solve 1",
            "main > solve > handed 1",
            "main > solve > work 1",
            "work 1",
        ]
    );
    let thread = |path: &str| seen.row(path).thread;
    assert_eq!((thread("main"), thread("work"), thread("main > solve > work")), (0, 1, 2));
    // Attached threads are not taken off.
    let solve = seen.row("main > solve");
    assert_eq!(solve.exclusive_ns, solve.time_ns);
    assert_eq!(seen.profile.processes[0].threads, 3);
    assert_eq!(
        seen.notices(),
        [
            "stray-leave main in -: 1",
            "left-open forgotten in -: 1",
            "left-open inner in forgotten: 1",
            "stray-attach  in -: 1",
            "stray-attach  in main > solve: 1",
        ]
    );
}

#[test]
fn a_thread_may_be_attached_to_regions_of_its_own() {
    let room = Room::new("regions-attached");
    // No moment counts twice: reading the profile checks that.
    let seen = see(&room, &["attached"]);
    assert_eq!(
        seen.tree(),
        [
            "main 1",
            "main > other 1",
            "main > solve 1",
            "main > solve > late 1",
            "main > solve > work 1"
        ]
    );
    let time = |path: &str| seen.row(path).time_ns;
    // The thread was in main all the time, and in solve all the time but while it was elsewhere.
    let (main, solve, other) = (time("main"), time("main > solve"), time("main > other"));
    let (work, late) = (time("main > solve > work"), time("main > solve > late"));
    assert!(solve >= work + late, "{:?}", seen.profile.regions);
    assert!(main >= solve + other, "{:?}", seen.profile.regions);
    // A visit of it has the time until it ended, also that in which the thread was attached.
    assert!(seen.row("main").max_ns >= other + work && seen.notices().is_empty());
}

#[test]
fn a_child_begins_below_its_parent() {
    let room = Room::new("regions-forks");
    let seen = see(&room, &["forks"]);
    let processes = &seen.profile.processes;
    assert_eq!(processes.len(), 2);
    assert_eq!(processes[1].ending, Ending::QuickExit);
    let of = |process: u32| tree(&seen.profile, |row| row.process == process);
    assert_eq!(of(0), ["main 1", "main > solve 1", "main > solve > before 1"]);
    assert_eq!(
        of(1),
        [
            "main > other 1",
            "main > solve 0",
            "main > solve > before 1",
            "main > solve > inner 1",
            "own 1",
        ]
    );
    let context = seen.at("main > solve").rows.iter().find(|row| row.process == 1).unwrap();
    assert_eq!(io(&context.io, Layer::Posix), [1, 0, 1, 0, 5, 0]);
    assert!(seen.notices().is_empty(), "{:?}", seen.notices());
    assert_eq!(seen.profile.head.ranks, 2);
}

#[test]
fn another_program_begins_outermost() {
    let room = Room::new("regions-execs");
    let seen = see(&room, &["execs"]);
    assert_eq!(
        seen.tree(),
        ["main 2", "main > before 1", "main > comm 1", "main > solve 3", "main > solve > comm 3"]
    );
    let processes = &seen.profile.processes;
    let ends: Vec<_> = processes.iter().map(|process| (process.rank, process.ending)).collect();
    assert_eq!(ends, [(0, Ending::Exec), (0, Ending::Exit)]);
    let before = seen.row("main > before");
    assert!(before.time_ns >= 2_000_000 && before.max_ns == before.time_ns, "{before:?}");
}

#[test]
fn regions_need_no_recorder() {
    let room = Room::new("regions-alone");
    for way in [&["--no-record"][..], &[]] {
        let variables = [("DARSHAN_DISABLE", "1")];
        let variables = if way.is_empty() { &variables[..] } else { &[] };
        let seen = see_with(&room, way, variables, &["forks"]);
        let of = |process: u32| tree(&seen.profile, |row| row.process == process);
        assert_eq!(of(0), ["main 1", "main > solve 1", "main > solve > before 1"]);
        assert_eq!(
            of(1),
            ["main > other 1", "main > solve > before 1", "main > solve > inner 1", "own 1"]
        );
        assert!(!seen.profile.head.has_io && seen.profile.outside.is_empty());
        room.check_nothing_left();
    }
    // There is no diagnosis, but the regions are shown.
    let words = [scenes().into_os_string(), "iterations".into(), "3".into()];
    let output = run(&room, &["--no-record"], words).output().unwrap();
    let said = said(&output);
    for words in ["where the time went", "step", "ioglass profile show"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn handlers_are_safe() {
    let room = Room::new("regions-signals");
    let seen = see(&room, &["signals"]);
    let said = String::from_utf8(seen.output.stdout.clone()).unwrap();
    let (calls, handled) = said.trim().split_once(' ').unwrap();
    let (calls, handled): (u64, u64) = (calls.parse().unwrap(), handled.parse().unwrap());
    assert_eq!(seen.row("main").calls, 1);
    assert_eq!(seen.row("main > busy").calls, calls);
    let handlers = seen.profile.regions.iter().filter(|region| region.name == b"handler");
    let counted: u64 = handlers.flat_map(|region| &region.rows).map(|row| row.calls).sum();
    // Each begins a visit, which counts or is lost.
    assert_eq!(counted + seen.profile.lost.visits, handled);
    assert!(seen.notices().is_empty(), "{:?}", seen.notices());
}

#[test]
fn a_crowd_loses_nothing() {
    let room = Room::new("regions-crowd");
    let mut command = run(&room, &["--no-report"], [annotated("regions/crowd.c")]);
    let output = command.output().unwrap();
    let seen = Seen { output, profile: read(&log_path(&room).with_extension("ioprof")) };
    for i in 0..50 {
        let path = format!("main > region {i}");
        let calls = |path: &str| seen.at(path).rows.iter().map(|row| row.calls).sum::<u64>();
        assert_eq!(calls(&path), 800);
        assert_eq!(calls(&format!("{path} > inner")), 800);
        assert_eq!(calls(&format!("{path} > span")), 800);
        let rows = &seen.at(&path).rows;
        assert_eq!(rows.len(), 8);
        let count = Measure::Count { calls: 100, sum: 100 };
        assert!(rows.iter().all(|row| seen.measure(row, "calls") == count));
    }
    let children = &seen.at("main > child > of its own").rows;
    assert_eq!(children.len(), 16);
    assert!(children.iter().all(|row| row.calls == 1 && row.thread == 0));
    assert_eq!(seen.profile.lost, ioglass_profile::Lost::default());
    assert!(seen.notices().is_empty(), "{:?}", seen.notices());
}
