//! Figures of regions rank by rank.

use std::collections::{BTreeSet, HashMap, HashSet};

use ioglass_profile::summary::Figures;
use ioglass_profile::{Row, Set};

/// Figures that are shown at most, of all regions together.
const MOST_CELLS: usize = 150_000;
/// Columns that are shown at most, and at least if there are so many ranks.
const MOST_COLUMNS: usize = 2_048;
const LEAST_COLUMNS: usize = 128;
/// Steps between nothing and the largest figure of a region.
const STEPS: u64 = 16_000;

/// The columns of figures by rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Columns {
    /// Number of columns.
    pub count: usize,
    /// Ranks of a column. Its figures are those of the slowest of them.
    pub per: u32,
    /// Number of ranks.
    pub ranks: u32,
    /// The first rank.
    pub first: u32,
}

impl Columns {
    /// The columns for this number of regions.
    pub(super) fn of(set: &Set, regions: usize) -> Self {
        if let Some(rank) = set.selected_rank() {
            return Self { count: 1, per: 1, ranks: 1, first: rank };
        }
        let profile = set.profile();
        let last = profile.processes.iter().map(|process| process.rank.saturating_add(1)).max();
        let ranks = profile.head.ranks.max(last.unwrap_or(0)).max(1);
        let most = (MOST_CELLS / regions.max(1)).clamp(LEAST_COLUMNS, MOST_COLUMNS) as u32;
        let per = ranks.div_ceil(most);
        Self { count: ranks.div_ceil(per) as usize, per, ranks, first: 0 }
    }

    /// The column of a rank.
    pub fn of_rank(&self, rank: u32) -> usize {
        ((rank.saturating_sub(self.first) / self.per.max(1)) as usize).min(self.count - 1)
    }
}

/// Figures of a region by rank, in the order of columns. Times are numbers of a unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByRank {
    /// The unit, in nanoseconds.
    pub unit_ns: u64,
    /// Visits.
    pub calls: Vec<u64>,
    /// Time in it; none where no rank of the column was there.
    pub time: Vec<Option<u64>>,
    /// Time in it without that of its children.
    pub own: Vec<u64>,
    /// Time in file calls, children included; empty if there was none.
    pub files: Vec<u64>,
}

/// What one rank did in a region.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    is_there: bool,
    calls: u64,
    time: u64,
    own: u64,
    files: u64,
}

/// The figures of those regions that are kept, with their sum of time in file calls. The list is in
/// the order of the tree.
pub(super) fn tables(
    set: &Set,
    regions: &[u32],
    kept: &HashSet<u32>,
    columns: &Columns,
) -> HashMap<u32, (ByRank, u64)> {
    let processes = &set.profile().processes;
    let ranks: BTreeSet<u32> = processes.iter().map(|process| process.rank).collect();
    let ranks: Vec<u32> = ranks.into_iter().collect();
    let place = |row: &Row| {
        let rank = processes.get(row.process as usize)?.rank;
        ranks.binary_search(&rank).ok()
    };
    // File calls below a region whose own turn is still to come: children come first here.
    let mut below: HashMap<u32, Vec<u64>> = HashMap::new();
    let mut found = HashMap::new();
    let mut cells: Vec<Cell> = Vec::new();
    for number in regions.iter().rev() {
        cells.clear();
        cells.resize(ranks.len(), Cell::default());
        let mut has_files = false;
        for row in set.rows(*number, false) {
            let Some(cell) = place(&row).and_then(|place| cells.get_mut(place)) else { continue };
            cell.is_there = true;
            cell.calls = cell.calls.saturating_add(row.calls);
            cell.time = cell.time.saturating_add(row.time_ns);
            cell.own = cell.own.saturating_add(row.exclusive_ns);
            if !row.io.is_empty() {
                has_files = true;
                let figures = Figures { io: row.io, ..Figures::default() };
                cell.files = cell.files.saturating_add(figures.io_ns());
            }
        }
        if let Some(inner) = below.remove(number) {
            has_files = true;
            for (cell, inner) in cells.iter_mut().zip(inner) {
                cell.files = cell.files.saturating_add(inner);
            }
        }
        if let Some(parent) = set.profile().regions[*number as usize].parent.filter(|_| has_files) {
            let sums = below.entry(parent).or_insert_with(|| vec![0; ranks.len()]);
            for (sum, cell) in sums.iter_mut().zip(&cells) {
                *sum = sum.saturating_add(cell.files);
            }
        }
        if kept.contains(number) {
            let files = cells.iter().fold(0_u64, |sum, cell| sum.saturating_add(cell.files));
            found.insert(*number, (in_columns(&ranks, &cells, has_files, columns), files));
        }
    }
    found
}

fn in_columns(ranks: &[u32], cells: &[Cell], has_files: bool, columns: &Columns) -> ByRank {
    let most = cells.iter().map(|cell| cell.time.max(cell.files)).max().unwrap_or(0);
    let mut unit_ns = 1_u64;
    while most / unit_ns > STEPS {
        unit_ns = unit_ns.saturating_mul(10);
    }
    let units = |time: u64| (time + unit_ns / 2) / unit_ns;
    let mut table = ByRank {
        unit_ns,
        calls: vec![0; columns.count],
        time: vec![None; columns.count],
        own: vec![0; columns.count],
        files: vec![0; if has_files { columns.count } else { 0 }],
    };
    for (rank, cell) in ranks.iter().zip(cells).filter(|(_, cell)| cell.is_there) {
        let at = columns.of_rank(*rank);
        table.calls[at] = table.calls[at].saturating_add(cell.calls);
        table.time[at] = table.time[at].max(Some(units(cell.time)));
        table.own[at] = table.own[at].max(units(cell.own));
        if let Some(files) = table.files.get_mut(at) {
            *files = (*files).max(units(cell.files));
        }
    }
    table
}
