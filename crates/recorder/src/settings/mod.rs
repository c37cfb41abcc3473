//! What the environment and Darshan's configuration file ask for.
//!
//! `IOGLASS_X` wins over `DARSHAN_X`, the environment over the file; lists of exclusions and
//! inclusions add up. Every variable that Darshan knows is known under both prefixes. A value that
//! cannot be honoured is dropped and noted, never printed.

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
pub use launcher::{LAUNCHERS, Launcher, Place, launched};
pub use lists::Modules;
pub use rules::excluded_by_default_prefix;
pub use sources::Environment;

use lists::Ranges;
use rules::Rules;

/// Module numbers by which settings are asked.
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
    /// HDF5 data sets.
    pub const H5D: ModuleId = h5d::MODULE.id;
    /// PnetCDF files.
    pub const PNETCDF_FILE: ModuleId = pnetcdf_file::MODULE.id;
    /// PnetCDF variables.
    pub const PNETCDF_VAR: ModuleId = pnetcdf_var::MODULE.id;
    /// How files lie on Lustre.
    pub const LUSTRE: ModuleId = lustre::MODULE.id;
    /// Bytes over time.
    pub const HEATMAP: ModuleId = heatmap::MODULE.id;
    /// Every call on descriptors.
    pub const DXT_POSIX: ModuleId = dxt::POSIX.id;
    /// Every call through MPI-IO.
    pub const DXT_MPIIO: ModuleId = dxt::MPIIO.id;

    /// The modules that record paths, each of which can leave some out.
    pub const OF_PATHS: [ModuleId; 8] =
        [POSIX, STDIO, MPIIO, H5F, H5D, PNETCDF_FILE, PNETCDF_VAR, LUSTRE];

    /// The bit that stands for a module in a set of those that leave a file out.
    pub const fn bit(module: ModuleId) -> u32 {
        1 << module.0
    }

    /// The bits of all that record paths.
    pub(crate) const fn bits_of_all() -> u32 {
        let (mut bits, mut i) = (0, 0);
        while i < OF_PATHS.len() {
            bits |= bit(OF_PATHS[i]);
            i += 1;
        }
        bits
    }
}

/// Whether, and for whom, this process is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Not at all.
    Off,
    /// Not itself; but if it is a rank, others wait for it when they write their log.
    LeftOut,
    /// As part of the job with this folder; others write the log.
    Job(&'static CStr),
    /// By itself: it writes its log when it exits.
    Alone,
    /// Only if it turns out to use MPI.
    WaitForMpi,
}

/// Where the log of a process that writes its own belongs.
#[derive(Debug, Clone, Copy, Default)]
pub struct LogPlace {
    /// Exactly this file.
    pub file: Option<&'static CStr>,
    /// Else a file in this folder.
    pub folder: Option<&'static CStr>,
    /// Else a file in the folder of the day below this one.
    pub root: Option<&'static CStr>,
    /// `$XDG_STATE_HOME`, if nothing else will do.
    pub state_home: Option<&'static CStr>,
    /// `$HOME`, the same.
    pub home: Option<&'static CStr>,
    /// `$LOGNAME`, part of a log's name.
    pub login: Option<&'static CStr>,
    /// `$TZ`; the date in a log's name is local.
    pub time_zone: Option<&'static CStr>,
}

/// Why a setting is not honoured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The value cannot be understood.
    Value,
    /// There is no room for it.
    TooLong,
    /// There is no such setting.
    Unknown,
    /// The configuration file cannot be read.
    Unreadable,
}

impl Fault {
    /// In a few words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Value => "not understood",
            Self::TooLong => "too long",
            Self::Unknown => "unknown",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A setting that is not honoured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// Name of the setting without prefix; what the file calls it if it is unknown.
    pub setting: &'static [u8],
    /// What is wrong with it.
    pub fault: Fault,
}

const MAX_PROBLEMS: usize = 8;
const MIB: u64 = 1 << 20;

/// All settings of a process.
#[derive(Debug)]
pub struct Settings {
    /// Whether to record.
    pub mode: Mode,
    /// What to record.
    pub modules: Modules,
    /// Memory alignment that accesses are counted against.
    pub memory_alignment: i64,
    /// Bytes of trace that the processes of a job may take on a node.
    pub trace_limit: u64,
    /// Bytes of everything else.
    pub record_limit: u64,
    /// Rank and ranks, as the launcher says.
    pub place: Option<Place>,
    /// What tells the processes of one launch from those of others, as far as the launcher says.
    pub launch: u64,
    /// Id of the job, as the scheduler says.
    pub jobid: Option<u64>,
    /// When the job began, in nanoseconds since 1970.
    pub origin_ns: Option<u64>,
    /// What ticks are to be, if it has been found out already.
    pub clock: Option<Clock>,
    /// Where the log belongs.
    pub log: LogPlace,
    /// Hints for writing the log through MPI-IO, `key=value;key=value`.
    pub log_hints: Option<&'static CStr>,
    /// Records of all ranks on one file become one.
    pub reduce_shared: bool,
    /// Seconds that a rank waits for others with which it writes a log.
    pub mpi_timeout: u64,
    /// Ranks that write parts of a log, if that was said.
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
    /// Reads all settings; strings are kept in memory set aside for that, once per process.
    /// `environment` has elements `NAME=value`.
    pub fn read<'e>(environment: impl Iterator<Item = &'e [u8]> + Clone, argv0: &[u8]) -> Settings {
        match Arena::of_process() {
            Some(arena) => Self::read_with(arena, environment, argv0),
            None => Self::off(),
        }
    }

    /// Nothing is recorded.
    pub const fn off() -> Settings {
        Settings {
            mode: Mode::Off,
            modules: Modules::DEFAULT,
            memory_alignment: 8,
            trace_limit: 256 * MIB,
            record_limit: 2048 * MIB,
            place: None,
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

    /// Whether files of this name are left out by this module. Called for every new path.
    #[inline]
    pub fn excludes(&self, path: &[u8], module: ModuleId) -> bool {
        if self.rules.is_empty() {
            excluded_by_default_prefix(path)
        } else {
            self.rules.excludes(path, module)
        }
    }

    /// Whether paths are left out by default only, and by all modules alike.
    #[inline]
    pub fn has_default_rules(&self) -> bool {
        self.rules.is_empty() && module::OF_PATHS.iter().all(|module| self.modules.has(*module))
    }

    /// Whether this rank is recorded.
    pub fn records_rank(&self, rank: i64) -> bool {
        !self.ranks_excluded.has(rank) || self.ranks_included.has(rank)
    }

    /// Settings that are not honoured.
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
