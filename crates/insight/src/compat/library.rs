//! Times of POSIX records as the library below the original reads them.

use ioglass_log::{Log, Order, RecordRef, posix};

/// Reads the times of a log's POSIX records.
#[derive(Debug, Clone, Copy)]
pub(super) struct LibraryReader {
    version: u32,
    order: Order,
}

/// Seconds in a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) read: f64,
    pub(super) write: f64,
    pub(super) metadata: f64,
    pub(super) fastest: f64,
    pub(super) slowest: f64,
}

impl LibraryReader {
    pub(super) fn of(log: &Log) -> Self {
        let version = log.module_info(posix::MODULE.id).version;
        Self { version, order: log.header().order }
    }

    /// The times of a record, wrong where the library gets them wrong.
    pub(super) fn times(self, record: &RecordRef<'_>) -> Times {
        let mut times = Times {
            read: record.float[posix::f::READ_TIME],
            write: record.float[posix::f::WRITE_TIME],
            metadata: record.float[posix::f::META_TIME],
            fastest: record.float[posix::f::FASTEST_RANK_TIME],
            slowest: record.float[posix::f::SLOWEST_RANK_TIME],
        };
        // Old records of the other byte order: an index of another table keeps it from swapping.
        if self.order == Order::Big && self.version < 4 {
            times.metadata = f64::from_bits(times.metadata.to_bits().swap_bytes());
        }
        // Moved to their places in the current record, the last four doubles fall off.
        if self.version == 2 {
            (times.fastest, times.slowest) = (0.0, 0.0);
        }
        times
    }
}
