//! Drivers of all variants that stand side by side and measure a batch when they are told to. A machine
//! that changes its speed from one second to the next changes it for all of them: their batches follow
//! each other within a millisecond.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, ensure};

use crate::driver::{Bench, Figures};
use crate::samples::quartile;
use crate::variant::Variant;

/// Batches of each row and variant.
const TURNS: usize = 40;

/// The figures of each variant in a mode, of the rows that are wanted: the lower quartile of the batches, because
/// what disturbs a batch only adds to it, but the cheapest can be luck.
pub(crate) fn measure(
    bench: &Bench,
    variants: &[Variant],
    mode: &[&str],
    wants: impl Fn(&str) -> bool,
) -> anyhow::Result<Vec<Figures>> {
    let mut drivers = Vec::new();
    for variant in variants {
        drivers.push(Standing::start(bench, *variant, mode)?);
    }
    let names = drivers[0].rows.iter().enumerate();
    let rows: Vec<usize> = names.filter(|(_, name)| wants(name)).map(|(row, _)| row).collect();
    ensure!(!rows.is_empty(), "no call has a name with {:?}", bench.rows);
    let mut figures = vec![Figures::new(); variants.len()];
    for row in rows {
        let mut batches = vec![Vec::with_capacity(TURNS); variants.len()];
        for _ in 0..TURNS {
            for (driver, batches) in drivers.iter_mut().zip(&mut batches) {
                batches.push(driver.batch(row as u8)?);
            }
        }
        for ((driver, batches), figures) in drivers.iter().zip(batches).zip(&mut figures) {
            figures.push((driver.rows[row].clone(), quartile(&batches, 1)));
        }
    }
    for driver in drivers {
        driver.end()?;
    }
    Ok(figures)
}

struct Standing {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    rows: Vec<String>,
    /// What it writes at its end.
    log: PathBuf,
}

impl Standing {
    fn start(bench: &Bench, variant: Variant, mode: &[&str]) -> anyhow::Result<Self> {
        let mut command = Command::new("env");
        let log = bench.fresh_log();
        command.args(bench.settings(variant, &log)).args(bench.words(mode));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let asks = child.stdin.take().context("the driver has no input")?;
        let mut answers = BufReader::new(child.stdout.take().context("the driver has no output")?);
        let mut rows = Vec::new();
        loop {
            let mut row = String::new();
            ensure!(answers.read_line(&mut row)? > 0, "{command:?} ended");
            match row.trim_end() {
                "" => return Ok(Self { child, asks, answers, rows, log }),
                name => rows.push(name.to_owned()),
            }
        }
    }

    fn batch(&mut self, row: u8) -> anyhow::Result<f64> {
        self.asks.write_all(&[row])?;
        let mut figure = [0; 8];
        self.answers.read_exact(&mut figure).context("the driver does not answer")?;
        Ok(f64::from_ne_bytes(figure))
    }

    fn end(mut self) -> anyhow::Result<()> {
        drop(self.asks);
        ensure!(self.child.wait()?.success(), "the driver failed");
        drop(std::fs::remove_file(self.log));
        Ok(())
    }
}
