//! The library alone: ranks write one log when MPI ends, or else each its own, and nothing is lost.

mod ways;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ioglass_log::Log;

use super::stack::{MPICH, OPEN_MPI, Stack};
use super::{Recorder, check, folder, run};
use crate::record::run::{library, without_settings};
use crate::support::ioglass;

/// A command that starts so many ranks with the library; settings and the program are added to it.
pub(super) fn launch(stack: &Stack, ranks: u32, logs: &Path) -> Command {
    let mut words = stack.launcher(ranks).into_iter();
    let mut command = Command::new(words.next().unwrap());
    without_settings(&mut command);
    command.args(words).args(environment(logs));
    command
}

/// What makes a rank be recorded, in front of the program.
fn environment(logs: &Path) -> [String; 5] {
    let logs = logs.display();
    [
        "env".to_owned(),
        format!("LD_PRELOAD={}", library().display()),
        format!("DARSHAN_LOGPATH={logs}"),
        // What cannot go there goes here.
        format!("HOME={logs}"),
        "XDG_STATE_HOME=".to_owned(),
    ]
}

/// All logs below a directory; those that a killed rank has begun are none.
fn logs_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(logs_in(&path));
        } else if path.extension().is_some_and(|extension| extension == "darshan") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Makes one log of all logs in a directory; a single one stays as it is.
pub(super) fn merge(folder: &Path, log: &Path) {
    let logs = logs_in(folder);
    if let [only] = &logs[..] {
        fs::copy(only, log).unwrap();
        return;
    }
    let _ = fs::remove_file(log);
    let output = Command::new(ioglass()).arg("merge").arg("-o").arg(log).args(logs).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// One rank writes, some do, or each.
const WRITERS: [(u32, Recorder); 3] = [
    (2, Recorder::Library { writers: 1 }),
    (4, Recorder::Library { writers: 2 }),
    (4, Recorder::Library { writers: 4 }),
];

#[test]
fn open_mpi() {
    check(&OPEN_MPI, &WRITERS);
}

#[test]
fn mpich() {
    check(&MPICH, &WRITERS);
}

/// The program is not linked with MPI, but loads it.
#[test]
fn libraries_that_were_loaded_later_are_in_the_log() {
    for stack in [&OPEN_MPI, &MPICH].into_iter().filter(|stack| stack.is_here()) {
        let source = folder().join("lookup.c");
        for ranks in [1, 2] {
            let ran = run(stack, &source, ranks, Recorder::Library { writers: 1 });
            let log = Log::open(&ran.unwrap().unwrap().log).unwrap();
            let table = log.block_section("processes", 1 << 20).unwrap().expect("processes");
            let table = String::from_utf8(table).unwrap();
            let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
            let names = lines.next().unwrap();
            let at = names.iter().position(|name| *name == "libraries").unwrap();
            let libraries: Vec<&str> = lines.map(|line| line[at]).collect();
            let is_known = |line: &&str| line.split(',').any(|library| library == "mpi");
            assert_eq!(
                libraries.iter().filter(|line| is_known(line)).count(),
                ranks as usize,
                "{table}"
            );
        }
    }
}
