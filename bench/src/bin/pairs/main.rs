//! Holds what a diagnosis promises against what the repair achieves.
//!
//! Every pair of `tests/pairs` is a program with a fault and the same one without it. Both run bare,
//! in turn; the difference of their times is what the repair achieves. The diagnosis of the program
//! with the fault promises seconds. Programs without a fault must be told so.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a table is what it is for

#[path = "../../../../tests/pairs/advice.rs"]
mod advice;
mod judge;
mod run;
#[path = "../../../../tests/pairs/start.rs"]
mod start;
#[path = "../../../../tests/pairs/table.rs"]
mod table;

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use clap::Parser;

use run::{Bench, Kind};
use start::Workshop;
use table::{HEALTHY, PAIRS};

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// The tables stand between these lines of the document.
const MARKS: [&str; 2] = ["<!-- measured: begin -->", "<!-- measured: end -->"];

/// Holds what diagnoses promise against what repairs achieve.
#[derive(Debug, Parser)]
struct Args {
    /// Bare runs of each program.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Recorded runs of each program. All must name the cause; the median promise counts.
    #[arg(long, default_value_t = 3)]
    recorded: usize,
    /// Only these pairs and programs. May be given several times.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Put the tables into docs/pairs.md.
    #[arg(long)]
    write: bool,
    /// Directory that programs write to, on a real file system. By default below `target`.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Keep programs, logs and reports.
    #[arg(long)]
    keep: bool,
    /// The program under test; by default the one beside this one.
    #[arg(long, value_name = "PATH")]
    ioglass: Option<PathBuf>,
    /// The Python with numpy and h5py.
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    ensure!(args.runs > 0 && args.recorded > 0, "there must be runs");
    let names = PAIRS.iter().map(|pair| pair.name);
    let names: Vec<_> = names.chain(HEALTHY.iter().map(|healthy| healthy.name)).collect();
    for name in &args.only {
        ensure!(names.contains(&name.as_str()), "there is no {name} among {}", names.join(", "));
    }
    let ioglass = match &args.ioglass {
        Some(ioglass) => ioglass.canonicalize().context("no ioglass")?,
        None => std::env::current_exe()?.with_file_name("ioglass"),
    };
    let python = args.python.clone().map_or_else(python, Ok)?;
    let below = args.dir.clone().unwrap_or_else(|| Path::new(WORKSPACE).join("target"));
    let place = below.join(format!("ioglass-pairs-{}", std::process::id()));
    let sources = Path::new(WORKSPACE).join("tests/pairs");
    let workshop = Workshop::new(&sources, &place, python, 1).map_err(anyhow::Error::msg)?;
    let bench = Bench {
        workshop,
        ioglass,
        runs: args.runs,
        recorded: args.recorded,
        made: RefCell::default(),
    };
    let result = tables(&bench, &args.only);
    if args.keep {
        eprintln!("kept in {}", place.display());
    } else {
        fs::remove_dir_all(&place).context("cannot remove what programs wrote")?;
    }
    let text = result?;
    print!("{text}");
    if args.write {
        ensure!(args.only.is_empty(), "--write needs all pairs");
        write(&Path::new(WORKSPACE).join("docs/pairs.md"), &text)?;
    }
    Ok(())
}

/// The Python that the tests use, and not a shim that starts other programs first.
fn python() -> anyhow::Result<PathBuf> {
    let peers = Path::new(WORKSPACE).join("target/peers/bin/python");
    if peers.exists() {
        return Ok(std::path::absolute(peers)?);
    }
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let output = output.context("no python3")?;
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim_end()))
}

/// Both tables, and what was skipped.
fn tables(bench: &Bench, only: &[String]) -> anyhow::Result<String> {
    let is_wanted = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
    let (mut skipped, mut failed, mut text) = (Vec::new(), Vec::new(), String::new());
    let pairs: Vec<_> = PAIRS.iter().filter(|pair| is_wanted(pair.name)).collect();
    let (mut right, mut all) = (0, 0);
    if !pairs.is_empty() {
        text += "| pair | what differs | slow s | fixed s | achieved | promised \
                 | first finding | fixed program | right |\n|---|---|---|---|---|---|---|---|---|\n";
    }
    for pair in pairs {
        if let Some(what) = bench.workshop.lacks(&[pair.slow, pair.fixed], pair.needs) {
            skipped.push((pair.name, what));
            continue;
        }
        eprintln!("{}", pair.name);
        all += 1;
        let (slow, fixed) = match bench.pair(pair) {
            Ok(measured) => measured,
            Err(problem) => {
                failed.push((pair.name, problem));
                continue;
            }
        };
        let row = judge::pair(pair, &slow, &fixed);
        right += u32::from(row.wrong.is_empty());
        writeln!(text, "{}", row.line)?;
    }
    if all > 0 {
        writeln!(text, "\n{right} of {all} pairs are right.")?;
    }
    let programs: Vec<_> = HEALTHY.iter().filter(|healthy| is_wanted(healthy.name)).collect();
    (right, all) = (0, 0);
    if !programs.is_empty() {
        text += "\n| program | what it does | run s | promised | first finding | right |\n\
                 |---|---|---|---|---|---|\n";
    }
    for healthy in programs {
        if let Some(what) = bench.workshop.lacks(&[healthy.run], healthy.needs) {
            skipped.push((healthy.name, what));
            continue;
        }
        eprintln!("{}", healthy.name);
        all += 1;
        let (name, given) = (healthy.name, healthy.given);
        let row = match bench.recorded(Kind::Healthy, name, healthy.run, given) {
            Ok(seen) => judge::healthy(healthy, &seen),
            Err(problem) => {
                failed.push((name, problem));
                continue;
            }
        };
        right += u32::from(row.wrong.is_empty());
        writeln!(text, "{}", row.line)?;
    }
    if all > 0 {
        writeln!(text, "\n{right} of {all} programs without a fault are told so.")?;
    }
    if !skipped.is_empty() {
        text += "\nSkipped:\n\n";
        for (name, what) in skipped {
            writeln!(text, "- {name}: {what} is missing")?;
        }
    }
    for (name, problem) in failed {
        writeln!(text, "\n{name} FAILED: {problem:#}")?;
    }
    Ok(text)
}

/// Puts the tables between the marks of the document.
fn write(document: &Path, tables: &str) -> anyhow::Result<()> {
    let text = fs::read_to_string(document).with_context(|| document.display().to_string())?;
    let [begin, end] = MARKS;
    let (before, rest) = text.split_once(begin).context("the document has no mark for tables")?;
    let (_, after) = rest.split_once(end).context("the document has no mark after tables")?;
    fs::write(document, format!("{before}{begin}\n\n{tables}\n{end}{after}"))?;
    Ok(())
}
