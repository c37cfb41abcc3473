//! Whether the runtime is found, and what happens if it is not.

use std::fs;
use std::process::Command;

use super::{Way, calls_file, compiled, compiles, have, run, runtime, source, spellings};
use crate::support::scratch;

/// The status of the programs if nobody listens.
const NOBODY: Option<i32> = Some(3);

/// Nothing is printed and nothing is called; the program notices nothing.
#[track_caller]
fn is_off(name: &str, program: &mut Command, way: Way, may_ask: bool) {
    let (output, calls) = run(program, way);
    let nobody = if name == "paper.cpp" { Some(0) } else { NOBODY };
    assert_eq!(output.status.code(), nobody, "{program:?}");
    assert!(output.stderr.is_empty(), "{program:?}");
    let calls: Vec<_> = calls.iter().filter(|call| !may_ask || *call != "0 regions 1").collect();
    assert!(calls.is_empty(), "{program:?}: {calls:?}");
}

#[test]
fn without_a_runtime_nothing_happens() {
    for (name, mut program) in spellings::all() {
        is_off(name, &mut program, Way::Absent, false);
        let missing = scratch("annotations").join("missing.so");
        // A library that is not there, one that is none, and one that is something else.
        for library in [missing.as_os_str(), source("runtime.c").as_os_str(), "libm.so.6".as_ref()]
        {
            program.env("IOGLASS_REGIONS", "on").env("IOGLASS_REGION_LIB", library);
            is_off(name, &mut program, Way::Absent, false);
        }
        // The loader does not find it by its name.
        program.env("IOGLASS_REGION_LIB", "");
        is_off(name, &mut program, Way::Absent, false);
        // A library alone is not enough.
        program.env_remove("IOGLASS_REGIONS").env("IOGLASS_REGION_LIB", runtime());
        is_off(name, &mut program, Way::Absent, false);
        program.env("IOGLASS_REGIONS", "maybe");
        is_off(name, &mut program, Way::Absent, false);
    }
}

#[test]
fn a_runtime_that_is_switched_off_is_not_called() {
    for (name, mut program) in spellings::all() {
        for setting in ["0", "off"] {
            program.env("IOGLASS_REGIONS", setting);
            is_off(name, &mut program, Way::Preloaded, false);
        }
    }
}

#[test]
fn a_runtime_may_refuse() {
    for (name, mut program) in spellings::all() {
        program.env("IOGLASS_TEST_DEAF", "1");
        is_off(name, &mut program, Way::Preloaded, true);
        is_off(name, &mut program, Way::Loaded, true);
    }
}

/// Where the kernel says that the program has more rights than its user, the environment is not
/// read. A library stands in for the kernel.
#[test]
fn a_privileged_program_looks_for_nothing() {
    let secure = scratch("annotations").join("libsecure.so");
    let mut compiler = Command::new("cc");
    compiles(compiler.args(["-shared", "-fPIC", "-o"]).arg(&secure).arg(source("secure.c")));
    for (name, mut program) in spellings::all() {
        let calls = calls_file();
        program.env("IOGLASS_TEST_CALLS", &calls);
        program.env("LD_PRELOAD", format!("{}:{}", secure.display(), runtime().display()));
        program.env("IOGLASS_REGIONS", "1").env("IOGLASS_REGION_LIB", runtime());
        let output = program.output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{name}: {output:?}");
        assert!(!calls.exists(), "{name}: {:?}", fs::read_to_string(calls));
    }
}

/// The loader finds libioglass.so where it looks for libraries.
#[test]
fn the_loader_finds_the_library_by_its_name() {
    let folder = scratch("annotations/by name");
    fs::copy(runtime(), folder.join("libioglass.so")).unwrap();
    for (name, mut program) in spellings::all() {
        program.env("IOGLASS_REGIONS", "1").env("LD_LIBRARY_PATH", &folder);
        let (output, calls) = run(&mut program, Way::Absent);
        assert!(output.status.success(), "{name}: {output:?}");
        assert!(calls.len() > 20, "{name}: {calls:?}");
    }
}

/// The runtime is asked once by all sources that are linked together, in C and C++.
#[test]
fn the_runtime_is_asked_once() {
    let folder = scratch("annotations");
    let mut objects = Vec::new();
    for (compiler, name) in [("gcc", "parts.c"), ("gcc", "more.c"), ("g++", "more.cpp")] {
        let object = folder.join(format!("{name}.o"));
        let mut compiler = Command::new(compiler);
        compiler.arg("-I").arg(super::headers()).arg("-c").arg("-o").arg(&object);
        compiles(compiler.arg(source(name)));
        objects.push(object);
    }
    for flag in ["-O0", "-static-libgcc", "-fsanitize=address"] {
        let program = folder.join(format!("parts{flag}"));
        let mut linker = Command::new("g++");
        compiles(linker.arg(flag).arg("-o").arg(&program).args(&objects));
        let (output, calls) = run(&mut Command::new(program), Way::Loaded);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(calls.iter().filter(|call| call.ends_with("regions 1")).count(), 1, "{calls:?}");
        assert_eq!(calls.iter().filter(|call| call.contains(" enter")).count(), 3, "{calls:?}");
    }
}

/// A static program has no loader, and another C library cannot load ours: both stay as they are.
#[test]
fn static_and_foreign_programs_are_left_alone() {
    let compilers = ["gcc -static -O2", "musl-gcc -O2", "musl-gcc -static", "gcc -static-pie"];
    for words in compilers.into_iter().filter(|words| have(words)) {
        let program = compiled(words, "spellings.c");
        let mut program = Command::new(program);
        is_off("static", &mut program, Way::Absent, false);
        is_off("static", &mut program, Way::Loaded, false);
    }
}
