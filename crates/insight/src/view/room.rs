//! The room for what is shown of a run.

/// Limits of detail in which a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Most calls that are shown one by one; a longer trace is shown as cells.
    pub calls: u64,
    /// Cells of a layer over time; other charts have a fixed part of them.
    pub cells: usize,
}

impl Room {
    /// Limits from the finest on. Nearly every log fits the first; calls and bytes that look like
    /// noise, and names of a thousand letters, may not.
    pub const LADDER: [Self; 4] = [
        Self { calls: 200_000, cells: 1 << 18 },
        Self { calls: 0, cells: 1 << 18 },
        Self { calls: 0, cells: 1 << 16 },
        Self { calls: 0, cells: 1 << 14 },
    ];

    /// The finest limits.
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
