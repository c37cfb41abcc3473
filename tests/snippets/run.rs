//! The snippets that matter most, run for real.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use ioglass_insight::Language;

use super::{snippet, snippets_with_variables};
use crate::support;

/// `mpirun` with two ranks, on a machine with any number of cores, as any user.
fn mpirun() -> Command {
    let mut command = Command::new("timeout");
    command.args(["60", "mpirun", "-n", "2", "--oversubscribe"]);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
    command
}

fn assert_ran(output: &Output) {
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
}

#[test]
fn c_snippets_do_what_they_say() {
    let folder = support::scratch("snippets-run");
    let program = include_str!("program.c")
        .replace("/* collective write */", &snippet(Language::C, "File_write_at_all(fh, offset,"))
        .replace("/* collective read */", &snippet(Language::C, "read_at_all"))
        .replace("/* one file */", &snippet(Language::C, "MPI_Exscan"))
        .replace(
            "/* buffer writes */",
            &snippet(Language::C, "_IOFBF, 4194304);  // before the first write"),
        )
        .replace("/* alignment */", &snippet(Language::C, "H5Pset_alignment"))
        .replace("/* no fill */", &snippet(Language::C, "H5P_DATASET_CREATE);\nH5Pset_fill_time"));
    let source = folder.join("program.c");
    fs::write(&source, program).unwrap();
    let mut compiler = Command::new("h5pcc");
    compiler.args(["-Wall", "-Werror", "-o", "program", "program.c"]).current_dir(&folder);
    let Ok(output) = compiler.output() else {
        return support::missing("running snippets", Path::new("h5pcc"));
    };
    assert_ran(&output);
    assert_ran(&mpirun().arg("./program").current_dir(&folder).output().unwrap());
}

/// Hands every Python snippet to a script that executes those of its `kind`.
fn run_python(mut command: Command, kind: &str) {
    let folder = support::scratch("snippets-python").join(kind);
    fs::create_dir_all(&folder).unwrap();
    let list = folder.join("snippets.json");
    let all: Vec<String> = snippets_with_variables(Language::Python).into_iter().collect();
    fs::write(&list, serde_json::to_string(&all).unwrap()).unwrap();
    let script = support::root().canonicalize().unwrap().join("tests/snippets/python.py");
    command.arg(script).arg(kind).arg(&list).current_dir(&folder).stdin(Stdio::null());
    assert_ran(&command.output().unwrap());
}

#[test]
fn python_snippets_run() {
    let python = support::root().join("target/peers/bin/python");
    if !python.exists() {
        return support::missing("running Python snippets", &python);
    }
    run_python(Command::new(std::path::absolute(python).unwrap()), "serial");
}

#[test]
fn parallel_python_snippets_run() {
    // Debian's own, which has these modules built for its MPI.
    let python = Path::new("/usr/bin/python3");
    let modules = "import mpi4py, h5py, numpy";
    let check = Command::new(python).args(["-c", modules]).output();
    if !check.is_ok_and(|output| output.status.success()) {
        return support::missing("running parallel Python snippets", Path::new("python3-mpi4py"));
    }
    let mut command = mpirun();
    command.arg(python);
    run_python(command, "mpi");
}
