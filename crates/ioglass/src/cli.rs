//! What can be typed. Help, man pages and shell completions all come from these definitions.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

/// Shows where a program's I/O time goes
///
/// ioglass reads, writes and prints Darshan logs: what a program did to which files, how often,
/// how much and how long.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  ioglass info app.darshan           what the log holds, on one screen
  ioglass parse app.darshan | less   every counter of every file

Exit status: 0 fine, 2 wrong usage, 3 bad input, 5 a failure of ioglass itself."
)]
pub(crate) struct Cli {
    /// When to use colours: auto, always or never.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    #[arg(hide_possible_values = true, hide_default_value = true, help_heading = "Everywhere")]
    pub(crate) color: Color,

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
    Info(Info),
    Parse(Parse),
    Dxt(Dxt),
    Convert(Convert),
    Completions(Completions),
    Man(Man),
}

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
