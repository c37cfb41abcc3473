//! POSIX, MPI-IO and STDIO: what one rank did to one file, or all of them did.

use alloc::vec::Vec;

use ioglass_log::reduce::{self, RecordTable, Rows};
use ioglass_log::{ModuleWriter, RecordBuf, Sink};
use ioglass_schema::mpiio::{self, Mpiio};
use ioglass_schema::posix::Posix;
use ioglass_schema::stdio::{self, Stdio};
use ioglass_schema::{Counter, FixedRecord, Unit, posix, record_id};
use ioglass_shm::{Kind, MpiioCell, Pod, PosixCell, StdioCell, Values, WideValues};

use crate::capture::Capture;
use crate::common::{Common, CommonWide};
use crate::glance::Glance;
use crate::rank::{Rank, Ranks};
use crate::team::Shared;
use crate::time::Timeline;
use crate::write::Error;
use crate::{NoMemory, push};

/// A record as it lies in a capture.
pub(crate) trait Cell: Pod {
    /// The kind of its entries.
    const KIND: Kind;
    /// The record of a log.
    type Record: FixedRecord;

    /// Returns true if anything was done to the file.
    fn is_used(cell: &Glance<'_>) -> bool {
        cell.counts_anything()
    }
    /// Tables of common values: where the first value and the first count stand in a record.
    fn tables(&self) -> impl Iterator<Item = (usize, usize, &Values)>;
    /// The table of common accesses with their dimensions: where the first and its count stand.
    fn wide(&self) -> Option<(usize, usize, &WideValues)> {
        None
    }
    /// Makes a record what the cell tells.
    fn tell(&self, time: &Timeline, record: &mut Self::Record);
}

impl Cell for PosixCell {
    const KIND: Kind = Kind::Posix;
    type Record = Posix;

    fn tables(&self) -> impl Iterator<Item = (usize, usize, &Values)> {
        [
            (posix::ACCESS1_ACCESS, posix::ACCESS1_COUNT, &self.sizes),
            (posix::STRIDE1_STRIDE, posix::STRIDE1_COUNT, &self.strides),
        ]
        .into_iter()
    }

    fn tell(&self, time: &Timeline, record: &mut Posix) {
        record.base.id = self.id;
        record.int = self.int;
        seconds(posix::MODULE.floats, &self.tick, time, &mut record.float);
    }
}

impl Cell for MpiioCell {
    const KIND: Kind = Kind::Mpiio;
    type Record = Mpiio;

    fn tables(&self) -> impl Iterator<Item = (usize, usize, &Values)> {
        core::iter::once((mpiio::ACCESS1_ACCESS, mpiio::ACCESS1_COUNT, &self.sizes))
    }

    fn tell(&self, time: &Timeline, record: &mut Mpiio) {
        record.base.id = self.id;
        record.int = self.int;
        seconds(mpiio::MODULE.floats, &self.tick, time, &mut record.float);
    }
}

/// Records that stand for no file.
pub(crate) const STANDARD_STREAMS: [u64; 3] =
    [record_id(b"<STDIN>"), record_id(b"<STDOUT>"), record_id(b"<STDERR>")];

impl Cell for StdioCell {
    const KIND: Kind = Kind::Stdio;
    type Record = Stdio;

    fn is_used(cell: &Glance<'_>) -> bool {
        // Every program has these three open; only those that are read or written tell anything.
        let moved = cell.int(stdio::READS) > 0 || cell.int(stdio::WRITES) > 0;
        moved || !STANDARD_STREAMS.contains(&cell.id()) && cell.counts_anything()
    }

    fn tables(&self) -> impl Iterator<Item = (usize, usize, &Values)> {
        core::iter::empty()
    }

    fn tell(&self, time: &Timeline, record: &mut Stdio) {
        record.base.id = self.id;
        record.int = self.int;
        seconds(stdio::MODULE.floats, &self.tick, time, &mut record.float);
    }
}

