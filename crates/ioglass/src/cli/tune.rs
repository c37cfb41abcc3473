//! Arguments of `ioglass tune`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueHint};
use ioglass_tune::model::Model;
use ioglass_tune::objective::Objective;
use ioglass_tune::search::Method;
use ioglass_tune::tuning::Budget;

/// Find settings of the I/O stack with which a program runs faster
///
/// Runs the program some dozens of times with different settings of HDF5, MPI-IO, the file system and the C
/// library, and measures the time of its I/O. Then it proves the best settings against the default in fresh
/// runs. The program is neither changed nor recompiled, and its results are compared: settings that change
/// them are not used. The best settings go into best.toml, for `ioglass apply`.
#[derive(Debug, Clone, Args)]
#[command(
    override_usage = "ioglass tune [OPTIONS] -- CMD...\n       \
                      ioglass tune --replay JOURNAL [OPTIONS]\n       \
                      ioglass tune --health-check [-- LAUNCHER...]",
    after_help = "\
Examples:
  ioglass tune -- mpirun -n 4 ./app                          find settings, prove them, write best.toml
  ioglass apply best.toml -- mpirun -n 4 ./app               use them; to undo it, leave that out
  ioglass tune -- ./app -o {trial_dir}/out.h5                each run writes to a new, empty folder
  ioglass tune --budget 45m --timeout 5m -- ./app            a time for everything, and for a run
  ioglass tune --param bs=4K,64K,1M --objective time -- dd if=in of=out bs={bs}
                                                             an option of any program
  ioglass tune --resume -- mpirun -n 4 ./app                 go on after Ctrl-C or a crash
  ioglass tune --runner slurm --jobs 4 --slurm-args '-N 2 -n 64' -- mpirun ./app -o {trial_dir}/out.h5
                                                             each run is a job, four at the same time

{trial_dir} in CMD is an empty folder, another one for each run. {NAME} in CMD is the value of
--param NAME=...; the program also finds it in IOGLASS_PARAM_NAME. What CMD prints is not shown.

