//! The figures of a region in one execution.

use ioglass_profile::{Builder, Io, Layer, Measure, Metric, Row, Slow};
use ioglass_shm::{IoCounts, MetricKind, RegionCell, RegionKind, RegionMetric};

use super::cells::Cells;
use super::series;
use crate::capture::Capture;
use crate::time::Timeline;
use crate::{NoMemory, push};

/// The ticks of the open visits of a span.
fn open_span(cell: &RegionCell, last: u64) -> u64 {
    let all = cell.open.wrapping_mul(last).wrapping_sub(cell.since);
    // A process that was killed in between may have left anything.
    if all.cast_signed() < 0 { 0 } else { all }
}

/// The clock of a region at the last moment.
fn clock(cell: &RegionCell, last: u64) -> u64 {
    let on_path = match cell.since {
        0 => 0,
        _ if cell.kind == RegionKind::Span as u32 => open_span(cell, last),
        since => last.saturating_sub(since),
    };
    cell.time.saturating_add(on_path)
}

/// Ticks of the oldest open visit, if one is open.
pub(super) fn oldest_open(cell: &RegionCell, last: u64) -> Option<u64> {
    match cell.open {
        0 => None,
        open if cell.kind == RegionKind::Span as u32 => Some(open_span(cell, last) / open),
        _ => Some(clock(cell, last).saturating_sub(cell.begin)),
    }
}

/// The cell with its open visits ended.
pub(super) fn ended(cell: &RegionCell, last: u64) -> RegionCell {
    let oldest = oldest_open(cell, last);
    RegionCell {
        time: clock(cell, last),
        since: 0,
        open: 0,
        min: oldest.map_or(cell.min, |oldest| cell.min.min(oldest)),
        max: oldest.map_or(cell.max, |oldest| cell.max.max(oldest)),
        ..*cell
    }
}

/// The row of a cell.
pub(super) fn row(
    builder: &mut Builder,
    cells: &Cells<'_>,
    cell: &RegionCell,
    time: &Timeline,
    last: u64,
    capture: &Capture<'_>,
) -> Result<Row, NoMemory> {
    let whole = ended(cell, last);
    let key = (cell.number, cell.execution);
    let mut row = Row {
        execution: cell.execution,
        calls: cell.calls,
        open: cell.open.min(cell.calls),
        time_ns: time.ns(whole.time),
        min_ns: if whole.min == u64::MAX { 0 } else { time.ns(whole.min) },
        max_ns: time.ns(whole.max),
        ..Row::default()
    };
    for (_, metric) in cells.metrics_of(key) {
        let number = builder.metric(cells.text(metric.name))?;
        push(&mut row.metrics, Metric { metric: number, measure: measure(metric) })?;
    }
    for (_, io) in Cells::with(&cells.io, key) {
        if let Some(layer) = u8::try_from(io.layer).ok().and_then(Layer::of_number) {
            push(&mut row.io, (layer, of_counts(&io.counts, time)))?;
        }
    }
    for (_, slowest) in Cells::with(&cells.slowest, key) {
        for visit in slowest.visits.iter().filter(|visit| visit.number != 0) {
            let slow = Slow { iteration: visit.number - 1, time_ns: time.ns(visit.time) };
            push(&mut row.slowest, slow)?;
        }
    }
    if cell.kind == RegionKind::Iteration as u32 {
        let ended = cell.calls.saturating_sub(cell.open);
        let open = oldest_open(cell, last).map(|time| series::Open { time, ended });
        row.series = series::series(builder, cells, key, open, time, capture)?;
    }
    Ok(row)
}

fn measure(metric: &RegionMetric) -> Measure {
    if metric.kind == MetricKind::Count as u32 {
        return Measure::Count { calls: metric.calls, sum: metric.sum.cast_signed() };
    }
    let of = |bits: u64, otherwise: f64| match metric.finite {
        0 => otherwise,
        _ => f64::from_bits(bits),
    };
    Measure::Value {
        calls: metric.calls,
        sum: of(metric.sum, 0.0),
        min: of(metric.min, f64::INFINITY),
        max: of(metric.max, f64::NEG_INFINITY),
        last: of(metric.last, f64::NAN),
    }
}

/// I/O with its times.
pub(crate) fn of_counts(counts: &IoCounts, time: &Timeline) -> Io {
    Io {
        opens: counts.opens,
        reads: counts.reads,
        writes: counts.writes,
        bytes_read: counts.bytes_read,
        bytes_written: counts.bytes_written,
        other: counts.other,
        read_ns: time.ns(counts.read),
        write_ns: time.ns(counts.write),
        metadata_ns: time.ns(counts.metadata),
    }
}
