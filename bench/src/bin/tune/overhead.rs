//! What `ioglass tune` adds to the runs of a command that takes a tenth of a second.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use ioglass_bench::table::Table;

use crate::Bench;

/// Waits, and writes a little, whatever the value of the placeholder is.
const COMMAND: &str = "sleep 0.1; echo text > out; : {v}";
/// As many values as runs.
const VALUES: &str = "v=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20";
const RUNS: u32 = 20;

pub(crate) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let folder = bench.folder.join("overhead");
    std::fs::create_dir_all(&folder)?;
    let mut rows = Vec::new();
    let mut bare = 0.0;
    for _ in 0..bench.runs.min(5) {
        let begin = Instant::now();
        for _ in 0..RUNS {
            let status = Command::new("sh").args(["-c", COMMAND]).current_dir(&folder).status()?;
            ensure!(status.success(), "the command failed");
        }
        bare = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let output = Command::new(&bench.ioglass)
            .args(["tune", "--quiet", "--restart", "--param", VALUES])
            .args(["--budget", &RUNS.to_string(), "--confirm", "0", "--", "sh", "-c", COMMAND])
            .current_dir(&folder)
            .output()?;
        let problem = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "ioglass tune: {problem}");
        let journal = folder.join("sh.tune.jsonl");
        let runs = ioglass_tune::journal::read(&journal)
            .map_err(|error| anyhow::anyhow!("{error}"))
            .context("the journal")?
            .trials
            .iter()
            .filter(|trial| !trial.cached)
            .count();
        ensure!(runs > 0, "nothing was run");
        let each = begin.elapsed().as_secs_f64() / runs as f64;
        rows.push((each / (bare / f64::from(RUNS)) - 1.0) * 100.0);
    }
    rows.sort_by(f64::total_cmp);
    let figure = rows.get(rows.len() / 2).copied().unwrap_or(f64::NAN);
    let each = format!("{:.0} ms", bare / f64::from(RUNS) * 1e3);
    table.at_most("tune on a command of 100 ms, wall time of a run, more", figure, 10.0, "%", each);
    Ok(())
}
