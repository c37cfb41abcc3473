//! Where the original is wrong, and has to stay so.

use ioglass_insight::Level;
use ioglass_log::posix::{self, f};
use ioglass_log::{mpiio, record_id};

use super::build::Build;

/// A million bytes.
const MB: i64 = 1_000_000;

#[test]
fn reading_again_is_no_redundancy_but_a_far_offset_is() {
    let again = [(posix::BYTES_READ, 1000 * MB), (posix::MAX_BYTE_READ, MB - 1)];
    assert!(!Build::new().posix("/a", 0, &again).fires("P09"));
    let far = [(posix::BYTES_READ, MB), (posix::MAX_BYTE_READ, 1000 * MB)];
    assert!(Build::new().posix("/a", 0, &far).fires("P09"));
    let exact = [(posix::BYTES_READ, MB), (posix::MAX_BYTE_READ, MB)];
    assert!(!Build::new().posix("/a", 0, &exact).fires("P09"));
}

#[test]
fn offsets_and_bytes_are_those_of_the_whole_job() {
    let far = [(posix::BYTES_WRITTEN, 1), (posix::MAX_BYTE_WRITTEN, MB)];
    let log = Build::new().posix("/far", 0, &far);
    let codes = log.codes();
    assert_eq!(codes.iter().filter(|code| **code == "P10").count(), 1, "{codes:?}");
    assert!(!log.posix("/other", 1, &[(posix::BYTES_WRITTEN, MB)]).fires("P10"));
}

#[test]
fn only_rank_minus_one_is_shared() {
    let ints = [
        (posix::READS, 2000),
        (posix::SIZE_READ_0_100, 2000),
        (posix::BYTES_READ, MB),
        (posix::SLOWEST_RANK_BYTES, MB),
    ];
    let times = [(f::READ_TIME, 1.0), (f::SLOWEST_RANK_TIME, 1.0)];
    let shared = Build::new().posix("/a", -1, &ints).times(&times);
    for code in ["P15", "P18", "P19"] {
        assert!(shared.fires(code), "{code}");
    }
    assert!(!shared.fires("P22"));
    let quarter = [(posix::READS, 500), (posix::SIZE_READ_0_100, 500), (posix::BYTES_READ, 100)];
    let apart = Build::new().posix("/a", 0, &ints).times(&times).posix("/a", 1, &quarter);
    for code in ["P15", "P18", "P19"] {
        assert!(!apart.fires(code), "{code}");
    }
    assert_eq!(apart.trigger("P22").unwrap().details[0].percent, 99.99);
}

#[test]
fn a_mebibyte_is_small() {
    let bins = |bin| [(posix::WRITES, 1001), (bin, 1001)];
    let log = Build::new().posix("/a", -1, &bins(posix::SIZE_WRITE_100K_1M));
    for code in ["P06", "P16"] {
        let trigger = log.trigger(code).unwrap();
        assert_eq!((trigger.level, &trigger.figures[..]), (Level::High, &[1001.0, 1.0, 100.0][..]));
        let detail = &trigger.details[0];
        assert_eq!((&*detail.path, detail.count, detail.percent), ("/a", Some(1001), 100.0));
    }
    assert!(!Build::new().posix("/a", -1, &bins(posix::SIZE_WRITE_1M_4M)).fires("P06"));
}

#[test]
fn whatever_is_not_called_random_is_called_sequential() {
    let reads = |reads, forward| [(posix::READS, reads), (posix::SEQ_READS, forward)];
    let nearly_all = Build::new().posix("/a", 0, &reads(1000, 1)).trigger("P12").unwrap();
    assert_eq!((nearly_all.level, &nearly_all.figures[..]), (Level::Ok, &[0.0, 0.1][..]));
    let every_first = Build::new().posix("/a", 0, &reads(1001, 0)).trigger("P11").unwrap();
    assert_eq!(every_first.figures, [1001.0, 100.0]);
    // A fifth is not more than a fifth.
    assert!(Build::new().posix("/a", 0, &reads(10_000, 8000)).fires("P12"));
    assert!(Build::new().posix("/a", 0, &reads(10_000, 7999)).fires("P11"));
    assert_eq!(Build::new().posix("/a", 0, &[]).codes(), ["M01"]);
}

