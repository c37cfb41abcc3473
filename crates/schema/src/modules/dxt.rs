//! DXT: a trace with one segment for every read and write.

use super::special;
use crate::module::{Layout, Module};

/// Segments of POSIX calls. Version 2, with thread ids, is read but not written: no release
/// can read it.
pub static POSIX: Module = special(10, "DXT_POSIX", (1, 2), Layout::Dxt, "Trace of POSIX calls.");

/// Segments of MPI-IO calls. Version 3, with thread ids, is read but not written.
pub static MPIIO: Module = special(11, "DXT_MPIIO", (2, 3), Layout::Dxt, "Trace of MPI-IO calls.");

/// First word of a segment of a POSIX call in text.
pub const POSIX_LABEL: &str = "X_POSIX";
/// First word of a segment of an MPI-IO call in text.
pub const MPIIO_LABEL: &str = "X_MPIIO";

/// Bytes of a record's head.
pub const HEAD_SIZE: usize = 104;
/// Bytes of the host name in the head.
pub const HOSTNAME_SIZE: usize = 64;
/// Bytes of a segment without a thread id.
pub const SEGMENT_SIZE: usize = 32;
/// Bytes of a segment with a thread id.
pub const THREADED_SEGMENT_SIZE: usize = 40;

/// Returns true if this version of `module` keeps a thread id in every segment.
pub fn has_threads(module: &Module, version: u32) -> bool {
    version > module.version
}

/// Returns true if this version of `module` recorded offsets at all.
pub fn has_offsets(module: &Module, version: u32) -> bool {
    module.id == POSIX.id || version >= 2
}
