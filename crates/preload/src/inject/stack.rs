//! The libraries of the program, for the log.

use core::fmt::Write;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ioglass_recorder::setting;

use super::row::Words;
use crate::hdf5::library::Library as Hdf5;
use crate::mpi::Library as Mpi;

/// Notes which HDF5 is used, once.
pub(crate) fn note_hdf5(library: &Hdf5) {
    static NOTED: AtomicBool = AtomicBool::new(false);
    if !NOTED.load(Relaxed) && setting::is_wanted() && !NOTED.swap(true, Relaxed) {
        ask_hdf5(library);
    }
}

#[cold]
#[inline(never)]
fn ask_hdf5(library: &Hdf5) {
    let Some(ask) = library.H5get_libversion() else { return };
    let (mut major, mut minor, mut release) = (0, 0, 0);
    // SAFETY: fills three numbers.
    if unsafe { ask(&raw mut major, &raw mut minor, &raw mut release) } >= 0 {
        let mut line = Words::<64>::new();
        let _ = write!(line, "hdf5={major}.{minor}.{release}");
        setting::note_stack(line.bytes());
    }
}

/// Notes which MPI is used, and which MPI-IO, once.
pub(super) fn note_mpi(library: Mpi, mpiio: impl Fn() -> &'static str) {
    static NOTED: AtomicBool = AtomicBool::new(false);
    if !NOTED.load(Relaxed) && setting::is_wanted() && !NOTED.swap(true, Relaxed) {
        ask_mpi(library, mpiio());
    }
}

#[cold]
#[inline(never)]
fn ask_mpi(library: Mpi, mpiio: &str) {
    let Some(told) = library.version() else { return };
    let mut line = Words::<96>::new();
    let _ = line.write_str("mpi=");
    push_name(told.get().to_bytes(), &mut line);
    setting::note_stack(line.bytes());
    let mut line = Words::<32>::new();
    let _ = write!(line, "mpiio={mpiio}");
    setting::note_stack(line.bytes());
}

/// Writes the name and the version of what MPI says of itself: `MPICH Version:\t4.0.2` or
/// `Open MPI v4.1.4, package: …`.
fn push_name(told: &[u8], line: &mut Words<96>) {
    let first = told.split(|byte| matches!(byte, b'\n' | b',')).next().unwrap_or_default();
    let words = first.split(u8::is_ascii_whitespace);
    let mut is_first = true;
    for word in words.filter(|word| !word.is_empty() && *word != b"Version:") {
        let version =
            word.strip_prefix(b"v").filter(|rest| rest.first().is_some_and(u8::is_ascii_digit));
        if !is_first {
            line.push(b" ");
        }
        line.push(version.unwrap_or(word));
        is_first = false;
    }
}
