//! The programs in `examples/` are built as their README says, and run with any MPI.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::{Way, run};
use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::support::{ioglass, root, scratch};

/// A program, and regions that it has.
const PROGRAMS: [(&str, &[&str]); 3] = [
    ("fft", &["main", "repeat", "forward", "backward", "transform_rows", "transpose", "exchange"]),
    ("closure", &["main", "load", "iteration", "join", "shuffle", "deduplicate", "fixpoint"]),
    ("writer", &["main", "open", "step", "simulate", "coarsen", "write", "check"]),
];

#[test]
fn examples_build_and_run_with_open_mpi() {
    build_and_run(&OPEN_MPI, "mpicc.openmpi", "mpicxx.openmpi");
}

#[test]
fn examples_build_and_run_with_mpich() {
    build_and_run(&MPICH, "mpicc.mpich", "mpicxx.mpich");
}

fn build_and_run(mpi: &Stack, mpicc: &str, mpicxx: &str) {
    if !mpi.is_here() {
        return;
    }
    let folder = scratch(&format!("annotations-examples-{}", mpi.name));
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(folder.join("bin")).unwrap();
    symlink(ioglass(), folder.join("bin/ioglass")).unwrap();
    for (name, compiler) in [("mpicc", mpicc), ("mpicxx", mpicxx)] {
        symlink(format!("/usr/bin/{compiler}"), folder.join("bin").join(name)).unwrap();
    }
    let examples = root().join("examples");
    for entry in fs::read_dir(&examples).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    // The first block of the README.
    let readme = fs::read_to_string(examples.join("README.md")).unwrap();
    let lines = readme.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.current_dir(&folder).env("PATH", format!("{}/bin:{path}", folder.display()));
    let output = shell.args(["-e", "-c", lines]).output().unwrap();
    assert!(output.status.success(), "{output:?}");

    for (program, regions) in PROGRAMS {
        for ranks in [1, 2, 4] {
            let words = mpi.launcher(ranks);
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]).arg(folder.join(program)).current_dir(&folder);
            let (output, calls) = run(&mut command, Way::Loaded);
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{program} {ranks}: {output:?}");
            assert!(said.starts_with(program), "{program}: {said}");
            let number = |part: &str| calls.iter().filter(|call| call.contains(part)).count();
            assert_eq!(number(" enter"), number(" leave"), "{program}");
            assert_eq!(number("regions 1"), ranks as usize, "{program}");
            let names: BTreeSet<&str> =
                calls.iter().filter_map(|call| call.split('"').nth(1)).collect();
            let lacking: Vec<_> = regions.iter().filter(|name| !names.contains(**name)).collect();
            assert!(lacking.is_empty(), "{program}: {lacking:?} of {names:?}");
        }
    }
}
