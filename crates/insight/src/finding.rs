//! Findings, the verdict, and the facts a report begins with.

use serde::{Deserialize, Serialize};

use crate::detect::Detector;
use crate::model::{Direction, Exit, Region};
use crate::name::Name;
use crate::settings::SettingOutcome;

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// The check is fine.
    Ok,
    /// Below 1 % of the run.
    Info,
    /// From 1 % of the run.
    Warn,
    /// From 10 % of the run.
    High,
}

impl Level {
    /// As reports write it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::High => "HIGH",
        }
    }
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The condition of the check holds.
    Fired,
    /// The condition does not hold.
    Fine,
    /// The log lacks data that the check needs, or the check does not apply to this run.
    NotCheckable,
    /// The check does not apply to this run, so no other log of it would help. Screens leave it out.
    #[serde(rename = "not-checkable", skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Senseless,
}

/// The subject of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Requests are too small.
    AccessGranularity,
    /// Time goes into opening, looking up and closing files rather than moving data.
    MetadataIntensity,
    /// Some ranks work while others wait.
    ParallelismEfficiency,
    /// Accesses jump back and forth.
    AccessPattern,
    /// Another interface, or another way of using it, would do better.
    InterfaceChoice,
    /// There are too many files.
    FileStrategy,
    /// The storage is not used as it could be.
    ThroughputUtilization,
    /// A fact worth knowing; never part of a verdict.
    Information,
}

impl Dimension {
    /// The seven that a verdict may name.
    pub const JUDGED: [Self; 7] = [
        Self::AccessGranularity,
        Self::MetadataIntensity,
        Self::ParallelismEfficiency,
        Self::AccessPattern,
        Self::InterfaceChoice,
        Self::FileStrategy,
        Self::ThroughputUtilization,
    ];

    /// As JSON writes it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::AccessGranularity => "access_granularity",
            Self::MetadataIntensity => "metadata_intensity",
            Self::ParallelismEfficiency => "parallelism_efficiency",
            Self::AccessPattern => "access_pattern",
            Self::InterfaceChoice => "interface_choice",
            Self::FileStrategy => "file_strategy",
            Self::ThroughputUtilization => "throughput_utilization",
            Self::Information => "information",
        }
    }

    /// As a person would say it, inside a sentence.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::AccessGranularity => "small requests",
            Self::MetadataIntensity => "metadata",
            Self::ParallelismEfficiency => "imbalance between ranks",
            Self::AccessPattern => "random access",
            Self::InterfaceChoice => "calls that do not suit the files",
            Self::FileStrategy => "the number of files",
            Self::ThroughputUtilization => "data that is moved or synced too often",
            Self::Information => "information",
        }
    }
}

/// The certainty of the seconds of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// They rest on an assumption, because the log says nothing.
    Assumed,
    /// They follow from counters.
    Derived,
    /// They are measured in a trace.
    Measured,
}

impl Confidence {
    /// As reports write it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Assumed => "assumed",
            Self::Derived => "derived",
            Self::Measured => "measured",
        }
    }
}

/// The place of a finding in a chain of causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A cause.
    Primary,
    /// A consequence, which goes away with its cause.
    Secondary,
}

/// The unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Quantity {
    /// A count.
    #[serde(rename = "1")]
    Count,
    /// Bytes.
    #[serde(rename = "B")]
    Bytes,
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Bytes per second.
    #[serde(rename = "B/s")]
    BytesPerSecond,
    /// A part of a whole, 0 to 1.
    #[serde(rename = "share")]
    Share,
    /// A factor: so many times as much.
    #[serde(rename = "factor")]
    Factor,
}

/// A number that a finding rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// In words, lower case, such as `small writes`.
    pub name: &'static str,
    /// The number.
    pub value: f64,
    /// The kind of the number.
    pub quantity: Quantity,
}

/// A file that a finding is about, and its part in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileShare {
    /// Its name as the log has it. Do not trust it.
    pub path: Name,
    /// Seconds of it that are at stake.
    pub seconds: f64,
    /// Bytes that were moved.
    pub bytes: u64,
    /// Ranks that used it.
    pub ranks: u64,
    /// Id of its record; 0 if the run has no regions.
    pub record: u64,
}

/// A region of the program, and its part in a finding.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RegionShare {
    /// The region.
    pub region: Region,
    /// Seconds at stake that were spent in it.
    pub seconds: f64,
    /// Bytes that it moved in the files of the finding, in the finding's direction.
    pub bytes: u64,
    /// `seconds` as a part of the seconds at stake.
    pub share: f64,
}