#[test]
fn imbalance_fades_with_the_number_of_ranks() {
    // One rank is ten times as slow as the others.
    let slow = |ranks: f64| {
        let times = [
            (f::WRITE_TIME, 10.0 + ranks - 1.0),
            (f::FASTEST_RANK_TIME, 1.0),
            (f::SLOWEST_RANK_TIME, 10.0),
        ];
        Build::new().posix("/a", -1, &[]).times(&times).trigger("P19")
    };
    assert_eq!(slow(32.0).unwrap().details[0].percent, 21.95);
    assert_eq!(slow(64.0), None);
}

#[test]
fn slowest_and_fastest_are_compared_whatever_the_others_moved() {
    let ints = |slowest, fastest| {
        let ends = [(posix::SLOWEST_RANK_BYTES, slowest), (posix::FASTEST_RANK_BYTES, fastest)];
        [(posix::BYTES_WRITTEN, 100), ends[0], ends[1]]
    };
    assert!(!Build::new().posix("/a", -1, &ints(50, 35)).fires("P18"));
    let log = Build::new().posix("/a", -1, &ints(34, 50));
    assert_eq!(log.trigger("P18").unwrap().figures, [1.0]);
    let nothing_moved = [(posix::SLOWEST_RANK_BYTES, 34)];
    assert!(!Build::new().posix("/a", -1, &nothing_moved).fires("P18"));
}

#[test]
fn metadata_is_counted_by_record() {
    let of_all_ranks = Build::new().posix("/a", -1, &[]).times(&[(f::META_TIME, 31.0)]);
    assert_eq!(of_all_ranks.trigger("P17").unwrap().figures, [1.0, 30.0]);
    let of_one_rank = (0..100).fold(Build::new(), |log, file| {
        log.posix(&format!("/{file}"), 0, &[]).times(&[(f::META_TIME, 29.0)])
    });
    assert!(!of_one_rank.fires("P17"));
    assert!(!Build::new().posix("/a", 0, &[]).times(&[(f::META_TIME, 30.0)]).fires("P17"));
    assert!(!Build::new().posix("/a", 0, &[]).times(&[(f::META_TIME, f64::NAN)]).fires("P17"));
}

#[test]
fn a_rank_that_did_not_open_the_file_is_not_counted() {
    let written = |bytes| [(posix::BYTES_WRITTEN, bytes)];
    let alone = Build::new().posix("/a", 0, &written(MB));
    assert!(!alone.fires("P21"));
    assert!(!alone.posix("/a", 1, &written(700_000)).fires("P21"));
    let apart = Build::new().posix("/a", 0, &written(MB)).posix("/a", 1, &written(699_999));
    assert_eq!(apart.trigger("P21").unwrap().details[0].percent, 30.0);
}

#[test]
fn files_are_named_by_id_and_at_most_ten() {
    let mut log = Build::new();
    let mut ids = Vec::new();
    for file in 0..12 {
        let path = format!("/{file}");
        ids.push((record_id(path.as_bytes()), path.clone()));
        log = log.posix(&path, 0, &[(posix::BYTES_READ, 1)]).posix(&path, 1, &[]);
    }
    ids.sort();
    let trigger = log.trigger("P22").unwrap();
    assert_eq!(trigger.figures, [12.0]);
    let paths: Vec<&String> = trigger.details.iter().map(|detail| &detail.path).collect();
    assert_eq!(paths, ids[..10].iter().map(|(_, path)| path).collect::<Vec<_>>());
}

#[test]
fn one_collective_call_is_enough() {
    let calls = [(mpiio::COLL_READS, 1), (mpiio::INDEP_READS, 999_999)];
    let log = Build::new().mpiio("/a", 0, &calls);
    let trigger = log.trigger("M04").unwrap();
    assert_eq!((trigger.level, &trigger.figures[..]), (Level::Ok, &[1.0, 0.0][..]));
    assert_eq!(log.codes(), ["M04", "M06", "M07"]);
}

