//! How much is shown of a run: all there is room for.

/// How finely a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Calls that are shown one by one; of a longer trace cells are.
    pub calls: u64,
    /// Cells of a layer over time; charts with fewer cells have as much less of them.
    pub cells: usize,
}

impl Room {
    /// From the finest on. What is shown of a log is hardly ever too much for the first; calls
    /// and bytes that look like noise, and names of a thousand letters, may be.
    pub const LADDER: [Self; 4] = [
        Self { calls: 200_000, cells: 1 << 18 },
        Self { calls: 0, cells: 1 << 18 },
        Self { calls: 0, cells: 1 << 16 },
        Self { calls: 0, cells: 1 << 14 },
    ];

    /// As finely as anything is shown.
    pub const FINEST: Self = Self::LADDER[0];

    /// Rows of a heat map.
    pub(super) fn heat_rows(&self) -> usize {
        self.cells >> 10
    }

    /// Rows of a file, which are ranks or stretches of time.
    pub(super) fn space_rows(&self) -> usize {
        self.cells >> 11
    }
}