/// The first of many, and the number of the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Top<T> {
    /// The first, most important ones.
    pub list: Vec<T>,
    /// The number of those not listed.
    pub more: u64,
}

impl<T> Default for Top<T> {
    fn default() -> Self {
        Self { list: Vec::new(), more: 0 }
    }
}

/// A language that snippets are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// C.
    C,
    /// Fortran.
    Fortran,
    /// Python.
    Python,
    /// A shell.
    Shell,
    /// C++.
    Cpp,
    /// JavaScript, for Node.js.
    JavaScript,
    /// Perl.
    Perl,
    /// SQL, for SQLite.
    Sql,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::C,
        Self::Fortran,
        Self::Python,
        Self::Shell,
        Self::Cpp,
        Self::JavaScript,
        Self::Perl,
        Self::Sql,
    ];

    /// The name, as its users write it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Fortran => "Fortran",
            Self::Python => "Python",
            Self::Shell => "shell",
            Self::Cpp => "C++",
            Self::JavaScript => "JavaScript",
            Self::Perl => "Perl",
            Self::Sql => "SQL",
        }
    }
}

/// A few lines of a program, with this log's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The language.
    pub language: Language,
    /// The lines.
    pub code: String,
}

/// Something that can be pasted into a terminal or a job script.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    /// The line.
    pub line: String,
    /// A comment, without its sign; may be empty.
    pub comment: String,
    /// The same in fewer words, where there is no room for the comment; may be empty.
    pub brief: String,
}

impl Command {
    /// A line and its comment.
    pub fn new(line: impl Into<String>, comment: impl Into<String>) -> Self {
        Self { line: line.into(), comment: comment.into(), brief: String::new() }
    }

    /// Says it in fewer words too.
    pub fn brief(mut self, brief: impl Into<String>) -> Self {
        self.brief = brief.into();
        self
    }
}

/// A setting of the I/O stack that an advice gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvisedSetting {
    /// The full name of the parameter.
    pub name: String,
    /// The value, in canonical form.
    pub value: String,
    /// The file for which it holds; none holds for all.
    pub file: Option<String>,
    /// The variable for which it holds; none holds for all.
    pub variable: Option<String>,
}

/// The advice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    /// In one sentence. What is in parentheses is left out where there is no room.
    pub text: String,
    /// Commands to type, beginning with the first.
    pub commands: Vec<Command>,
    /// The same in a program, in the language of this program first.
    pub snippets: Vec<Snippet>,
    /// The same as settings that need no change of the program, as far as the log proves that they
    /// do no harm.
    pub settings: Vec<AdvisedSetting>,
    /// The document that says so.
    pub see: &'static str,
}

/// A row of numbers that shows a finding at a glance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// The label, such as `MiB/s by OST, 0 to 23`.
    pub label: String,
    /// The numbers, at most some sixty.
    pub values: Vec<f64>,
    /// In words, where it cannot be drawn: `min 0.5 at 14, median 23.0`.
    pub words: String,
}

/// The data that a check needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// A trace.
    Trace,
    /// A heat map.
    Heatmap,
    /// Records of HDF5.
    Hdf5,
    /// Records of MPI-IO.
    MpiIo,
    /// The layouts of files on Lustre.
    Lustre,
    /// Records that are complete.
    CompleteRecords,
    /// A core for each rank: with fewer, times mean little.
    CoresForRanks,
    /// The table of mounts.
    Mounts,
    /// An undamaged log: the data was recorded, but cannot be read.
    WholeLog,
    /// A trace that is not cut off.
    WholeTrace,
}

impl Need {
    /// The way to get the data.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Trace => "record a trace: ioglass run --trace, or DXT_ENABLE_IO_TRACE=1",
            Self::Heatmap => "record with Darshan 3.4 or newer, or with ioglass",
            Self::Hdf5 => "record with a recorder that sees HDF5",
            Self::MpiIo => "record with a recorder that sees MPI-IO",
            Self::Lustre => "record with a recorder that asks Lustre for layouts",
            Self::CompleteRecords => {
                "give the recorder more room: DARSHAN_MODMEM=64, or record with ioglass"
            }
            Self::CoresForRanks => "run with no more ranks than cores",
            Self::Mounts => "record with a recorder that notes the mounts",
            Self::WholeTrace => {
                "the trace is cut off: give it more room with IOGLASS_TRACE_MEMORY=1024"
            }
            Self::WholeLog => "copy the log once more: a part of it that this needs cannot be read",
        }
    }

    /// Pieces of the remedy that are typed.
    pub const fn typed(self) -> &'static [&'static str] {
        match self {
            Self::Trace => &["ioglass run --trace", "DXT_ENABLE_IO_TRACE=1"],
            Self::CompleteRecords => &["DARSHAN_MODMEM=64"],
            Self::WholeTrace => &["IOGLASS_TRACE_MEMORY=1024"],
            _ => &[],
        }
    }
}

