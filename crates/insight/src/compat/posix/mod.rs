//! POSIX records: P01 to P22.

mod files;
mod totals;

use ioglass_log::{Log, RecordRef, posix};

use super::library::LibraryReader;
use super::{Stop, Trigger, records};
use crate::threshold::Thresholds;
use files::Files;

/// Columns of the counters of reads, or of writes.
struct RequestColumns {
    requests: usize,
    bytes: usize,
    consecutive: usize,
    forward: usize,
    highest: usize,
    /// Requests of 0 to 100 bytes; four more bins follow, up to 1 MiB.
    first_bin: usize,
}

const READ: RequestColumns = RequestColumns {
    requests: posix::READS,
    bytes: posix::BYTES_READ,
    consecutive: posix::CONSEC_READS,
    forward: posix::SEQ_READS,
    highest: posix::MAX_BYTE_READ,
    first_bin: posix::SIZE_READ_0_100,
};

const WRITE: RequestColumns = RequestColumns {
    requests: posix::WRITES,
    bytes: posix::BYTES_WRITTEN,
    consecutive: posix::CONSEC_WRITES,
    forward: posix::SEQ_WRITES,
    highest: posix::MAX_BYTE_WRITTEN,
    first_bin: posix::SIZE_WRITE_0_100,
};

impl RequestColumns {
    /// Requests of up to 1 MiB. The original says "below", but the last bin has its upper edge.
    fn small(&self, record: &RecordRef<'_>) -> i64 {
        record.int[self.first_bin..][..5].iter().fold(0, |sum, bin| sum.wrapping_add(*bin))
    }
}

/// Reads, or writes, of many records. A counter of −1, which means "not known", is added as −1.
#[derive(Debug)]
struct Requests {
    count: i64,
    small: i64,
    /// The most small requests of a record.
    most_small: i64,
    bytes: i64,
    consecutive: i64,
    forward: i64,
    /// The highest offset in any file.
    highest: i64,
}

impl Default for Requests {
    fn default() -> Self {
        Self {
            count: 0,
            small: 0,
            most_small: i64::MIN,
            bytes: 0,
            consecutive: 0,
            forward: 0,
            highest: i64::MIN,
        }
    }
}

impl Requests {
    fn add(&mut self, record: &RecordRef<'_>, direction: &RequestColumns) {
        let add = |sum: &mut i64, counter: usize| *sum = sum.wrapping_add(record.int[counter]);
        add(&mut self.count, direction.requests);
        add(&mut self.bytes, direction.bytes);
        add(&mut self.consecutive, direction.consecutive);
        add(&mut self.forward, direction.forward);
        let small = direction.small(record);
        self.small = self.small.wrapping_add(small);
        self.most_small = self.most_small.max(small);
        self.highest = self.highest.max(record.int[direction.highest]);
    }

    /// Requests that go forward over a gap.
    fn sequential(&self) -> i64 {
        self.forward.wrapping_sub(self.consecutive)
    }

    /// Requests that do not go forward. The first of every open is among them.
    fn random(&self) -> i64 {
        self.count.wrapping_sub(self.consecutive).wrapping_sub(self.sequential())
    }
}

/// Reads and writes of many records.
#[derive(Debug, Default)]
struct Traffic {
    reads: Requests,
    writes: Requests,
}

impl Traffic {
    fn add(&mut self, record: &RecordRef<'_>) {
        self.reads.add(record, &READ);
        self.writes.add(record, &WRITE);
    }
}

/// Sums of the POSIX records of a log.
#[derive(Debug, Default)]
pub(super) struct Posix {
    all: Traffic,
    /// Records with rank −1, if there is any. The original takes them for the shared files.
    shared: Option<Traffic>,
    mem_not_aligned: i64,
    file_not_aligned: i64,
    /// Records, which the original takes for ranks, with much time in metadata.
    long_metadata: i64,
    files: Files,
}

impl Posix {
    /// Reads the module, if the log has it.
    pub(super) fn read(log: &Log, limits: &Thresholds) -> Result<Option<Self>, Stop> {
        let library = LibraryReader::of(log);
        let mut posix = Self::default();
        let found = records::for_each(log, &posix::MODULE, |record| {
            posix.all.add(&record);
            if record.base.rank == -1 {
                posix.shared.get_or_insert_default().add(&record);
            }
            let add = |sum: &mut i64, counter: usize| *sum = sum.wrapping_add(record.int[counter]);
            add(&mut posix.mem_not_aligned, posix::MEM_NOT_ALIGNED);
            add(&mut posix.file_not_aligned, posix::FILE_NOT_ALIGNED);
            let times = library.times(&record);
            posix.long_metadata += i64::from(times.metadata > limits.metadata_time_rank);
            posix.files.add(&record, times, limits);
        })?;
        Ok(found.then_some(posix))
    }

    /// Bytes read and written.
    pub(super) fn bytes(&self) -> i64 {
        self.all.writes.bytes.wrapping_add(self.all.reads.bytes)
    }

    /// Adds the triggers that fire.
    pub(super) fn judge(
        &self,
        log: &Log,
        limits: &Thresholds,
        triggers: &mut Vec<Trigger>,
    ) -> Result<(), Stop> {
        triggers.extend(self.balance(limits));
        triggers.extend(self.small_requests(log, limits));
        triggers.extend(self.misaligned(limits));
        triggers.extend(self.redundant());
        triggers.extend(self.order(limits));
        triggers.extend(self.small_shared_requests(log, limits)?);
        triggers.extend(self.metadata(limits));
        triggers.extend(self.files.imbalances(log, limits));
        Ok(())
    }
}
