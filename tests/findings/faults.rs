//! What others get wrong: a trigger that is inverted, diluted by ranks or counts what does not count.

use ioglass_insight::{Diagnosis, State};

use super::counters::{nothing, opens, read, read_all, write, write_all};
use super::recipe::{ALL, EACH, GIB, KIB, MIB, only, run};
use super::{codes, of};

fn has_fired(diagnosis: &Diagnosis, code: &str) -> bool {
    of(diagnosis, code).is_some_and(|finding| finding.state == State::Fired)
}

#[test]
fn reading_again_is_redundant_and_reading_a_part_is_not() {
    let again = read(1000.0, MIB, 9.0).with("MAX_BYTE_READ", MIB - 1.0);
    let found = run(1).posix(only(0), again).diagnose();
    assert!(has_fired(&found, "P09") && has_fired(&found, "A04"), "{:?}", codes(&found));
    let factor = of(&found, "P09").unwrap().evidence.iter().find(|e| e.name == "factor").unwrap();
    assert_eq!(factor.value, 1000.0);
    // The last byte is an offset: a file read once has one byte more.
    let part = read(1.0, MIB, 9.0).with("MAX_BYTE_READ", GIB - 1.0);
    for sparse in [part, read(100.0, MIB, 9.0)] {
        let found = run(1).posix(only(0), sparse).diagnose();
        assert!(!has_fired(&found, "P09") && !has_fired(&found, "A04"), "{:?}", codes(&found));
    }
    let part = write(1.0, MIB, 9.0).with("MAX_BYTE_WRITTEN", GIB - 1.0);
    assert!(!has_fired(&run(1).posix(only(0), part).diagnose(), "P10"));
    // Of several files each counts for itself.
    let once = run(1).file("/data/a").posix(only(0), read(100.0, MIB, 9.0));
    let once = once.file("/data/b").posix(only(0), read(1.0, MIB, 9.0));
    assert!(!has_fired(&once.diagnose(), "P09"));
}

#[test]
fn requests_of_exactly_one_mebibyte_are_not_small() {
    let both = write(5000.0, MIB, 9.0).reads(5000.0, MIB, 9.0);
    let found = run(4).posix(EACH, both).diagnose();
    for code in ["P05", "P06", "P15", "P16", "A01"] {
        assert_eq!(of(&found, code).unwrap().state, State::Fine, "{code}");
    }
    // And those of the same class that are smaller still are.
    let mixed = write(5000.0, MIB, 9.0).writes(1500.0, 512.0 * KIB, 3.0);
    assert!(has_fired(&run(1).posix(only(0), mixed).diagnose(), "P06"));
}

#[test]
fn files_are_shared_by_ranks() {
    let small = || read(2000.0, 4.0 * KIB, 9.0);
    // Two of eight ranks, so there is no record of all.
    let group = run(8).posix(only(2), small()).posix(only(5), small());
    assert!(has_fired(&group.diagnose(), "P15"));
    // A record of all ranks of a run of one.
    let alone = run(1).posix(ALL, small()).diagnose();
    for code in ["P15", "P16", "P18", "P19", "C08", "M01"] {
        assert!(of(&alone, code).is_none(), "{code}");
    }
    assert_eq!(alone.place.shared, 0);
}

#[test]
fn one_slow_rank_is_seen_however_many_there_are() {
    for ranks in [8, 64, 1024] {
        let others = (ranks - 1) as f64;
        let shared = write(ranks as f64, MIB, others + 10.0)
            .with("F_SLOWEST_RANK_TIME", 10.0)
            .with("F_FASTEST_RANK_TIME", 1.0);
        let found = run(ranks).posix(ALL, shared).diagnose();
        assert!(has_fired(&found, "P19"), "{ranks}: {:?}", codes(&found));
        let seconds = of(&found, "P19").unwrap().seconds_at_stake;
        assert!((7.5..=9.0).contains(&seconds), "{ranks}: {seconds}");
    }
}

#[test]
fn metadata_counts_for_each_rank() {
    // 0.031 s of each of 1,000 ranks is nothing; 29 s of one rank on each of two files is much.
    let little = run(1000).posix(ALL, write(1000.0, MIB, 1.0).with("F_META_TIME", 31.0));
    assert!(!has_fired(&little.diagnose(), "P17"));
    let much = run(4).file("/data/a").posix(only(0), opens(100.0, 29.0));
    assert!(has_fired(&much.file("/data/b").posix(only(0), opens(100.0, 29.0)).diagnose(), "P17"));
}

#[test]
fn the_first_access_of_a_file_is_not_random() {
    let files = (0..2000).fold(run(1), |run, file| {
        run.file(format!("/data/{file}")).posix(only(0), read(1.0, 4.0 * MIB, 0.004))
    });
    assert!(!has_fired(&files.diagnose(), "P11"));
    // Rank 0 of 4 begins at offset 0, so one in four requests is not sequential.
    let blocks = write(4.0, 16.0 * MIB, 1.0).with("SEQ_WRITES", 3.0).opened(4.0);
    assert!(!has_fired(&run(4).posix(ALL, blocks).diagnose(), "P13"));
}

