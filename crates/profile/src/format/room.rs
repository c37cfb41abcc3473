//! The memory that reading a file may take, and the size that a file needs for it.
//!
//! Compressed bytes mean more than their number tells. So a reader takes memory by the size of a file,
//! and a writer fills a file that means more than its size allows with zeros.

use super::index::SectionKind;
use crate::model::{Measure, MetricSeries, Row};

/// Memory that reading a file of any size may take.
const ROOM: u64 = 64 << 20;
/// Memory for each byte of a file.
const PER_BYTE: u64 = 32;

/// Memory that reading may take, by what it is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// All that is read when a file is opened.
    pub(crate) skeleton: u64,
    /// The bytes of a section.
    pub(crate) raw: u64,
    /// The rows of a region, and likewise their iterations.
    pub(crate) region: u64,
    /// The rows of all regions, for those who want them at once.
    pub(crate) rows: u64,
}

impl Room {
    /// That of a file with so many bytes.
    pub(crate) fn of_file(len: u64) -> Self {
        let all = ROOM.saturating_add(len.saturating_mul(PER_BYTE));
        Self { skeleton: all / 2, raw: all / 8, region: all, rows: all }
    }
}

/// Memory that reading a file will take.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Need {
    skeleton: u64,
    raw: u64,
    region: u64,
    rows: u64,
}

impl Need {
    /// Adds a section with so many bytes, for which reading claims so much.
    pub(crate) fn add(&mut self, kind: SectionKind, claimed: u64, raw: u64) {
        self.raw = self.raw.max(raw);
        match kind {
            SectionKind::Rows | SectionKind::Series => self.region = self.region.max(claimed),
            _ => self.skeleton = self.skeleton.saturating_add(claimed),
        }
    }

    /// Adds the rows of a region.
    pub(crate) fn add_rows(&mut self, rows: &[Row]) {
        self.rows = rows.iter().map(size_of_row).fold(self.rows, u64::saturating_add);
    }

    /// The smallest size of a file that has room for all.
    pub(crate) fn len(&self) -> u64 {
        let parts =
            [self.skeleton.saturating_mul(2), self.raw.saturating_mul(8), self.region, self.rows];
        let all = parts.into_iter().max().unwrap_or(0);
        // Shares are rounded down.
        all.saturating_add(8).saturating_sub(ROOM).div_ceil(PER_BYTE)
    }
}

/// Memory of a row.
pub(crate) fn size_of_row(row: &Row) -> u64 {
    let series = row.series.as_ref().map_or(0, |series| {
        let entry = |(_, metric): &(u32, MetricSeries)| match metric {
            MetricSeries::Count(list) => list.len(),
            MetricSeries::Value(list) => list.len(),
        };
        40 * series.time_ns.len() + series.metrics.iter().map(|one| 16 * entry(one)).sum::<usize>()
    });
    let metrics = row.metrics.len() * 2 * size_of::<Measure>();
    (size_of::<Row>() + row.slowest.len() * 16 + row.io.len() * 160 + metrics + series) as u64
}
