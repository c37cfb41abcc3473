//! The programs of `docs/regions.md` compile, run and say what they should. Those in Rust are tests
//! of the crate's documentation.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Way, compiles, have, headers, python_path, run};
use crate::support::{root, scratch};

/// The blocks of code of the page in a language.
fn blocks(language: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/regions.md")).unwrap();
    let begin = format!("```{language}\n");
    let blocks = page.split(&begin).skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

/// Runs a program, which must enter regions and leave each.
#[track_caller]
fn is_told(program: &mut Command) {
    let (output, calls) = run(program, Way::Preloaded);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let number = |part: &str| calls.iter().filter(|call| call.contains(part)).count();
    assert!(number(" enter") > 1, "{calls:?}");
    assert_eq!(number(" enter"), number(" leave"), "{calls:?}");
}

#[track_caller]
fn compiled(compiler: &str, source: &Path, more: &[&str]) -> Command {
    let program = source.with_extension("");
    let mut words = compiler.split(' ');
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args(["-Wall", "-Wextra", "-Werror", "-O2", "-pthread", "-I"]);
    command.arg(headers()).arg("-o").arg(&program);
    if compiler.starts_with("gfortran") {
        command.arg("-J").arg(source.parent().unwrap()).arg(headers().join("ioglass.f90"));
    }
    compiles(command.arg(source).args(more).arg("-ldl"));
    Command::new(program)
}

#[test]
fn examples_of_the_page_work() {
    let folder = scratch("annotations/page");
    let languages = [
        ("c", "gcc -std=c99", "c", 1),
        ("cpp", "g++ -std=c++17", "cpp", 3),
        ("fortran", "gfortran -std=f2008", "f90", 1),
    ];
    for (language, compiler, ending, number) in languages {
        let blocks = blocks(language);
        assert_eq!(blocks.len(), number, "{language}");
        for (at, block) in blocks.iter().enumerate().filter(|_| have(compiler)) {
            let source = folder.join(format!("{language}{at}.{ending}"));
            fs::write(&source, block).unwrap();
            is_told(&mut compiled(compiler, &source, &["-lm"]));
        }
    }
    for block in blocks("python").iter().filter(|_| have("python3")) {
        let source = folder.join("page.py");
        fs::write(&source, block).unwrap();
        is_told(Command::new("python3").arg("-B").arg(source).env("PYTHONPATH", python_path()));
    }
    assert_eq!(blocks("rust").len(), 1);
}