Exit status: 0 when it is done, also if there is nothing to gain; 1 if the gain is less than --expect;
2 wrong usage; 3 bad input, or the program fails with its default settings; 5 a file cannot be
written; 130 or 143 after Ctrl-C or SIGTERM, with the best so far in best.toml."
)]
pub(crate) struct Tune {
    /// What to search: a file, or a preset: auto (the default: what a run of the program shows), local,
    /// libc, sc13-lustre or sc13-gpfs. May be given several times.
    #[arg(long, value_name = "FILE|PRESET", value_hint = ValueHint::FilePath, help_heading = "What is searched")]
    pub(crate) space: Vec<String>,
    /// Search a placeholder {NAME} of CMD; the first value is the default. Without --space nothing else is
    /// searched. May be given several times.
    #[arg(long, value_name = "NAME=V1,V2,...", value_parser = placeholder, help_heading = "What is searched")]
    pub(crate) param: Vec<String>,
    /// Search only these layers (hdf5, mpiio, fs, env, libc, cmd) or parameters.
    #[arg(
        long,
        value_name = "LAYER|NAME,...",
        value_delimiter = ',',
        help_heading = "What is searched"
    )]
    pub(crate) only: Vec<String>,
    /// What is to be small: io (seconds of I/O), time (of the whole run), read, write, regions:NAME (seconds
    /// in regions of the program) or output:REGEX (a number that it prints, the first group; the last match
    /// counts). Or large: bandwidth.
    #[arg(long, value_name = "WHAT", default_value = "io", value_parser = Objective::from_str, help_heading = "What is measured")]
    pub(crate) objective: Objective,
    /// The number of output:REGEX is to be large.
    #[arg(long, help_heading = "What is measured")]
    pub(crate) maximize: bool,
    /// Runs of the search, the two of the default counted; or a time for everything, such as 45m. The
    /// default is 30; with `--search ga` it is population times generations.
    #[arg(long, value_name = "N|TIME", value_parser = budget, help_heading = "How long")]
    pub(crate) budget: Option<Budget>,
    /// Rounds of the proof at most: one run of the default and one of the best each. 0 is no proof, and
    /// then nothing is called a gain.
    #[arg(long, value_name = "N", default_value = "15", value_parser = rounds, help_heading = "How long")]
    pub(crate) confirm: u64,
    /// A run of the search ends at X times the fastest so far, but not before 1 s; 0 is never.
    #[arg(long, value_name = "X", default_value = "2.0", value_parser = cut, help_heading = "How long")]
    pub(crate) cut: f64,
    /// A run that takes longer fails. The default is no limit.
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "How long")]
    pub(crate) timeout: Option<f64>,
    /// The searcher: gp, tpe, ga, random or impact. The default is gp below 60 runs, else tpe.
    #[arg(long, value_name = "NAME", value_parser = method, help_heading = "How it is searched")]
    pub(crate) search: Option<Method>,
    /// The seed of all randomness: the same seed and the same answers lead to the same questions.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "How it is searched")]
    pub(crate) seed: u64,
    /// Individuals of a generation, for `--search ga`.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = individuals, help_heading = "How it is searched")]
    pub(crate) population: usize,
    /// Generations, for `--search ga`.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..), help_heading = "How it is searched")]
    pub(crate) generations: u64,
    /// Individuals that the next generation keeps, for `--search ga`.
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "How it is searched")]
    pub(crate) elites: usize,
    /// How often genes are drawn again, for `--search ga`: all alike, as the paper does it, or those with
    /// more effect more often.
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Mutate::Even, help_heading = "How it is searched")]
    pub(crate) mutate: Mutate,
    /// Run settings again that were run before, for `--search ga`.
    #[arg(long, help_heading = "How it is searched")]
    pub(crate) no_cache: bool,
    /// Take advice from this log of the program, not from that of its first run.
    #[arg(long, value_name = "LOG", value_hint = ValueHint::FilePath, help_heading = "How it is searched")]
    pub(crate) from_log: Option<PathBuf>,
    /// Try first what helped runs that are like that of this log; see `ioglass run --auto`.
    #[arg(long, value_name = "LOG", value_hint = ValueHint::FilePath, help_heading = "How it is searched")]
    pub(crate) from_motif: Option<PathBuf>,
    /// The store of what helped, to which a proven gain is added. The default is
    /// ~/.local/share/ioglass/motifs.jsonl.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "How it is searched")]
    pub(crate) motifs: Option<PathBuf>,
    /// A command of the shell before every run. Its time does not count.
    #[arg(long, value_name = "CMD", help_heading = "Every run")]
    pub(crate) setup: Option<String>,
    /// A command of the shell after every run.
    #[arg(long, value_name = "CMD", help_heading = "Every run")]
    pub(crate) cleanup: Option<String>,
    /// The folder in which {trial_dir} is made. The default is .ioglass-tune.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Every run")]
    pub(crate) work: Option<PathBuf>,
    /// Is the result right? auto compares the files that the program writes with those of its default run;
    /// off; or a command of the shell whose status 0 means right.
    #[arg(long, value_name = "auto|off|CMD", default_value = "auto", help_heading = "Every run")]
    pub(crate) check: String,
    /// Where runs are made: local; slurm, each as a job of this cluster; or model:PLATFORM-RANKS for the
    /// formula of the SC13 paper's platforms (hopper, stampede, intrepid) with CMD `ioglass kernel
    /// vpic|vorpal|gcrm`.
    #[arg(long, value_name = "RUNNER", default_value = "local", value_parser = runner, help_heading = "Every run")]
    pub(crate) runner: RunnerName,
    /// Jobs of the search at the same time, with `--runner slurm`. The proof has one at a time, so that runs
    /// do not disturb each other.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000), help_heading = "Every run")]
    pub(crate) jobs: u64,
    /// Arguments for sbatch, with `--runner slurm`: the partition, nodes, tasks, a limit of time.
    #[arg(long, value_name = "ARGS", allow_hyphen_values = true, help_heading = "Every run")]
    pub(crate) slurm_args: Option<String>,
    /// The noise of the model: standard deviation of the logarithm of a run's time.
    #[arg(long, value_name = "X", default_value_t = 0.10, value_parser = share, help_heading = "Every run")]
    pub(crate) model_noise: f64,
    /// The probability that others interfere with a run of the model.
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = share, help_heading = "Every run")]
    pub(crate) model_interference: f64,
    /// The journal of all runs. The default is PROGRAM.tune.jsonl.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Journal")]
    pub(crate) journal: Option<PathBuf>,
    /// Go on with the journal, with the same options; --budget, --confirm and -o may change.
    #[arg(long, conflicts_with_all = ["restart", "replay", "dry_run"], help_heading = "Journal")]
    pub(crate) resume: bool,
    /// Begin anew; the old journal gets `.1` behind its name.
    #[arg(long, conflicts_with_all = ["replay", "dry_run"], help_heading = "Journal")]
    pub(crate) restart: bool,
    /// Run nothing: answers come from this journal. Shows the result again, or how far another searcher
    /// would have come.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Journal")]
    pub(crate) replay: Option<PathBuf>,
    /// The smallest gain that is worth a change.
    #[arg(long, value_name = "X", default_value = "1.03", value_parser = ratio, help_heading = "Result")]
    pub(crate) worth: f64,
    /// End with status 1 unless the gain is at least X, with all its interval.
    #[arg(long, value_name = "X", value_parser = ratio, help_heading = "Result")]
    pub(crate) expect: Option<f64>,
    /// Write the best settings to FILE.
    #[arg(long, short, value_name = "FILE", default_value = "best.toml", value_hint = ValueHint::FilePath, help_heading = "Result")]
    pub(crate) output: PathBuf,
    /// Write them as XML, too, as H5Tuner reads it.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Result")]
    pub(crate) xml: Option<PathBuf>,
    /// Print the result as JSON, or write it to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath, help_heading = "Result")]
    pub(crate) json: Option<Option<PathBuf>>,
    /// Print the result as an HTML page, or write it to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath, help_heading = "Result")]
    pub(crate) html: Option<Option<PathBuf>>,
    /// Print nothing while it runs.
    #[arg(long, short, help_heading = "Result")]
    pub(crate) quiet: bool,
    /// Show what would be searched, and run nothing. For the preset auto with --from-log.
    #[arg(long, help_heading = "Result")]
    pub(crate) dry_run: bool,
    /// Run the three kernels of `ioglass kernel` five times each, show how even they are on this machine,
    /// and remember what helps them. CMD is a launcher such as `mpirun -n 4`, or nothing.
    #[arg(long, conflicts_with_all = ["replay", "resume", "dry_run", "space", "param", "runner"], help_heading = "Other")]
    pub(crate) health_check: bool,
    /// The program and its arguments.
    #[arg(last = true, value_name = "CMD", value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,

    /// The options that were typed, but for those that say how to go on.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}

