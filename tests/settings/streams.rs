//! Settings of the C library: buffers of streams, block sizes, advice.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{apply, program, setting, succeeded, text};
use crate::peer;
use crate::record::run::without_settings;
use crate::support::scratch;

fn folder(name: &str) -> PathBuf {
    let folder = scratch("settings-streams").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

/// Runs a command with settings; what became of them, and what it printed.
fn verified(folder: &Path, settings: &[&str], command: &[&str]) -> (Value, String) {
    let json = folder.join("verify.json");
    let to = format!("--json={}", json.display());
    let settings = settings.iter().flat_map(|setting| ["-s", setting]);
    let options: Vec<&str> = [to.as_str()].into_iter().chain(settings).chain(["--"]).collect();
    let mut run = apply(folder, &[&options, command].concat());
    let output = succeeded({
        run.current_dir(folder);
        run
    });
    let document = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    (document, text(&output.stdout))
}

/// Runs it as it is; what it printed.
fn plain(folder: &Path, command: &[&str]) -> String {
    let mut run = Command::new(command[0]);
    run.args(&command[1..]).current_dir(folder);
    without_settings(&mut run);
    text(&succeeded(run).stdout)
}

/// The size that the program printed for a stream.
#[track_caller]
fn size(printed: &str, name: &str) -> u64 {
    let line = printed.lines().find_map(|line| line.strip_prefix(&format!("size {name} ")));
    line.unwrap_or_else(|| panic!("no {name} in {printed}")).parse().unwrap()
}

/// The lines about contents of files.
fn data(printed: &str) -> Vec<&str> {
    printed.lines().filter(|line| !line.starts_with("size ")).collect()
}

#[test]
fn streams_get_buffers_and_files_stay_the_same() {
    let Some(built) = program::plain("streams") else { return };
    let program = built.to_str().unwrap();
    let (before, after) = (folder("before"), folder("after"));
    let printed = plain(&before, &[program]);
    let (found, with) = verified(&after, &["libc.stdio_buffer=1MiB"], &[program]);
    for name in ["write", "read", "fdopen", "first", "second", "again", "forked", "left"] {
        assert_eq!(size(&with, name), 1 << 20, "{name}");
    }
    for name in ["append", "update", "null", "own", "none", "stdout"] {
        assert_eq!(size(&with, name), size(&printed, name), "{name}");
    }
    assert_eq!(size(&with, "large"), 64, "streams that have a buffer at once");
    assert_eq!(data(&printed), data(&with));
    for entry in fs::read_dir(&before).unwrap() {
        let name = entry.unwrap().file_name();
        let read = |folder: &Path| fs::read(folder.join(&name)).unwrap();
        assert!(read(&before) == read(&after), "{name:?}");
    }
    // The worst of its places: the program has set two buffers itself.
    let [state, _, reason] = setting(&found, "libc.stdio_buffer");
    assert_eq!((state, reason), ("changed", "the program sets its own buffer"));
    let places = found["settings"][0]["places"].as_array().unwrap();
    let state = |file: &str| {
        let mut states: Vec<&str> = places
            .iter()
            .filter(|place| place["file"].as_str().unwrap().ends_with(file))
            .map(|place| place["state"].as_str().unwrap())
            .collect();
        states.sort_unstable();
        states.dedup();
        states.join(" ")
    };
    assert_eq!(state("/fdopen"), "applied");
    assert_eq!(state("/own"), "changed");
    assert_eq!(state("/null"), "not-applicable");
}

#[test]
fn rules_choose_among_streams() {
    let Some(built) = program::plain("streams") else { return };
    let program = built.to_str().unwrap();
    let folder = folder("rules");
    let config = "[[for]]\nfile = \"fir*\"\nlibc.stdio_buffer = \"64KiB\"\n[[for]]\nfile = \"write\"\n\
                  force = true\nlibc.stdio_buffer = \"128KiB\"\n[[for]]\nfile = \"second\"\n\
                  program = \"another\"\nlibc.stdio_buffer = \"128KiB\"\n";
    fs::write(folder.join("c.toml"), config).unwrap();
    let mut run = apply(&folder, &["c.toml", "--", program]);
    let printed = text(
        &succeeded({
            run.current_dir(&folder);
            run
        })
        .stdout,
    );
    assert_eq!(size(&printed, "first"), 64 << 10);
    assert_eq!(size(&printed, "append"), 128 << 10, "with force");
    assert_ne!(size(&printed, "update"), 128 << 10, "never where it reads and writes");
    assert_ne!(size(&printed, "second"), 128 << 10);
}

const BLOCKS: &str = "
import sys
out = open('out', 'wb')
print(out.raw._blksize, file=sys.stdout)
for _ in range(50000):
    out.write(b'0123456789')
out.close()
";

#[test]
fn interpreters_get_a_block_size() {
    let Some(python) = peer::python() else { return };
    let python = python.to_str().unwrap();
    let folder = folder("blocks");
    let before: u64 = plain(&folder, &[python, "-c", BLOCKS]).trim().parse().unwrap();
    let written = fs::read(folder.join("out")).unwrap();
    let (found, after) = verified(&folder, &["libc.block_size=1MiB"], &[python, "-c", BLOCKS]);
    assert_eq!((before < 1 << 20, after.trim()), (true, "1048576"));
    assert_eq!(setting(&found, "libc.block_size")[..2], ["applied", "1048576"]);
    assert!(written == fs::read(folder.join("out")).unwrap());
    // Only upwards.
    let (_, after) = verified(&folder, &["libc.block_size=4096"], &[python, "-c", BLOCKS]);
    assert_eq!(after.trim().parse::<u64>().unwrap(), before);
    // Other programs only if the rule names them.
    let Some(built) = program::plain("streams") else { return };
    let program = built.to_str().unwrap();
    let (found, printed) = verified(&folder, &["libc.block_size=1MiB"], &[program]);
    let state = setting(&found, "libc.block_size")[0];
    assert_eq!(state, "not-applicable");
    assert_ne!(size(&printed, "write"), 1 << 20);
}

#[test]
fn the_kernel_is_told_how_files_are_read() {
    let Some(python) = peer::python() else { return };
    let python = python.to_str().unwrap();
    let folder = folder("advice");
    fs::write(folder.join("in"), vec![b'a'; 100_000]).unwrap();
    let script = "
import os, sys
print(sum(open('in', 'rb').read()))
fd = os.open('in', os.O_RDWR); os.close(fd)
fd = os.open('.', os.O_RDONLY); os.close(fd)
fd = os.open('out', os.O_WRONLY | os.O_CREAT); os.close(fd)
";
    let before = plain(&folder, &[python, "-c", script]);
    for advice in ["sequential", "random", "willneed", "none"] {
        let config = format!("[[for]]\nfile = \"in\"\nlibc.read_advice = \"{advice}\"\n");
        fs::write(folder.join("c.toml"), config).unwrap();
        let mut run = apply(&folder, &["c.toml", "--json=verify.json", "--", python, "-c", script]);
        run.current_dir(&folder);
        assert_eq!(text(&succeeded(run).stdout), before);
        let found = fs::read_to_string(folder.join("verify.json")).unwrap();
        let found: Value = serde_json::from_str(&found).unwrap();
        assert_eq!(setting(&found, "libc.read_advice")[..2], ["applied", advice]);
        let places = found["settings"][0]["places"].as_array().unwrap();
        assert_eq!(places.len(), 1, "opened for writing it gets none: {places:?}");
    }
}
