//! The time in which ranks write their profile, with the library alone, and what it says of very many
//! ranks.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use ioglass_bench::fit::fit;
use ioglass_bench::place::{library_of, root};
use ioglass_profile::Set;

use ioglass_bench::table::Table;

use crate::{Bench, caliper};

/// Numbers of ranks, and the numbers of files of the most ranks.
const RANKS: [u32; 7] = [1, 2, 4, 8, 16, 32, MOST];
const MOST: u32 = 64;
const FILES: [u32; 3] = [4, 16, MOST];
/// Rounds of one launch. The first counts for itself.
const ROUNDS: usize = 5;
/// Paths that all ranks have, and those of one rank.
const COMMON_PATHS: u32 = 99;
const OWN_PATHS: u32 = 2;
/// CPU ms of 64 ranks in a flush of Caliper, recorded elsewhere: the least and the most of several
/// batches. In the batch of the least, the least that ranks could do took so much.
const RECORDED: (f64, f64) = (129.0, 190.0);
const RECORDED_LEAST: f64 = 18.0;
/// The paper's ranks, with its seconds, and ranks of a file of ours.
const PAPER_RANKS: f64 = 32_768.0;
const PAPER: &str = "the paper: TinyProf 0.397 s, Caliper 37.76 s";
const RANKS_OF_FILE: f64 = 256.0;

/// Milliseconds of a flush, or of the least that ranks could do, in one round.
#[derive(Debug, Clone, Copy)]
struct Cost {
    /// Wall time of the slowest rank.
    wall: f64,
    /// CPU time of all ranks, and of the first.
    cpu: f64,
    first_rank: f64,
    /// Wall time of the reduction.
    reduction: f64,
}

/// Launches with the same number of ranks and files.
#[derive(Default)]
struct Launches {
    /// By name, then by launch, then by round.
    costs: BTreeMap<String, Vec<Vec<Cost>>>,
    /// Bytes of the profile.
    bytes: u64,
}

pub(crate) fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Launches {
    /// The medians of first rounds and of later ones.
    fn medians(&self, name: &str, of: fn(&Cost) -> f64) -> [f64; 2] {
        let all = self.costs.get(name).map(Vec::as_slice).unwrap_or_default();
        let first = all.iter().filter_map(|rounds| rounds.first()).map(of).collect();
        let later = all.iter().flat_map(|rounds| rounds.iter().skip(1)).map(of).collect();
        [median(first), median(later)]
    }

    /// The medians of ratios of wall times within a round: a flush by the least.
    fn ratios(&self) -> [f64; 2] {
        let of = |name: &str| self.costs.get(name).map(Vec::as_slice).unwrap_or_default();
        let pairs = of("ioglass").iter().zip(of("floor"));
        let ratios: Vec<Vec<f64>> = pairs
            .map(|(ours, floor)| ours.iter().zip(floor).map(|(a, b)| a.wall / b.wall).collect())
            .collect();
        let first = ratios.iter().filter_map(|rounds| rounds.first().copied()).collect();
        let later = ratios.iter().flat_map(|rounds| rounds.iter().skip(1).copied()).collect();
        [median(first), median(later)]
    }
}

/// Compiles the program.
pub(crate) fn compile(bench: &Bench) -> anyhow::Result<PathBuf> {
    let driver = bench.folder.join("flush");
    let mut compiler = Command::new("mpicc");
    compiler.args(["-O2", "-Wall", "-Wextra", "-I"]).arg(root().join("crates/region/include"));
    compiler.arg(root().join("bench/annotations/flush.c")).arg("-o").arg(&driver);
    ensure!(compiler.status().context("no mpicc")?.success(), "the program does not compile");
    Ok(driver)
}

/// `mpirun -n RANKS`
pub(crate) fn launcher(ranks: u32) -> Vec<String> {
    let words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"];
    words.into_iter().map(str::to_owned).chain([ranks.to_string()]).collect()
}

