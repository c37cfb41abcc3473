//! `ioglass region`: phases of a job script.

use ioglass_profile::{Layer, RankKind};

use super::seen::{Seen, annotated, io, read};
use crate::lifecycle::programs::source;
use crate::lifecycle::recording::{log_path, run};
use crate::lifecycle::room::Room;
use crate::mpi::stack::OPEN_MPI;
use crate::support::ioglass;

/// Runs a script in which `$R` is `ioglass region` and `$P` the annotated program.
fn see(room: &Room, options: &[&str], variables: &[(&str, &str)], script: &str) -> Seen {
    let mut all = vec!["--no-report"];
    all.extend_from_slice(options);
    let mut command = run(room, &all, ["sh", "-c", script]);
    command.env("R", format!("{} region", ioglass().display()));
    command.env("P", annotated("regions/phase.c"));
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    Seen { output, profile: read(&log_path(room).with_extension("ioprof")) }
}

/// Bytes that were written in a region, by all processes and threads.
fn written(seen: &Seen, path: &str) -> u64 {
    seen.at(path).rows.iter().map(|row| io(&row.io, Layer::Posix)[4]).sum()
}

#[test]
fn a_phase_has_all_that_its_program_does() {
    let room = Room::new("regions-phase");
    let seen = see(&room, &[], &[], "$R solve -- $P out 3; test $? = 3 && $P out");
    assert!(seen.output.status.success(), "{:?}", seen.output);
    assert_eq!(
        seen.tree(),
        ["main 2", "solve 1", "solve > main 2", "solve > threaded 1", "threaded 1"]
    );
    // In no region of its own: before, in a thread, and in a child.
    assert_eq!(written(&seen, "solve"), 1 + 2 + 16);
    assert_eq!(written(&seen, "solve > main"), 16);
    assert_eq!(written(&seen, "solve > threaded"), 4);
    assert_eq!(io(&seen.profile.outside, Layer::Posix)[4], 1 + 2 + 16);
    // The program begins again in the phase, too.
    let executions = seen.at("solve > main").rows.iter().map(|row| row.execution);
    assert_eq!(executions.collect::<Vec<_>>(), [0, 1]);
    assert!(seen.notices().is_empty(), "{:?}", seen.notices());
    assert!(seen.profile.head.name.starts_with(b"regions-phase-c"), "{:?}", seen.profile.head);
    room.check_nothing_left();
}

#[test]
fn a_process_without_a_rank_counts_for_that_of_its_phase() {
    let room = Room::new("regions-phase-rank");
    let script = "$P out; $R looks -- sh -c 'test -e nothing; exit 0'";
    let seen = see(&room, &[], &[], script);
    assert!(seen.output.status.success(), "{:?}", seen.output);
    // The phase itself, and the shell in it, which opens no file.
    let rows = &seen.at("looks").rows;
    assert_eq!(rows.len(), 2, "{rows:?}");
    let rank = |process: u32| seen.profile.processes[process as usize].rank;
    let of_program: Vec<u32> = seen.at("main").rows.iter().map(|row| rank(row.process)).collect();
    let of_phase: Vec<u32> = rows.iter().map(|row| rank(row.process)).collect();
    assert_eq!(of_phase[0], of_phase[1]);
    assert!(!of_program.contains(&of_phase[0]), "{of_program:?} {of_phase:?}");
}

#[test]
fn phases_nest_and_have_any_name() {
    let room = Room::new("regions-phases");
    let script = r"$R 'a/b\' -- sh -c '$R in -- $P out; $R in -- $R in -- $P out'";
    let seen = see(&room, &[], &[], script);
    let phase = r"a/b\";
    assert_eq!(
        seen.tree(),
        [
            format!("{phase} 1"),
            format!("{phase} > in 3"),
            format!("{phase} > in > main 4"),
            format!("{phase} > in > threaded 2"),
        ]
    );
    assert_eq!(written(&seen, &format!("{phase} > in")), 2 * 19);
    assert_eq!(io(&seen.profile.outside, Layer::Posix)[4], 0);
    assert!(seen.notices().is_empty(), "{:?}", seen.notices());
}

#[test]
fn a_phase_ends_as_its_program_does() {
    let room = Room::new("regions-phase-ends");
    let not_a_program = room.folder.join("text");
    std::fs::write(&not_a_program, "text").unwrap();
    for (words, status) in [
        (&["true"][..], 0),
        (&["sh", "-c", "exit 7"], 7),
        (&["sh", "-c", "kill -9 $$"], 137),
        (&["./nothing-here"], 127),
        (&["./text"], 126),
    ] {
        // Without `run` it only runs the program.
        let mut plain = room.command(ioglass());
        let output = plain.args(["region", "x", "--"]).args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{words:?}");
        let mut command = run(&room, &["--no-report"], [ioglass().as_os_str()]);
        let output = command.args(["region", "x", "--"]).args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{words:?}");
        let seen = Seen { output, profile: read(&log_path(&room).with_extension("ioprof")) };
        assert_eq!(seen.tree(), ["x 1"], "{words:?}");
    }
    let path = "echo \"<$IOGLASS_REGION_PATH>\"";
    let plain = room.command(ioglass()).args(["region", "x", "--", "sh", "-c", path]).output();
    assert_eq!(plain.unwrap().stdout, b"<>\n");
    room.check_nothing_left();
}

#[test]
fn a_path_from_outside_is_not_trusted() {
    let room = Room::new("regions-phase-path");
    let variables = [("IOGLASS_REGION_PATH", "a//b")];
    let seen = see(&room, &[], &variables, "$P out");
    assert_eq!(seen.tree(), ["main 2", "threaded 1"]);
    assert!(seen.notices()[0].starts_with("setting IOGLASS_REGION_PATH in -"));
    let long = format!("{}/{}", "x".repeat(1100), "y/".repeat(4000) + "z");
    let seen = see(&room, &[], &[("IOGLASS_REGION_PATH", &long)], "$P out");
    assert!(seen.notices()[0].starts_with("setting IOGLASS_REGION_PATH in -"));
    // The name is cut, and names that repeat fold.
    let path = format!("{} > y", "x".repeat(1023));
    assert_eq!(written(&seen, &path), 19);
    assert!(seen.profile.lost.names > 0);
}

#[test]
fn ranks_are_below_the_phase() {
    if !OPEN_MPI.is_here() {
        return;
    }
    let room = Room::new("regions-phase-ranks");
    let program = OPEN_MPI.program(&source("regions/ranks.c")).unwrap();
    let words = OPEN_MPI.launcher(3).into_iter().chain(program);
    let mut command = run(&room, &["--no-report"], [ioglass().as_os_str()]);
    command.args(["region", "solve", "--"]).args(words);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let seen = Seen { output, profile: read(&log_path(&room).with_extension("ioprof")) };
    let tree = seen.tree();
    assert!(tree.contains(&"solve 1".to_owned()), "{tree:?}");
    assert!(tree.contains(&"solve > main > step 9".to_owned()), "{tree:?}");
    assert!(tree.iter().all(|line| line.starts_with("solve")), "{tree:?}");
    let head = &seen.profile.head;
    assert_eq!((head.ranks, head.rank_kind), (3, RankKind::Mpi));
    assert_eq!(seen.profile.processes.iter().filter(|p| p.rank == 1).count(), 1);
    room.check_nothing_left();
}