/// Moments and durations out of ticks; what only reduced records have stays 0.
pub(crate) fn seconds(counters: &[Counter], ticks: &[u64], time: &Timeline, seconds: &mut [f64]) {
    for ((counter, tick), second) in counters.iter().zip(ticks).zip(seconds) {
        *second = match counter.unit {
            // Most of them.
            _ if *tick == 0 => 0.0,
            Unit::Timestamp => time.moment(*tick),
            Unit::Seconds => time.duration(*tick),
            _ => 0.0,
        };
    }
}

/// Position of a cell: its record, the member of a rank, the byte.
type FoundCell = (u64, usize, usize);
/// In which member of a rank a cell is, and at which byte: they are made one after the other.
type CellPosition = (usize, usize);

/// The treatment of files that all ranks of MPI know.
pub(crate) enum Sharing<'s> {
    /// All ranks are here: their records become one.
    AllHere,
    /// Some are elsewhere, and have agreed which files those are: ids, and where the records of the one rank
    /// that is here go.
    Elsewhere(&'s [u64], &'s mut Shared),
}

/// The records of a module.
pub(crate) struct Records<'h, 'r> {
    captures: &'h [Capture<'r>],
    times: &'h [Timeline],
    found: Vec<FoundCell>,
    common: Common,
    wide: CommonWide,
}

