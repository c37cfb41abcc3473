//! The iterations of a region, in columns over all its rows.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::bytes::{Damage, In, Out, fold, list, unfold};
use super::column;
use crate::model::{MetricSeries, Row, Series};
use crate::{NoMemory, push};

const COUNT: u8 = 0;
const VALUE: u8 = 1;

/// The columns besides time, which a series need not have.
type Column = fn(&mut Series) -> &mut Vec<u64>;
const COLUMNS: [Column; 4] = [
    |series| &mut series.visits,
    |series| &mut series.bytes_read,
    |series| &mut series.bytes_written,
    |series| &mut series.io_ns,
];
type Read = fn(&Series) -> &Vec<u64>;
const READ: [Read; 4] = [
    |series| &series.visits,
    |series| &series.bytes_read,
    |series| &series.bytes_written,
    |series| &series.io_ns,
];

/// Appends the series of all rows, if there is one.
pub(super) fn put(rows: &[Row], out: &mut Out) -> Result<(), NoMemory> {
    let own =
        || rows.iter().zip(0_u64..).filter_map(|(row, at)| Some((at, row.series.as_deref()?)));
    let count = own().count();
    out.count(count, size_of::<Series>());
    let mut values: Vec<u64> = Vec::new();
    let mut before = 0;
    for (at, _) in own() {
        push(&mut values, at - before)?;
        before = at;
    }
    column::put(&values, out)?;
    let heads: [fn(&Series) -> u64; 3] =
        [|series| series.each, |series| series.iterations, |series| series.time_ns.len() as u64];
    for head in heads {
        values.clear();
        values.extend(own().map(|(_, series)| head(series)));
        column::put(&values, out)?;
    }
    put_all(own().map(|(_, series)| &series.time_ns), &mut values, out)?;
    out.claim(values.len() as u64, 8);
    for column in READ {
        // All or nothing: a column has as many entries as that of the times.
        let has = |series: &Series| column(series).len() == series.time_ns.len();
        values.clear();
        values.extend(own().map(|(_, series)| u64::from(has(series))));
        column::put(&values, out)?;
        let full = own().filter(|(_, series)| has(series)).map(|(_, series)| column(series));
        put_all(full, &mut values, out)?;
        out.claim(values.len() as u64, 8);
    }
    values.clear();
    values.extend(own().map(|(_, series)| series.metrics.len() as u64));
    column::put(&values, out)?;
    for (_, series) in own() {
        for (metric, values) in &series.metrics {
            out.number((*metric).into());
            put_metric(values, out)?;
        }
    }
    Ok(())
}

fn put_all<'c>(
    columns: impl Iterator<Item = &'c Vec<u64>>,
    values: &mut Vec<u64>,
    out: &mut Out,
) -> Result<(), NoMemory> {
    values.clear();
    for column in columns {
        values.try_reserve(column.len()).map_err(|_| NoMemory)?;
        values.extend_from_slice(column);
    }
    column::put(values, out)
}

fn put_metric(series: &MetricSeries, out: &mut Out) -> Result<(), NoMemory> {
    let presence = |values: &mut dyn Iterator<Item = bool>, out: &mut Out| {
        let mut has: Vec<u64> = Vec::new();
        for present in values {
            push(&mut has, u64::from(present))?;
        }
        column::put(&has, out)
    };
    match series {
        MetricSeries::Count(list) => {
            out.byte(COUNT);
            out.count(list.len(), 16);
            presence(&mut list.iter().map(Option::is_some), out)?;
            let mut values: Vec<u64> = Vec::new();
            for value in list.iter().flatten() {
                push(&mut values, fold(*value))?;
            }
            column::put(&values, out)
        }
        MetricSeries::Value(list) => {
            out.byte(VALUE);
            out.count(list.len(), 16);
            presence(&mut list.iter().map(Option::is_some), out)?;
            let mut values: Vec<f64> = Vec::new();
            for value in list.iter().flatten() {
                push(&mut values, *value)?;
            }
            column::put_floats(&values, out)
        }
    }
}

/// Reads series into the rows of their region.
pub(super) fn take(input: &mut In<'_>, rows: &mut [Row], metrics: usize) -> Result<(), Damage> {
    let count = input.count(size_of::<Series>(), "series")?;
    let places = column::take(input, count)?;
    let (each, iterations) = (column::take(input, count)?, column::take(input, count)?);
    let lens = column::take(input, count)?;
    let sum = |lens: &mut dyn Iterator<Item = u64>| {
        let sum = lens.fold(0_u64, u64::saturating_add);
        usize::try_from(sum).map_err(|_| Damage::Many("iterations"))
    };
    let mut times = column::take(input, sum(&mut lens.iter().copied())?)?.into_iter();
    let mut list_of: Vec<Series> = list(count)?;
    for at in 0..count {
        let len = lens[at] as usize;
        input.claim(len as u64, 8, "iterations")?;
        let mut time_ns = list(len)?;
        time_ns.extend(times.by_ref().take(len));
        let (each, iterations) = (each[at].max(1), iterations[at]);
        list_of.push(Series { each, iterations, time_ns, ..Series::default() });
    }
    drop(times);
    for column in COLUMNS {
        let has = column::take(input, count)?;
        let full = || lens.iter().zip(&has).filter(|(_, has)| **has != 0).map(|(len, _)| *len);
        let mut values = column::take(input, sum(&mut full())?)?.into_iter();
        for ((series, len), has) in list_of.iter_mut().zip(&lens).zip(&has) {
            if *has != 0 {
                input.claim(*len, 8, "iterations")?;
                let place = column(series);
                *place = list(*len as usize)?;
                place.extend(values.by_ref().take(*len as usize));
            }
        }
    }
    let counts = column::take(input, count)?;
    for (series, count) in list_of.iter_mut().zip(counts) {
        for _ in 0..count {
            let metric = input.small()?;
            if metric as usize >= metrics
                || series.metrics.last().is_some_and(|(last, _)| *last >= metric)
            {
                return Err(Damage::Unknown("metric"));
            }
            let values = take_metric(input)?;
            push(&mut series.metrics, (metric, values))?;
        }
    }
    let mut at = 0_u64;
    for (series, step) in list_of.into_iter().zip(places) {
        at = at.checked_add(step).ok_or(Damage::Number)?;
        let row = usize::try_from(at).ok().and_then(|at| rows.get_mut(at));
        row.ok_or(Damage::Unknown("row"))?.series = Some(Box::new(series));
    }
    Ok(())
}

fn take_metric(input: &mut In<'_>) -> Result<MetricSeries, Damage> {
    let kind = input.byte()?;
    let len = input.count(16, "values of metrics")?;
    let has = column::take(input, len)?;
    let count = has.iter().filter(|has| **has != 0).count();
    match kind {
        COUNT => {
            let mut values = column::take(input, count)?.into_iter().map(unfold);
            let value = |has: u64| if has == 0 { None } else { values.next() };
            Ok(MetricSeries::Count(has.into_iter().map(value).collect()))
        }
        VALUE => {
            let mut values = column::take_floats(input, count)?.into_iter();
            let value = |has: u64| if has == 0 { None } else { values.next() };
            Ok(MetricSeries::Value(has.into_iter().map(value).collect()))
        }
        _ => Err(Damage::Unknown("kind of metrics")),
    }
}
