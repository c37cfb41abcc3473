//! Bytes at each layer, where the layers disagree.

use crate::model::{Direction, Run};

use super::Interface;

/// Layers that differ by less than this say the same.
const SAME: f64 = 0.02;

/// Bytes that one layer moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rung {
    /// The layer.
    pub name: &'static str,
    /// Bytes written.
    pub written: u64,
    /// Bytes read.
    pub read: u64,
}

/// From the program down to the file system; empty unless a layer moved more or less than that
/// above it.
pub(super) fn of(run: &Run, interfaces: &[Interface<'_>]) -> Vec<Rung> {
    let above = interfaces.iter().filter(|i| matches!(i.name, "HDF5" | "PnetCDF"));
    let above = above.map(|interface| (interface.name, &*interface.totals));
    let below = [("MPI-IO", &run.mpiio), ("POSIX", &run.posix)];
    let rungs = above.chain(below).map(|(name, totals)| {
        let [read, written] = Direction::BOTH.map(|direction| totals.way(direction).bytes);
        Rung { name, written, read }
    });
    let rungs: Vec<Rung> = rungs.filter(|rung| rung.written > 0 || rung.read > 0).collect();
    let differs = |a: u64, b: u64| a.abs_diff(b) as f64 > SAME * a.max(b) as f64;
    let disagree = rungs.windows(2).any(|pair| {
        differs(pair[0].written, pair[1].written) || differs(pair[0].read, pair[1].read)
    });
    if disagree { rungs } else { Vec::new() }
}
