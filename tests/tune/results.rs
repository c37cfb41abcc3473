//! Is the result of a run right?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{empty, journal, json, run, script, tune};
use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::support::missing;

/// A program whose number is better, and whose file is other, with the value b.
const CHANGES: &str = "#!/bin/sh\necho data > \"$1/same\"\ndate +%N > \"$1/log\"\ncase $2 in a) echo took 4;; \
                       b) echo took 1; echo other > \"$1/same\";; c) echo took 2;; \
                       *) echo took 1; rm \"$1/same\";; esac\n";

/// A search with this check for the value of that program.
fn search(check: &str, values: &str) -> Vec<String> {
    let words = [
        "--objective",
        "output:took (.)",
        "--confirm",
        "8",
        "--cut",
        "0",
        "--check",
        check,
        "--param",
        values,
        "--",
        "./program",
        "{trial_dir}",
        "{v}",
    ];
    words.map(str::to_owned).to_vec()
}

#[track_caller]
fn searched(folder: &Path, words: &[String]) -> Value {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    json(&tune(folder, &words))
}

#[test]
fn what_changes_the_result_is_never_used() {
    let folder = empty("wrong");
    script(&folder, "program", CHANGES);
    let report = searched(&folder, &search("auto", "v=a,b,c,d"));
    assert_eq!(report["tuned"]["settings"]["cmd.v"], "c", "{report:#}");
    assert_eq!(report["outcomes"]["wrong"], 2);
    let check = &report["check"];
    assert_eq!(check["state"], "differs");
    let not_compared = check["not_compared"].as_array().unwrap();
    assert!(not_compared.contains(&"{trial_dir}/log".into()), "{check}");
    assert!(!not_compared.contains(&"{trial_dir}/same".into()), "{check}");
    assert!(!not_compared.contains(&"program.tune.jsonl".into()), "{check}");
    let notes: Vec<Value> = journal(&folder.join("program.tune.jsonl"));
    let note = |value: &str| {
        let line = notes.iter().find(|line| line["settings"]["cmd.v"] == value).unwrap();
        line["note"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(note("b"), "{trial_dir}/same differs");
    assert_eq!(note("d"), "{trial_dir}/same was not written");
}

#[test]
fn where_all_data_differs_nothing_is_called_the_same() {
    let folder = empty("not-compared");
    script(&folder, "program", "#!/bin/sh\ndate +%N > \"$1/log\"\necho took ${#2}\n");
    let words = search("auto", "v=aaaa,bb");
    let report = searched(&folder, &words);
    let check = &report["check"];
    assert_eq!(check["state"], "not-compared", "{check}");
    assert_eq!((&check["files"], &check["bytes"]), (&0.into(), &0.into()), "{check}");
    let (_, out, _) = run(tune(&folder, &["--replay", "program.tune.jsonl"]));
    assert!(!out.contains("same data") && out.contains("{trial_dir}/log"), "{out}");
}

#[test]
fn a_result_need_not_be_checked() {
    let folder = empty("unchecked");
    script(&folder, "program", CHANGES);
    let report = searched(&folder, &search("off", "v=a,b,c"));
    assert_eq!(report["tuned"]["settings"]["cmd.v"], "b");
    assert_eq!(report["check"], Value::Null);
}

#[test]
fn a_command_can_check_the_result() {
    let folder = empty("check-command");
    script(&folder, "program", CHANGES);
    let check = "grep -q data {trial_dir}/same";
    let report = searched(&folder, &search(check, "v=a,b,c"));
    assert_eq!(report["tuned"]["settings"]["cmd.v"], "c");
    assert_eq!(report["outcomes"]["wrong"], 1);
    let failing = search("echo never >&2; false", "v=a,b,c");
    let failing: Vec<&str> = failing.iter().map(String::as_str).collect();
    let (status, _, aside) = run(tune(&folder, &[&["--restart"][..], &failing].concat()));
    assert_eq!(status, 3);
    assert!(aside.contains("the default run gave a wrong result"), "{aside}");
    assert!(aside.contains("never"), "{aside}");
}

#[test]
fn files_of_a_recorded_run_are_those_of_its_log() {
    let folder = empty("recorded-files");
    fs::write(folder.join("older"), "not written by any run").unwrap();
    fs::write(folder.join("given"), vec![7; 5000]).unwrap();
    let text = "#!/bin/sh\nlibc=${IOGLASS_SETTINGS#*stdio_buffer=}\ncp given here\ncp here \
                \"$1/there\"\ncase $libc in 65536*) echo took 1; cp /dev/null here;; 262144*) \
                echo took 2;; *) echo took 4;; esac\n";
    script(&folder, "program", text);
    let space = "[[param]]\nname = \"libc.stdio_buffer\"\nvalues = [\"64K\", \"256K\"]\n";
    fs::write(folder.join("space.toml"), space).unwrap();
    let report = json(&tune(
        &folder,
        &[
            "--space",
            "space.toml",
            "--objective",
            "output:took (.)",
            "--confirm",
            "8",
            "--cut",
            "0",
            "--",
            "./program",
            "{trial_dir}",
        ],
    ));
    assert_eq!(report["tuned"]["settings"]["libc.stdio_buffer"], "262144", "{report:#}");
    assert_eq!(report["outcomes"]["wrong"], 1);
    let lines = journal(&folder.join("program.tune.jsonl"));
    let files: Vec<&String> = lines[1]["files"].as_object().unwrap().keys().collect();
    assert_eq!(files, ["here", "{trial_dir}/there"]);
    assert!(folder.join("here").exists(), "a file in the current folder stays");
}

/// Writes a file of HDF5 with the value of its first option.
const HDF5: &str = r#"#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  MPI_Init(&count, &words);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
  hid_t file = H5Fcreate(words[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  hsize_t sides[2] = {4, 1000 * ranks}, own[2] = {4, 1000}, start[2] = {0, 1000 * rank};
  static float data[4000];
  for (int i = 0; i < 4000; i++) data[i] = i + rank + (count > 2 ? atof(words[2]) : 0);
  const char *names[] = {"a", "b"};
  for (int i = 0; i < 2; i++) {
    hid_t space = H5Screate_simple(2, sides, NULL), memory = H5Screate_simple(2, own, NULL);
    hid_t set = H5Dcreate2(file, names[i], H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, own, NULL);
    H5Dwrite(set, H5T_NATIVE_FLOAT, memory, space, transfer, data);
    H5Dclose(set); H5Sclose(memory); H5Sclose(space);
  }
  H5Pclose(transfer); H5Pclose(access); H5Fclose(file);
  if (!rank) printf("took %s\n", words[3]);
  return MPI_Finalize();
}
"#;

/// The program of HDF5 for a stack; none if its compiler is missing, which is said.
fn compiled(folder: &Path, compiler: &str) -> Option<PathBuf> {
    let compiler = Path::new("/usr/bin").join(compiler);
    if !compiler.exists() {
        missing("HDF5", &compiler);
        return None;
    }
    fs::write(folder.join("program.c"), HDF5).unwrap();
    let mut command = Command::new(compiler);
    command.current_dir(folder).args(["-shlib", "-O1", "-o", "program", "program.c"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(folder.join("program"))
}

fn tuned_with_hdf5(name: &str, compiler: &str, stack: &Stack) {
    let folder = empty(&format!("hdf5-{name}"));
    if compiled(&folder, compiler).is_none() {
        return;
    }
    // The layout changes what the file is, but not what it contains; the second value of the program does.
    let space = "[[param]]\nname = \"hdf5.chunk_bytes\"\nvalues = [\"default\", \"4K\", \"16K\"]\n\
                 [[param]]\nname = \"hdf5.alignment\"\nvalues = [\"default\", \"4096,65536\"]\n\
                 [[param]]\nname = \"cmd.value\"\nvalues = [\"0\", \"1\"]\ndefault = \"0\"\n";
    fs::write(folder.join("space.toml"), space).unwrap();
    let launcher: Vec<String> =
        stack.launcher(2).iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut words = vec!["--space", "space.toml", "--objective", "output:took (.)", "--cut", "0"];
    words.extend(["--budget", "9", "--confirm", "6", "--journal", "j", "--"]);
    words.extend(launcher.iter().map(String::as_str));
    words.extend(["./program", "{trial_dir}/out.h5", "{value}", "3"]);
    let report = json(&tune(&folder, &words));
    assert_eq!(report["state"], "nothing-to-gain", "the number is always the same");
    let check = &report["check"];
    assert_eq!((&check["files"], &check["datasets"]), (&1.into(), &2.into()), "{check}");
    assert_eq!(check["bytes"], 2 * 4 * 2000 * 4);
    let lines = journal(&folder.join("j"));
    let (mut right, mut wrong) = (0, 0);
    for line in lines.iter().filter(|line| line["k"] == "trial") {
        let is_other = line["settings"]["cmd.value"] == "1";
        assert_eq!(line["outcome"] == "wrong", is_other, "{line}");
        if is_other {
            wrong += 1;
            assert_eq!(line["note"], "{trial_dir}/out.h5:/a differs");
        } else if line["settings"]["hdf5.chunk_bytes"] != Value::Null {
            right += 1;
            let verified = line["verified"].as_array().unwrap();
            let chunk = verified.iter().find(|one| one["name"] == "hdf5.chunk_bytes").unwrap();
            assert_eq!((&chunk["state"], &chunk["variables"]), (&"applied".into(), &2.into()));
        }
    }
    assert!(right > 0 && wrong > 0, "{right} {wrong}");
}

#[test]
fn c9_hdf5_under_mpich_is_read_back() {
    tuned_with_hdf5("mpich", "h5pcc.mpich", &MPICH);
}

#[test]
fn c9_hdf5_under_open_mpi_is_read_back() {
    tuned_with_hdf5("openmpi", "h5pcc.openmpi", &OPEN_MPI);
}