/// Runs ranks in an empty folder and reads what they print. Names that are not asked for are left out.
fn launch(
    driver: &Path,
    folder: &Path,
    ranks: u32,
    settings: &[String],
    launches: &mut Launches,
    names: &[&str],
) -> anyhow::Result<()> {
    // It is not there the first time.
    drop(fs::remove_dir_all(folder));
    fs::create_dir_all(folder)?;
    let words = launcher(ranks);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg("env").args(settings).arg(driver).arg(folder);
    let output = command.arg(ROUNDS.to_string()).stdin(Stdio::null()).output()?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let mut rounds: BTreeMap<String, Vec<Cost>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let mut words = line.split('\t');
        let name = words.next().unwrap_or_default();
        let mut number =
            || words.next().context("a line is short")?.parse::<f64>().map_err(anyhow::Error::from);
        let [_, wall, cpu, first_rank, reduction] =
            [number()?, number()?, number()?, number()?, number()?];
        if names.contains(&name) {
            let cost = Cost { wall, cpu, first_rank, reduction };
            rounds.entry(name.to_owned()).or_default().push(cost);
        }
    }
    for name in names {
        let own = rounds.remove(*name).unwrap_or_default();
        ensure!(own.len() == ROUNDS, "{command:?}: {} rounds of {name}", own.len());
        launches.costs.entry((*name).to_owned()).or_default().push(own);
    }
    Ok(())
}

/// Checks that the profile has everything, and returns its bytes.
fn check(folder: &Path, ranks: u32, files: u32) -> anyhow::Result<u64> {
    let (sets, errors) = Set::open(&[folder.join("p.ioprof")]);
    ensure!(errors.is_empty() && sets.len() == 1, "the profile cannot be read: {errors:?}");
    let profile = sets[0].whole();
    ensure!(profile.head.ranks == ranks, "{} ranks", profile.head.ranks);
    let paths = u32::try_from(profile.regions.len())?;
    ensure!(paths == COMMON_PATHS + OWN_PATHS * ranks, "{paths} paths");
    let (mut count, mut bytes) = (0, 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().ends_with(".ioprof") {
            (count, bytes) = (count + 1, bytes + entry.metadata()?.len());
        }
    }
    // Several files have a manifest.
    ensure!(count == if files == 1 { 1 } else { files + 1 }, "{count} files");
    Ok(bytes)
}

pub(crate) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let driver = compile(bench)?;
    let peer = caliper::compile(bench, "mpicc", "flush.c", "flush-caliper")?;
    let library = library_of(&bench.ioglass)?;
    let folder = bench.folder.join("flushed");
    let many = FILES.map(|files| (MOST, files));
    let cases: Vec<(u32, u32)> = RANKS.map(|ranks| (ranks, 1)).into_iter().chain(many).collect();
    let mut all: Vec<Launches> = cases.iter().map(|_| Launches::default()).collect();
    for _ in 0..bench.runs {
        for ((ranks, files), launches) in cases.iter().zip(&mut all) {
            let settings = [
                format!("LD_PRELOAD={}", library.display()),
                "IOGLASS_REGIONS=1".to_owned(),
                "DARSHAN_DISABLE=1".to_owned(),
                format!("IOGLASS_PROFILE={}/p.ioprof", folder.display()),
                format!("IOGLASS_PROFILE_FILES={files}"),
            ];
            launch(&driver, &folder, *ranks, &settings, launches, &["floor", "ioglass"])?;
            launches.bytes = check(&folder, *ranks, *files)?;
            if let Some(peer) = peer.as_ref().filter(|_| *files == 1) {
                launch(peer, &folder, *ranks, &[], launches, &["caliper"])?;
            }
        }
    }
    goals(&all[RANKS.len() - 1], table);
    table.section(&text(&cases, &all)?);
    table.section(&model(&cases, &all)?);
    Ok(())
}

/// The goals, which are of the most ranks.
fn goals(most: &Launches, table: &mut Table) {
    let (low, high) = RECORDED;
    let own = |when: usize| most.medians("ioglass", |cost| cost.cpu)[when];
    let peer = match caliper::has_mpi() {
        true => format!("{:.0} ms", most.medians("caliper", |cost| cost.cpu)[0]),
        false => format!("{low:.0} to {high:.0} ms noted"),
    };
    // A fifth of it is wanted.
    let goal = if caliper::has_mpi() { most.medians("caliper", |cost| cost.cpu)[0] } else { low };
    for (when, what) in ["first flush", "later flushes"].into_iter().enumerate() {
        let line = format!("{what}, {MOST} ranks × 101 paths: CPU of all ranks");
        table.at_most(&line, own(when), (goal * 2.0).round() / 10.0, "ms", peer.clone());
        let least = most.medians("floor", |cost| cost.cpu)[when];
        let noted = format!("{:.1} × noted", low / RECORDED_LEAST);
        table.add("… by the least", format!("{:.1} ×", own(when) / least), String::new(), noted);
        table.at_most("… wall, by the least", most.ratios()[when], 2.0, "×", String::new());
    }
}

