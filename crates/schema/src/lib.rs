//! Darshan's modules and counters, as tables.
//!
//! Each counter is written down once, as a row of a table in `modules/`: name, rule of reduction, unit, first
//! version, meaning. Everything that other crates do with counters follows from these rows.
//!
//! * [`Module`] is the table of one module; [`modules`] lists all, [`module_named`] finds one.
//! * [`Counter`] is a row: its [`Rule`] says how two values become one, its [`Unit`] what the number means.
//! * [`FixedRecord`] types such as [`posix::Posix`] are records; constants such as [`posix::OPENS`] and
//!   [`posix::f::READ_TIME`] are the indices of their counters. [`RecordRef`] is a record of any module.
//! * [`record_id`] computes the id of a record from the name of its file.
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

mod counter;
mod hash;
mod module;
mod modules;

pub use counter::{Counter, Rule, Unit};
pub use hash::{hash, record_id};
pub use module::{BASE_SIZE, Base, FixedRecord, Layout, Link, Module, ModuleId, RecordRef};
pub use modules::*;
