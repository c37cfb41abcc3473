//! Arguments of the commands for profiles.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

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
