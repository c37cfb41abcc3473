//! Rows of a chart: ranks that did something, or groups of them if they are many.

/// Ranks in rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// The first rank of each row, in order.
    pub first: Vec<u32>,
    /// Ranks in a row; the last may have fewer.
    pub per_row: u64,
    /// Ranks that did something.
    pub ranks: u64,
}

impl Rows {
    /// Rows of these ranks, which are in order, at most so many.
    pub(super) fn of(ranks: &[u32], most: usize) -> Self {
        let per_row = ranks.len().div_ceil(most).max(1);
        let first = ranks.chunks(per_row).filter_map(|row| row.first()).copied().collect();
        Self { first, per_row: per_row as u64, ranks: ranks.len() as u64 }
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.first.len()
    }

    /// The row of a rank, one of those the rows were made of.
    pub(super) fn row(&self, rank: u32) -> Option<usize> {
        self.first.partition_point(|first| *first <= rank).checked_sub(1)
    }

    /// Returns true if a row has this rank, alone or among others.
    pub fn has(&self, rank: u32) -> bool {
        match self.per_row {
            1 => self.first.binary_search(&rank).is_ok(),
            _ => self.row(rank).is_some(),
        }
    }

    /// Ranks in this row.
    pub fn ranks_in(&self, row: usize) -> u64 {
        let before = self.per_row.saturating_mul(row as u64);
        self.ranks.saturating_sub(before).min(self.per_row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ranks_share_rows() {
        let rows = Rows::of(&[2, 5, 6, 9, 40], 2);
        assert_eq!((rows.count(), rows.per_row, &rows.first[..]), (2, 3, &[2, 9][..]));
        assert_eq!(
            (rows.row(2), rows.row(6), rows.row(9), rows.row(40)),
            (Some(0), Some(0), Some(1), Some(1))
        );
        assert_eq!((rows.ranks_in(0), rows.ranks_in(1)), (3, 2));
        assert_eq!(rows.row(1), None);
        let few = Rows::of(&[7], 10);
        assert_eq!((few.count(), few.per_row, few.row(7)), (1, 1, Some(0)));
        assert_eq!(Rows::of(&[], 10).count(), 0);
        assert!(few.has(7) && !few.has(8) && rows.has(6) && !rows.has(1));
    }
}
