//! Reductions of records whose outcome is known.

use ioglass_schema::posix::{self, Posix};
use ioglass_schema::{FixedRecord, ModuleId, h5d};

use super::*;

const VALUES: usize = posix::ACCESS1_ACCESS;
const COUNTS: usize = posix::ACCESS1_COUNT;

/// Rank `rank` of a run in which ranks differ in every way a rule looks at.
fn rank(rank: i64) -> Posix {
    let mut record = Posix::new(77, rank);
    record.int[posix::OPENS] = 1;
    record.int[posix::MMAPS] = -1;
    record.int[posix::BYTES_WRITTEN] = 1000 * (rank + 1);
    record.int[posix::MAX_BYTE_WRITTEN] = 500 - rank;
    record.int[posix::MAX_WRITE_TIME_SIZE] = 10 + rank;
    record.int[VALUES] = 4096;
    record.int[COUNTS] = 3;
    record.int[VALUES + 1] = 100 + rank;
    record.int[COUNTS + 1] = 2;
    record.float[posix::f::WRITE_TIME] = (rank - 2).unsigned_abs() as f64 + 1.0;
    record.float[posix::f::META_TIME] = 0.5;
    record.float[posix::f::MAX_WRITE_TIME] = if rank == 1 { 9.0 } else { 1.0 };
    record.float[posix::f::OPEN_START_TIMESTAMP] = if rank == 0 { 0.0 } else { rank as f64 };
    record.float[posix::f::OPEN_END_TIMESTAMP] = rank as f64;
    record
}

fn begin(record: impl FixedRecord) -> RecordTable {
    let mut rows = Rows::new(record.view().module, 1);
    rows.push(record.view());
    rows.into_table()
}

fn finish(table: &RecordTable) -> RecordBuf {
    let mut record = RecordBuf::new(table.module());
    table.finish(0, &mut record);
    record
}

fn reduce(ranks: impl IntoIterator<Item = i64>) -> RecordBuf {
    let mut parts = ranks.into_iter().map(|r| begin(rank(r)));
    let first = parts.next().unwrap();
    let all = parts.fold(first, |mut all, part| {
        all.merge(&part).unwrap();
        all
    });
    finish(&all)
}

#[test]
fn every_rule() {
    let shared = reduce(0..4);
    assert_eq!(shared.base.rank, -1);
    assert_eq!(shared.base.id, 77);
    assert_eq!(shared.int[posix::OPENS], 4);
    assert_eq!(shared.int[posix::MMAPS], -1, "not monitored stays so");
    assert_eq!(shared.int[posix::BYTES_WRITTEN], 10_000);
    assert_eq!(shared.int[posix::MAX_BYTE_WRITTEN], 500);
    // The slowest call was rank 1's, and brings its size.
    assert_eq!(shared.float[posix::f::MAX_WRITE_TIME], 9.0);
    assert_eq!(shared.int[posix::MAX_WRITE_TIME_SIZE], 11);
    // Times of the ranks are 3.5, 2.5, 1.5 and 2.5.
    assert_eq!(shared.int[posix::FASTEST_RANK], 2);
    assert_eq!(shared.int[posix::FASTEST_RANK_BYTES], 3000);
    assert_eq!(shared.float[posix::f::FASTEST_RANK_TIME], 1.5);
    assert_eq!(shared.int[posix::SLOWEST_RANK], 0);
    assert_eq!(shared.int[posix::SLOWEST_RANK_BYTES], 1000);
    assert_eq!(shared.float[posix::f::SLOWEST_RANK_TIME], 3.5);
    assert!((shared.float[posix::f::VARIANCE_RANK_TIME] - 0.5).abs() < 1e-12);
    assert_eq!(shared.float[posix::f::VARIANCE_RANK_BYTES], 1_250_000.0);
    assert_eq!(shared.float[posix::f::OPEN_START_TIMESTAMP], 1.0, "0 is never");
    assert_eq!(shared.float[posix::f::OPEN_END_TIMESTAMP], 3.0);
    // 4096 was common to all; of the others, equally frequent, the larger come first.
    assert_eq!(shared.int[VALUES..VALUES + 4], [4096, 103, 102, 101]);
    assert_eq!(shared.int[COUNTS..COUNTS + 4], [12, 2, 2, 2]);
}

