//! What the log of the first run decides: what is searched, and what is tried first.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{empty, journal, json, names, run, tune};
use crate::findings::counters::read;
use crate::findings::recipe::{self, bytes_of, only};
use crate::support::{ioglass, missing};

/// Compiles a program of C.
fn compile(folder: &Path, source: &str, options: &[&str]) {
    fs::write(folder.join("program.c"), source).unwrap();
    let mut compiler = Command::new("cc");
    compiler.current_dir(folder).args(["-O1", "-o", "program", "program.c"]).args(options);
    assert!(compiler.status().unwrap().success());
}

/// A program that writes and reads small pieces, seeks if it is told to, and prints a number.
const PIECES: &str = r#"#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
  char piece[100] = {1};
  FILE *file = fopen(words[1], "w");
  if (!file) return 2;
  for (int i = 0; i < 20000; i++) fwrite(piece, 1, sizeof piece, file);
  fclose(file);
  file = fopen(words[1], "r");
  for (int i = 0; i < 5000; i++) {
    if (count > 2 && !strcmp(words[2], "seek")) fseek(file, (i * 7919L) % 19999 * 100, SEEK_SET);
    if (fread(piece, 1, sizeof piece, file) != sizeof piece) return 3;
  }
  fclose(file);
  printf("took 1\n");
}
"#;

/// A search whose number is always the same.
const SAME: [&str; 7] =
    ["--objective", "output:took (.)", "--cut", "0", "--confirm", "6", "--space"];

/// The parameters that were searched.
fn searched(lines: &[Value]) -> Vec<&str> {
    let space = lines[0]["space"].as_array().unwrap();
    space.iter().filter_map(|one| one["name"].as_str()).collect()
}

#[test]
fn streams_are_searched_unless_they_seek() {
    let folder = empty("seeks");
    compile(&folder, PIECES, &[]);
    let journal_of = |option: &str, name: &str| {
        let more = ["auto", "--journal", name, "--", "./program", "{trial_dir}/file", option];
        let (status, out, aside) = run(tune(&folder, &[&SAME[..], &more].concat()));
        (status, out, aside)
    };
    let (status, _, aside) = journal_of("straight", "straight.jsonl");
    assert_eq!(status, 0, "{aside}");
    let lines = journal(&folder.join("straight.jsonl"));
    assert!(searched(&lines).contains(&"libc.stdio_buffer"), "{:?}", searched(&lines));
    let (_, _, aside) = journal_of("seek", "seek.jsonl");
    let path = folder.join("seek.jsonl");
    let has_it = path.exists() && searched(&journal(&path)).contains(&"libc.stdio_buffer");
    assert!(!has_it, "{aside}");
    // The preset by its name is held to the log, too.
    let more = ["libc", "--journal", "libc.jsonl", "--", "./program", "{trial_dir}/file", "seek"];
    let (_, _, aside) = run(tune(&folder, &[&SAME[..], &more].concat()));
    let path = folder.join("libc.jsonl");
    let has_it = path.exists() && searched(&journal(&path)).contains(&"libc.stdio_buffer");
    assert!(!has_it, "{aside}");
}

/// Writes the log of a program whose small reads through a stream take 50 s: what is said of it does not
/// depend on this machine.
fn slow_reader(folder: &Path, name: &str) {
    let recipe = recipe::run(1).file("/data/in").stdio(only(0), read(100_000.0, 64.0, 50.0));
    fs::write(folder.join(name), bytes_of(recipe.text().as_bytes())).unwrap();
}

