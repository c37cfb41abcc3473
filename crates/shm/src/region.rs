//! Regions of code: their tree, one per thread, and what was done in each of them.
//!
//! A region has one [`RegionCell`] for each execution of the program in which it was entered; all of
//! them have its number. Entries that belong to it name that number and execution. Times are ticks.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::pod::pod;

/// Executions that have figures of their own. Later ones are put together by [`step_of`].
pub const EXACT_EXECUTIONS: u64 = 1024;
/// Visits of an iteration that are remembered because they were the slowest.
pub const SLOWEST: usize = 16;

/// Number of neighbours that are put together with item `number` of a series of which `exact` are
/// kept one by one: 1, then 2 from `exact` on, 4 from twice that on, and so forth. So the memory for
/// a series grows with the logarithm of its length, and nothing is ever moved. `exact` is even.
#[inline]
pub const fn step_of(number: u64, exact: u64) -> u64 {
    match number.checked_div(exact) {
        None | Some(0) => 1,
        Some(times) => 2 << times.ilog2(),
    }
}

/// The kind of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum RegionKind {
    /// A piece of code: number and sum of its visits.
    Region = 0,
    /// The body of a loop: every visit is kept.
    Iteration = 1,
    /// Begins and ends anywhere; nothing nests in it.
    Span = 2,
}

/// A region on one thread in one execution.
///
/// It is on the thread's path while `since` is not 0. `time` grows when it leaves the path. The open
/// visits of a span are not on a path: there `since` is the sum of their first ticks.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct RegionCell {
    /// Number of the region in this process, from 1.
    pub number: u32,
    /// Number of the region that contains it; 0 if it is outermost.
    pub parent: u32,
    /// Number of the thread.
    pub thread: u32,
    /// A [`RegionKind`].
    pub kind: u32,
    /// Offset of its name.
    pub name: u64,
    /// Offset of the name of the source file; 0 if it is not known.
    pub file: u64,
    /// Line in that file.
    pub line: u32,
    /// The execution, or the first of those that are put together.
    pub execution: u32,
    /// Visits, open ones included.
    pub calls: u64,
    /// Open visits.
    pub open: u64,
    /// Ticks on the path before `since`.
    pub time: u64,
    /// The tick since when it is on the path; 0 if it is not.
    pub since: u64,
    /// The value of `time` when the oldest open visit began.
    pub begin: u64,
    /// The shortest visit that has ended; at first the largest number.
    pub min: u64,
    /// The longest visit that has ended.
    pub max: u64,
}

/// The head of a text; its bytes follow.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct RegionText {
    /// Number of bytes; any byte may be among them.
    pub size: u64,
}

/// An interface through which a region did I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum IoLayer {
    /// Descriptors.
    Posix = 0,
    /// Streams.
    Stdio = 1,
    /// MPI-IO.
    Mpiio = 2,
    /// HDF5.
    Hdf5 = 3,
    /// PnetCDF.
    Pnetcdf = 4,
}

impl IoLayer {
    /// Number of layers.
    pub const COUNT: usize = 5;
}

/// I/O through one layer.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct IoCounts {
    /// Opens.
    pub opens: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Other calls whose time is time of metadata.
    pub other: u64,
    /// Ticks in reads.
    pub read: u64,
    /// Ticks in writes, and in calls that wait for the disk.
    pub write: u64,
    /// Ticks in opens and other calls.
    pub metadata: u64,
}

impl IoCounts {
    fn numbers(&mut self) -> [&mut u64; 9] {
        let Self { opens, reads, writes, bytes_read, bytes_written, other, read, write, metadata } =
            self;
        [opens, reads, writes, bytes_read, bytes_written, other, read, write, metadata]
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        for (own, other) in self.numbers().into_iter().zip(other.clone().numbers()) {
            *own = own.saturating_add(*other);
        }
    }

    /// Takes others off.
    pub fn subtract(&mut self, other: &Self) {
        for (own, other) in self.numbers().into_iter().zip(other.clone().numbers()) {
            *own = own.saturating_sub(*other);
        }
    }
}

/// I/O on one record, through one layer, from one context: the region in which calls are made.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct RegionIo {
    /// Number of the region.
    pub region: u32,
    /// Its execution.
    pub execution: u32,
    /// An [`IoLayer`].
    pub layer: u64,
    /// Id of the record; 0 for calls on no file, and on all for which there was no room.
    pub record: u64,
    /// The I/O.
    pub counts: IoCounts,
}

/// The kind of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum MetricKind {
    /// Integers are added.
    Count = 0,
    /// Numbers are noted.
    Value = 1,
}

/// A metric of a region. Numbers of a count are `i64`, those of a value the bits of `f64`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct RegionMetric {
    /// Number of the region.
    pub region: u32,
    /// Its execution.
    pub execution: u32,
    /// Offset of its name.
    pub name: u64,
    /// A [`MetricKind`].
    pub kind: u32,
    /// Zero.
    pub reserved: u32,
    /// Calls.
    pub calls: u64,
    /// Those of them whose value was finite.
    pub finite: u64,
    /// Sum.
    pub sum: u64,
    /// Smallest value.
    pub min: u64,
    /// Largest value.
    pub max: u64,
    /// Last value.
    pub last: u64,
}

