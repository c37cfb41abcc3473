//! Random programs: whatever they annotate, the profile has what a model says.
//!
//! One C program does what scripts say. `IOGLASS_SEEDS=1000` tries that many scripts more.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;

use ioglass_profile::{Kind, Measure, MetricSeries, Profile, Reader};

use super::model::{ITERATIONS, Model, Operation};
use super::seen::{annotated, fault, path, words};
use crate::lifecycle::recording::{log_path, run};
use crate::lifecycle::room::Room;
use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::support::Rng;

/// Scripts that are always tried.
const FIXED: u64 = 40;

const REGIONS: [&str; 5] = ["main", "a", "b", "c", "d"];
/// The names that the program has as sites.
const SITES: [&str; 5] = ["main", "a", "b", "step", "inner"];
const SPANS: [&str; 2] = ["fetch", "send"];
const METRICS: [&str; 3] = ["cells", "residual", "memory"];
const SLOTS: usize = 6;

/// What threads do, in order.
struct Script {
    operations: Vec<(usize, Operation)>,
    /// True if threads run side by side.
    is_free: bool,
}

impl Script {
    fn new(seed: u64) -> Self {
        let mut random = Rng::of_seed(seed);
        let is_free = seed % 4 == 3;
        let may_attach = seed % 4 == 2;
        let threads = 1 + random.below(4);
        let mut alive: Vec<usize> = (0..threads).collect();
        let mut operations = Vec::new();
        if is_free {
            // It stays open, so that there is one execution.
            operations.push((0, Operation::Enter("main")));
        }
        for _ in 0..20 + random.below(200) {
            let thread = alive[random.below(alive.len())];
            let operation = operation(&mut random, thread, is_free, may_attach);
            if is_free && thread == 0 && may_leave_main(operation) {
                continue;
            }
            if operation == Operation::Quit {
                if thread == 0 {
                    continue;
                }
                alive.retain(|own| *own != thread);
            }
            operations.push((thread, operation));
        }
        Self { operations, is_free }
    }

    fn text(&self) -> String {
        let mut text = String::from(if self.is_free { "free\n" } else { "" });
        for (thread, operation) in &self.operations {
            let words = match *operation {
                Operation::Enter(name) => format!("e {name}"),
                Operation::Iterate(name) => format!("i {name}"),
                Operation::EnterSite(name) => format!("E {name}"),
                Operation::Leave(name) => format!("l {name}"),
                Operation::LeaveSite(name) => format!("L {name}"),
                Operation::LeaveInnermost => "n".into(),
                Operation::Start(slot, name) => format!("s {slot} {name}"),
                Operation::Stop(slot) => format!("S {slot}"),
                Operation::Count(name, count) => format!("c {name} {count}"),
                Operation::Value(name, value) => format!("v {name} {value}"),
                Operation::Tag(key, text) => format!("t {key} {text}"),
                Operation::Execution => "x".into(),
                Operation::Here(slot) => format!("h {slot}"),
                Operation::Attach(slot) => format!("a {slot}"),
                Operation::AttachWrongly => "w".into(),
                Operation::Detach => "d".into(),
                Operation::Quit => "q".into(),
            };
            writeln!(text, "{thread} {words}").unwrap();
        }
        text
    }

    fn model(&self) -> Model {
        let mut model = Model::default();
        if self.is_free {
            // Threads are numbered before they begin.
            self.operations.iter().for_each(|(thread, _)| model.begin(*thread));
        }
        self.operations.iter().for_each(|(thread, operation)| model.act(*thread, *operation));
        if self.is_free {
            // All threads but the first end.
            model.end_threads();
        }
        model
    }
}

/// Returns true if it may leave the outermost region.
fn may_leave_main(operation: Operation) -> bool {
    match operation {
        Operation::Leave(name) | Operation::LeaveSite(name) => name == "main",
        Operation::LeaveInnermost => true,
        _ => false,
    }
}

