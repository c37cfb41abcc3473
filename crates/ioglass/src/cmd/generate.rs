//! Man pages and shell completions, generated from the definitions of the command line.

use std::fs;
use std::io;

use anyhow::Context;
use clap::CommandFactory;

use crate::cli::{self, Cli};
use crate::failure::Failure;

pub(super) fn completions(args: &cli::Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ioglass", &mut script);
    io::Write::write_all(&mut io::stdout(), &script)?;
    Ok(())
}

pub(super) fn man(args: &cli::Man) -> Result<(), Failure> {
    let directory = &args.directory;
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make {}", directory.display()))?;
    clap_mangen::generate_to(Cli::command(), directory)
        .with_context(|| format!("cannot write the man pages into {}", directory.display()))?;
    Ok(())
}
