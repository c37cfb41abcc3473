//! Settings from the environment and Darshan's configuration file.
//!
//! `IOGLASS_X` overrides `DARSHAN_X`, the environment overrides the file; lists of exclusions and
//! inclusions accumulate. Every variable of Darshan is accepted under both prefixes. An invalid
//! value is dropped and noted, never printed.

mod arena;
mod launcher;
mod lists;
mod read;
mod rules;
mod sources;
mod value;

use core::ffi::CStr;

use ioglass_schema::{ModuleId, dxt, h5d, h5f, heatmap, lustre, pnetcdf_file, pnetcdf_var};
use ioglass_schema::{mpiio, posix, stdio};
use ioglass_shm::Clock;

pub use arena::Arena;
pub use launcher::{LAUNCHERS, Launcher, WorldRank, launched};
pub use lists::Modules;
pub use rules::excluded_by_default_prefix;
pub use sources::Environment;

use lists::Ranges;
use rules::Rules;

/// Module numbers for queries about settings.
pub mod module {
    use super::{ModuleId, dxt, h5d, h5f, heatmap, lustre, mpiio};
    use super::{pnetcdf_file, pnetcdf_var, posix, stdio};

    /// Calls on descriptors.
    pub const POSIX: ModuleId = posix::MODULE.id;
    /// Calls on streams.
    pub const STDIO: ModuleId = stdio::MODULE.id;
    /// Calls of MPI-IO.
    pub const MPIIO: ModuleId = mpiio::MODULE.id;
    /// HDF5 files.
    pub const H5F: ModuleId = h5f::MODULE.id;
    /// HDF5 datasets.
    pub const H5D: ModuleId = h5d::MODULE.id;
    /// PnetCDF files.
    pub const PNETCDF_FILE: ModuleId = pnetcdf_file::MODULE.id;
    /// PnetCDF variables.
    pub const PNETCDF_VAR: ModuleId = pnetcdf_var::MODULE.id;
    /// Layouts of files on Lustre.
    pub const LUSTRE: ModuleId = lustre::MODULE.id;
    /// Bytes over time.
    pub const HEATMAP: ModuleId = heatmap::MODULE.id;
    /// Every call on descriptors.
    pub const DXT_POSIX: ModuleId = dxt::POSIX.id;
    /// Every call through MPI-IO.
    pub const DXT_MPIIO: ModuleId = dxt::MPIIO.id;

    /// The modules that record paths; each can exclude some.
    pub const OF_PATHS: [ModuleId; 8] =
        [POSIX, STDIO, MPIIO, H5F, H5D, PNETCDF_FILE, PNETCDF_VAR, LUSTRE];

    /// The bit of a module in a set of modules that exclude a file.
    pub const fn bit(module: ModuleId) -> u32 {
        1 << module.0
    }

    /// The bits of all modules that record paths.
    pub(crate) const fn bits_of_all() -> u32 {
        let (mut bits, mut i) = (0, 0);
        while i < OF_PATHS.len() {
            bits |= bit(OF_PATHS[i]);
            i += 1;
        }
        bits
    }
}

/// The way this process is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Not at all.
    Off,
    /// Not recorded; but if it is a rank, others wait for it when they write their log.
    LeftOut,
    /// As part of the job with this directory; others write the log.
    Job(&'static CStr),
    /// On its own: it writes its log when it exits.
    Alone,
    /// Only if it uses MPI.
    WaitForMpi,
}

/// The place of the log of a process that writes its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct LogPlace {
    /// Exactly this file.
    pub file: Option<&'static CStr>,
    /// Otherwise a file in this directory.
    pub folder: Option<&'static CStr>,
    /// Otherwise a file in the directory of the day below this one.
    pub root: Option<&'static CStr>,
    /// `$XDG_STATE_HOME`, as a fallback.
    pub state_home: Option<&'static CStr>,
    /// `$HOME`, as a fallback.
    pub home: Option<&'static CStr>,
    /// `$LOGNAME`, part of a log's name.
    pub login: Option<&'static CStr>,
    /// `$TZ`; the date in a log's name is local.
    pub time_zone: Option<&'static CStr>,
}

/// The reason why a setting is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The value is invalid.
    Value,
    /// There is no memory for it.
    TooLong,
    /// There is no such setting.
    Unknown,
    /// The configuration file cannot be read.
    Unreadable,
}

