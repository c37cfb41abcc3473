//! Heat maps: time by rank, of bytes or of time in calls.

use std::collections::BTreeMap;

use ioglass_log::{Heatmap, record_id};

use super::room::Room;
use super::rows::Rows;
use super::strips::Strips;
use super::timeline::nanoseconds;
use crate::model::{HeatLayer, Run};
use crate::recording::Recording;
use crate::trace::Op;

/// Bins of a map.
const MOST_BINS: usize = 200;

/// Quantity that a map shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapMeasure {
    /// Bytes moved.
    Bytes,
    /// Nanoseconds in calls.
    Time,
}

/// Origin of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapSource {
    /// The log's own heat maps.
    Heatmap,
    /// The trace.
    Trace,
}

/// Time by rank, of one interface.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// The interface.
    pub name: &'static str,
    /// Quantity that is shown.
    pub measure: MapMeasure,
    /// Origin of the map.
    pub source: MapSource,
    /// Ranks.
    pub rows: Rows,
    /// Bins of time.
    pub bins: usize,
    /// Seconds of one.
    pub bin: f64,
    /// Of reads, row by row.
    pub read: Vec<u64>,
    /// Of writes.
    pub written: Vec<u64>,
}

/// The maps that the recording has.
pub(super) fn recorded(
    recording: &dyn Recording,
    run: &Run,
    span: f64,
    room: &Room,
) -> Vec<HeatMap> {
    let layers = [
        ("heatmap:MPIIO", "MPI-IO", &run.heat.mpiio),
        ("heatmap:POSIX", "POSIX", &run.heat.posix),
        ("heatmap:STDIO", "STDIO", &run.heat.stdio),
    ];
    let mut maps: BTreeMap<u64, (usize, HeatMap)> = BTreeMap::new();
    for (id, name, layer) in layers {
        if let Some(map) = layer.as_ref().and_then(|layer| empty_map(name, layer, span, room)) {
            maps.insert(record_id(id.as_bytes()), map);
        }
    }
    if maps.is_empty() {
        return Vec::new();
    }
    // The run has a warning already if a part cannot be read.
    let _ = recording.each_heatmap(&mut |record| {
        if let Some((merged, map)) = maps.get_mut(&record.base.id) {
            add_record(map, *merged, record);
        }
    });
    let mut maps: Vec<HeatMap> = maps.into_values().map(|(_, map)| map).collect();
    let place = |map: &HeatMap| layers.iter().position(|(_, name, _)| *name == map.name);
    maps.sort_by_key(place);
    maps
}

/// A map with room for what this layer has, and how many of its bins become one.
fn empty_map(
    name: &'static str,
    layer: &HeatLayer,
    span: f64,
    room: &Room,
) -> Option<(usize, HeatMap)> {
    let active = layer.ranks.values().filter(|rank| rank.bytes() > 0);
    let ranks: Vec<u32> = active.filter_map(|rank| u32::try_from(rank.rank).ok()).collect();
    if ranks.is_empty() || layer.bin.is_nan() || layer.bin <= 0.0 {
        return None;
    }
    let moved = layer.moved();
    let last = moved.iter().rposition(|bytes| *bytes > 0.0).map_or(0, |last| last + 1);
    // To the end of the run, and further only if something is there.
    let bins = ((span / layer.bin).ceil() as usize).min(moved.len()).max(last).max(1);
    let merged = bins.div_ceil(MOST_BINS);
    let bins = bins.div_ceil(merged);
    let rows = Rows::of(&ranks, room.heat_rows());
    let cells = rows.count() * bins;
    let map = HeatMap {
        name,
        measure: MapMeasure::Bytes,
        source: MapSource::Heatmap,
        rows,
        bins,
        bin: layer.bin * merged as f64,
        read: vec![0; cells],
        written: vec![0; cells],
    };
    Some((merged, map))
}