/// The part of the trace that shows a finding best, as far as its check knows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shows {
    /// Reads or writes; both if it is about both.
    pub direction: Option<Direction>,
    /// Calls of MPI-IO, not those below it.
    pub is_asked: bool,
    /// The time, in seconds after the start of the job.
    pub when: Option<(f64, f64)>,
    /// Bytes that are touched more than once.
    pub is_again: bool,
}

/// A part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plot {
    /// Calls or bytes over time.
    Time,
    /// Time by rank.
    Heat,
    /// Offset by rank.
    Space,
    /// The cost of I/O for each rank.
    Ranks,
    /// Requests by size and order.
    Requests,
    /// Sums by interface and file system.
    Interfaces,
    /// The table of files.
    Files,
}

/// The part of the time that shows a finding best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// While its file is used.
    FileUse,
    /// The phase in which ranks wait longest for the last.
    LongestTail,
    /// All of it.
    WholeRun,
}

/// The result of one check of the run.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The check.
    pub detector: &'static Detector,
    /// Its outcome.
    pub state: State,
    /// Its level; none if it could not be checked.
    pub level: Option<Level>,
    /// One sentence in the words of the user's program. Empty unless it fired.
    pub title: String,
    /// Two or three sentences with this log's numbers, or the reason why it is fine, makes no sense
    /// or cannot be checked.
    pub detail: String,
    /// The numbers it rests on.
    pub evidence: Vec<Evidence>,
    /// The files it is about.
    pub files: Top<FileShare>,
    /// The ranks it is about.
    pub ranks: Top<i64>,
    /// The regions it was spent in, most seconds first; empty if none is known.
    pub regions: Vec<RegionShare>,
    /// The part of the trace that shows it.
    pub shows: Shows,
    /// Cause or consequence; none unless it fired and belongs to a judged dimension.
    pub role: Option<Role>,
    /// The code of the cause, if this is a consequence.
    pub caused_by: Option<&'static str>,
    /// Upper bound of what it costs.
    pub seconds_at_stake: f64,
    /// The part that no finding above has counted.
    pub seconds_net: f64,
    /// `seconds_at_stake` as a part of the run.
    pub share: f64,
    /// The confidence in the seconds.
    pub confidence: Confidence,
    /// The source of the seconds, such as `counters and stripes`; empty if it is obvious.
    pub basis: &'static str,
    /// True if the data it rests on is incomplete.
    pub is_incomplete: bool,
    /// The advice.
    pub advice: Vec<Advice>,
    /// A picture of it.
    pub chart: Option<Chart>,
    /// The data that the check would need.
    pub need: Option<Need>,
}

/// The judgement on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Nothing holds the run back.
    Healthy,
    /// Something holds the run back.
    HeldBack,
    /// Much time goes into I/O, and no check explains it.
    CauseUnknown,
    /// The log does not have the data to tell.
    NotJudgeable,
}

/// The verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// The dimensions that hold the run back.
    pub dimensions: Vec<Dimension>,
    /// One sentence with the two numbers that matter.
    pub sentence: String,
    /// Seconds that could be saved at most: the net seconds of all findings.
    pub avoidable: f64,
}

/// The activity that time of the slowest rank was spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Spent {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Calls of MPI-IO, with everything below them.
    MpiIo,
    /// Streams of the C library, such as printed text.
    Text,
    /// Reads of streams.
    #[serde(rename = "text", skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    StreamReads,
    /// Large writes to streams.
    #[serde(rename = "text", skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    StreamWrites,
    /// Reads and writes of streams.
    #[serde(rename = "text", skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Streams,
    /// HDF5 beyond the calls below it: compression, conversion, its own metadata.
    Hdf5,
    /// PnetCDF beyond the calls below it.
    Pnetcdf,
    /// Metadata.
    Metadata,
    /// Calls on pipes, sockets and terminals. They are no I/O of files.
    Waiting,
    /// Everything but I/O.
    Outside,
}

