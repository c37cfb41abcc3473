//! Sums over files, and over the files of each rank.

use std::collections::BTreeMap;

use super::usage::{Direction, RankUse, Usage, Way};

/// Usage by each rank.
pub type RankTotals = BTreeMap<i64, RankUse>;

/// Sums of one interface over files.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    /// Files.
    pub files: u64,
    /// The sum. Ranks are in `by_rank`; the alignment is
    /// the largest; extents and times of day mean nothing here.
    pub sum: Usage,
    /// Usage by single ranks of files that are not shared by all.
    pub by_rank: RankTotals,
    /// Seconds of the slowest rank: on its own files, and the slowest on each shared one.
    pub slowest: f64,
    /// The part of them in reads.
    pub slowest_read: f64,
    /// In writes.
    pub slowest_write: f64,
    /// In metadata calls.
    pub slowest_meta: f64,
    /// The rank that is slowest on its own files.
    pub slowest_rank: Option<i64>,
    /// Seconds in metadata calls that each rank spends on files whose records stand for all.
    pub(crate) meta_of_each: f64,
    /// Something was moved that is not told by ranks.
    pub(crate) hides_ranks: bool,
    shared: [f64; 3],
    parts: BTreeMap<i64, [f64; 2]>,
}

impl Totals {
    pub(crate) fn add(&mut self, usage: &Usage, ranks: u64) {
        self.files += 1;
        self.sum.merge(usage);
        let time = usage.time();
        for rank in &usage.by_rank {
            let sum = self.by_rank.entry(rank.rank).or_default();
            sum.rank = rank.rank;
            sum.add(rank);
            // Records tell the directions of a file apart, not of each rank; shares are its own.
            let read = usage.way(Direction::Read).time;
            let data = usage.data_time();
            let part = if data > 0.0 { read / data } else { 0.0 };
            let parts = self.parts.entry(rank.rank).or_default();
            parts[0] += rank.data_time * part;
            parts[1] += rank.data_time * (1.0 - part);
        }
        if usage.reduced.is_some() {
            let own: f64 = usage.by_rank.iter().map(|rank| rank.meta_time).sum();
            self.meta_of_each += (usage.meta_time - own).max(0.0) / ranks as f64;
            self.hides_ranks |= usage.bytes() > 0;
            let slowest = usage.slowest_time(ranks);
            let of = |part: f64| if time > 0.0 { slowest * part / time } else { 0.0 };
            let [read, write] = [usage.ways[0].time, usage.ways[1].time];
            for (sum, part) in self.shared.iter_mut().zip([read, write, usage.meta_time]) {
                *sum += of(part);
            }
        }
    }

    /// Adds seconds in metadata calls that belong to no record; of all ranks if it is not known of
    /// which.
    pub(crate) fn add_metadata(&mut self, rank: Option<i64>, seconds: f64) {
        self.sum.meta_time += seconds;
        if let Some(rank) = rank {
            let sum = self.by_rank.entry(rank).or_default();
            sum.rank = rank;
            sum.meta_time += seconds;
        }
    }

    pub(crate) fn finish(&mut self) {
        let slowest = self
            .by_rank
            .values()
            .max_by(|a, b| a.time().total_cmp(&b.time()).then(b.rank.cmp(&a.rank)));
        let own = slowest.copied().unwrap_or_default();
        let parts =
            slowest.and_then(|rank| self.parts.get(&rank.rank)).copied().unwrap_or_default();
        self.slowest_rank = slowest.map(|rank| rank.rank);
        self.slowest_read = parts[0] + self.shared[0];
        self.slowest_write = parts[1] + self.shared[1];
        self.slowest_meta = own.meta_time + self.shared[2];
        self.slowest = self.slowest_read + self.slowest_write + self.slowest_meta;
    }

    /// Reading or writing.
    pub fn way(&self, direction: Direction) -> &Way {
        self.sum.way(direction)
    }

    /// The slowest rank's seconds in one direction.
    pub fn slowest_way(&self, direction: Direction) -> f64 {
        match direction {
            Direction::Read => self.slowest_read,
            Direction::Write => self.slowest_write,
        }
    }
}
