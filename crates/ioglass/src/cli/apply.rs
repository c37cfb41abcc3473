//! Arguments of `ioglass apply`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use ioglass_settings::Setting;

/// Run a program with other parameters of the I/O stack
///
/// Sets parameters of HDF5, MPI-IO, the file system, the environment and the C library. The program is
/// neither changed nor recompiled: a preloaded library passes copies of its property lists and hints on.
/// Settings come from a file (TOML, or XML as H5Tuner reads it) or from -s, which beats the file.
#[derive(Debug, Args)]
#[command(
    override_usage = "ioglass apply [-s NAME=VALUE]... [CONFIG] [OPTIONS] -- CMD...\n       \
                      ioglass apply --check|--env|--to FORMAT CONFIG\n       \
                      ioglass apply --params",
    after_help = "\
Examples:
  ioglass apply best.toml -- mpirun -n 64 ./app
  ioglass apply -s mpiio.cb_buffer_size=64M --verify -- mpirun -n 4 ./app
  mpirun -n 512 ioglass apply best.toml -- ./app     on several nodes
  ioglass apply --check best.toml                    what would be set, and where
  ioglass apply --params                             all parameters

Exit status: that of the program, 128+n if signal n ended it, 126 or 127 if it cannot be started; 1 if
a setting did not take effect and --strict is given; 2 wrong usage, 3 bad settings: nothing was run."
)]
pub(crate) struct Apply {
    /// Set a parameter. May be given several times.
    #[arg(short = 's', long = "set", value_name = "NAME=VALUE", value_parser = ioglass_settings::argument)]
    pub(crate) set: Vec<Setting>,
    /// The file of settings.
    #[arg(value_name = "CONFIG", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Say afterwards what became of each setting: on standard error, or in FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(crate) verify: Option<Option<PathBuf>>,
    /// The same as JSON on standard output, or in FILE. With --params: the table as JSON.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<Option<PathBuf>>,
    /// End with status 1 if the program returned 0 but a setting was changed or has no place.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Allow fs.setstripe: set the layout of this directory with `lfs setstripe`, for good.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) setstripe: Option<PathBuf>,
    /// Print every setting, where it comes from and what would be done; run nothing.
    #[arg(long, conflicts_with_all = ["env", "to", "params", "verify", "strict"])]
    pub(crate) check: bool,
    /// Print lines for `eval "$(…)"` in a job script; run nothing.
    #[arg(long, conflicts_with_all = ["to", "params", "verify", "strict"])]
    pub(crate) env: bool,
    /// Print the settings in this form; run nothing.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["params", "verify", "strict"])]
    pub(crate) to: Option<SettingsFormat>,
    /// Print the table of parameters.
    #[arg(long, conflicts_with_all = ["config", "set", "verify", "strict"])]
    pub(crate) params: bool,
    /// With --params: as Markdown.
    #[arg(long, requires = "params", conflicts_with = "json")]
    pub(crate) md: bool,
    /// The program and its arguments.
    #[arg(last = true, value_name = "CMD", value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}

/// Forms of settings files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SettingsFormat {
    /// As H5Tuner reads it.
    Xml,
    /// With everything that can be said.
    Toml,
}
