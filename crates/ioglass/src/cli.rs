//! The command line. Help, man pages and shell completions are made from these definitions.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use ioglass_insight::Level;
use ioglass_recorder::pattern::{Code, MAX_PROGRAM, Pattern};

/// Shows where a program's I/O time goes
///
/// ioglass records the I/O of a program, finds what slows it down and suggests what to change. It reads,
/// writes and prints Darshan logs.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  ioglass run -- tar czf src.tgz src   record a program and diagnose its I/O
  ioglass report app.darshan           diagnose an existing log

Exit status:
  0  success, also if the reader of the output closes it
  1  findings at or above --fail-on
  2  wrong usage
  3  bad input
  5  a result could not be written, or ioglass itself failed; the message says which
`run` ends with the program's own status, 128+n if signal n ended it, 126 or 127 if it cannot be
started."
)]
pub(crate) struct Cli {
    /// Use colours: auto, always or never.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    #[arg(hide_possible_values = true, hide_default_value = true, help_heading = "Everywhere")]
    pub(crate) color: Color,

    /// Print ASCII only. This is the default if the locale or the terminal has no other signs.
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) ascii: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The use of colours.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Even through a pipe.
    Always,
    /// Never.
    Never,
}

impl Color {
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => {}
            Self::Always => anstream::ColorChoice::Always.write_global(),
            Self::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Run),
    Report(Report),
    Explain(Explain),
    Recover(Recover),
    Doctor(Doctor),
    Lib(Lib),
    Include(Include),
    Info(Info),
    Parse(Parse),
    Dxt(Dxt),
    Convert(Convert),
    Merge(Merge),
    Profile(Profile),
    Region(Region),
    Completions(Completions),
    Man(Man),
}

/// Record a program and all it starts
///
/// The program runs as it does without ioglass: same input, output, signals and exit status. When it ends,
/// ioglass writes one log of all its processes and prints the diagnosis on standard error.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass run -- python train.py
  ioglass run --trace -o sort.darshan -- sh -c 'sort big.txt > sorted.txt'
  ioglass run --trace --html -- make -j8
  mpirun -n 4 ioglass run -- ./app

Exit status: that of the program, 128+n if signal n ended it, 126 or 127 if it cannot be started.
The program is not started if the command line makes no sense (2) or if a file that is asked for
cannot be written (5).")]
pub(crate) struct Run {
    /// Record every read and write, not only their sums.
    #[arg(long)]
    pub(crate) trace: bool,
    /// Write the log to FILE, or into this directory under its usual name. The default is
    /// ./PROGRAM_JOBID.darshan.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Also write a log of each process, beside the log of the job.
    #[arg(long)]
    pub(crate) keep_per_process: bool,
    /// Under a launcher such as mpirun: write a log of this rank alone, not one log of all ranks.
    #[arg(long)]
    pub(crate) alone: bool,
    /// Print only the path of the log.
    #[arg(long)]
    pub(crate) no_report: bool,
    /// Show more: files, snippets, notes. Given twice: every check.
    #[arg(long, short, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// End with status 1 if there is a finding of this level or above and the program returned 0.
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) fail_on: Option<FailOn>,
    /// Print one line only.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Write the report as JSON: beside the log, or to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<Option<PathBuf>>,
    /// Write the report as an HTML page: beside the log, or to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<Option<PathBuf>>,
    /// Write the profile of the program's regions to FILE, or into this directory. The default is
    /// beside the log, if the program has regions.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "no_regions")]
    pub(crate) profile: Option<PathBuf>,
    /// Write the profile to A files, each with its share of the ranks, and one that names them. The
    /// default is one file for 256 ranks.
    #[arg(long, value_name = "A", conflicts_with = "no_regions")]
    pub(crate) profile_files: Option<u64>,
    /// Write the profile every S seconds while the program runs.
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "no_regions")]
    pub(crate) snapshot: Option<Seconds>,
    /// Do not count regions.
    #[arg(long)]
    pub(crate) no_regions: bool,
    /// Do not record I/O: only the profile of regions is written.
    #[arg(long, conflicts_with_all = ["trace", "json", "html", "fail_on", "keep_per_process"])]
    pub(crate) no_record: bool,
    /// Do not record paths that match. May be given several times.
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub(crate) exclude: Vec<String>,
    /// Record paths that match, even those that are excluded by default, such as /etc, /usr and /proc.
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub(crate) include: Vec<String>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    #[arg(value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}

