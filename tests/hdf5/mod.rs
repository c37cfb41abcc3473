//! HDF5 and PnetCDF: programs in C and Python do known I/O, and the log says so, counter by counter.
//! Each program states at its top what its records hold; see `expect`.

mod expect;
pub(crate) mod programs;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use programs::Program;

use crate::record::run::{Mode, finish, library, under, without_settings};
use crate::record::seen;
use crate::support::scratch;

/// A program that ran.
struct Ran {
    label: String,
    folder: PathBuf,
    log: PathBuf,
    ranks: u32,
}

/// Runs a program with `ranks` ranks, or without MPI if it is not for ranks.
fn run(program: &Program, ranks: u32, mode: Mode) -> Ran {
    let place = scratch("hdf5").canonicalize().unwrap();
    let label = format!("{}-{ranks}-{mode:?}", program.name.replace('.', "-"));
    let (folder, log) = (place.join(&label), place.join(format!("{label}.darshan")));
    let _ = (fs::remove_dir_all(&folder), fs::remove_file(&log));
    fs::create_dir_all(&folder).unwrap();
    let mut command = under(mode, &log);
    command.args(program.started_with(ranks)).arg(&folder).current_dir(&place);
    let problems = place.join(format!("{label}.stderr"));
    command.stderr(fs::File::create(&problems).unwrap());
    let told = || fs::read_to_string(&problems).unwrap();
    match finish(command) {
        Ok(status) if status.success() => Ran { label, folder, log, ranks },
        Ok(status) => panic!("{label}: {status}: {}", told()),
        Err(problem) => panic!("{label}: {problem}: {}", told()),
    }
}

/// Runs a program in all ways that make sense for it and reports every difference.
fn check(name: &str) {
    let Some(program) = programs::find(name) else { return };
    let ways: &[(u32, Mode)] = match program.is_for_ranks() {
        true => &[(2, Mode::Run), (4, Mode::Run)],
        // Alone, the library writes a log for each process that Python starts.
        false if name.ends_with(".py") => &[(1, Mode::Run)],
        false => &[(1, Mode::Run), (1, Mode::Library)],
    };
    let runs: Vec<_> = ways.iter().map(|(ranks, mode)| run(&program, *ranks, *mode)).collect();
    let lines = expect::read(&program.source);
    let logs: Vec<_> = runs.iter().map(|ran| ran.log.clone()).collect();
    let mut wrong = Vec::new();
    for (ran, seen) in runs.iter().zip(seen::read(&logs)) {
        let differences = match seen {
            Ok(seen) => expect::differences(&lines, &ran.folder, ran.ranks.into(), &seen),
            Err(problem) => vec![problem],
        };
        wrong.extend(differences.into_iter().map(|what| format!("{}: {what}", ran.label)));
    }
    assert!(wrong.is_empty(), "what differs:\n{}", wrong.join("\n"));
}

#[test]
fn one_process() {
    check("serial.c");
}

#[test]
fn ids_begin_anew() {
    check("again.c");
}

#[test]
fn what_is_known_becomes_something_else() {
    check("changed.c");
}

#[test]
fn a_child_knows_what_it_inherits() {
    let Some(program) = programs::find("inherited.c") else { return };
    let ran = run(&program, 1, Mode::Run);
    let seen = seen::read(&[ran.log]).remove(0).unwrap();
    let mut children = seen.objects.iter().filter(|record| record.rank == 1);
    let (Some(data_set), None) = (children.next(), children.next()) else {
        panic!("one record of the child: {:?}", seen.objects)
    };
    let counters = ["OPENS", "READS", "BYTES_READ", "DATASPACE_NPOINTS", "DATATYPE_SIZE"];
    let found = counters.map(|counter| data_set.counter(&format!("H5D_{counter}")));
    assert_eq!(found, [0, 2, 32 + 20, 8, 4], "{data_set:?}");
}

#[test]
fn what_only_newer_libraries_have() {
    check("several.c");
}

#[test]
fn what_fails() {
    check("errors.c");
}

#[test]
fn many_ranks() {
    check("parallel.c");
}

#[test]
fn a_list_gets_other_drivers() {
    check("drivers.c");
}

#[test]
fn pnetcdf() {
    check("variables.c");
}

#[test]
fn two_libraries_in_one_process() {
    check("two_libraries.py");
}

#[test]
fn python_with_ranks() {
    check("ranks.py");
}

/// Errors are printed as they are without us.
#[test]
fn errors_are_the_program_s_own() {
    let Some(program) = programs::find("errors.c") else { return };
    let folder = scratch("hdf5-errors").canonicalize().unwrap();
    let said = |preload: Option<PathBuf>| {
        let mut command = Command::new("env");
        without_settings(&mut command);
        if let Some(library) = preload {
            let log = folder.join("log.darshan");
            let _ = fs::remove_file(&log);
            command.arg(format!("LD_PRELOAD={}", library.display())).arg("IOGLASS_ENABLE=1");
            command.arg(format!("DARSHAN_LOGFILE={}", log.display()));
        }
        let output = command.args(program.started_with(1)).arg(&folder).output().unwrap();
        // HDF5 says when a file could not be opened, to the second.
        let text = String::from_utf8(output.stderr).unwrap();
        let lines: Vec<&str> =
            text.lines().map(|line| line.split(": time = ").next().unwrap_or(line)).collect();
        (output.status.code(), lines.join("\n"))
    };
    let (bare, ours) = (said(None), said(Some(library())));
    assert_eq!(bare, ours);
    assert_eq!(bare.0, Some(0));
    assert!(bare.1.contains("missing.h5") && bare.1.contains("the old way"), "{}", bare.1);
}

/// What is not wanted is not recorded, module by module.
#[test]
fn modules_can_be_left_out() {
    let Some(program) = programs::find("serial.c") else { return };
    let place = scratch("hdf5-modules").canonicalize().unwrap();
    let modules = |setting: &str, value: &str| {
        let log = place.join("log.darshan");
        let _ = fs::remove_file(&log);
        let mut command = under(Mode::Library, &log);
        command.arg(format!("{setting}={value}"));
        command.args(program.started_with(1)).arg(&place);
        assert!(finish(command).unwrap().success());
        let seen = seen::read(&[log]).remove(0).unwrap();
        let records = seen.records.into_iter().chain(seen.objects);
        let mut modules: Vec<_> = records.map(|record| record.module).collect();
        modules.sort();
        modules.dedup();
        modules
    };
    assert_eq!(modules("DARSHAN_MOD_DISABLE", "H5D"), ["H5F", "POSIX"]);
    assert_eq!(modules("DARSHAN_MOD_DISABLE", "H5F,POSIX"), ["H5D"]);
    let config = place.join("config");
    fs::write(&config, "NAME_EXCLUDE \\.h5$ H5F,H5D\n").unwrap();
    assert_eq!(modules("DARSHAN_CONFIG_PATH", config.to_str().unwrap()), ["POSIX"]);
}
