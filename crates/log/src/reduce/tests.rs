//! Reductions of records whose outcome is known.

use ioglass_schema::posix::{self, Posix};
use ioglass_schema::{FixedRecord, h5d};

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

fn begin(record: impl FixedRecord) -> Reduction {
    let record = record.view();
    Reducer::of(record.module).begin(record)
}

fn merge(into: &mut Reduction, other: &Reduction) {
    Reducer::of(into.module).merge(into, other);
}

fn reduce(ranks: impl IntoIterator<Item = i64>) -> RecordBuf {
    let mut parts = ranks.into_iter().map(|r| begin(rank(r)));
    let first = parts.next().unwrap();
    let all = parts.fold(first, |mut all, part| {
        merge(&mut all, &part);
        all
    });
    all.finish()
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
    assert!((shared.float[posix::f::VARIANCE_RANK_BYTES] - 1_250_000.0).abs() < 1e-6);
    assert_eq!(shared.float[posix::f::OPEN_START_TIMESTAMP], 1.0, "0 is never");
    assert_eq!(shared.float[posix::f::OPEN_END_TIMESTAMP], 3.0);
    // 4096 was common to all; of the others, equally frequent, the larger come first.
    assert_eq!(shared.int[VALUES..VALUES + 4], [4096, 103, 102, 101]);
    assert_eq!(shared.int[COUNTS..COUNTS + 4], [12, 2, 2, 2]);
}

#[test]
fn order_does_not_matter() {
    let mut forwards = reduce(0..6);
    let mut backwards = reduce((0..6).rev());
    for record in [&mut forwards, &mut backwards] {
        // Ranks 1 and 3 are equally fast, and the variances differ in the last bit.
        record.float[posix::f::VARIANCE_RANK_TIME] = 0.0;
        record.float[posix::f::VARIANCE_RANK_BYTES] = 0.0;
    }
    assert_eq!(forwards, backwards);
}

#[test]
fn a_tree_is_as_good_as_a_loop() {
    let part = |r| begin(rank(r));
    let (mut left, mut right) = (part(0), part(2));
    merge(&mut left, &part(1));
    merge(&mut right, &part(3));
    merge(&mut left, &right);
    let (tree, line) = (left.finish(), reduce(0..4));
    assert_eq!(tree.int, line.int);
    for (a, b) in tree.float.iter().zip(&line.float) {
        assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{a} {b}");
    }
}

#[test]
fn what_is_encoded_can_be_read() {
    let mut bytes = Vec::new();
    let mut dataset = h5d::H5d::new(9, 3);
    dataset.link = [77];
    dataset.int[h5d::ACCESS1_ACCESS] = -5;
    let sent = [begin(rank(0)), begin(rank(2)), begin(dataset)];
    sent.iter().for_each(|reduction| reduction.encode(&mut bytes));
    let modules = [&posix::MODULE, &posix::MODULE, &h5d::MODULE];
    let read = |module: &'static Module, bytes: &mut &[u8]| {
        let reducer = Reducer::of(module);
        // In the place of another.
        let mut reduction = begin(rank(1));
        if module.id != posix::MODULE.id {
            reduction = reducer.empty();
        }
        let (mut left, mut skipped) = (*bytes, *bytes);
        let is_read = reducer.decode(&mut reduction, &mut left);
        assert_eq!(reducer.skip(&mut skipped).is_some(), is_read.is_some());
        assert!(is_read.is_none() || left == skipped);
        *bytes = left;
        is_read.map(|()| reduction)
    };
    for cut in 0..bytes.len() {
        let mut short = &bytes[..cut];
        let all = modules.map(|module| read(module, &mut short));
        assert!(all.contains(&None), "{cut}");
    }
    let mut left = bytes.as_slice();
    for (module, reduction) in modules.into_iter().zip(sent) {
        assert_eq!(read(module, &mut left), Some(reduction));
    }
    assert!(left.is_empty());
}

#[test]
fn other_files_and_modules_change_nothing() {
    let mut shared = begin(rank(0));
    let before = shared.clone();
    merge(&mut shared, &begin(Posix::new(78, 1)));
    merge(&mut shared, &begin(h5d::H5d::new(77, 1)));
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
        merge(&mut shared, &begin(dataset(stride)));
    }
    let shared = shared.finish();
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
fn words_that_are_zero_are_as_good_as_others() {
    let modules = (0..ModuleId::MAX as u8).filter_map(|id| ModuleId(id).module());
    let mut next = numbers(1);
    for module in modules.filter(|module| module.layout == ioglass_schema::Layout::Counters) {
        assert!(Places::of(module).end <= 4 * 64, "{}", module.name);
        let reducer = Reducer::of(module);
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
            let mut merged = reducer.begin(a.view());
            reducer.merge(&mut merged, &reducer.begin(b.view()));
            let merged = merged.finish();
            let mut known = a.clone();
            combine(&mut known, b.view(), |into, from, values, counts, width| {
                merge_top4(into, from, values, counts, width);
            });
            // What only reduced records have is another test's.
            let of_ranks = |rule: Rule| {
                matches!(
                    rule,
                    Rule::Fastest { .. }
                        | Rule::Slowest { .. }
                        | Rule::VarianceOfTime
                        | Rule::VarianceOfBytes
                )
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
        (merge_top4(&mut into, b, 0, 4, 1), into)
    };
    let a = table([9, 5, 7, 0], [6, 4, 3, 0]);
    assert_eq!(merge(&a, &a), (false, table([9, 5, 7, 0], [12, 8, 6, 0])));
    // Another order of frequency.
    let b = table([9, 5, 7, 0], [1, 1, 9, 0]);
    assert_eq!(merge(&a, &b), (true, table([7, 9, 5, 0], [12, 7, 5, 0])));
    // What is not there comes last.
    let c = table([0, 5, 0, 0], [0, 4, 0, 0]);
    assert_eq!(merge(&c, &c), (true, table([5, 0, 0, 0], [8, 0, 0, 0])));
}
