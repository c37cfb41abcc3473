//! Darshan logs: read, write, reduce, print.
//!
//! * [`Log`] opens a log and hands out its [`Job`], [`Names`] and records: one by one ([`Log::records_of`],
//!   [`Log::special`]), traced operations in chunks ([`Log::dxt`]), or either as columns ([`Log::columns`],
//!   [`Log::dxt_columns`]).
//! * [`LogWriter`] writes a log; [`reduce::RecordTable`] makes one record of many ranks' records.
//!   Both work without the feature `std`, because the recorder uses them inside other people's programs.
//! * [`mod@derive`] computes figures from records: totals, performance, file categories.
//! * [`text`] prints logs as the reference tools do, and turns such text back into a log.
//! * [`copy`] writes a log anew in the current format, [`salvage`] what is sound of a damaged one.
//! * [`block`] and [`piece`] are for those who write logs with additions of ours, or in several processes;
//!   [`table`] reads the additions that are text, [`name_path`] paths in them.
//!
//! Modules, counters and record types are those of `ioglass-schema`, which is exported here too.
//!
//! ```no_run
//! use ioglass_log::{Log, posix::{self, Posix}};
//!
//! let log = Log::open("app.darshan")?;
//! println!("{} ran on {} ranks", log.job().exe(), log.job().nprocs);
//! for record in log.records_of::<Posix>()? {
//!     let record = record?;
//!     println!("{}: {} opens", log.names().lookup(record.base.id), record.int[posix::OPENS]);
//! }
//! # Ok::<(), ioglass_log::Error>(())
//! ```
//!
//! Invariants: a log is untrusted, so no input makes this crate panic or take unbounded memory, except where a
//! caller asks for all of it as columns; an [`Error`] says what is wrong and where, and its kind is a type, not a
//! text; this crate never prints; counters are known only through the tables of `ioglass-schema`.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod block;
mod bytes;
mod codec;
mod deflate;
mod encoder;
mod header;
mod job;
pub mod name_path;
pub mod piece;
mod record;
pub mod reduce;
pub mod table;
mod write;
mod zlib;

#[cfg(feature = "std")]
mod decode;
#[cfg(feature = "std")]
pub mod derive;
#[cfg(feature = "std")]
mod error;
#[cfg(feature = "std")]
mod log_region;
#[cfg(feature = "std")]
mod names;
#[cfg(feature = "std")]
mod read;
#[cfg(feature = "std")]
mod rewrite;
#[cfg(feature = "std")]
mod source;
#[cfg(feature = "std")]
pub mod text;

pub use bytes::Order;
pub use codec::Compression;
pub use header::{Extent, Header, Version};
pub use ioglass_schema::*;
pub use job::{Job, Mount};
pub use record::{
    Apmpi, ApmpiHeader, ApmpiRank, Apxc, ApxcHeader, ApxcRouter, DxtHead, Encode, Heatmap, Lustre,
    LustreComponent, MdhimServers, RecordBuf, Segment,
};
pub use write::{LogWriter, ModuleWriter, NamesWriter, Sink, Stream, WriteError};

#[cfg(feature = "std")]
pub use {
    error::{Damage, Error, LogRegion, NotALog},
    names::Names,
    read::{
        DxtChunk, DxtColumnChunks, DxtColumns, DxtReader, Log, ModuleInfo, Operation,
        RecordColumnChunks, RecordColumns, Records, Special, SpecialRecords, TypedRecords,
    },
    rewrite::{CopyError, copy, salvage},
};
