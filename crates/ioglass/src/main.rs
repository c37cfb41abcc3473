//! The `ioglass` command: arguments, wiring, exit codes.

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
