//! Arguments of the commands around an installation.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::Shell;

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