#[test]
fn files_are_named_by_their_share_of_reads() {
    let calls = |reads, writes| [(mpiio::INDEP_READS, reads), (mpiio::INDEP_WRITES, writes)];
    let log = Build::new().mpiio("/a.h5", 0, &calls(1001, 500)).mpiio("/b", 0, &calls(600, 600));
    let trigger = log.trigger("M02").unwrap();
    assert_eq!(trigger.figures, [1601.0, 100.0]);
    assert_eq!(trigger.details.len(), 1);
    assert_eq!(trigger.details[0].percent, 1001.0 / 1501.0 * 100.0);
    assert_eq!(log.trigger("M03").unwrap().details, []);
    assert!(log.trigger("M06").unwrap().inputs.contains(&("has_hdf5_extension", 1.0)));
    assert!(!Build::new().mpiio("/a", 0, &calls(1000, 1000)).fires("M02"));
    // Split and non-blocking calls are not seen, but for the latter's own triggers.
    let others = [(mpiio::SPLIT_READS, 5000), (mpiio::NB_READS, 5000)];
    assert_eq!(Build::new().mpiio("/a", 0, &others).codes(), ["M07"]);
}

#[test]
fn a_few_bytes_of_text_matter() {
    let text = Build::new().stdio("<STDOUT>", 151);
    assert_eq!(text.codes(), ["S01", "M01"]);
    assert_eq!(text.trigger("S01").unwrap().figures, [100.0, 151.0]);
    let more = Build::new().stdio("<STDERR>", 2211).trigger("S01").unwrap();
    assert_eq!(more.figures, [100.0, 2.16]);
    let posix =
        |bytes| Build::new().stdio("<STDOUT>", 10).posix("/a", 0, &[(posix::BYTES_READ, bytes)]);
    assert!(!posix(90).fires("S01"));
    assert!(posix(89).fires("S01"));
    // What MPI-IO moved is taken off what POSIX moved, unless that is less.
    assert!(posix(89).mpiio("/a", 0, &[(mpiio::BYTES_READ, 89)]).fires("S01"));
    assert!(!posix(88).mpiio("/a", 0, &[(mpiio::BYTES_READ, 89)]).fires("S01"));
}

#[test]
fn an_empty_log_lacks_mpi_io() {
    assert_eq!(Build::new().codes(), ["M01"]);
}

#[test]
fn what_is_not_known_is_added_as_minus_one() {
    let unknown = [(posix::READS, -1), (posix::WRITES, -1), (posix::BYTES_READ, 1)];
    let log = Build::new().posix("/a", 0, &[(posix::READS, 12)]).posix("/b", 0, &unknown);
    let trigger = log.trigger("P02").unwrap();
    assert_eq!(trigger.figures, [-10.0, 110.0]);
    assert_eq!(log.trigger("P14").unwrap().figures, [-0.0, -0.0]);
    // The numbers of no requests at all: more small ones than any part of none.
    let none = [(posix::SIZE_READ_0_100, 1001)];
    assert_eq!(Build::new().posix("/a", -1, &none).codes(), ["M01", "P05"]);
}

#[test]
fn sums_wrap_around() {
    let half = [(posix::READS, i64::MAX), (posix::BYTES_READ, 1 << 62), (posix::WRITES, i64::MIN)];
    let whole = Build::new().posix("/a", 0, &half);
    let log = whole.posix("/b", 0, &[(posix::READS, 2)]);
    assert!(log.trigger("P14").unwrap().inputs.contains(&("total_reads", i64::MIN as f64 + 1.0)));
}

#[test]
fn old_records_lose_the_times_of_the_slowest_rank() {
    let mut log = Build::new();
    let id = log.name("/a");
    // Id, rank, 64 integers, 15 doubles: what came later is not there yet.
    let mut record = vec![0_u64; 81];
    record[..2].copy_from_slice(&[id, u64::MAX]);
    let doubles = &mut record[66..];
    doubles[6] = 4_f64.to_bits(); // time in reads
    doubles[12] = 4_f64.to_bits(); // time of the slowest rank
    let bytes: Vec<u8> = record.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert!(!log.raw(posix::MODULE.id, 2, bytes).fires("P19"));
}
