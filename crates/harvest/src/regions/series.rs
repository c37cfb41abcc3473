//! The series of the visits of an iteration, on one scale.

use alloc::boxed::Box;
use alloc::vec::Vec;

use ioglass_profile::{Builder, MetricSeries, Series};
use ioglass_shm::{MetricKind, SeriesHead, SeriesItem, SeriesNumber, step_of};

use super::cells::{Cells, Key};
use super::read;
use crate::NoMemory;
use crate::capture::Capture;
use crate::time::Timeline;

/// Zeros.
fn zeros<T: Clone>(count: usize, zero: T) -> Result<Vec<T>, NoMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| NoMemory)?;
    list.resize(count, zero);
    Ok(list)
}

/// The visits that a piece really has: those that its items are enough for.
fn visits<T>((head, items): &(SeriesHead, &[u8])) -> u64 {
    let items = (items.len() / size_of::<T>()) as u64;
    head.count.min(items.saturating_mul(head.step))
}

/// The items of a piece, each with its first visit.
fn items<'p, T: ioglass_shm::Pod>(
    piece: &'p (SeriesHead, &'p [u8]),
) -> impl Iterator<Item = (u64, T)> + 'p {
    let (head, bytes) = *piece;
    let count = visits::<T>(piece).div_ceil(head.step.max(1)) as usize;
    bytes.chunks_exact(size_of::<T>()).take(count).enumerate().filter_map(move |(i, item)| {
        Some((head.first.checked_add(head.step.checked_mul(i as u64)?)?, read(item)?))
    })
}

/// A visit that has not ended.
#[derive(Clone, Copy)]
pub(super) struct Open {
    /// Its time. If several are open, in each other, it is that of all together.
    pub(super) time: u64,
    /// Number of visits that have ended.
    pub(super) ended: u64,
}

/// The series of a region in an execution, with that of its metrics.
pub(super) fn series(
    builder: &mut Builder,
    cells: &Cells<'_>,
    key: Key,
    open: Option<Open>,
    time: &Timeline,
    capture: &Capture<'_>,
) -> Result<Option<Box<Series>>, NoMemory> {
    let pieces = cells.series_of(key, 0);
    let exact = pieces.first().map_or(1, |(head, _)| head.exact.max(1));
    // Pieces follow each other; if one is missing, there was no room for it. With these steps there
    // are never more entries than items.
    let mut ended = 0_u64;
    let mut count = 0;
    for piece in pieces {
        let (head, _) = piece;
        if head.first != ended || head.exact != exact || head.step != step_of(ended, exact) {
            break;
        }
        ended = ended.saturating_add(visits::<SeriesItem>(piece));
        count += 1;
    }
    let pieces = pieces.get(..count).unwrap_or_default();
    // Visits have their numbers from their begin, so another may have ended after one that is open. That
    // one has an item without time.
    let waiting = open.filter(|open| ended > open.ended).map(|_| {
        let exact = pieces.iter().filter(|(head, _)| head.step == 1);
        let mut items = exact.flat_map(items::<SeriesItem>);
        let found = items.find(|(_, item)| item.time == 0);
        found.map_or(ended - 1, |(visit, _)| visit)
    });
    let open_visit = waiting.unwrap_or(ended);
    let iterations = ended.max(open.map_or(0, |_| open_visit.saturating_add(1)));
    if iterations == 0 {
        return Ok(None);
    }
    let each = step_of(iterations - 1, exact);
    let entries = iterations.div_ceil(each) as usize;
    let mut sums = zeros(entries, SeriesItem::default())?;
    let mut add = |visit: u64, item: SeriesItem| {
        if let Some(sum) = sums.get_mut((visit / each) as usize) {
            sum.time = sum.time.saturating_add(item.time);
            sum.bytes_read = sum.bytes_read.saturating_add(item.bytes_read);
            sum.bytes_written = sum.bytes_written.saturating_add(item.bytes_written);
            sum.io = sum.io.saturating_add(item.io);
        }
    };
    for piece in pieces {
        items::<SeriesItem>(piece).for_each(|(visit, item)| add(visit, item));
    }
    if let Some(Open { time, .. }) = open {
        add(open_visit, SeriesItem { time, ..SeriesItem::default() });
    }
    let column = |of: fn(&SeriesItem, &Timeline) -> u64| {
        let mut column = zeros(entries, 0)?;
        column.iter_mut().zip(&sums).for_each(|(to, sum)| *to = of(sum, time));
        Ok::<_, NoMemory>(column)
    };
    let mut series = Box::new(Series { each, iterations, ..Series::default() });
    series.time_ns = column(|sum, time| time.ns(sum.time))?;
    let visits = cells.series_of(key, SeriesHead::VISITS);
    if !visits.is_empty() {
        series.visits = zeros(entries, 0)?;
        for (visit, item) in visits.iter().flat_map(items::<SeriesNumber>) {
            if let Some(entry) = series.visits.get_mut((visit / each) as usize) {
                *entry = entry.saturating_add(item.visits);
            }
        }
        if let (Some(entry), Some(_)) = (series.visits.last_mut(), open) {
            *entry = entry.saturating_add(1);
        }
    }
    if capture.header.records_io != 0 {
        series.bytes_read = column(|sum, _| sum.bytes_read)?;
        series.bytes_written = column(|sum, _| sum.bytes_written)?;
        series.io_ns = column(|sum, time| time.ns(sum.io))?;
    }
    for (place, metric) in cells.metrics_of(key) {
        let pieces = cells.series_of(key, *place);
        if pieces.is_empty() {
            continue;
        }
        let given = if metric.kind == MetricKind::Count as u32 {
            let mut sums: Vec<Option<i64>> = zeros(entries, None)?;
            collect(pieces, each, &mut sums, |sum, number| {
                sum.unwrap_or(0).saturating_add(number.cast_signed())
            });
            MetricSeries::Count(sums)
        } else {
            let mut last: Vec<Option<f64>> = zeros(entries, None)?;
            collect(pieces, each, &mut last, |_, number| f64::from_bits(number));
            MetricSeries::Value(last)
        };
        let number = builder.metric(cells.text(metric.name))?;
        series.metrics.try_reserve(1).map_err(|_| NoMemory)?;
        series.metrics.push((number, given));
    }
    Ok(Some(series))
}

/// Puts the numbers of a metric into the entries of its series.
fn collect<T: Copy>(
    pieces: &[(SeriesHead, &[u8])],
    each: u64,
    into: &mut [Option<T>],
    add: impl Fn(Option<T>, u64) -> T,
) {
    for piece in pieces {
        for (visit, item) in items::<SeriesNumber>(piece) {
            if item.visits > 0
                && let Some(entry) = into.get_mut((visit / each) as usize)
            {
                *entry = Some(add(*entry, item.number));
            }
        }
    }
}
