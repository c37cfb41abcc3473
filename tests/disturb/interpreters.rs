//! Python, Node and Perl.

use std::path::Path;
use std::process::Command;

use super::compare::case;
use crate::lifecycle::programs::python;
use crate::support::missing;

/// Whether there is a command `name`; says so if not.
fn has(name: &str) -> bool {
    let found = Command::new(name).arg("-v").output().is_ok();
    if !found {
        missing("an interpreter under the recorder", Path::new(name));
    }
    found
}

fn has_module(name: &str) -> bool {
    let import = format!("import {name}");
    let found = Command::new(python()).args(["-c", &import]).output().unwrap().status.success();
    if !found {
        missing("Python under the recorder", Path::new(name));
    }
    found
}

#[track_caller]
fn script(name: &str) {
    case(&format!("python-{name}"), &format!(r#""$PYTHON" "$PROGRAMS/{name}.py""#))
        .with("PYTHON", python())
        .same();
}

#[test]
fn python_numpy_and_h5py() {
    if has_module("numpy") && has_module("h5py") {
        script("arrays");
    }
}

#[test]
fn python_sqlite() {
    script("database");
}

#[test]
fn python_threads() {
    script("threads");
}

#[test]
fn python_asyncio() {
    script("asynchronous");
}

#[test]
fn python_processes() {
    script("processes");
}

#[test]
fn python_files() {
    script("files");
}

#[test]
fn node() {
    if has("node") {
        case("node", r#"node "$PROGRAMS/files.js"; echo $?"#).same();
    }
}

#[test]
fn perl() {
    if has("perl") {
        case("perl-in-place", "perl -i.bak -pe 's/line/LINE/' words").same();
        case("perl", r#"perl "$PROGRAMS/files.pl""#).same();
    }
}
