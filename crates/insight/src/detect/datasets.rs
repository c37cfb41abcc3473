//! Helpers of the checks that look at HDF5 datasets.

use std::collections::HashMap;

use super::{Check, Context, base};
use crate::finding::{FileShare, Need};
use crate::model::{Dataset, Direction, File, Usage};
use crate::number;

/// True if the log has HDF5 datasets.
pub(super) fn are_known(cx: &Context<'_>) -> bool {
    cx.run.datasets.iter().any(|dataset| !dataset.is_pnetcdf)
}

/// The outcome of a check of datasets where there are none.
pub(super) fn missing(cx: &Context<'_>) -> Check {
    if cx.run.libraries.hdf5_files { Check::NotCheckable(Need::Hdf5) } else { Check::Senseless }
}

/// A larger chunk is not advised: it would not fit into the default cache.
const LARGEST_CHUNK: u64 = 1 << 20;

/// Sides of a chunk for the commonest access: its shape, halved along the slowest dimensions until
/// the chunk fits into the default cache.
pub(super) fn fitting_chunk(dataset: &Dataset) -> Vec<u64> {
    let mut sides = dataset.sides();
    let bytes =
        |sides: &[u64]| sides.iter().copied().fold(dataset.element.max(1), u64::saturating_mul);
    while bytes(&sides) > LARGEST_CHUNK {
        let Some(side) = sides.iter_mut().find(|side| **side > 1) else { break };
        *side = side.div_ceil(2);
    }
    sides
}

/// Seconds, all ranks together, that the bytes of a dataset take in large pieces.
pub(super) fn move_time(cx: &Context<'_>, dataset: &Dataset) -> f64 {
    let time = |way: Direction| dataset.usage.way(way).bytes as f64 / cx.rate(way);
    Direction::BOTH.into_iter().map(time).sum()
}

/// A file that moves more than its datasets were asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amplified<'a> {
    pub(super) file: &'a File,
    pub(super) asked: u64,
    pub(super) below: u64,
    pub(super) seconds: f64,
}

impl Amplified<'_> {
    pub(super) fn factor(&self) -> f64 {
        self.below as f64 / self.asked.max(1) as f64
    }

    /// The bytes of the datasets and of the file, as a sentence without its end.
    pub(super) fn detail(&self, moved: &str) -> String {
        format!(
            "{}: {} of the datasets were {moved}, {} of the file: {} as much",
            base(&self.file.name),
            number::bytes(self.asked),
            number::bytes(self.below),
            number::ratio(self.factor())
        )
    }
}

/// Files with datasets: the bytes asked for and the bytes moved in one direction. `cost` gives the
/// seconds of the layer below.
pub(super) fn amplified<'a>(
    cx: &Context<'a>,
    direction: Direction,
    cost: impl Fn(&File, &Usage, f64) -> f64,
) -> Vec<Amplified<'a>> {
    let mut sums: HashMap<u64, u64> = HashMap::new();
    for dataset in cx.run.datasets.iter().filter(|dataset| !dataset.is_pnetcdf) {
        if let Some(file) = dataset.file {
            let sum = sums.entry(file).or_default();
            *sum = sum.saturating_add(dataset.usage.way(direction).bytes);
        }
    }
    let one = |file: &'a File| {
        let asked = sums.get(&file.id).copied().filter(|bytes| *bytes > 0)?;
        let usage = file.mpiio.as_deref().or(file.posix.as_deref())?;
        let below = usage.way(direction).bytes;
        let mut found = Amplified { file, asked, below, seconds: 0.0 };
        found.seconds = cost(file, usage, found.factor());
        Some(found)
    };
    cx.run.data().filter_map(one).collect()
}

/// The one that costs most.
pub(super) fn worst<'a>(found: &[Amplified<'a>]) -> Option<Amplified<'a>> {
    found.iter().copied().max_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

/// The share of each file in a finding.
pub(super) fn shares(cx: &Context<'_>, found: &[Amplified<'_>]) -> Vec<FileShare> {
    found.iter().map(|one| cx.share_of(one.file, one.seconds)).collect()
}
