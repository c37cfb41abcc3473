//! Metrics of regions: counts and values, and the series of those of iterations.

use core::cell::Cell;

use ioglass_shm::{
    Kind, MetricKind, NoticeCode, RegionCell, RegionLoss, RegionMetric, SeriesHead, SeriesNumber,
};

use super::names::{self, Id, Name};
use super::notice;
use super::room::{self, Use};
use super::series::Pieces;
use super::tree::Node;

/// A metric of a region. It is never freed.
#[repr(C)]
pub(super) struct Metric {
    next: *mut Metric,
    name: *const Name,
    id: Id,
    kind: u32,
    /// The cell of the region whose metric the entry is.
    of: Cell<*mut RegionCell>,
    entry: Cell<*mut RegionMetric>,
    offset: Cell<u64>,
    /// Numbers that were finite when the last visit ended.
    finite_before: Cell<u64>,
    /// The sum when the last visit ended.
    sum_before: Cell<i64>,
    pieces: Pieces,
}

/// The number that is given to a metric.
#[derive(Clone, Copy)]
pub(super) enum Number {
    Count(i64),
    Value(f64),
}

impl Number {
    fn kind(self) -> MetricKind {
        match self {
            Self::Count(_) => MetricKind::Count,
            Self::Value(_) => MetricKind::Value,
        }
    }
}

/// Gives a number to a metric of a region.
pub(super) fn add(node: &Node, name: &[u8], number: Number) {
    let Some(metric) = find(node, name).or_else(|| make(node, name, number.kind())) else {
        return room::lose(RegionLoss::Metrics, 1);
    };
    if metric.kind != number.kind() as u32 {
        return notice::add(NoticeCode::MetricKind, metric.id, node);
    }
    if !metric.is_ready(node) {
        return room::lose(RegionLoss::Metrics, 1);
    }
    // SAFETY: an entry of this capture that only this thread changes.
    let entry = unsafe { &mut *metric.entry.get() };
    match number {
        Number::Count(number) => {
            let sum = entry.sum.cast_signed();
            let (new, is_beyond) = sum.overflowing_add(number);
            entry.sum = match is_beyond {
                false => new.cast_unsigned(),
                true => sum.saturating_add(number).cast_unsigned(),
            };
            if is_beyond {
                room::lose(RegionLoss::Metrics, 1);
            }
            entry.finite += 1;
        }
        Number::Value(value) if value.is_finite() => {
            let of = f64::from_bits;
            if entry.finite == 0 || value < of(entry.min) {
                entry.min = value.to_bits();
            }
            if entry.finite == 0 || value > of(entry.max) {
                entry.max = value.to_bits();
            }
            entry.sum = (of(entry.sum) + value).to_bits();
            entry.last = value.to_bits();
            entry.finite += 1;
        }
        Number::Value(_) => notice::add(NoticeCode::NotFinite, metric.id, node),
    }
    entry.calls += 1;
}

fn find(node: &Node, name: &[u8]) -> Option<&'static Metric> {
    // SAFETY: metrics and names are never unmapped.
    let mut list = unsafe { metrics(node) };
    // SAFETY: as above.
    list.find(|metric| unsafe { (*metric.name).bytes() } == name)
}

/// The metrics of a region.
///
/// # Safety
/// The node is one.
unsafe fn metrics(node: &Node) -> impl Iterator<Item = &'static Metric> {
    // SAFETY: metrics are never unmapped.
    core::iter::successors(unsafe { node.metrics.get().as_ref() }, |metric| unsafe {
        metric.next.as_ref()
    })
}

#[cold]
fn make(node: &Node, name: &[u8], kind: MetricKind) -> Option<&'static Metric> {
    let id = match name.is_empty() {
        true => {
            notice::add(NoticeCode::Unnamed, 0, node);
            names::intern(names::UNNAMED)
        }
        false => names::intern(name),
    };
    let name = names::get(id)?;
    // A long name was cut.
    if let Some(known) = find(node, name.bytes()) {
        return Some(known);
    }
    let new = room::take::<Metric>(Use::Common)?;
    // SAFETY: new memory, and all zero is a valid value.
    unsafe {
        (*new).next = node.metrics.get();
        (*new).name = name;
        (*new).id = id;
        (*new).kind = kind as u32;
        node.metrics.set(new);
        Some(&*new)
    }
}

impl Metric {
    /// Makes sure that there is an entry for the region's execution.
    #[inline]
    fn is_ready(&self, node: &Node) -> bool {
        self.of.get() == node.cell.get() || self.renew(node)
    }

    #[cold]
    fn renew(&self, node: &Node) -> bool {
        let (region, execution) = (node.number, node.execution());
        let (name, kind) = (names::offset(self.id), self.kind);
        let taken = room::take_cell(Kind::RegionMetric, Use::Common, |entry: &mut RegionMetric| {
            *entry = RegionMetric { region, execution, name, kind, ..RegionMetric::default() };
        });
        let Some((entry, offset)) = taken else { return false };
        self.of.set(node.cell.get());
        self.entry.set(entry);
        self.offset.set(offset);
        self.finite_before.set(0);
        self.sum_before.set(0);
        self.pieces.forget();
        true
    }
}

/// Notes what was given to metrics of an iteration in its visit with this number.
#[inline]
pub(super) fn iteration_ends(node: &Node, number: u64) {
    if !node.metrics.get().is_null() {
        note_iteration(node, number);
    }
}

#[cold]
#[inline(never)]
fn note_iteration(node: &Node, number: u64) {
    // SAFETY: of a node.
    for metric in unsafe { metrics(node) }.filter(|metric| metric.of.get() == node.cell.get()) {
        // SAFETY: an entry of this capture.
        let entry = unsafe { &*metric.entry.get() };
        if metric.finite_before.replace(entry.finite) == entry.finite {
            continue;
        }
        let sum = entry.sum.cast_signed();
        let added = sum.wrapping_sub(metric.sum_before.replace(sum));
        let head = SeriesHead {
            region: node.number,
            execution: node.execution(),
            metric: metric.offset.get(),
            ..SeriesHead::default()
        };
        metric.pieces.change(head, number, |item: &mut SeriesNumber| {
            item.number = match metric.kind == MetricKind::Count as u32 {
                true => item.number.wrapping_add(added.cast_unsigned()),
                false => entry.last,
            };
            item.visits += 1;
        });
    }
}
