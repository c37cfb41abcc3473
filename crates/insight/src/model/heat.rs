//! Bytes over time and over ranks, which heat maps keep even where records stand for all ranks.

use std::collections::BTreeMap;

use super::believed::{add_count, believed};
use super::usage::RankUse;

/// One interface.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatLayer {
    /// Seconds of a bin.
    pub bin: f64,
    /// Bytes that all ranks read in each bin.
    pub read: Vec<f64>,
    /// Bytes that all ranks wrote in each bin.
    pub written: Vec<f64>,
    /// Bytes of each rank that has a row; no seconds.
    pub ranks: BTreeMap<i64, RankUse>,
}

/// All interfaces that have heat maps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heat {
    /// POSIX.
    pub posix: Option<HeatLayer>,
    /// MPI-IO.
    pub mpiio: Option<HeatLayer>,
    /// Streams.
    pub stdio: Option<HeatLayer>,
}

impl HeatLayer {
    /// Bytes of all ranks in each bin, both ways.
    pub fn moved(&self) -> Vec<f64> {
        self.read.iter().zip(&self.written).map(|(read, written)| read + written).collect()
    }

    pub(crate) fn add(&mut self, map: &ioglass_log::Heatmap) {
        self.bin = self.bin.max(map.bin_width);
        let bins = map.writes.len().max(map.reads.len()).max(self.read.len());
        self.read.resize(bins, 0.0);
        self.written.resize(bins, 0.0);
        let rank = self.ranks.entry(map.base.rank).or_default();
        rank.rank = map.base.rank;
        for (sums, row, all) in [
            (&mut self.read, &map.reads, &mut rank.read),
            (&mut self.written, &map.writes, &mut rank.written),
        ] {
            for (sum, bytes) in sums.iter_mut().zip(row) {
                *sum += believed(*bytes) as f64;
                add_count(all, believed(*bytes));
            }
        }
    }
}
