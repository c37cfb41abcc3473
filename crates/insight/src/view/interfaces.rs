//! The use of each interface.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use crate::model::{Direction, File, Run, Totals, Usage};

/// Things that an interface works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Things {
    /// Files.
    Files,
    /// Datasets of HDF5.
    Datasets,
    /// Variables of PnetCDF.
    Variables,
}

/// One interface.
#[derive(Debug)]
pub struct Interface<'r> {
    /// Its name.
    pub name: &'static str,
    /// Things that it works on.
    pub things: Things,
    /// The sums, and the slowest rank.
    pub totals: Cow<'r, Totals>,
    /// Seconds of an average rank: reads, writes, metadata.
    pub average: [f64; 3],
    /// Its files by direction.
    pub groups: FileGroups,
    /// The commonest sizes of requests that records tell, and their counts, the commonest first.
    pub common_sizes: Vec<(u64, u64)>,
}

/// Common sizes that are shown.
const MOST_SIZES: usize = 4;
/// Different sizes that are counted.
const MOST_COUNTED: usize = 1 << 17;

/// Files by direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileGroups {
    /// All.
    pub all: FileGroup,
    /// Only read.
    pub read_only: FileGroup,
    /// Only written.
    pub write_only: FileGroup,
    /// Both.
    pub read_write: FileGroup,
}

/// Some files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileGroup {
    /// Number of files.
    pub count: u64,
    /// Sum of their extents.
    pub bytes: u64,
    /// Extent of the largest.
    pub largest: u64,
}

impl FileGroup {
    /// Extent of an average one.
    pub fn average(&self) -> u64 {
        self.bytes.checked_div(self.count).unwrap_or(0)
    }

    fn add(&mut self, size: u64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(size);
        self.largest = self.largest.max(size);
    }
}

impl FileGroups {
    fn add(&mut self, usage: &Usage) {
        let [read, written] = Direction::BOTH.map(|direction| usage.way(direction).bytes > 0);
        let size = usage.extent();
        self.all.add(size);
        match (read, written) {
            (true, false) => self.read_only.add(size),
            (false, true) => self.write_only.add(size),
            (true, true) => self.read_write.add(size),
            (false, false) => {}
        }
    }
}

/// Usage of a file through one interface.
type UsageOf = fn(&File) -> Option<&Usage>;

pub(super) fn of(run: &Run) -> Vec<Interface<'_>> {
    let mut found = Vec::new();
    for (name, things, is_pnetcdf) in
        [("HDF5", Things::Datasets, false), ("PnetCDF", Things::Variables, true)]
    {
        let mut totals = Totals::default();
        let own = || run.datasets.iter().filter(|dataset| dataset.is_pnetcdf == is_pnetcdf);
        let usages = || own().map(|dataset| &dataset.usage);
        usages().for_each(|usage| totals.add(usage, run.ranks));
        totals.finish();
        found.push(Interface::new(name, things, Cow::Owned(totals), usages(), run));
    }
    let layers: [(&str, &Totals, UsageOf); 4] = [
        ("MPI-IO", &run.all_mpiio, |file| file.mpiio.as_deref()),
        ("POSIX", &run.all_posix, |file| file.posix.as_deref()),
        ("STDIO", &run.all_stdio, |file| file.stdio.as_deref()),
        ("DAOS", &run.daos, |file| file.daos.as_deref()),
    ];
    for (name, totals, usage) in layers {
        let usages = run.files.iter().filter_map(usage);
        found.push(Interface::new(name, Things::Files, Cow::Borrowed(totals), usages, run));
    }
    found.retain(|interface| interface.totals.files > 0);
    found
}

impl<'r> Interface<'r> {
    fn new<'u>(
        name: &'static str,
        things: Things,
        totals: Cow<'r, Totals>,
        usages: impl Iterator<Item = &'u Usage>,
        run: &Run,
    ) -> Self {
        let mut groups = FileGroups::default();
        let mut sizes: HashMap<u64, u64> = HashMap::new();
        for usage in usages {
            groups.add(usage);
            for (size, count) in &usage.common_sizes {
                if sizes.len() < MOST_COUNTED || sizes.contains_key(size) {
                    let sum = sizes.entry(*size).or_default();
                    *sum = sum.saturating_add(*count);
                }
            }
        }
        let mut common_sizes: Vec<(u64, u64)> = sizes.into_iter().collect();
        common_sizes.sort_unstable_by_key(|(size, count)| (Reverse(*count), *size));
        common_sizes.truncate(MOST_SIZES);
        let ranks = run.ranks as f64;
        let sum = &totals.sum;
        let average = [sum.ways[0].time, sum.ways[1].time, sum.meta_time].map(|all| all / ranks);
        Self { name, things, totals, average, groups, common_sizes }
    }
}
