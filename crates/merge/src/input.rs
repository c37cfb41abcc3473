//! A log, as it is known before it is merged.

use std::path::{Path, PathBuf};

use ioglass_harvest::process::{self, Process, WHOLE};
use ioglass_log::{Error, Job, Layout, Log, ModuleId, RecordRef, Unit};

use crate::present::Present;
use crate::time::SECOND;

/// Nobody has run a job of more ranks; a log that claims more lies.
const MOST_RANKS: i64 = 1 << 31;

/// The system that numbered the ranks of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbered {
    /// MPI: ranks are the same in every log of the job.
    Mpi,
    /// A launcher: the same, and processes of one rank share its number.
    Launcher,
    /// Nobody: the numbers mean something in this log alone.
    Here,
}

/// One of the logs.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) job: Job,
    pub(crate) numbered: Numbered,
    /// Ranks it says the job has.
    pub(crate) nprocs: i64,
    /// Begin and end in nanoseconds since 1970.
    pub(crate) start_ns: i64,
    pub(crate) end_ns: i64,
    /// Its processes, if our recorder wrote it.
    pub(crate) processes: Vec<Process>,
    /// The ranks it tells of.
    pub(crate) present: Present,
    /// Modules that have a log region or lost records.
    pub(crate) modules: Vec<(ModuleId, bool)>,
}

impl Input {
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let log = Log::open(path)?;
        if let Some(problem) = problem(&log) {
            return Err(problem);
        }
        let job = log.job().to_current(log.header().version);
        let numbered = match job.metadata_value("ranks").as_deref() {
            Some("mpi") => Numbered::Mpi,
            Some("launcher") => Numbered::Launcher,
            Some("process") => Numbered::Here,
            // The reference counts ranks only where it has MPI.
            _ if job.nprocs > 1 => Numbered::Mpi,
            _ => Numbered::Here,
        };
        let start_ns = nanoseconds(job.start_sec, job.start_nsec);
        let end_ns = if job.has_ended() {
            nanoseconds(job.end_sec, job.end_nsec)
        } else {
            start_ns.saturating_add((latest(&log)? * SECOND as f64) as i64)
        };
        let processes = process::parse(&table(&log, process::SECTION)?);
        Ok(Self {
            path: path.into(),
            numbered,
            nprocs: job.nprocs.clamp(1, MOST_RANKS),
            start_ns,
            end_ns: end_ns.max(start_ns),
            present: Present::of(&log, &processes)?,
            processes,
            modules: log.modules().map(|info| (info.id, info.partial)).collect(),
            job,
        })
    }

    /// Opens the log again.
    pub(crate) fn open(&self) -> Result<Log, Error> {
        Log::open(&self.path)
    }

    /// Returns true if the numbers of its ranks hold in other logs too.
    pub(crate) fn has_fixed_ranks(&self) -> bool {
        self.numbered != Numbered::Here
    }

    /// The number that a scheduler gave the job. The recorder takes that of the process where there
    /// is none, or of the command that has started it; the reference does so too, but its logs do not tell which
    /// process that was.
    pub(crate) fn scheduled(&self) -> Option<i64> {
        let is_own = |process: &Process| {
            [process.pid, process.ppid].iter().any(|pid| i64::try_from(*pid) == Ok(self.job.jobid))
        };
        let is_known = !self.processes.is_empty() && !self.processes.iter().any(is_own);
        is_known.then_some(self.job.jobid)
    }

    /// Start of one of its processes, in nanoseconds since 1970.
    pub(crate) fn begin_ns(&self, process: &Process) -> i64 {
        self.start_ns.saturating_add((process.start * SECOND as f64) as i64)
    }

    /// Returns true if its processes are whole in it, including all that an earlier log has of them.
    pub(crate) fn is_whole(&self) -> bool {
        self.job.metadata_value(WHOLE).is_some()
    }

    pub(crate) fn has(&self, id: ModuleId) -> bool {
        self.modules.iter().any(|(module, _)| *module == id)
    }
}

/// The damage of a log that could be opened.
fn problem(log: &Log) -> Option<Error> {
    log.names();
    log.warnings().next().map(|problem| match problem {
        Error::Corrupt { log_region, offset, position, damage } => Error::Corrupt {
            log_region: *log_region,
            offset: *offset,
            position: *position,
            damage: damage.clone(),
        },
        other => Error::Io(std::io::Error::other(other.to_string())),
    })
}

/// A table of the log's `IOGLASS` block; empty if there is none. A log is untrusted: one of its size
/// has none longer than this.
pub(crate) fn table(log: &Log, name: &str) -> Result<String, Error> {
    let longest = (4 << 20) + log.size() / 2;
    let bytes = log.block_section(name, longest)?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last moment in any record: the end of a job that nobody saw end.
fn latest(log: &Log) -> Result<f64, Error> {
    let mut latest = 0.0;
    each_counted(log, |record| {
        for (counter, value) in record.module.floats.iter().zip(record.float) {
            if counter.unit == Unit::Timestamp {
                latest = f64::max(latest, *value);
            }
        }
    })?;
    Ok(latest)
}

/// Looks at every record of counters, of all modules.
pub(crate) fn each_counted(log: &Log, mut look: impl FnMut(RecordRef<'_>)) -> Result<(), Error> {
    for info in log.modules() {
        let module = info.id.module().filter(|module| module.layout == Layout::Counters);
        let Some(module) = module else { continue };
        let mut records = log.records(module)?;
        while let Some(record) = records.next()? {
            look(record);
        }
    }
    Ok(())
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(SECOND).saturating_add(rest)
}
