//! A report, but for its findings.

use std::path::Path;

use ioglass_insight::model::Exit;
use ioglass_insight::{self as insight, Diagnosis, Dimension, Outcome, RankKind, Spent};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, finite, some};
use crate::settings::Setting;
use crate::text;

/// The diagnosis of the run that one log recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(extend("$id" = "ioglass.report/1")))]
#[non_exhaustive]
pub struct Report {
    /// Name and version of this format.
    pub schema: SchemaVersion,
    /// The log, as the user named it.
    pub log: String,
    /// The run.
    pub job: Job,
    /// Faults of the data.
    pub warnings: Vec<DataWarning>,
    /// The judgement on the run as a whole.
    pub verdict: Verdict,
    /// The run time, by what it was spent on.
    pub budget: Budget,
    /// The amount of data that was moved.
    pub moved: Moved,
    /// The files and the file systems that hold them.
    #[serde(rename = "where")]
    pub location: Location,
    /// Every check, or those of `--only`. Checks that fired come first, by `seconds_net`. Those that
    /// are fine follow, then those that could not be checked, then those that do not apply to this
    /// run.
    pub findings: Vec<Finding>,
    /// Settings that were injected into the run, from the file system up; empty if none were.
    #[serde(default)]
    pub settings: Vec<Setting>,
}

impl Report {
    /// Makes the report of a diagnosis of this log.
    pub fn new(diagnosis: &Diagnosis, log: &Path) -> Self {
        Self {
            schema: SchemaVersion::V1,
            log: log.to_string_lossy().into_owned(),
            job: Job::from(&diagnosis.subject),
            warnings: diagnosis.warnings.iter().map(DataWarning::from).collect(),
            verdict: Verdict::from(&diagnosis.verdict),
            budget: Budget::from(&diagnosis.budget),
            moved: Moved::from(&diagnosis.moved),
            location: Location::from(&diagnosis.place),
            findings: diagnosis.findings.iter().map(Finding::from).collect(),
            settings: diagnosis.settings.iter().map(Setting::from).collect(),
        }
    }
}

/// A version of the format. The number changes when a field goes or changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub enum SchemaVersion {
    /// The only version so far.
    #[serde(rename = "ioglass.report/1")]
    V1,
}

/// The run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Job {
    /// The program. An interpreter is followed by its script, a launcher by the program it started.
    pub program: String,
    /// The command line, as far as the log has it.
    pub command: String,
    /// The number of ranks or processes.
    pub ranks: u64,
    /// The origin of the rank numbers.
    pub rank_kind: RankKind,
    /// Duration of the run.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub run_seconds: Option<f64>,
    /// The scheduler's number of the job.
    pub id: i64,
    /// Start of the run in UTC, such as `2017-06-20T17:49:15Z`.
    pub start: Option<String>,
    /// The tool that wrote the log, such as `Darshan 3.1.3`.
    pub recorder: String,
    /// True if nothing is missing.
    pub complete: bool,
    /// True if the log has a trace; null if nothing was recorded.
    pub traced: Option<bool>,
    /// The exit status of the program; null if it is not known or a signal ended it.
    pub exit_status: Option<i64>,
    /// The signal that ended the program; null if none did, or it is not known.
    pub signal: Option<i64>,
}

impl From<&insight::Subject> for Job {
    fn from(subject: &insight::Subject) -> Self {
        let start = (subject.start != 0).then(|| text::date(subject.start, "%Y-%m-%dT%H:%M:%SZ"));
        Self {
            program: subject.program.clone(),
            command: subject.command.clone(),
            ranks: subject.ranks,
            rank_kind: subject.rank_kind,
            run_seconds: finite(subject.run_time),
            id: subject.jobid,
            start,
            recorder: subject.recorder.clone(),
            complete: subject.is_complete,
            traced: subject.is_traced,
            exit_status: match subject.exit {
                Some(Exit::Status(status)) => Some(status),
                _ => None,
            },
            signal: match subject.exit {
                Some(Exit::Signal(signal)) => Some(signal),
                _ => None,
            },
        }
    }
}

