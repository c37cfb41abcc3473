//! Records as they grow in a capture: the counters of the log, with times in ticks.

use ioglass_schema::{mpiio, posix, stdio};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::facts::FileFacts;
use crate::pod::pod;
use crate::values::Values;

const POSIX_INTS: usize = posix::MODULE.ints.len();
const POSIX_FLOATS: usize = posix::MODULE.floats.len();
const MPIIO_INTS: usize = mpiio::MODULE.ints.len();
const MPIIO_FLOATS: usize = mpiio::MODULE.floats.len();
const STDIO_INTS: usize = stdio::MODULE.ints.len();
const STDIO_FLOATS: usize = stdio::MODULE.floats.len();

/// Record of one process's use of one file through descriptors.
///
/// `sizes` and `strides` hold the common sizes and strides; the four of each in the log are chosen
/// when it is written.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct PosixCell {
    /// Record id.
    pub id: u64,
    /// Number of the record in this process; a trace refers to it.
    pub number: u64,
    /// Counters, by the indices of the schema.
    pub int: [i64; POSIX_INTS],
    /// Times in ticks: moments are absolute, 0 is never.
    pub tick: [u64; POSIX_FLOATS],
    /// Access sizes.
    pub sizes: Values,
    /// Strides.
    pub strides: Values,
    /// What Darshan has no counter for.
    pub facts: FileFacts,
}

/// Record of one process's use of one file through streams.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct StdioCell {
    /// Record id.
    pub id: u64,
    /// Number of the record in this process.
    pub number: u64,
    /// Counters, by the indices of the schema.
    pub int: [i64; STDIO_INTS],
    /// Times in ticks.
    pub tick: [u64; STDIO_FLOATS],
    /// What Darshan has no counter for.
    pub facts: FileFacts,
}

/// Record of one process's use of one file through MPI-IO.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct MpiioCell {
    /// Record id.
    pub id: u64,
    /// Number of the record in this process; a trace refers to it.
    pub number: u64,
    /// Counters, by the indices of the schema.
    pub int: [i64; MPIIO_INTS],
    /// Times in ticks.
    pub tick: [u64; MPIIO_FLOATS],
    /// Access sizes.
    pub sizes: Values,
    /// Calls whose time is time of metadata, opens apart.
    pub others: u64,
}

/// Calls for which Darshan has no counter; an index into [`OpsCell::count`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Operation {
    /// `truncate` and `ftruncate`.
    Truncate = 0,
    /// `fallocate` and `posix_fallocate`.
    Fallocate = 1,
    /// `munmap` of a mapped file.
    Munmap = 2,
    /// `msync` of a mapped file.
    Msync = 3,
    /// Asynchronous operations submitted.
    AsyncSubmitted = 4,
    /// Asynchronous operations collected.
    AsyncFinished = 5,
}

impl Operation {
    /// Names in order, as in documents and listings.
    pub const NAMES: [&str; 6] =
        ["truncate", "fallocate", "munmap", "msync", "async-submitted", "async-finished"];
}

/// Calls on one file for which Darshan has no counter.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct OpsCell {
    /// Record id.
    pub id: u64,
    /// Calls, by [`Operation`].
    pub count: [u64; 10],
}

/// State of one thread, kept apart so that threads do not contend.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ThreadCell {
    /// Thread id.
    pub tid: u64,
    /// Begin of the bin of the pending bytes, in nanoseconds since the job began. Pending bytes are
    /// not yet in the heat maps.
    pub bin_begin_ns: u64,
    /// First tick that is known to lie in that bin.
    pub bin_begin: u64,
    /// First tick that may lie behind it.
    pub bin_end: u64,
    /// The pending bytes, by [`crate::Api`]: written, then read.
    pub pending: [[i64; 2]; 3],
    /// The code region the thread is in.
    pub current_region: u64,
    /// Reserved for later versions; keeps threads on separate cache lines.
    pub reserved: [u64; 4],
}

pod! {
    PosixCell: 16 + 8 * (POSIX_INTS + POSIX_FLOATS) + 2 * size_of::<Values>() + size_of::<FileFacts>();
    StdioCell: 16 + 8 * (STDIO_INTS + STDIO_FLOATS) + size_of::<FileFacts>();
    MpiioCell: 24 + 8 * (MPIIO_INTS + MPIIO_FLOATS) + size_of::<Values>();
    OpsCell: 88;
    ThreadCell: 120;
}
