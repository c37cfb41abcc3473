//! Twelve benchmarks whose fault is known from their command line: the verdict names it, and nothing
//! else. What the reference recorder counted lies in `fixtures/patterns`.

use ioglass_insight::Dimension::{
    self, AccessGranularity as AG, AccessPattern as AP, FileStrategy as FS, InterfaceChoice as IC,
    MetadataIntensity as MI, ParallelismEfficiency as PE, ThroughputUtilization as TU,
};
use ioglass_insight::{Diagnosis, Outcome, Role};

use super::counters::{Counters, opens, write};
use super::recipe::{Recipe, diagnose, only, run};
use crate::support::root;

/// Name of the fixture, what the verdict must name, what it may.
const RECORDED: [(&str, &[Dimension], &[Dimension]); 10] = [
    ("tiny-requests", &[AG], &[]),
    ("odd-requests", &[AG], &[]),
    ("shared-kilobytes", &[AG, IC], &[TU, AP]),
    ("random-order", &[AP], &[AG]),
    ("turns-alone", &[IC], &[]),
    ("hdf5-alone", &[AG, IC], &[TU]),
    ("collective", &[], &[]),
    ("large-own-files", &[], &[]),
    ("sync-each-write", &[TU], &[]),
    ("rank-0-more", &[PE], &[]),
];

#[test]
fn recorded_benchmarks_get_their_label() {
    let mut wrong = Vec::new();
    for (name, must, may) in RECORDED {
        let path = root().join(format!("tests/fixtures/patterns/{name}.txt"));
        let text = std::fs::read_to_string(path).unwrap();
        // Whatever disk it is.
        for disk in ["ext4", "xfs", "overlay", "tmpfs"] {
            let text = text.replace("\text4\n", &format!("\t{disk}\n"));
            let diagnosis = diagnose(text.as_bytes());
            wrong.extend(mislabelled(&format!("{name}, {disk}"), &diagnosis, must, may));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Files of `mdtest`: the recorder has room for 1,024 on each of 4 ranks.
fn mdtest(seconds: f64, file: impl Fn() -> Counters) -> Recipe {
    let files = (0..4).flat_map(|rank| (0..1024).map(move |number| (rank, number)));
    let run = run(4).time(seconds).mount("/data", "ext4").partial("POSIX");
    files.fold(run, |run, (rank, number)| {
        let path = format!("/data/m/test-dir.0-0/mdtest_tree.{rank}.0/file.mdtest.{rank}.{number}");
        run.file(path).posix(only(rank), file())
    })
}

#[test]
fn many_files_get_their_label() {
    let empty = mdtest(1.8, || opens(2.0, 0.000_04)).diagnose();
    assert_eq!(mislabelled("empty files", &empty, &[MI], &[FS]), None);
    let small = || write(1.0, 8192.0, 0.000_02).reads(1.0, 8192.0, 0.000_01).opened(2.0);
    let small = || small().with("SEEKS", 2.0).with("F_META_TIME", 0.000_06);
    let small = mdtest(11.2, small).diagnose();
    assert_eq!(mislabelled("small files", &small, &[FS], &[MI, AG]), None);
}

fn mislabelled(
    name: &str,
    diagnosis: &Diagnosis,
    must: &[Dimension],
    may: &[Dimension],
) -> Option<String> {
    let found = &diagnosis.verdict.dimensions;
    let outcome = if must.is_empty() { Outcome::Healthy } else { Outcome::HeldBack };
    let is_right = diagnosis.verdict.outcome == outcome
        && must.iter().all(|dimension| found.contains(dimension))
        && found.iter().all(|dimension| must.contains(dimension) || may.contains(dimension));
    let causes = diagnosis.findings.iter().filter(|f| f.role == Some(Role::Primary));
    let causes: Vec<_> = causes.map(|f| format!("{} ({})", f.detector.code, f.title)).collect();
    (!is_right).then(|| {
        let verdict = &diagnosis.verdict;
        format!("{name}: {:?} {found:?} by {causes:?}, must be {must:?}", verdict.outcome)
    })
}
