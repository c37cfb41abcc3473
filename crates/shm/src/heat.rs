//! Bytes over time.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::pod::pod;

/// Bins of a heat map.
pub const BINS: usize = 200;
/// Initial width of a bin; it doubles when the bins no longer cover the run.
pub const MIN_WIDTH_NS: u64 = 100_000_000;

/// The interfaces that have heat maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Api {
    /// Descriptors.
    Posix = 0,
    /// Streams.
    Stdio = 1,
    /// MPI-IO.
    Mpiio = 2,
}

impl Api {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Posix, Self::Stdio, Self::Mpiio];
}

/// Bytes moved through one interface, by time since the job began.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct HeatCell {
    /// An [`Api`].
    pub api: u64,
    /// Bin width is [`MIN_WIDTH_NS`] times two to the power of this.
    pub doublings: u64,
    /// Bytes written, then bytes read.
    pub bins: [[i64; BINS]; 2],
}

pod! {
    HeatCell: 16 + 16 * BINS;
}