#[test]
fn aggregators_are_no_imbalance() {
    let run = run(8).mpiio(EACH, write_all(10.0, MIB, 5.0));
    let run = run.posix(only(0), write(80.0, MIB, 4.0));
    let run = (1..8).fold(run, |run, rank| run.posix(only(rank), nothing().opened(1.0)));
    let found = run.diagnose();
    for code in ["B01", "B02", "P18", "P21", "P22"] {
        assert!(!has_fired(&found, code), "{code}");
    }
}

#[test]
fn rank_0_alone_is_an_imbalance() {
    let found = run(8).posix(only(0), write(1000.0, MIB, 40.0)).diagnose();
    assert!(has_fired(&found, "B02"), "{:?}", codes(&found));
}

#[test]
fn one_collective_call_of_a_million_is_no_good_news() {
    let nearly_none = |calls: super::counters::Counters, verb: &str| {
        run(4).mpiio(ALL, calls.and("INDEP_", verb, 999_999.0, KIB, 9.0)).diagnose()
    };
    assert!(of(&nearly_none(read_all(1.0, KIB, 1.0), "READ"), "M04").is_none());
    assert!(of(&nearly_none(write_all(1.0, KIB, 1.0), "WRITE"), "M05").is_none());
}

#[test]
fn what_is_not_done_is_not_blamed() {
    let found = run(4).mpiio(ALL, write_all(100.0, MIB, 9.0)).diagnose();
    assert!(of(&found, "M06").is_none() && has_fired(&found, "M07"));
    let serial = run(1).posix(only(0), write(1000.0, KIB, 9.0)).diagnose();
    assert!(of(&serial, "M01").is_none());
    let processes = run(8).line("# metadata: ranks = process");
    let tree = processes.posix(EACH, write(1000.0, KIB, 9.0)).diagnose();
    for code in ["M01", "B01", "B02", "P15", "P16", "P18", "P19", "P21", "C07", "C08", "N03"] {
        assert!(of(&tree, code).is_none(), "{code}");
    }
}

#[test]
fn streams_count_when_they_hold_data() {
    let printed = run(4).file("<STDOUT>").stdio(EACH, write(100_000.0, 80.0, 1.0));
    assert!(!has_fired(&printed.diagnose(), "S01"));
    let little = run(4).stdio(only(0), write(3.0, 151.0 / 3.0, 1.0));
    assert!(!has_fired(&little.diagnose(), "S01"));
    // Data below DAOS is data.
    let daos = run(4).file("/d").dfs(only(0), write(100.0, MIB, 1.0));
    assert!(!has_fired(
        &daos.file("/l").stdio(only(0), write(20.0, 52_429.0, 1.0)).diagnose(),
        "S01"
    ));
}

#[test]
fn counters_that_hold_no_number_are_not_summed() {
    let unknown = write(1.0, MIB, 1.0).with("MEM_NOT_ALIGNED", -1.0).with("SEQ_WRITES", -1.0);
    let found = run(1).posix(only(0), unknown).diagnose();
    assert!(!has_fired(&found, "P07") && !has_fired(&found, "P13"));
    assert!(found.warnings.iter().any(|warning| warning.text.contains("not available")));
}

#[test]
fn missing_records_are_told_and_lower_confidence() {
    let run = || run(4).posix(EACH, write(5000.0, KIB, 9.0));
    let (whole, cut) = (run().diagnose(), run().partial("POSIX").diagnose());
    assert!(whole.subject.is_complete && !cut.subject.is_complete);
    assert!(cut.warnings[0].marks && cut.warnings[0].text.starts_with("POSIX is incomplete"));
    assert!(of(&cut, "P06").unwrap().is_incomplete && !of(&whole, "P06").unwrap().is_incomplete);
}

#[test]
fn little_io_is_never_alarming() {
    let found = run(4).time(1000.0).posix(EACH, write(5000.0, KIB, 9.0)).diagnose();
    assert!(has_fired(&found, "P06"));
    let levels = found.findings.iter().filter(|finding| finding.state == State::Fired);
    assert!(levels.clone().count() > 3);
    assert!(levels.clone().all(|finding| finding.level == Some(ioglass_insight::Level::Info)));
}

#[test]
fn a_header_that_ranks_share_is_no_contention() {
    let header = |requests: f64| {
        let run = run(8).mount("/scratch", "lustre").file("/scratch/header");
        has_fired(&run.posix(EACH, write(requests, 40.0, 9.0)).diagnose(), "F05")
    };
    assert!(!header(1.0) && header(30_000.0));
}
