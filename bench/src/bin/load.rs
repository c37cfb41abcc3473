//! Loads a trace into columns, as an analysis would, and says how long they are.

#![allow(clippy::print_stdout)] // so that there is a result

use anyhow::Context as _;
use ioglass_log::{Log, dxt};

fn main() -> anyhow::Result<()> {
    let path = std::env::args_os().nth(1).context("which log?")?;
    let columns = Log::open(path)?.dxt_columns(&dxt::POSIX)?;
    println!("{} records, {} segments", columns.heads.len(), columns.len());
    Ok(())
}