/// The variance of the bytes that ranks have written to a file, merged in this order.
fn variance_of_bytes(written: &[i64]) -> f64 {
    let mut all: Option<RecordTable> = None;
    for (rank, bytes) in (0..).zip(written) {
        let mut record = Posix::new(77, rank);
        record.int[posix::BYTES_WRITTEN] = *bytes;
        match &mut all {
            Some(all) => all.merge(&begin(record)).unwrap(),
            None => all = Some(begin(record)),
        }
    }
    finish(&all.unwrap()).float[posix::f::VARIANCE_RANK_BYTES]
}

#[test]
fn the_variance_of_bytes_has_all_digits() {
    const MIB: i64 = 1 << 20;
    let mut ranks = [4 * MIB; 8];
    ranks[5] = 64 * MIB;
    // One of eight is 60 MiB away from the others.
    let deviation = (60 * MIB) as f64;
    let known = deviation * deviation * 7.0 / 64.0;
    assert_eq!(known, 432_932_703_436_800.0);
    for _ in 0..8 {
        ranks.rotate_left(1);
        assert_eq!(variance_of_bytes(&ranks), known);
    }
    // The mean is no whole number: 4/3, 2/9 around it.
    assert_eq!(variance_of_bytes(&[1, 1, 2]), 2.0 / 9.0);
    assert_eq!(variance_of_bytes(&[7; 5]), 0.0);
    assert_eq!(variance_of_bytes(&[0, 29_393, 14_697, 12_000]), 109_357_058.25);
    // Far beyond what a double tells apart, and beyond any file.
    assert_eq!(variance_of_bytes(&[(1 << 60) + 1, (1 << 60) + 3]), 1.0);
    assert!(variance_of_bytes(&[i64::MAX, i64::MIN, i64::MAX]) >= 0.0);
}

#[test]
fn a_value_that_is_rare_at_first_is_counted_in_full() {
    let with = |rank: i64, table: [(i64, i64); 4]| {
        let mut record = Posix::new(77, rank);
        for (slot, (value, count)) in table.into_iter().enumerate() {
            (record.int[VALUES + slot], record.int[COUNTS + slot]) = (value, count);
        }
        begin(record)
    };
    // 328 is none of the four of the first two ranks together.
    let ranks = [
        with(0, [(65_536, 32), (512, 4), (96, 2), (544, 1)]),
        with(1, [(65_536, 32), (512, 3), (544, 2), (328, 1)]),
        with(2, [(65_536, 32), (512, 3), (328, 2), (544, 1)]),
        with(3, [(65_536, 32), (512, 3), (544, 1), (328, 1)]),
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [0, 2, 1, 3]] {
        let mut all = ranks[order[0]].clone();
        order[1..].iter().for_each(|rank| all.merge(&ranks[*rank]).unwrap());
        let all = finish(&all);
        assert_eq!(all.int[VALUES..VALUES + 4], [65_536, 512, 544, 328]);
        assert_eq!(all.int[COUNTS..COUNTS + 4], [128, 13, 5, 4]);
    }
}

#[test]
fn order_does_not_matter() {
    let mut forwards = reduce(0..6);
    let mut backwards = reduce((0..6).rev());
    for record in [&mut forwards, &mut backwards] {
        // Ranks 1 and 3 are equally fast, and the variances of times differ in the last bit.
        record.float[posix::f::VARIANCE_RANK_TIME] = 0.0;
    }
    assert_eq!(forwards, backwards);
}

