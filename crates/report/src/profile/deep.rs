//! Formats that repeat the whole path of a region, or have a column for each metric, and profiles that
//! are too deep or too wide for them.

use std::error::Error;
use std::fmt;
use std::io;

use ioglass_profile::Set;

/// Names of a path beyond which it is a deep one. What is repeated of others is what was asked for.
const DEEP: u32 = 1024;
/// Metrics beyond which a table is a wide one.
const WIDE: usize = 1024;
/// The most cells of wide tables, and the most bytes of deep paths that are written: they are the square of their depth.
const MOST: u64 = 256 << 20;

/// A profile that is too deep for a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooDeep {
    /// Names of its longest path.
    pub depth: u32,
    /// Bytes that its deep paths may take at most, and would exceed.
    pub most: u64,
}

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, most } = self;
        write!(f, "paths of up to {depth} names would take more than {most} bytes")
    }
}

impl Error for TooDeep {}

/// A profile that has too many metrics for a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooWide {
    /// Columns of metrics.
    pub metrics: usize,
    /// The most cells that a table with many metrics may have.
    pub most: u64,
}

impl fmt::Display for TooWide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { metrics, most } = self;
        write!(f, "a column for each of {metrics} metrics would take more than {most} cells")
    }
}

impl Error for TooWide {}

impl TooWide {
    /// The one that an error is about.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }

    /// An error if a table with so many rows is too wide for this many metrics.
    pub(super) fn check(rows: usize, metrics: usize) -> io::Result<()> {
        if metrics <= WIDE || (rows as u64).saturating_mul(metrics as u64) <= MOST {
            return Ok(());
        }
        Err(io::Error::other(Self { metrics, most: MOST }))
    }
}

impl TooDeep {
    /// The one that an error is about.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// An error if these regions are too deep. `name` is the number of bytes of a region's own name in a
/// path, `times` how often the path of a region is written; both are asked of deep ones only as long
/// as it is open.
pub(super) fn check(
    set: &Set,
    regions: impl Iterator<Item = usize>,
    name: impl Fn(usize) -> usize,
    times: impl Fn(usize) -> usize,
) -> io::Result<()> {
    let all = &set.profile().regions;
    // Parents come before children.
    let mut paths: Vec<(u32, u64)> = Vec::with_capacity(all.len());
    for (region, own) in all.iter().enumerate() {
        let (depth, bytes) = own.parent.map_or((0, 0), |parent| paths[parent as usize]);
        paths.push((depth + 1, bytes.saturating_add(name(region) as u64 + 1)));
    }
    let mut sum = 0_u64;
    for region in regions {
        let (depth, bytes) = paths[region];
        if depth > DEEP && sum <= MOST {
            sum = sum.saturating_add(bytes.saturating_mul(times(region) as u64));
        }
    }
    if sum <= MOST {
        return Ok(());
    }
    let depth = paths.iter().map(|(depth, _)| *depth).max().unwrap_or(0);
    Err(io::Error::other(TooDeep { depth, most: MOST }))
}
