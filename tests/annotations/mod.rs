//! Annotated programs in all languages tell the runtime what they should. The runtime here only
//! writes down how it is called (`tests/programs/regions/runtime.c`).

mod build;
mod examples;
mod found;
mod include;
mod life;
mod page;
mod spellings;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::support::{missing, root, scratch};

/// The folder with the headers and the Fortran module.
fn headers() -> PathBuf {
    root().join("crates/region/include")
}

/// The folder with the Python package.
fn python_path() -> PathBuf {
    root().join("crates/region/python")
}

/// A program of these tests.
fn source(name: &str) -> PathBuf {
    root().join("tests/programs/regions").join(name)
}

/// The runtime that writes down its calls.
fn runtime() -> &'static Path {
    static RUNTIME: OnceLock<PathBuf> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let library = scratch("annotations").join("libruntime.so");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"]);
        compiles(compiler.arg(&library).arg(source("runtime.c")));
        library
    })
}

/// Runs a compiler, which must be content.
#[track_caller]
fn compiles(compiler: &mut Command) {
    let output = compiler.output().unwrap_or_else(|error| panic!("{compiler:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{compiler:?}\n{errors}");
}

/// Whether a compiler or interpreter is there, which is the first of these words. If not, that is
/// said.
fn have(words: &str) -> bool {
    let tool = words.split(' ').next().unwrap();
    let is_there = Command::new(tool).arg("--version").output().is_ok();
    if !is_there {
        missing("annotations", Path::new(tool));
    }
    is_there
}

/// A program of these tests, compiled with these words and named after them; once.
#[track_caller]
fn compiled(words: &str, name: &str) -> PathBuf {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let program: String = format!("{name}-{words}").replace(['/', ' '], "_");
    let program = scratch("annotations").join(program);
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if done.contains(&program) {
        return program;
    }
    let mut words = words.split(' ');
    let mut compiler = Command::new(words.next().unwrap());
    compiler.args(words).arg("-I").arg(headers()).arg("-o").arg(&program);
    if name.ends_with(".f90") {
        // Modules land in a folder of their own.
        let modules = scratch("annotations/modules");
        compiler.arg("-J").arg(modules).arg(headers().join("ioglass.f90"));
    }
    // Threads and dlopen need libraries where the C library is old.
    compiles(compiler.arg(source(name)).args(["-pthread", "-ldl"]));
    done.insert(program.clone());
    program
}

/// How a program meets the runtime.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// It is in the process from the start.
    Preloaded,
    /// The program loads it, because the environment says so.
    Loaded,
    /// There is none.
    Absent,
}

/// A file for calls that nobody else uses.
fn calls_file() -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Relaxed);
    let calls = scratch("annotations").join(format!("{number}.calls"));
    // That of an earlier run, if any.
    let _ = fs::remove_file(&calls);
    calls
}

/// Runs a program. Returns what the runtime was told besides, line by line.
fn run(program: &mut Command, way: Way) -> (Output, Vec<String>) {
    let calls = calls_file();
    program.env("IOGLASS_TEST_CALLS", &calls).env_remove("LD_PRELOAD");
    match way {
        Way::Preloaded => program.env("LD_PRELOAD", runtime()),
        Way::Loaded => program.env("IOGLASS_REGIONS", "1").env("IOGLASS_REGION_LIB", runtime()),
        Way::Absent => program,
    };
    let output = program.output().unwrap_or_else(|error| panic!("{program:?}: {error}"));
    let calls = fs::read_to_string(calls).unwrap_or_default();
    (output, calls.lines().map(str::to_owned).collect())
}
