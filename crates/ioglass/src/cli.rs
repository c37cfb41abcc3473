//! What can be typed. Help, man pages and shell completions all come from these definitions.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use ioglass_insight::Level;
use ioglass_recorder::pattern::{Code, MAX_PROGRAM, Pattern};

/// Shows where a program's I/O time goes
///
/// ioglass records what a program does to which files, says what held it back and what to do, and
/// reads, writes and prints Darshan logs.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  ioglass run -- tar czf src.tgz src   record a program and say what held it back
  ioglass report app.darshan           the same for a log that exists

Exit status: 0 fine, 1 findings at or above --fail-on, 2 wrong usage, 3 bad input,
5 a failure of ioglass itself.
`run` ends with the program's own status."
)]
pub(crate) struct Cli {
    /// When to use colours: auto, always or never.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    #[arg(hide_possible_values = true, hide_default_value = true, help_heading = "Everywhere")]
    pub(crate) color: Color,

    /// Print no signs beyond ASCII; so it is, too, if the locale or the terminal has no others.
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) ascii: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colours.
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
    Info(Info),
    Parse(Parse),
    Dxt(Dxt),
    Convert(Convert),
    Merge(Merge),
    Completions(Completions),
    Man(Man),
}

/// Record a program and all it starts
///
/// The program runs as it would without: same input, output, signals and exit status. Its log, of
/// all processes in one, is written when it ends; the diagnosis goes to standard error.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass run -- python train.py
  ioglass run --trace -o sort.darshan -- sh -c 'sort big.txt > sorted.txt'
  ioglass run --trace --html -- make -j8
  mpirun -n 4 ioglass run -- ./app

Exit status: that of the program, 128+n if signal n ended it, 126 or 127 if it cannot be started.")]
pub(crate) struct Run {
    /// Record every read and write, not only their sums.
    #[arg(long)]
    pub(crate) trace: bool,
    /// The log to write; a folder takes it under its usual name. Otherwise ./PROGRAM_JOBID.darshan.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Write a log of each process beside it, too.
    #[arg(long)]
    pub(crate) keep_per_process: bool,
    /// Under a launcher such as mpirun: a log of this rank alone, not one of all ranks.
    #[arg(long)]
    pub(crate) alone: bool,
    /// Print only where the log is.
    #[arg(long)]
    pub(crate) no_report: bool,
    /// Show more: files, snippets, notes; twice: every check.
    #[arg(long, short, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// End with status 1 if something is found at this level or above, and the program returned 0.
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) fail_on: Option<FailOn>,
    /// Print one line.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Write the report as JSON: beside the log, or to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<Option<PathBuf>>,
    /// Write the report as a page for a browser: beside the log, or to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<Option<PathBuf>>,
    /// Leave out paths that match; may be given several times.
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub(crate) exclude: Vec<String>,
    /// Record paths that match even if they are left out otherwise, as /etc, /usr or /proc are.
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub(crate) include: Vec<String>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    #[arg(value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}

/// A level that makes a command fail.
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
    /// The level from which on it is a failure.
    pub(crate) fn level(self) -> Level {
        match self {
            Self::Info => Level::Info,
            Self::Warn => Level::Warn,
            Self::High => Level::High,
        }
    }
}

/// Whose verdicts are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// Those of Drishti 0.8, its faults included.
    #[value(name = "drishti-0.8")]
    Drishti,
}

