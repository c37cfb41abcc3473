//! Measures what the end of MPI takes under a recorder and how large the log is, beside the reference,
//! and says which claims hold.

#![allow(clippy::print_stdout)] // a table is what it is for

mod capture;
mod launch;
mod measured;
mod model;
mod tree;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Parser, ValueEnum};
use ioglass_bench::place;

use launch::Launcher;

/// Measures the end of MPI: time, and bytes of the log.
///
/// LIBDARSHAN in the environment names the reference's library, built for the MPI whose mpicc and mpirun
/// are found; without it, there is no such column.
#[derive(Parser)]
struct Args {
    /// What to measure; everything if nothing is named.
    sections: Vec<Section>,
    /// Repetitions.
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// The most ranks.
    #[arg(long, default_value_t = 32)]
    ranks: u32,
    /// The program under test; by default the one beside this one.
    #[arg(long, value_name = "PATH")]
    ioglass: Option<PathBuf>,
    /// The library under test; by default the one that the program carries.
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
    /// The source of the driver.
    #[arg(long, value_name = "FILE", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/shutdown/driver.c"))]
    driver: PathBuf,
}

/// A part of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Section {
    /// Programs that end.
    Measured,
    /// A tree of up to 12,000 ranks without MPI.
    Tree,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let sections = match args.sections.as_slice() {
        [] => Section::value_variants(),
        sections => sections,
    };
    let mut rows = Vec::new();
    if sections.contains(&Section::Measured) {
        let place = place::prepare("ioglass-bench-shutdown")?;
        let program = std::env::current_exe()?;
        let ioglass = args.ioglass.unwrap_or_else(|| program.with_file_name("ioglass"));
        let launcher = Launcher::new(&args.driver, &ioglass, args.library, place)?;
        println!("{launcher}");
        let table = measured::table(&launcher, args.ranks, args.runs.max(1));
        rows = table.context("programs that end: failed")?;
    }
    if sections.contains(&Section::Tree) {
        println!("{}", tree::section(&rows).context("the tree: failed")?);
    }
    Ok(())
}