#[test]
fn a_tree_is_as_good_as_a_loop() {
    let part = |r| begin(rank(r));
    let (mut left, mut right) = (part(0), part(2));
    left.merge(&part(1)).unwrap();
    right.merge(&part(3)).unwrap();
    left.merge(&right).unwrap();
    let (tree, line) = (finish(&left), reduce(0..4));
    assert_eq!(tree.int, line.int);
    for (a, b) in tree.float.iter().zip(&line.float) {
        assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{a} {b}");
    }
}

/// A file of a rank; some are used alike.
fn files_of(of: i64, file: u64) -> Posix {
    let mut record = rank(of);
    record.base.id = file;
    record.int[posix::BYTES_WRITTEN] += file.cast_signed() % 3;
    record
}

fn files(of: i64, count: u64) -> RecordTable {
    let mut rows = Rows::new(&posix::MODULE, 0);
    (0..count).for_each(|file| rows.push(files_of(of, file).view()));
    assert_eq!(rows.len() as u64, count);
    rows.into_table()
}

#[test]
fn what_is_encoded_can_be_read() {
    let mut bytes = Vec::new();
    let mut dataset = h5d::H5d::new(9, 3);
    dataset.link = [77];
    dataset.int[h5d::ACCESS1_ACCESS] = -5;
    let sent = [begin(rank(0)), files(1, 40), RecordTable::new(&posix::MODULE), begin(dataset)];
    sent.iter().for_each(|table| table.encode(&mut bytes));
    let read = |bytes: &mut &[u8]| {
        sent.iter().map(|sent| RecordTable::decode(sent.module(), bytes)).collect::<Vec<_>>()
    };
    for cut in 0..bytes.len() {
        assert!(read(&mut &bytes[..cut]).contains(&None), "{cut}");
    }
    let mut left = bytes.as_slice();
    assert_eq!(read(&mut left), sent.clone().map(Some));
    assert!(left.is_empty());
}

#[test]
fn nobody_claims_more_files_than_there_are() {
    let mut bytes = Vec::new();
    begin(rank(0)).encode(&mut bytes);
    bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(RecordTable::decode(&posix::MODULE, &mut &bytes[..]), None);
}

#[test]
fn many_files_are_as_good_as_one() {
    let mut all = files(0, 200);
    let mut one_by_one = files(0, 200);
    for of in 1..5 {
        all.merge(&files(of, 200)).unwrap();
        (0..200).for_each(|file| one_by_one.add(file as usize, files_of(of, file).view()));
    }
    assert_eq!(all, one_by_one);
}

#[test]
fn files_may_come_after_others_were_merged() {
    let mut mixed = files(0, 1);
    mixed.add(0, files_of(1, 0).view());
    for file in 1..9 {
        mixed.add(file as usize, files_of(0, file).view());
        mixed.add(file as usize, files_of(1, file).view());
    }
    let mut in_one_go = files(0, 9);
    in_one_go.merge(&files(1, 9)).unwrap();
    assert_eq!(mixed, in_one_go);
}

#[test]
fn other_files_and_modules_change_nothing() {
    let mut shared = begin(rank(0));
    let before = shared.clone();
    assert_eq!(shared.merge(&begin(Posix::new(78, 1))), None);
    assert_eq!(shared.merge(&begin(h5d::H5d::new(77, 1))), None);
    assert_eq!(shared.merge(&files(0, 2)), None);
    shared.add(0, Posix::new(78, 1).view());
    shared.add(0, h5d::H5d::new(77, 1).view());
    shared.add(2, rank(1).view());
    assert_eq!(shared, before);
}

#[test]
fn one_rank_is_shared_too() {
    let shared = reduce([3]);
    assert_eq!(shared.base.rank, -1);
    assert_eq!(shared.int[posix::FASTEST_RANK], 3);
    assert_eq!(shared.int[posix::SLOWEST_RANK], 3);
    assert_eq!(shared.float[posix::f::VARIANCE_RANK_TIME], 0.0);
}

