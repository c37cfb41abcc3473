//! The rows of a region, by the dimensions that are asked for.

use ioglass_profile::Set;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::{FiguresDoc, MetricDoc, figures};
use crate::profile::{By, Selection, rows};

/// Figures of a region by rank, thread, execution or iteration.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RowDoc {
    /// The rank, if it is in `by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// The thread, if it is in `by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// The execution, if it is in `by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<u32>,
    /// The iteration, if it is in `by`; null in a region of another kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<Option<u64>>,
    /// The figures.
    #[serde(flatten)]
    pub figures: FiguresDoc,
    /// I/O from begin to end, children included, if it is an iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_total: Option<IoTotal>,
}

/// I/O of the thread of an iteration, from its begin to its end.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct IoTotal {
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Time in I/O.
    pub seconds: f64,
}

/// The rows of a region.
pub(super) fn of(set: &Set, region: u32, selection: &Selection) -> Vec<RowDoc> {
    let profile = set.profile();
    let doc = |(key, row): (rows::Key, rows::Sums)| {
        let mut figures = figures(&row.figures, profile);
        if row.io_total.is_some() {
            figures.exclusive_ns = None;
            figures.metrics.values_mut().for_each(MetricDoc::forget);
        }
        if row.is_joined {
            (figures.min_ns, figures.max_ns) = (None, None);
        }
        let io_total = row.io_total.map(|io| IoTotal {
            bytes_read: io.bytes_read,
            bytes_written: io.bytes_written,
            seconds: io.time_ns as f64 / 1e9,
        });
        RowDoc {
            rank: key.rank,
            thread: key.thread,
            execution: key.execution,
            iteration: selection.has(By::Iteration).then_some(key.iteration),
            figures,
            io_total,
        }
    };
    rows::of(set, region, selection).into_iter().map(doc).collect()
}
