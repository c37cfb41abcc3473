//! What the injector adds to calls and to the start of a process. Nothing is recorded meanwhile.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use ioglass_bench::place::{library_of, root};
use ioglass_bench::{cpu, table::Table};

use crate::Bench;

/// No setting of it is for a file of the driver.
const OTHER_FILES: &str = "ioglass-settings/1;@f=*.nothing&serial&force;hdf5.alignment=4096,65536;\
    hdf5.chunk_bytes=65536;libc.stdio_buffer=65536;libc.read_advice=sequential";
/// One setting of it is for the driver's file.
const ONE: &str = "ioglass-settings/1;@serial;hdf5.alignment=4096,65536";

/// Processes that are started for a figure.
const STARTS: usize = 200;

/// Ways to run the driver.
#[derive(Clone, Copy)]
enum With<'a> {
    /// Without the library.
    Nothing,
    /// With the library, which records nothing, and these settings.
    Settings(&'a str),
}

struct Driver {
    program: PathBuf,
    library: PathBuf,
}

impl Driver {
    fn compile(bench: &Bench, compiler: &[&str], name: &str) -> anyhow::Result<Driver> {
        let program = bench.folder.join(name);
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).args(["-O2", "-o"]).arg(&program);
        command.arg(root().join("bench/tune/calls.c")).current_dir(&bench.folder);
        ensure!(command.status()?.success(), "the driver does not compile");
        let library = library_of(&bench.ioglass).context("ioglass has no library")?;
        Ok(Driver { program, library })
    }

    /// The command with some words before and behind the program.
    fn command(&self, with: With<'_>, before: &[&str], words: &[&str]) -> Command {
        let mut command = Command::new("env");
        if let With::Settings(line) = with {
            let preload = format!("LD_PRELOAD={}", self.library.display());
            command.args([preload, "IOGLASS_DISABLE=1".into(), format!("IOGLASS_SETTINGS={line}")]);
        }
        command.args(before).arg(&self.program).args(words);
        command
    }

    /// CPU seconds of a run.
    fn seconds(&self, with: With<'_>, words: &[&str]) -> anyhow::Result<f64> {
        let before = cpu()?;
        let status = self.command(with, &[], words).stdout(Stdio::null()).status()?;
        ensure!(status.success(), "the driver failed");
        Ok(cpu()? - before)
    }

    /// Instructions of a run, by callgrind.
    fn instructions(&self, bench: &Bench, with: With<'_>, words: &[&str]) -> anyhow::Result<f64> {
        let profile = bench.folder.join("callgrind");
        let to = format!("--callgrind-out-file={}", profile.display());
        let mut command = self.command(with, &["valgrind", "--tool=callgrind", &to], words);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        ensure!(status.success(), "the driver failed under callgrind");
        let text = std::fs::read_to_string(&profile)?;
        let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
        Ok(total.context("callgrind counted nothing")?.trim().parse()?)
    }

    /// The numbers that a run prints.
    fn figures(&self, with: With<'_>, words: &[&str]) -> anyhow::Result<Vec<f64>> {
        let output = self.command(with, &[], words).output()?;
        ensure!(output.status.success(), "the driver failed");
        let text = String::from_utf8(output.stdout)?;
        Ok(text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
    }
}

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or(f64::NAN)
}

pub(crate) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let c = Driver::compile(bench, &["gcc"], "calls")?;
    if Path::new("/usr/bin/h5cc").exists() {
        let hdf5 = Driver::compile(bench, &["h5cc", "-shlib", "-DWITH_HDF5"], "calls-hdf5")?;
        calls_of_hdf5(bench, &hdf5, table)?;
    }
    streams(bench, &c, table)?;
    start(bench, &c, table)?;
    rules(bench, &c, table)
}

