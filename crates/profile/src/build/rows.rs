//! Figures: exclusive times, and rows that are added.

use alloc::vec::Vec;

use super::Node;
use crate::model::{Io, Kind, Layer, Row};
use crate::summary::SLOWEST;
use crate::{NoMemory, push};

/// Fills in exclusive times: what is left when the children's on the same thread are taken off.
///
/// Children belong to the innermost region above them that the thread has visited. A child's time
/// belongs to the row of that execution. If there is none, because the execution began while the
/// parent was open, it belongs to the one before. What is more than that row has is taken off the next
/// one, so that nothing is taken off twice or not at all. What is more than all rows have is time in
/// which the thread was attached below the region: it was in it then, too.
pub(crate) fn subtract_children(nodes: &mut [Node<'_>]) -> Result<(), NoMemory> {
    for node in &mut *nodes {
        node.rows.sort_unstable_by_key(|row| row.execution);
        node.rows.iter_mut().for_each(|row| row.exclusive_ns = row.time_ns);
    }
    // Inner ones first, so that the time of a child is known before it is taken off.
    for (child, above) in visited_above(nodes)?.into_iter().enumerate().rev() {
        let (before, rest) = nodes.split_at_mut(child);
        let parent = above.and_then(|above| before.get_mut(above as usize));
        let child = rest.first().filter(|child| child.kind != Kind::Span);
        let (Some(parent), Some(child)) = (parent, child) else { continue };
        for row in &child.rows {
            let after = parent.rows.partition_point(|other| other.execution <= row.execution);
            let after = after.max(1).min(parent.rows.len());
            let (until, later) = parent.rows.split_at_mut(after);
            let mut left = row.time_ns;
            for above in until.iter_mut().rev().chain(&mut *later) {
                let part = left.min(above.exclusive_ns);
                above.exclusive_ns -= part;
                left -= part;
            }
            let mut visited = until.iter_mut().rev().chain(later).filter(|above| above.calls > 0);
            if let Some(above) = visited.next() {
                above.time_ns = above.time_ns.saturating_add(left);
            }
        }
    }
    Ok(())
}

/// For each node the innermost one above it that its thread has visited.
fn visited_above(nodes: &[Node<'_>]) -> Result<Vec<Option<u32>>, NoMemory> {
    let mut list: Vec<Option<u32>> = Vec::new();
    list.try_reserve_exact(nodes.len()).map_err(|_| NoMemory)?;
    for node in nodes {
        // One that is not before it is none.
        let parent = node.parent.filter(|parent| (*parent as usize) < list.len());
        let own = parent.filter(|parent| nodes[*parent as usize].thread == node.thread);
        list.push(own.and_then(|parent| {
            let is_visited = nodes[parent as usize].rows.iter().any(|row| row.calls > 0);
            if is_visited { Some(parent) } else { list[parent as usize] }
        }));
    }
    Ok(list)
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

impl Row {
    /// Adds the figures of the same region, process and thread, of a later execution or the same one.
    pub fn add(&mut self, other: Self) -> Result<(), NoMemory> {
        // Without a visit there is no shortest one.
        self.min_ns = match (self.calls, other.calls) {
            (_, 0) => self.min_ns,
            (0, _) => other.min_ns,
            _ => self.min_ns.min(other.min_ns),
        };
        self.max_ns = self.max_ns.max(other.max_ns);
        self.more_executions = self.more_executions.max(other.more_executions);
        self.calls = self.calls.saturating_add(other.calls);
        self.open = self.open.saturating_add(other.open);
        self.time_ns = self.time_ns.saturating_add(other.time_ns);
        self.exclusive_ns = self.exclusive_ns.saturating_add(other.exclusive_ns);
        for metric in other.metrics {
            push(&mut self.metrics, metric)?;
        }
        for io in other.io {
            push(&mut self.io, io)?;
        }
        for slow in other.slowest {
            push(&mut self.slowest, slow)?;
        }
        match (&mut self.series, other.series) {
            (Some(series), Some(other)) => series.add(*other)?,
            (series @ None, other) => *series = other,
            (Some(_), None) => {}
        }
        tidy(self);
        Ok(())
    }
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
            Some(last) => last.add(row)?,
            None => list.push(row),
        }
    }
    *rows = list;
    Ok(())
}
