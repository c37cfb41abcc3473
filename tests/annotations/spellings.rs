//! Every spelling in every language: the runtime is told exactly what the program says.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{Way, compiled, have, python_path, run, source};
use crate::support::root;

/// Programs with all spellings of a language, and how to start them.
pub(super) fn all() -> Vec<(&'static str, Command)> {
    let compilers = [
        ("spellings.c", "gcc -std=c99 -O2"),
        ("spellings.cpp", "g++ -std=c++17 -O2"),
        ("paper.cpp", "g++ -std=c++17 -O2"),
        ("spellings.f90", "gfortran -O2"),
    ];
    let compilers = compilers.into_iter().filter(|(_, words)| have(words));
    let mut all: Vec<_> =
        compilers.map(|(name, words)| (name, Command::new(compiled(words, name)))).collect();
    all.push(("spellings.rs", Command::new(rust())));
    if have("python3") {
        all.push(("spellings.py", python("spellings.py")));
    }
    all
}

/// A Python program.
pub(super) fn python(name: &str) -> Command {
    let mut python = Command::new("python3");
    python.arg("-B").arg(source(name)).env("PYTHONPATH", python_path());
    python
}

/// The Rust program, built now.
fn rust() -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    build.current_dir(root()).args(["build", "--quiet", "--package", "ioglass-region"]);
    let status = build.args(["--example", "region_spellings"]).status().unwrap();
    assert!(status.success(), "the example does not build");
    // This test is target/<profile>/deps/it-….
    let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned();
    target.join("debug/examples/region_spellings")
}

/// Compares what the runtime was told with the comment at the end of the source; with
/// `IOGLASS_BLESS` the comment is made anew.
#[track_caller]
fn compare(name: &str, program: &mut Command, way: Way) {
    let (output, calls) = run(program, way);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program:?}: {}\n{errors}", output.status);
    assert_eq!(errors, "", "{program:?}");
    if std::env::var_os("IOGLASS_BLESS").is_some() {
        bless(name, &calls);
    }
    let (_, expected) = parts(name);
    assert!(calls == expected, "{program:?}\n{}", calls.join("\n"));
}

/// The source without the calls that it says it makes, and these.
fn parts(name: &str) -> (String, Vec<String>) {
    let text = fs::read_to_string(source(name)).unwrap();
    let begin = format!("\n{} calls:\n", mark(name));
    let (program, calls) = text.split_once(&begin).unwrap_or((&text, ""));
    let calls = calls.lines().map(|line| line.trim_start_matches(mark(name)).trim_start());
    (program.to_owned(), calls.map(str::to_owned).collect())
}

/// What begins a comment.
fn mark(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap() {
        "py" => "#",
        "f90" => "!",
        _ => "//",
    }
}

fn bless(name: &str, calls: &[String]) {
    let (program, _) = parts(name);
    let mark = mark(name);
    let calls: String = calls.iter().map(|call| format!("{mark} {call}\n")).collect();
    fs::write(source(name), format!("{}\n\n{mark} calls:\n{calls}", program.trim_end())).unwrap();
}

#[test]
fn the_runtime_is_told_what_the_program_says() {
    for (name, mut program) in all() {
        compare(name, &mut program, Way::Preloaded);
    }
}

#[test]
fn a_program_loads_the_runtime_if_asked() {
    for (name, mut program) in all() {
        compare(name, &mut program, Way::Loaded);
    }
}

/// The same calls, whatever compiler, standard and optimisation.
#[test]
fn compilers_agree() {
    let c = ["gcc -std=c99 -O0", "gcc -std=gnu17 -O3", "clang -std=c99 -O0", "clang -std=c11 -O2"];
    let cpp = ["g++ -std=c++17 -O0", "g++ -std=c++20 -O3", "clang++ -std=c++17 -O2"];
    let fortran = ["gfortran -O0", "gfortran -std=f2008 -O3", "gfortran -std=f2018"];
    for (name, compilers) in [
        ("spellings.c", &c[..]),
        ("spellings.cpp", &cpp),
        ("paper.cpp", &cpp),
        ("spellings.f90", &fortran),
    ] {
        for words in compilers.iter().filter(|words| have(words)) {
            compare(name, &mut Command::new(compiled(words, name)), Way::Preloaded);
        }
    }
}
