//! The usage of a file through one interface, by one rank or by all.

use smallvec::{Array, SmallVec};

use super::believed::{MOST, add_count};
use super::sizes::{CLASS_BOUNDS, CLASSES, Sizes};

/// Sizes and counts that are kept for a file; a record has four.
const MOST_VALUES: usize = 64;

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the file.
    Read = 0,
    /// To the file.
    Write = 1,
}

impl Direction {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Read, Self::Write];

    /// `read` or `write`.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// `reads` or `writes`.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
        }
    }
}

/// Sums of one direction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Way {
    /// Calls, of whatever kind the interface has.
    pub calls: u64,
    /// Bytes.
    pub bytes: u64,
    /// Seconds, all ranks together.
    pub time: f64,
    /// The part of them in syncs, where it is known.
    pub synced: f64,
    /// Calls that began where the last one ended.
    pub consecutive: u64,
    /// Calls that began behind the end of the last one.
    pub sequential: u64,
    /// End of the highest byte; 0 if there is none.
    pub extent: u64,
    /// Calls by size class.
    pub sizes: Sizes,
    /// Seconds since the start at which it was first done; 0 if never.
    pub first: f64,
    /// Seconds since the start at which it was last done.
    pub last: f64,
    pub(super) kinds: Option<Box<CallKinds>>,
}

impl Way {
    /// Calls by kind, of an interface that tells.
    pub fn kinds(&self) -> CallKinds {
        self.kinds.as_deref().copied().unwrap_or_default()
    }
}

/// Calls of MPI-IO, or a library upon it, by kind. Most files know nothing of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallKinds {
    /// Made alone.
    pub independent: u64,
    /// Made together.
    pub collective: u64,
    /// Made together in two steps.
    pub split: u64,
    /// Not waited for.
    pub nonblocking: u64,
}

impl CallKinds {
    /// Calls that all ranks made together, in one step or two.
    pub fn together(&self) -> u64 {
        self.collective.saturating_add(self.split)
    }

    pub(super) fn add(&mut self, other: &Self) {
        add_count(&mut self.independent, other.independent);
        add_count(&mut self.collective, other.collective);
        add_count(&mut self.split, other.split);
        add_count(&mut self.nonblocking, other.nonblocking);
    }
}

/// Usage by one rank.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RankUse {
    /// The rank.
    pub rank: i64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Seconds in reads and writes.
    pub data_time: f64,
    /// Seconds in metadata calls.
    pub meta_time: f64,
}

impl RankUse {
    /// Bytes both ways.
    pub fn bytes(&self) -> u64 {
        self.read.saturating_add(self.written)
    }

    /// All seconds.
    pub fn time(&self) -> f64 {
        self.data_time + self.meta_time
    }

    pub(crate) fn add(&mut self, other: &Self) {
        add_count(&mut self.read, other.read);
        add_count(&mut self.written, other.written);
        self.data_time += other.data_time;
        self.meta_time += other.meta_time;
    }
}

/// Figures about ranks in a record that stands for all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reduced {
    /// Seconds of the fastest rank.
    pub fastest_time: f64,
    /// Seconds of the slowest rank.
    pub slowest_time: f64,
    /// Bytes of the fastest rank.
    pub fastest_bytes: u64,
    /// Bytes of the slowest rank.
    pub slowest_bytes: u64,
    /// The slowest rank.
    pub slowest: i64,
    /// Variance of the ranks' seconds; 0 if not known.
    pub variance_time: f64,
    /// Variance of the ranks' bytes; 0 if not known.
    pub variance_bytes: f64,
}

impl Reduced {
    /// Adds another record of the same file: figures of ranks add up, as their seconds do.
    pub(super) fn and(&self, other: &Self) -> Self {
        let slower = if other.slowest_time > self.slowest_time { other } else { self };
        Self {
            fastest_time: self.fastest_time + other.fastest_time,
            slowest_time: self.slowest_time + other.slowest_time,
            fastest_bytes: self.fastest_bytes.saturating_add(other.fastest_bytes).min(MOST),
            slowest_bytes: self.slowest_bytes.saturating_add(other.slowest_bytes).min(MOST),
            slowest: slower.slowest,
            variance_time: self.variance_time + other.variance_time,
            variance_bytes: self.variance_bytes + other.variance_bytes,
        }
    }
}

/// Values with their counts. Some are held in place: detectors go through very many files again and
/// again, and most files have no more.
pub type Values<const IN_PLACE: usize> = SmallVec<[(u64, u64); IN_PLACE]>;

/// Calls that few files have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rare {
    /// Mappings into memory.
    pub mmaps: u64,
    /// Further descriptors made of one that was open.
    pub dups: u64,
    /// Calls that force data to the storage: `fsync`, `fdatasync`, flushes, `MPI_File_sync`.
    pub syncs: u64,
    /// Changes between reading and writing.
    pub switches: u64,
}