/// A fault of the data that a reader must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct DataWarning {
    /// One sentence.
    pub text: String,
    /// True if findings rest on this data; those have `incomplete_data`.
    pub marks_findings: bool,
}

impl From<&insight::Warning> for DataWarning {
    fn from(warning: &insight::Warning) -> Self {
        Self { text: warning.text.clone(), marks_findings: warning.marks }
    }
}

/// The judgement on the run as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Verdict {
    /// The outcome.
    pub state: Outcome,
    /// The dimensions of all findings with the role `primary`, whatever they cost.
    pub dimensions: Vec<Dimension>,
    /// The verdict in one sentence, with the two numbers that matter.
    pub sentence: String,
    /// Upper bound of the seconds that could be saved: `seconds_net` of all primary findings.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub avoidable_seconds: Option<f64>,
}

impl From<&insight::Verdict> for Verdict {
    fn from(verdict: &insight::Verdict) -> Self {
        Self {
            state: verdict.outcome,
            dimensions: verdict.dimensions.clone(),
            sentence: verdict.sentence.clone(),
            avoidable_seconds: finite(verdict.avoidable),
        }
    }
}

/// The time of the slowest rank, by what it was spent on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Budget {
    /// Duration of the run.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub run_seconds: Option<f64>,
    /// Seconds of it in I/O, never more than the run has.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub io_seconds: Option<f64>,
    /// True if the records claim more I/O than the run has seconds.
    pub clamped: bool,
    /// The parts of the run time: the largest cost first, then metadata, then the rest.
    pub parts: Vec<BudgetPart>,
}

impl From<&insight::Budget> for Budget {
    fn from(budget: &insight::Budget) -> Self {
        let part =
            |part: &insight::TimePart| BudgetPart { on: part.on, seconds: finite(part.seconds) };
        Self {
            run_seconds: finite(budget.run_time),
            io_seconds: finite(budget.io),
            clamped: budget.is_clamped,
            parts: budget.parts.iter().map(part).collect(),
        }
    }
}

/// A part of the run time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct BudgetPart {
    /// The activity.
    pub on: Spent,
    /// Its seconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub seconds: Option<f64>,
}

/// The amount of data that was moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Moved {
    /// The interface that is counted, such as `MPI-IO`; null is POSIX and streams together.
    pub by: Option<String>,
    /// Bytes written.
    pub bytes_written: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes per second of the slowest rank's I/O time.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub bytes_per_second: Option<f64>,
    /// The number of reads and writes.
    pub requests: u64,
    /// The size in bytes that most requests have.
    pub common_size: Option<u64>,
}

impl From<&insight::Moved> for Moved {
    fn from(moved: &insight::Moved) -> Self {
        Self {
            by: some(moved.by),
            bytes_written: moved.written,
            bytes_read: moved.read,
            bytes_per_second: moved.rate.and_then(finite),
            requests: moved.requests,
            common_size: moved.common_size,
        }
    }
}

/// The files and the file systems that hold them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Location {
    /// The file systems, most bytes first.
    pub systems: Vec<FileSystem>,
    /// The number of files, without standard streams.
    pub files: u64,
    /// The number of files that several ranks used.
    pub shared_files: u64,
    /// True if there is one file for each rank.
    pub one_per_rank: bool,
    /// The stripe count that all files on Lustre have.
    pub stripes: Option<u64>,
    /// The number of Lustre storage targets in use.
    pub targets: Option<u64>,
    /// The directory that holds all files.
    pub folder: Option<String>,
}

impl From<&insight::Where> for Location {
    fn from(place: &insight::Where) -> Self {
        let system = |(kind, mount): &(String, String)| FileSystem {
            kind: kind.clone(),
            mount: some(mount),
        };
        Self {
            systems: place.systems.iter().map(system).collect(),
            files: place.files,
            shared_files: place.shared,
            one_per_rank: place.one_per_rank,
            stripes: place.stripes,
            targets: place.targets,
            folder: some(&place.folder),
        }
    }
}

/// A file system that the run used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct FileSystem {
    /// Its type, such as `lustre`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The directory that it is mounted on.
    pub mount: Option<String>,
}
