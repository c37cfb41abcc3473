//! Five runs whose trouble other tools do not name.

use ioglass_insight::threshold::Thresholds;
use ioglass_insight::{Confidence, Diagnosis, Finding, Role};
use ioglass_log::Log;

use super::counters::{read, write, write_all};
use super::of;
use super::recipe::{ALL, Call, EACH, GIB, KIB, MIB, r, row_of, run};
use crate::support::{logs_folder, missing};

fn real(name: &str) -> Option<Diagnosis> {
    let path = logs_folder().join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Some(Diagnosis::of(&Log::from_bytes(bytes).unwrap(), &Thresholds::default())),
        Err(_) => {
            missing("a real log", &path);
            None
        }
    }
}

/// A finding that must be among the first two.
fn first<'a>(diagnosis: &'a Diagnosis, code: &str) -> &'a Finding {
    let codes: Vec<&str> = diagnosis.findings.iter().map(|f| f.detector.code).take(6).collect();
    assert!(codes[..2].contains(&code), "{code} is not among the first two: {codes:?}");
    let found = of(diagnosis, code).unwrap();
    assert_eq!(found.role, Some(Role::Primary), "{code}");
    found
}

fn number(finding: &Finding, name: &str) -> f64 {
    finding.evidence.iter().find(|evidence| evidence.name == name).unwrap().value
}

#[test]
fn one_bad_target_costs_most_of_the_job() {
    let Some(found) = real("sample-badost.darshan") else { return };
    let slow = first(&found, "F01");
    assert!((755.0..=765.0).contains(&slow.seconds_at_stake), "{}", slow.seconds_at_stake);
    assert!(slow.title.contains("OST 14"), "{}", slow.title);
    let rate = |name| number(slow, name) / MIB;
    assert!((rate("rate of this target") - 0.50).abs() < 0.01);
    assert!((rate("rate of the others") - 22.95).abs() < 0.3, "{}", rate("rate of the others"));
    assert_eq!(number(slow, "files there"), 85.0);
    assert!((number(slow, "longest file there") - 777.9).abs() < 0.5);
    assert!((number(slow, "longest file elsewhere") - 16.4).abs() < 0.5);
    let Some(good) = real("sample-goodost.darshan") else { return };
    assert!(of(&good, "F01").unwrap().title.is_empty(), "its twin has no such target");
}

#[test]
fn fill_values_double_what_is_written() {
    let Some(found) = real(
        "jlbez_8a_benchmark_write_parallel_id1322696_8-21-14519-8141979180909667175_12.darshan",
    ) else {
        return;
    };
    let codes: Vec<&str> = found.findings.iter().map(|f| f.detector.code).take(3).collect();
    let fill = of(&found, "H02").unwrap();
    assert!((number(fill, "factor") - 2.0).abs() < 0.001);
    assert!((number(fill, "bytes below") / 1e9 - 257.70).abs() < 0.01);
    // What is rewritten at close takes longer still.
    assert!(codes[..2].contains(&"H02") && codes[..2].contains(&"H01"), "{codes:?}");
    let rewrite = first(&found, "H01");
    assert!((rewrite.seconds_at_stake - 5.04).abs() < 0.05, "{}", rewrite.seconds_at_stake);
    // Non-aggregators are no imbalance, and what the file is written twice for is said once.
    for code in ["P21", "P22", "B01"] {
        assert!(of(&found, code).is_none_or(|f| f.role != Some(Role::Primary)), "{code}");
    }
    assert!(found.findings.iter().any(|f| f.detector.code == "M10"), "one aggregator per node");
}

#[test]
fn a_large_file_on_one_target() {
    let Some(found) = real("imbalanced-io.darshan") else { return };
    let stripe = first(&found, "F02");
    assert_eq!(number(stripe, "stripes"), 1.0);
    assert_eq!(number(stripe, "suggested stripes"), 29.0);
    assert!((number(stripe, "bytes") / 1e9 - 105.9).abs() < 0.1);
    // Its names are anonymous, so there is no directory to type.
    let advice = &stripe.advice[0];
    assert!(advice.text.starts_with("Stripe the directory over 29 OSTs"), "{}", advice.text);
    assert_eq!(advice.commands, []);
}

/// VPIC-IO on GPFS: 192 ranks write collectively without buffering, so that each reads, changes and
/// writes back its pieces of 16 MiB blocks.
#[test]
fn collective_calls_that_read_before_they_write() {
    let calls = 38_848.0 / 192.0;
    let posix = write(calls, 17_500_000_000.0 / 38_848.0, 40.0)
        .reads(calls, 16_600_000_000.0 / 38_848.0, 50.0)
        .with("RW_SWITCHES", 67_200.0 / 192.0)
        .with("FILE_ALIGNMENT", 16.0 * MIB);
    let run = run(192).time(160.0).mount("/gpfs", "gpfs").file("/gpfs/vpic.h5");
    let run = run.mpiio(EACH, write_all(8.0, 34_100_000_000.0 / 192.0 / 8.0, 96.0));
    let found = run.posix(EACH, posix).diagnose();
    let sieving = first(&found, "C01");
    assert!((number(sieving, "read below") / 1e9 - 16.6).abs() < 0.1);
    assert_eq!(number(sieving, "asked to read"), 0.0);
    assert!((number(sieving, "switches") - 67_200.0).abs() < 192.0);
    assert!((sieving.seconds_at_stake - 50.0).abs() < 1.0, "{}", sieving.seconds_at_stake);
    let line = &sieving.advice[0].commands[0].line;
    assert!(line.contains("romio_ds_write"), "{line}");
}

/// openPMD on 1,024 ranks: nearly all requests are 119 extents that every rank reads.
#[test]
fn metadata_that_all_ranks_read() {
    const EXTENTS: usize = 119;
    let run = run(1024).mount("/scratch", "lustre").file("/scratch/8a_parallel_3Db.h5");
    let found = (0..1024).fold(run, |run, rank| {
        let at = 1.0 + f64::from(rank as i32 % 7);
        let mut calls: Vec<Call> = row_of(r(0.0, KIB / 2.0, at, at + 40.0), EXTENTS);
        if rank < 64 {
            let own = r(GIB * (1.0 + rank as f64), 4.0 * MIB, 60.0, 62.0);
            calls.extend(row_of(own, 20));
        }
        run.traced(rank, &format!("nid{:05}", rank / 16), &calls)
    });
    let found = found.diagnose();
    let common = first(&found, "H06");
    assert_eq!(number(common, "extents"), 119.0);
    assert_eq!(number(common, "reads of them"), 121_856.0);
    assert_eq!(number(common, "ranks"), 1024.0);
    assert!(number(common, "share of all requests") > 0.98);
    assert_eq!(common.confidence, Confidence::Measured);
    let text = &common.advice[0].snippets[0].code;
    assert!(text.contains("H5Pset_all_coll_metadata_ops"), "{text}");
}

/// Data that is read five times over, as epochs of a training do.
#[test]
fn epochs_read_everything_again() {
    let epochs = read(5120.0, MIB, 60.0).with("MAX_BYTE_READ", GIB - 1.0);
    let found = run(1).file("/data/train.npz").posix(ALL, epochs).diagnose();
    assert!((number(first(&found, "A04"), "factor") - 5.0).abs() < 1e-9);
}
