//! The model of a run that detectors look at.

mod believed;
mod build;
mod columns;
mod contexts;
mod dataset;
mod directory;
mod file;
mod heat;
mod order;
mod recorded;
mod sizes;
mod sort;
mod stack;
mod table;
mod totals;
mod traced;
mod usage;

use crate::settings::SettingOutcome;
pub use build::ModelLimits;

pub use contexts::{Contexts, Layer, Region, RegionUse};
pub use dataset::{DIMENSIONS, Dataset};
pub use file::{Component, File, FileKind, Stripes};
pub use heat::{Heat, HeatLayer};
pub(crate) use recorded::Recorded;
pub use recorded::{Exit, FileFacts, FileType, MetadataCalls, ProcessFacts};
pub use sizes::{CLASS_BOUNDS, CLASSES, Sizes};
pub use stack::Stack;
pub use totals::{RankTotals, Totals};
pub use usage::{CallKinds, Direction, RankUse, Rare, Reduced, Usage, Values, Way};

use std::collections::BTreeMap;

use ioglass_log::ModuleId;

use crate::finding::{Language, RankKind, Warning};
use crate::tunable::Tunable;
use crate::{program, trace};

/// Programs whose options can be changed, but whose source is not the user's.
const TOOLS: [&str; 55] = [
    "7z",
    "ar",
    "as",
    "bash",
    "bsdtar",
    "bzip2",
    "c++",
    "cargo",
    "cat",
    "cc",
    "clang",
    "clang++",
    "chmod",
    "chown",
    "cp",
    "cpio",
    "curl",
    "cut",
    "dd",
    "diff",
    "du",
    "find",
    "fgrep",
    "egrep",
    "g++",
    "gcc",
    "git",
    "grep",
    "gunzip",
    "gzip",
    "head",
    "ld",
    "ls",
    "mkdir",
    "make",
    "md5sum",
    "mv",
    "ninja",
    "rg",
    "rm",
    "rmdir",
    "rsync",
    "sed",
    "sh",
    "sha256sum",
    "sort",
    "split",
    "tail",
    "tar",
    "touch",
    "unzip",
    "wc",
    "xz",
    "zip",
    "zstd",
];

