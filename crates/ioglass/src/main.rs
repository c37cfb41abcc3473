//! The `ioglass` command: arguments, wiring, exit codes.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("ioglass runs on Linux on x86-64 only; the crate ioglass-log reads logs elsewhere");

mod cli;
mod cmd;
mod failure;
mod glyphs;
mod motifs;
mod recorded;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let parsed = cli::Cli::try_parse();
    // This process is not recorded, unless it is a part of a job.
    if !matches!(&parsed, Ok(cli) if cli.command.is_of_job()) {
        ioglass_job::disable_recorder();
    }
    let cli = parsed.unwrap_or_else(|error| error.exit());
    cli.color.apply();
    glyphs::choose(cli.ascii);
    match cmd::run(cli.command) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
