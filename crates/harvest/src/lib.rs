//! Captures of a job's processes become one Darshan log.
//!
//! * [`write()`] takes captures ([`Source`]) and the caller's knowledge of the job ([`Run`]) and writes the log:
//!   counters, heat maps, traces, and in the `IOGLASS` block the table of processes and all that Darshan has no
//!   counter for. It serves `ioglass run`, `ioglass recover`, and a program that writes its own log at exit.
//! * [`profile()`] makes the profile of the regions in the same captures.
//! * [`team`] does the same for ranks that each have only their own captures.
//! * [`process`], [`end`], [`sections`] and others write and read the tables of the `IOGLASS` block.
//!
//! ```
//! use ioglass_harvest::{Fate, Run, Source, write};
//!
//! // The bytes of a capture, mapped or read; these are none, so the log is that of a job without I/O.
//! let capture = [0; 64];
//! let sources = [Source { bytes: &capture, fate: Fate::Status(0) }];
//! let run = Run { command: b"./app", jobid: 42, ..Run::default() };
//! let (log, summary) = write(&sources, &run, Vec::new())?;
//! assert_eq!((summary.captures, summary.unreadable), (0, 1));
//! assert!(!log.is_empty());
//! # Ok::<(), ioglass_harvest::Error<std::convert::Infallible>>(())
//! ```
//!
//! Invariants: `no_std` and no `unsafe`; a capture is untrusted, so no bytes make this crate panic;
//! memory grows with the number of records, not with the length of traces, and where it is
//! refused that is an error, not an end.

#![no_std]

extern crate alloc;

mod capture;
mod common;
pub mod contexts;
mod counters;
pub mod end;
mod family;
pub mod files;
mod glance;
mod heat;
mod index;
mod job;
mod lustre;
pub mod metadata;
mod mounts;
mod names;
mod objects;
pub mod process;
mod rank;
mod regions;
pub mod sections;
pub mod settings;
pub mod team;
#[cfg(test)]
mod tests;
mod time;
mod trace;
mod write;

pub use capture::{Fate, Source};
pub use end::ProgramEnd;
pub use job::{Note, Run, Triggers, command};
pub use mounts::mounts;
pub use regions::{ProfileOf, message, profile};
pub use write::{Error, Summary, ranks, write};

use alloc::vec::Vec;

/// Memory was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoMemory;

impl From<ioglass_profile::NoMemory> for NoMemory {
    fn from(_: ioglass_profile::NoMemory) -> Self {
        Self
    }
}

/// Pushes, unless memory is refused.
pub(crate) fn push<T>(list: &mut Vec<T>, value: T) -> Result<(), NoMemory> {
    list.try_reserve(1).map_err(|_| NoMemory)?;
    list.push(value);
    Ok(())
}