fn add_record(map: &mut HeatMap, merged: usize, record: &Heatmap) {
    let rank = u32::try_from(record.base.rank).ok();
    let Some(row) = rank.and_then(|rank| map.rows.row(rank)) else { return };
    let cells = row * map.bins;
    for (sums, bins) in [(&mut map.read, &record.reads), (&mut map.written, &record.writes)] {
        for (i, bytes) in bins.iter().enumerate().filter(|(i, _)| i / merged < map.bins) {
            let sum = &mut sums[cells + i / merged];
            *sum = sum.saturating_add(u64::try_from(*bytes).unwrap_or(0));
        }
    }
}

/// Maps of one interface, made of its calls.
#[derive(Debug)]
pub(super) struct HeatBuilder {
    name: &'static str,
    rows: Rows,
    time: [Strips; 2],
    bytes: [Strips; 2],
}

impl HeatBuilder {
    pub(super) fn new(name: &'static str, ranks: &[u32], span: u64, room: &Room) -> Self {
        let rows = Rows::of(ranks, room.heat_rows());
        let strips = || Strips::new(rows.count(), MOST_BINS, span);
        let (time, bytes) = ([strips(), strips()], [strips(), strips()]);
        Self { name, rows, time, bytes }
    }

    pub(super) fn add(&mut self, op: &Op, is_read: bool) {
        let Some(row) = self.rows.row(op.rank()) else { return };
        let way = usize::from(!is_read);
        let at = |seconds: f64| nanoseconds(seconds).max(0).unsigned_abs();
        let (start, end) = (at(op.start), at(op.end));
        self.time[way].cover(row, start, end);
        self.bytes[way].spread(row, start, end, op.length());
    }

    pub(super) fn finish(self) -> [HeatMap; 2] {
        let width = self.time[0].width() as f64 / 1e9;
        let Self { name, rows, time, bytes } = self;
        let map = |measure, [read, written]: [Strips; 2]| HeatMap {
            name,
            measure,
            source: MapSource::Trace,
            rows: rows.clone(),
            bins: MOST_BINS,
            bin: width,
            read: read.finish(),
            written: written.finish(),
        };
        [map(MapMeasure::Bytes, bytes), map(MapMeasure::Time, time)]
    }
}

#[cfg(test)]
mod tests {
    use ioglass_log::Segment;

    use super::*;

    #[test]
    fn maps_of_a_trace_have_its_bytes_and_its_time() {
        let mut maps = HeatBuilder::new("POSIX", &[0, 9], 10_000_000_000, &Room::FINEST);
        let segment = Segment { offset: 0, length: 1000, start: 2.0, end: 4.0 };
        maps.add(&Op::new(9, &segment).unwrap(), true);
        let [bytes, time] = maps.finish();
        assert_eq!((bytes.bin, bytes.rows.count()), (0.05, 2));
        assert_eq!(bytes.read.iter().sum::<u64>(), 1000);
        assert_eq!(bytes.read[..bytes.bins].iter().sum::<u64>(), 0);
        assert_eq!(time.read.iter().sum::<u64>(), 2_000_000_000);
        assert_eq!(time.written.iter().sum::<u64>(), 0);
    }

    #[test]
    fn a_map_of_the_log_ends_with_the_run_and_merges_bins_that_are_too_many() {
        let mut layer = HeatLayer::default();
        let mut record = Heatmap {
            bin_width: 0.5,
            writes: vec![8; 1000],
            reads: vec![0; 1000],
            ..Heatmap::default()
        };
        record.base.rank = 2;
        layer.add(&record);
        let (merged, mut map) = empty_map("POSIX", &layer, 500.0, &Room::FINEST).unwrap();
        assert_eq!((merged, map.bins, map.bin), (5, 200, 2.5));
        add_record(&mut map, merged, &record);
        assert_eq!((map.written[0], map.written.iter().sum::<u64>()), (40, 8000));
        record.writes[100..].fill(0);
        let mut short = HeatLayer::default();
        short.add(&record);
        assert_eq!(empty_map("POSIX", &short, 60.0, &Room::FINEST).unwrap().1.bins, 120);
        assert_eq!(empty_map("POSIX", &HeatLayer::default(), 60.0, &Room::FINEST), None);
    }
}
