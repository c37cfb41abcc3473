//! The `ioglass` command: arguments, wiring, exit codes.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("ioglass runs on Linux on x86-64 only; the crate ioglass-log reads logs elsewhere");

mod cli;
mod cmd;
mod failure;
mod glyphs;
mod recorded;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    ioglass_job::disable_recorder();
    let cli = cli::Cli::parse();
    cli.color.apply();
    glyphs::choose(cli.ascii);
    match cmd::run(cli.command) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
