//! The command line. Help, man pages and shell completions are made from these definitions.

mod apply;
mod install;
mod kernel;
mod log;
mod profile;
mod report;
mod run;
mod tune;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use apply::{Apply, SettingsFormat};
pub(crate) use install::{Completions, Doctor, Include, Lib, Man};
pub(crate) use kernel::{Kernel, KernelOptions, KernelShape, MpiName};
pub(crate) use log::{Convert, Dxt, Info, Merge, Parse, Recover};
pub(crate) use profile::{Profile, ProfileCommand, ProfileCompare, ProfileConvert, ProfileFormat};
pub(crate) use profile::{ProfileRecover, ProfileShow, RanksTogether};
pub(crate) use report::{ChangeFailOn, Compat, Explain, FailOn, Report, ReportFailOn};
pub(crate) use run::{Region, Run, seconds};
pub(crate) use tune::{Content, Mutate, RunnerName, Trial, Tune};

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
  ioglass tune -- ./app                find settings with which a program runs faster

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
    Apply(Apply),
    Tune(Box<Tune>),
    Kernel(Kernel),
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
    Content(Content),
    Trial(Trial),
}

impl Command {
    /// Returns true for what is a part of the job that runs it: a region of a script, a kernel.
    pub(crate) fn is_of_job(&self) -> bool {
        matches!(self, Self::Region(_) | Self::Kernel(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }
}
