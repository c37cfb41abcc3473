//! Ranks without a command write one profile together: when MPI ends, and when they are asked to.

use std::ffi::OsString;
use std::fs;
use std::process::Output;

use ioglass_profile::{Ending, Profile, RankKind, Set, State};

use super::seen::{read, tree};
use crate::lifecycle::programs::source;
use crate::lifecycle::room::Room;
use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::record::run::{library, without_settings};
use crate::support::ioglass;

/// How the program gets the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Preloaded,
    /// By itself.
    Loaded,
}

const RANKS: u32 = 3;

/// Starts ranks of a program, with a profile in `p.ioprof`.
fn start(
    room: &Room,
    stack: &Stack,
    way: Way,
    variables: &[(&str, &str)],
    program: &str,
    words: &[&str],
) -> Output {
    let launcher = stack.launcher(RANKS);
    let mut command = room.command(&launcher[0]);
    without_settings(&mut command);
    command.args(&launcher[1..]).arg("env");
    let variable = match way {
        Way::Preloaded => "LD_PRELOAD",
        Way::Loaded => "IOGLASS_REGION_LIB",
    };
    let mut set = OsString::from(format!("{variable}="));
    set.push(library());
    command.arg(set).args(["IOGLASS_REGIONS=1", "IOGLASS_PROFILE=p.ioprof", "DARSHAN_LOGPATH=."]);
    command.args(variables.iter().map(|(name, value)| format!("{name}={value}")));
    command.args(stack.program(&source(program)).unwrap()).args(words);
    command.output().unwrap()
}

fn stacks() -> impl Iterator<Item = &'static Stack> {
    [&OPEN_MPI, &MPICH].into_iter().filter(|stack| stack.is_here())
}

/// The profile in one file or several.
fn whole(room: &Room) -> Profile {
    let (sets, errors) = Set::open(&[room.folder.join("p.ioprof")]);
    assert!(errors.is_empty() && sets.len() == 1, "{errors:?}");
    let problems = sets[0].take_problems();
    assert!(problems.is_empty(), "{problems:?}");
    sets[0].whole()
}

/// The profiles in the directory, by name.
fn files(room: &Room) -> Vec<String> {
    let entries = fs::read_dir(&room.folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.contains(".ioprof")).collect();
    names.sort();
    names
}

