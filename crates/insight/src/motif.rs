//! Motifs: the pattern of a run, by which runs of other programs are found that are like it.
//!
//! A motif has no names of files or programs. Two motifs have a distance from 0 to 1.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::advice::MpiKind;
use crate::model::{CLASS_BOUNDS, CLASSES, Dataset, Direction, File, Run, Usage};

/// The name of a line that holds a motif.
pub const SCHEMA: &str = "ioglass.motif/1";

/// The distance below which two motifs are close.
pub const CLOSE: f64 = 0.15;

/// Two counts or sizes of this ratio are as far apart as can be.
const FARTHEST: f64 = 1024.0;

/// Who uses the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// Ranks share the files that most bytes are in.
    SharedFile,
    /// Each rank has its own.
    FilePerRank,
    /// One rank does it all.
    OneRank,
}

/// The interface that the program calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    /// HDF5.
    Hdf5,
    /// PnetCDF.
    Pnetcdf,
    /// MPI-IO.
    MpiIo,
    /// Calls of the system.
    Posix,
    /// Streams of the C library.
    Streams,
}

/// The pattern of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Motif {
    /// Who uses the files.
    pub sharing: Sharing,
    /// The interface that the program calls.
    pub interface: Interface,
    /// MPI and MPI-IO, such as `MPICH/ROMIO`; empty without MPI-IO.
    pub stack: String,
    /// The type of the file system with most bytes.
    pub file_system: String,
    /// Dimensions of the dataset with most bytes; 0 without datasets.
    pub dimensions: u64,
    /// Ranks, or processes.
    pub ranks: u64,
    /// Files with data.
    pub files: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// Bytes of the median request.
    pub request: u64,
    /// Requests that begin where the last one ended, as a part of all.
    pub contiguous: f64,
    /// Collective calls as a part of all of MPI-IO.
    pub collective: f64,
    /// Bytes read as a part of all.
    pub read: f64,
    /// Seconds in metadata calls as a part of all in I/O.
    pub metadata: f64,
}

impl Motif {
    /// The motif of a run; none if it moved no data of the user's.
    pub fn of(run: &Run) -> Option<Self> {
        let totals = [&run.posix, &run.mpiio, &run.stdio].map(|totals| &totals.sum);
        let [posix, mpiio, stdio] = totals;
        let largest = run.largest()?;
        let data = || run.data().filter(|file| file.bytes() > 0);
        let bytes = data().map(File::bytes).fold(0, u64::saturating_add);
        if bytes == 0 {
            return None;
        }
        let shared: u64 = data().filter(|file| file.ranks(run.ranks) > 1).map(File::bytes).sum();
        let users = run.active_ranks;
        let below = if stdio.bytes() > posix.bytes() { stdio } else { posix };
        let asked = if mpiio.calls() > 0 { mpiio } else { below };
        let kinds = mpiio.ways.iter().map(|way| way.kinds().together()).sum::<u64>();
        let counted = || data().flat_map(File::counted_once);
        let read = counted().map(|usage| usage.way(Direction::Read).bytes);
        let (meta, data_time) = [posix, stdio].iter().fold((0.0, 0.0), |(meta, time), usage| {
            (meta + usage.meta_time, time + usage.data_time())
        });
        Some(Self {
            sharing: match (shared.saturating_mul(2) >= bytes, users) {
                (true, _) => Sharing::SharedFile,
                (false, 0 | 1) => Sharing::OneRank,
                (false, _) => Sharing::FilePerRank,
            },
            interface: interface(run, largest),
            stack: stack(run),
            file_system: run.fs_type(largest).to_owned(),
            dimensions: dimensions(run),
            ranks: run.ranks,
            files: data().count() as u64,
            bytes,
            request: median(asked),
            contiguous: contiguous(below),
            collective: part(kinds as f64, mpiio.calls() as f64),
            read: part(read.fold(0, u64::saturating_add) as f64, bytes as f64),
            metadata: part(meta, meta + data_time),
        })
    }