/// Tools that run what the user wrote, or whose requests the user chose.
const OPTIONED: [&str; 4] = ["bash", "dd", "sh", "split"];

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
    /// The libraries below the program, by name and version.
    pub stack: Stack,
    /// What is proven about all files, for parameters that are tuned.
    pub tunable: Tunable,
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
    /// Calls were to be traced, even if there were none that a trace has.
    pub was_traced: bool,
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
    /// Calls of HDF5 on files and datasets, with everything below them.
    pub hdf5: Totals,
    /// Calls of PnetCDF, with everything below them.
    pub pnetcdf: Totals,
    /// Seconds of the slowest rank in HDF5 beyond the calls below it.
    pub above_hdf5: f64,
    /// Seconds of the slowest rank in PnetCDF beyond the calls below it.
    pub above_pnetcdf: f64,
    /// Seconds of the slowest rank in calls that wait for others: pipes, sockets, terminals.
    pub waiting: f64,
    /// Metadata calls without a counter. Their seconds are in the metadata time of POSIX.
    pub metadata: Vec<MetadataCalls>,
    /// I/O by the regions of the program, if our recorder told it.
    pub contexts: Contexts,
    /// Settings that were injected, and what became of them.
    pub settings: Vec<SettingOutcome>,
    /// Processes, if our recorder told them.
    pub processes: Vec<ProcessFacts>,
    /// The place in `processes` of the one that did most of the I/O.
    doer: Option<usize>,
    /// The end of the program, if it is known.
    pub exit: Option<Exit>,
    /// All data files are on file systems of the machine itself.
    pub(crate) is_local: bool,
    /// Bytes per second that a rank reads and writes in large pieces, if the run shows it.
    pub(crate) seen_rates: [Option<f64>; 2],
    /// Seconds of ranks that waited for input that is no file.
    pub(crate) input_waits: BTreeMap<i64, f64>,
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

    /// The process that did most of the I/O, if processes are known.
    pub fn doer(&self) -> Option<&ProcessFacts> {
        self.doer.and_then(|place| self.processes.get(place))
    }

    /// The place of that process in `processes`.
    fn find_doer(&self) -> Option<usize> {
        let mut seconds: BTreeMap<i64, f64> = BTreeMap::new();
        for totals in [&self.all_posix, &self.all_stdio] {
            for rank in totals.by_rank.values() {
                *seconds.entry(rank.rank).or_default() += rank.time();
            }
        }
        let most = seconds.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let rank = most.map(|(rank, _)| rank);
        // A process that became another program has several lines, the last program last.
        let own = |process: &ProcessFacts| process.rank.is_some() && process.rank == rank;
        let did_io = |process: &ProcessFacts| process.rank.is_some();
        let last = self.processes.iter().rposition(own);
        last.or_else(|| self.processes.iter().position(did_io))
    }

    /// The command line of the process that did most of the I/O; else that of the run.
    pub fn doer_command(&self) -> &str {
        let command = self.doer().map_or("", |process| process.command.as_str());
        if command.is_empty() { &self.command } else { command }
    }

    /// The tool that did the I/O, if it did what it was told: it copies, packs or searches files.
    pub fn tool(&self) -> Option<&str> {
        if self.ranks_mean_something {
            return None;
        }
        let name = self.doer_name();
        TOOLS.iter().copied().find(|tool| *tool == name).filter(|tool| !OPTIONED.contains(tool))
    }

    /// The name of the program that did most of the I/O.
    pub(crate) fn doer_name(&self) -> &str {
        program::launched_name(self.doer_command())
    }

    /// True if a shell did most of the I/O, by what its script prints.
    pub(crate) fn is_shell(&self) -> bool {
        !self.ranks_mean_something && program::is_shell(self.doer_name())
    }

    /// True if the process that did most of the I/O runs a program whose source is not the user's.
    pub(crate) fn is_tool(&self) -> bool {
        let name = self.doer_name();
        !self.ranks_mean_something && TOOLS.contains(&name) && !program::is_shell(name)
    }

    /// The language of the process that did most of the I/O, as far as its command line and the
    /// runtimes it loaded tell. C stands for all that is compiled, where nothing tells more.
    pub fn language(&self) -> Language {
        let words = program::launched(self.doer_command());
        let name = program::launched_name(self.doer_command());
        if !self.ranks_mean_something && TOOLS.contains(&name) {
            return Language::Shell;
        }
        let libraries = self.doer().map_or(&[][..], |process| &process.libraries);
        let has = |library: &str| libraries.iter().any(|known| known == library);
        program::interpreted(&words, libraries).unwrap_or_else(|| {
            match (has("stdc++"), has("gfortran")) {
                // Its streams call `write`; files of other interfaces are used as in C.
                (true, false) if self.is_of_system_calls() => Language::Cpp,
                (false, true) => Language::Fortran,
                _ => Language::C,
            }
        })
    }

    /// True if most bytes are moved by calls of the system that no library stands behind.
    fn is_of_system_calls(&self) -> bool {
        let Libraries { hdf5, pnetcdf, netcdf, .. } = self.libraries;
        let has_library = hdf5 || pnetcdf || netcdf || self.mpiio.files > 0;
        // What C++ prints on standard output passes through streams of C.
        let printed = self.data().filter(|file| FileKind::of(&file.name) == FileKind::Stream);
        let printed: u64 = printed.map(File::bytes).fold(0, u64::saturating_add);
        let by_streams = self.stdio.sum.bytes().saturating_sub(printed);
        !has_library && self.posix.sum.bytes() >= by_streams
    }

    /// `seconds` as a part of the run.
    pub fn share(&self, seconds: f64) -> f64 {
        (seconds / self.run_time).clamp(0.0, 1.0)
    }

    /// Seconds of the slowest rank in I/O. MPI-IO holds the POSIX calls below it; of a library
    /// above, only the time beyond the calls below counts.
    pub fn io_time(&self) -> f64 {
        self.claimed_io_time().min(self.run_time)
    }

    /// The same as the records claim it, which may be more than the run has.
    pub(crate) fn claimed_io_time(&self) -> f64 {
        let below = self.all_posix.slowest.max(self.all_mpiio.slowest);
        below + self.all_stdio.slowest + self.daos.slowest + self.above_hdf5 + self.above_pnetcdf
    }
}
