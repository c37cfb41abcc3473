//! The `ioglass` command: arguments, wiring, exit codes.

mod cli;
mod cmd;
mod failure;
mod units;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    cli.color.apply();
    match cmd::run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