#[test]
fn wide_values_are_compared_whole() {
    let dataset = |stride: i64| {
        let mut record = h5d::H5d::new(5, 0);
        record.int[h5d::ACCESS1_ACCESS] = 800;
        record.int[h5d::ACCESS1_STRIDE_D1] = stride;
        record.int[h5d::ACCESS1_COUNT] = 1;
        record
    };
    let mut shared = begin(dataset(1));
    for stride in [1, 2, 1] {
        shared.merge(&begin(dataset(stride))).unwrap();
    }
    let shared = finish(&shared);
    assert_eq!(shared.int[h5d::ACCESS1_STRIDE_D1], 1);
    assert_eq!(shared.int[h5d::ACCESS1_COUNT], 3);
    assert_eq!(shared.int[h5d::ACCESS2_ACCESS], 800);
    assert_eq!(shared.int[h5d::ACCESS2_STRIDE_D1], 2);
    assert_eq!(shared.int[h5d::ACCESS2_COUNT], 1);
}

/// Numbers without an end, none of them chance.
fn numbers(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    }
}

#[test]
fn records_of_any_module_are_reduced_by_its_rules() {
    let modules = (0..ModuleId::MAX as u8).filter_map(|id| ModuleId(id).module());
    let mut next = numbers(1);
    for module in modules.filter(|module| module.layout == ioglass_schema::Layout::Counters) {
        for _ in 0..200 {
            // Few values, so that tables of common ones have some in common.
            let mut record = |rank| {
                let mut record = RecordBuf::new(module);
                let mut small = |of: u64| if next().is_multiple_of(3) { next() % of } else { 0 };
                (record.base.id, record.base.rank) = (7, rank);
                record.link.iter_mut().for_each(|link| *link = small(3));
                record.int.iter_mut().for_each(|int| *int = small(5).cast_signed() - 1);
                record.float.iter_mut().for_each(|float| *float = small(9) as f64);
                record.uuids.iter_mut().for_each(|uuid| uuid[3] = small(9) as u8);
                record.words.iter_mut().for_each(|word| *word = small(9));
                record
            };
            let (a, b) = (record(0), record(1));
            let mut merged = RecordTable::new(module);
            merged.add(0, a.view());
            merged.add(0, b.view());
            let merged = finish(&merged);
            let mut known = a.clone();
            combine(&mut known, b.view(), rules::merge_top4);
            // What only reduced records have is another test's.
            let of_ranks = |rule: Rule| {
                matches!(rule, Rule::Fastest { .. } | Rule::Slowest { .. } | Rule::Variance)
            };
            for (i, counter) in module.floats.iter().enumerate() {
                if let Rule::Fastest { rank, bytes } | Rule::Slowest { rank, bytes } = counter.rule
                {
                    (known.int[rank], known.int[bytes]) = (merged.int[rank], merged.int[bytes]);
                }
                if of_ranks(counter.rule) {
                    known.float[i] = merged.float[i];
                }
            }
            known.base.rank = -1;
            assert_eq!(merged, known, "{}", module.name);
        }
    }
}

#[test]
fn equal_tables_only_add_their_counts() {
    let table = |values: [i64; 4], counts: [i64; 4]| [values, counts].concat();
    let merge = |a: &[i64], b: &[i64]| {
        let mut into = a.to_vec();
        rules::merge_top4(&mut into, b, 0, 4, 1);
        into
    };
    let a = table([9, 5, 7, 0], [6, 4, 3, 0]);
    assert_eq!(merge(&a, &a), table([9, 5, 7, 0], [12, 8, 6, 0]));
    // Another order of frequency.
    let b = table([9, 5, 7, 0], [1, 1, 9, 0]);
    assert_eq!(merge(&a, &b), table([7, 9, 5, 0], [12, 7, 5, 0]));
    // What is not there comes last.
    let c = table([0, 5, 0, 0], [0, 4, 0, 0]);
    assert_eq!(merge(&c, &c), table([5, 0, 0, 0], [8, 0, 0, 0]));
}
