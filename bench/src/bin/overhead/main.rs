//! Measures what recording costs the recorded program, beside the reference, and says which claims
//! hold.

#![allow(clippy::print_stdout)] // a table is what it is for

mod calls;
mod driver;
mod instructions;
mod limits;
mod memory;
mod process;
mod samples;
mod standing;
mod stream;
mod variant;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Parser, ValueEnum};

use driver::Bench;
use ioglass_bench::place;

/// Measures what recording costs the recorded program.
///
/// LIBDARSHAN in the environment names the reference's library, built without MPI; without it, ours
/// is compared with the limits alone.
#[derive(Parser)]
struct Args {
    /// What to measure; everything if nothing is named.
    sections: Vec<Section>,
    /// Repetitions of short measurements; long ones have fewer.
    #[arg(long, default_value_t = 21)]
    runs: usize,
    /// Calls are repeated further until their share of what the reference adds is known with this standard error, 50
    /// times as often at most.
    #[arg(long, value_name = "SHARE", default_value_t = 0.02)]
    error: f64,
    /// Only the calls whose names contain this.
    #[arg(long, value_name = "TEXT", default_value = "")]
    rows: String,
    /// The program under test; by default the one beside this one.
    #[arg(long, value_name = "PATH")]
    ioglass: Option<PathBuf>,
    /// The library under test; by default the one that the program carries.
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
    /// The sources of the driver.
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/overhead"))]
    driver: PathBuf,
}

/// A part of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Section {
    /// CPU time added to each kind of call.
    Calls,
    /// The same with 1, 2 and 4 threads.
    Threads,
    /// With many open files, and for files never seen before.
    Files,
    /// Calls of MPI-IO, HDF5 and PnetCDF, if `LIBDARSHAN` is given one that was built with all of them.
    Mpi,
    /// Start and end of a process.
    Process,
    /// A trace of a million operations, with its exit and its harvest.
    Trace,
    /// Memory, idle and per file.
    Memory,
    /// Instructions added to a call, counted by callgrind.
    Instructions,
    /// A trace of ten million operations: nothing is lost silently.
    TenMillion,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let place = place::prepare("ioglass-bench-overhead")?;
    let program = std::env::current_exe()?;
    let ioglass = args.ioglass.unwrap_or_else(|| program.with_file_name("ioglass"));
    let mut bench =
        Bench::new(&args.driver, ioglass, place, args.runs.max(1), args.error, args.rows)?;
    if let Some(library) = args.library {
        bench.only_library(library);
    }
    println!("{bench}");
    let sections = match args.sections.as_slice() {
        [] => Section::value_variants(),
        sections => sections,
    };
    for section in sections {
        let table = match section {
            Section::Calls => calls::calls(&bench),
            Section::Threads => calls::threads(&bench),
            Section::Files => calls::files(&bench),
            Section::Mpi => calls::mpi(&bench),
            Section::Process => process::section(&bench),
            Section::Trace => stream::trace(&bench),
            Section::Memory => memory::section(&bench),
            Section::Instructions => instructions::section(&bench),
            Section::TenMillion => stream::ten_million(&bench),
        };
        println!("{}", table.with_context(|| format!("{section:?} failed"))?);
    }
    Ok(())
}
