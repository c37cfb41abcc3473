//! Arguments of the commands for logs.

use std::path::PathBuf;

use clap::{Args, ValueHint};

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
