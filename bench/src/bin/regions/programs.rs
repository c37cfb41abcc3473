//! The cost of regions in whole programs: the examples.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use ioglass_bench::place::root;
use ioglass_profile::Reader;

use ioglass_bench::{cpu, table::Table};

use crate::Bench;

/// Sources in `examples/`, with their compilers.
const PROGRAMS: [(&str, &[&str]); 3] = [
    ("fft.c", &["mpicc", "-lfftw3", "-lm"]),
    ("closure.cpp", &["mpicxx", "-std=c++17"]),
    ("writer.cpp", &["mpicxx", "-std=c++17"]),
];

/// CPU seconds of two ranks of a program.
fn run(bench: &Bench, program: &Path, has_regions: bool) -> anyhow::Result<f64> {
    let mut command = Command::new(&bench.ioglass);
    command.args(["run", "--no-report", "--no-record"]);
    match has_regions {
        true => command.arg("--profile").arg(bench.folder.join("program.ioprof")),
        false => command.arg("--no-regions"),
    };
    command
        .args(["--", "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"])
        .arg(program);
    let before = cpu()?;
    let status = command.current_dir(&bench.folder).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{command:?}");
    Ok(cpu()? - before)
}

pub(crate) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    for (source, words) in PROGRAMS {
        let program = bench.folder.join(source.split('.').next().unwrap_or(source));
        let mut compiler = Command::new(words[0]);
        compiler.arg("-O2").arg("-I").arg(root().join("crates/region/include"));
        compiler.arg(root().join("examples").join(source)).args(&words[1..]);
        match compiler.arg("-o").arg(&program).status() {
            Ok(status) => ensure!(status.success(), "{source} does not compile"),
            Err(_) => {
                table.note(source, format!("{} is missing", words[0]));
                continue;
            }
        }
        let mut ratios = Vec::new();
        for _ in 0..bench.runs {
            let without = run(bench, &program, false)?;
            ratios.push(run(bench, &program, true)? / without - 1.0);
        }
        ratios.sort_by(f64::total_cmp);
        let (profile, _) = Reader::open(&bench.folder.join("program.ioprof"))?.whole();
        let overhead = profile.overhead;
        let ranks = f64::from(profile.head.ranks.max(1));
        let seconds = profile.head.duration_ns as f64 / 1e9;
        let told = overhead.annotation_ns as f64 / 1e9 / ranks / seconds.max(1e-9);
        let of = |share: f64| ratios.get((share * (ratios.len() - 1) as f64) as usize).copied();
        let median = of(0.5).context("no run")?;
        let what = format!("{source}: {} annotations in {seconds:.2} s", overhead.annotations);
        table.at_most(&what, told * 100.0, 0.5, "%", String::new());
        let spread = [0.25, 0.75].map(|share| of(share).unwrap_or(median) * 100.0);
        let text = format!("{:.2} % ({:.2} to {:.2})", median * 100.0, spread[0], spread[1]);
        table.note("… CPU time with regions beside without", text);
        drop(fs::remove_file(program));
    }
    Ok(())
}
