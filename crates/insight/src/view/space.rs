//! Offsets in a file by rank, of a trace that is too long for single calls.

use super::room::Room;
use super::rows::Rows;
use super::strips::Strips;
use super::timeline::{BUSY, nanoseconds};
use crate::trace::Op;

/// Files that are shown.
pub(super) const MOST_FILES: usize = 4;
/// Bins of a file.
const MOST_BINS: usize = 512;

/// Parts of a file that each rank touched.
#[derive(Debug)]
pub struct Space {
    /// The interface.
    pub name: &'static str,
    /// The file, a place in the list of files.
    pub file: u32,
    /// Ranks.
    pub rows: Rows,
    /// Bins of offsets.
    pub bins: usize,
    /// Bytes of one.
    pub width: u64,
    /// Reads of each bin, as a multiple of [`BUSY`], row by row.
    pub read: Vec<u64>,
    /// Writes of each bin, in the same way.
    pub written: Vec<u64>,
    /// The same over time, all ranks together.
    pub moments: Moments,
}

/// Parts of a file that were touched over time; a call counts at its middle.
#[derive(Debug)]
pub struct Moments {
    /// Stretches of time.
    pub rows: usize,
    /// Begin of the first, in nanoseconds after the start of the job.
    pub begin: u64,
    /// Nanoseconds of one.
    pub width: u64,
    /// Reads of each bin, as a multiple of [`BUSY`], row by row.
    pub read: Vec<u64>,
    /// Writes of each bin, in the same way.
    pub written: Vec<u64>,
}

/// A file while calls come in.
#[derive(Debug)]
pub(super) struct SpaceBuilder {
    name: &'static str,
    file: u32,
    rows: Rows,
    ways: [Strips; 2],
    /// Nanoseconds before the first call, and of a stretch of time.
    begin: u64,
    width: u64,
    stretches: usize,
    moments: [Strips; 2],
}

impl SpaceBuilder {
    /// For calls of these ranks to a file of so many bytes, between these nanoseconds.
    pub(super) fn new(
        name: &'static str,
        file: u32,
        ranks: &[u32],
        bytes: u64,
        (begin, end): (u64, u64),
        room: &Room,
    ) -> Self {
        let rows = Rows::of(ranks, room.space_rows());
        let stretches = room.space_rows();
        let strips = |rows| Strips::new(rows, MOST_BINS, bytes);
        let ways = [strips(rows.count()), strips(rows.count())];
        let moments = [strips(stretches), strips(stretches)];
        let width = end.saturating_sub(begin).div_ceil(stretches as u64).max(1);
        Self { name, file, rows, ways, begin, width, stretches, moments }
    }

    pub(super) fn file(&self) -> u32 {
        self.file
    }

    pub(super) fn add(&mut self, op: &Op, is_read: bool) {
        if let (Some(row), Some(offset)) = (self.rows.row(op.rank()), op.offset()) {
            let way = usize::from(!is_read);
            self.ways[way].cover(row, offset, op.stop());
            let middle = nanoseconds((op.start + op.end) / 2.0).max(0).unsigned_abs();
            let moment = middle.saturating_sub(self.begin) / self.width;
            let moment = usize::try_from(moment).unwrap_or(usize::MAX).min(self.stretches - 1);
            self.moments[way].cover(moment, offset, op.stop());
        }
    }

    pub(super) fn finish(self) -> Space {
        let Self { name, file, mut rows, ways: [read, written], begin, .. } = self;
        let width = read.width();
        let (mut read, mut written) = (read.finish(), written.finish());
        let is_used = |row: usize| {
            let cells = row * MOST_BINS..(row + 1) * MOST_BINS;
            read[cells.clone()].iter().chain(&written[cells]).any(|cell| *cell > 0)
        };
        let used: Vec<bool> = (0..rows.count()).map(is_used).collect();
        for cells in [&mut read, &mut written] {
            let mut place = 0;
            cells.retain(|_| {
                place += 1;
                used[(place - 1) / MOST_BINS]
            });
            as_times(cells, width);
        }
        let mut used = used.into_iter();
        rows.first.retain(|_| used.next().unwrap_or(false));
        let [moments_read, moments_written] = self.moments.map(|strips| {
            let mut cells = strips.finish();
            as_times(&mut cells, width);
            cells
        });
        let moments = Moments {
            rows: self.stretches,
            begin,
            width: self.width,
            read: moments_read,
            written: moments_written,
        };
        Space { name, file, rows, bins: MOST_BINS, width, read, written, moments }
    }
}

/// Bytes of bins as how often each was touched.
fn as_times(cells: &mut [u64], width: u64) {
    for cell in cells.iter_mut().filter(|cell| **cell > 0) {
        // Rounded up: what is there is seen.
        let times = (u128::from(*cell) * u128::from(BUSY)).div_ceil(u128::from(width));
        *cell = u64::try_from(times).unwrap_or(u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use ioglass_log::Segment;

    use super::*;

    #[test]
    fn rows_that_never_touched_the_file_are_left_out() {
        let mut space = SpaceBuilder::new(
            "POSIX",
            4,
            &[1, 2, 3],
            512 * 1024,
            (0, 1_280_000_000),
            &Room::FINEST,
        );
        for (rank, offset) in [(3, 0), (3, 0), (1, 1024)] {
            let op =
                Op::new(rank, &Segment { offset, length: 1024, start: 0.0, end: 1.0 }).unwrap();
            space.add(&op, false);
        }
        let space = space.finish();
        assert_eq!((space.file, space.width, &space.rows.first[..]), (4, 1024, &[1, 3][..]));
        assert_eq!(space.written.len(), 2 * space.bins);
        assert_eq!((space.written[1], space.written[space.bins]), (BUSY, 2 * BUSY));
        assert_eq!(space.read.iter().sum::<u64>(), 0);
        // Half a second is in the fifty-first stretch of ten milliseconds.
        let moments = &space.moments;
        assert_eq!((moments.rows, moments.width), (128, 10_000_000));
        assert_eq!(moments.written[50 * space.bins..][..2], [2 * BUSY, BUSY]);
        assert_eq!(moments.written.iter().sum::<u64>(), 3 * BUSY);
    }
}
