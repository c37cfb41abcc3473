//! What was proven for one program is proposed for another that is like it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::command::wait_for;
use super::ends::{nothing_lives, send};
use super::{command, empty, journal, run, script, tune};
use crate::settings::program;
use crate::support::{DEFAULT_SIGNALS, missing};

/// A program whose number depends on the buffer of its stream, under a name of its own.
fn program_in(folder: &Path, name: &str) -> Option<PathBuf> {
    let built = program::plain("took")?;
    let copy = folder.join(name);
    fs::copy(built, &copy).unwrap();
    Some(copy)
}

const SEARCH: [&str; 8] = [
    "--space",
    "libc",
    "--only",
    "libc.stdio_buffer",
    "--objective",
    "output:took ([0-9.]+)",
    "--motifs",
    "store/motifs.jsonl",
];

/// Tunes a program, which gains; the lines of its journal.
#[track_caller]
fn tuned(folder: &Path, name: &str, more: &[&str]) -> Vec<Value> {
    let program = format!("./{name}");
    let all = [&SEARCH[..], more, &["--budget", "7", "--confirm", "8", "--", &program]].concat();
    let (status, out, aside) = run(tune(folder, &all));
    assert_eq!(status, 0, "{aside}");
    assert!(out.contains("4.00×"), "{out}{aside}");
    journal(&folder.join(format!("{name}.tune.jsonl")))
}

fn store(folder: &Path) -> Vec<Value> {
    journal(&folder.join("store/motifs.jsonl"))
}

#[test]
fn f1_what_helped_is_remembered_and_tried_first() {
    let folder = empty("motifs-first");
    let Some(_) = program_in(&folder, "first") else { return };
    program_in(&folder, "second");
    tuned(&folder, "first", &[]);
    let found = store(&folder);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["schema"], "ioglass.motif/1");
    assert_eq!(found[0]["program"], "first");
    assert_eq!(found[0]["settings"]["libc.stdio_buffer"], "262144");
    assert_eq!(found[0]["speedup"]["median"], 4.0);
    assert_eq!(found[0]["motif"]["interface"], "streams");
    let logged =
        command(&folder, "run", &["--no-report", "-o", "second.darshan", "--", "./second"]);
    assert_eq!(run(logged).0, 0);
    let lines = tuned(&folder, "second", &["--from-motif", "second.darshan"]);
    let first = lines.iter().find(|line| line["from"]["how"] == "motif").unwrap();
    assert_eq!((&first["n"], &first["value"]), (&3.into(), &1.0.into()), "after the default runs");
    assert_eq!(store(&folder).len(), 2);
}

#[test]
fn f2_a_run_takes_what_helped_its_like() {
    let folder = empty("motifs-auto");
    let Some(_) = program_in(&folder, "first") else { return };
    program_in(&folder, "second");
    let auto = |more: &[&str]| {
        let options = ["--no-report", "--auto", "--motifs", "store/motifs.jsonl"];
        let all = [&options[..], more, &["--", "./second"]].concat();
        let (status, out, aside) = run(command(&folder, "run", &all));
        assert_eq!(status, 0, "{aside}");
        (out, aside)
    };
    let (out, aside) = auto(&["-o", "one.darshan"]);
    assert_eq!(out, "took 4\n");
    assert!(aside.contains("no log of an earlier run of this program"), "{aside}");
    let (out, aside) = auto(&["-o", "two.darshan"]);
    assert_eq!(out, "took 4\n");
    assert!(aside.contains("nothing was tuned yet"), "{aside}");
    tuned(&folder, "first", &[]);
    let (out, aside) = auto(&["-o", "three.darshan"]);
    assert_eq!(out, "took 1\n", "{aside}");
    assert!(aside.contains("libc.stdio_buffer=262144 (4.00× with first"), "{aside}");
    let (_, report, _) = run(command(&folder, "report", &["--json", "three.darshan"]));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["settings"][0]["state"], "applied", "the log says what was in force");
    // A log can be named, and one that is none is an error before anything runs.
    let options = ["--no-report", "--auto=one.darshan", "--motifs", "store/motifs.jsonl"];
    let all = [&options[..], &["-o", "four.darshan", "--", "./second"]].concat();
    assert_eq!(run(command(&folder, "run", &all)).1, "took 1\n");
    let (status, out, _) = run(command(&folder, "run", &["--auto=./first", "--", "./second"]));
    assert_eq!((status, out.as_str()), (3, ""));
}

