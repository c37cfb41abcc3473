//! The recorder makes no system calls of its own each time a stream is used.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::lifecycle::programs::program;
use crate::record::run::{Mode, under, without_settings};
use crate::support::{missing, scratch};

/// More than the recorder needs once for a stream, and less than the program makes of each call.
const FEW: usize = 20;

#[test]
fn calls_on_streams_add_none() {
    let strace = Path::new("/usr/bin/strace");
    if !strace.exists() {
        return missing("strace", strace);
    }
    for arguments in [&[][..], &["threads"]] {
        let bare = traced(&Command::new("env"), "bare", arguments);
        let log = scratch("system-calls").join("log.darshan");
        let _ = fs::remove_file(&log);
        let recorded = traced(&under(Mode::Library, &log), "recorded", arguments);
        assert!(log.exists(), "nothing was recorded");
        assert!(bare.len() > 400, "{bare:?}");
        let more: Vec<String> = bare
            .iter()
            .map(|(name, count)| (name, count, recorded[name]))
            .filter(|(_, bare, recorded)| *recorded > *bare + FEW)
            .map(|(name, bare, recorded)| format!("{name}: {recorded} instead of {bare}"))
            .collect();
        assert!(more.is_empty(), "system calls, {arguments:?}:\n{}", more.join("\n"));
    }
}

/// Number of system calls by mode, buffer and call of `stream_calls.c`, which `starter` starts.
fn traced(starter: &Command, name: &str, arguments: &[&str]) -> BTreeMap<String, usize> {
    let folder = scratch("system-calls").canonicalize().unwrap().join(name);
    fs::create_dir_all(&folder).unwrap();
    let trace = folder.join("strace");
    let mut command = Command::new("strace");
    command.arg("-o").arg(&trace).arg(starter.get_program()).args(starter.get_args());
    command.arg(program("disturb/stream_calls.c")).args(arguments);
    without_settings(&mut command);
    let status = command.current_dir(&folder).status().unwrap();
    assert!(status.success(), "{name}: {status}");
    let (mut found, mut next) = (BTreeMap::new(), None);
    for line in fs::read_to_string(&trace).unwrap().lines() {
        if let Some((_, rest)) = line.split_once("\"next/") {
            let name = rest.split('"').next().unwrap_or_default();
            next = (name != "end").then(|| found.entry(name.to_owned()).or_insert(0));
        } else if let Some(count) = &mut next {
            **count += 1;
        }
    }
    found
}
