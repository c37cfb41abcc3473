//! Every traced call, or, of a longer trace, how busy ranks were in short stretches of time.

use super::rows::Rows;
use super::strips::Strips;
use crate::trace::Op;

/// Rows of cells.
pub(super) const MOST_ROWS: usize = 512;
/// Bins of time, however few rows there are.
const MOST_BINS: usize = 1 << 13;
/// A cell that is busy all the time, by all its ranks.
pub const BUSY: u64 = 1000;

/// The calls of one interface.
#[derive(Debug)]
pub struct Lane {
    /// The interface.
    pub name: &'static str,
    /// Ranks that made them.
    pub rows: Rows,
    /// Calls in the trace.
    pub calls: u64,
    /// The calls, one by one or in cells.
    pub detail: LaneDetail,
}

/// Calls as they are shown.
#[derive(Debug)]
pub enum LaneDetail {
    /// One by one: by rank, then by time.
    Calls(Vec<LaneCall>),
    /// In stretches of time.
    Cells(Cells),
}

/// One call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaneCall {
    /// Its row.
    pub row: u32,
    /// Begin, in nanoseconds after the start of the job.
    pub start: i64,
    /// Nanoseconds that it took.
    pub took: u64,
    /// Its file, a place in the list of files.
    pub file: u32,
    /// It read.
    pub is_read: bool,
    /// Offset in the file, if that is known.
    pub offset: Option<u64>,
    /// Bytes.
    pub length: u64,
}

/// Load of each row in each stretch of time.
#[derive(Debug)]
pub struct Cells {
    /// Stretches of time, from the first call to the last.
    pub bins: usize,
    /// Begin of the first, in nanoseconds after the start of the job.
    pub begin: u64,
    /// Nanoseconds of one.
    pub width: u64,
    /// Time in reads as a part of [`BUSY`], row by row.
    pub read: Vec<u64>,
    /// Time in writes.
    pub write: Vec<u64>,
    /// Bytes that all rows read in each stretch.
    pub bytes_read: Vec<u64>,
    /// Bytes that all rows wrote.
    pub bytes_written: Vec<u64>,
}

/// A lane while calls come in.
#[derive(Debug)]
pub(super) struct LaneBuilder {
    name: &'static str,
    rows: Rows,
    calls: u64,
    /// Nanoseconds before the first call.
    begin: u64,
    filling: Filling,
}

#[derive(Debug)]
enum Filling {
    Calls(Vec<LaneCall>),
    /// Time of reads and writes, then bytes of both.
    Cells {
        bins: usize,
        busy: Box<[Strips; 2]>,
        bytes: Box<[Strips; 2]>,
    },
}

impl LaneBuilder {
    /// For the calls of these ranks between these nanoseconds, in so many cells or one by one.
    pub(super) fn new(
        name: &'static str,
        ranks: &[u32],
        (begin, end): (u64, u64),
        cells: Option<usize>,
    ) -> Self {
        let rows = Rows::of(ranks, if cells.is_some() { MOST_ROWS } else { ranks.len().max(1) });
        let filling = if let Some(cells) = cells {
            let bins = (cells / rows.count().max(1)).clamp(1, MOST_BINS);
            let strips = |rows| Strips::new(rows, bins, end.saturating_sub(begin));
            let count = rows.count();
            Filling::Cells {
                bins,
                busy: Box::new([strips(count), strips(count)]),
                bytes: Box::new([strips(1), strips(1)]),
            }
        } else {
            Filling::Calls(Vec::new())
        };
        Self { name, rows, calls: 0, begin, filling }
    }

    pub(super) fn add(&mut self, op: &Op, file: u32, is_read: bool) {
        let Some(row) = self.rows.row(op.rank()) else { return };
        self.calls += 1;
        let (start, end) = (nanoseconds(op.start), nanoseconds(op.end));
        match &mut self.filling {
            Filling::Calls(calls) => calls.push(LaneCall {
                row: row as u32,
                start,
                took: end.abs_diff(start),
                file,
                is_read,
                offset: op.offset(),
                length: op.length(),
            }),
            Filling::Cells { busy, bytes, .. } => {
                let way = usize::from(!is_read);
                let since = |at: i64| at.max(0).unsigned_abs().saturating_sub(self.begin);
                let (start, end) = (since(start), since(end));
                // However short, it is there.
                busy[way].cover(row, start, end.max(start.saturating_add(1)));
                bytes[way].spread(0, start, end, op.length());
            }
        }
    }

