//! Measures ioglass against Darshan's own tools and Drishti, and says which claims hold.

#![allow(clippy::print_stdout)] // a table is what it is for

mod claims;
mod measure;
mod page;
mod report;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Parser, ValueEnum as _};

use claims::{Bench, Claim};

/// Measures ioglass against Darshan's own tools and Drishti.
///
/// The peers are found through the environment: DARSHAN_UTIL is the directory of darshan-parser
/// and darshan-dxt-parser, PYDARSHAN a Python that can import darshan, DRISHTI the program of that
/// name. Without them, figures noted earlier stand in.
#[derive(Parser)]
struct Args {
    /// What to test; everything if nothing is named.
    claims: Vec<Claim>,
    /// Repetitions; the least of them counts.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Goes up to 100 million segments (0.7 GB of disk, 3.3 GB of memory).
    #[arg(long)]
    full: bool,
    /// The program under test; by default the one beside this one.
    #[arg(long, value_name = "PATH")]
    ioglass: Option<PathBuf>,
    /// Where the logs are kept between runs.
    #[arg(long, value_name = "DIR", default_value_os_t = std::env::temp_dir().join("ioglass-bench"))]
    logs: PathBuf,
    /// A directory with real logs for `report`; by default the one that IOGLASS_LOGS names, else
    /// one beside the project, else PyDarshan's.
    #[arg(long, value_name = "DIR")]
    real_logs: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == measure::MEASURE) {
        return measure::run_one(words, &mut std::io::stdout());
    }
    let args = Args::parse();
    let program = std::env::current_exe()?;
    std::fs::create_dir_all(&args.logs)
        .with_context(|| format!("failed to create {}", args.logs.display()))?;
    let bench = Bench {
        ioglass: args.ioglass.unwrap_or_else(|| program.with_file_name("ioglass")),
        load: program.with_file_name("ioglass-bench-load"),
        darshan_util: std::env::var_os("DARSHAN_UTIL").map(PathBuf::from),
        pydarshan: std::env::var_os("PYDARSHAN").map(PathBuf::from),
        drishti: std::env::var_os("DRISHTI").map(PathBuf::from),
        real_logs: args.real_logs.or_else(|| std::env::var_os("IOGLASS_LOGS").map(PathBuf::from)),
        logs: args.logs,
        runs: args.runs.max(1),
        full: args.full,
    };
    let claims = match args.claims.as_slice() {
        [] => Claim::value_variants(),
        claims => claims,
    };
    for claim in claims {
        println!("{}", bench.test(*claim)?);
    }
    Ok(())
}