#[test]
fn advice_is_tried_first_and_verified() {
    let folder = empty("advice");
    compile(&folder, PIECES, &[]);
    slow_reader(&folder, "slow.darshan");
    let more = ["auto", "--from-log", "slow.darshan", "--", "./program", "{trial_dir}/file"];
    let report = json(&tune(&folder, &[&SAME[..], &more].concat()));
    let lines = journal(&folder.join("program.tune.jsonl"));
    // Whether the findings of so short a run fire depends on its times.
    let seeds = lines[0]["options"]["seeds"].as_array().map_or(0, Vec::len);
    for (place, trial) in lines[3..].iter().filter(|line| line["k"] == "trial").enumerate() {
        let is_advice = trial["from"]["how"] == "advice";
        assert_eq!(is_advice, place < seeds, "{trial}");
        let codes = trial["from"]["codes"].as_array().map_or(0, Vec::len);
        assert_eq!(codes > 0, is_advice, "{trial}");
        assert_eq!(trial["verified"][0]["state"], "applied", "{trial}");
    }
    assert_eq!(report["verified"][0]["state"], "applied");
    let run = &report["run"];
    assert_eq!((&run["program"], &run["ranks"]), (&"program".into(), &1.into()), "{run}");
}

#[test]
fn a_log_tells_what_would_be_searched() {
    let folder = empty("from-log");
    compile(&folder, PIECES, &[]);
    slow_reader(&folder, "first.darshan");
    let arguments = ["--dry-run", "--from-log", "first.darshan", "--", "./program", "file"];
    let (status, out, aside) = run(tune(&folder, &arguments));
    assert_eq!(status, 0, "{aside}");
    assert!(out.contains("libc.stdio_buffer") && out.contains("at most 30 + 12 + 30"), "{out}");
    assert_eq!(names(&folder), ["first.darshan", "program", "program.c"], "nothing was run");
    let (status, _, aside) =
        run(tune(&folder, &["--from-log", "program.c", "--", "./program", "f"]));
    assert_eq!(status, 3, "{aside}");
}

#[test]
fn f7_reads_and_c23_bandwidth_are_measured() {
    let folder = empty("reads");
    compile(&folder, PIECES, &[]);
    for (objective, unit) in [("read", "s"), ("write", "s"), ("bandwidth", "B/s"), ("time", "s")] {
        let name = format!("{objective}.jsonl");
        let arguments = [
            "--objective",
            objective,
            "--budget",
            "3",
            "--confirm",
            "0",
            "--cut",
            "0",
            "--journal",
            &name,
            "--",
            "./program",
            "{trial_dir}/file",
        ];
        let report = json(&tune(&folder, &arguments));
        assert_eq!(report["objective"]["unit"], unit);
        let lines = journal(&folder.join(&name));
        for trial in lines.iter().filter(|line| line["outcome"] == "ok" && line["k"] == "trial") {
            let value = trial["value"].as_f64().unwrap();
            let io = trial["io"].as_f64().unwrap();
            let is_sound = match objective {
                "bandwidth" => (value - 2_500_000.0 / io).abs() < 0.01 * value,
                "time" => value == trial["wall"].as_f64().unwrap(),
                _ => value > 0.0 && value <= io * 1.001,
            };
            assert!(is_sound, "{objective}: {trial}");
            assert!(trial.get("load").is_some(), "F6: what others took is noted");
        }
    }
}

/// A program whose region `work` takes some milliseconds, beside others.
const REGIONS: &str = r#"#include <ioglass.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words) {
  IOGLASS_ENTER("setup");
  FILE *file = fopen(words[1], "w");
  IOGLASS_LEAVE("setup");
  for (int step = 0; step < 2; step++) {
    IOGLASS_ENTER("work");
    IOGLASS_ENTER("work");
    usleep(5000);
    for (int i = 0; i < 2000; i++) fprintf(file, "%d\n", i);
    IOGLASS_LEAVE("work");
    IOGLASS_LEAVE("work");
  }
  return fclose(file);
}
"#;

