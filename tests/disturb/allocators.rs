//! Other preloaded libraries, before ours and after.

use std::fs;
use std::path::{Path, PathBuf};

use super::compare::{Case, case};
use crate::lifecycle::programs::{compile, program, python};
use crate::support::missing;

/// Preloads `$OTHER` before and after what is preloaded already, and runs `command` with each.
fn preloaded(name: &str, command: &str, library: &Path) -> [Case; 2] {
    let before = format!(r#"export LD_PRELOAD="$OTHER${{LD_PRELOAD:+:$LD_PRELOAD}}"; {command}"#);
    let after = format!(r#"export LD_PRELOAD="${{LD_PRELOAD:+$LD_PRELOAD:}}$OTHER"; {command}"#);
    [(before, "before"), (after, "after")]
        .map(|(script, order)| case(&format!("{name}-{order}"), &script).with("OTHER", library))
}

/// A library of the system, wherever its directory for this kind of machine is.
fn library(name: &str) -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let mut places = folders.map(|folder| folder.path()).chain(["/usr/lib".into()]);
    let found = places.find_map(|folder| Some(folder.join(name)).filter(|path| path.exists()));
    if found.is_none() {
        missing("another allocator", Path::new(name));
    }
    found
}

#[track_caller]
fn allocator(file: &str) {
    let Some(library) = library(file) else { return };
    let command = r#"sort words | uniq -c | tail -2; "$PROGRAM"; "$PYTHON" "$PROGRAMS/threads.py""#;
    for case in preloaded(file, command, &library) {
        case.with("PROGRAM", program("disturb/mixture.c")).with("PYTHON", python()).same();
    }
}

#[test]
fn jemalloc() {
    allocator("libjemalloc.so.2");
}

#[test]
fn tcmalloc() {
    allocator("libtcmalloc_minimal.so.4");
}

#[test]
fn mimalloc() {
    allocator("libmimalloc.so.2");
}

#[test]
fn a_library_that_wraps_the_same_calls() {
    let wraps = compile("disturb/wraps.c", &["-shared", "-fPIC"]);
    // It prints how many calls passed through it: ours must neither add nor hide any.
    let command = r#""$PROGRAM"; cat words > copy; sort -o sorted words"#;
    for case in preloaded("wraps", command, &wraps) {
        case.with("PROGRAM", program("disturb/mixture.c")).same();
    }
}

#[test]
fn libraries_that_are_laid_out_in_other_ways() {
    let ways = [
        ("old-hashes", "-Wl,--hash-style=sysv"),
        ("new-hashes", "-Wl,--hash-style=gnu"),
        // It cannot be loaded where it was linked to be, but only below.
        ("high", "-Wl,-Ttext-segment=0x7fffffffe000"),
    ];
    for (name, layout) in ways {
        let library = compile("disturb/bystander.c", &["-shared", "-fPIC", layout]);
        let command = r#""$PROGRAM"; sort -o sorted words"#;
        for case in preloaded(name, command, &library) {
            case.with("PROGRAM", program("disturb/mixture.c")).same();
        }
    }
}
