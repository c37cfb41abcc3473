//! Profiles of annotated programs: where the time of each region went, on every rank.
//!
//! * [`model`] has the types: a [`Profile`] is a tree of [`Region`]s, each with the figures of the
//!   processes that were there.
//! * [`Builder`] makes one of what the processes of a job recorded, or of the parts of a job.
//! * [`write()`] makes the bytes of an `.ioprof` file, [`Reader`] reads them.
//! * [`mod@summary`] has the totals of regions.
//!
//! ```
//! use ioglass_profile::{Builder, Head, Node, Process, Row};
//!
//! let mut builder = Builder::new(Head { ranks: 1, ..Head::default() });
//! let visit = Row { calls: 1, time_ns: 5, min_ns: 5, max_ns: 5, ..Row::default() };
//! let main = Node { name: b"main", rows: vec![visit], ..Node::default() };
//! builder.process(Process::default(), vec![main])?;
//! let profile = builder.finish()?;
//! assert_eq!(profile.regions[0].rows[0].exclusive_ns, 5);
//! # Ok::<(), ioglass_profile::NoMemory>(())
//! ```
//!
//! Invariants: building and writing work inside other people's programs, so they need only `alloc`,
//! and a refused allocation is an error. A profile that is read is untrusted: no input makes this
//! crate panic, hang or use more memory than 64 MB plus 32 times the file, and as much again for the
//! rows of a region, its iterations, and all rows at once. The writer makes files large enough for that. The crate never prints.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod build;
pub mod format;
mod group;
pub mod model;
mod read;
#[cfg(feature = "std")]
mod set;
#[cfg(feature = "std")]
mod split;
pub mod summary;

pub use build::{Builder, Node};
pub use format::{Compression, Damage, Manifest, Part, write, write_with_totals};
pub use group::Groups;
pub use model::{
    Ending, Head, Io, Kind, Layer, Lost, Measure, Metric, MetricSeries, Notice, NoticeCode,
    Overhead, Process, Profile, RankKind, Region, Row, Series, Slow, State, Tag,
};

pub use read::{Error, Problem, Reader};
#[cfg(feature = "std")]
pub use set::{OpenError, Set, SetProblem};
pub use summary::{Summary, summarize};

use alloc::vec::Vec;

/// Memory was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoMemory;

impl core::fmt::Display for NoMemory {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("memory was refused")
    }
}

impl core::error::Error for NoMemory {}

/// Pushes, unless memory is refused.
pub(crate) fn push<T>(list: &mut Vec<T>, value: T) -> Result<(), NoMemory> {
    list.try_reserve(1).map_err(|_| NoMemory)?;
    list.push(value);
    Ok(())
}

/// A copy of bytes, unless memory is refused.
pub(crate) fn copy(bytes: &[u8]) -> Result<Vec<u8>, NoMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(bytes.len()).map_err(|_| NoMemory)?;
    list.extend_from_slice(bytes);
    Ok(list)
}