/// The table by ranks and files.
fn text(cases: &[(u32, u32)], all: &[Launches]) -> anyhow::Result<String> {
    let mut text = String::from(
        "| ranks | files | flush, wall ms | the least, wall ms | ratio | flush, CPU ms of all ranks \
         | … of the first | the least, CPU ms | bytes | Caliper, wall ms | CPU ms of all ranks |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let pair = |[first, later]: [f64; 2]| match first.is_nan() {
        true => String::new(),
        false => format!("{first:.2}, {later:.2}"),
    };
    for ((ranks, files), launches) in cases.iter().zip(all) {
        let of = |name: &str, of: fn(&Cost) -> f64| pair(launches.medians(name, of));
        writeln!(
            text,
            "| {ranks} | {files} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            of("ioglass", |cost| cost.wall),
            of("floor", |cost| cost.wall),
            pair(launches.ratios()),
            of("ioglass", |cost| cost.cpu),
            of("ioglass", |cost| cost.first_rank),
            of("floor", |cost| cost.cpu),
            launches.bytes,
            of("caliper", |cost| cost.wall),
            of("caliper", |cost| cost.cpu),
        )?;
    }
    text.push_str("\nA cell has the median of first flushes and of later ones.");
    let has_caliper = all.iter().any(|launches| launches.costs.contains_key("caliper"));
    if has_caliper && !caliper::has_mpi() {
        text.push_str(" Caliper is built without MPI: each rank writes a file of its own.");
    }
    text.push('\n');
    Ok(text)
}

/// The figures of the fits for the paper's number of ranks.
fn model(cases: &[(u32, u32)], all: &[Launches]) -> anyhow::Result<String> {
    let one_file = || cases.iter().zip(all).filter(|((_, files), _)| *files == 1);
    let mut text = String::from("ms = a + b·log2(ranks) + c·ranks, of first flushes\n");
    let mut fitted = |what: &str, name: &str, of: fn(&Cost) -> f64| -> anyhow::Result<f64> {
        let points: Vec<(f64, f64)> = one_file()
            .map(|((ranks, _), launches)| (f64::from(*ranks), launches.medians(name, of)[0]))
            .collect();
        let fit = fit(&points).context("no fit")?;
        let [a, b, c] = fit.0;
        let (most, measured) = points.last().copied().context("no ranks")?;
        let (near, then) = (fit.at(most), fit.at(RANKS_OF_FILE));
        writeln!(
            text,
            "{what}: {a:.3}, {b:.3}, {c:.4}; at {most} ranks {near:.1} ms ({measured:.1} measured), \
             at {RANKS_OF_FILE} {then:.1} ms"
        )?;
        Ok(then)
    };
    let wall = fitted("wall, on this machine's processors", "ioglass", |cost| cost.wall)?;
    let leader = fitted("CPU of the first rank", "ioglass", |cost| cost.first_rank)?;
    fitted("the least, wall", "floor", |cost| cost.wall)?;
    let two = one_file().find(|((ranks, _), _)| *ranks == 2).context("no two ranks")?.1;
    let step = two.medians("floor", |cost| cost.reduction)[0];
    let meeting = step * PAPER_RANKS.log2();
    writeln!(
        text,
        "the reduction of two ranks: {step:.3} ms; {PAPER_RANKS} ranks: {meeting:.1} ms"
    )?;
    for (what, part) in [
        ("with a processor for each rank", leader),
        ("ranks of a file on as many processors as here", wall),
    ] {
        let seconds = (part + meeting) / 1e3;
        writeln!(
            text,
            "MODEL, not measured: {PAPER_RANKS} ranks, a file for {RANKS_OF_FILE}, {what}: {seconds:.3} s ({PAPER})"
        )?;
    }
    Ok(text)
}
