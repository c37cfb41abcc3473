//! Teams of OpenMP.

use std::path::{Path, PathBuf};
use std::process::Command;

use ioglass_profile::Layer;

use super::seen::{Seen, io, read};
use crate::lifecycle::programs::source;
use crate::lifecycle::recording::{log_path, run};
use crate::lifecycle::room::Room;
use crate::support::{missing, root, scratch};

/// The program, compiled by a compiler with its own runtime; `None` if that is not here.
fn teams(compiler: &str, runtime: &[&str]) -> Option<PathBuf> {
    let program = std::fs::canonicalize(scratch("regions-teams")).unwrap().join(compiler);
    let include = root().join("crates/region/include");
    let mut command = Command::new(compiler);
    command.args(["-O1", "-Wall", "-fopenmp", "-D_GNU_SOURCE"]).arg("-I").arg(include);
    command.arg(source("regions/teams.c")).args(runtime).arg("-o").arg(&program);
    match command.output() {
        Ok(output) if output.status.success() => Some(program),
        _ => {
            missing("teams of OpenMP", Path::new(&format!("OpenMP of {compiler}")));
            None
        }
    }
}

fn check(compiler: &str, nested: &str) {
    let Some(program) = teams(compiler, &[]) else { return };
    let room = Room::new(&format!("regions-teams-{compiler}"));
    let mut command = run(&room, &["--no-report"], [program]);
    command.arg("out").env("OMP_MAX_ACTIVE_LEVELS", "2").env("OMP_SCHEDULE", "dynamic");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, b"4680\n");
    let seen = Seen { output, profile: read(&log_path(&room).with_extension("ioprof")) };
    assert_eq!(
        seen.tree(),
        [
            "after 4",
            "before 4",
            "main 1",
            "main > first 4",
            "main > last 4",
            "main > solve 1",
            "main > solve > dynamic 40",
            "main > solve > guided 40",
            "main > solve > monotonic 40",
            "main > solve > outer 2",
            nested,
            "main > solve > runtime 40",
            "main > solve > section 2",
            "main > solve > static 40",
            "main > solve > task 40",
            "main > solve > work 12",
        ]
    );
    // I/O of a thread counts for the region of its team.
    let written = |path: &str| -> u64 {
        seen.at(path).rows.iter().map(|row| io(&row.io, Layer::Posix)[4]).sum()
    };
    assert_eq!((written("main"), written("main > solve")), (8, 12));
    assert_eq!(io(&seen.profile.outside, Layer::Posix)[4], 8);
    assert!(seen.notices().is_empty(), "{:?}", seen.notices());
    assert_eq!(seen.profile.lost, ioglass_profile::Lost::default());
    let mut threads: Vec<u32> = seen.at("main > first").rows.iter().map(|row| row.thread).collect();
    threads.dedup();
    assert_eq!(threads.len(), 4);
    room.check_nothing_left();
}

#[test]
fn threads_of_gcc_are_below_their_team() {
    check("gcc", "main > solve > outer > inner 4");
}

#[test]
fn threads_of_llvm_are_below_their_team() {
    check("clang", "main > solve > outer > inner 4");
}
