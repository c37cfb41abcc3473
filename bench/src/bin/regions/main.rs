//! Measures regions against their goals: the cost of annotations, files, overviews, memory,
//! whole programs, flushes and snapshots.

#![allow(clippy::print_stdout)] // a table is what it is for

mod caliper;
mod cost;
mod files;
mod flush;
mod programs;
mod snapshot;

use std::fs;
use std::path::PathBuf;

use clap::Parser;

use ioglass_bench::load;
use ioglass_bench::table::Table;

/// Measures regions against their goals.
#[derive(Parser)]
struct Args {
    /// The parts to measure: cost, files, memory, programs, flush, snapshot. Default: all.
    parts: Vec<String>,
    /// Repetitions of a driver, and of programs.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// The program under test; by default the one beside this one.
    #[arg(long, value_name = "PATH")]
    ioglass: Option<PathBuf>,
    /// A Python that has Hatchet.
    #[arg(long, value_name = "PATH", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/peers/bin/python"))]
    python: PathBuf,
}

/// The settings and places that all parts share.
struct Bench {
    ioglass: PathBuf,
    python: PathBuf,
    folder: PathBuf,
    runs: usize,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let ioglass = match args.ioglass {
        Some(ioglass) => ioglass,
        None => std::env::current_exe()?.with_file_name("ioglass"),
    };
    let folder = std::env::temp_dir().join(format!("ioglass-bench-regions-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let bench = Bench { ioglass, python: args.python, folder, runs: args.runs.max(1) };
    let is_wanted = |part: &str| args.parts.is_empty() || args.parts.iter().any(|own| own == part);
    let mut table = Table::beside("Caliper");
    let before = load();
    for (part, measure) in [
        ("cost", cost::measure as fn(&Bench, &mut Table) -> anyhow::Result<()>),
        ("files", files::measure),
        ("memory", cost::memory),
        ("programs", programs::measure),
        ("flush", flush::measure),
        ("snapshot", snapshot::measure),
    ] {
        // The others are measured even if one fails.
        if is_wanted(part)
            && let Err(error) = measure(&bench, &mut table)
        {
            table.note(part, format!("failed: {error:#}"));
        }
    }
    print!("{table}");
    println!("\nLoad of the machine before and at the end: {before}, {}", load());
    if std::env::var_os("CALIPER_ROOT").is_none() {
        println!(
            "Caliper: recorded elsewhere (2.15, Xeon at 2.8 GHz); CALIPER_ROOT measures it here."
        );
    }
    // What is left is in the temporary directory.
    drop(fs::remove_dir_all(&bench.folder));
    Ok(())
}
