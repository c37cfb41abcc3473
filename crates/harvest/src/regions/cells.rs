//! The entries of a capture that concern regions, in order.

use alloc::vec::Vec;

use ioglass_shm::{
    Kind, RegionCell, RegionIo, RegionKind, RegionMetric, RegionNotice, RegionSlowest, RegionTag,
    RegionText, SeriesHead,
};

use super::read;
use crate::capture::Capture;
use crate::{NoMemory, push};

/// A part of a region in one execution.
pub(super) type Key = (u32, u32);

/// All entries of a capture that concern regions.
pub(super) struct Cells<'r> {
    capture: &'r [u8],
    /// By number and execution.
    pub(super) regions: Vec<RegionCell>,
    /// Numbers of regions, each once.
    numbers: Vec<u32>,
    pub(super) io: Vec<(Key, RegionIo)>,
    /// With the place of each.
    pub(super) metrics: Vec<(u64, RegionMetric)>,
    pub(super) tags: Vec<RegionTag>,
    pub(super) notices: Vec<RegionNotice>,
    pub(super) slowest: Vec<(Key, RegionSlowest)>,
    /// By region, execution, metric and first visit; with the items.
    pub(super) series: Vec<(SeriesHead, &'r [u8])>,
}

/// The bytes of a text.
pub(super) fn text(entry: &[u8]) -> Option<&[u8]> {
    let head: RegionText = read(entry)?;
    entry.get(size_of::<RegionText>()..)?.get(..usize::try_from(head.size).ok()?)
}

/// The text at this offset of a capture; empty if there is none.
pub(crate) fn text_at(capture: &[u8], offset: u64) -> &[u8] {
    let found = usize::try_from(offset).ok().filter(|offset| *offset != 0).and_then(|offset| {
        let entry = ioglass_shm::Entries::at(capture, offset)?;
        (entry.kind == Kind::RegionText).then(|| text(entry.bytes))?
    });
    found.unwrap_or_default()
}

/// The regions of a capture, by number and execution.
fn regions(capture: &Capture<'_>) -> Result<Vec<RegionCell>, NoMemory> {
    let mut list = Vec::new();
    for entry in capture.of(Kind::Region) {
        // No region has the number 0, and none is in a later one.
        if let Some(cell) = read::<RegionCell>(entry.bytes).filter(|c| c.number > c.parent) {
            push(&mut list, cell)?;
        }
    }
    list.sort_by_key(|cell| (cell.number, cell.execution));
    Ok(list)
}

/// The last tick that regions tell of: one was entered then, or was at least as long open as the
/// regions inside it, or the outermost ones of a thread took so long since the process began.
pub(crate) fn latest(capture: &Capture<'_>) -> Result<u64, NoMemory> {
    let regions = regions(capture)?;
    let mut inside: Vec<u64> = Vec::new();
    for _ in &regions {
        push(&mut inside, 0)?;
    }
    let mut outermost: Vec<(u32, u64)> = Vec::new();
    let is_span = |cell: &RegionCell| cell.kind == RegionKind::Span as u32;
    for cell in regions.iter().filter(|cell| !is_span(cell)) {
        let key = (cell.parent, cell.execution);
        let parent = regions.binary_search_by_key(&key, |c| (c.number, c.execution));
        match parent {
            Ok(parent) if regions[parent].thread == cell.thread => {
                inside[parent] = inside[parent].saturating_add(cell.time);
            }
            _ => push(&mut outermost, (cell.thread, cell.time))?,
        }
    }
    let open = regions.iter().zip(&inside).filter(|(c, _)| c.since != 0 && !is_span(c));
    let until = |(cell, inside): (&RegionCell, &u64)| {
        cell.since.saturating_add(inside.saturating_sub(cell.time))
    };
    outermost.sort_unstable_by_key(|(thread, _)| *thread);
    let threads = outermost.chunk_by(|one, other| one.0 == other.0);
    let took =
        threads.map(|own| own.iter().fold(0, |sum: u64, (_, time)| sum.saturating_add(*time)));
    let ended = took.max().map(|took| capture.header.start.tick.saturating_add(took));
    Ok(open.map(until).chain(ended).max().unwrap_or(0))
}

