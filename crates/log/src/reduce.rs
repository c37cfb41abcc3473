//! One record out of many ranks' records of the same file.
//!
//! The rules are columns of the tables in `ioglass-schema`; a [`Reduction`] can be merged with
//! another in any order, so it serves a loop over files as well as a tree of processes.

use alloc::vec;
use alloc::vec::Vec;

use ioglass_schema::{Module, ModuleId, RecordRef, Rule};

use crate::record::RecordBuf;

/// The records of some ranks, on their way to becoming one.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduction {
    record: RecordBuf,
    time: Spread,
    bytes: Spread,
}

/// Begins reductions of a module's records.
pub struct Reducer(Columns);

impl Reducer {
    /// For records of `module`.
    pub fn of(module: &Module) -> Self {
        Self(Columns::of(module))
    }

    /// Begins with the record of one rank.
    pub fn begin(&self, mut record: RecordBuf) -> Reduction {
        let own = RankShare::of(&self.0, record.view());
        for (i, counter) in record.module.floats.iter().enumerate() {
            if let Rule::Fastest { rank, bytes } | Rule::Slowest { rank, bytes } = counter.rule {
                record.int[rank] = record.base.rank;
                record.int[bytes] = own.bytes;
                record.float[i] = own.time;
            }
        }
        record.base.rank = -1;
        Reduction { record, time: Spread::one(own.time), bytes: Spread::one(own.bytes as f64) }
    }
}

impl Reduction {
    /// Adds the records of other ranks. Records of another module or file are no such records, and
    /// change nothing.
    pub fn merge(&mut self, other: &Self) {
        let (own, theirs) = (&self.record, &other.record);
        if own.module.id != theirs.module.id || own.base.id != theirs.base.id {
            return;
        }
        let (into, from) = (&mut self.record, other.record.view());
        combine(into, from, merge_top4);
        for (i, counter) in from.module.floats.iter().enumerate() {
            let (rank, bytes) = match counter.rule {
                Rule::Fastest { rank, bytes } if from.float[i] < into.float[i] => (rank, bytes),
                Rule::Slowest { rank, bytes } if from.float[i] > into.float[i] => (rank, bytes),
                _ => continue,
            };
            into.float[i] = from.float[i];
            into.int[rank] = from.int[rank];
            into.int[bytes] = from.int[bytes];
        }
        self.time.merge(other.time);
        self.bytes.merge(other.bytes);
    }

    /// Which module and file.
    pub fn key(&self) -> (ModuleId, u64) {
        (self.record.module.id, self.record.base.id)
    }

    /// Appends what another process needs to go on with it: its words, of which most are zero and left out.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        let RecordBuf { module, base, link, int, float, uuids, words } = &self.record;
        let mut all = Vec::with_capacity(words_of(module));
        all.push(base.id);
        all.extend(link);
        all.extend(int.iter().map(|int| int.cast_unsigned()));
        all.extend(float.iter().map(|float| float.to_bits()));
        let halves = uuids.iter().flat_map(|uuid| uuid.as_chunks().0);
        all.extend(halves.map(|half| u64::from_le_bytes(*half)));
        all.extend(words);
        for Spread { count, total, squares } in [self.time, self.bytes] {
            all.extend([count, total, squares].map(f64::to_bits));
        }
        sparse::encode(&all, bytes);
    }

    /// Reads what was encoded of a record of `module` off the front of `bytes`.
    pub fn decode(module: &'static Module, bytes: &mut &[u8]) -> Option<Self> {
        let mut all = vec![0; words_of(module)];
        sparse::decode(&mut all, bytes)?;
        let mut all = all.into_iter();
        let mut record = RecordBuf::new(module);
        (record.base.id, record.base.rank) = (all.next()?, -1);
        record.link.iter_mut().zip(&mut all).for_each(|(link, word)| *link = word);
        record.int.iter_mut().zip(&mut all).for_each(|(int, word)| *int = word.cast_signed());
        let floats = record.float.iter_mut().zip(&mut all);
        floats.for_each(|(float, word)| *float = f64::from_bits(word));
        let halves = record.uuids.iter_mut().flat_map(|uuid| uuid.as_chunks_mut().0);
        halves.zip(&mut all).for_each(|(half, word)| *half = word.to_le_bytes());
        record.words.iter_mut().zip(&mut all).for_each(|(own, word)| *own = word);
        let mut value = || all.next().map(f64::from_bits);
        let mut spread = || Some(Spread { count: value()?, total: value()?, squares: value()? });
        Some(Self { record, time: spread()?, bytes: spread()? })
    }

    /// The record of all ranks.
    pub fn finish(mut self) -> RecordBuf {
        for (value, counter) in self.record.float.iter_mut().zip(self.record.module.floats) {
            match counter.rule {
                Rule::VarianceOfTime => *value = self.time.variance(),
                Rule::VarianceOfBytes => *value = self.bytes.variance(),
                _ => {}
            }
        }
        self.record
    }
}