/// What each rank has printed about its flushes, in its order.
fn results(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_told = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
    let mut lines: Vec<_> = text.lines().filter(is_told).map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn at_the_end_of_mpi() {
    for stack in stacks() {
        for way in [Way::Preloaded, Way::Loaded] {
            let room = Room::new(&format!("regions-together-{}-{way:?}", stack.name));
            let output = start(&room, stack, way, &[], "regions/ranks.c", &[]);
            assert!(output.status.success(), "{output:?}");
            let profile = read(&room.folder.join("p.ioprof"));
            let head = &profile.head;
            assert_eq!((head.ranks, head.rank_kind), (RANKS, RankKind::Mpi));
            assert_eq!((head.state, head.has_io), (State::Complete, way == Way::Preloaded));
            assert_eq!(
                tree(&profile, |_| true),
                ["main 3 +3", "main > alone 1", "main > dump 3", "main > step 9"],
                "{} {way:?}",
                stack.name
            );
            let steps = profile.regions.iter().find(|region| region.name == b"step").unwrap();
            let rank = |process: u32| profile.processes[process as usize].rank;
            let steps: Vec<_> =
                steps.rows.iter().map(|row| (rank(row.process), row.calls)).collect();
            assert_eq!(steps, [(0, 2), (1, 3), (2, 4)]);
            // After the end of MPI each rank is on its own.
            assert_eq!(
                files(&room),
                ["p.ioprof", "p_rest-0.ioprof", "p_rest-1.ioprof", "p_rest-2.ioprof"]
            );
            for rank in 0..RANKS {
                let rest = read(&room.folder.join(format!("p_rest-{rank}.ioprof")));
                assert_eq!(tree(&rest, |_| true), ["after 1"]);
                assert_eq!(rest.processes[0].rank, rank);
            }
            room.check_nothing_left();
        }
    }
}

#[test]
fn in_several_files() {
    if !OPEN_MPI.is_here() {
        return;
    }
    let one: &[&str] = &["p.ioprof"];
    let two: &[&str] = &["p.0.ioprof", "p.1.ioprof", "p.ioprof"];
    let three: &[&str] = &["p.0.ioprof", "p.1.ioprof", "p.2.ioprof", "p.ioprof"];
    for (wanted, made) in [("1", one), ("2", two), ("3", three), ("99", three), ("0", one)] {
        let room = Room::new(&format!("regions-together-{wanted}"));
        let variables = [("IOGLASS_PROFILE_FILES", wanted), ("DARSHAN_DISABLE", "1")];
        let output =
            start(&room, &OPEN_MPI, Way::Preloaded, &variables, "regions/flush.c", &["once"]);
        assert_eq!(results(&output), ["0: 0", "1: 0", "2: 0"], "{output:?}");
        assert_eq!(files(&room), made, "{wanted}");
        let profile = whole(&room);
        assert_eq!((profile.head.ranks, profile.head.state), (RANKS, State::Complete));
        assert_eq!(tree(&profile, |_| true), ["main 3", "main > step 9"], "{wanted}");
        let ranks: Vec<_> = profile.processes.iter().map(|process| process.rank).collect();
        assert_eq!(ranks, [0, 1, 2], "{wanted}");
        room.check_nothing_left();
    }
}

#[test]
fn when_asked_any_number_of_times() {
    for stack in stacks() {
        for (way, words) in [(Way::Preloaded, "twice"), (Way::Loaded, "twice")] {
            let room = Room::new(&format!("regions-flush-{}-{way:?}", stack.name));
            let output = start(&room, stack, way, &[], "regions/flush.c", &[words]);
            assert!(output.status.success(), "{output:?}");
            assert_eq!(results(&output), ["0: 0", "0: 0", "1: 0", "1: 0", "2: 0", "2: 0"]);
            assert_eq!(files(&room), ["p.ioprof"]);
            let profile = read(&room.folder.join("p.ioprof"));
            assert_eq!(
                tree(&profile, |_| true),
                ["main 3", "main > second 3", "main > step 9"],
                "{} {way:?}",
                stack.name
            );
            assert!(profile.overhead.flush_ns > 0);
            room.check_nothing_left();
        }
    }
}

#[test]
fn a_flush_outlives_the_ranks() {
    for stack in stacks() {
        let room = Room::new(&format!("regions-flush-killed-{}", stack.name));
        let output = start(&room, stack, Way::Preloaded, &[], "regions/flush.c", &["killed"]);
        assert!(!output.status.success());
        assert_eq!(results(&output), ["0: 0", "0: 0", "1: 0", "1: 0", "2: 0", "2: 0"]);
        let profile = read(&room.folder.join("p.ioprof"));
        assert_eq!(profile.head.state, State::Running);
        assert!(profile.processes.iter().all(|process| process.ending == Ending::Running));
        assert_eq!(
            tree(&profile, |_| true),
            ["main 3 +3", "main > second 3", "main > step 9"],
            "{}",
            stack.name
        );
    }
}

#[test]
fn what_killed_ranks_leave_reads_as_one() {
    for stack in stacks() {
        let room = Room::new(&format!("regions-killed-ranks-{}", stack.name));
        start(&room, stack, Way::Preloaded, &[], "regions/flush.c", &["killed"]);
        fs::remove_file(room.folder.join("p.ioprof")).unwrap();
        let recover = room.command(ioglass()).arg("recover").output().unwrap();
        assert!(recover.status.success(), "{recover:?}");
        let files: Vec<_> = files(&room).iter().map(|name| room.folder.join(name)).collect();
        assert_eq!(files.len() as u32, RANKS, "{files:?}");
        let (sets, errors) = Set::open(&files);
        assert!(errors.is_empty() && sets.len() == 1, "{errors:?} {files:?} {}", sets.len());
        let whole = sets[0].whole();
        let ranks: Vec<u32> = whole.processes.iter().map(|process| process.rank).collect();
        assert_eq!((ranks, whole.head.state), (vec![0, 1, 2], State::Recovered));
        let expected = ["main 3 +3", "main > second 3", "main > step 9"];
        assert_eq!(tree(&whole, |_| true), expected, "{}", stack.name);
        room.check_nothing_left();
    }
}

#[test]
fn from_any_thread() {
    for stack in stacks() {
        for words in ["thread", "multiple"] {
            let room = Room::new(&format!("regions-flush-{words}-{}", stack.name));
            let output = start(&room, stack, Way::Preloaded, &[], "regions/flush.c", &[words]);
            assert_eq!(results(&output), ["0: 0", "1: 0", "2: 0"], "{output:?}");
            let profile = read(&room.folder.join("p.ioprof"));
            assert_eq!(tree(&profile, |_| true), ["main 3", "main > step 9", "worker 3"]);
            room.check_nothing_left();
        }
    }
}

/// A rank does not come: the others write what they have, each for itself, and get `ETIMEDOUT`. What
/// is there at the end has all of it, in one file or in one for each rank that waited in vain.
#[test]
fn a_rank_is_missing() {
    for stack in stacks() {
        let room = Room::new(&format!("regions-flush-missing-{}", stack.name));
        let variables = [("IOGLASS_MPI_TIMEOUT", "1")];
        let words = &["missing"];
        let output = start(&room, stack, Way::Preloaded, &variables, "regions/flush.c", words);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(results(&output), ["0: 110", "2: 110"]);
        let files: Vec<_> = files(&room).iter().map(|name| room.folder.join(name)).collect();
        let (sets, errors) = Set::open(&files);
        assert!(errors.is_empty() && sets.len() == 1, "{errors:?} {files:?}");
        assert_eq!(
            tree(&sets[0].whole(), |_| true),
            ["main 3", "main > step 9"],
            "{} {files:?}",
            stack.name
        );
        room.check_nothing_left();
    }
}

/// A rank that is never annotated, and does not load the library: the others write one profile.
#[test]
fn a_rank_is_not_annotated() {
    for (stack, way) in stacks().flat_map(|stack| [(stack, Way::Loaded), (stack, Way::Preloaded)]) {
        for count in ["1", "3"] {
            let room = Room::new(&format!("regions-absent-{}-{way:?}-{count}", stack.name));
            let variables = [("IOGLASS_PROFILE_FILES", count)];
            let output = start(&room, stack, way, &variables, "regions/flush.c", &["absent"]);
            assert!(output.status.success(), "{output:?}");
            let parts: &[&str] = match count {
                "1" => &["p.ioprof"],
                _ => &["p.0.ioprof", "p.1.ioprof", "p.2.ioprof", "p.ioprof"],
            };
            assert_eq!(files(&room), parts, "{} {way:?}", stack.name);
            let profile = whole(&room);
            assert_eq!((profile.head.ranks, profile.head.state), (3, State::Complete));
            assert_eq!(tree(&profile, |_| true), ["main 2", "main > step 6"]);
            room.check_nothing_left();
        }
    }
}

/// A rank ends MPI while the others want a profile: they meet again when they end it.
#[test]
fn a_rank_ends_mpi_meanwhile() {
    for stack in stacks() {
        let room = Room::new(&format!("regions-flush-ends-{}", stack.name));
        let output = start(&room, stack, Way::Preloaded, &[], "regions/flush.c", &["ends"]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(results(&output), ["0: 110", "2: 110"]);
        assert_eq!(files(&room), ["p.ioprof"]);
        let profile = read(&room.folder.join("p.ioprof"));
        assert_eq!(profile.head.state, State::Complete);
        assert_eq!(tree(&profile, |_| true), ["main 3", "main > step 9"], "{}", stack.name);
        room.check_nothing_left();
    }
}

/// Under a command, which writes the profile of all its processes.
#[test]
fn when_a_command_runs_them() {
    for stack in stacks() {
        for is_inside in [false, true] {
            let room = Room::new(&format!("regions-flush-run-{}-{is_inside}", stack.name));
            let launcher = stack.launcher(RANKS);
            let run = ["run", "--no-report", "-o", "p.darshan", "--"].map(OsString::from);
            let run = [ioglass().as_os_str().to_owned()].into_iter().chain(run);
            let mut words: Vec<OsString> = match is_inside {
                false => run.chain(launcher).collect(),
                true => launcher.into_iter().chain(run).collect(),
            };
            words.extend(stack.program(&source("regions/flush.c")).unwrap());
            let mut command = room.command(&words[0]);
            without_settings(&mut command);
            let output = command.args(&words[1..]).args(["twice", "p.ioprof"]).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            assert_eq!(
                results(&output),
                ["0: 0", "0: 0", "1: 0", "1: 0", "2: 0", "2: 0"],
                "{} {is_inside}",
                stack.name
            );
            assert_eq!(files(&room), ["p.ioprof"]);
            let profile = read(&room.folder.join("p.ioprof"));
            assert_eq!(profile.head.state, State::Complete);
            assert_eq!(
                tree(&profile, |_| true),
                ["main 3", "main > second 3", "main > step 9"],
                "{} {is_inside}",
                stack.name
            );
            room.check_nothing_left();
        }
    }
}

/// Ranks that believe to be on several nodes send what they have through MPI. Here the launcher's
/// variable says so; they are on one.
#[test]
fn over_several_nodes() {
    for (stack, variable) in
        [(&OPEN_MPI, "OMPI_COMM_WORLD_LOCAL_SIZE"), (&MPICH, "MPI_LOCALNRANKS")]
    {
        if !stack.is_here() {
            continue;
        }
        for (number, made) in [("1", 1), ("2", 3)] {
            let room = Room::new(&format!("regions-nodes-{}-{number}", stack.name));
            let variables = [(variable, "1"), ("IOGLASS_PROFILE_FILES", number)];
            let words = &["twice"];
            let output = start(&room, stack, Way::Preloaded, &variables, "regions/flush.c", words);
            assert!(output.status.success(), "{output:?}");
            assert_eq!(results(&output), ["0: 0", "0: 0", "1: 0", "1: 0", "2: 0", "2: 0"]);
            assert_eq!(files(&room).len(), made, "{:?}", files(&room));
            let profile = whole(&room);
            assert_eq!((profile.head.ranks, profile.head.state), (RANKS, State::Complete));
            assert_eq!(
                tree(&profile, |_| true),
                ["main 3", "main > second 3", "main > step 9"],
                "{}",
                stack.name
            );
            room.check_nothing_left();
            // A thread that may not call MPI is on its own.
            let words = &["thread"];
            let output = start(&room, stack, Way::Preloaded, &variables, "regions/flush.c", words);
            assert_eq!(results(&output), ["0: 1", "1: 1", "2: 1"], "{output:?}");
        }
    }
}
