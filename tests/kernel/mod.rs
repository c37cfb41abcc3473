//! Kernels: what they write under each MPI and alone, what a log of them has, and what the model says.

mod delay;
mod file;
mod model;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioglass_log::{Log, h5d, h5f};
use serde_json::Value;

use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::record::run::{finish, ioglass_run, without_settings};
use crate::support::{ioglass, missing, scratch};

/// Small runs of each kernel that are not the same on all ranks.
const SMALL: [&[&str]; 3] = [
    &["vpic", "--particles", "1000", "--steps", "2"],
    &["vorpal", "--block", "7,5,6", "--uneven", "1,1,2", "--steps", "2"],
    &["gcrm", "--resolution", "4", "--subdomains", "1", "--steps", "2"],
];

/// Stacks with an HDF5 for them; none is one process.
fn stacks() -> Vec<Option<&'static Stack>> {
    let mut found = Vec::new();
    for (stack, name) in [
        (None, "libhdf5_serial.so.103"),
        (Some(&MPICH), "libhdf5_mpich.so.103"),
        (Some(&OPEN_MPI), "libhdf5_openmpi.so.103"),
    ] {
        let library = Path::new("/usr/lib/x86_64-linux-gnu").join(name);
        if !library.exists() {
            missing("HDF5", &library);
        } else if stack.is_none_or(Stack::is_here) {
            found.push(stack);
        }
    }
    found
}

/// The words that start so many ranks of a kernel.
fn words(stack: Option<&Stack>, ranks: u32, arguments: &[&str]) -> Vec<OsString> {
    let mut words = stack.map(|stack| stack.launcher(ranks)).unwrap_or_default();
    words.extend([ioglass().into(), "kernel".into()]);
    words.extend(arguments.iter().map(OsString::from));
    words
}

