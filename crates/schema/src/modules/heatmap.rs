//! HEATMAP: bytes read and written over the run, one record per rank and interface.

use super::special;
use crate::module::{Layout, Module};

/// The module's table.
pub static MODULE: Module =
    special(15, "HEATMAP", (1, 1), Layout::Heatmap, "Bytes moved in each slice of the run.");

/// Bytes of a record before its bins: base, width, count and two stale pointers.
pub const HEAD_SIZE: usize = 48;

/// Seconds of a bin before the run outgrows the bins.
pub const FIRST_BIN_WIDTH: f64 = 0.1;

/// Name of the bin width in text.
pub const BIN_WIDTH: &str = "HEATMAP_F_BIN_WIDTH_SECONDS";
/// Names of read bins in text begin so; the bin's number follows.
pub const READ_BIN: &str = "HEATMAP_READ_BIN_";
/// Names of write bins in text begin so; the bin's number follows.
pub const WRITE_BIN: &str = "HEATMAP_WRITE_BIN_";