impl<'r> Cells<'r> {
    pub(super) fn of(capture: &Capture<'r>) -> Result<Self, NoMemory> {
        let mut cells = Self {
            capture: capture.bytes(),
            regions: regions(capture)?,
            numbers: Vec::new(),
            io: Vec::new(),
            metrics: Vec::new(),
            tags: Vec::new(),
            notices: Vec::new(),
            slowest: Vec::new(),
            series: Vec::new(),
        };
        for cell in &cells.regions {
            if cells.numbers.last() != Some(&cell.number) {
                push(&mut cells.numbers, cell.number)?;
            }
        }
        for entry in capture.of(Kind::RegionIo) {
            if let Some(io) = read::<RegionIo>(entry.bytes) {
                push(&mut cells.io, ((io.region, io.execution), io))?;
            }
        }
        cells.io.sort_by_key(|(key, io)| (*key, io.layer));
        // A profile does not tell files apart.
        cells.io.dedup_by(|(later_key, later), (key, io)| {
            let is_same = (*later_key, later.layer) == (*key, io.layer);
            if is_same {
                io.counts.add(&later.counts);
            }
            is_same
        });
        for entry in capture.of(Kind::RegionMetric) {
            if let Some(metric) = read::<RegionMetric>(entry.bytes) {
                push(&mut cells.metrics, (entry.offset as u64, metric))?;
            }
        }
        cells.metrics.sort_by_key(|(place, metric)| (metric.region, metric.execution, *place));
        for entry in capture.of(Kind::RegionTag) {
            if let Some(tag) = read::<RegionTag>(entry.bytes).filter(|tag| tag.text != 0) {
                push(&mut cells.tags, tag)?;
            }
        }
        cells.tags.sort_by_key(|tag| tag.region);
        for entry in capture.of(Kind::RegionNotice) {
            if let Some(notice) = read::<RegionNotice>(entry.bytes).filter(|n| n.count > 0) {
                push(&mut cells.notices, notice)?;
            }
        }
        for entry in capture.of(Kind::RegionSlowest) {
            if let Some(slowest) = read::<RegionSlowest>(entry.bytes) {
                push(&mut cells.slowest, ((slowest.region, slowest.execution), slowest))?;
            }
        }
        cells.slowest.sort_by_key(|(key, _)| *key);
        for entry in capture.of(Kind::RegionSeries) {
            if let Some(head) = read::<SeriesHead>(entry.bytes)
                && let Some(items) = entry.bytes.get(size_of::<SeriesHead>()..)
            {
                push(&mut cells.series, (head, items))?;
            }
        }
        let order = |h: &SeriesHead| (h.region, h.execution, h.metric, h.first);
        cells.series.sort_by_key(|(head, _)| order(head));
        Ok(cells)
    }

    /// The text at this offset; empty if there is none.
    pub(super) fn text(&self, offset: u64) -> &'r [u8] {
        text_at(self.capture, offset)
    }

    /// The position of a region among all numbers.
    pub(super) fn place(&self, number: u32) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// Entries of a list that are of one region and execution.
    pub(super) fn with<T>(list: &[(Key, T)], key: Key) -> &[(Key, T)] {
        let from = list.partition_point(|(other, _)| *other < key);
        let rest = list.get(from..).unwrap_or_default();
        rest.get(..rest.partition_point(|(other, _)| *other == key)).unwrap_or_default()
    }

    /// The tags of a region.
    pub(super) fn tags_of(&self, region: u32) -> &[RegionTag] {
        let from = self.tags.partition_point(|tag| tag.region < region.into());
        let rest = self.tags.get(from..).unwrap_or_default();
        let count = rest.partition_point(|tag| tag.region == region.into());
        rest.get(..count).unwrap_or_default()
    }

    /// The metrics of a region in an execution.
    pub(super) fn metrics_of(&self, (region, execution): Key) -> &[(u64, RegionMetric)] {
        let key = |metric: &RegionMetric| (metric.region, metric.execution);
        let from = self.metrics.partition_point(|(_, m)| key(m) < (region, execution));
        let rest = self.metrics.get(from..).unwrap_or_default();
        let count = rest.partition_point(|(_, m)| key(m) == (region, execution));
        rest.get(..count).unwrap_or_default()
    }

    /// The pieces of a series, in order.
    pub(super) fn series_of(
        &self,
        (region, execution): Key,
        metric: u64,
    ) -> &[(SeriesHead, &'r [u8])] {
        let key = |head: &SeriesHead| (head.region, head.execution, head.metric);
        let wanted = (region, execution, metric);
        let from = self.series.partition_point(|(head, _)| key(head) < wanted);
        let rest = self.series.get(from..).unwrap_or_default();
        rest.get(..rest.partition_point(|(head, _)| key(head) == wanted)).unwrap_or_default()
    }
}
