//! Records as they grow in a capture: the counters of the log, times in ticks.

use ioglass_schema::{mpiio, posix, stdio};

use crate::pod::pod;
use crate::values::Values;

const POSIX_INTS: usize = posix::MODULE.ints.len();
const POSIX_FLOATS: usize = posix::MODULE.floats.len();
const MPIIO_INTS: usize = mpiio::MODULE.ints.len();
const MPIIO_FLOATS: usize = mpiio::MODULE.floats.len();
const STDIO_INTS: usize = stdio::MODULE.ints.len();
const STDIO_FLOATS: usize = stdio::MODULE.floats.len();

/// What one process does to one file through descriptors.
///
/// The common sizes and strides stand in `sizes` and `strides`; the four of each that a log has
/// are chosen when it is written.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PosixCell {
    /// Record id.
    pub id: u64,
    /// Number of the record in this process, by which a trace names it.
    pub number: u64,
    /// Counters, by the indices of the schema.
    pub int: [i64; POSIX_INTS],
    /// Times in ticks: moments are absolute, 0 is never.
    pub tick: [u64; POSIX_FLOATS],
    /// Access sizes.
    pub sizes: Values,
    /// Strides.
    pub strides: Values,
}

/// What one process does to one file through streams.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct StdioCell {
    /// Record id.
    pub id: u64,
    /// Number of the record in this process.
    pub number: u64,
    /// Counters, by the indices of the schema.
    pub int: [i64; STDIO_INTS],
    /// Times in ticks.
    pub tick: [u64; STDIO_FLOATS],
}

/// What one process does to one file through MPI-IO.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct MpiioCell {
    /// Record id.
    pub id: u64,
    /// Number of the record in this process, by which a trace names it.
    pub number: u64,
    /// Counters, by the indices of the schema.
    pub int: [i64; MPIIO_INTS],
    /// Times in ticks.
    pub tick: [u64; MPIIO_FLOATS],
    /// Access sizes.
    pub sizes: Values,
}

/// Calls for which Darshan has no counter; an index into [`OpsCell::count`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Operation {
    /// `unlink`, `remove` and `unlinkat` of a file.
    Unlink = 0,
    /// `mkdir`.
    Mkdir = 1,
    /// `rmdir`.
    Rmdir = 2,
    /// `truncate` and `ftruncate`.
    Truncate = 3,
    /// `fallocate` and `posix_fallocate`.
    Fallocate = 4,
    /// `munmap` of a mapped file.
    Munmap = 5,
    /// `msync` of a mapped file.
    Msync = 6,
    /// Asynchronous operations submitted.
    AsyncSubmitted = 7,
    /// Asynchronous operations collected.
    AsyncFinished = 8,
}

impl Operation {
    /// Names, in order, as documents and listings have them.
    pub const NAMES: [&str; 9] = [
        "unlink",
        "mkdir",
        "rmdir",
        "truncate",
        "fallocate",
        "munmap",
        "msync",
        "async-submitted",
        "async-finished",
    ];
}

/// Calls on one file for which Darshan has no counter.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct OpsCell {
    /// Record id.
    pub id: u64,
    /// Calls, by [`Operation`].
    pub count: [u64; 10],
}

/// What one thread has at hand, so that threads do not get in each other's way.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreadCell {
    /// Thread id.
    pub tid: u64,
    /// Bytes not yet in the heat maps belong to the bin with this begin, in nanoseconds since the
    /// job began.
    pub bin_begin_ns: u64,
    /// First tick of that bin that is known to lie in it.
    pub bin_begin: u64,
    /// First tick that may lie behind it.
    pub bin_end: u64,
    /// Those bytes, by [`crate::Api`]: written, then read.
    pub pending: [[i64; 2]; 3],
    /// The code capture the thread is in.
    pub current_region: u64,
    /// Room for more; keeps threads on cache lines of their own.
    pub reserved: [u64; 4],
}

pod! {
    PosixCell: 16 + 8 * (POSIX_INTS + POSIX_FLOATS) + 2 * size_of::<Values>();
    StdioCell: 16 + 8 * (STDIO_INTS + STDIO_FLOATS);
    MpiioCell: 16 + 8 * (MPIIO_INTS + MPIIO_FLOATS) + size_of::<Values>();
    OpsCell: 88;
    ThreadCell: 120;
}
