//! Programs in `tests/programs/settings`, compiled for each HDF5.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::hdf5::programs::newer_library;
use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::support::{missing, root};

/// An HDF5: its compiler, and the MPI below it.
pub(super) struct Hdf5 {
    pub(super) name: &'static str,
    compiler: &'static str,
    pub(super) mpi: Option<&'static Stack>,
}

pub(super) const SERIAL: Hdf5 = Hdf5 { name: "serial", compiler: "h5cc", mpi: None };
pub(super) const OF_MPICH: Hdf5 =
    Hdf5 { name: "mpich", compiler: "h5pcc.mpich", mpi: Some(&MPICH) };
pub(super) const OF_OPEN_MPI: Hdf5 =
    Hdf5 { name: "openmpi", compiler: "h5pcc.openmpi", mpi: Some(&OPEN_MPI) };
/// Those with MPI.
pub(super) const PARALLEL: [Hdf5; 2] = [OF_MPICH, OF_OPEN_MPI];

/// Tests run at once, and must not start what another is still writing.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

impl Hdf5 {
    /// A program, compiled; `None` if the compiler is missing, which is said. `-shlib`, because settings
    /// do not reach a library that is linked statically.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        compiled(name, self.name, self.compiler, &["-shlib"])
    }

    /// The same with a library that is a part of the program.
    pub(super) fn static_program(&self, name: &str) -> Option<PathBuf> {
        compiled(name, &format!("{}-static", self.name), self.compiler, &["-noshlib"])
    }

    /// The words that start a program, on two ranks if there is MPI.
    pub(super) fn started(&self, program: &Path) -> Vec<OsString> {
        let mut words = self.mpi.map(|mpi| mpi.launcher(2)).unwrap_or_default();
        words.push(program.into());
        words
    }
}

/// A program for the HDF5 library that h5py brings, which is newer than Debian's, compiled.
pub(super) fn newer(name: &str) -> Option<PathBuf> {
    let library = newer_library()?;
    let library = library.to_str().expect("a path that is text");
    let folder = library.rsplit_once('/').map_or("", |(folder, _)| folder);
    // The library stands behind the source that needs it.
    let place = format!("-Wl,--no-as-needed,-rpath,{folder}");
    compiled(name, "newer", "gcc", &[&place, library])
}

/// A program without MPI and HDF5, compiled.
pub(crate) fn plain(name: &str) -> Option<PathBuf> {
    compiled(name, "plain", "gcc", &[])
}

/// Compiles a program for one of several libraries.
fn compiled(name: &str, library: &str, compiler: &str, flags: &[&str]) -> Option<PathBuf> {
    let compiler = Path::new("/usr/bin").join(compiler);
    if !compiler.exists() {
        missing(name, &compiler);
        return None;
    }
    let source = root().join("tests/programs/settings").join(format!("{name}.c"));
    let folder = root().join("target/programs/settings").join(library);
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join(name);
    let _turn = ONE_AT_A_TIME.lock().unwrap();
    let modified = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    if modified(&source) < modified(&program) {
        return Some(program);
    }
    let mut command = Command::new(compiler);
    command.current_dir(&folder).args(flags).args(["-g", "-Wall", "-o"]).arg(&program).arg(source);
    let output = command.output().unwrap();
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {problem}");
    Some(program)
}
