//! The everyday programs whose diagnosis `ioglass-bench-pairs` measures: all of them run, both of a
//! pair leave the same data, and nothing that their reports say to paste does harm. Whether seconds
//! and verdicts are right depends on time, and is measured there.

mod advice;
mod start;
mod table;

use std::path::Path;
use std::sync::OnceLock;

use ioglass_report::json::{self, Report};

use crate::lifecycle::programs::python;
use crate::support::{ioglass, missing, scratch};
use start::{Left, Workshop};
use table::{HEALTHY, Healthy, PAIRS, Pair, Program};

/// So many times less is done than in a measurement.
const SCALE: u64 = 10;

fn workshop() -> Workshop {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("pairs");
    Workshop::new(&sources, &scratch("pairs"), python(), SCALE).unwrap()
}

/// The traces of a program, and the report of its run.
type Recorded = (Left, Report);

/// Records a program in a directory `name`.
fn record(
    workshop: &Workshop,
    name: &str,
    program: Program,
    given: Option<&str>,
) -> Result<Recorded, String> {
    let directory = workshop.directory(name, given)?;
    let beside = |ending| workshop.place().join(format!("{name}.{ending}"));
    let [log, report] = ["darshan", "json"].map(beside);
    let mut words = vec![ioglass().into(), "run".into(), "--quiet".into()];
    words.extend([format!("--json={}", report.display()).into(), "-o".into(), log.into()]);
    words.push("--".into());
    words.extend(workshop.words(program)?);
    let left = workshop.leaves(&words, &directory)?;
    let text = std::fs::read_to_string(&report).map_err(|problem| format!("{name}: {problem}"))?;
    let report = json::read(&text).map_err(|problem| format!("{name}: {problem}"))?;
    Ok((left, report))
}

/// Rows of the table, with what came of running them.
type Runs<Row, Left> = OnceLock<Vec<(&'static Row, Result<Left, String>)>>;

/// Traces and reports of both programs of every pair that can run here.
fn pairs() -> &'static [(&'static Pair, Result<[Recorded; 2], String>)] {
    static RUNS: Runs<Pair, [Recorded; 2]> = OnceLock::new();
    RUNS.get_or_init(|| {
        let workshop = workshop();
        let run = |pair: &'static Pair| {
            if let Some(what) = workshop.lacks(&[pair.slow, pair.fixed], pair.needs) {
                missing(&format!("the pair {}", pair.name), Path::new(&what));
                return None;
            }
            let record = |kind: &str, program| {
                record(&workshop, &format!("{}-{kind}", pair.name), program, pair.given)
            };
            let slow = record("slow", pair.slow);
            Some((pair, slow.and_then(|slow| Ok([slow, record("fixed", pair.fixed)?]))))
        };
        PAIRS.iter().filter_map(run).collect()
    })
}

/// The same of programs without a fault.
fn healthy() -> &'static [(&'static Healthy, Result<Recorded, String>)] {
    static RUNS: Runs<Healthy, Recorded> = OnceLock::new();
    RUNS.get_or_init(|| {
        let workshop = workshop();
        let run = |healthy: &'static Healthy| {
            if let Some(what) = workshop.lacks(&[healthy.run], healthy.needs) {
                missing(&format!("the program {}", healthy.name), Path::new(&what));
                return None;
            }
            let (name, program, given) = (healthy.name, healthy.run, healthy.given);
            Some((healthy, record(&workshop, name, program, given)))
        };
        HEALTHY.iter().filter_map(run).collect()
    })
}

#[test]
fn both_programs_of_a_pair_do_the_same() {
    let mut wrong = Vec::new();
    for (pair, result) in pairs() {
        let problem = match result {
            Ok([slow, fixed]) => slow.0.difference(&fixed.0, pair.same),
            Err(problem) => Some(problem.as_str()),
        };
        wrong.extend(problem.map(|problem| format!("{}: {problem}", pair.name)));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn healthy_programs_run() {
    for (healthy, result) in healthy() {
        assert!(result.is_ok(), "{}: {}", healthy.name, result.as_ref().unwrap_err());
    }
}

#[test]
fn nothing_to_paste_does_harm() {
    let of_pairs = pairs().iter().flat_map(|(pair, result)| {
        result.iter().flatten().map(|(_, report)| (pair.name, report, pair.keeps))
    });
    let of_healthy = healthy().iter().flat_map(|(healthy, result)| {
        result.iter().map(|(_, report)| (healthy.name, report, healthy.keeps))
    });
    let faults = of_pairs.chain(of_healthy).flat_map(|(name, report, keeps)| {
        let faults = advice::faults(report, keeps).into_iter();
        faults.map(move |fault| format!("{name}: {fault}"))
    });
    let faults: Vec<_> = faults.collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Codes and dimensions that the table expects exist, and so do its sources; no name is used twice.
#[test]
fn the_table_names_what_there_is() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("pairs");
    let has_code = |code: &&str| ioglass_insight::detect::ALL.iter().any(|row| row.code == *code);
    let dimensions = ioglass_insight::Dimension::JUDGED.map(ioglass_insight::Dimension::word);
    let mut names: Vec<_> = PAIRS.iter().map(|pair| pair.name).collect();
    names.extend(HEALTHY.iter().map(|healthy| healthy.name));
    for pair in PAIRS {
        assert!(!pair.codes.is_empty() && pair.codes.iter().all(has_code), "{}", pair.name);
        let known = pair.dimensions.iter().all(|dimension| dimensions.contains(dimension));
        assert!(known && !pair.dimensions.is_empty(), "{}", pair.name);
        assert!(!pair.language.is_empty() && !pair.about.is_empty(), "{}", pair.name);
        assert!(pair.file.is_none_or(|file| !file.contains('/')), "{}", pair.name);
    }
    let programs = PAIRS.iter().flat_map(|pair| [pair.slow, pair.fixed]);
    let programs = programs.chain(HEALTHY.iter().map(|healthy| healthy.run));
    let sources = programs.filter_map(|program| match program {
        Program::Source(source) | Program::Ranks(_, source) => Some(source),
        Program::Command(_) | Program::Shell(_) => None,
    });
    let given = PAIRS.iter().filter_map(|pair| pair.given);
    let given = given.chain(HEALTHY.iter().filter_map(|healthy| healthy.given));
    for source in sources.chain(given) {
        assert!(directory.join(source).is_file(), "{source}");
    }
    assert!(HEALTHY.iter().all(|healthy| !healthy.about.is_empty()));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "a name is used twice");
}
