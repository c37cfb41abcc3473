//! What must not matter: how ranks are numbered, how records are split and ordered, and
//! ranks that do nothing.

use std::collections::BTreeSet;

use ioglass_insight::{Diagnosis, Dimension, Outcome, State};

use super::counters::{Counters, nothing, read_all, read_alone, write_all, write_alone};
use super::recipe::{ALL, Call, EACH, KIB, MIB, Recipe, Who, diagnose, only, r, run, w};
use crate::support::Rng;

pub(super) const LOGS: usize = 250;

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len())]
}

/// Requests of a rank, or of all.
fn requests(rng: &mut Rng) -> Counters {
    let sizes = [64.0, KIB, 3000.0, 16.0 * KIB, 64.0 * KIB, MIB, 4.0 * MIB];
    let mut counters = nothing().opened(pick(rng, &[1.0, 1.0, 2.0, 40.0, 2000.0]));
    for verb in ["READ", "WRITE"] {
        if rng.below(3) == 0 {
            continue;
        }
        let count = pick(rng, &[1.0, 20.0, 300.0, 2500.0]);
        let seconds = pick(rng, &[0.01, 0.4, 3.0, 11.0]);
        counters = counters.and("", verb, count, pick(rng, &sizes), seconds);
        if rng.below(4) == 0 {
            counters = counters.with(&format!("SEQ_{verb}S"), (count / 2.0).floor());
            counters = counters.with(&format!("CONSEC_{verb}S"), 0.0);
        }
        if rng.below(4) == 0 {
            counters = counters.with("STRIDE1_STRIDE", MIB).with("STRIDE1_COUNT", count);
        }
    }
    for (name, values) in [
        ("FSYNCS", [1.0, 1.0, 2500.0]),
        ("STATS", [0.0, 3.0, 12_000.0]),
        ("FILE_NOT_ALIGNED", [0.0, 10.0, 200.0]),
        ("F_META_TIME", [0.001, 0.5, 31.0]),
    ] {
        counters = counters.with(name, pick(rng, &values));
    }
    counters.with("FILE_ALIGNMENT", 4096.0)
}

fn calls(rng: &mut Rng) -> Vec<Call> {
    let length = pick(rng, &[KIB, 64.0 * KIB, MIB]);
    let call = pick(rng, &[r as fn(f64, f64, f64, f64) -> Call, w]);
    let one = |number: usize| {
        let at = 5.0 + number as f64 * 0.6;
        call(number as f64 * length, length, at, at + 0.2)
    };
    (0..1 + rng.below(120)).map(one).collect()
}

/// Any run. `of_all` says whether records may stand for all ranks.
pub(super) fn any(rng: &mut Rng, ranks: i64, of_all: bool) -> Recipe {
    let mut run = run(ranks);
    if rng.below(3) > 0 {
        run = run.mount("/scratch", pick(rng, &["lustre", "gpfs", "ext4", "nfs4"]));
    }
    let has_trace = rng.below(4) == 0;
    for number in 0..1 + rng.below(4) {
        run = run.file(format!("/scratch/{number}{}", pick(rng, &["", ".h5", ".log"])));
        let users = match rng.below(3) {
            0 => vec![rng.below(ranks as usize) as i64],
            1 => (0..ranks).collect(),
            _ => (0..ranks).filter(|_| rng.below(2) == 0).collect(),
        };
        if of_all && rng.below(3) == 0 {
            run = run.posix(ALL, requests(rng));
            run = mpi_io(rng, run, ALL);
            continue;
        }
        let alike = requests(rng);
        for rank in users {
            let own = if rng.below(6) == 0 { requests(rng) } else { alike.clone() };
            run = match rng.below(8) {
                0 if has_trace => run.traced(rank, &format!("n{}", rank / 4), &calls(rng)),
                1 => run.stdio(only(rank), own_stream(rng)),
                _ => run.posix(only(rank), own),
            };
            run = mpi_io(rng, run, only(rank));
        }
    }
    run
}

