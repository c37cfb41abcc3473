//! `ioglass doctor` says whether a program has annotations, and whether they would be seen.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::seen::annotated;
use crate::lifecycle::programs::{compile, program};
use crate::lifecycle::room::Room;
use crate::support::{ioglass, root};

/// What is said of a program: annotated, seen, and the words.
fn ask(program: &Path, variables: &[(&str, &str)]) -> (bool, bool, String) {
    let mut command = Command::new(ioglass());
    command.args(["doctor", "--json"]).arg(program).envs(variables.iter().copied());
    let told: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let regions = &told["program"]["regions"];
    let checks = told["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["check"] == "regions").unwrap();
    let is = |name: &str| regions[name].as_bool().unwrap();
    (is("annotated"), is("seen"), check["words"].as_str().unwrap().to_owned())
}

#[test]
fn compiled_programs_are_known_by_their_file() {
    let (is_annotated, is_seen, words) = ask(&annotated("regions/files.c"), &[]);
    assert!(is_annotated && is_seen, "{words}");
    let (is_annotated, is_seen, words) = ask(&program("life/append.c"), &[]);
    assert!(!is_annotated && !is_seen, "{words}");
    let off = [("IOGLASS_REGIONS", "0")];
    let (is_annotated, is_seen, words) = ask(&annotated("regions/files.c"), &off);
    assert!(is_annotated && !is_seen && words.contains("IOGLASS_REGIONS=0"), "{words}");
    let include = format!("-I{}", root().join("crates/region/include").display());
    let fixed = compile("regions/files.c", &[&include, "-static"]);
    let (is_annotated, is_seen, words) = ask(&fixed, &[]);
    assert!(is_annotated && !is_seen && words.contains("linked statically"), "{words}");
    let removed = compile("regions/files.c", &[&include, "-DIOGLASS_NO_REGIONS"]);
    assert!(!ask(&removed, &[]).0);
}

#[test]
fn scripts_are_known_by_what_they_import() {
    let room = Room::new("regions-doctor");
    let script = |name: &str, text: &str| {
        let path = room.folder.join(name);
        fs::write(&path, format!("#!/usr/bin/env python3\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    assert!(ask(&script("a.py", "from ioglass import region"), &[]).1);
    assert!(!ask(&script("b.py", "import os"), &[]).0);
}