    pub(super) fn finish(self) -> Lane {
        let detail = match self.filling {
            Filling::Calls(mut calls) => {
                calls.sort_unstable();
                LaneDetail::Calls(calls)
            }
            Filling::Cells { bins, busy, bytes } => {
                let ([read, write], [bytes_read, bytes_written]) = (*busy, *bytes);
                let width = read.width();
                let share = |strips: Strips| {
                    let mut cells = strips.finish();
                    for (row, cells) in cells.chunks_mut(bins).enumerate() {
                        let whole = u128::from(width) * u128::from(self.rows.ranks_in(row).max(1));
                        for cell in cells.iter_mut().filter(|cell| **cell > 0) {
                            // Rounded up: what is there is seen.
                            let part = (u128::from(*cell) * u128::from(BUSY)).div_ceil(whole);
                            *cell = u64::try_from(part).unwrap_or(u64::MAX);
                        }
                    }
                    cells
                };
                LaneDetail::Cells(Cells {
                    bins,
                    begin: self.begin,
                    width,
                    read: share(read),
                    write: share(write),
                    bytes_read: bytes_read.finish(),
                    bytes_written: bytes_written.finish(),
                })
            }
        };
        Lane { name: self.name, rows: self.rows, calls: self.calls, detail }
    }
}

/// Seconds in nanoseconds, at most three centuries.
pub(super) fn nanoseconds(seconds: f64) -> i64 {
    (seconds * 1e9).round() as i64
}

#[cfg(test)]
mod tests {
    use ioglass_log::Segment;

    use super::*;

    fn op(rank: u32, start: f64, end: f64) -> Op {
        Op::new(rank, &Segment { offset: 0, length: 100, start, end }).unwrap()
    }

    #[test]
    fn single_calls_are_by_row_and_time_and_keep_their_nanoseconds() {
        let mut lane = LaneBuilder::new("POSIX", &[3, 7], (0, 10_000_000_000), None);
        for (rank, start, end) in
            [(7, 2.0, 2.5), (3, 5.0, 5.1), (3, 1.000_000_001, 1.25), (5, 0.0, 1.0)]
        {
            lane.add(&op(rank, start, end), 0, false);
        }
        let lane = lane.finish();
        let LaneDetail::Calls(calls) = lane.detail else { panic!("cells") };
        let shown: Vec<_> = calls.iter().map(|call| (call.row, call.start, call.took)).collect();
        // Rank 5 is between two rows: it was not among those that made calls.
        assert_eq!(shown[1..3], [(0, 1_000_000_001, 249_999_999), (0, 5_000_000_000, 100_000_000)]);
        assert_eq!(shown[3], (1, 2_000_000_000, 500_000_000));
    }

    #[test]
    fn cells_hold_all_bytes_and_all_time() {
        let mut lane =
            LaneBuilder::new("POSIX", &[0, 1], (1_000_000_000, 9_000_000_000), Some(1 << 18));
        lane.add(&op(0, 1.0, 5.0), 0, false);
        lane.add(&op(1, 5.0, 9.0), 0, true);
        lane.add(&op(1, 8.0, 8.0), 0, true);
        let lane = lane.finish();
        assert_eq!(lane.calls, 3);
        let LaneDetail::Cells(cells) = lane.detail else { panic!("calls") };
        assert_eq!(cells.bytes_written.iter().sum::<u64>(), 100);
        assert_eq!(cells.bytes_read.iter().sum::<u64>(), 200);
        let half = cells.bins / 2;
        let full = |cells: &[u64]| cells.iter().filter(|cell| **cell == BUSY).count();
        assert!(
            full(&cells.write[..cells.bins]).abs_diff(half) <= 1,
            "the first row writes for half the time"
        );
        assert_eq!(full(&cells.write[cells.bins..]), 0);
        assert!(
            full(&cells.read[cells.bins..]).abs_diff(half) <= 2,
            "the second one reads for the other half"
        );
        assert!(cells.width * cells.bins as u64 >= 8_000_000_000);
    }
}