/// Print what HDF5 files contain, as digests
///
/// `ioglass tune` runs it beside itself: a library of others may crash.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Content {
    /// The HDF5 library.
    pub(crate) library: PathBuf,
    /// The files.
    pub(crate) files: Vec<PathBuf>,
}

/// Make one run in a job of a cluster
///
/// `ioglass tune --runner slurm` submits it.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Trial {
    /// The folder with its order; gets its result.
    pub(crate) folder: PathBuf,
}

/// How often the genes of a genetic algorithm are drawn again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Mutate {
    /// All alike.
    Even,
    /// Those with more effect more often.
    Effect,
}

/// What runs the command.
#[derive(Debug, Clone)]
pub(crate) enum RunnerName {
    /// This machine.
    Local,
    /// Jobs of Slurm.
    Slurm,
    /// A model.
    Model(Model),
}

/// Checks the form of a placeholder.
fn placeholder(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text.to_owned()),
        _ => Err("expected NAME=V1,V2,...".into()),
    }
}

/// Reads a number of runs, or a time.
fn budget(text: &str) -> Result<Budget, String> {
    match text.parse::<u64>() {
        Ok(0) => Err("a search without runs finds nothing".into()),
        Ok(runs) => Ok(Budget::Runs(runs)),
        Err(_) => time(text).map(Budget::Seconds).map_err(|error| format!("a number, or {error}")),
    }
}