/// Say what held a run back, what it cost and what to do
///
/// Reads Darshan logs, whoever recorded them. Findings are sorted by the seconds at stake in this
/// run; what could not be checked is said.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass report app.darshan
  ioglass report --html=app.html app.darshan
  ioglass report --job 4711          what a job that still runs did so far
  ioglass report --json --fail-on high logs/*.darshan

Exit status: 0 fine, 1 something at or above --fail-on, 2 wrong usage, 3 bad input.")]
pub(crate) struct Report {
    /// Logs, or directories of logs; - is standard input.
    #[arg(required_unless_present_any = ["thresholds", "job"], value_name = "LOG", value_hint = ValueHint::AnyPath)]
    pub(crate) logs: Vec<PathBuf>,
    /// Report on a job of yours that still runs, by its number or by the name of its directory. A wrong
    /// ID lists the jobs that run.
    #[arg(long, value_name = "ID", conflicts_with = "logs")]
    pub(crate) job: Option<String>,
    /// Show more: files, snippets, notes; twice: every check.
    #[arg(long, short, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Print one line for each log.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// List the codes of what was found, and nothing else.
    #[arg(long)]
    pub(crate) codes: bool,
    /// Show only these, in JSON too: codes, names, dimensions or levels, separated by commas. The
    /// verdict stays that of the whole run; --fail-on looks at these alone.
    #[arg(long, value_name = "WHAT")]
    pub(crate) only: Option<String>,
    /// Write JSON: to standard output, or to FILE; of several logs one line each.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<Option<PathBuf>>,
    /// Write a page for a browser, with charts: to standard output, or to FILE; of several logs into
    /// a folder, under the names of the logs.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::AnyPath)]
    #[arg(conflicts_with_all = ["compat", "json", "codes", "quiet"])]
    pub(crate) html: Option<Option<PathBuf>>,
    /// Columns of the text; otherwise those of the terminal, or 80.
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..=400))]
    pub(crate) width: Option<u16>,
    /// Limits of the checks, in TOML or in Drishti's JSON.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Print the limits with their meaning, as a file for --config.
    #[arg(long)]
    pub(crate) thresholds: bool,
    /// Give another tool's verdicts, to compare with.
    #[arg(long, value_enum, value_name = "TOOL")]
    pub(crate) compat: Option<Compat>,
    /// End with status 1 if something is found at this level or above.
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) fail_on: Option<FailOn>,
}

/// Explain a finding: what it means, how it is computed, how to mend it
///
/// With a log, also why it fired there, or did not, with that log's numbers. Checks are explained as
/// ioglass makes them; what `report --compat` says of them is another tool's.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass explain F01
  ioglass explain small-requests app.darshan")]
pub(crate) struct Explain {
    /// A code such as F01, or a name such as slow-ost; without one, all are listed.
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
    /// A log.
    #[arg(value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) log: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Limits of the checks, in TOML or in Drishti's JSON.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
}

/// Takes what the recorder will understand as a regular expression.
fn pattern(text: &str) -> Result<String, String> {
    let mut room = vec![Code::Any; MAX_PROGRAM];
    if text.contains('\n') {
        return Err("a path has one line".into());
    }
    match Pattern::compile(text.as_bytes(), &mut &mut room[..]) {
        Ok(_) => Ok(text.to_owned()),
        Err(bad) => Err(bad.to_string()),
    }
}

/// Make logs of what killed jobs left behind
///
/// Finds the jobs of this user whose `run` or process is gone, writes the log that is missing, and
/// removes what is in it. Also makes a sound log out of one that is cut off.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass recover
  ioglass recover cut-off.darshan -o sound.darshan")]
pub(crate) struct Recover {
    /// Folders of jobs, single captures, parts of a log, or logs that are cut off; without any, all
    /// dead jobs.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Every dead job of this user; the default without a path.
    #[arg(long, conflicts_with = "paths")]
    pub(crate) all: bool,
    /// The log to write, or a folder for several.
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Print what was written as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Say what works on this machine
///
/// With a program: whether it can be recorded, and if not, why and what to do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass doctor
  ioglass doctor ./app")]
pub(crate) struct Doctor {
    /// A program, by path or as typed.
    #[arg(value_name = "PROGRAM", value_hint = ValueHint::CommandName)]
    pub(crate) program: Option<OsString>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print the path of the preload library
///
/// For LD_PRELOAD, where `ioglass run` cannot be used: with IOGLASS_ENABLE=1 every process that does
/// I/O writes a log of its own when it ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass lib
  ioglass lib | xargs -I{} env LD_PRELOAD={} IOGLASS_ENABLE=1 ./app")]
pub(crate) struct Lib {}

/// Say in words what a log holds
///
/// One screen: the job, each module with its size, records and bytes moved, and whether anything
/// is missing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass info app.darshan
  ioglass info --json logs/*.darshan | jq .job.nprocs")]
pub(crate) struct Info {
    /// Darshan logs; - is standard input.
    #[arg(required = true, value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) logs: Vec<PathBuf>,
    /// Print JSON: one object, or one line each for several logs.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print every counter of every record
///
/// The text is that of darshan-parser: one line for each counter, then, if asked for, totals,
/// numbers of files and performance estimates of each module.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass parse app.darshan | grep POSIX_BYTES_WRITTEN
  ioglass parse --total --perf app.darshan")]
pub(crate) struct Parse {
    /// Darshan log; - is standard input.
    #[arg(value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) log: PathBuf,
    /// All that can be printed, whether or not a module lost records.
    #[arg(long)]
    pub(crate) all: bool,
    /// Every counter of every record; this is the default.
    #[arg(long)]
    pub(crate) base: bool,
    /// Numbers of files: read only, written only, of one process, shared.
    #[arg(long)]
    pub(crate) file: bool,
    /// Time and bandwidth, estimated from the slowest process.
    #[arg(long)]
    pub(crate) perf: bool,
    /// Totals of each module.
    #[arg(long)]
    pub(crate) total: bool,
    /// Go on where a module lost records instead of stopping there.
    #[arg(long)]
    pub(crate) show_incomplete: bool,
    /// Print JSON lines instead: the log, then each record, then what else was asked for.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print every traced operation
///
/// The text is that of darshan-dxt-parser: for each file and process a head, then one line for
/// each read and write with offset, length, begin and end.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass dxt app.darshan | grep write
  ioglass dxt --show-incomplete app.darshan")]
pub(crate) struct Dxt {
    /// Darshan log; - is standard input.
    #[arg(value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) log: PathBuf,
    /// Go on where a module lost records instead of stopping there.
    #[arg(long)]
    pub(crate) show_incomplete: bool,
    /// Print JSON lines instead: the log, then each traced file with its operations.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Make a log out of text
///
/// Takes what `parse` and `dxt`, or the tools they are modelled on, print. Counters that are not
/// named are 0, and missing header lines get sensible values, so a few lines are enough.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass convert --from-text bug-report.txt bug.darshan
  ioglass convert --from-text counters.txt trace.txt whole.darshan")]
pub(crate) struct Convert {
    /// Read text; give the counters, a trace, or both.
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

/// Put the logs of one job together
///
/// Logs of single processes, ranks or nodes become one, whoever recorded them. Ranks that MPI or a
/// launcher numbered keep their numbers, other processes are numbered by the time they began; a file
/// that all ranks of an MPI job used becomes one record; times are those since the first began.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass merge -o job.darshan logs/*.darshan
  ioglass merge app.darshan app_rest.darshan -o whole.darshan")]
pub(crate) struct Merge {
    /// The logs.
    #[arg(required = true, value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) logs: Vec<PathBuf>,
    /// The log to write; one that is there is replaced.
    #[arg(long, short, required = true, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Merge logs of different jobs too; their ranks follow each other.
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Print what was written as JSON.
    #[arg(long)]
    pub(crate) json: bool,
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

/// Write the man pages into a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ioglass man ~/.local/share/man/man1
  ioglass man . && man ./ioglass-parse.1")]
pub(crate) struct Man {
    /// The folder; it is made if need be.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }
}
