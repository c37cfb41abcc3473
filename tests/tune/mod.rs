//! `ioglass tune`: what can be typed, what is printed and written, and what bad input gets.
//!
//! Nothing here rests on a measured time: runs are those of a model, or their number is what a program
//! prints.

mod capabilities;
mod command;
mod ends;
mod logs;
mod model;
mod motifs;
mod programs;
mod results;
mod slurm;
mod walk;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::record::run::without_settings;
use crate::support::{ioglass, scratch};

/// An empty folder of a test.
fn empty(name: &str) -> PathBuf {
    let folder = scratch(&format!("tune-{name}"));
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// `ioglass tune` with these arguments in a folder.
fn tune(folder: &Path, arguments: &[&str]) -> Command {
    command(folder, "tune", arguments)
}

/// A command of ioglass with these arguments in a folder.
fn command(folder: &Path, name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(ioglass());
    command.arg(name).args(arguments).current_dir(folder);
    without_settings(&mut command);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Status, standard output and standard error.
fn run(mut command: Command) -> (i32, String, String) {
    let output: Output = command.output().unwrap();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// The document that `--json` prints.
#[track_caller]
fn json(tune: &Command) -> Value {
    let folder = tune.get_current_dir().unwrap();
    let arguments: Vec<&str> = tune.get_args().skip(1).map(|word| word.to_str().unwrap()).collect();
    let mut asked = command(folder, "tune", &[&["--json"][..], &arguments].concat());
    let output = asked.output().unwrap();
    assert!(output.status.success(), "{asked:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The lines of a journal.
fn journal(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Files and folders in a folder, by name.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Writes a script that can be run.
fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}
