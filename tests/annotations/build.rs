//! Compilers are content with the headers, and refuse what must not compile.

use std::fs;
use std::process::Command;

use super::{Way, compiled, compiles, have, headers, run, source};
use crate::support::scratch;

const STRICT: [&str; 7] =
    ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Werror"];

#[test]
fn no_compiler_warns() {
    let c = [("gcc", &["c99", "c11", "gnu17"][..]), ("clang", &["c99", "c11", "gnu17"])];
    let cpp = [("g++", &["c++17", "c++20"][..]), ("clang++", &["c++17", "c++20"])];
    let older = [("g++", &["c++11", "c++14"][..]), ("clang++", &["c++11"])];
    let programs = [
        ("spellings.c", &c[..]),
        ("spellings.cpp", &cpp),
        ("paper.cpp", &cpp),
        ("more.cpp", &older),
    ];
    for (name, compilers) in programs {
        for (compiler, standards) in compilers.iter().filter(|(compiler, _)| have(compiler)) {
            for standard in *standards {
                for rest in [&["-O0"][..], &["-O2", "-fPIC"], &["-O2", "-DIOGLASS_NO_REGIONS"]] {
                    let mut compiler = Command::new(compiler);
                    compiler.args(STRICT).arg(format!("-std={standard}")).args(rest);
                    if name.ends_with("cpp") {
                        compiler.arg("-Wold-style-cast");
                    }
                    compiler.args(["-c", "-o", "/dev/null", "-I"]).arg(headers());
                    compiles(compiler.arg(source(name)));
                }
            }
        }
    }
    let fortran = ["-std=f2008", "-std=f2018"];
    for standard in fortran.into_iter().filter(|_| have("gfortran")) {
        let mut compiler = Command::new("gfortran");
        compiler.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", standard, "-c"]);
        compiler.args(["-o", "/dev/null", "-J"]).arg(scratch("annotations/strict"));
        compiles(compiler.arg(headers().join("ioglass.f90")));
    }
}

/// Removed annotations leave neither a call nor a symbol. Names in capital letters are gone even
/// unoptimised, the arguments of functions if the compiler optimises.
#[test]
fn removed_annotations_leave_nothing() {
    for (words, gone) in [
        ("gcc -std=c99 -O0 -DIOGLASS_NO_REGIONS", &["ioglass_", "a region"][..]),
        ("g++ -xc++ -O0 -DIOGLASS_NO_REGIONS", &["ioglass_", "a region"]),
        ("gcc -std=c99 -O1 -DIOGLASS_NO_REGIONS", &["ioglass_", "a region", "a metric"]),
        ("g++ -xc++ -O1 -DIOGLASS_NO_REGIONS", &["ioglass_", "a region", "a metric"]),
    ] {
        let program = compiled(words, "removed.c");
        let bytes = fs::read(&program).unwrap();
        for word in gone {
            let is_in = bytes.windows(word.len()).any(|it| it == word.as_bytes());
            assert!(!is_in, "{words}: {word}");
        }
        let (output, calls) = run(&mut Command::new(program), Way::Preloaded);
        assert!(output.status.success() && calls.is_empty(), "{output:?} {calls:?}");
    }
    let program = compiled("gcc -std=c99 -O2 -DIOGLASS_NO_REGIONS", "spellings.c");
    let (output, calls) = run(&mut Command::new(program), Way::Preloaded);
    assert_eq!((output.status.code(), calls.len()), (Some(3), 0));
}

/// Capital letters take a string literal; everything else does not compile.
#[test]
fn only_literals_are_looked_up_once() {
    let path = scratch("annotations").join("literal.c");
    let attempts = ["IOGLASS_REGION(n);", "IOGLASS_ITERATION(n);", "IOGLASS_ENTER(n);"];
    let more = ["IOGLASS_ENTER_ITERATION(n);", "IOGLASS_LEAVE(n);", "IOGLASS_REGION(\"a\" + 1);"];
    let site = ["static ioglass_site s = IOGLASS_SITE(n); (void)s;", "IOGLASS_REGION(f);"];
    let control = ["IOGLASS_REGION(\"x\");", "ioglass_enter(n);"];
    let all = attempts.iter().chain(&more).chain(&site).map(|it| (it, false));
    for (statement, is_fine) in all.chain(control.iter().map(|it| (it, true))) {
        let code = format!(
            "#include <ioglass.h>\nstatic void f(const char *n) {{ (void)n; {statement} }}\n\
             int main(void) {{ f(\"x\"); return 0; }}\n"
        );
        fs::write(&path, code).unwrap();
        let compilers = ["gcc -std=c99", "clang", "g++ -xc++", "clang++ -xc++"];
        for compiler in compilers.into_iter().filter(|words| have(words)) {
            let mut words = compiler.split(' ');
            let mut command = Command::new(words.next().unwrap());
            command.args(words).arg("-I").arg(headers()).args(["-fsyntax-only"]).arg(&path);
            let output = command.output().unwrap();
            assert_eq!(output.status.success(), is_fine, "{compiler}: {statement} {output:?}");
        }
    }
}
