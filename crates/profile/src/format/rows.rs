//! The rows of a region, in columns.

use alloc::vec::Vec;

use super::bytes::{Damage, In, Out, fold, list, unfold};
use super::column;
use crate::model::{Io, Layer, Measure, Metric, Row, Slow};
use crate::{NoMemory, push};

const COUNT: u8 = 0;
const VALUE: u8 = 1;

/// The time of a visit if all were alike.
fn mean(row: &Row) -> u64 {
    row.time_ns.checked_div(row.calls).unwrap_or(0)
}

pub(super) fn put(rows: &[Row], out: &mut Out) -> Result<(), NoMemory> {
    out.count(rows.len(), size_of::<Row>());
    let differences: [&dyn Fn(&Row) -> u64; 1] = [&|row| row.process.into()];
    let columns: [&dyn Fn(&Row) -> u64; 9] = [
        &|row| row.thread.into(),
        &|row| row.execution.into(),
        &|row| row.more_executions.into(),
        &|row| row.calls,
        &|row| row.open,
        &|row| row.time_ns,
        // Of a leaf 0.
        &|row| fold(row.time_ns.wrapping_sub(row.exclusive_ns) as i64),
        // Of a single visit 0.
        &|row| fold(mean(row).wrapping_sub(row.min_ns) as i64),
        &|row| fold(row.max_ns.wrapping_sub(mean(row)) as i64),
    ];
    let mut values: Vec<u64> = list(rows.len())?;
    for column in differences {
        let mut before = 0_u64;
        values.clear();
        for row in rows {
            values.push(column(row).wrapping_sub(before));
            before = column(row);
        }
        column::put(&values, out)?;
    }
    for column in columns {
        values.clear();
        values.extend(rows.iter().map(column));
        column::put(&values, out)?;
    }
    put_io(rows, &mut values, out)?;
    put_metrics(rows, &mut values, out)?;
    values.clear();
    values.extend(rows.iter().map(|row| row.slowest.len() as u64));
    column::put(&values, out)?;
    let all = rows.iter().map(|row| row.slowest.len() as u64).sum();
    out.claim(all, size_of::<Slow>());
    for column in [|slow: &Slow| slow.iteration, |slow: &Slow| slow.time_ns] {
        values.clear();
        for slow in rows.iter().flat_map(|row| &row.slowest) {
            push(&mut values, column(slow))?;
        }
        column::put(&values, out)?;
    }
    Ok(())
}

/// For each layer: the rows that have it, then its columns.
fn put_io(rows: &[Row], values: &mut Vec<u64>, out: &mut Out) -> Result<(), NoMemory> {
    let of = |row: &Row, layer: Layer| {
        row.io.iter().find(|(known, _)| *known == layer).map(|(_, io)| io.numbers())
    };
    let used = |layer: &&Layer| rows.iter().any(|row| of(row, **layer).is_some());
    out.number(Layer::ALL.iter().filter(used).count() as u64);
    for layer in Layer::ALL.iter().filter(used) {
        out.byte(*layer as u8);
        put_presence(rows, |row| of(row, *layer).is_some(), values, out)?;
        out.claim(values.iter().sum(), 2 * size_of::<(Layer, Io)>());
        for column in 0..9 {
            values.clear();
            values.extend(rows.iter().filter_map(|row| of(row, *layer)).map(|io| io[column]));
            column::put(values, out)?;
        }
    }
    Ok(())
}

fn put_metrics(rows: &[Row], values: &mut Vec<u64>, out: &mut Out) -> Result<(), NoMemory> {
    let mut used: Vec<(u32, bool)> = Vec::new();
    let is_count = |measure: &Measure| matches!(measure, Measure::Count { .. });
    for row in rows {
        for Metric { metric, measure } in &row.metrics {
            // Metrics of a row are in order, and rows have mostly the same.
            let key = (*metric, is_count(measure));
            if !used.contains(&key) {
                push(&mut used, key)?;
            }
        }
    }
    used.sort_unstable();
    out.number(used.len() as u64);
    let mut floats: Vec<f64> = Vec::new();
    for (metric, counts) in used {
        let of = |row: &Row| {
            let own = row.metrics.iter().find(|own| own.metric == metric);
            own.map(|own| own.measure).filter(|measure| is_count(measure) == counts)
        };
        out.number(metric.into());
        out.byte(if counts { COUNT } else { VALUE });
        put_presence(rows, |row| of(row).is_some(), values, out)?;
        out.claim(values.iter().sum(), 2 * size_of::<Metric>());
        values.clear();
        values.extend(rows.iter().filter_map(of).map(|measure| match measure {
            Measure::Count { calls, .. } | Measure::Value { calls, .. } => calls,
        }));
        column::put(values, out)?;
        if counts {
            values.clear();
            values.extend(rows.iter().filter_map(of).map(|measure| match measure {
                Measure::Count { sum, .. } => fold(sum),
                Measure::Value { .. } => 0,
            }));
            column::put(values, out)?;
            continue;
        }
        for column in 0..4 {
            floats.clear();
            for measure in rows.iter().filter_map(of) {
                if let Measure::Value { sum, min, max, last, .. } = measure {
                    push(&mut floats, [sum, min, max, last][column])?;
                }
            }
            column::put_floats(&floats, out)?;
        }
    }
    Ok(())
}

/// Appends which rows have something.
fn put_presence(
    rows: &[Row],
    has: impl Fn(&Row) -> bool,
    values: &mut Vec<u64>,
    out: &mut Out,
) -> Result<(), NoMemory> {
    values.clear();
    values.extend(rows.iter().map(|row| u64::from(has(row))));
    column::put(values, out)
}

