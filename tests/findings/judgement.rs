//! What a finding is worth: its level, its seconds, how sure they are, and what it advises.

use ioglass_insight::threshold::Thresholds;
use ioglass_insight::{Confidence, Diagnosis, Dimension, Finding, Level, Outcome, Role, State};

use super::counters::{Counters, nothing, opens, read, write, write_all, write_alone};
use super::recipe::{ALL, EACH, GIB, KIB, MIB, Recipe, log_of, only, row_of, run, w};
use super::{codes, of};

fn fired<'a>(diagnosis: &'a Diagnosis, code: &str) -> Option<&'a Finding> {
    of(diagnosis, code).filter(|finding| finding.state == State::Fired)
}

/// All ranks write together, above; below there are so many POSIX writes of this size.
fn collective(ranks: i64, each: Counters, below: Counters) -> Diagnosis {
    let run = run(ranks).mount("/scratch", "lustre").file("/scratch/out");
    run.mpiio(ALL, each).posix(ALL, below).diagnose()
}

#[test]
fn counters_alone_tell_that_nobody_aggregates() {
    let calls = 64.0 * 5000.0;
    let above = || write_all(calls, 4.0 * KIB, 64.0 * 30.0);
    let found = collective(64, above(), write(calls, 4.0 * KIB, 64.0 * 25.0));
    let finding = fired(&found, "C05").expect("one to one");
    assert_eq!((finding.role, finding.confidence), (Some(Role::Primary), Confidence::Derived));
    assert_eq!(found.verdict.dimensions, [Dimension::InterfaceChoice]);
    let lines = finding.advice.iter().flat_map(|advice| &advice.commands);
    assert!(lines.clone().any(|command| command.line.contains("romio_cb_write enable")));
    // Aggregators make one request of many.
    let merged = collective(64, above(), write(calls / 64.0, 256.0 * KIB, 64.0 * 5.0));
    assert!(fired(&merged, "C05").is_none());
    // Large blocks need no aggregators, and one rank has nobody to aggregate for.
    let large = || write_all(64.0 * 50.0, 8.0 * MIB, 64.0 * 30.0);
    let whole = collective(64, large(), write(64.0 * 50.0, 8.0 * MIB, 64.0 * 25.0));
    assert!(fired(&whole, "C05").is_none());
    let alone = collective(1, above(), write(calls, 4.0 * KIB, 30.0));
    assert!(fired(&alone, "C05").is_none());
    // Of a few bytes for each rank nothing large can be made.
    let little = || write_all(64.0 * 50.0, 4.0 * KIB, 64.0 * 30.0);
    let header = collective(64, little(), write(64.0 * 50.0, 4.0 * KIB, 64.0 * 25.0));
    assert!(fired(&header, "C05").is_none());
}

#[test]
fn nothing_alarms_in_a_run_that_nothing_holds_back() {
    let calls = 4.0 * 500.0;
    let run_of = |size: f64| {
        let run = run(4).mpiio(ALL, write_alone(calls, size, 4.0 * 40.0));
        run.posix(ALL, write(calls, size, 4.0 * 40.0)).diagnose()
    };
    let large = run_of(8.0 * MIB);
    assert_eq!(large.verdict.outcome, Outcome::Healthy, "{:?}", large.verdict);
    let independent = fired(&large, "M03").expect("all are independent");
    assert_eq!((independent.level, independent.seconds_at_stake), (Some(Level::Info), 0.0));
    let small = run_of(64.0 * KIB);
    assert_eq!(fired(&small, "M03").unwrap().level, Some(Level::High));
    // Ranks differ much on a file, which alone does not tell why.
    let uneven = write(400.0, 8.0 * MIB, 4.0 * 15.0)
        .with("F_SLOWEST_RANK_TIME", 30.0)
        .with("F_FASTEST_RANK_TIME", 10.0);
    let uneven = run(4).posix(ALL, uneven).diagnose();
    let time = fired(&uneven, "P19").unwrap();
    assert!(time.share > 0.1 && time.caused_by.is_none(), "{time:?}");
    assert_eq!(time.level, Some(Level::Warn));
}

#[test]
fn bytes_of_ranks_differ_though_the_slowest_and_the_fastest_are_alike() {
    let shared = |deviation: f64| {
        let counters = write(800.0, MIB, 40.0).with("F_VARIANCE_RANK_BYTES", deviation.powi(2));
        run(8).posix(ALL, counters).diagnose()
    };
    // Each has 100 MiB on average: 80 to 120 is a third, 95 to 105 a tenth.
    assert!(fired(&shared(20.0 * MIB), "P18").is_some());
    assert!(fired(&shared(5.0 * MIB), "P18").is_none());
}

