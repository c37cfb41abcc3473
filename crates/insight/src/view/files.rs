//! The table of files.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::model::{Dataset, Direction, File, FileKind, Run, Usage};

/// Rows that a page has room for.
pub const MOST_FILES: usize = 1000;

/// The files and datasets that took most seconds.
#[derive(Debug, Default)]
pub struct FileTable<'r> {
    /// The first ones, most seconds first, then most bytes, then by name.
    pub rows: Vec<FileRow<'r>>,
    /// Number of files that are not listed.
    pub more: u64,
}

/// A file, or a part of one that has a name.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRow<'r> {
    /// Its name; not to be trusted.
    pub name: &'r str,
    /// Its kind, in a word or two.
    pub kind: &'static str,
    /// The type of its file system; empty if not known.
    pub system: &'r str,
    /// The interfaces it was used through.
    pub through: Vec<&'static str>,
    /// Seconds of the rank that spent most on it.
    pub seconds: f64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Reads and writes.
    pub requests: u64,
    /// Ranks that used it.
    pub ranks: u64,
}

/// A file or a dataset, before it has a row: there may be very many.
#[derive(Clone, Copy)]
enum Thing<'r> {
    File(&'r File),
    Dataset(&'r Dataset),
}

impl<'r> FileTable<'r> {
    pub(super) fn of(run: &'r Run) -> Self {
        let used = run.files.iter().filter(|file| file.layers().next().is_some());
        let files = used.map(Thing::File);
        let things = files.chain(run.datasets.iter().map(Thing::Dataset));
        let mut things: Vec<(f64, Thing<'r>)> =
            things.map(|thing| (thing.seconds(run), thing)).collect();
        let more = things.len().saturating_sub(MOST_FILES);
        if more > 0 {
            things.select_nth_unstable_by(MOST_FILES, by_cost);
            things.truncate(MOST_FILES);
        }
        things.sort_unstable_by(by_cost);
        let holders = things.iter().filter_map(|(_, thing)| thing.holder());
        let holders: HashSet<u64> = holders.collect();
        let holders = run.files.iter().filter(|file| holders.contains(&file.id));
        let systems: HashMap<u64, &str> =
            holders.map(|file| (file.id, run.fs_type(file))).collect();
        let row = |(_, thing): &(f64, Thing<'r>)| match thing {
            Thing::File(file) => file_row(run, file),
            Thing::Dataset(dataset) => {
                let system = dataset.file.and_then(|id| systems.get(&id)).copied();
                dataset_row(run, dataset, system.unwrap_or_default())
            }
        };
        Self { rows: things.iter().map(row).collect(), more: more as u64 }
    }
}

fn by_cost(a: &(f64, Thing<'_>), b: &(f64, Thing<'_>)) -> Ordering {
    let by_seconds = b.0.total_cmp(&a.0);
    by_seconds.then_with(|| b.1.bytes().cmp(&a.1.bytes())).then_with(|| a.1.name().cmp(b.1.name()))
}

impl<'r> Thing<'r> {
    fn seconds(self, run: &Run) -> f64 {
        match self {
            Self::File(file) => file.slowest_time(run.ranks),
            Self::Dataset(dataset) => dataset.usage.slowest_time(run.ranks),
        }
    }

    fn bytes(self) -> u64 {
        match self {
            Self::File(file) => file.bytes(),
            Self::Dataset(dataset) => dataset.usage.bytes(),
        }
    }

    fn name(self) -> &'r str {
        match self {
            Self::File(file) => &file.name,
            Self::Dataset(dataset) => &dataset.name,
        }
    }

    /// The file that a dataset is in.
    fn holder(self) -> Option<u64> {
        match self {
            Self::File(_) => None,
            Self::Dataset(dataset) => dataset.file,
        }
    }
}

fn file_row<'r>(run: &'r Run, file: &'r File) -> FileRow<'r> {
    let kind = match file.kind {
        FileKind::Data if file.is_hdf5() => "HDF5 file",
        FileKind::Data => "file",
        FileKind::Startup => "start-up",
        FileKind::Stream => "stream",
        FileKind::Waits => "pipe or device",
    };
    let interfaces = [
        ("POSIX", &file.posix),
        ("MPI-IO", &file.mpiio),
        ("STDIO", &file.stdio),
        ("HDF5", &file.h5f),
        ("PnetCDF", &file.pnetcdf),
        ("DAOS", &file.daos),
    ];
    let through = interfaces.iter().filter(|(_, usage)| usage.is_some()).map(|(name, _)| *name);
    let mut row = FileRow {
        name: &file.name,
        kind,
        system: run.fs_type(file),
        through: through.collect(),
        seconds: file.slowest_time(run.ranks),
        read: 0,
        written: 0,
        requests: 0,
        ranks: file.ranks(run.ranks),
    };
    file.counted_once().for_each(|usage| row.add(usage));
    row
}

fn dataset_row<'r>(run: &Run, dataset: &'r Dataset, system: &'r str) -> FileRow<'r> {
    let (kind, through) = match dataset.is_pnetcdf {
        true => ("variable", "PnetCDF"),
        false => ("dataset", "HDF5"),
    };
    let mut row = FileRow {
        name: &dataset.name,
        kind,
        system,
        through: vec![through],
        seconds: dataset.usage.slowest_time(run.ranks),
        read: 0,
        written: 0,
        requests: 0,
        ranks: dataset.usage.ranks(run.ranks),
    };
    row.add(&dataset.usage);
    row
}

impl FileRow<'_> {
    fn add(&mut self, usage: &Usage) {
        self.read = self.read.saturating_add(usage.way(Direction::Read).bytes);
        self.written = self.written.saturating_add(usage.way(Direction::Write).bytes);
        self.requests = self.requests.saturating_add(usage.calls());
    }
}
