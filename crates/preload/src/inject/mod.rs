//! Injection of settings: the only place where an argument of the program is changed.
//!
//! Settings come as one line in `IOGLASS_SETTINGS` ([`plan`]). Without it, a call costs one test. With it,
//! a call that has settings is made with copies of the program's property lists or infos; if it fails so,
//! it is made as the program wanted it. What became of each setting is asked of the stack and goes into the
//! capture ([`row`]).

mod advice;
mod block_size;
mod facts;
mod hdf5_dataset;
mod hdf5_file;
mod hdf5_library;
mod hdf5_transfer;
mod mpi_file;
mod place;
mod plan;
mod row;
mod stack;
mod stream;

pub(crate) use advice::opened_file;
pub(crate) use block_size::found_by_descriptor;
pub(crate) use hdf5_dataset::{DatasetCall, create_dataset};
pub(crate) use hdf5_file::{FileLists, open_file};
pub(crate) use hdf5_transfer::transfer;
pub(crate) use mpi_file::{FileCall, note_mpi, open as open_mpi_file};
pub(crate) use plan::begin;
pub(crate) use stack::note_hdf5;
pub(crate) use stream::{chose_buffer, closing_stream, opened_stream};

/// Forgets libraries that are no longer loaded.
pub(crate) fn forget_unloaded() {
    hdf5_library::Lists::forget_unloaded(|_| {});
}