/// Reads a time: `90s`, `45m`, `1h30m`, or seconds without a unit.
fn time(text: &str) -> Result<f64, String> {
    let expected = || "a time is expected, such as 90s, 45m or 1h30m".to_owned();
    let (mut seconds, mut rest) = (0.0, text.trim());
    if let Ok(plain) = rest.parse::<f64>() {
        rest = "";
        seconds = plain;
    }
    while !rest.is_empty() {
        let end = rest.find(|sign: char| sign.is_ascii_alphabetic()).ok_or_else(expected)?;
        let number: f64 = rest[..end].parse().map_err(|_| expected())?;
        let factor = match &rest[end..=end] {
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return Err(expected()),
        };
        seconds += number * factor;
        rest = &rest[end + 1..];
    }
    let is_sound = (0.001..=1e8).contains(&seconds);
    if is_sound { Ok(seconds) } else { Err(expected()) }
}

fn rounds(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(rounds @ (0 | 6..=10_000)) => Ok(rounds),
        _ => Err("expected 0, or 6 to 10,000: fewer rounds cannot prove anything".into()),
    }
}

fn number(text: &str, is_sound: impl Fn(f64) -> bool, expected: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && is_sound(*number));
    number.ok_or_else(|| expected.to_owned())
}

fn cut(text: &str) -> Result<f64, String> {
    number(text, |cut| cut == 0.0 || cut >= 1.0, "expected 0, or a number of at least 1")
}

fn ratio(text: &str) -> Result<f64, String> {
    number(text, |ratio| ratio >= 1.0, "expected a number of at least 1, such as 1.2")
}

fn share(text: &str) -> Result<f64, String> {
    number(text, |share| (0.0..=1.0).contains(&share), "expected a number from 0 to 1")
}

fn individuals(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (2..=100_000).contains(number));
    number.ok_or_else(|| "expected 2 to 100,000".into())
}

fn method(text: &str) -> Result<Method, String> {
    let found = Method::ALL.into_iter().find(|method| method.name() == text);
    found.ok_or_else(|| {
        let names = Method::ALL.map(Method::name).join(", ");
        format!("expected one of {names}")
    })
}

fn runner(text: &str) -> Result<RunnerName, String> {
    match text.split_once(':') {
        None if text == "local" => Ok(RunnerName::Local),
        None if text == "slurm" => Ok(RunnerName::Slurm),
        Some(("model", name)) => {
            name.parse().map(RunnerName::Model).map_err(|error| format!("{error}"))
        }
        _ => Err("expected local, slurm or model:PLATFORM-RANKS, such as model:hopper-2048".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_runs_or_times() {
        assert_eq!(budget("30"), Ok(Budget::Runs(30)));
        assert_eq!(budget("45m"), Ok(Budget::Seconds(2700.0)));
        assert_eq!(budget("1h30m"), Ok(Budget::Seconds(5400.0)));
        assert_eq!(budget("90s"), Ok(Budget::Seconds(90.0)));
        for text in ["0", "-1", "x", "m", "5y", "1h30", "0s", "NaN", "infs", "1e99h", ""] {
            assert!(budget(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_without_sense_are_refused() {
        for text in ["1", "5", "-1", "10001", "x"] {
            assert!(rounds(text).is_err(), "{text}");
        }
        assert_eq!((rounds("0"), rounds("6")), (Ok(0), Ok(6)));
        for text in ["0.5", "-1", "NaN", "inf"] {
            assert!(cut(text).is_err() && ratio(text).is_err(), "{text}");
        }
        assert!(runner("model:hopper-0").is_err() && runner("cluster").is_err());
        assert!(method("sa").is_err() && share("2").is_err());
    }
}