fn own_stream(rng: &mut Rng) -> Counters {
    nothing().opened(1.0).writes(pick(rng, &[10.0, 3000.0]), 80.0, pick(rng, &[0.1, 7.0]))
}

fn mpi_io(rng: &mut Rng, run: Recipe, who: Who) -> Recipe {
    let (count, seconds) = (pick(rng, &[4.0, 600.0]), pick(rng, &[0.3, 14.0]));
    match rng.below(10) {
        0 => run.mpiio(who, write_all(count, MIB, seconds)),
        1 => run.mpiio(who, write_alone(count, 64.0 * KIB, seconds)),
        2 => run.mpiio(who, read_all(count, MIB, seconds)),
        3 => run.mpiio(who, read_alone(count, 64.0 * KIB, seconds)),
        _ => run,
    }
}

pub(super) type Said = (Outcome, Vec<Dimension>, BTreeSet<&'static str>);

pub(super) fn said(diagnosis: &Diagnosis) -> Said {
    let fired = diagnosis.findings.iter().filter(|finding| finding.state == State::Fired);
    let codes = fired.map(|finding| finding.detector.code).collect();
    (diagnosis.verdict.outcome, diagnosis.verdict.dimensions.clone(), codes)
}

/// The same is said of each of some runs after `change`.
fn does_not_matter(what: &str, change: impl Fn(&mut Rng, &Recipe) -> String) {
    let mut rng = Rng::new();
    let mut codes = BTreeSet::new();
    for number in 0..LOGS {
        let ranks = pick(&mut rng, &[1, 2, 4, 8, 16, 33]);
        let recipe = any(&mut rng, ranks, true);
        let before = said(&recipe.diagnose());
        let changed = change(&mut rng, &recipe);
        let after = said(&diagnose(changed.as_bytes()));
        assert_eq!(before, after, "{what}, log {number}\n{}", recipe.text());
        codes.extend(before.2);
    }
    // Otherwise the logs would prove little.
    assert!(codes.len() > 35, "{codes:?}");
}

fn shuffle<T>(rng: &mut Rng, list: &mut [T]) {
    for last in (1..list.len()).rev() {
        list.swap(last, rng.below(last + 1));
    }
}

#[test]
fn the_numbers_of_ranks_do_not_matter() {
    does_not_matter("renumbered", |rng, recipe| {
        let mut numbers: Vec<i64> = (0..recipe.ranks).collect();
        shuffle(rng, &mut numbers);
        let new = |rank: &str| match rank.parse::<i64>() {
            Ok(rank) if rank >= 0 => numbers[rank as usize].to_string(),
            _ => rank.to_owned(),
        };
        let line = |line: &str| {
            if let Some(rest) = line.strip_prefix("# DXT, rank: ") {
                let (rank, host) = rest.split_once(',').unwrap();
                return format!("# DXT, rank: {},{host}\n", new(rank));
            }
            let between = if line.starts_with(" X_") { ' ' } else { '\t' };
            let column = if between == ' ' { 2 } else { 1 };
            let is_data = !line.starts_with('#');
            let columns = line.split(between).enumerate();
            let columns: Vec<String> = columns
                .map(|(n, text)| if n == column && is_data { new(text) } else { text.to_owned() })
                .collect();
            columns.join(&between.to_string()) + "\n"
        };
        recipe.text().lines().map(line).collect()
    });
}

#[test]
fn the_order_of_records_does_not_matter() {
    does_not_matter("reordered", |rng, recipe| {
        let mut recipe = recipe.clone();
        shuffle(rng, &mut recipe.records);
        let mut traces: Vec<&str> = recipe.trace.split_inclusive("# DXT_").collect();
        // Each but the last ends with what the next begins with.
        let mut blocks: Vec<String> = traces
            .drain(..)
            .map(|text| format!("# DXT_{}", text.trim_end_matches("# DXT_")))
            .filter(|block| block.contains("X_"))
            .collect();
        shuffle(rng, &mut blocks);
        recipe.trace = blocks.concat();
        recipe.text()
    });
}

#[test]
fn how_records_are_split_does_not_matter() {
    does_not_matter("split", |rng, recipe| {
        let mut recipe = recipe.clone();
        let records = std::mem::take(&mut recipe.records);
        recipe.records = records.into_iter().flat_map(|record| split(rng, record)).collect();
        recipe.text()
    });
}

/// Two records of the same file and rank that add up to one.
fn split(rng: &mut Rng, record: String) -> Vec<String> {
    let rank = record.split('\t').nth(1);
    if rank == Some("-1") || rng.below(2) == 0 {
        return vec![record];
    }
    let mut parts = [String::new(), String::new()];
    for line in record.lines() {
        let mut columns: Vec<&str> = line.split('\t').collect();
        let (name, value) = (columns[3], columns[4]);
        let is_kept = ["MAX_BYTE", "ALIGNMENT", "_ACCESS", "_STRIDE"]
            .iter()
            .any(|kind| name.contains(kind) && !name.ends_with("_COUNT"));
        let halves = match value.parse::<i64>() {
            _ if is_kept => [value.to_owned(), value.to_owned()],
            Ok(count) => [(count / 2).to_string(), (count - count / 2).to_string()],
            Err(_) => {
                let seconds: f64 = value.parse().unwrap();
                [format!("{:.9}", seconds * 0.25), format!("{:.9}", seconds * 0.75)]
            }
        };
        for (part, half) in parts.iter_mut().zip(&halves) {
            columns[4] = half;
            part.push_str(&columns.join("\t"));
            part.push('\n');
        }
    }
    parts.into()
}

/// The recorder makes one record of those of all ranks, or does not.
#[test]
fn records_of_all_ranks_say_what_those_of_each_say() {
    let mut rng = Rng::new();
    for number in 0..LOGS {
        let ranks = pick(&mut rng, &[2, 4, 8, 16, 33]);
        let own = requests(&mut rng);
        let mount = pick(&mut rng, &["lustre", "gpfs", "ext4", "nfs4"]);
        let run = || run(ranks).mount("/scratch", mount).file("/scratch/a");
        let (of_each, of_all) = (own.clone(), own.times(ranks as f64));
        let mut mpi = rng.clone();
        let each = mpi_io(&mut rng, run().posix(EACH, of_each), EACH);
        let all = mpi_io(&mut mpi, run().posix(ALL, of_all), EACH);
        let (each_said, all_said) = (said(&each.diagnose()), said(&all.diagnose()));
        assert_eq!(each_said, all_said, "log {number}\n{}", all.text());
    }
}

/// What may change when more ranks do nothing: how even the work is.
const BALANCE: [&str; 7] = ["B01", "B02", "P18", "P19", "P21", "P22", "T03"];

#[test]
fn idle_ranks_only_change_the_balance() {
    let mut rng = Rng::new();
    let mut looked_at = 0;
    for number in 0..LOGS {
        let ranks = pick(&mut rng, &[8, 12, 33]);
        let recipe = any(&mut rng, ranks, false);
        let active = |diagnosis: &Diagnosis| {
            let (_, _, mut codes) = said(diagnosis);
            codes.retain(|code| !BALANCE.contains(code));
            let dimensions = diagnosis.verdict.dimensions.iter();
            let others = dimensions.filter(|d| **d != Dimension::ParallelismEfficiency);
            (others.copied().collect::<Vec<_>>(), codes)
        };
        let records: BTreeSet<&str> =
            recipe.records.iter().filter_map(|record| record.split('\t').nth(1)).collect();
        if records.len() < 8 {
            continue;
        }
        looked_at += 1;
        let before = active(&recipe.diagnose());
        for more in [1, 7, 1000] {
            let idle = recipe.clone().line(&format!("# nprocs: {}", ranks + more));
            assert_eq!(before, active(&idle.diagnose()), "log {number}, {more}\n{}", idle.text());
        }
    }
    assert!(looked_at > LOGS / 3, "{looked_at}");
}