impl Spent {
    /// True if it is I/O of files.
    pub const fn is_io(self) -> bool {
        !matches!(self, Self::Outside | Self::Waiting)
    }

    /// As reports write it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::MpiIo => "MPI-IO",
            Self::Text => "text output",
            Self::StreamReads => "stream reads",
            Self::StreamWrites => "stream writes",
            Self::Streams => "streams",
            Self::Hdf5 => "HDF5",
            Self::Pnetcdf => "PnetCDF",
            Self::Metadata => "metadata",
            Self::Waiting => "waiting",
            Self::Outside => "outside I/O",
        }
    }
}

/// A part of the run time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimePart {
    /// The kind of time.
    pub on: Spent,
    /// Seconds of the slowest rank.
    pub seconds: f64,
}

/// The run time by kind, for the slowest rank.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Budget {
    /// Seconds of the run.
    pub run_time: f64,
    /// Seconds of it in I/O, never more than the run.
    pub io: f64,
    /// The parts, largest cost first, then metadata, then the rest.
    pub parts: Vec<TimePart>,
    /// True if records claim more I/O than the run has seconds.
    pub is_clamped: bool,
}

/// The bytes and requests of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moved {
    /// The interface of these numbers, such as `MPI-IO`; empty for POSIX and streams together.
    pub by: &'static str,
    /// Bytes written.
    pub written: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes per second of the slowest rank's I/O time; none if that time is negligible.
    pub rate: Option<f64>,
    /// Reads and writes.
    pub requests: u64,
    /// The commonest size, if most requests have it.
    pub common_size: Option<u64>,
}

/// The place of the files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Where {
    /// File systems by bytes: type and where it is mounted.
    pub systems: Vec<(String, String)>,
    /// Files with data or metadata operations, standard streams left out.
    pub files: u64,
    /// Files that several ranks used.
    pub shared: u64,
    /// True if there is one file for each rank.
    pub one_per_rank: bool,
    /// The stripe count that all files have, on Lustre.
    pub stripes: Option<u64>,
    /// Storage targets in use, on Lustre.
    pub targets: Option<u64>,
    /// The directory that holds all of them; empty if there is none.
    pub folder: String,
}

/// The origin of rank numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RankKind {
    /// MPI numbers the ranks.
    Mpi,
    /// A launcher numbers them.
    Launcher,
    /// Processes are numbered in the order of their start.
    Process,
}

/// The run that is diagnosed.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The program, with its script if an interpreter runs one.
    pub program: String,
    /// The whole command line. Do not trust it.
    pub command: String,
    /// Ranks, or processes.
    pub ranks: u64,
    /// The origin of the rank numbers.
    pub rank_kind: RankKind,
    /// Seconds it ran.
    pub run_time: f64,
    /// The scheduler's number.
    pub jobid: i64,
    /// Start in seconds since 1970; 0 if not known.
    pub start: i64,
    /// The recorder that wrote the log: `Darshan 3.1.3`, `ioglass 0.1.0`.
    pub recorder: String,
    /// True if nothing is missing.
    pub is_complete: bool,
    /// True if it has a trace, false if it could have had one; none if nothing was recorded.
    pub is_traced: Option<bool>,
    /// The end of the program, if the recorder told it.
    pub exit: Option<Exit>,
    /// Opens of paths that the recorder leaves out, such as those in `/usr`.
    pub left_out: u64,
}

/// A fact about the data that a reader must know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// One sentence.
    pub text: String,
    /// True if findings rest on it and are marked.
    pub marks: bool,
}

/// All that a report says about a run.
#[derive(Debug, Clone)]
pub struct Diagnosis {
    /// The run.
    pub subject: Subject,
    /// Facts about the data that a reader must know.
    pub warnings: Vec<Warning>,
    /// The verdict.
    pub verdict: Verdict,
    /// The run time by kind.
    pub budget: Budget,
    /// The bytes and requests.
    pub moved: Moved,
    /// The place of the files.
    pub place: Where,
    /// Every check: first those that fired, by net seconds, then those that are fine, those that
    /// could not be checked, and those that make no sense for such a run.
    pub findings: Vec<Finding>,
    /// Settings that were injected, and what became of them.
    pub settings: Vec<SettingOutcome>,
}