/// Reads the rows of a region; `processes` and `metrics` say how many there are.
pub(super) fn take(
    input: &mut In<'_>,
    processes: usize,
    metrics: usize,
) -> Result<Vec<Row>, Damage> {
    let count = input.count(size_of::<Row>(), "rows")?;
    let mut rows: Vec<Row> = list(count)?;
    let mut process = 0_u64;
    for step in column::take(input, count)? {
        process = process.wrapping_add(step);
        if process >= processes as u64 {
            return Err(Damage::Unknown("process"));
        }
        rows.push(Row { process: process as u32, ..Row::default() });
    }
    let small = |number: u64| u32::try_from(number).map_err(|_| Damage::Number);
    let places: [fn(&mut Row) -> &mut u32; 3] =
        [|row| &mut row.thread, |row| &mut row.execution, |row| &mut row.more_executions];
    for place in places {
        for (row, value) in rows.iter_mut().zip(column::take(input, count)?) {
            *place(row) = small(value)?;
        }
    }
    let places: [fn(&mut Row) -> &mut u64; 6] = [
        |row| &mut row.calls,
        |row| &mut row.open,
        |row| &mut row.time_ns,
        |row| &mut row.exclusive_ns,
        |row| &mut row.min_ns,
        |row| &mut row.max_ns,
    ];
    for place in places {
        for (row, value) in rows.iter_mut().zip(column::take(input, count)?) {
            *place(row) = value;
        }
    }
    for row in &mut rows {
        let value = |folded: u64| unfold(folded) as u64;
        row.exclusive_ns = row.time_ns.wrapping_sub(value(row.exclusive_ns));
        row.min_ns = mean(row).wrapping_sub(value(row.min_ns));
        row.max_ns = mean(row).wrapping_add(value(row.max_ns));
    }
    let key = |row: &Row| (row.process, row.thread, row.execution);
    if !rows.is_sorted_by(|one, other| key(one) < key(other)) {
        return Err(Damage::Unknown("order of rows"));
    }
    take_io(input, &mut rows)?;
    take_metrics(input, &mut rows, metrics)?;
    let counts = column::take(input, count)?;
    let all = counts.iter().fold(0_u64, |sum, count| sum.saturating_add(*count));
    let all = input.claim(all, size_of::<Slow>(), "slow iterations")?;
    let (iterations, times) = (column::take(input, all)?, column::take(input, all)?);
    let mut slow = iterations.into_iter().zip(times);
    for (row, count) in rows.iter_mut().zip(counts) {
        row.slowest = list(count as usize)?;
        let own = slow.by_ref().take(count as usize);
        row.slowest.extend(own.map(|(iteration, time_ns)| Slow { iteration, time_ns }));
    }
    Ok(rows)
}

/// The positions of the rows that have something.
fn take_presence(input: &mut In<'_>, rows: usize) -> Result<Vec<usize>, Damage> {
    let mut places = list(rows)?;
    let presence = column::take(input, rows)?;
    places.extend(presence.iter().enumerate().filter(|(_, has)| **has != 0).map(|(at, _)| at));
    Ok(places)
}

fn take_io(input: &mut In<'_>, rows: &mut [Row]) -> Result<(), Damage> {
    for _ in 0..input.number()? {
        let layer = Layer::of_number(input.byte()?);
        let places = take_presence(input, rows.len())?;
        input.claim(places.len() as u64, 2 * size_of::<(Layer, Io)>(), "I/O")?;
        let mut columns: [Vec<u64>; 9] = Default::default();
        for column in &mut columns {
            *column = column::take(input, places.len())?;
        }
        let Some(layer) = layer else { continue };
        for (own, at) in places.into_iter().enumerate() {
            let io = Io::of_numbers(core::array::from_fn(|column| columns[column][own]));
            let list = &mut rows[at].io;
            if list.last().is_some_and(|(last, _)| *last >= layer) {
                return Err(Damage::Unknown("order of layers"));
            }
            list.try_reserve_exact(1).map_err(|_| Damage::NoMemory)?;
            list.push((layer, io));
        }
    }
    Ok(())
}

fn take_metrics(input: &mut In<'_>, rows: &mut [Row], metrics: usize) -> Result<(), Damage> {
    for _ in 0..input.number()? {
        let metric = input.small()?;
        if metric as usize >= metrics {
            return Err(Damage::Unknown("metric"));
        }
        let kind = input.byte()?;
        let places = take_presence(input, rows.len())?;
        input.claim(places.len() as u64, 2 * size_of::<Metric>(), "metrics")?;
        let calls = column::take(input, places.len())?;
        let measures: Vec<Measure> = match kind {
            COUNT => {
                let sums = column::take(input, places.len())?.into_iter().map(unfold);
                calls
                    .into_iter()
                    .zip(sums)
                    .map(|(calls, sum)| Measure::Count { calls, sum })
                    .collect()
            }
            VALUE => {
                let mut columns: [Vec<f64>; 4] = Default::default();
                for column in &mut columns {
                    *column = column::take_floats(input, places.len())?;
                }
                let [sums, mins, maxs, lasts] = columns;
                let value = |(at, calls)| {
                    let (sum, min, max, last): (f64, _, _, _) =
                        (sums[at], mins[at], maxs[at], lasts[at]);
                    Measure::Value { calls, sum, min, max, last }
                };
                calls.into_iter().enumerate().map(value).collect()
            }
            _ => return Err(Damage::Unknown("kind of metrics")),
        };
        for (at, measure) in places.into_iter().zip(measures) {
            let list = &mut rows[at].metrics;
            if list.last().is_some_and(|last| last.metric >= metric) {
                return Err(Damage::Unknown("order of metrics"));
            }
            list.try_reserve_exact(1).map_err(|_| Damage::NoMemory)?;
            list.push(Metric { metric, measure });
        }
    }
    Ok(())
}
