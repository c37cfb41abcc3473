//! Ranks of MPI.

use std::ffi::OsString;
use std::process::Command;

use ioglass_profile::{Ending, Layer, RankKind};

use super::seen::{Seen, io, read};
use crate::lifecycle::programs::source;
use crate::lifecycle::recording::{log_path, run};
use crate::lifecycle::room::Room;
use crate::mpi::stack::{OPEN_MPI, Stack};
use crate::support::ioglass;

/// Where the command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Outside,
    Inside,
}

fn see(room: &Room, stack: &Stack, way: Way, words: &[&str]) -> Seen {
    see_with(room, stack, way, &["--no-report"], words)
}

fn see_with(room: &Room, stack: &Stack, way: Way, options: &[&str], words: &[&str]) -> Seen {
    let program = stack.program(&source("regions/ranks.c")).unwrap();
    let words = program.into_iter().chain(words.iter().map(OsString::from));
    let output = command(room, stack, way, 3, options, words).output().unwrap();
    Seen { output, profile: read(&log_path(room).with_extension("ioprof")) }
}

/// The command that records ranks of a program.
pub(super) fn command(
    room: &Room,
    stack: &Stack,
    way: Way,
    ranks: u32,
    options: &[&str],
    words: impl Iterator<Item = OsString>,
) -> Command {
    let launcher = stack.launcher(ranks);
    match way {
        Way::Outside => run(room, options, launcher.into_iter().chain(words)),
        Way::Inside => {
            let mut command = room.command(&launcher[0]);
            command.args(&launcher[1..]).arg(ioglass()).arg("run").args(options).arg("-o");
            command.arg(log_path(room)).arg("--").args(words);
            command
        }
    }
}

#[test]
fn ranks_have_what_they_were_in() {
    if !OPEN_MPI.is_here() {
        return;
    }
    for way in [Way::Outside, Way::Inside] {
        let room = Room::new("regions-ranks");
        let seen = see(&room, &OPEN_MPI, way, &[]);
        assert!(seen.output.status.success(), "{way:?}");
        assert_eq!(
            seen.tree(),
            ["after 3", "main 3", "main > alone 1", "main > dump 3", "main > step 9"],
            "{way:?}"
        );
        let head = &seen.profile.head;
        assert_eq!((head.ranks, head.rank_kind), (3, RankKind::Mpi));
        let rank = |process: u32| seen.profile.processes[process as usize].rank;
        let steps: Vec<_> =
            seen.at("main > step").rows.iter().map(|row| (rank(row.process), row.calls)).collect();
        assert_eq!(steps, [(0, 2), (1, 3), (2, 4)]);
        for row in &seen.at("main > dump").rows {
            assert_eq!(io(&row.io, Layer::Mpiio), [0, 0, 1, 0, 10, 0]);
        }
        for row in &seen.at("main").rows {
            assert_eq!(io(&row.io, Layer::Mpiio)[0], 1);
        }
        room.check_nothing_left();
    }
}

#[test]
fn a_rank_that_was_killed_is_there() {
    if !OPEN_MPI.is_here() {
        return;
    }
    let room = Room::new("regions-killed-rank");
    let seen = see(&room, &OPEN_MPI, Way::Outside, &["kill"]);
    assert!(!seen.output.status.success());
    assert_eq!(seen.tree()[3], "main > end 3 +3");
    let of_rank = |rank: u32| {
        let process = seen.profile.processes.iter().position(|process| process.rank == rank);
        let process = process.unwrap();
        let rows = &seen.at("main > end").rows;
        let row = rows.iter().find(|row| row.process == process as u32).unwrap();
        (seen.profile.processes[process].ending, row.time_ns)
    };
    let (ending, time) = of_rank(1);
    assert_eq!(ending, Ending::Killed);
    assert!(time >= 20_000_000, "{time}");
    room.check_nothing_left();
}

#[test]
fn ranks_need_no_recorder() {
    if !OPEN_MPI.is_here() {
        return;
    }
    for way in [Way::Outside, Way::Inside] {
        let room = Room::new("regions-ranks-alone");
        let seen = see_with(&room, &OPEN_MPI, way, &["--no-record"], &[]);
        assert!(seen.output.status.success(), "{way:?}");
        let head = &seen.profile.head;
        assert_eq!((head.ranks, head.rank_kind, head.has_io), (3, RankKind::Mpi, false), "{way:?}");
        assert_eq!(seen.tree()[4], "main > step 9");
        assert!(!log_path(&room).exists());
        room.check_nothing_left();
    }
}
