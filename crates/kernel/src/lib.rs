//! I/O kernels: programs that do nothing but write an HDF5 file in the pattern of a real code.
//!
//! [`Shape`] is the pattern: particles (`vpic`), blocks of a field (`vorpal`), ranges of a mesh (`gcrm`).
//! [`Libraries::find`] loads HDF5 and MPI, [`Session::run`] writes the file, times it, and reads it back if
//! it is to be verified. Data depends on the seed and on the place in the dataset alone, so that any number of
//! ranks under any MPI writes the same.
//!
//! Invariants: nothing is linked. Functions are looked up by name in the whole process, so that a
//! preloaded library comes first. The crate prints nothing.

#![allow(unsafe_code)] // functions of libraries that are found at run time

mod data;
mod gcrm;
mod hdf5;
mod libraries;
mod mpi;
mod run;
mod shape;
mod symbol;
mod vorpal;
mod vpic;

pub use gcrm::Gcrm;
pub use libraries::{Libraries, LibraryError, Stack};
pub use run::{KernelError, Outcome, Session, Transfer, Work};
pub use shape::{Element, Misfit, Part, Shape};
pub use vorpal::Vorpal;
pub use vpic::Vpic;