/// How many words a reduction of `module` has.
fn words_of(module: &Module) -> usize {
    let links = usize::from(module.link.is_some());
    let (ints, floats) = (module.ints.len(), module.floats.len());
    1 + links + ints + floats + 2 * module.uuids + module.words + 2 * 3
}

/// Words without those that are zero: a bit for each of 64, then the others.
mod sparse {
    use alloc::vec::Vec;

    pub(super) fn encode(words: &[u64], bytes: &mut Vec<u8>) {
        bytes.reserve(size_of_val(words) + 8 * words.len().div_ceil(64));
        for group in words.chunks(64) {
            let bits = group.iter().enumerate();
            let mask = bits.fold(0, |mask, (bit, word)| mask | u64::from(*word != 0) << bit);
            bytes.extend_from_slice(&mask.to_le_bytes());
            for word in group.iter().filter(|word| **word != 0) {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
    }

    /// Sets those that are not zero, off the front of `bytes`; `None` if that is not what they are.
    pub(super) fn decode(words: &mut [u64], bytes: &mut &[u8]) -> Option<()> {
        let mut take = || {
            let (word, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u64::from_le_bytes(*word))
        };
        for group in words.chunks_mut(64) {
            let mut mask = take()?;
            while mask != 0 {
                *group.get_mut(mask.trailing_zeros() as usize)? = take()?;
                mask &= mask - 1;
            }
        }
        Some(())
    }
}

/// Adds to a record what the same rank did to the same file elsewhere, such as after it became
/// another program.
pub fn join(into: &mut RecordBuf, mut from: RecordBuf) {
    if into.module.id != from.module.id {
        return;
    }
    for (i, counter) in from.module.ints.iter().enumerate() {
        // What was not set does not replace what was.
        if counter.rule == Rule::Last && from.int[i] == 0 {
            from.int[i] = into.int[i];
        }
    }
    combine(into, from.view(), merge_top4);
}

/// What one rank did with a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RankShare {
    pub(crate) time: f64,
    pub(crate) bytes: i64,
}

impl RankShare {
    pub(crate) fn of(columns: &Columns, record: RecordRef<'_>) -> Self {
        let int = |index: Option<usize>| index.map_or(0, |i| record.int[i]);
        let float = |index: Option<usize>| index.map_or(0.0, |i| record.float[i]);
        Self {
            // The reference adds in this order.
            time: float(columns.read_time) + float(columns.write_time) + float(columns.meta_time),
            bytes: int(columns.bytes_read).wrapping_add(int(columns.bytes_written)),
        }
    }
}

/// Where the counters are that most modules share, found by the ends of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) bytes_read: Option<usize>,
    pub(crate) bytes_written: Option<usize>,
    pub(crate) max_byte_read: Option<usize>,
    pub(crate) max_byte_written: Option<usize>,
    pub(crate) read_time: Option<usize>,
    pub(crate) write_time: Option<usize>,
    pub(crate) meta_time: Option<usize>,
    pub(crate) slowest_time: Option<usize>,
}

impl Columns {
    pub(crate) fn of(module: &Module) -> Self {
        let find = |counters: &[ioglass_schema::Counter], end: &str| {
            counters.iter().position(|counter| {
                let head = counter.name.strip_suffix(end);
                head.is_some_and(|head| !head.contains("MAX") || end.starts_with("_MAX"))
            })
        };
        Self {
            bytes_read: find(module.ints, "_BYTES_READ"),
            bytes_written: find(module.ints, "_BYTES_WRITTEN"),
            max_byte_read: find(module.ints, "_MAX_BYTE_READ"),
            max_byte_written: find(module.ints, "_MAX_BYTE_WRITTEN"),
            read_time: find(module.floats, "_READ_TIME"),
            write_time: find(module.floats, "_WRITE_TIME"),
            meta_time: find(module.floats, "_META_TIME"),
            slowest_time: find(module.floats, "_SLOWEST_RANK_TIME"),
        }
    }
}

/// Number, sum and sum of squared deviations of some values; mergeable without the values.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    count: f64,
    total: f64,
    squares: f64,
}

impl Spread {
    fn one(value: f64) -> Self {
        Self { count: 1.0, total: value, squares: 0.0 }
    }

    fn merge(&mut self, other: Self) {
        let (m, n) = (self.count, other.count);
        let difference = (n / m) * self.total - other.total;
        self.squares += other.squares + (m / (n * (m + n))) * difference * difference;
        self.count += n;
        self.total += other.total;
    }

    /// To seven digits: more would be the noise of the order in which ranks were merged, and noise does not
    /// compress.
    fn variance(self) -> f64 {
        const NOISE: u64 = (1 << 29) - 1;
        let variance = self.squares / self.count;
        if variance.is_finite() { f64::from_bits(variance.to_bits() & !NOISE) } else { variance }
    }
}

