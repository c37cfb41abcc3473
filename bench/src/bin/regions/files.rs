//! Sizes of files, and the time of an overview.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use ioglass_profile::{
    Builder, Compression, Head, Kind, Node, Process, Profile, RankKind, Row, Series, write,
};

use ioglass_bench::{cpu, table::Table};

use crate::Bench;

/// Ranks and paths of the large profile.
const RANKS: u32 = 16_384;
const PATHS: u32 = 100;
/// KB of Caliper's files for 64 ranks and 101 paths, recorded elsewhere.
const RECORDED: &str = ".cali 344, JSON 198 KB";

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

fn row(calls: u64, time_ns: u64) -> Row {
    let each = time_ns / calls.max(1);
    Row { calls, time_ns, min_ns: each, max_ns: each, ..Row::default() }
}

/// A job with one region around all others.
fn job(ranks: u32, paths: u32) -> anyhow::Result<Profile> {
    let mut random = Random(7);
    let head =
        Head { ranks, rank_kind: RankKind::Mpi, duration_ns: 100_000_000_000, ..Head::default() };
    let mut builder = Builder::new(head);
    let names: Vec<String> = (0..paths).map(|number| format!("region_{number}")).collect();
    for rank in 0..ranks {
        let node = |(number, name): (usize, &'_ String)| {
            let time = 900_000_000 + random.below(10_000_000);
            let time = if number == 0 { 100_000_000_000 } else { time };
            (number, name.clone(), time)
        };
        let list: Vec<_> = names.iter().enumerate().map(node).collect();
        let nodes = list.iter().map(|(number, name, time)| Node {
            parent: (*number > 0).then_some(0),
            name: name.as_bytes(),
            rows: vec![row(10, *time)],
            ..Node::default()
        });
        let host = format!("n{}", rank / 64).into_bytes();
        let process = Process { rank, host, threads: 1, ..Process::default() };
        builder.process(process, nodes.collect())?;
    }
    Ok(builder.finish()?)
}

/// Bytes for a value of a series: steps of 200 µs that vary by 1 %, one in 50 of which writes.
fn bytes_of_iteration() -> anyhow::Result<f64> {
    const STEPS: usize = 4096;
    let mut random = Random(9);
    let mut builder = Builder::new(Head { ranks: 64, rank_kind: RankKind::Mpi, ..Head::default() });
    for rank in 0..64 {
        let mut time = |step: usize| {
            let noise = (0..4).map(|_| random.below(2000)).sum::<u64>() / 4;
            200_000 + noise + if step.is_multiple_of(50) { 1_000_000 + 10 * noise } else { 0 }
        };
        let time_ns: Vec<u64> = (0..STEPS).map(&mut time).collect();
        let series = Series { each: 1, iterations: STEPS as u64, time_ns, ..Series::default() };
        let sum = series.time_ns.iter().sum();
        let own = Row { series: Some(Box::new(series)), ..row(STEPS as u64, sum) };
        let step =
            Node { name: b"step", kind: Kind::Iteration, rows: vec![own], ..Node::default() };
        builder.process(Process { rank, ..Process::default() }, vec![step])?;
    }
    let bytes = write(&builder.finish()?, Compression::Deflate)?;
    Ok(bytes.len() as f64 / (64.0 * STEPS as f64))
}

/// Bytes that a command reads.
fn read_by(words: &[&str]) -> anyhow::Result<u64> {
    // The kernel adds what children have read to the process that has waited for them.
    let script = r#""$@" > /dev/null; cat /proc/$$/io"#;
    let of = |words: &[&str]| {
        let output = Command::new("sh").args(["-c", script, "sh"]).args(words).output()?;
        ensure!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout)?;
        let read = text.lines().find_map(|line| line.strip_prefix("rchar: ")).context("no io")?;
        anyhow::Ok(read.parse::<u64>()?)
    };
    Ok(of(words)?.saturating_sub(of(&[words[0], "--version"])?))
}

/// CPU seconds of a command, the least of some runs.
fn cpu_of(words: &[&str], runs: usize) -> anyhow::Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let before = cpu()?;
        let status = Command::new(words[0]).args(&words[1..]).stdout(Stdio::null()).status()?;
        ensure!(status.success(), "{words:?}");
        least = least.min(cpu()? - before);
    }
    Ok(least)
}

/// CPU seconds in which Hatchet loads a file, without its import.
fn hatchet(python: &Path, file: &Path) -> Option<f64> {
    const LOAD: &str = "import sys, time, hatchet\nbegin = time.process_time()\n\
        hatchet.GraphFrame.from_caliper(sys.argv[1], node_ordering=False)\n\
        print(time.process_time() - begin)";
    let output = Command::new(python).args(["-c", LOAD]).arg(file).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

pub(crate) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    table.at_most(
        "a value of an iteration in a file",
        bytes_of_iteration()?,
        2.0,
        "B",
        "51 B".into(),
    );
    let convert = |from: &Path, to: &Path, format: &str| {
        let mut command = Command::new(&bench.ioglass);
        command.args(["profile", "convert"]).arg(from).args(["--to", format, "-o"]).arg(to);
        ensure!(command.status()?.success(), "{command:?}");
        anyhow::Ok(fs::metadata(to)?.len())
    };
    let small = bench.folder.join("small.ioprof");
    fs::write(&small, write(&job(64, 101)?, Compression::Deflate)?)?;
    let json = convert(&small, &bench.folder.join("small.json"), "caliper-json")?;
    let own = fs::metadata(&small)?.len() as f64;
    let what = format!("64 ranks × 101 paths, by the same as Caliper's JSON ({} KB)", json / 1000);
    table.at_most(&what, own / json as f64, 0.5, "×", RECORDED.into());
    let large = bench.folder.join("large.ioprof");
    fs::write(&large, write(&job(RANKS, PATHS)?, Compression::Deflate)?)?;
    let words = [bench.ioglass.to_str(), Some("profile"), Some("show"), large.to_str()];
    let words: Vec<&str> = words.into_iter().collect::<Option<_>>().context("odd paths")?;
    let seconds = cpu_of(&words, bench.runs)?;
    let size = fs::metadata(&large)?.len() as f64 / 1e6;
    let what = format!("show of {RANKS} ranks × {PATHS} paths ({size:.1} MB)");
    table.at_most(&what, seconds * 1e3, 50.0, "ms CPU", String::new());
    table.at_most("… bytes read", read_by(&words)? as f64 / 1e6, 1.0, "MB", String::new());
    let all = [&words[..], &["--json", "--by", "rank"]].concat();
    let all = cpu_of(&all, 1)?;
    let json = bench.folder.join("large.json");
    convert(&large, &json, "caliper-json")?;
    match hatchet(&bench.python, &json) {
        Some(peer) => {
            let what = format!("… Hatchet on Caliper's JSON ({peer:.1} s CPU), by it");
            table.at_least(&what, peer / seconds, 45.0, "×");
            let what = format!("… Hatchet, by all rows as JSON ({all:.1} s CPU)");
            table.note(&what, format!("{:.1} ×", peer / all));
        }
        None => table.note("… by Hatchet", "Hatchet is missing".into()),
    }
    Ok(())
}
