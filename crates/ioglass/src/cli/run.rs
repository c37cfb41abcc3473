//! Arguments of the commands that run programs.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use ioglass_recorder::pattern::{Code, MAX_PROGRAM, Pattern};

use super::FailOn;

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
    /// Set the parameters of the I/O stack that FILE says, as `ioglass apply` does; the log says what
    /// became of them.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "no_record")]
    pub(crate) apply: Option<PathBuf>,
    /// Set parameters that helped a run like this one: like the run of LOG, or of the newest log of the
    /// program in the folder of logs. `ioglass tune` remembers what helps. Only settings that change no
    /// data are taken.
    #[arg(long, value_name = "LOG", num_args = 0..=1, require_equals = true, conflicts_with_all = ["apply", "no_record"], value_hint = ValueHint::FilePath)]
    pub(crate) auto: Option<Option<PathBuf>>,
    /// The store of what helped. The default is ~/.local/share/ioglass/motifs.jsonl.
    #[arg(long, value_name = "FILE", requires = "auto", value_hint = ValueHint::FilePath)]
    pub(crate) motifs: Option<PathBuf>,
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
