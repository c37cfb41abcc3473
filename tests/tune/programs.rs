//! Real programs, from their first run to the result.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{command, empty, journal, json, names, run, script, tune};

/// A program that writes small pieces to a stream.
pub(super) const SMALL_WRITES: &str = "#include <stdio.h>\nint main(int count, char **words) {\n  char piece[64] \
    = {1};\n  FILE *file = fopen(words[1], \"w\");\n  if (!file) return 2;\n  for (int i = 0; i < \
    20000; i++) fwrite(piece, 1, sizeof piece, file);\n  return fclose(file);\n}\n";

pub(super) fn compiled(folder: &Path, source: &str) -> PathBuf {
    fs::write(folder.join("program.c"), source).unwrap();
    let mut compiler = Command::new("cc");
    compiler.current_dir(folder).args(["-O1", "-o", "program", "program.c"]);
    assert!(compiler.status().unwrap().success());
    folder.join("program")
}

#[test]
fn a_program_with_streams_is_tuned_unchanged() {
    let folder = empty("streams");
    compiled(&folder, SMALL_WRITES);
    let arguments =
        ["--budget", "6", "--confirm", "6", "--cut", "0", "--", "./program", "{trial_dir}/out"];
    let report = json(&tune(&folder, &arguments));
    assert_eq!(report["objective"]["unit"], "s");
    let lines = journal(&folder.join("program.tune.jsonl"));
    let space = lines[0]["space"].as_array().unwrap();
    assert!(space.iter().any(|one| one["name"] == "libc.stdio_buffer"), "{space:?}");
    let trials: Vec<_> = lines.iter().filter(|line| line["k"] == "trial").collect();
    assert!(trials.iter().all(|trial| trial["outcome"] == "ok" || trial["outcome"] == "disturbed"));
    assert!(trials.iter().all(|trial| trial["bytes"]["written"] == 1_280_000), "{trials:?}");
    assert!(trials.iter().all(|trial| trial["io"].as_f64().unwrap() > 0.0));
    assert_eq!(
        names(&folder),
        ["best.toml", "program", "program.c", "program.tune.jsonl"],
        "no file of a run stays"
    );
}

#[test]
fn dd_is_tuned_by_its_block_size() {
    let folder = empty("dd");
    fs::write(folder.join("in"), vec![7; 1 << 20]).unwrap();
    // Its number of blocks stands for a time.
    let words = ["dd", "if=in", "of={trial_dir}/out", "bs={bs}"];
    let objective = r"output:(\d+)\+0 records out";
    let more = ["--param", "bs=4096,65536,262144", "--objective", objective, "--cut", "0", "--"];
    let report = json(&tune(&folder, &[&more[..], &words].concat()));
    assert_eq!(report["state"], "gain");
    assert_eq!(report["tuned"]["settings"]["cmd.bs"], "262144");
    let gain = report["speedup"]["median"].as_f64().unwrap();
    assert!((gain - 64.0).abs() < 1e-9, "{gain}");
    let words = ["best.toml", "--", "dd", "if=in", "of=out", "bs={bs}"];
    let (status, _, aside) = run(command(&folder, "apply", &words));
    assert_eq!(status, 0, "{aside}");
    assert!(aside.contains("4+0 records out"), "{aside}");
}

#[test]
fn commands_before_and_after_every_run() {
    let folder = empty("setup");
    let text = "#!/bin/sh\ntest -e \"$1/given\" || exit 5\necho took 1\n";
    script(&folder, "program", text);
    let arguments = [
        "--objective",
        "output:took (.)",
        "--check",
        "off",
        "--param",
        "v=a,b",
        "--confirm",
        "0",
        "--cut",
        "0",
        "--setup",
        "touch {trial_dir}/given; echo before >> ran",
        "--cleanup",
        "test -e {trial_dir}/given && echo after >> ran",
        "--",
        "./program",
        "{trial_dir}",
    ];
    let report = json(&tune(&folder, &arguments));
    assert_eq!(report["search"]["runs"], 3);
    let ran = fs::read_to_string(folder.join("ran")).unwrap();
    assert_eq!(ran, "before\nafter\n".repeat(3));
    let failing =
        arguments.map(|word| if word.starts_with("touch") { "echo no >&2; false" } else { word });
    let all = [&["--restart"][..], &failing].concat();
    let (status, _, aside) = run(tune(&folder, &all));
    assert_eq!(status, 3, "{aside}");
    assert!(aside.contains("--setup failed") && aside.contains("no"), "{aside}");
}
