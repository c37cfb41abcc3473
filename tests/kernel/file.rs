//! The files of kernels, read by h5py.

use std::path::Path;
use std::process::Command;

use super::{SMALL, folder, outcome, stacks, words};
use crate::peer;
use crate::support::{missing, root};

#[test]
fn h5py_reads_the_same_data_from_every_stack() {
    let Some(python) = peer::python() else { return };
    let has_it = Command::new(&python).args(["-c", "import h5py"]).status().unwrap().success();
    if !has_it {
        return missing("h5py beside PyDarshan", &python);
    }
    let mut folders = Vec::new();
    for stack in stacks() {
        let folder = folder("files", stack);
        // Blocks depend on the ranks; particles and cells do not.
        let ranks = if stack.is_some() { 2 } else { 1 };
        let particles = (2000 / ranks).to_string();
        let vpic = ["vpic", "--particles", &particles, "--steps", "2"];
        for kernel in [&vpic[..], SMALL[2]] {
            outcome(&words(stack, ranks, &[kernel, &["--json"]].concat()), &folder);
        }
        let chunked = ["--chunk", "1,13,100", "--file", "chunked.h5", "--json"];
        outcome(&words(stack, ranks, &[SMALL[2], &chunked].concat()), &folder);
        if stack.is_some() {
            outcome(&words(stack, ranks, &[SMALL[1], &["--json"]].concat()), &folder);
        }
        folders.push(folder);
    }
    if folders.is_empty() {
        return;
    }
    let script = Path::new(&root()).join("tests/programs/kernel/read.py");
    let output = Command::new(python).arg(script).args(&folders).output().unwrap();
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{problem}");
}
