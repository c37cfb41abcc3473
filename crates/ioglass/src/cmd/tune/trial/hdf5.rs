//! HDF5 files, read through the library of the program, in a process of its own.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ioglass_content::hdf5::Content;
use ioglass_insight::model::Run;
use ioglass_job::program::Program;

/// The names under which HDF5 may be found if the program does not tell.
const USUAL: [&str; 4] =
    ["libhdf5.so", "libhdf5_serial.so", "libhdf5_mpich.so", "libhdf5_openmpi.so"];
/// What an interpreter of Python is asked.
const PYTHON: &str = "import h5py\nfor line in open('/proc/self/maps'):\n    path = \
                      line.split()[-1]\n    if '/libhdf5' in path and '_hl' not in path: print(path)";

/// An HDF5 library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Library(PathBuf);

impl Library {
    /// The library of a program that was recorded, else one that can read its files.
    pub(super) fn of(run: &Run) -> Option<Library> {
        let commands = run.processes.iter().map(|process| process.command.as_str());
        let commands = commands.chain([run.doer_command()]);
        let words: BTreeSet<&str> = commands
            .filter_map(|command| ioglass_insight::program::launched(command).first().copied())
            .collect();
        let programs: Vec<Program> =
            words.into_iter().map(|word| Program::inspect(OsStr::new(word))).collect();
        let own = programs.iter().find_map(|program| needed(&program.path));
        let own = own.or_else(|| programs.iter().find_map(of_python));
        own.or_else(installed).map(Library)
    }

    /// What files contain; nothing for those that cannot be read.
    pub(super) fn read(&self, files: &[PathBuf]) -> Vec<Option<Content>> {
        let output = std::env::current_exe().and_then(|command| {
            Command::new(command)
                .arg("content")
                .arg(&self.0)
                .args(files)
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output()
        });
        let text = output.map(|output| output.stdout).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut read: Vec<Option<Content>> =
            text.lines().map(|line| serde_json::from_str(line).ok().flatten()).collect();
        read.resize(files.len(), None);
        read
    }
}

/// The library of HDF5 that a program is linked with, as the loader finds it.
fn needed(program: &Path) -> Option<PathBuf> {
    let listed = Command::new(program)
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .env_remove("LD_PRELOAD")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let of_line = |line: &str| {
        let (name, path) = line.trim().split_once(" => ")?;
        let path = path.split(" (").next().unwrap_or_default();
        is_library(name).then(|| PathBuf::from(path))
    };
    text.lines().find_map(of_line).filter(|path| path.is_absolute())
}

/// `libhdf5.so.103`, `libhdf5_mpich.so.103`, but not the library of Fortran or the high-level one.
fn is_library(name: &str) -> bool {
    let stem = name.rsplit('/').next().unwrap_or_default().split(".so").next();
    let stem = stem.unwrap_or_default();
    stem == "libhdf5"
        || stem.starts_with("libhdf5-")
        || USUAL.iter().any(|usual| usual.split(".so").next() == Some(stem))
}

/// The library that h5py loads in this interpreter.
fn of_python(program: &Program) -> Option<PathBuf> {
    let interpreter = program.interpreter.as_ref().unwrap_or(&program.path);
    let name = interpreter.file_name()?.to_string_lossy().into_owned();
    if !name.starts_with("python") {
        return None;
    }
    let told = Command::new(interpreter)
        .args(["-c", PYTHON])
        .env_remove("LD_PRELOAD")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    text.lines().find(|path| is_library(path)).map(PathBuf::from)
}

/// A library that the loader of the system knows.
fn installed() -> Option<PathBuf> {
    let list = |command: &&str| {
        let mut listing = Command::new(command);
        listing.arg("-p").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()
    };
    let known = ["/sbin/ldconfig", "ldconfig"].iter().find_map(list)?;
    let text = String::from_utf8_lossy(&known.stdout).into_owned();
    let paths = || text.lines().filter_map(|line| Some(line.split_once(" => ")?.1));
    let of =
        |usual: &&str| paths().find(|path| path.contains(&format!("/{usual}"))).map(PathBuf::from);
    USUAL.iter().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_their_names() {
        for name in
            ["libhdf5.so.200", "libhdf5_mpich.so.103", "/x/libhdf5-9a.so.1", "libhdf5_serial.so"]
        {
            assert!(is_library(name), "{name}");
        }
        for name in ["libhdf5_hl.so.100", "libhdf5_fortran.so", "libc.so.6", "libhdf5hl_fortran.so"]
        {
            assert!(!is_library(name), "{name}");
        }
    }
}