/// A text that belongs to a region.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct RegionTag {
    /// Number of the region.
    pub region: u64,
    /// Offset of the key.
    pub key: u64,
    /// Offset of the text.
    pub text: u64,
}

/// Something that was done wrong, or that needs a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum NoticeCode {
    /// A region was left that was not open.
    StrayLeave = 0,
    /// A region was ended because one around it was left.
    OutOfOrder = 1,
    /// A span was stopped that was not open.
    StrayStop = 2,
    /// A thread has ended with this region open.
    LeftOpen = 3,
    /// A metric or tag where no region is open.
    Nowhere = 4,
    /// A metric was used as a count and as a value.
    MetricKind = 5,
    /// A tag got another text.
    TagChanged = 6,
    /// A name was missing or empty.
    Unnamed = 7,
    /// A value was not finite.
    NotFinite = 8,
    /// A path had too many names.
    TooDeep = 9,
    /// A context was no longer known, or there was none.
    StrayAttach = 10,
}

impl NoticeCode {
    /// Names in order, as in documents and profiles.
    pub const NAMES: [&str; 11] = [
        "stray-leave",
        "out-of-order",
        "stray-stop",
        "left-open",
        "nowhere",
        "metric-kind",
        "tag-changed",
        "unnamed",
        "not-finite",
        "too-deep",
        "stray-attach",
    ];
}

/// How often something was done wrong at one place.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct RegionNotice {
    /// A [`NoticeCode`].
    pub code: u32,
    /// Number of the region in which it was done; 0 if it was in none.
    pub region: u32,
    /// Offset of the name that it was done to; 0 if there is none.
    pub name: u64,
    /// How often.
    pub count: u64,
}

/// The head of a piece of a series. Items follow: item *i* stands for the `step` visits from
/// `first + i * step` on, the last one for those of them that there were.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct SeriesHead {
    /// Number of the region.
    pub region: u32,
    /// Its execution.
    pub execution: u32,
    /// Offset of the metric whose series it is; 0 if it is that of the times, [`Self::VISITS`] if it
    /// is that of the visits.
    pub metric: u64,
    /// Number of the first visit.
    pub first: u64,
    /// Visits in each item.
    pub step: u64,
    /// Visits that are to be kept one by one.
    pub exact: u64,
    /// Visits in this piece so far.
    pub count: u64,
}

impl SeriesHead {
    /// Where executions are put together: how many visits each item has. No entry is there.
    pub const VISITS: u64 = 1;
}

/// One visit, or the sum of some.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct SeriesItem {
    /// Ticks.
    pub time: u64,
    /// Bytes that the thread read meanwhile.
    pub bytes_read: u64,
    /// Bytes that it wrote.
    pub bytes_written: u64,
    /// Ticks of its I/O.
    pub io: u64,
}

/// What a metric was given in one visit, or in some.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct SeriesNumber {
    /// The sum of a count, or the last value.
    pub number: u64,
    /// Visits in which it was given anything.
    pub visits: u64,
}

/// A visit that was slow.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct SlowVisit {
    /// Its number plus 1; 0 is a free slot.
    pub number: u64,
    /// Its ticks.
    pub time: u64,
}

/// The slowest visits of an iteration, in no order.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct RegionSlowest {
    /// Number of the region.
    pub region: u32,
    /// Its execution.
    pub execution: u32,
    /// The visits.
    pub visits: [SlowVisit; SLOWEST],
}

/// A kind of loss; an index into [`Header::region_lost`](crate::Header::region_lost).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum RegionLoss {
    /// Visits of new regions for which there was no room; they count for `(more)`.
    Regions = 0,
    /// Names that were cut.
    Names = 1,
    /// Values of metrics that were dropped.
    Metrics = 2,
    /// Tags that were dropped.
    Tags = 3,
    /// Visits that were not counted.
    Visits = 4,
}

impl RegionLoss {
    /// Number of kinds.
    pub const COUNT: usize = 5;
}

pod! {
    RegionCell: 96;
    RegionText: 8;
    IoCounts: 72;
    RegionIo: 96;
    RegionMetric: 72;
    RegionTag: 24;
    RegionNotice: 24;
    SeriesHead: 48;
    SeriesItem: 32;
    SeriesNumber: 16;
    SlowVisit: 16;
    RegionSlowest: 8 + 16 * SLOWEST;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_double() {
        let steps = [0, 3, 4, 7, 8, 15, 16, 1 << 20].map(|number| step_of(number, 4));
        assert_eq!(steps, [1, 1, 2, 2, 4, 4, 8, 1 << 19]);
        assert_eq!(step_of(u64::MAX, u64::MAX), 2);
        assert_eq!(step_of(u64::MAX - 1, u64::MAX), 1);
        assert_eq!(step_of(5, 0), 1);
    }

    /// Items that are put together never cross the border of a larger step.
    #[test]
    fn pieces_are_aligned() {
        for exact in [2_u64, 4, 6, 4096] {
            for number in (0..20).map(|doublings| exact << doublings) {
                assert_eq!(number % step_of(number, exact), 0);
                assert_eq!(step_of(number, exact), 2 * step_of(number - 1, exact));
            }
        }
    }
}