/// Merges a table of four common values into another; takes the indices of its first value and
/// count, and the integers in a value.
pub(crate) type MergeTop4 = fn(&mut [i64], &[i64], usize, usize, usize);

/// Applies the rules that look at one counter at a time, and the tables of common values.
pub(crate) fn combine(into: &mut RecordBuf, from: RecordRef<'_>, top4: MergeTop4) {
    for (i, counter) in from.module.ints.iter().enumerate() {
        let value = from.int[i];
        let old = &mut into.int[i];
        match counter.rule {
            Rule::Sum => *old = old.wrapping_add(value),
            Rule::SumKnown => *old = old.wrapping_add(value).max(-1),
            Rule::Last => *old = value,
            Rule::Max => *old = value.max(*old),
            Rule::Or => *old = i64::from(*old != 0 || value != 0),
            Rule::Top4 { counts, width } => top4(&mut into.int, from.int, i, counts, width),
            _ => {}
        }
    }
    for (i, counter) in from.module.floats.iter().enumerate() {
        let value = from.float[i];
        let old = &mut into.float[i];
        match counter.rule {
            Rule::Sum => *old += value,
            Rule::MinNonZero if value > 0.0 && (*old == 0.0 || value < *old) => *old = value,
            Rule::Max if value > *old => *old = value,
            Rule::MaxWith(size) if value > *old => {
                *old = value;
                into.int[size] = from.int[size];
            }
            _ => {}
        }
    }
    for (old, value) in into.link.iter_mut().zip(from.link) {
        *old = *value;
    }
    for (old, value) in into.uuids.iter_mut().zip(from.uuids) {
        *old = *value;
    }
    for (old, value) in into.words.iter_mut().zip(from.words) {
        *old = *value;
    }
}

/// Values of a table of four are at most this wide.
const WIDEST: usize = 11;

/// One value with its count.
type Entry = ([i64; WIDEST], i64);

fn entry(int: &[i64], values: usize, counts: usize, width: usize, slot: usize) -> Entry {
    let mut value = [0; WIDEST];
    value[..width].copy_from_slice(&int[values + slot * width..][..width]);
    (value, int[counts + slot])
}

/// Both tables' values together, the four most frequent first; of equals the larger first.
fn merge_top4(into: &mut [i64], from: &[i64], values: usize, counts: usize, width: usize) {
    let mut merged: [Entry; 8] = [([0; WIDEST], 0); 8];
    let mut used = 0;
    for int in [from, &*into] {
        for slot in 0..4 {
            let (value, count) = entry(int, values, counts, width, slot);
            if value[0] == 0 {
                continue;
            }
            match merged[..used].iter_mut().find(|(known, _)| *known == value) {
                Some((_, known)) => *known = known.wrapping_add(count),
                None => {
                    merged[used] = (value, count);
                    used += 1;
                }
            }
        }
    }
    // Of values that compare equal the one inserted last comes first.
    merged[..used].reverse();
    merged[..used].sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then(b[0].cmp(&a[0])));
    for (slot, (value, count)) in merged[..4].iter().enumerate() {
        into[values + slot * width..][..width].copy_from_slice(&value[..width]);
        into[counts + slot] = *count;
    }
}

#[cfg(test)]
mod tests {
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
        Reducer::of(record.module).begin(record.into())
    }

    fn reduce(ranks: impl IntoIterator<Item = i64>) -> RecordBuf {
        let mut parts = ranks.into_iter().map(|r| begin(rank(r)));
        let first = parts.next().unwrap();
        let all = parts.fold(first, |mut all, part| {
            all.merge(&part);
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
        left.merge(&part(1));
        right.merge(&part(3));
        left.merge(&right);
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
        for cut in 0..bytes.len() {
            let mut short = &bytes[..cut];
            let all = [&posix::MODULE, &posix::MODULE, &h5d::MODULE]
                .map(|module| Reduction::decode(module, &mut short));
            assert!(all.contains(&None), "{cut}");
        }
        let mut left = bytes.as_slice();
        for reduction in sent {
            assert_eq!(Reduction::decode(reduction.record.module, &mut left), Some(reduction));
        }
        assert!(left.is_empty());
    }

    #[test]
    fn other_files_and_modules_change_nothing() {
        let mut shared = begin(rank(0));
        let before = shared.clone();
        shared.merge(&begin(Posix::new(78, 1)));
        shared.merge(&begin(h5d::H5d::new(77, 1)));
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
            shared.merge(&begin(dataset(stride)));
        }
        let shared = shared.finish();
        assert_eq!(shared.int[h5d::ACCESS1_STRIDE_D1], 1);
        assert_eq!(shared.int[h5d::ACCESS1_COUNT], 3);
        assert_eq!(shared.int[h5d::ACCESS2_ACCESS], 800);
        assert_eq!(shared.int[h5d::ACCESS2_STRIDE_D1], 2);
        assert_eq!(shared.int[h5d::ACCESS2_COUNT], 1);
    }
}
