//! The logic behind the functions that libioglass.so interposes.
//!
//! A call looks up its descriptor in a table ([`file`]), runs, and is counted ([`posix`],
//! [`stdio`], [`mpiio`]) in a record of the capture ([`capture`]), a mapped file that outlives the
//! process. Its bytes are added to the heat map ([`heat`]); if tracing is on, the call is added to
//! the trace ([`trace`]). [`thread`] keeps the recorder from recording itself, [`process`] handles
//! start, fork and end of processes, [`settings`] reads the user's settings.
//!
//! Invariants: `no_std`, no allocation, no panics, nothing printed, nothing exported; never calls a
//! function that libioglass.so interposes; holds no lock while the program's own call runs.

#![cfg_attr(not(test), no_std)]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!(
    "ioglass records programs on Linux on x86-64; there is no recorder for this target yet"
);

mod access;
pub mod capture;
pub mod clock;
pub mod command;
pub mod coverage;
mod deferred;
pub mod file;
pub mod handles;
pub mod hdf5;
pub mod heat;
mod hot;
mod index;
mod lane;
pub mod local_time;
pub mod log_name;
mod lustre;
pub mod mapping;
pub mod meeting;
pub mod memory;
pub mod metadata;
pub mod mpiio;
pub mod naming;
pub mod neighbour;
pub mod object;
pub mod path;
pub mod pattern;
pub mod pending;
pub mod pnetcdf;
mod pnetcdf_names;
pub mod posix;
pub mod process;
pub mod program;
mod queue;
pub mod rank;
pub mod region;
pub mod room;
mod scratch;
pub mod setting;
pub mod settings;
mod size;
pub mod span;
mod spin;
pub mod stdio;
pub mod sys;
pub mod thread;
mod thread_slot;
pub mod trace;
mod values;
pub mod wait;
mod wide;
