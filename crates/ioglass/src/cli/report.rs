//! Arguments of the commands that diagnose.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum, ValueHint};
use ioglass_insight::Level;

/// A level for --fail-on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Any finding.
    Info,
    /// From 1 % of the run.
    Warn,
    /// From 10 % of the run.
    High,
}

impl FailOn {
    /// The lowest level that is a failure.
    pub(crate) fn level(self) -> Level {
        match self {
            Self::Info => Level::Info,
            Self::Warn => Level::Warn,
            Self::High => Level::High,
        }
    }
}

/// A change for --fail-on, where runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChangeFailOn {
    /// The runs after are slower, beyond what runs differ by anyway.
    Slower,
    /// A finding at WARN or above is new.
    New,
}

/// A value of --fail-on for a report: a level or, where runs are compared, a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportFailOn {
    /// A finding of this level or above.
    Level(FailOn),
    /// This change.
    Change(ChangeFailOn),
}

impl ValueEnum for ReportFailOn {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Level(FailOn::Info),
            Self::Level(FailOn::Warn),
            Self::Level(FailOn::High),
            Self::Change(ChangeFailOn::Slower),
            Self::Change(ChangeFailOn::New),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Level(level) => level.to_possible_value(),
            Self::Change(change) => change.to_possible_value(),
        }
    }
}

/// Tools whose verdicts can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// Drishti 0.8, its faults included.
    #[value(name = "drishti-0.8")]
    Drishti,
}

/// Diagnose the I/O of a run: what slows it down, what it costs, what to change
///
/// Reads Darshan logs of any recorder. Findings are sorted by the seconds that they cost in this run.
/// The report also lists what could not be checked.
///
/// With --compare, the runs of LOG are compared with those before a change: is it the same work, is it
/// faster, which findings are gone. Several logs on a side are repetitions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass report app.darshan
  ioglass report --html=app.html app.darshan
  ioglass report --job 4711          a job that is still running
  ioglass report --json --fail-on high logs/*.darshan
  ioglass report --compare before/ after/          did the change help?

Exit status: 0 success, 1 findings at or above --fail-on, 2 wrong usage, 3 bad input, 5 a result
could not be written, or ioglass itself failed.")]
pub(crate) struct Report {
    /// Logs, directories of logs, or quoted patterns of logs; - is standard input.
    #[arg(required_unless_present_any = ["thresholds", "job"], value_name = "LOG", value_hint = ValueHint::AnyPath)]
    pub(crate) logs: Vec<PathBuf>,
    /// Report on a job of yours that is still running. ID is its number, or the name of its directory. A
    /// wrong ID lists the running jobs.
    #[arg(long, value_name = "ID", conflicts_with = "logs")]
    pub(crate) job: Option<String>,
    /// Compare with these logs of before: a log, a directory of logs or a quoted pattern. May be given
    /// several times. Several logs are repetitions of one run.
    #[arg(long, value_name = "BEFORE", value_hint = ValueHint::AnyPath)]
    #[arg(conflicts_with_all = ["job", "codes", "only", "compat", "thresholds"])]
    pub(crate) compare: Vec<PathBuf>,
    /// Compare seconds although program, ranks or bytes differ.
    #[arg(long, requires = "compare")]
    pub(crate) same_work: bool,
    /// Show more: files, snippets, notes. Given twice: every check.
    #[arg(long, short, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Print one line per log.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print the codes of the findings, and nothing else.
    #[arg(long)]
    pub(crate) codes: bool,
    /// Show only these findings, also in JSON: codes, names, dimensions or levels, separated by commas.
    /// The verdict remains that of the whole run; --fail-on considers only these findings.
    #[arg(long, value_name = "WHAT")]
    pub(crate) only: Option<String>,
    /// Write JSON to standard output, or to FILE: one line per log if there are several.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<Option<PathBuf>>,
    /// Write an HTML page with charts to standard output, or to FILE. For several logs FILE is a directory,
    /// which gets a page per log.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::AnyPath)]
    #[arg(conflicts_with_all = ["compat", "json", "codes", "quiet"])]
    pub(crate) html: Option<Option<PathBuf>>,
    /// Write a comparison as CSV to standard output, or to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    #[arg(requires = "compare", conflicts_with_all = ["json", "html", "quiet"])]
    pub(crate) csv: Option<Option<PathBuf>>,
    /// Write a comparison as Markdown to standard output, or to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    #[arg(requires = "compare", conflicts_with_all = ["json", "html", "quiet", "csv"])]
    pub(crate) md: Option<Option<PathBuf>>,
    /// Write the screen of a comparison as a picture to standard output, or to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    #[arg(requires = "compare", conflicts_with_all = ["json", "html", "quiet", "csv", "md"])]
    pub(crate) svg: Option<Option<PathBuf>>,
    /// Width of the text. The default is the width of the terminal, or 80.
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..=400))]
    pub(crate) width: Option<u16>,
    /// Read the limits of the checks from FILE, in TOML or in Drishti's JSON.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Print the limits with their meaning, in the format of --config.
    #[arg(long)]
    pub(crate) thresholds: bool,
    /// Give the verdicts of another tool, for comparison.
    #[arg(long, value_enum, value_name = "TOOL")]
    pub(crate) compat: Option<Compat>,
    /// End with status 1 if there is a finding of this level or above. With --compare: if the runs after
    /// are slower, or a finding at WARN or above is new. Several are separated by commas.
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) fail_on: Vec<ReportFailOn>,
}

/// Explain a finding: its meaning, its condition, its remedy
///
/// With a log, the explanation has the numbers of that log, and says why the check fired there or did
/// not. Checks of other tools (`report --compat`) are not explained.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass explain F01
  ioglass explain small-requests app.darshan")]
pub(crate) struct Explain {
    /// A code such as F01, or a name such as slow-ost. Without one, all checks are listed.
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
    /// A log.
    #[arg(value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) log: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Read the limits of the checks from FILE, in TOML or in Drishti's JSON.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
}