impl Command {
    /// Returns true for a region of a job script.
    pub(crate) fn is_region(&self) -> bool {
        matches!(self, Self::Region(_))
    }
}

/// Make a phase of a job script a region
///
/// Inside `ioglass run`, the time and the I/O of CMD and of all that it starts count for the region NAME,
/// and the regions of CMD are below it. Elsewhere CMD just runs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass run -- sh -c 'ioglass region prepare -- ./mesh && ioglass region solve -- mpirun -n 4 ./app'
  ioglass region archive -- tar czf results.tgz results

Exit status: that of the program, 128+n if signal n ended it, 126 or 127 if it cannot be started.")]
pub(crate) struct Region {
    /// The name of the region.
    #[arg(value_name = "NAME")]
    pub(crate) name: OsString,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    #[arg(value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}

/// Time between two snapshots; `None` is never.
pub(crate) type Seconds = std::sync::Arc<Option<std::time::Duration>>;

/// Reads a time in seconds; 0 is never.
pub(crate) fn seconds(text: &str) -> Result<Seconds, String> {
    let seconds = text.trim().parse::<f64>().ok();
    let time = seconds.and_then(|seconds| std::time::Duration::try_from_secs_f64(seconds).ok());
    match time {
        Some(time) => Ok(Seconds::new(Some(time).filter(|time| !time.is_zero()))),
        None => Err("a number of seconds is expected, such as 5 or 0.5".into()),
    }
}

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
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass report app.darshan
  ioglass report --html=app.html app.darshan
  ioglass report --job 4711          a job that is still running
  ioglass report --json --fail-on high logs/*.darshan

Exit status: 0 success, 1 findings at or above --fail-on, 2 wrong usage, 3 bad input, 5 a result
could not be written, or ioglass itself failed.")]
pub(crate) struct Report {
    /// Logs, or directories of logs; - is standard input.
    #[arg(required_unless_present_any = ["thresholds", "job"], value_name = "LOG", value_hint = ValueHint::AnyPath)]
    pub(crate) logs: Vec<PathBuf>,
    /// Report on a job of yours that is still running. ID is its number, or the name of its directory. A
    /// wrong ID lists the running jobs.
    #[arg(long, value_name = "ID", conflicts_with = "logs")]
    pub(crate) job: Option<String>,
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
    /// End with status 1 if there is a finding of this level or above.
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) fail_on: Option<FailOn>,
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

/// Checks that the recorder understands a regular expression.
fn pattern(text: &str) -> Result<String, String> {
    let mut room = vec![Code::Any; MAX_PROGRAM];
    if text.contains('\n') {
        return Err("a pattern cannot contain a line break".into());
    }
    match Pattern::compile(text.as_bytes(), &mut &mut room[..]) {
        Ok(_) => Ok(text.to_owned()),
        Err(bad) => Err(bad.to_string()),
    }
}

/// Make logs of what killed jobs left behind
///
/// Finds jobs of this user whose `ioglass run` was killed, writes their missing logs and removes the
/// captures. Also makes a sound log of a truncated one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass recover
  ioglass recover cut-off.darshan -o sound.darshan")]
pub(crate) struct Recover {
    /// Directories of jobs, single captures, directories with parts of a log, or truncated logs. The
    /// default is all dead jobs.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Recover every dead job of this user. This is the default without a path.
    #[arg(long, conflicts_with = "paths")]
    pub(crate) all: bool,
    /// Write the log to OUT, or several logs into this directory.
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Print what was written as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Check that this machine is ready, and that a program can be recorded
///
/// For a program that cannot be recorded it prints the reason and a remedy.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass doctor
  ioglass doctor ./app")]
pub(crate) struct Doctor {
    /// A program: a path, or a name to look up in PATH.
    #[arg(value_name = "PROGRAM", value_hint = ValueHint::CommandName)]
    pub(crate) program: Option<OsString>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print the path of the preload library
///
/// For LD_PRELOAD, where `ioglass run` cannot be used. With IOGLASS_ENABLE=1 every process that does I/O
/// writes its own log when it ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass lib
  ioglass lib | xargs -I{} env LD_PRELOAD={} IOGLASS_ENABLE=1 ./app")]
pub(crate) struct Lib {}

/// Print the folder of what a program includes to name its regions
///
/// It has ioglass.h for C, ioglass.hpp and tinyprof.hpp for C++, and ioglass.f90, a module to compile with
/// a Fortran program. Nothing is linked: the program runs as before, and `ioglass run` shows its regions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass include
  ioglass include --python
  cc -I$(ioglass include) app.c -o app
  gfortran $(ioglass include)/ioglass.f90 app.f90 -o app
  PYTHONPATH=$(ioglass include --python) python app.py")]
pub(crate) struct Include {
    /// Print the folder of the Python package, for PYTHONPATH.
    #[arg(long)]
    pub(crate) python: bool,
}

/// Summarize the contents of a log
///
/// One screen: the job, each module with its size, records and bytes moved, and missing data.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass info app.darshan
  ioglass info --json logs/*.darshan | jq .job.nprocs")]
pub(crate) struct Info {
    /// Darshan logs; - is standard input.
    #[arg(required = true, value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) logs: Vec<PathBuf>,
    /// Print JSON: one object, or one line per log if there are several.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print every counter of every record
///
/// The output is that of darshan-parser: one line per counter and, if asked for, the totals, file counts
/// and performance estimates of each module.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass parse app.darshan | grep POSIX_BYTES_WRITTEN
  ioglass parse --total --perf app.darshan")]
pub(crate) struct Parse {
    /// Darshan log; - is standard input.
    #[arg(value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) log: PathBuf,
    /// Print everything, even of modules that lost records.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print every counter of every record. This is the default.
    #[arg(long)]
    pub(crate) base: bool,
    /// Print file counts: read only, written only, unique, shared.
    #[arg(long)]
    pub(crate) file: bool,
    /// Print time and bandwidth, estimated from the slowest process.
    #[arg(long)]
    pub(crate) perf: bool,
    /// Print the totals of each module.
    #[arg(long)]
    pub(crate) total: bool,
    /// Continue after a module that lost records.
    #[arg(long)]
    pub(crate) show_incomplete: bool,
    /// Print JSON lines instead: the log, then each record, then the rest that was asked for.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print every traced operation
///
/// The output is that of darshan-dxt-parser: a header per file and process, then one line per read and
/// write with offset, length, start and end.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass dxt app.darshan | grep write
  ioglass dxt --show-incomplete app.darshan")]
pub(crate) struct Dxt {
    /// Darshan log; - is standard input.
    #[arg(value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) log: PathBuf,
    /// Continue after a module that lost records.
    #[arg(long)]
    pub(crate) show_incomplete: bool,
    /// Print JSON lines instead: the log, then each traced file with its operations.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Make a log from text
///
/// Reads the output of `parse`, `dxt`, darshan-parser and darshan-dxt-parser. Missing counters are 0 and
/// missing header lines get sensible values, so a few lines are enough.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass convert --from-text bug-report.txt bug.darshan
  ioglass convert --from-text counters.txt trace.txt whole.darshan")]
pub(crate) struct Convert {
    /// Read text: counters, a trace, or both.
    #[arg(long, required = true)]
    pub(crate) from_text: bool,
    /// Text files; - is standard input.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) texts: Vec<PathBuf>,
    /// The log to write.
    #[arg(required = true, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) out: PathBuf,
    /// Overwrite the log if it exists.
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Print what was written as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Merge the logs of one job
///
/// Logs of single processes, ranks or nodes become one log, whatever recorded them. Ranks of MPI or of a
/// launcher keep their numbers; other processes are numbered by start time. A file that all ranks of an
/// MPI job used becomes one shared record. Times count from the first start.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass merge -o job.darshan logs/*.darshan
  ioglass merge app.darshan app_rest.darshan -o whole.darshan")]
pub(crate) struct Merge {
    /// The logs.
    #[arg(required = true, value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) logs: Vec<PathBuf>,
    /// The log to write. An existing log is replaced.
    #[arg(long, short, required = true, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Merge logs of different jobs, too. Their ranks are numbered one after the other.
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Print what was written as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show, compare, convert and recover profiles of annotated programs
///
/// A profile (.ioprof) has the time, the visits and the I/O of every region of a program, on every rank.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass profile show app_77.ioprof
  ioglass profile compare before.ioprof after.ioprof --fail-on 5")]
pub(crate) struct Profile {
    #[command(subcommand)]
    pub(crate) command: ProfileCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    Show(ProfileShow),
    Compare(ProfileCompare),
    Convert(ProfileConvert),
    Recover(ProfileRecover),
}

/// Show where the time of a program went
///
/// The tree of regions with their time, their own time, how uneven ranks are and the I/O of each; the
/// iterations; and what stands out. Several profiles of one job are put together.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass profile show app_77.ioprof
  ioglass profile show --html=app.html app_77.ioprof
  ioglass profile show app_77.ioprof --only main/step --by rank --json

Exit status: 0 success, 2 wrong usage, 3 bad input (what is sound is still shown), 5 a result could
not be written, or ioglass itself failed.")]
pub(crate) struct ProfileShow {
    /// Profiles, manifests or directories of snapshots.
    #[arg(required = true, value_name = "PROFILE", value_hint = ValueHint::AnyPath)]
    pub(crate) profiles: Vec<PathBuf>,
    /// Write JSON to standard output, or to FILE: one line per job if there are several.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["csv", "md"])]
    pub(crate) json: Option<Option<PathBuf>>,
    /// Write an HTML page with charts to standard output, or to FILE. For several jobs FILE is a
    /// directory, which gets a page per job.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::AnyPath)]
    #[arg(conflicts_with_all = ["json", "csv", "md", "by"])]
    pub(crate) html: Option<Option<PathBuf>>,
    /// Write CSV to standard output, or to FILE: a line per region and place in --by.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with = "md")]
    pub(crate) csv: Option<Option<PathBuf>>,
    /// Write a table in Markdown to standard output, or to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(crate) md: Option<Option<PathBuf>>,
    /// Show figures by these, separated by commas: rank, thread, execution, iteration; or all.
    #[arg(long, value_name = "LIST", value_parser = dimensions)]
    pub(crate) by: Option<Dimensions>,
    /// Show so many levels of the tree.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,
    /// Show the figures of this rank only.
    #[arg(long, value_name = "R")]
    pub(crate) rank: Option<u32>,
    /// Show this region and those below it: names joined by /. A / or \\ in a name has a \\ before it.
    #[arg(long, value_name = "PATH")]
    pub(crate) only: Option<String>,
    /// Order siblings by time, calls or a metric.
    #[arg(long, value_name = "time|calls|NAME", default_value = "time", hide_default_value = true)]
    pub(crate) sort: String,
    /// Show all regions, with their places, and all notices.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Width of the text. The default is the width of the terminal, or 80.
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..=400))]
    pub(crate) width: Option<u16>,
}

/// Compare two profiles of a program: what became faster or slower
///
/// A region is called faster or slower only if the change is beyond what its iterations and ranks vary
/// anyway, or 5 % if that is not known.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass profile compare before.ioprof after.ioprof
  ioglass profile compare --fail-on 5 before.ioprof after.ioprof

Exit status: 0 success, 1 a region is slower by more than --fail-on, 2 wrong usage, 3 bad input, 5 a
result could not be written, or ioglass itself failed.")]
pub(crate) struct ProfileCompare {
    /// The earlier profile.
    #[arg(value_name = "BEFORE", value_hint = ValueHint::AnyPath)]
    pub(crate) before: PathBuf,
    /// The later profile.
    #[arg(value_name = "AFTER", value_hint = ValueHint::AnyPath)]
    pub(crate) after: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// End with status 1 if a region is slower by more than so many per cent, beyond the spread.
    #[arg(long, value_name = "PERCENT", value_parser = per_cent)]
    pub(crate) fail_on: Option<f64>,
    /// Show all regions.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Width of the text. The default is the width of the terminal, or 80.
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..=400))]
    pub(crate) width: Option<u16>,
}

/// Write a profile in a format of other tools
///
/// hatchet, hatchet-literal and caliper-json load in Hatchet, cali in Thicket, chrome in Perfetto, pprof
/// in pprof, speedscope and folded in flame graphs, csv and parquet in tables. tinyprof is also read.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass profile convert app_77.ioprof --to hatchet -o app.json
  ioglass profile convert app_77.ioprof --to folded --ranks max | flamegraph.pl > app.svg")]
pub(crate) struct ProfileConvert {
    /// The profile.
    #[arg(value_name = "PROFILE", value_hint = ValueHint::AnyPath)]
    pub(crate) profile: PathBuf,
    /// The format.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: ProfileFormat,
    /// Write to OUT. The default is standard output.
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Keep these apart, separated by commas: rank, thread, execution, iteration; or all. Formats without
    /// a place for them add them up.
    #[arg(long, value_name = "LIST", value_parser = dimensions)]
    pub(crate) by: Option<Dimensions>,
    /// Keep all ranks, or write their sum, their mean, or the slowest of them.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) ranks: Option<RanksTogether>,
}

/// Make profiles of what was left behind
///
/// Of killed jobs, which stay as they are: `ioglass recover` makes their logs, too. Of files that were cut
/// off, what is sound. Of a folder of snapshots, one profile.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass profile recover
  ioglass profile recover cut-off.ioprof -o sound.ioprof
  ioglass profile recover app_77.snapshot

Exit status: 0 success, 2 wrong usage, 3 bad input, 5 a result could not be written, or ioglass
itself failed.")]
pub(crate) struct ProfileRecover {
    /// Directories of jobs, single captures, damaged profiles, or directories of snapshots. The default
    /// is all dead jobs.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Write the profile to OUT, or several profiles into this directory.
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
}

/// A list of dimensions.
pub(crate) type Dimensions = std::sync::Arc<Vec<ioglass_report::profile::By>>;

fn dimensions(text: &str) -> Result<Dimensions, String> {
    ioglass_report::profile::By::list(text).map(Dimensions::new)
}

fn per_cent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches(['%', ' ']).parse::<f64>() {
        Ok(percent) if percent.is_finite() && percent >= 0.0 => Ok(percent),
        _ => Err("a number of per cent is expected, such as 5".into()),
    }
}

/// Formats of other tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileFormat {
    /// JSON for Hatchet's `GraphFrame.from_json`.
    Hatchet,
    /// JSON for Hatchet's `GraphFrame.from_literal`.
    HatchetLiteral,
    /// Caliper's json-split.
    CaliperJson,
    /// Caliper's .cali, added over ranks.
    Cali,
    /// A made-up timeline for Perfetto and Chrome.
    Chrome,
    /// JSON for speedscope.
    Speedscope,
    /// Folded stacks for flame graphs.
    Folded,
    /// Protocol buffers for pprof.
    Pprof,
    /// TinyProf's text.
    Tinyprof,
    /// A line per row.
    Csv,
    /// The same as a table with types, for pandas, Polars and DuckDB.
    Parquet,
    /// A profile of ours: for text of TinyProf, and for several files.
    Ioprof,
}

/// What becomes of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RanksTogether {
    /// Each has its own figures.
    All,
    /// The sum of all.
    Sum,
    /// The sum divided by the ranks of the job.
    Mean,
    /// The slowest of each region.
    Max,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass completions bash > ~/.local/share/bash-completion/completions/ioglass
  ioglass completions zsh > ~/.zfunc/_ioglass")]
pub(crate) struct Completions {
    /// The shell.
    pub(crate) shell: Shell,
}

/// Write the man pages into a directory
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass man ~/.local/share/man/man1
  ioglass man . && man ./ioglass-parse.1")]
pub(crate) struct Man {
    /// The directory. It is made if it does not exist.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }
}