#[test]
fn fill_values_cost_what_the_trace_shows() {
    let bytes = GIB / 4.0;
    let mut recipe = run(4).mount("/scratch", "lustre").file("/scratch/out.h5");
    for rank in 0..4 {
        let at = f64::from(rank) * bytes;
        // Fill values take ten seconds, the data after them two.
        let calls = [w(at, bytes, 10.0, 20.0), w(at, bytes, 30.0, 32.0)];
        recipe = recipe.traced_together(i64::from(rank), "node0", &calls);
        recipe = recipe.traced(i64::from(rank), "node0", &calls);
    }
    let data = write(1.0, bytes, 2.0)
        .with("F_WRITE_START_TIMESTAMP", 29.9)
        .with("F_WRITE_END_TIMESTAMP", 32.1);
    let found = recipe.dataset(EACH, data).diagnose();
    let fill = fired(&found, "H02").expect("written twice");
    assert!((fill.seconds_at_stake - 10.0).abs() < 1e-6, "{}", fill.seconds_at_stake);
    assert_eq!(fill.confidence, Confidence::Measured);
}

#[test]
fn a_trace_that_is_not_whole_is_told_and_trusted_less() {
    let run = |last: f64| {
        let mut calls = row_of(w(0.0, 4.0 * KIB, 1.0, 41.0), 2000);
        calls.push(w(8.0 * MIB, KIB, 50.0, last));
        run(1).traced(0, "node0", &calls).diagnose()
    };
    let (whole, odd) = (run(50.5), run(-50.0));
    assert!(whole.warnings.is_empty(), "{:?}", whole.warnings);
    assert_eq!(fired(&whole, "A02").unwrap().confidence, Confidence::Measured);
    let told = &odd.warnings[0];
    assert!(told.text.starts_with("1 traced request with an end"), "{}", told.text);
    assert!(told.marks && !odd.subject.is_complete);
    let finding = fired(&odd, "A02").unwrap();
    assert!(finding.is_incomplete && finding.confidence == Confidence::Derived);
}

#[test]
fn limits_of_the_trace_can_be_set() {
    let calls = row_of(w(0.0, 4.0 * KIB, 1.0, 41.0), 2000);
    let log = log_of(run(1).traced(0, "node0", &calls).text().as_bytes());
    let with = |settings: &str| Diagnosis::of(&log, &Thresholds::read(settings).unwrap());
    assert!(fired(&with(""), "A02").is_some());
    // Requests of 4 KiB are not small then, or cannot be merged to anything larger.
    assert!(fired(&with("small_bytes = 4096"), "A02").is_none());
    assert!(fired(&with("coalescable_bytes = 8192"), "A02").is_none());
}

fn text(finding: &Finding) -> &str {
    &finding.advice[0].text
}

/// So many files, each opened and asked about so often.
fn files(count: usize, opened: f64, asked: f64) -> Recipe {
    (0..count).fold(run(1), |run, file| {
        let counters = nothing().opened(opened).with("STATS", asked).with("F_META_TIME", 0.03);
        run.file(format!("/data/{file}")).posix(only(0), counters)
    })
}

#[test]
fn advice_is_about_what_there_is_too_much_of() {
    let asked = files(2000, 0.0, 9.0).diagnose();
    let finding = fired(&asked, "N01").expect("18,000 questions");
    assert!(finding.title.contains("18,000 stat calls"), "{}", finding.title);
    assert!(text(finding).contains("Ask once"), "{}", text(finding));
    let made = files(2000, 1.0, 0.0).diagnose();
    let finding = fired(&made, "N01").expect("2,000 empty files");
    assert!(text(finding).contains("Pack the 2,000 files"), "{}", text(finding));
    let again = run(1).posix(only(0), opens(5000.0, 60.0)).diagnose();
    assert!(text(fired(&again, "N01").unwrap()).contains("not 5,000 times"));
}

#[test]
fn small_files_that_are_read_are_files_and_not_metadata() {
    // As a recursive copy or search does: each is asked about once, opened once, read once.
    let tree = (0..3000).fold(run(1), |run, file| {
        let counters = read(1.0, 13.0 * KIB, 0.01).with("STATS", 1.0).with("F_META_TIME", 0.01);
        run.file(format!("/data/{file}")).posix(only(0), counters)
    });
    let found = tree.diagnose();
    assert_eq!(found.verdict.dimensions, [Dimension::FileStrategy]);
    assert!(text(fired(&found, "N02").unwrap()).contains("of 13 KiB each"));
    // What is only asked about does not make those that are read any smaller.
    let more = (0..40_000).fold(tree, |run, file| {
        let asked = nothing().with("STATS", 1.0).with("F_META_TIME", 0.00001);
        run.file(format!("/other/{file}")).posix(only(0), asked)
    });
    assert_eq!(more.diagnose().verdict.dimensions, [Dimension::FileStrategy]);
}

#[test]
fn a_stream_that_a_file_took_the_place_of_is_not_printed() {
    let stream = |dups: f64| {
        let run = run(1).file("/data/out").posix(only(0), nothing().opened(1.0).with("DUPS", dups));
        run.file("<STDOUT>").stdio(only(0), write(1e6, 100.0, 20.0)).diagnose()
    };
    assert!(fired(&stream(1.0), "X02").is_none());
    assert!(fired(&stream(0.0), "X02").is_some());
}

