//! VORPAL: a field of vectors on a grid. Each rank writes a block, which is many short rows of the file.

use crate::shape::{Element, Misfit, Part};

/// Components of a vector, which lie beside each other.
const COMPONENTS: u64 = 3;

/// Blocks of a field; all triples are x, y, z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vorpal {
    /// Cells of a block.
    pub block: [u64; 3],
    /// Blocks along each side; none divides the ranks evenly.
    pub grid: Option<[u64; 3]>,
    /// Along each side, blocks in turn have so many cells less, as many, and so many more.
    pub uneven: [u64; 3],
}

impl Default for Vorpal {
    fn default() -> Self {
        Vorpal { block: [100, 100, 60], grid: None, uneven: [0; 3] }
    }
}

impl Vorpal {
    pub(crate) fn part(&self, rank: u64, ranks: u64) -> Result<Part, Misfit> {
        let grid = self.grid.unwrap_or_else(|| grid_of(ranks));
        let blocks = grid.iter().copied().fold(1, u64::saturating_mul);
        if blocks != ranks {
            let [x, y, z] = grid;
            let text =
                format!("a grid of {x},{y},{z} has {blocks} blocks, one for each of {blocks}");
            return Err(Misfit(format!("{text} ranks; there are {ranks}")));
        }
        let at = [rank % grid[0], rank / grid[0] % grid[1], rank / (grid[0] * grid[1])];
        let side = |axis: usize| -> Result<[u64; 3], Misfit> {
            let before = (0..at[axis]).map(|block| self.cells(axis, block)).sum();
            let all = (0..grid[axis]).map(|block| self.cells(axis, block)).sum();
            if self.uneven[axis] >= self.block[axis] {
                let (d, b) = (self.uneven[axis], self.block[axis]);
                return Err(Misfit(format!("blocks of {b} cells cannot have {d} less")));
            }
            Ok([all, before, self.cells(axis, at[axis])])
        };
        let [x, y, z] = [side(0)?, side(1)?, side(2)?];
        let folded = |number: usize| vec![z[number], y[number], COMPONENTS * x[number]];
        Ok(Part {
            name: "E",
            element: Element::Double,
            extent: folded(0),
            start: folded(1),
            count: folded(2),
        })
    }

    /// The cells of a block along a side.
    fn cells(&self, axis: usize, block: u64) -> u64 {
        let (mean, less) = (self.block[axis], self.uneven[axis]);
        match block % 3 {
            0 => mean.saturating_sub(less),
            1 => mean,
            _ => mean.saturating_add(less),
        }
    }
}

/// The most even grid of so many blocks, the longest side first.
fn grid_of(ranks: u64) -> [u64; 3] {
    let mut best = [ranks, 1, 1];
    let divisors =
        |number: u64| (1..=number.isqrt()).filter(move |side| number.is_multiple_of(*side));
    for z in divisors(ranks) {
        for y in divisors(ranks / z).filter(|y| *y >= z) {
            let grid = [ranks / z / y, y, z];
            if grid[0] - z < best[0] - best[2] {
                best = grid;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_even() {
        let rows =
            [(1, [1, 1, 1]), (2, [2, 1, 1]), (4, [2, 2, 1]), (8, [2, 2, 2]), (12, [3, 2, 2])];
        for (ranks, grid) in rows {
            assert_eq!(grid_of(ranks), grid);
        }
        assert_eq!(grid_of(7), [7, 1, 1]);
    }

    #[test]
    fn blocks_tile_the_field() {
        for uneven in [[0; 3], [2, 1, 3]] {
            let vorpal = Vorpal { block: [5, 4, 6], grid: Some([3, 2, 2]), uneven };
            let parts: Vec<Part> = (0..12).map(|rank| vorpal.part(rank, 12).unwrap()).collect();
            let whole: u64 = parts[0].extent.iter().product();
            assert_eq!(parts.iter().map(Part::points).sum::<u64>(), whole);
            for part in &parts {
                let fits = |axis: usize| part.start[axis] + part.count[axis] <= part.extent[axis];
                assert!((0..3).all(fits), "{part:?}");
            }
            let mut starts: Vec<_> = parts.iter().map(|part| part.start.clone()).collect();
            starts.sort();
            starts.dedup();
            assert_eq!(starts.len(), 12);
        }
    }

    #[test]
    fn the_default_block_is_that_of_the_paper() {
        let part = Vorpal::default().part(0, 128).unwrap();
        assert_eq!(part.count, [60, 100, 300]);
        assert_eq!(part.points() * part.element.bytes(), 14_400_000);
    }

    #[test]
    fn a_wrong_grid_is_told() {
        let vorpal = Vorpal { grid: Some([2, 2, 1]), ..Vorpal::default() };
        let error = vorpal.part(0, 2).unwrap_err().to_string();
        assert_eq!(error, "a grid of 2,2,1 has 4 blocks, one for each of 4 ranks; there are 2");
        let vorpal = Vorpal { uneven: [100, 0, 0], ..Vorpal::default() };
        assert!(vorpal.part(0, 1).is_err());
    }
}
