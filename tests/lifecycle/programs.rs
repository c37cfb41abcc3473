//! The small programs of `tests/programs`, compiled when a test first asks for them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::support::scratch;

/// What was compiled in this run, by output name.
static COMPILED: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());

/// Where the source `name` is, such as `life/ends.c`.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(name)
}

/// The program of the source `name`.
pub(crate) fn program(name: &str) -> PathBuf {
    compile(name, &[])
}

/// The program of the source `name`, compiled with `flags` besides the usual ones.
pub(crate) fn compile(name: &str, flags: &[&str]) -> PathBuf {
    let source = source(name);
    let output = format!("{}{}", name.replace(['/', '.'], "-"), flags.join("").replace('/', "-"));
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(program) = compiled.get(&output) {
        return program.clone();
    }
    let program = fs::canonicalize(scratch("life-programs")).unwrap().join(&output);
    let compiler = if name.ends_with(".cpp") { "g++" } else { "gcc" };
    let mut command = Command::new(compiler);
    command.args(["-O1", "-g", "-Wall", "-Werror", "-D_GNU_SOURCE", "-pthread"]).arg(&source);
    command.args(flags).arg("-o").arg(&program);
    let status = command.status().unwrap_or_else(|problem| panic!("{compiler}: {problem}"));
    assert!(status.success(), "{compiler} {}", source.display());
    compiled.insert(output, program.clone());
    program
}

/// The Python that runs our scripts, not a shim that starts other programs first.
pub(crate) fn python() -> PathBuf {
    let peers = crate::support::root().join("target/peers/bin/python");
    if peers.exists() {
        return peers;
    }
    let ask = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    PathBuf::from(String::from_utf8(ask.expect("python3").stdout).unwrap().trim_end())
}