fn operation(random: &mut Rng, thread: usize, is_free: bool, may_attach: bool) -> Operation {
    let of = |random: &mut Rng, list: &[&'static str]| list[random.below(list.len())];
    // Side by side each thread has slots of its own.
    let slot = |random: &mut Rng| random.below(SLOTS) + if is_free { thread * SLOTS } else { 0 };
    match random.below(100) {
        0..18 => Operation::Enter(of(random, &REGIONS)),
        18..24 => Operation::EnterSite(of(random, &SITES)),
        24..34 => Operation::Iterate(of(random, &ITERATIONS)),
        46..58 => Operation::Leave(of(random, &[&REGIONS[..], &ITERATIONS].concat())),
        58..62 => Operation::LeaveSite(of(random, &SITES)),
        62..67 => Operation::Start(slot(random), of(random, &SPANS)),
        67..73 => Operation::Stop(slot(random)),
        73..80 => Operation::Count(of(random, &METRICS), random.below(200) as i64 - 50),
        80..86 => {
            let value = random.below(64) as f64 / 4.0 - 5.0;
            let value = if random.below(8) == 0 { f64::INFINITY } else { value };
            Operation::Value(of(random, &METRICS), value)
        }
        86..89 => Operation::Tag(of(random, &["kind", "ranks"]), of(random, &["io", "some"])),
        89 if !is_free => Operation::Execution,
        90..94 if may_attach => Operation::Here(slot(random)),
        94..97 if may_attach => Operation::Attach(slot(random)),
        97 => Operation::AttachWrongly,
        98 => Operation::Detach,
        99 if random.below(3) == 0 => Operation::Quit,
        // Also 34 to 45.
        _ => Operation::LeaveInnermost,
    }
}

/// The same lines of one rank in a profile.
fn lines(profile: &Profile, rank: u32) -> Vec<String> {
    let name = |metric: u32| String::from_utf8_lossy(&profile.metrics[metric as usize]);
    let mut lines = Vec::new();
    for (at, region) in profile.regions.iter().enumerate() {
        let path = path(profile, at);
        for row in &region.rows {
            if profile.processes[row.process as usize].rank != rank {
                continue;
            }
            let place = format!("{path} @{} #{}", row.thread, row.execution);
            lines.push(format!("{place}: calls {} open {}", row.calls, row.open));
            for metric in &row.metrics {
                let name = name(metric.metric);
                lines.push(match metric.measure {
                    Measure::Count { calls, sum } => format!("{place}: {name} {calls} sum {sum}"),
                    Measure::Value { calls, sum, min, max, last } => {
                        format!("{place}: {name} {calls} {sum} {min} {max} {last}")
                    }
                });
            }
            let Some(series) = &row.series else { continue };
            assert!(region.kind == Kind::Iteration && series.each == 1, "{place}: {series:?}");
            assert!(series.time_ns.iter().all(|time| *time <= row.max_ns), "{place}: {series:?}");
            lines.push(format!("{place}: iterations {}", series.iterations));
            for (metric, values) in &series.metrics {
                let values: Vec<Option<f64>> = match values {
                    MetricSeries::Count(list) => {
                        list.iter().map(|sum| sum.map(|sum| sum as f64)).collect()
                    }
                    MetricSeries::Value(list) => list.clone(),
                };
                if values.iter().any(Option::is_some) {
                    lines.push(format!("{place}: {} {values:?}", name(*metric)));
                }
            }
        }
    }
    lines.sort();
    lines
}

/// The tags in a profile.
fn tags(profile: &Profile) -> BTreeSet<String> {
    let mut tags = BTreeSet::new();
    for (at, region) in profile.regions.iter().enumerate() {
        for tag in &region.tags {
            let [key, text] = [&tag.key, &tag.text].map(|bytes| String::from_utf8_lossy(bytes));
            tags.insert(format!("{}: {key} {text}", path(profile, at)));
        }
    }
    tags
}

/// Runs scripts, one per rank, and compares the profile with their models.
fn try_scripts(room: &Room, seeds: &[u64], stack: Option<&Stack>) {
    let scripts: Vec<Script> = seeds.iter().map(|seed| Script::new(*seed)).collect();
    let texts: Vec<String> = scripts.iter().map(Script::text).collect();
    let failure = || format!("seeds {seeds:?}\n{}", texts.join("\n-- next rank\n"));
    let file = room.folder.join("script");
    let profile = log_path(room).with_extension("ioprof");
    let _ = fs::remove_file(&profile);
    let mut words_of_command: Vec<OsString> = Vec::new();
    match stack {
        Some(stack) => {
            for (rank, text) in texts.iter().enumerate() {
                fs::write(room.folder.join(format!("script{rank}")), text).unwrap();
            }
            words_of_command.extend(stack.launcher(seeds.len() as u32));
        }
        None => fs::write(&file, &texts[0]).unwrap(),
    }
    words_of_command.extend([annotated("regions/script.c").into(), file.into()]);
    let output = run(room, &["--no-report"], words_of_command).output().unwrap();
    assert!(output.status.success(), "{output:?} {}", failure());
    let models: Vec<Model> = scripts.iter().map(Script::model).collect();
    if models.iter().all(|model| model.lines().is_empty()) {
        assert!(!profile.exists(), "{}", failure());
        return;
    }
    let (profile, problems) = Reader::open(&profile).unwrap().whole();
    assert!(problems.is_empty(), "{problems:?} {}", failure());
    assert_eq!(fault(&profile), None, "{}", failure());
    for (rank, model) in models.iter().enumerate() {
        let (found, expected) = (lines(&profile, rank as u32), model.lines());
        let extra: Vec<_> = found.iter().filter(|line| !expected.contains(line)).collect();
        let lacking: Vec<_> = expected.iter().filter(|line| !found.contains(line)).collect();
        let is_same = extra.is_empty() && lacking.is_empty();
        assert!(is_same, "rank {rank}: extra {extra:#?} lacking {lacking:#?} {}", failure());
    }
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for (notice, count) in models.iter().flat_map(Model::notices) {
        *expected.entry(notice.clone()).or_default() += count;
    }
    let mut expected: Vec<_> = expected.iter().map(|(n, count)| format!("{n}: {count}")).collect();
    let mut found: Vec<_> = profile.notices.iter().map(|n| words(&profile, n)).collect();
    expected.sort();
    found.sort();
    found.retain(|notice| !notice.starts_with("hint-wrong"));
    assert_eq!(found, expected, "{}", failure());
    let expected: BTreeSet<String> = models.iter().flat_map(Model::tags).collect();
    assert_eq!(tags(&profile), expected, "{}", failure());
    let executions = models.iter().map(Model::executions).max().unwrap();
    assert_eq!(profile.head.executions, executions, "{}", failure());
    assert_eq!(profile.lost, ioglass_profile::Lost::default(), "{}", failure());
}

/// The seeds to try: some, and as many more as is said.
fn seeds() -> std::ops::Range<u64> {
    let more = std::env::var("IOGLASS_SEEDS").ok().map_or(0, |more| more.parse().unwrap());
    0..FIXED + more
}

#[test]
fn random_programs_have_the_profile_of_their_model() {
    let room = Room::new("regions-random");
    for seed in seeds() {
        try_scripts(&room, &[seed], None);
    }
    room.check_nothing_left();
}

#[test]
fn random_ranks_have_the_profile_of_their_models() {
    for stack in [OPEN_MPI, MPICH].iter().filter(|stack| stack.is_here()) {
        let room = Room::new(&format!("regions-random-{}", stack.name));
        for seed in seeds().step_by(10) {
            try_scripts(&room, &[seed, seed + 1, seed + 2], Some(stack));
        }
        room.check_nothing_left();
    }
}
