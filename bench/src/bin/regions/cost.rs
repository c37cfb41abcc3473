//! The cost of annotations, and of memory for very many of them.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use ioglass_bench::place::root;

use ioglass_bench::table::Table;

use crate::{Bench, caliper};

/// A line of a driver: nanoseconds, ratio to the flat pair, nanoseconds more than the line before.
type Lines = BTreeMap<String, [f64; 3]>;

/// Nanoseconds of Caliper 2.15 for a pair, recorded elsewhere.
const RECORDED: [(&str, f64); 4] =
    [("flat", 323.0), ("depth 5", 324.0), ("100 siblings", 525.0), ("iteration", 663.0)];
const RECORDED_OFF: f64 = 82.0;

/// Compiles a driver.
fn compile(bench: &Bench, words: &[&str], name: &str) -> anyhow::Result<PathBuf> {
    let driver = bench.folder.join(name);
    let mut compiler = Command::new(words[0]);
    compiler.args(&words[1..]).arg("-I").arg(root().join("crates/region/include"));
    let status = compiler.args(["-O2", "-pthread", "-o"]).arg(&driver).status()?;
    ensure!(status.success(), "the driver does not compile");
    Ok(driver)
}

/// Runs a driver and reads its lines.
fn run(command: &mut Command) -> anyhow::Result<Lines> {
    let output = command.output()?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let mut lines = Lines::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let mut words = line.split('\t');
        let name = words.next().unwrap_or_default();
        let mut number = || words.next().map_or(Ok(0.0), str::parse);
        lines.insert(name.to_owned(), [number()?, number()?, number()?]);
    }
    Ok(lines)
}

/// The medians of several runs.
fn medians(runs: usize, mut once: impl FnMut() -> anyhow::Result<Lines>) -> anyhow::Result<Lines> {
    let all: Vec<Lines> = (0..runs).map(|_| once()).collect::<anyhow::Result<_>>()?;
    let median = |name: &String, column: usize| {
        let mut list: Vec<f64> = all.iter().map(|lines| lines[name][column]).collect();
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    let names = all.first().context("no run")?.keys();
    Ok(names.map(|name| (name.clone(), [0, 1, 2].map(|column| median(name, column)))).collect())
}

/// `ioglass run -- DRIVER`
fn recorded(bench: &Bench, driver: &Path) -> Command {
    let mut command = Command::new(&bench.ioglass);
    command.args(["run", "--no-report", "-o"]).arg(bench.folder.join("cost.darshan"));
    command.arg("--").arg(driver);
    command
}

/// Nanoseconds of a pair in Rust where nobody listens.
fn off_in_rust() -> f64 {
    const CALLS: u32 = 200_000;
    let time = |act: fn()| {
        let begin = std::time::Instant::now();
        (0..CALLS).for_each(|_| act());
        begin.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
    };
    let nothing = || {
        black_box(0_u8);
    };
    let guard = || {
        let _region = ioglass_region::region!("guard");
        black_box(0_u8);
    };
    let least = |act: fn()| (0..200).map(|_| time(act)).fold(f64::INFINITY, f64::min);
    least(guard) - least(nothing)
}

/// Caliper's lines, on and off, if there is one.
fn measured_caliper(bench: &Bench) -> anyhow::Result<Option<(Lines, Lines)>> {
    let Some(driver) = caliper::compile(bench, "g++", "caliper.cpp", "caliper")? else {
        return Ok(None);
    };
    let with = |config: &str| {
        medians(bench.runs, || run(Command::new(&driver).env("CALI_CONFIG", config)))
    };
    Ok(Some((with("hatchet-region-profile,output=/dev/null")?, with("")?)))
}

pub(crate) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let source = root().join("bench/annotations/cost.c");
    let source = source.to_str().context("a path that is no text")?;
    let c = compile(bench, &["gcc", source], "cost-c")?;
    let cpp = compile(bench, &["g++", "-std=c++17", "-x", "c++", source], "cost-cpp")?;
    let file = bench.folder.join("written");
    let on = medians(bench.runs, || run(recorded(bench, &c).arg(&file)))?;
    let off = medians(bench.runs, || run(&mut Command::new(&c)))?;
    let off_cpp = medians(bench.runs, || run(&mut Command::new(&cpp)))?;
    let peer = measured_caliper(bench)?;
    let peer_ns = |name: &str| match &peer {
        Some((on, _)) => format!("{:.0} ns", on[name][0]),
        None => RECORDED
            .iter()
            .find(|(own, _)| *own == name)
            .map_or(String::new(), |(_, ns)| format!("{ns:.0} ns")),
    };
    let peer_off = match &peer {
        Some((_, off)) => format!("{:.0} ns", off["flat"][0]),
        None => format!("{RECORDED_OFF:.0} ns"),
    };
    let ns = |name: &str| on[name][0];
    let ratio = |name: &str| on[name][1];
    table.note("two readings of the clock", format!("{:.2} ns", ns("two clock reads")));
    table.at_most("enter and leave, a literal", ns("flat"), 30.0, "ns", peer_ns("flat"));
    table.at_most(
        "… by two readings of the clock",
        1.0 / ratio("two clock reads"),
        1.5,
        "×",
        String::new(),
    );
    table.note("a guard", format!("{:.2} ns", ns("guard")));
    table.at_most("five deep, by flat", ratio("depth 5"), 1.3, "×", peer_ns("depth 5"));
    table.at_most(
        "100 siblings in turn, by flat",
        ratio("100 siblings"),
        1.3,
        "×",
        peer_ns("100 siblings"),
    );
    table.at_most(
        "10,000 siblings in turn, by flat",
        ratio("10000 siblings"),
        2.0,
        "×",
        String::new(),
    );
    table.at_most(
        "a name of 16 bytes made at run time",
        ns("run-time name"),
        60.0,
        "ns",
        String::new(),
    );
    table.at_most("an iteration", ns("iteration"), 35.0, "ns", peer_ns("iteration"));
    table.at_most("… with a count and a value", ns("with metrics"), 75.0, "ns", String::new());
    // Two threads may share a core, so that readings of the clock take longer, too.
    let growth = ratio("two threads") * ratio("two clock reads") / ratio("clock in two threads");
    table.at_most("flat in two threads, by one, less the clock's", growth, 1.1, "×", String::new());
    table.at_most("nobody listens, C", off["guard"][0], 1.0, "ns", peer_off);
    table.at_most("nobody listens, C++", off_cpp["guard"][0], 1.0, "ns", String::new());
    table.at_most("nobody listens, Rust", off_in_rust(), 1.0, "ns", String::new());
    table.at_most(
        "pwrite of 64 bytes in a region, beside outside",
        on["write inside"][2],
        10.0,
        "ns",
        String::new(),
    );
    Ok(())
}

/// Memory for very many iterations and names.
pub(crate) fn memory(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let source = root().join("bench/annotations/cost.c");
    let source = source.to_str().context("a path that is no text")?;
    let driver = compile(bench, &["gcc", source], "cost-memory")?;
    for (what, scene, number) in
        [("10⁸ iterations", "iterations", "100000000"), ("10⁶ names", "names", "1000000")]
    {
        let lines = run(recorded(bench, &driver).args([scene, number]))?;
        table.at_most(what, lines["memory"][0] / 1024.0, 64.0, "MiB", String::new());
    }
    Ok(())
}