impl Fault {
    /// A short description.
    pub fn text(self) -> &'static str {
        match self {
            Self::Value => "not understood",
            Self::TooLong => "too long",
            Self::Unknown => "unknown",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A setting that is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// Name of the setting without prefix; an unknown one as in the file.
    pub setting: &'static [u8],
    /// The fault.
    pub fault: Fault,
}

const MAX_PROBLEMS: usize = 8;
const MIB: u64 = 1 << 20;

/// All settings of a process.
#[derive(Debug)]
pub struct Settings {
    /// The way to record.
    pub mode: Mode,
    /// False if I/O is not recorded; regions may be counted all the same.
    pub records: bool,
    /// True if regions are counted, also without a command that asks for them; false if they never
    /// are.
    pub regions: Option<bool>,
    /// Bytes that the regions of a process may take.
    pub region_memory: u64,
    /// Visits of an iteration that are kept one by one.
    pub iterations: u64,
    /// The file of the profile, or its directory.
    pub profile: Option<&'static CStr>,
    /// Number of files of a profile, if set; at least 1.
    pub profile_files: Option<u64>,
    /// Time between two snapshots, in nanoseconds; 0 if there are none.
    pub snapshot_ns: u64,
    /// The regions in which the program was started, as [`PathNames`](ioglass_shm::PathNames) reads
    /// them.
    pub region_path: Option<&'static CStr>,
    /// The modules to record.
    pub modules: Modules,
    /// Memory alignment that accesses are counted against.
    pub memory_alignment: i64,
    /// Bytes of trace that the processes of a job may use on a node.
    pub trace_limit: u64,
    /// Bytes of everything else.
    pub record_limit: u64,
    /// Rank and ranks, as given by the launcher.
    pub world: Option<WorldRank>,
    /// The launcher's variable with the rank, and its value.
    pub rank_variable: Option<(&'static str, u32)>,
    /// Number of ranks on this node, as given by the launcher.
    pub ranks_here: Option<u32>,
    /// A number that tells the processes of one launch from those of others, as far as the launcher
    /// identifies it.
    pub launch: u64,
    /// Job id, as given by the scheduler.
    pub jobid: Option<u64>,
    /// Start of the job, in nanoseconds since 1970.
    pub origin_ns: Option<u64>,
    /// The unit of ticks, if it has been determined already.
    pub clock: Option<Clock>,
    /// The place of the log.
    pub log: LogPlace,
    /// Hints for writing the log through MPI-IO, `key=value;key=value`.
    pub log_hints: Option<&'static CStr>,
    /// Combine the records of all ranks on one file into one.
    pub reduce_shared: bool,
    /// Seconds that a rank waits for others with which it writes a log.
    pub mpi_timeout: u64,
    /// Number of ranks that write parts of a log, if set.
    pub aggregators: Option<u64>,
    /// Traces of files with a smaller share of small accesses are dropped.
    pub small_io_trigger: Option<f64>,
    /// Traces of files with a smaller share of unaligned accesses are dropped.
    pub unaligned_io_trigger: Option<f64>,
    ranks_excluded: Ranges,
    ranks_included: Ranges,
    rules: Rules,
    problems: [Option<Problem>; MAX_PROBLEMS],
}

impl Settings {
    /// Reads all settings; strings are kept in memory reserved for that, once per process.
    /// `environment` has elements `NAME=value`.
    pub fn read<'e>(environment: impl Iterator<Item = &'e [u8]> + Clone, argv0: &[u8]) -> Settings {
        match Arena::of_process() {
            Some(arena) => Self::read_with(arena, environment, argv0),
            None => Self::off(),
        }
    }

    /// Settings that record nothing.
    pub const fn off() -> Settings {
        Settings {
            mode: Mode::Off,
            records: false,
            regions: None,
            region_memory: 64 * MIB,
            iterations: crate::region::EXACT_ITERATIONS,
            profile: None,
            profile_files: None,
            snapshot_ns: 0,
            region_path: None,
            modules: Modules::DEFAULT,
            memory_alignment: 8,
            trace_limit: 256 * MIB,
            record_limit: 2048 * MIB,
            world: None,
            rank_variable: None,
            ranks_here: None,
            launch: 0,
            jobid: None,
            origin_ns: None,
            clock: None,
            log: LogPlace {
                file: None,
                folder: None,
                root: None,
                state_home: None,
                home: None,
                login: None,
                time_zone: None,
            },
            log_hints: None,
            reduce_shared: true,
            mpi_timeout: 600,
            aggregators: None,
            small_io_trigger: None,
            unaligned_io_trigger: None,
            ranks_excluded: Ranges::NONE,
            ranks_included: Ranges::NONE,
            rules: Rules::NONE,
            problems: [None; MAX_PROBLEMS],
        }
    }

    /// Returns true if this module excludes files of this name. Called for every new path.
    #[inline]
    pub fn excludes(&self, path: &[u8], module: ModuleId) -> bool {
        if self.rules.is_empty() {
            excluded_by_default_prefix(path)
        } else {
            self.rules.excludes(path, module)
        }
    }

    /// Returns true if only the default rules exclude paths, and all modules have the same rules.
    #[inline]
    pub fn has_default_rules(&self) -> bool {
        self.rules.is_empty() && module::OF_PATHS.iter().all(|module| self.modules.has(*module))
    }

    /// Returns true if this rank is recorded.
    pub fn records_rank(&self, rank: i64) -> bool {
        !self.ranks_excluded.has(rank) || self.ranks_included.has(rank)
    }

    /// Settings that are ignored.
    pub fn problems(&self) -> impl Iterator<Item = Problem> {
        self.problems.iter().copied().flatten()
    }

    fn note(&mut self, setting: &'static [u8], fault: Fault) {
        if let Some(free) = self.problems.iter_mut().find(|problem| problem.is_none()) {
            *free = Some(Problem { setting, fault });
        }
    }
}

#[cfg(test)]
mod tests;
