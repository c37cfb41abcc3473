//! Groups of ranks: each writes a file of the profile.

use core::ops::Range;

/// Ranks in a file, unless a number of files is asked for.
const RANKS_PER_FILE: u32 = 256;

/// Ranks in groups of consecutive ranks, with sizes that differ by at most one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Groups {
    ranks: u32,
    count: u32,
}

impl Groups {
    /// The groups of `ranks` ranks for so many files: at least one, at most as many as there are
    /// ranks.
    pub fn new(ranks: u32, files: Option<u64>) -> Self {
        let ranks = ranks.max(1);
        let files = files.unwrap_or(ranks.div_ceil(RANKS_PER_FILE).into());
        Self { ranks, count: files.clamp(1, ranks.into()) as u32 }
    }

    /// Number of groups.
    pub fn count(self) -> u32 {
        self.count
    }

    /// The ranks of a group. The first of them writes its file.
    pub fn ranks(self, group: u32) -> Range<u32> {
        self.begin(group)..self.begin(group + 1)
    }

    /// The group of a rank.
    pub fn of(self, rank: u32) -> u32 {
        // Sizes are at most one apart, so the quotient is the group or the one before it.
        let near = (u64::from(rank) * u64::from(self.count) / u64::from(self.ranks)) as u32;
        near + u32::from(near + 1 < self.count && self.begin(near + 1) <= rank)
    }

    /// The group that a rank writes the file of, if it is the first in one.
    pub fn led_by(self, rank: u32) -> Option<u32> {
        Some(self.of(rank)).filter(|group| self.begin(*group) == rank)
    }

    fn begin(self, group: u32) -> u32 {
        (u64::from(group) * u64::from(self.ranks) / u64::from(self.count)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_in_one_group() {
        for ranks in 1..40 {
            for files in 0..45 {
                let groups = Groups::new(ranks, Some(files));
                let all: Vec<u32> =
                    (0..groups.count()).flat_map(|group| groups.ranks(group)).collect();
                assert_eq!(all, (0..ranks).collect::<Vec<_>>());
                let sizes: Vec<_> = (0..groups.count()).map(|g| groups.ranks(g).len()).collect();
                assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
                for rank in 0..ranks {
                    let led = (0..groups.count()).find(|group| groups.ranks(*group).start == rank);
                    assert_eq!(groups.led_by(rank), led, "{rank} of {ranks} in {files}");
                    assert!(groups.ranks(groups.of(rank)).contains(&rank));
                }
            }
        }
        assert_eq!(Groups::new(256, None).count(), 1);
        assert_eq!(Groups::new(257, None).count(), 2);
        assert_eq!(Groups::new(3, Some(u64::MAX)).count(), 3);
    }
}
