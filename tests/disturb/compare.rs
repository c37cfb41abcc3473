//! Runs a script bare and recorded, in fresh copies of one directory, and compares everything that
//! it did.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::lifecycle::programs::source;
use crate::lifecycle::room::empty;
use crate::support::{ioglass, scratch};

/// What a script did.
#[derive(Debug, PartialEq)]
struct Outcome {
    status: i32,
    stdout: String,
    stderr: String,
    /// Files by path: mode, and contents or the target of a link.
    files: BTreeMap<PathBuf, (u32, Vec<u8>)>,
}

/// How a script is run.
#[derive(Clone, Copy, Debug)]
enum Way {
    Bare,
    Recorded(&'static [&'static str]),
}

/// A script for bash, and what it may use.
pub(crate) struct Case {
    name: String,
    script: String,
    environment: Vec<(String, PathBuf)>,
    status: i32,
}

/// Something to be run both ways. Names of cases are unique: they name directories.
pub(crate) fn case(name: &str, script: &str) -> Case {
    Case { name: name.into(), script: script.into(), environment: Vec::new(), status: 0 }
}

impl Case {
    /// A variable of the script: a program to run.
    pub(crate) fn with(mut self, name: &str, value: impl Into<PathBuf>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The status the bare script has, if not 0.
    pub(crate) fn fails_with(mut self, status: i32) -> Self {
        self.status = status;
        self
    }

    /// Fails if recording made any difference.
    #[track_caller]
    pub(crate) fn same(&self) {
        let bare = self.run(Way::Bare);
        assert_eq!(bare.status, self.status, "bare: {}: {}{}", self.name, bare.stdout, bare.stderr);
        let plain: &[&str] = &["--no-report"];
        for options in [plain, &["--no-report", "--trace"]] {
            let recorded = self.run(Way::Recorded(options));
            self.compare(&bare, &recorded, options);
        }
    }

    #[track_caller]
    fn compare(&self, bare: &Outcome, recorded: &Outcome, options: &[&str]) {
        let name = format!("{} {options:?}", self.name);
        let output =
            |outcome: &Outcome| (outcome.status, outcome.stdout.clone(), outcome.stderr.clone());
        assert_eq!(output(recorded), output(bare), "{name}: output");
        let paths = |outcome: &Outcome| outcome.files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(paths(recorded), paths(bare), "{name}: files");
        for (path, (mode, contents)) in &bare.files {
            let (other_mode, other_contents) = &recorded.files[path];
            assert_eq!(
                format!("{other_mode:o}"),
                format!("{mode:o}"),
                "{name}: {}",
                path.display()
            );
            assert!(other_contents == contents, "{name}: {} differs", path.display());
        }
    }

    fn run(&self, way: Way) -> Outcome {
        // The same path both times, because scripts print it.
        let folder = empty(&format!("disturb/{}", self.name));
        material(&folder);
        let logs = fs::canonicalize(scratch("disturb-logs")).unwrap();
        let log = logs.join(format!("{}.darshan", self.name));
        let _ = fs::remove_file(&log);
        // What hangs is ended: a deadlock of ours must not be one of the test run.
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", "120"]);
        if let Way::Recorded(options) = way {
            command.arg(ioglass()).arg("run").args(options).arg("-o").arg(&log).arg("--");
        }
        command.args(["bash", "-c", &self.script]);
        command.current_dir(&folder).stdin(Stdio::null());
        command.env("LC_ALL", "C").env("TZ", "UTC").env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("HOME", scratch("disturb-home")).env("PROGRAMS", source("disturb"));
        command.env_remove("LD_PRELOAD").env_remove("LD_LIBRARY_PATH");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let output = command.output().unwrap();
        let mut stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if let Way::Recorded(_) = way {
            assert!(log.exists(), "{}: no log: {stderr}", self.name);
            stderr = without_the_log_line(&stderr, &log);
        }
        let mut files = BTreeMap::new();
        snapshot(&folder, &folder, &mut files);
        let signal = output.status.signal().map(|number| 128 + number);
        Outcome {
            status: output.status.code().or(signal).unwrap(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr,
            files,
        }
    }
}

/// `run` says at the end where the log is; all else must be the program's.
fn without_the_log_line(stderr: &str, log: &Path) -> String {
    let end = stderr.trim_end_matches('\n');
    let start = end.rfind('\n').map_or(0, |place| place + 1);
    if end[start..].contains(log.to_str().unwrap()) {
        stderr[..start].into()
    } else {
        stderr.into()
    }
}

/// Fills a directory with files of all kinds, always the same, times included.
fn material(folder: &Path) {
    let mut state = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    })
    .take(300_000)
    .collect();
    let numbers: String = (1..=5000).map(|number| format!("{}\n", number * 7919 % 5003)).collect();
    let words: String = (0..2000).map(|line| format!("line {line} of {}\n", line % 17)).collect();
    fs::create_dir_all(folder.join("tree/inner")).unwrap();
    for (name, contents, mode) in [
        ("noise", &noise[..], 0o644),
        ("numbers", numbers.as_bytes(), 0o644),
        ("words", words.as_bytes(), 0o640),
        ("empty", b"", 0o600),
        ("tree/script", b"#!/bin/sh\necho ran\n", 0o755),
        ("tree/inner/data", &noise[..70_000], 0o444),
        ("tree/inner/with blank", b"blank\n", 0o644),
    ] {
        let path = folder.join(name);
        fs::write(&path, contents).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    }
    symlink("inner/data", folder.join("tree/link")).unwrap();
    // A directory's time changes with what is made in it, so directories come last.
    let files = ["noise", "numbers", "words", "empty", "tree/script", "tree/link"];
    let inner = ["tree/inner/data", "tree/inner/with blank", "tree/inner", "tree"];
    let mut touch = Command::new("touch");
    touch.args(["--no-dereference", "--date=@1700000000"]).args(files).args(inner);
    assert!(touch.current_dir(folder).status().unwrap().success());
}

fn snapshot(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let contents = if metadata.is_symlink() {
            fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
        } else if metadata.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        let relative = path.strip_prefix(root).unwrap().to_owned();
        files.insert(relative, (metadata.permissions().mode(), contents));
        if metadata.is_dir() {
            snapshot(root, &path, files);
        }
    }
}