impl Rare {
    pub(super) fn add(&mut self, other: &Self) {
        add_count(&mut self.mmaps, other.mmaps);
        add_count(&mut self.dups, other.dups);
        add_count(&mut self.syncs, other.syncs);
        add_count(&mut self.switches, other.switches);
    }
}

/// Usage of a file through one interface. There may be very many, and most time goes into fetching
/// them from memory: parts that few of them have are boxed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Reading and writing.
    pub ways: [Way; 2],
    /// Seconds in metadata calls, all ranks together.
    pub meta_time: f64,
    /// Opens.
    pub opens: u64,
    /// Calls of the `stat` family.
    pub stats: u64,
    /// Seeks.
    pub seeks: u64,
    /// Requests from or to memory that is not aligned.
    pub memory_misaligned: u64,
    /// Requests at offsets that are not aligned.
    pub file_misaligned: u64,
    /// The alignment meant; 0 if not known.
    pub alignment: u64,
    /// Usage by single ranks, by rank. Empty if the record stands for all of them.
    pub by_rank: SmallVec<[RankUse; 1]>,
    /// Figures about the ranks if it does.
    pub reduced: Option<Box<Reduced>>,
    /// The commonest sizes of requests, both ways, and their counts.
    pub common_sizes: Values<2>,
    /// The commonest strides and their counts.
    pub strides: Values<1>,
    /// Seconds since the start of the last close.
    pub last_close: f64,
    /// True if it was opened past the cache of the system.
    pub is_direct: bool,
    pub(super) rare: Option<Box<Rare>>,
    /// Some counters were not available and hold no number.
    pub has_unknown: bool,
}

impl Usage {
    /// Reading or writing.
    pub fn way(&self, direction: Direction) -> &Way {
        &self.ways[direction as usize]
    }

    /// Some calls were made by all ranks together.
    pub fn is_collective(&self) -> bool {
        self.ways.iter().any(|way| way.kinds().together() > 0)
    }

    /// Calls that few files have.
    pub fn rare(&self) -> Rare {
        self.rare.as_deref().copied().unwrap_or_default()
    }

    /// Reads and writes.
    pub fn calls(&self) -> u64 {
        self.ways[0].calls.saturating_add(self.ways[1].calls)
    }

    /// Bytes both ways.
    pub fn bytes(&self) -> u64 {
        self.ways[0].bytes.saturating_add(self.ways[1].bytes)
    }

    /// Seconds in reads and writes, all ranks together.
    pub fn data_time(&self) -> f64 {
        self.ways[0].time + self.ways[1].time
    }

    /// Seconds in all calls, all ranks together.
    pub fn time(&self) -> f64 {
        self.data_time() + self.meta_time
    }

    /// End of the highest byte that was touched.
    pub fn extent(&self) -> u64 {
        self.ways[0].extent.max(self.ways[1].extent)
    }

    /// Ranks that used it, of `all`.
    pub fn ranks(&self, all: u64) -> u64 {
        if self.reduced.is_some() { all } else { self.by_rank.len() as u64 }
    }

    /// Ranks that moved its bytes, of `all`. A record that stands for all ranks has a variance; the
    /// number of ranks that gives this variance, if each of them moved the same, counts.
    pub fn movers(&self, all: u64) -> u64 {
        let bytes: u64 = self.ways.iter().map(|way| way.bytes).sum();
        let own = self.by_rank.iter().filter(|rank| rank.read + rank.written > 0).count() as u64;
        let Some(reduced) = self.reduced.as_deref().filter(|_| bytes > 0) else { return own };
        let mean = bytes as f64 / all.max(1) as f64;
        let movers = all as f64 / (1.0 + reduced.variance_bytes / (mean * mean));
        own + (movers.round() as u64).max(1)
    }

    /// Seconds of the rank that spent most on it.
    pub fn slowest_time(&self, all: u64) -> f64 {
        let known = self.by_rank.iter().map(RankUse::time).fold(0.0, f64::max);
        match self.reduced.as_deref() {
            // Old records do not tell; then all ranks are taken to be alike.
            Some(reduced) if reduced.slowest_time > 0.0 => known.max(reduced.slowest_time),
            Some(_) => known.max(self.time() / all.max(1) as f64),
            None => known,
        }
    }