/// 10,000 calls of HDF5.
fn calls_of_hdf5(bench: &Bench, driver: &Driver, table: &mut Table) -> anyhow::Result<()> {
    let file = bench.folder.join("calls.h5");
    let words = ["hdf5", file.to_str().context("a path that is no text")?];
    for (what, line) in [("nothing to apply", OTHER_FILES), ("one setting", ONE)] {
        let with = With::Settings(line);
        let bare = With::Settings("");
        if let Ok(without) = driver.instructions(bench, bare, &words) {
            let share = driver.instructions(bench, with, &words)? / without - 1.0;
            let without = format!("{:.0} M", without / 1e6);
            let what = format!("10,000 calls of HDF5, {what}: instructions");
            table.at_most(&what, share * 100.0, 0.5, "%", without);
        }
        let ratios = (0..bench.runs * 3)
            .map(|_| Ok(driver.seconds(with, &words)? / driver.seconds(bare, &words)?))
            .collect::<anyhow::Result<Vec<f64>>>()?;
        let what = format!("10,000 calls of HDF5, {what}: CPU time");
        table.at_most(&what, (median(ratios) - 1.0) * 100.0, 3.0, "%", String::new());
    }
    Ok(())
}

/// Opens with settings that are for other files.
fn streams(bench: &Bench, driver: &Driver, table: &mut Table) -> anyhow::Result<()> {
    let file = bench.folder.join("stream");
    std::fs::write(&file, "x")?;
    let words = ["streams", "2000", file.to_str().context("a path that is no text")?];
    let mut rows = [const { Vec::new() }; 2];
    let mut bare = [const { Vec::new() }; 2];
    for _ in 0..bench.runs {
        let with = driver.figures(With::Settings(OTHER_FILES), &words)?;
        let without = driver.figures(With::Settings(""), &words)?;
        for call in 0..2 {
            rows[call].push(with[call] - without[call]);
            bare[call].push(without[call]);
        }
    }
    for ((what, list), bare) in ["fopen + fclose", "open + close"].into_iter().zip(rows).zip(bare) {
        let what = format!("{what}, settings for other files, more");
        table.at_most(&what, median(list), 20.0, "ns", format!("{:.0} ns", median(bare)));
    }
    Ok(())
}

/// The start of a process with 64 settings.
fn start(bench: &Bench, driver: &Driver, table: &mut Table) -> anyhow::Result<()> {
    use std::fmt::Write as _;
    let mut line = "ioglass-settings/1;@".to_owned();
    for number in 0..64 {
        write!(line, ";mpiio.hint.name_{number}=value")?;
    }
    let mut more = Vec::new();
    for _ in 0..bench.runs {
        let mut seconds = [0.0; 2];
        for _ in 0..STARTS {
            seconds[0] += driver.seconds(With::Settings(&line), &["nothing"])?;
            seconds[1] += driver.seconds(With::Settings(""), &["nothing"])?;
        }
        more.push((seconds[0] - seconds[1]) / STARTS as f64 * 1e6);
    }
    let bare = driver.seconds(With::Nothing, &["nothing"])? * 1e6;
    let bare = format!("{bare:.0} µs in all");
    table.at_most("start with 64 settings, more", median(more), 30.0, "µs", bare);
    Ok(())
}

/// 200 rules over 1,000 files, in four processes at once.
fn rules(bench: &Bench, driver: &Driver, table: &mut Table) -> anyhow::Result<()> {
    use std::fmt::Write as _;
    let mut line = "ioglass-settings/1".to_owned();
    for number in 0..200 {
        write!(line, ";@f=other-{number}-*.dat;libc.read_advice=random")?;
    }
    let folder = bench.folder.to_str().context("a path that is no text")?;
    let words = ["files", "1000", folder];
    let four = |line: &str| -> anyhow::Result<f64> {
        let children = (0..4)
            .map(|_| {
                driver.command(With::Settings(line), &[], &words).stdout(Stdio::piped()).spawn()
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut all = Vec::new();
        for child in children {
            let output = child.wait_with_output()?;
            all.push(String::from_utf8(output.stdout)?.trim().parse()?);
        }
        Ok(median(all))
    };
    let more = (0..bench.runs)
        .map(|_| Ok((four(&line)? - four("")?) / 1e3))
        .collect::<anyhow::Result<Vec<f64>>>()?;
    let what = "open with 200 rules for other files, 4 processes, more";
    table.at_most(what, median(more), 1.0, "µs", String::new());
    Ok(())
}
