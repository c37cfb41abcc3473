//! Shared-memory layouts: the data that a recorded process leaves behind, however it ends.
//!
//! A *capture* is a file mapped by one process: a [`Header`], then *entries* one after the other.
//! Each entry begins with its size and kind ([`EntryHead`]). The writer reserves space by storing
//! the size first and stores the kind last, so a reader can walk a capture at any moment, even
//! after the writer was killed. Times are raw ticks; the header defines their unit.
//!
//! Invariants: `no_std`, no allocation; every structure is `repr(C)`, valid when all zero, and has
//! an asserted size that is a multiple of 8; a reader does not trust a capture.

#![no_std]

#[cfg(not(all(target_endian = "little", target_pointer_width = "64")))]
compile_error!("captures are laid out for 64-bit little-endian machines");

mod cell;
mod entry;
mod facts;
mod header;
mod heat;
mod library;
mod metadata;
mod object;
pub mod place;
mod pod;
mod region;
mod region_path;
pub mod room;
pub mod trace;
mod values;

pub use cell::{MpiioCell, Operation, OpsCell, PosixCell, StdioCell, ThreadCell};
pub use entry::{ENTRY_ALIGN, Entries, Entry, EntryHead, Kind, LayoutHead, Process};
pub use facts::{FileFacts, FileType};
pub use header::{Clock, Ending, HOST_SIZE, Header, Loss, MAGIC, Moment, VERSION};
pub use heat::{Api, BINS, HeatCell, MIN_WIDTH_NS};
pub use library::Library;
pub use metadata::{MetadataCall, MetadataCell, MetadataCount};
pub use object::{H5dCell, H5fCell, ObjectCell, PnetcdfFileCell, PnetcdfVarCell};
pub use pod::Pod;
pub use region::{
    EXACT_EXECUTIONS, IoCounts, IoLayer, MetricKind, NoticeCode, RegionCell, RegionIo, RegionKind,
    RegionLoss, RegionMetric, RegionNotice, RegionSlowest, RegionTag, RegionText, SLOWEST,
    SeriesHead, SeriesItem, SeriesNumber, SlowVisit, step_of,
};
pub use region_path::{PathNames, cut_path, escaped, unescaped};
pub use values::{
    INLINE_VALUES, INLINE_WIDE, MAX_VALUES, MORE_SLOTS, MoreValues, MoreWide, Values, Wide,
    WideValues,
};
