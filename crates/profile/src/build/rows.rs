//! Figures: exclusive times, and rows that are added.

use alloc::vec::Vec;

use super::Node;
use crate::model::{Io, Kind, Layer, Row};
use crate::{NoMemory, push};

/// Slow iterations that a row keeps.
const SLOWEST: usize = 16;

/// Fills in exclusive times: what is left when the children's on the same thread are taken off.
///
/// A child's time belongs to the parent's row of that execution. If there is none, because the
/// execution began while the parent was open, it belongs to the one before. What is more than that
/// row has is taken off the next one, so that nothing is taken off twice or not at all.
pub(crate) fn subtract_children(nodes: &mut [Node<'_>]) -> Result<(), NoMemory> {
    for node in &mut *nodes {
        node.rows.sort_unstable_by_key(|row| row.execution);
        node.rows.iter_mut().for_each(|row| row.exclusive_ns = row.time_ns);
    }
    for child in 0..nodes.len() {
        let (before, rest) = nodes.split_at_mut(child);
        let Some(child) = rest.first() else { break };
        let Some(parent) = child.parent.and_then(|parent| before.get_mut(parent as usize)) else {
            continue;
        };
        if child.kind == Kind::Span || child.thread != parent.thread {
            continue;
        }
        for row in &child.rows {
            let after = parent.rows.partition_point(|other| other.execution <= row.execution);
            let after = after.max(1).min(parent.rows.len());
            let (until, later) = parent.rows.split_at_mut(after);
            let mut left = row.time_ns;
            for above in until.iter_mut().rev().chain(later) {
                let part = left.min(above.exclusive_ns);
                above.exclusive_ns -= part;
                left -= part;
            }
        }
    }
    Ok(())
}

/// Adds I/O of a layer.
pub(crate) fn add_io(list: &mut Vec<(Layer, Io)>, layer: Layer, io: &Io) -> Result<(), NoMemory> {
    match list.iter_mut().find(|(other, _)| *other == layer) {
        Some((_, known)) => {
            known.add(io);
            Ok(())
        }
        None => push(list, (layer, *io)),
    }
}

/// Gives metrics their new numbers; those without one are dropped.
pub(crate) fn rename_metrics(row: &mut Row, numbers: &[u32]) {
    let number = |metric: &mut u32| match numbers.get(*metric as usize) {
        Some(number) => {
            *metric = *number;
            true
        }
        None => false,
    };
    row.metrics.retain_mut(|metric| number(&mut metric.metric));
    if let Some(series) = &mut row.series {
        series.metrics.retain_mut(|(metric, _)| number(metric));
    }
}

/// Puts the parts of a row in order, each once.
pub(crate) fn tidy(row: &mut Row) {
    row.metrics.sort_by_key(|metric| metric.metric);
    row.metrics.dedup_by(|later, first| {
        let is_same = later.metric == first.metric;
        if is_same {
            first.measure.add(&later.measure);
        }
        is_same
    });
    row.io.sort_by_key(|(layer, _)| *layer);
    row.io.dedup_by(|later, first| {
        let is_same = later.0 == first.0;
        if is_same {
            first.1.add(&later.1);
        }
        is_same
    });
    if let Some(series) = &mut row.series {
        series.metrics.sort_by_key(|(metric, _)| *metric);
        series.metrics.dedup_by_key(|(metric, _)| *metric);
    }
    row.slowest.sort_unstable_by_key(|slow| (core::cmp::Reverse(slow.time_ns), slow.iteration));
    row.slowest.truncate(SLOWEST);
}

/// Adds the figures of the same region, process, thread and execution.
pub(crate) fn add(row: &mut Row, other: Row) -> Result<(), NoMemory> {
    // Without a visit there is no shortest one.
    row.min_ns = match (row.calls, other.calls) {
        (_, 0) => row.min_ns,
        (0, _) => other.min_ns,
        _ => row.min_ns.min(other.min_ns),
    };
    row.max_ns = row.max_ns.max(other.max_ns);
    row.more_executions = row.more_executions.max(other.more_executions);
    row.calls = row.calls.saturating_add(other.calls);
    row.open = row.open.saturating_add(other.open);
    row.time_ns = row.time_ns.saturating_add(other.time_ns);
    row.exclusive_ns = row.exclusive_ns.saturating_add(other.exclusive_ns);
    for metric in other.metrics {
        push(&mut row.metrics, metric)?;
    }
    for io in other.io {
        push(&mut row.io, io)?;
    }
    for slow in other.slowest {
        push(&mut row.slowest, slow)?;
    }
    // Two series cannot be told apart afterwards: the longer one stays.
    let len = |row: &Option<alloc::boxed::Box<crate::Series>>| {
        row.as_ref().map_or(0, |series| series.iterations)
    };
    if len(&other.series) > len(&row.series) {
        row.series = other.series;
    }
    tidy(row);
    Ok(())
}

/// Puts rows in order, each once.
pub(crate) fn sort(rows: &mut Vec<Row>) -> Result<(), NoMemory> {
    let key = |row: &Row| (row.process, row.thread, row.execution);
    if rows.is_sorted_by(|one, other| key(one) < key(other)) {
        return Ok(());
    }
    rows.sort_by_key(key);
    let mut list: Vec<Row> = Vec::new();
    list.try_reserve_exact(rows.len()).map_err(|_| NoMemory)?;
    for row in core::mem::take(rows) {
        match list.last_mut().filter(|last| key(last) == key(&row)) {
            Some(last) => add(last, row)?,
            None => list.push(row),
        }
    }
    *rows = list;
    Ok(())
}