#[test]
fn flushes_below_which_nothing_is_written_hold_nothing_back() {
    let flushes = || nothing().with("FLUSHES", 5000.0);
    let alone = run(1).file("/data/a.h5").dataset(only(0), flushes()).diagnose();
    assert!(fired(&alone, "A06").is_none());
    let below = run(1).file("/data/a.h5").posix(only(0), write(5000.0, 64.0 * KIB, 40.0));
    let below = below.dataset(only(0), flushes()).diagnose();
    assert_eq!(fired(&below, "A06").unwrap().level, Some(Level::High));
}

#[test]
fn a_header_that_ranks_write_themselves_is_not_the_data() {
    // The records of those who moved the data are lost.
    let run = run(8).mpiio(ALL, write_all(1000.0, MIB, 80.0));
    let header = (1..8).fold(run, |run, rank| run.posix(only(rank), write(1.0, 266.0, 0.1)));
    assert!(fired(&header.diagnose(), "C05").is_none());
}

#[test]
fn the_metadata_of_a_file_for_each_rank_follows_from_the_files() {
    // Output split by rank, again at every step: making the files takes 36 s of each rank.
    let split = (0..64).fold(run(64).time(600.0), |run, rank| {
        (0..12).fold(run, |run, step| {
            let part = write(30.0, MIB, 5.0).with("F_META_TIME", 3.0);
            run.file(format!("/scratch/out.{step}.{rank}")).posix(only(rank), part)
        })
    });
    let found = split.diagnose();
    assert_eq!(fired(&found, "P17").unwrap().caused_by, Some("N03"));
    assert_eq!(found.verdict.dimensions, [Dimension::FileStrategy]);
}

/// Eight ranks write one file in requests of 1 MiB; rank 5 writes so many MiB, the others 4 each.
fn one_rank_more(most: f64) -> [Diagnosis; 2] {
    let own = |count: f64| write(count, MIB, count / 4.0);
    let told_apart = (0..8).fold(run(8).file("/data/shared"), |run, rank| {
        run.posix(only(rank), own(if rank == 5 { most } else { 4.0 }))
    });
    // One record that stands for all, without a heat map.
    let all = own(most + 28.0)
        .with("SLOWEST_RANK", 5.0)
        .with("SLOWEST_RANK_BYTES", most * MIB)
        .with("F_SLOWEST_RANK_TIME", most / 4.0)
        .with("FASTEST_RANK_BYTES", 4.0 * MIB)
        .with("F_FASTEST_RANK_TIME", 1.0);
    [told_apart, run(8).time(20.0).file("/data/shared").posix(ALL, all)].map(|run| run.diagnose())
}

#[test]
fn a_rank_with_most_of_the_data_decides_before_the_interface() {
    // Two thirds and a fourth of all data.
    for most in [64.0, 12.0] {
        for found in one_rank_more(most) {
            let codes = codes(&found);
            let imbalance = [Dimension::ParallelismEfficiency];
            assert_eq!(found.verdict.dimensions, imbalance, "{most}: {codes:?}");
            let shared = fired(&found, "C08").unwrap();
            assert!(matches!(shared.caused_by, Some("B01" | "B02")), "{most}: {codes:?}");
        }
    }
    // A little more does not keep the others from fighting for the file.
    for most in [4.0, 8.0] {
        for found in one_rank_more(most) {
            assert_eq!(found.verdict.dimensions, [Dimension::InterfaceChoice], "{most}");
        }
    }
}

#[test]
fn a_header_that_one_rank_writes_is_no_imbalance() {
    let run = run(8).file("/data/shared").posix(only(0), write(1.0, 64.0 * MIB, 5.0));
    let run = (0..8)
        .fold(run, |run, rank| run.file("/data/shared").posix(only(rank), write(2000.0, KIB, 5.0)));
    let found = run.diagnose().verdict.dimensions;
    assert!(!found.contains(&Dimension::ParallelismEfficiency), "{found:?}");
    assert!(found.contains(&Dimension::InterfaceChoice), "{found:?}");
}

#[test]
fn the_bytes_of_an_aggregator_are_no_choice_of_the_program() {
    // One stripe makes one rank write for all; the others write their part of a header.
    let below = write(2000.0, 4.0 * MIB, 60.0)
        .with("SLOWEST_RANK_BYTES", 1990.0 * 4.0 * MIB)
        .with("F_SLOWEST_RANK_TIME", 59.0)
        .with("FASTEST_RANK_BYTES", KIB)
        .with("F_FASTEST_RANK_TIME", 0.01);
    let run = run(64).mount("/scratch", "lustre").file("/scratch/out").stripes(MIB, &[3]);
    let run = run.mpiio(ALL, write_all(6400.0, 1.25 * MIB, 64.0 * 60.0)).posix(ALL, below);
    let found = run.diagnose();
    assert_eq!(fired(&found, "B01").unwrap().caused_by, Some("F02"), "{:?}", codes(&found));
    assert!(!found.verdict.dimensions.contains(&Dimension::ParallelismEfficiency));
}
