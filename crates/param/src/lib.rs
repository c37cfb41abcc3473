//! Tunable parameters of the I/O stack.
//!
//! A parameter is written down once, as a row of [`PARAMS`]: name, kind of value, condition, the call at
//! which it is applied, the way it is verified, values worth a search, meaning and risk. Settings files,
//! the injector, the search and the documents follow from these rows.
//!
//! * [`Param`] is a row; [`find`] finds one by its name, [`nearest`] guesses what a wrong name meant.
//! * [`Kind`] is a kind of value: it parses what people type, and [`Value`] prints the canonical form.
//! * [`flat`] is the one line in which settings travel to the library.
//! * [`State`] is what became of a setting.
//! * [`chunk`] shapes chunks of datasets.
//! * [`glob`] compares names of files and variables with patterns.
//!
//! ```
//! use ioglass_param::{find, hdf5};
//!
//! let (param, _) = find("hdf5.alignment").unwrap();
//! assert!(core::ptr::eq(param, &hdf5::ALIGNMENT));
//! assert_eq!(param.kind.parse("4K, 1MiB").unwrap().to_string(), "4096,1048576");
//! ```
//!
//! Invariants: no dependencies, no allocation, no `std`.

#![no_std]

pub mod chunk;
pub mod flat;
pub mod glob;
mod kind;
mod param;
mod state;
mod table;

pub use kind::{Invalid, Kind, Shape, Value};
pub use param::{
    Condition, INTERPRETERS, Layer, Param, Preset, Proof, Search, Site, When, find, find_in,
    nearest, nearest_word, tied_name,
};
pub use state::{COLUMNS, State};
pub use table::{PARAMS, cmd, env, fs, hdf5, libc, mpiio};
