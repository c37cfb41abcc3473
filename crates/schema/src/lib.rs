//! What Darshan's modules and counters are, as tables.
//!
//! Each counter is written down once, in `modules/`. The [`module::Module`] tables, the record
//! types such as [`posix::Posix`] and the index constants such as [`posix::OPENS`] all come from
//! that one row, and so does everything other crates do with counters.
//!
//! ```
//! use ioglass_schema::{FixedRecord, posix::{self, Posix}, record_id};
//!
//! let mut record = Posix::new(record_id(b"/scratch/x/file.dat"), 0);
//! record.int[posix::OPENS] += 1;
//! assert_eq!(record.view().int("POSIX_OPENS"), Some(1));
//! ```
//!
//! Invariants: no dependencies, no allocation, no `std`; the order of rows is the order in logs.

#![no_std]

pub mod counter;
mod hash;
pub mod module;
mod modules;

pub use counter::{Counter, Rule, Unit};
pub use hash::{hash, record_id};
pub use module::{Base, FixedRecord, Layout, Module, ModuleId, RecordRef};
pub use modules::*;