/// An empty directory for a test under a stack.
fn folder(test: &str, stack: Option<&Stack>) -> PathBuf {
    let name = format!("kernel-{test}-{}", stack.map_or("serial", |stack| stack.name));
    let folder = scratch(&name);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

fn run(words: &[OsString], folder: &Path) -> Output {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(folder);
    without_settings(&mut command);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The JSON of a kernel that must succeed.
#[track_caller]
fn outcome(words: &[OsString], folder: &Path) -> Value {
    let output = run(words, folder);
    let problem = text(&output.stderr);
    assert!(output.status.success(), "{words:?}: {}: {problem}", output.status);
    // One rank speaks for all.
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}"))
}

#[test]
fn what_is_written_is_read_back() {
    for stack in stacks() {
        let folder = folder("read-back", stack);
        let ranks = if stack.is_some() { 3 } else { 1 };
        for kernel in SMALL {
            for how in ["--collective", "--independent"] {
                let arguments = [kernel, &[how, "--read-back", "--json", "--seed", "7"]].concat();
                let outcome = outcome(&words(stack, ranks, &arguments), &folder);
                assert_eq!(outcome["schema"], "ioglass.kernel/1");
                assert_eq!(outcome["kernel"], kernel[0]);
                assert_eq!(outcome["model"], Value::Null);
                assert_eq!(outcome["ranks"], ranks);
                assert_eq!(outcome["verified"], true, "{arguments:?}");
                let number = |name: &str| outcome[name].as_f64().unwrap();
                let rate = number("bytes") / 1e6 / number("seconds");
                assert!((number("bandwidth_mb_s") - rate).abs() < 1e-9 * rate);
                let file = folder.join(format!("{}.h5", kernel[0]));
                let size = fs::metadata(file).unwrap().len() as f64;
                assert!((number("bytes")..number("bytes") + 1e6).contains(&size), "{size}");
            }
        }
    }
}

#[test]
fn a_log_has_the_calls_of_a_kernel() {
    for stack in stacks() {
        let folder = folder("recorded", stack);
        let ranks = if stack.is_some() { 2 } else { 1 };
        let log = folder.join("kernel.darshan");
        let mut command = ioglass_run(&[], &log);
        command.args(words(stack, ranks, SMALL[2])).current_dir(&folder);
        let status = finish(command).unwrap();
        assert!(status.success(), "{status}");
        let log = Log::open(&log).unwrap();
        let sum = |module, column: usize| {
            let mut records = log.records(module).unwrap();
            let mut sum = 0;
            while let Some(record) = records.next().unwrap() {
                sum += record.int[column];
            }
            sum
        };
        assert_eq!(sum(&h5f::MODULE, h5f::OPENS), i64::from(ranks), "H5Fcreate of each rank");
        assert_eq!(sum(&h5d::MODULE, h5d::WRITES), 2 * i64::from(ranks), "a dataset per step");
        assert_eq!(sum(&h5d::MODULE, h5d::BYTES_WRITTEN), 2 * 26 * 4 * 2560);
        let has_mpi = log.job().metadata_value("mpi").is_some();
        assert_eq!(has_mpi, stack.is_some(), "the stack is told");
    }
}

#[test]
fn settings_reach_a_kernel() {
    for stack in stacks().into_iter().flatten() {
        let folder = folder("settings", Some(stack));
        let mut all: Vec<OsString> = vec![ioglass().into(), "apply".into()];
        all.extend(["-s", "hdf5.chunk_bytes=64K", "--json=verify.json", "--"].map(OsString::from));
        all.extend(words(Some(stack), 2, &[SMALL[2], &["--read-back", "--json"]].concat()));
        let outcome = outcome(&all, &folder);
        assert_eq!(outcome["verified"], true);
        let document = fs::read(folder.join("verify.json")).unwrap();
        let document: Value = serde_json::from_slice(&document).unwrap();
        assert_eq!(document["settings"][0]["state"], "applied", "{document:#}");
    }
}

#[test]
fn bad_options_run_nothing() {
    let folder = folder("options", None);
    let rows: &[(&[&str], &str)] = &[
        (&["ga"], "unrecognized subcommand"),
        (&["gcrm", "--particles", "7"], "unexpected argument"),
        (&["gcrm", "--resolution", "29"], "29 is not in"),
        (&["gcrm", "--resolution", "1", "--subdomains", "2"], "cannot have sub-domains of level 2"),
        (&["gcrm", "--chunk", "1,26"], "3 dimensions, the chunk has 2"),
        (&["gcrm", "--chunk", "1,0,2"], "it must not be 0"),
        (&["gcrm", "--chunk", "1,27,2"], "a chunk of 27 is longer than the dataset, which has 26"),
        (&["gcrm", "--collective", "--independent"], "cannot be used with"),
        (&["gcrm", "--steps", "0"], "0 is not in"),
        (&["gcrm", "--file", ""], "a value is required"),
        (&["vpic", "--particles", "0"], "it must not be 0"),
        (&["vpic", "--particles", "1e9"], "'1e9' is no whole number"),
        (&["vorpal", "--block", "1,2"], "expected three numbers"),
        (&["vorpal", "--block", "1,2,0"], "none of them must be 0"),
        (&["vorpal", "--grid", "2,2,2"], "has 8 blocks, one for each of 8 ranks; there are 1"),
        (&["vorpal", "--uneven", "100,0,0"], "blocks of 100 cells cannot have 100 less"),
        (&["vpic", "--mpi", "lam"], "invalid value"),
        (&["vpic", "--settings", "x.toml"], "--model"),
        (&["vpic", "--model", "hopper-2048", "--steps", "3"], "cannot be used with"),
        (&["vpic", "--model", "hopper"], "expected PLATFORM-RANKS"),
        (&["vpic", "--model", "frontier-8"], "no platform 'frontier'"),
    ];
    for (arguments, said) in rows {
        let output = run(&words(None, 1, arguments), &folder);
        let problem = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {problem}");
        assert!(problem.contains(said), "{arguments:?}: {problem}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "no file was made");
}

#[test]
fn a_library_that_cannot_be_used_is_told() {
    let folder = folder("libraries", None);
    let output = run(&words(None, 1, &["gcrm", "--hdf5", "/nowhere/libhdf5.so"]), &folder);
    let problem = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{problem}");
    assert!(problem.contains("HDF5 cannot be loaded: /nowhere/libhdf5.so"), "{problem}");
    // A library that is no HDF5.
    let output = run(&words(None, 1, &["gcrm", "--hdf5", "libm.so.6"]), &folder);
    let problem = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{problem}");
    assert!(problem.contains("libm.so.6 has no H5open"), "{problem}");
    // An HDF5 without MPI, under MPI.
    let stacks = stacks();
    let parallel = stacks.iter().copied().flatten().next();
    if let (Some(stack), true) = (parallel, stacks.iter().any(Option::is_none)) {
        let serial = ["gcrm", "--resolution", "3", "--hdf5", "libhdf5_serial.so.103"];
        let output = run(&words(Some(stack), 2, &serial), &folder);
        let problem = text(&output.stderr);
        assert!(!output.status.success(), "{problem}");
        assert!(problem.contains("H5Pset_fapl_mpio"), "{problem}");
    }
}

#[test]
fn a_file_that_cannot_be_made_ends_all_ranks() {
    for stack in stacks() {
        let folder = folder("no-folder", stack);
        let ranks = if stack.is_some() { 2 } else { 1 };
        let arguments = ["gcrm", "--resolution", "3", "--file", "nowhere/out.h5"];
        let output = run(&words(stack, ranks, &arguments), &folder);
        assert!(!output.status.success());
        let problem = text(&output.stderr);
        assert!(problem.contains("H5Fcreate failed"), "{problem}");
    }
}
