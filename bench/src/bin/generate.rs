//! Writes a log for benchmarks.

#![allow(clippy::print_stderr)] // it says what it did

use std::fs::File;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use ioglass_bench::{SEED, generate, large};

/// Writes a log for benchmarks, the same one every time.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    kind: Kind,
    /// Where to write it.
    #[arg(short, long, global = true, default_value = "bench.darshan")]
    output: PathBuf,
}

#[derive(Subcommand)]
enum Kind {
    /// POSIX and MPI-IO records, half and half.
    Records {
        /// How many, together.
        #[arg(default_value_t = 65_536)]
        count: u64,
    },
    /// A trace of POSIX calls.
    Segments {
        /// How many.
        #[arg(default_value_t = 4_000_000)]
        count: u64,
    },
    /// A trace of MPI-IO calls and the POSIX calls below, on files that all ranks share.
    SharedSegments {
        /// How many, together.
        #[arg(default_value_t = 4_000_000)]
        count: u64,
    },
    /// Very many files.
    Files {
        /// How many.
        #[arg(default_value_t = 200_000)]
        count: u64,
        /// Ranks that use them.
        #[arg(default_value_t = 1)]
        ranks: u64,
    },
    /// A few records.
    Small,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let path = args.output.display();
    let file = File::create(&args.output).with_context(|| format!("failed to create {path}"))?;
    let written = match args.kind {
        Kind::Records { count } => generate::records(file, count),
        Kind::Segments { count } => generate::segments(file, count),
        Kind::SharedSegments { count } => large::shared_segments(file, count),
        Kind::Files { count, ranks } => large::files(file, count, ranks.max(1)),
        Kind::Small => generate::small(file),
    };
    written.with_context(|| format!("failed to write {path}"))?;
    eprintln!("{path}: {} bytes, seed {:#x}", args.output.metadata()?.len(), SEED);
    Ok(())
}
