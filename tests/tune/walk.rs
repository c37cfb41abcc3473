//! The walk-throughs of the guide: a finding, a search, and the proof, on real programs.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{command, empty, run, tune};
use crate::mpi::stack::MPICH;
use crate::support::{ioglass, missing, root};

/// Runs a program, tunes it with few runs and without a proof, runs it with what was found, and compares.
/// Returns the log's report, the result and the comparison.
fn walk(folder: &Path, program: &[&str], trial: &[&str]) -> [Value; 3] {
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let recorded = |log: &str, more: &[&str]| {
        let all = [&["--no-report", "-o", log][..], more, &["--"], program].concat();
        let (status, _, aside) = run(command(folder, "run", &all));
        assert_eq!(status, 0, "{aside}");
    };
    recorded("before.darshan", &[]);
    let (_, report, _) = run(command(folder, "report", &["--json", "before.darshan"]));
    // Runs are ended and made again by time; nothing below depends on which.
    let few = ["--budget", "4", "--confirm", "0", "--cut", "0", "--quiet", "--json", "--"];
    let (status, result, aside) = run(tune(folder, &[&few[..], trial].concat()));
    assert_eq!(status, 0, "{aside}");
    recorded("after.darshan", &["--apply", "best.toml"]);
    let arguments = ["--compare", "before.darshan", "after.darshan", "--json"];
    let (status, compared, aside) = run(command(folder, "report", &arguments));
    assert_eq!(status, 0, "{aside}");
    [json(&report), json(&result), json(&compared)]
}

/// Fails unless default runs were made and other settings were tried.
fn has_searched(result: &Value) {
    let trials = result["trials"].as_array().unwrap();
    let is_default =
        |trial: &&Value| trial["settings"].as_object().is_some_and(serde_json::Map::is_empty);
    assert!(trials.iter().any(|trial| is_default(&trial)) && trials.len() >= 4, "{result:#}");
    assert_eq!(result["check"]["state"], "same", "{result:#}");
}

#[test]
fn from_a_finding_of_gcrm_to_its_proof() {
    let launcher = MPICH.launcher(2);
    if !MPICH.is_here() {
        return;
    }
    let folder = empty("walk-gcrm");
    let mut words: Vec<String> =
        launcher.iter().map(|word| word.to_str().unwrap().to_owned()).collect();
    words.extend([ioglass().to_str().unwrap(), "kernel", "gcrm", "--steps", "10"].map(Into::into));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let trial = [&words[..], &["--file", "{trial_dir}/gcrm.h5"]].concat();
    let [report, result, compared] = walk(&folder, &words, &trial);
    // How much time it costs depends on the machine; that it is seen does not.
    let findings = report["findings"].as_array().unwrap();
    let scattered = findings.iter().find(|finding| finding["code"] == "H11").unwrap();
    assert_ne!(scattered["state"], "not-checkable", "{scattered:#}");
    has_searched(&result);
    assert_eq!(compared["same_work"]["state"], "same", "{:#}", compared["same_work"]);
}

#[test]
fn from_small_writes_to_a_buffer() {
    let folder = empty("walk-points");
    let guide = fs::read_to_string(root().join("docs/tuning.md")).unwrap();
    let source = guide.split("```c\n").nth(1).unwrap().split("```").next().unwrap();
    fs::write(folder.join("points.c"), source).unwrap();
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-O2", "-o", "points", "points.c"]).current_dir(&folder);
    let Ok(status) = compiler.status() else {
        missing("a C compiler", &PathBuf::from("cc"));
        return;
    };
    assert!(status.success(), "the program of the guide compiles");
    let trial = ["./points", "{trial_dir}/points.bin"];
    let [_, result, compared] = walk(&folder, &["./points", "points.bin"], &trial);
    has_searched(&result);
    assert_eq!(compared["same_work"]["state"], "same", "{:#}", compared["same_work"]);
}