    /// The distance of two motifs, 0 to 1: the mean over all features.
    pub fn distance(&self, other: &Self) -> f64 {
        let word = |same: bool| if same { 0.0 } else { 1.0 };
        let number = |one: u64, other: u64| {
            let ratio = (one as f64 + 1.0) / (other as f64 + 1.0);
            (libm::log(ratio).abs() / libm::log(FARTHEST)).min(1.0)
        };
        let share = |one: f64, other: f64| (one - other).abs().clamp(0.0, 1.0);
        let features = [
            word(self.sharing == other.sharing),
            word(self.interface == other.interface),
            word(self.stack == other.stack),
            word(self.file_system == other.file_system),
            word(self.dimensions == other.dimensions),
            number(self.ranks, other.ranks),
            number(self.files, other.files),
            number(self.bytes, other.bytes),
            number(self.request, other.request),
            share(self.contiguous, other.contiguous),
            share(self.collective, other.collective),
            share(self.read, other.read),
            share(self.metadata, other.metadata),
        ];
        features.iter().sum::<f64>() / features.len() as f64
    }

    /// What was tuned for one may help the other: they are near, on the same stack and file system.
    pub fn is_close(&self, other: &Self) -> bool {
        self.stack == other.stack
            && self.file_system == other.file_system
            && self.distance(other) < CLOSE
    }
}

/// A part of a whole, 0 where there is none.
fn part(part: f64, whole: f64) -> f64 {
    let share = part / whole;
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

/// The interface that stands above the others on the largest file.
fn interface(run: &Run, largest: &File) -> Interface {
    let has_dataset = || run.datasets.iter().any(|dataset| dataset.file == Some(largest.id));
    if largest.pnetcdf.is_some() {
        Interface::Pnetcdf
    } else if largest.h5f.is_some() || has_dataset() {
        Interface::Hdf5
    } else if largest.mpiio.is_some() {
        Interface::MpiIo
    } else if largest.posix.is_some() {
        Interface::Posix
    } else {
        Interface::Streams
    }
}

/// MPI and MPI-IO without versions.
fn stack(run: &Run) -> String {
    let name = |kind| match kind {
        MpiKind::OpenMpi => "Open MPI",
        MpiKind::Mpich => "MPICH",
        MpiKind::CrayMpich => "Cray MPICH",
        MpiKind::IntelMpi => "Intel MPI",
    };
    match (run.stack.mpi_kind(), &run.stack.mpiio) {
        (Some(kind), Some(mpiio)) => format!("{}/{mpiio}", name(kind)),
        _ => String::new(),
    }
}

fn dimensions(run: &Run) -> u64 {
    let most = run.datasets.iter().max_by_key(|dataset: &&Dataset| dataset.usage.bytes());
    most.map_or(0, |dataset| dataset.dimensions as u64)
}

/// The size of the median request: exactly where sizes are told, else the bound of its class; the
/// mean where there are no classes.
fn median(usage: &Usage) -> u64 {
    let calls = usage.calls();
    let told = usage.common_size().filter(|(_, count)| count.saturating_mul(2) > calls);
    if let Some((size, _)) = told {
        return size;
    }
    let up_to = |class: usize| {
        usage.ways.iter().map(|way| way.sizes.up_to(class)).fold(0, u64::saturating_add)
    };
    let all = up_to(CLASSES - 1);
    let middle = (0..CLASSES).find(|class| all > 0 && up_to(*class).saturating_mul(2) >= all);
    match middle {
        Some(class) => CLASS_BOUNDS.get(class).copied().unwrap_or(u64::MAX >> 1),
        None => usage.bytes() / calls.max(1),
    }
}

/// Requests that continue the last one. Streams do but for their seeks.
fn contiguous(usage: &Usage) -> f64 {
    let calls = usage.calls() as f64;
    let consecutive: u64 = usage.ways.iter().map(|way| way.consecutive).sum();
    let has_sizes = usage.ways.iter().any(|way| way.sizes.up_to(CLASSES - 1) > 0);
    if has_sizes {
        return part(consecutive as f64, calls);
    }
    part((calls - usage.seeks as f64).max(0.0), calls)
}
