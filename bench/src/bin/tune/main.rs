//! Measures settings and searches against their goals: what the injector adds to calls, what a search
//! takes for itself, and what `ioglass tune` adds to the runs of a command.

#![allow(clippy::print_stdout)] // a table is what it is for

mod inject;
mod overhead;
mod search;

use std::fs;
use std::path::PathBuf;

use clap::Parser;
use ioglass_bench::load;
use ioglass_bench::table::Table;

/// Measures settings and searches against their goals.
#[derive(Parser)]
struct Args {
    /// The parts to measure: inject, search, overhead. Default: all.
    parts: Vec<String>,
    /// Repetitions of programs.
    #[arg(long, default_value_t = 9)]
    runs: usize,
    /// The program under test; by default the one beside this one.
    #[arg(long, value_name = "PATH")]
    ioglass: Option<PathBuf>,
}

/// What all parts share.
struct Bench {
    ioglass: PathBuf,
    folder: PathBuf,
    runs: usize,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let ioglass = match args.ioglass {
        Some(ioglass) => ioglass,
        None => std::env::current_exe()?.with_file_name("ioglass"),
    };
    let folder = std::env::temp_dir().join(format!("ioglass-bench-tune-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let bench = Bench { ioglass, folder, runs: args.runs.max(1) };
    let is_wanted = |part: &str| args.parts.is_empty() || args.parts.iter().any(|own| own == part);
    let mut table = Table::beside("without");
    let before = load();
    for (part, measure) in [
        ("inject", inject::measure as fn(&Bench, &mut Table) -> anyhow::Result<()>),
        ("search", search::measure),
        ("overhead", overhead::measure),
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
    // What is left is in the temporary directory.
    drop(fs::remove_dir_all(&bench.folder));
    Ok(())
}
