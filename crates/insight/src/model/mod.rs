//! The model of a run that detectors look at.

mod believed;
mod build;
mod columns;
mod dataset;
mod directory;
mod file;
mod heat;
mod order;
mod sizes;
mod sort;
mod table;
mod totals;
mod traced;
mod usage;

pub use build::ModelLimits;
pub use dataset::{DIMENSIONS, Dataset};
pub use file::{Component, File, FileKind, Stripes};
pub use heat::{Heat, HeatLayer};
pub use sizes::{CLASS_BOUNDS, CLASSES, Sizes};
pub use totals::{RankTotals, Totals};
pub use usage::{CallKinds, Direction, RankUse, Rare, Reduced, Usage, Values, Way};

use ioglass_log::ModuleId;

use crate::finding::{Language, RankKind, Warning};
use crate::trace;

/// Programs whose options can be changed, but whose source is not the user's.
const TOOLS: [&str; 43] = [
    "awk",
    "bash",
    "bsdtar",
    "bzip2",
    "c++",
    "cargo",
    "cat",
    "cc",
    "clang",
    "clang++",
    "cp",
    "curl",
    "cut",
    "dd",
    "diff",
    "du",
    "find",
    "g++",
    "gcc",
    "git",
    "grep",
    "gunzip",
    "gzip",
    "head",
    "ls",
    "make",
    "md5sum",
    "mv",
    "ninja",
    "rm",
    "rsync",
    "sed",
    "sh",
    "sha256sum",
    "sort",
    "split",
    "tail",
    "tar",
    "unzip",
    "wc",
    "xz",
    "zip",
    "zstd",
];

/// A mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Path of the mount.
    pub path: String,
    /// Its type, such as `lustre`.
    pub fs_type: String,
}

/// State of a module in the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presence {
    /// The module.
    pub id: ModuleId,
    /// True if it lost records.
    pub is_partial: bool,
    /// True if its records could be read to the end.
    pub is_read: bool,
}

/// Libraries for files with a structure of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Libraries {
    /// HDF5.
    pub hdf5: bool,
    /// HDF5, by records of files or by their names.
    pub hdf5_files: bool,
    /// NetCDF, by the names of files.
    pub netcdf: bool,
    /// PnetCDF.
    pub pnetcdf: bool,
}

/// A run.
#[derive(Debug)]
pub struct Run {
    /// The command line; not to be trusted.
    pub command: String,
    /// Start in seconds since 1970.
    pub start: i64,
    /// The scheduler's number.
    pub jobid: i64,
    /// Name and version of the recorder.
    pub recorder: String,
    /// Seconds it ran, more than 0.
    pub run_time: f64,
    /// Ranks, at least 1.
    pub ranks: u64,
    /// Kind of the ranks.
    pub rank_kind: RankKind,
    /// Ranks are parts of one parallel program, and there are several.
    pub ranks_mean_something: bool,
    /// Ranks that did I/O.
    pub active_ranks: u64,
    /// There is a core for each rank, as far as is known.
    pub cores_are_enough: bool,
    /// True if a part of the recording could not be read.
    pub is_damaged: bool,
    /// Errors of the parts that could not be read.
    pub damage: Vec<ioglass_log::Error>,
    /// Modules of the recording.
    pub modules: Vec<Presence>,
    /// Mounts.
    pub mounts: Vec<Mount>,
    /// All files, by name.
    pub files: Vec<File>,
    /// The libraries that files were written or read with.
    pub libraries: Libraries,
    /// Some data file is on Lustre.
    pub(crate) is_on_lustre: bool,
    /// The layout of some data file on Lustre is known.
    pub(crate) has_layouts: bool,
    /// The place in `files` of the data file with most bytes.
    pub(crate) largest: Option<usize>,
    /// Datasets and variables.
    pub datasets: Vec<Dataset>,
    /// Heat maps.
    pub heat: Heat,
    /// Facts of the trace, if there is one.
    pub trace: Option<trace::TraceFacts>,
    /// Problems of the data.
    pub warnings: Vec<Warning>,
    /// Sums over data files, POSIX.
    pub posix: Totals,
    /// MPI-IO.
    pub mpiio: Totals,
    /// Streams of the C library, standard ones left out.
    pub stdio: Totals,
    /// DAOS.
    pub daos: Totals,
    /// Everything, whatever kind of file, POSIX.
    pub all_posix: Totals,
    /// Everything, MPI-IO.
    pub all_mpiio: Totals,
    /// Everything, streams.
    pub all_stdio: Totals,
}

impl Run {
    /// The data file with most bytes.
    pub fn largest(&self) -> Option<&File> {
        self.largest.map(|place| &self.files[place])
    }

    /// Files that hold the user's data.
    pub fn data(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.kind == FileKind::Data)
    }

    /// Those of them that several ranks used, through whatever interface.
    pub fn shared(&self) -> impl Iterator<Item = &File> {
        self.data().filter(|file| file.ranks(self.ranks) > 1)
    }

    /// Returns true if the recording has a module.
    pub fn has(&self, module: &ioglass_log::Module) -> bool {
        self.modules.iter().any(|found| found.id == module.id)
    }

    /// Returns true if a module lost records.
    pub fn is_partial(&self, module: &ioglass_log::Module) -> bool {
        self.modules.iter().any(|found| found.id == module.id && found.is_partial)
    }

    /// The type of the file system a file lies on.
    pub fn fs_type(&self, file: &File) -> &str {
        file.mount.and_then(|mount| self.mounts.get(mount)).map_or("", |mount| &mount.fs_type)
    }

    /// The language of the program, as far as its command line tells.
    pub fn language(&self) -> Language {
        let first = self.command.split_whitespace().next().unwrap_or_default();
        let name = first.rsplit('/').next().unwrap_or(first);
        let runs_script = self.command.split_whitespace().any(|word| word.ends_with(".py"));
        if !self.ranks_mean_something && TOOLS.contains(&name) {
            Language::Shell
        } else if name.starts_with("python") || name.ends_with(".py") || runs_script {
            Language::Python
        } else {
            Language::C
        }
    }

    /// `seconds` as a part of the run.
    pub fn share(&self, seconds: f64) -> f64 {
        (seconds / self.run_time).clamp(0.0, 1.0)
    }

    /// Seconds of the slowest rank in I/O: MPI-IO holds the POSIX calls below it.
    pub fn io_time(&self) -> f64 {
        let below = self.all_posix.slowest.max(self.all_mpiio.slowest);
        (below + self.all_stdio.slowest + self.daos.slowest).min(self.run_time)
    }
}