impl<'h, 'r> Records<'h, 'r> {
    pub(crate) fn new(captures: &'h [Capture<'r>], times: &'h [Timeline]) -> Self {
        Self {
            captures,
            times,
            found: Vec::new(),
            common: Common::default(),
            wide: CommonWide::default(),
        }
    }

    /// Writes the records, one for each file and rank. A file that several of a rank's captures know is
    /// one record, and so is one that all ranks of MPI know.
    pub(crate) fn write<C: Cell, S: Sink>(
        &mut self,
        ranks: &Ranks,
        mut sharing: Sharing<'_>,
        out: &mut ModuleWriter<'_, S>,
    ) -> Result<(), Error<S::Error>> {
        let ids = match sharing {
            Sharing::AllHere => &self.shared::<C>(ranks)?,
            Sharing::Elsewhere(ids, _) => ids,
        };
        // What ranks have to say of each of these so far, and where the first of them has it.
        let mut all: Option<(Vec<CellPosition>, RecordTable)> = None;
        let mut record = C::Record::zero();
        for rank in &ranks.list {
            self.find::<C>(rank)?;
            let found = core::mem::take(&mut self.found);
            let shared = if ranks.is_of_mpi(rank) { ids } else { &[] };
            let mut own = Rows::new(C::Record::MODULE, shared.len());
            let mut moments: Vec<CellPosition> = Vec::new();
            let mut of_rank: Vec<(CellPosition, &[FoundCell])> = Vec::new();
            for same in found.chunk_by(|a, b| a.0 == b.0) {
                let Some((id, member, offset)) = same.first() else { continue };
                let moment = (*member, *offset);
                if shared.binary_search(id).is_err() {
                    push(&mut of_rank, (moment, same))?;
                } else if self.record::<C>(rank.number, same, &mut record)? {
                    own.push(record.view());
                    push(&mut moments, moment)?;
                }
            }
            // What was done one after the other has times that are alike, and is smaller together.
            of_rank.sort_unstable_by_key(|(moment, _)| *moment);
            for (_, same) in of_rank {
                if self.record::<C>(rank.number, same, &mut record)? {
                    out.record(&record.view())?;
                }
            }
            self.found = found;
            match (&mut sharing, &mut all) {
                _ if own.is_empty() => {}
                (Sharing::Elsewhere(_, shared), _) => shared.push(own.into_table()),
                (Sharing::AllHere, None) => all = Some((moments, own.into_table())),
                // Each rank has all of these files: that is what they are.
                (Sharing::AllHere, Some((_, so_far))) => {
                    so_far.merge(&own.into_table()).unwrap_or_default();
                }
            }
        }
        let Some((moments, all)) = all else { return Ok(()) };
        let mut in_order: Vec<(CellPosition, usize)> = Vec::new();
        for (row, moment) in moments.into_iter().enumerate() {
            push(&mut in_order, (moment, row))?;
        }
        in_order.sort_unstable();
        let mut record = RecordBuf::new(C::Record::MODULE);
        for (_, row) in in_order {
            all.finish(row, &mut record);
            out.record(&record.view())?;
        }
        Ok(())
    }

    /// The files that all ranks of MPI know, by id.
    fn shared<C: Cell>(&mut self, ranks: &Ranks) -> Result<Vec<u64>, NoMemory> {
        let ids = self.ids::<C>(ranks)?;
        let mut shared = Vec::new();
        for same in ids.chunk_by(|a, b| a == b).filter(|same| same.len() as i64 == ranks.of_mpi) {
            push(&mut shared, same.first().copied().unwrap_or_default())?;
        }
        Ok(shared)
    }

    /// The files that ranks of MPI know, once for each rank, by id; none if each is to keep its records.
    pub(crate) fn ids<C: Cell>(&mut self, ranks: &Ranks) -> Result<Vec<u64>, NoMemory> {
        let mut ids = Vec::new();
        if self.captures.iter().any(|capture| capture.header.keeps_ranks != 0) {
            return Ok(ids);
        }
        for rank in ranks.list.iter().filter(|rank| ranks.is_of_mpi(rank)) {
            self.find::<C>(rank)?;
            for same in self.found.chunk_by(|a, b| a.0 == b.0) {
                push(&mut ids, same.first().map_or(0, |found| found.0))?;
            }
        }
        ids.sort_unstable();
        Ok(ids)
    }

    fn find<C: Cell>(&mut self, rank: &Rank) -> Result<(), NoMemory> {
        self.found.clear();
        for member in &rank.members {
            let Some(capture) = self.captures.get(*member) else { continue };
            for (id, offset) in capture.used(C::KIND) {
                push(&mut self.found, (id, *member, offset))?;
            }
        }
        // Members are numbered by the time they began, so later ones come later.
        self.found.sort_unstable();
        Ok(())
    }

    /// Makes the record of all these cells of one rank and one file; tells whether there are any.
    fn record<C: Cell>(
        &mut self,
        rank: i64,
        same: &[FoundCell],
        record: &mut C::Record,
    ) -> Result<bool, NoMemory> {
        let (captures, times) = (self.captures, self.times);
        let mut cells = same.iter().filter_map(|(_, member, offset)| {
            let (capture, time) = (captures.get(*member)?, times.get(*member)?);
            // Where it lies: to copy it would take longer than what is done with it.
            Some((capture, time, C::view(capture.entry(*offset, C::KIND)?)?))
        });
        let Some((capture, time, first)) = cells.next() else { return Ok(false) };
        record.base_mut().rank = rank;
        first.tell(time, record);
        if same.len() > 1 {
            let mut all = RecordBuf::from(record.view());
            for (_, time, cell) in cells.clone() {
                cell.tell(time, record);
                reduce::join(&mut all, RecordBuf::from(record.view()));
            }
            *record = C::Record::from_ref(all.view()).unwrap_or(*record);
        }
        for (table, (values, counts, own)) in first.tables().enumerate() {
            self.common.clear();
            self.common.add(capture, own)?;
            for (capture, _, cell) in cells.clone() {
                if let Some((_, _, other)) = cell.tables().nth(table) {
                    self.common.add(capture, other)?;
                }
            }
            self.common.store(record.ints_mut(), values, counts);
        }
        if let Some((values, counts, own)) = first.wide() {
            self.wide.clear();
            self.wide.add(capture, own)?;
            for (capture, _, cell) in cells {
                if let Some((_, _, other)) = cell.wide() {
                    self.wide.add(capture, other)?;
                }
            }
            self.wide.store(record.ints_mut(), values, counts);
        }
        Ok(true)
    }
}
