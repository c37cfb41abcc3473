//! POSIX and STDIO: what one rank did to one file.

use alloc::vec::Vec;

use ioglass_log::{RecordBuf, RegionWriter, Sink, reduce};
use ioglass_schema::posix::Posix;
use ioglass_schema::stdio::{self, Stdio};
use ioglass_schema::{Counter, FixedRecord, Module, Unit, posix, record_id};
use ioglass_shm::{Kind, Pod, PosixCell, StdioCell, Values};

use crate::common::Common;
use crate::rank::Rank;
use crate::region::Region;
use crate::time::Timeline;
use crate::write::Error;
use crate::{NoMemory, push};

/// A record as it lies in a region.
pub(crate) trait Cell: Pod {
    /// The kind of its entries.
    const KIND: Kind;
    /// The record of a log.
    type Record: FixedRecord;

    fn id(&self) -> u64;
    fn tick(&self) -> &[u64];
    /// Whether anything was done to the file.
    fn is_used(&self) -> bool;
    /// Tables of common values: where the first value and the first count stand in a record.
    fn tables(&self) -> impl Iterator<Item = (usize, usize, &Values)>;
    fn record(&self, rank: i64, time: &Timeline) -> Self::Record;
}

impl Cell for PosixCell {
    const KIND: Kind = Kind::Posix;
    type Record = Posix;

    fn id(&self) -> u64 {
        self.id
    }

    fn tick(&self) -> &[u64] {
        &self.tick
    }

    fn is_used(&self) -> bool {
        counts_anything(&posix::MODULE, &self.int)
    }

    fn tables(&self) -> impl Iterator<Item = (usize, usize, &Values)> {
        [
            (posix::ACCESS1_ACCESS, posix::ACCESS1_COUNT, &self.sizes),
            (posix::STRIDE1_STRIDE, posix::STRIDE1_COUNT, &self.strides),
        ]
        .into_iter()
    }

    fn record(&self, rank: i64, time: &Timeline) -> Posix {
        let mut record = Posix::new(self.id, rank);
        record.int = self.int;
        seconds(posix::MODULE.floats, &self.tick, time, &mut record.float);
        record
    }
}

impl Cell for StdioCell {
    const KIND: Kind = Kind::Stdio;
    type Record = Stdio;

    fn id(&self) -> u64 {
        self.id
    }

    fn tick(&self) -> &[u64] {
        &self.tick
    }

    fn is_used(&self) -> bool {
        // Every program has these three open; only those that are read or written tell anything.
        const STANDARD: [u64; 3] =
            [record_id(b"<STDIN>"), record_id(b"<STDOUT>"), record_id(b"<STDERR>")];
        let moved = self.int[stdio::READS] > 0 || self.int[stdio::WRITES] > 0;
        moved || !STANDARD.contains(&self.id) && counts_anything(&stdio::MODULE, &self.int)
    }

    fn tables(&self) -> impl Iterator<Item = (usize, usize, &Values)> {
        core::iter::empty()
    }

    fn record(&self, rank: i64, time: &Timeline) -> Stdio {
        let mut record = Stdio::new(self.id, rank);
        record.int = self.int;
        seconds(stdio::MODULE.floats, &self.tick, time, &mut record.float);
        record
    }
}

fn counts_anything(module: &Module, int: &[i64]) -> bool {
    module.ints.iter().zip(int).any(|(counter, value)| counter.unit == Unit::Count && *value > 0)
}

/// Moments and durations out of ticks; what only reduced records have stays 0.
fn seconds(counters: &[Counter], ticks: &[u64], time: &Timeline, seconds: &mut [f64]) {
    for ((counter, tick), second) in counters.iter().zip(ticks).zip(seconds) {
        *second = match counter.unit {
            Unit::Timestamp => time.moment(*tick),
            Unit::Seconds => time.duration(*tick),
            _ => 0.0,
        };
    }
}

/// Where a cell is: of which record, in which member of a rank, at which byte.
type Found = (u64, usize, usize);

/// The records of one rank, by id.
pub(crate) struct Records<'h, 'r> {
    regions: &'h [Region<'r>],
    times: &'h [Timeline],
    found: Vec<Found>,
    common: Common,
}

impl<'h, 'r> Records<'h, 'r> {
    pub(crate) fn new(regions: &'h [Region<'r>], times: &'h [Timeline]) -> Self {
        Self { regions, times, found: Vec::new(), common: Common::default() }
    }

    /// Writes the records of `rank`. A file that several of its regions know is one record.
    pub(crate) fn write<C: Cell, S: Sink>(
        &mut self,
        rank: &Rank,
        region: &mut RegionWriter<'_, S>,
    ) -> Result<(), Error<S::Error>> {
        self.find::<C>(rank)?;
        let found = core::mem::take(&mut self.found);
        let written = found
            .chunk_by(|a, b| a.0 == b.0)
            .try_for_each(|same| self.write_one::<C, S>(rank.number, same, region));
        self.found = found;
        written
    }

    fn find<C: Cell>(&mut self, rank: &Rank) -> Result<(), NoMemory> {
        self.found.clear();
        for member in &rank.members {
            let Some(region) = self.regions.get(*member) else { continue };
            for entry in region.entries().filter(|entry| entry.kind == C::KIND) {
                if let Some(cell) = C::read(entry.bytes).filter(C::is_used) {
                    push(&mut self.found, (cell.id(), *member, entry.offset))?;
                }
            }
        }
        // Members are numbered by the time they began, so later ones come later.
        self.found.sort_unstable();
        Ok(())
    }

    fn write_one<C: Cell, S: Sink>(
        &mut self,
        rank: i64,
        same: &[Found],
        out: &mut RegionWriter<'_, S>,
    ) -> Result<(), Error<S::Error>> {
        let (regions, times) = (self.regions, self.times);
        let mut cells = same.iter().filter_map(|(_, member, offset)| {
            let (region, time) = (regions.get(*member)?, times.get(*member)?);
            Some((region, time, C::read(region.entry(*offset, C::KIND)?)?))
        });
        let Some((region, time, first)) = cells.next() else { return Ok(()) };
        let mut record = RecordBuf::from(first.record(rank, time).view());
        for (_, time, cell) in cells.clone() {
            reduce::join(&mut record, RecordBuf::from(cell.record(rank, time).view()));
        }
        for (table, (values, counts, own)) in first.tables().enumerate() {
            self.common.clear();
            self.common.add(region, own)?;
            for (region, _, cell) in cells.clone() {
                if let Some((_, _, other)) = cell.tables().nth(table) {
                    self.common.add(region, other)?;
                }
            }
            self.common.store(&mut record.int, values, counts);
        }
        Ok(out.record(&record.view())?)
    }
}
