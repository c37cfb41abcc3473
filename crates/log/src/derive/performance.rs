//! Duration and speed of I/O.

use std::collections::BTreeMap;

use ioglass_schema::{Module, RecordRef};

use super::moved;
use crate::reduce::Landmarks;

/// Duration and speed of I/O, estimated as the reference does.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Performance {
    /// Bytes read and written.
    pub total_bytes: i64,
    /// Time of the rank that spent most on files of its own.
    pub unique_time: f64,
    /// The part of it that was metadata.
    pub unique_meta_time: f64,
    /// The part of it that was reading and writing.
    pub unique_rw_time: f64,
    /// That rank.
    pub unique_rank: i64,
    /// Sum over shared files of the slowest rank's time.
    pub shared_time: f64,
    /// Both together.
    pub time: f64,
    /// MiB per second over that time.
    pub mib_per_second: f64,
}

/// Collects what [`Performance`] is computed from.
#[derive(Debug, Clone)]
pub(super) struct PerformanceBuilder {
    landmarks: Landmarks,
    total_bytes: i64,
    shared_time: f64,
    ranks: BTreeMap<i64, RankTime>,
}

#[derive(Debug, Clone, Copy, Default)]
struct RankTime {
    total: f64,
    rw: f64,
    meta: f64,
}

impl PerformanceBuilder {
    /// No records yet.
    pub(super) fn new(module: &Module) -> Self {
        Self {
            landmarks: Landmarks::of(module),
            total_bytes: 0,
            shared_time: 0.0,
            ranks: BTreeMap::new(),
        }
    }

    /// Adds a record.
    pub(super) fn add(&mut self, record: RecordRef<'_>) {
        let (read, written) = moved(&self.landmarks, record);
        self.total_bytes = self.total_bytes.wrapping_add(read.wrapping_add(written));
        let float = |index: Option<usize>| index.map_or(0.0, |i| record.float[i]);
        if record.base.rank < 0 {
            self.shared_time += float(self.landmarks.slowest_time);
            return;
        }
        let meta = float(self.landmarks.meta_time);
        let (read, write) = (float(self.landmarks.read_time), float(self.landmarks.write_time));
        let rank = self.ranks.entry(record.base.rank).or_default();
        rank.total += meta + read + write;
        rank.rw += read + write;
        rank.meta += meta;
    }

    /// Bytes of memory in use, at most: nodes of the map are half full at worst.
    pub(super) fn memory(&self) -> u64 {
        self.ranks.len() as u64 * 3 * size_of::<(i64, RankTime)>() as u64
    }

    /// The estimates.
    pub(super) fn finish(&self) -> Performance {
        let mut slowest = (0, RankTime::default());
        for (rank, time) in &self.ranks {
            if time.total > slowest.1.total {
                slowest = (*rank, *time);
            }
        }
        let (unique_rank, unique) = slowest;
        let time = unique.total + self.shared_time;
        let mib = self.total_bytes as f64 / 1_048_576.0;
        Performance {
            total_bytes: self.total_bytes,
            unique_time: unique.total,
            unique_meta_time: unique.meta,
            unique_rw_time: unique.rw,
            unique_rank,
            shared_time: self.shared_time,
            time,
            mib_per_second: if time == 0.0 { 0.0 } else { mib / time },
        }
    }
}