#[test]
fn seconds_of_regions_are_an_objective() {
    let folder = empty("regions");
    let include = Command::new(ioglass()).arg("include").output().unwrap();
    let include = format!("-I{}", String::from_utf8_lossy(&include.stdout).trim());
    compile(&folder, REGIONS, &[&include]);
    let search = |name: &'static str, journal: &'static str| {
        let objective = ["--objective", name, "--budget", "3", "--confirm", "0", "--cut", "0"];
        let rest = ["--journal", journal, "--", "./program", "{trial_dir}/file"];
        tune(&folder, &[&objective[..], &rest].concat())
    };
    json(&search("regions:work", "work.jsonl"));
    let lines = journal(&folder.join("work.jsonl"));
    for trial in lines.iter().filter(|line| line["k"] == "trial" && line["outcome"] == "ok") {
        let (value, wall) = (trial["value"].as_f64().unwrap(), trial["wall"].as_f64().unwrap());
        assert!((0.010..wall).contains(&value), "inner visits do not count twice: {trial}");
    }
    let (status, _, aside) = run(search("regions:nothing", "nothing.jsonl"));
    assert_eq!(status, 3, "{aside}");
    assert!(aside.contains("it has no number for regions:nothing"), "{aside}");
}

#[test]
fn a_static_program_is_refused_unless_its_options_are_searched() {
    let folder = empty("static");
    compile(&folder, PIECES, &["-static"]);
    let (status, _, aside) = run(tune(&folder, &["--", "./program", "file"]));
    assert_eq!(status, 3, "{aside}");
    assert!(aside.contains("linked statically"), "{aside}");
    assert!(!folder.join("file").exists(), "it was said before anything ran");
    let arguments = [
        "--param",
        "v=a,b",
        "--objective",
        "time",
        "--confirm",
        "0",
        "--",
        "./program",
        "f",
        "{v}",
    ];
    let (status, _, aside) = run(tune(&folder, &arguments));
    assert_eq!(status, 0, "{aside}");
}

#[test]
fn a_program_without_io_has_nothing_to_search() {
    let folder = empty("without");
    compile(&folder, "int main(void) { return 0; }\n", &[]);
    let (status, _, aside) = run(tune(&folder, &["--", "./program"]));
    assert_eq!(status, 3, "{aside}");
    let is_said =
        aside.contains("there is nothing to search") || aside.contains("no number for io");
    assert!(is_said, "{aside}");
    assert_eq!(names(&folder), ["program", "program.c"], "there is no journal");
}

/// A serial program of HDF5.
const SERIAL: &str = r#"#include <hdf5.h>
#include <stdio.h>
int main(int count, char **words) {
  static float data[200][1000];
  hsize_t sides[2] = {200, 1000};
  hid_t file = H5Fcreate(words[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(2, sides, NULL);
  hid_t set = H5Dcreate2(file, "field", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (int i = 0; i < 200; i++) data[i][i] = i;
  H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set); H5Sclose(space); H5Fclose(file);
  printf("took 1\n");
  return count < 2;
}
"#;

#[test]
fn serial_files_of_hdf5_are_tuned_too() {
    let folder = empty("serial-hdf5");
    let compiler = Path::new("/usr/bin/h5cc");
    if !compiler.exists() {
        missing("HDF5", compiler);
        return;
    }
    fs::write(folder.join("program.c"), SERIAL).unwrap();
    let mut command = Command::new(compiler);
    command.current_dir(&folder).args(["-shlib", "-O1", "-o", "program", "program.c"]);
    assert!(command.output().unwrap().status.success());
    let more = ["auto", "--budget", "12", "--only", "hdf5", "--", "./program", "{trial_dir}/f.h5"];
    let report = json(&tune(&folder, &[&SAME[..], &more].concat()));
    let lines = journal(&folder.join("program.tune.jsonl"));
    let names = searched(&lines);
    assert!(names.contains(&"hdf5.chunk_bytes") && !names.contains(&"hdf5.transfer"), "{names:?}");
    let chunked = lines.iter().filter(|line| line["settings"]["hdf5.chunk_bytes"] != Value::Null);
    let mut trials = 0;
    for trial in chunked.filter(|line| line["k"] == "trial") {
        let verified = trial["verified"].as_array().unwrap();
        let chunk = verified.iter().find(|one| one["name"] == "hdf5.chunk_bytes").unwrap();
        assert_eq!(chunk["state"], "applied", "{trial}");
        assert_eq!(trial["outcome"], "ok", "it contains the same: {trial}");
        trials += 1;
    }
    assert!(trials > 0, "{report:#}");
}