#[test]
fn f3_what_changes_data_or_is_not_proven_is_not_taken() {
    let folder = empty("motifs-unsafe");
    let Some(_) = program_in(&folder, "first") else { return };
    tuned(&folder, "first", &[]);
    let path = folder.join("store/motifs.jsonl");
    let mut entry = store(&folder).remove(0);
    let settings = [
        ("hdf5.chunk_bytes", "65536"),
        ("hdf5.fill_time", "never"),
        ("libc.block_size", "1048576"),
        ("mpiio.cb_nodes", "4"),
        ("libc.stdio_buffer", "no number"),
        ("libc.nonsense", "1"),
    ];
    entry["settings"] = Value::Object(
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect(),
    );
    fs::write(&path, format!("{entry}\nnonsense\n")).unwrap();
    let logged = command(&folder, "run", &["--no-report", "-o", "a.darshan", "--", "./first"]);
    assert_eq!(run(logged).0, 0);
    let options = ["--no-report", "--auto", "--motifs", "store/motifs.jsonl", "-o", "b.darshan"];
    let all = [&options[..], &["--", "./first"]].concat();
    let (status, out, aside) = run(command(&folder, "run", &all));
    assert_eq!((status, out.as_str()), (0, "took 4\n"), "{aside}");
    assert!(aside.contains("cannot be set here without a proof"), "{aside}");
}

#[test]
fn f3_a_health_check_runs_all_kernels() {
    let folder = empty("motifs-health");
    let all =
        ["--health-check", "--json", "--budget", "3", "--confirm", "0", "--motifs", "m.jsonl"];
    let (status, out, aside) = run(tune(&folder, &all));
    if status == 3 && aside.contains("HDF5") {
        missing("the kernels", Path::new("/usr/lib/x86_64-linux-gnu/libhdf5_serial.so"));
        return;
    }
    assert_eq!(status, 0, "{aside}");
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["schema"], "ioglass.health/1");
    let kernels = found["kernels"].as_array().unwrap();
    let names: Vec<&str> = kernels.iter().map(|one| one["kernel"].as_str().unwrap()).collect();
    assert_eq!(names, ["vpic", "vorpal", "gcrm"]);
    for kernel in kernels {
        let number = |name: &str| kernel[name].as_f64().unwrap();
        assert_eq!(kernel["runs"], 5);
        assert!(0.0 < number("low") && number("low") <= number("median"));
        assert!(number("median") <= number("high"));
    }
    assert!(!folder.join(".ioglass-tune").exists(), "nothing stays");
    let (status, _, aside) = run(tune(&folder, &["--health-check", "--", "/nonexistent"]));
    assert_eq!(status, 3, "{aside}");
}

#[test]
fn a_health_check_that_is_ended_leaves_nothing() {
    let folder = empty("motifs-health-ended");
    // The launcher of the kernels tells that one of them is there, and waits.
    let launcher =
        "#!/bin/sh\nsetsid sh -c 'echo $$ > new; mv new pid; exec sleep 1000' &\nexec sleep 1000\n";
    script(
        &folder,
        "launcher",
        &launcher
            .replace("new", &folder.join("new").to_string_lossy())
            .replace(" pid", &format!(" {}", folder.join("pid").display())),
    );
    let check = tune(&folder, &["--health-check", "--", "./launcher"]);
    let mut command = std::process::Command::new("env");
    command.arg(DEFAULT_SIGNALS).arg(check.get_program()).args(check.get_args());
    let mut child = command.current_dir(&folder).spawn().unwrap();
    wait_for(&folder.join("pid"));
    send("-TERM", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    nothing_lives(&folder);
    assert!(!folder.join(".ioglass-tune").exists());
}

#[test]
fn nobody_waits_for_a_pipe() {
    let folder = empty("pipes");
    assert!(
        std::process::Command::new("mkfifo").arg(folder.join("ff")).status().unwrap().success()
    );
    for (name, words) in [
        ("tune", &["--from-log", "ff", "--", "true"][..]),
        ("tune", &["--from-motif", "ff", "--", "true"]),
        ("run", &["--auto=ff", "--", "true"]),
        ("report", &["--compare", "ff", "ff"]),
    ] {
        let (status, _, aside) = run(command(&folder, name, words));
        assert_eq!(status, 3, "{name}: {aside}");
        assert!(aside.contains("ff"), "{name}: {aside}");
    }
    let Some(_) = program_in(&folder, "program") else { return };
    let own =
        [&SEARCH[..6], &["--motifs", "ff", "--budget", "7", "--confirm", "8", "--", "./program"]];
    let (_, out, aside) = run(tune(&folder, &own.concat()));
    assert!(out.contains("4.00×"), "the result is told: {out}{aside}");
    let own = ["-o", "ff", "--json=ff", "--restart"];
    let all = [&own[..], &SEARCH[..6], &["--budget", "7", "--confirm", "8", "--", "./program"]];
    let (status, out, aside) = run(tune(&folder, &all.concat()));
    assert_eq!(status, 5, "{out}{aside}");
    assert!(out.contains("4.00×") && aside.contains("cannot write ff"), "{out}{aside}");
    let verify = ["-s", "libc.stdio_buffer=64K", "--verify=ff", "--", "./program"];
    let (status, _, aside) = run(command(&folder, "apply", &verify));
    assert_eq!(status, 0, "the status is the program's: {aside}");
    assert!(aside.contains("cannot write ff"), "{aside}");
}
