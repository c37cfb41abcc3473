//! Kernels on a striped file system of delays, which `tests/programs/delay/delay.c` makes.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{folder, stacks, text, words};
use crate::record::run::without_settings;
use crate::support::{ioglass, missing, root, scratch};

/// Storage targets of the layer.
const TARGETS: usize = 16;
/// The bytes that its processes share, and more.
const STATE: u64 = 1 << 20;

/// The layer, compiled.
fn layer() -> Option<PathBuf> {
    let library = scratch("kernel-delay").join("delay.so");
    let source = root().join("tests/programs/delay/delay.c");
    let mut command = Command::new("cc");
    command.args(["-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o"]).arg(&library);
    let Ok(output) = command.arg(source).arg("-ldl").output() else {
        missing("a C compiler", Path::new("cc"));
        return None;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(library.canonicalize().unwrap())
}

/// Runs words on the layer. Gives what they print, and for each target the seconds that it was busy.
fn delayed(layer: &Path, words: &[OsString], folder: &Path) -> (Value, [f64; TARGETS]) {
    let state = folder.join("state");
    File::create(&state).unwrap().set_len(STATE).unwrap();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(folder);
    without_settings(&mut command);
    command.env("LD_PRELOAD", layer).env("DELAY_STATE", &state).env("DELAY_FOLDER", folder);
    let output = command.output().unwrap();
    let problem = text(&output.stderr);
    assert!(output.status.success(), "{words:?}: {}: {problem}", output.status);
    let told = fs::read(&state).unwrap();
    let number = |place: usize| {
        let bytes = told[8 * place..][..8].try_into().unwrap();
        u64::from_ne_bytes(bytes) as f64 / 1e9
    };
    let busy = std::array::from_fn(|target| number(TARGETS + target));
    (serde_json::from_slice(&output.stdout).unwrap(), busy)
}

#[test]
fn stripes_spread_the_time_over_targets() {
    let Some(layer) = layer() else { return };
    for stack in stacks().into_iter().flatten() {
        let folder = folder("delay", Some(stack));
        let kernel = words(Some(stack), 2, &["vpic", "--particles", "200000", "--json"]);
        let with = |count: &str| {
            let set = format!("fs.striping_factor={count}");
            let mut all: Vec<OsString> = vec![ioglass().into(), "apply".into()];
            all.extend(["-s", &set, "--"].map(OsString::from));
            all.extend(kernel.clone());
            all
        };
        let mut busiest = Vec::new();
        for (words, stripes) in [(kernel.clone(), 2), (with("4"), 4), (with("8"), 8)] {
            let (outcome, busy) = delayed(&layer, &words, &folder);
            let used = busy.iter().filter(|seconds| **seconds > 0.0).count();
            assert_eq!(used, stripes, "{busy:?}");
            let most = busy.into_iter().fold(0.0, f64::max);
            // One request after the other: the kernel waits for the busiest target.
            let seconds = outcome["seconds"].as_f64().unwrap();
            assert!(seconds >= most, "{seconds} s, the busiest target {most} s");
            busiest.push(most);
        }
        // 12.8 MB at 40 MB/s.
        assert!(busiest[0] > 0.16, "{busiest:?}");
        assert!(busiest[1] < 0.8 * busiest[0] && busiest[2] < 0.8 * busiest[1], "{busiest:?}");
    }
}