    /// The part of the slowest rank's seconds that `part` of all seconds makes up.
    pub fn slowest_part(&self, part: f64, all: u64) -> f64 {
        let time = self.time();
        if time > 0.0 { self.slowest_time(all) * (part / time).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Requests below `bytes`. Requests of the same size class that are known to be larger do not
    /// count: Darshan's class below 1 MiB also has those of exactly 1 MiB.
    pub fn small(&self, direction: Direction, bytes: u64) -> u64 {
        let bound = CLASS_BOUNDS.partition_point(|bound| *bound < bytes);
        let class = bound.min(CLASSES - 1);
        let exact_of = |way: &Way| way.sizes.of(class);
        let exact: u64 = self
            .common_sizes
            .iter()
            .filter(|(size, _)| {
                *size >= bytes && CLASS_BOUNDS.get(bound).is_some_and(|b| size <= b)
            })
            .map(|(_, count)| count)
            .sum();
        // Sizes are not told apart by direction; share them out as the class is.
        let [read, write] = [exact_of(&self.ways[0]), exact_of(&self.ways[1])];
        let own = exact_of(self.way(direction));
        let part = if read + write == 0 {
            0
        } else {
            let share = exact.min(read + write) as f64 * own as f64 / (read + write) as f64;
            share.round() as u64
        };
        self.way(direction).sizes.up_to(class).saturating_sub(part.min(own))
    }

    /// Requests that neither continue nor step forward. The first request after an open does not
    /// count.
    pub fn random(&self, direction: Direction) -> u64 {
        let way = self.way(direction);
        let calls = self.calls().max(1);
        let first = (self.opens as f64 * way.calls as f64 / calls as f64).ceil() as u64;
        way.calls.saturating_sub(way.sequential).saturating_sub(first)
    }

    /// The size that most requests have, of those whose sizes are known.
    pub fn common_size(&self) -> Option<(u64, u64)> {
        self.common_sizes.iter().copied().max_by_key(|(size, count)| (*count, *size))
    }

    /// Adds the sums of another file.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (way, new) in self.ways.iter_mut().zip(&other.ways) {
            for (sum, new) in [
                (&mut way.calls, new.calls),
                (&mut way.bytes, new.bytes),
                (&mut way.consecutive, new.consecutive),
                (&mut way.sequential, new.sequential),
            ] {
                add_count(sum, new);
            }
            way.time += new.time;
            way.sizes.merge(&new.sizes);
            if let Some(kinds) = &new.kinds {
                way.kinds.get_or_insert_default().add(kinds);
            }
        }
        for (sum, new) in [
            (&mut self.opens, other.opens),
            (&mut self.stats, other.stats),
            (&mut self.seeks, other.seeks),
            (&mut self.memory_misaligned, other.memory_misaligned),
            (&mut self.file_misaligned, other.file_misaligned),
        ] {
            add_count(sum, new);
        }
        if let Some(rare) = &other.rare {
            self.rare.get_or_insert_default().add(rare);
        }
        self.alignment = self.alignment.max(other.alignment);
        self.meta_time += other.meta_time;
        self.has_unknown |= other.has_unknown;
        add_values(&mut self.common_sizes, other.common_sizes.iter().copied());
        add_values(&mut self.strides, other.strides.iter().copied());
    }

    /// Sorts the usages of ranks and leaves one entry for each rank.
    pub(crate) fn finish(&mut self) {
        self.by_rank.sort_by(|a, b| {
            let key = |rank: &RankUse| (rank.rank, rank.read, rank.written);
            key(a).cmp(&key(b)).then(a.time().total_cmp(&b.time()))
        });
        self.by_rank.dedup_by(|next, kept| {
            let same = next.rank == kept.rank;
            if same {
                kept.add(next);
            }
            same
        });
        for values in [&mut self.common_sizes[..], &mut self.strides] {
            values.sort_by_key(|(value, count)| (std::cmp::Reverse(*count), *value));
        }
    }
}

/// Adds to the count of a value; of very many different ones the first are kept.
pub(super) fn add_value<T: PartialEq, A: Array<Item = (T, u64)>>(
    values: &mut SmallVec<A>,
    value: T,
    count: u64,
) {
    if let Some((_, sum)) = values.iter_mut().find(|(known, _)| *known == value) {
        add_count(sum, count);
    } else if values.len() < MOST_VALUES {
        values.push((value, count));
    }
}

pub(super) fn add_values<const IN_PLACE: usize>(
    values: &mut Values<IN_PLACE>,
    new: impl Iterator<Item = (u64, u64)>,
) where
    [(u64, u64); IN_PLACE]: Array<Item = (u64, u64)>,
{
    new.for_each(|(value, count)| add_value(values, value, count));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_record_of_all_ranks_adds_to_the_first() {
        let half =
            Reduced { slowest_time: 3.0, fastest_time: 1.0, slowest: 5, ..Reduced::default() };
        let other = Reduced { slowest_time: 4.0, slowest: 7, ..half };
        let both = half.and(&other);
        assert_eq!((both.slowest_time, both.fastest_time, both.slowest), (7.0, 2.0, 7));
        // The slowest rank never takes less than the average one.
        let way = Way { time: 24.0, ..Way::default() };
        let usage =
            Usage { ways: [way.clone(), way], reduced: Some(Box::new(both)), ..Usage::default() };
        assert!(usage.slowest_time(8) >= usage.time() / 8.0);
    }
}
