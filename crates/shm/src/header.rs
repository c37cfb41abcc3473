//! The header of a capture: its process, the meaning of its ticks, its ending and its losses.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::pod::pod;
use crate::region::RegionLoss;

/// First bytes of a readable capture.
pub const MAGIC: u64 = u64::from_le_bytes(*b"IOGCAPT\0");
/// Version of the layout.
pub const VERSION: u32 = 5;
/// Bytes of the host's name.
pub const HOST_SIZE: usize = 64;

/// One moment on three clocks, to turn ticks into time.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Moment {
    /// The clock that stamps events.
    pub tick: u64,
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    pub mono_ns: u64,
    /// `CLOCK_REALTIME`, in nanoseconds since 1970.
    pub real_ns: u64,
}

/// The unit of ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Clock {
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    Nanoseconds = 0,
    /// The processor's time-stamp counter.
    Tsc = 1,
}

/// The ending of the process, as far as the process could report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Ending {
    /// It runs, or was killed.
    None = 0,
    /// It ran to its end.
    Exit = 1,
    /// It left through `_exit` or the like.
    QuickExit = 2,
    /// It called `abort`.
    Abort = 3,
    /// It became another program; if later events are found, that failed.
    Exec = 4,
}

impl Ending {
    /// The ending with this number.
    pub fn from_u32(number: u32) -> Self {
        match number {
            1 => Self::Exit,
            2 => Self::QuickExit,
            3 => Self::Abort,
            4 => Self::Exec,
            _ => Self::None,
        }
    }
}

/// A kind of loss; an index into [`Header::lost`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Loss {
    /// Calls on files for which there was no room for a record.
    Records = 0,
    /// Operations that found no room in the trace.
    Trace = 1,
    /// Calls made by a signal handler while the recorder was busy.
    Nested = 2,
    /// Times the capture could not grow.
    Growth = 3,
    /// Names that were truncated.
    Names = 4,
    /// Asynchronous operations that were submitted and never collected: submitted minus collected.
    Async = 5,
    /// Values beyond the 32 that are counted for a file; no loss against the reference.
    Values = 6,
    /// Calls recorded without asking the kernel, because a filter may forbid it.
    Filtered = 7,
}

impl Loss {
    /// Number of kinds that there is room for.
    pub const COUNT: usize = 8;

    /// Names in order, as in documents and listings.
    pub const NAMES: [&str; Self::COUNT] =
        ["records", "trace", "nested", "growth", "names", "async", "values", "filtered"];
}

/// The first bytes of a capture.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Header {
    /// [`MAGIC`], stored last.
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// A [`Clock`].
    pub clock: u32,
    /// The process.
    pub pid: u32,
    /// Its parent when recording began.
    pub ppid: u32,
    /// Real user id.
    pub uid: u32,
    /// Rank by MPI or by the launcher's environment, or −1.
    pub rank: i32,
    /// Ranks by MPI or by the launcher's environment, or −1.
    pub ranks: i32,
    /// An [`Ending`].
    pub ending: u32,
    /// Status given to `exit` or `_exit`.
    pub status: i32,
    /// 1 if operations were to be traced.
    pub traced: u32,
    /// Inode of the process-id namespace: tells a reader whether `pid` is meaningful to it.
    pub pid_namespace: u64,
    /// Start of the recording.
    pub start: Moment,
    /// `CLOCK_BOOTTIME` at that moment, in nanoseconds: a living process with this pid that began
    /// later is another process.
    pub boot_ns: u64,
    /// The last moment stamped on all clocks: the end, or some time before it.
    pub last: Moment,
    /// Start of the job (`CLOCK_REALTIME`); heat maps count from here.
    pub origin_real_ns: u64,
    /// Bytes of the capture that entries may fill; grows.
    pub size: u64,
    /// Number of the next record in this process.
    pub records: u64,
    /// Opens of paths that are excluded.
    pub excluded: u64,
    /// Job id from the scheduler; 0 if there is none.
    pub jobid: u64,
    /// Numbers of losses, by [`Loss`].
    pub lost: [u64; Loss::COUNT],
    /// Name of the host, NUL padded.
    pub host: [u8; HOST_SIZE],
    /// 1 if rank and ranks come from MPI.
    pub by_mpi: u64,
    /// 1 if files that all ranks use keep one record per rank.
    pub keeps_ranks: u64,
    /// 1 if MPI has ended or is about to end.
    pub mpi_ended: u64,
    /// Libraries that the process has loaded, by [`Library::bit`](crate::Library::bit).
    pub libraries: u64,
    /// Ticks in reads of the standard input, where that is a pipe, a socket or a terminal that the
    /// process began with.
    pub waited: u64,
    /// Losses of regions, by [`RegionLoss`](crate::RegionLoss).
    pub region_lost: [u64; RegionLoss::COUNT],
    /// Ticks that one annotation takes, about; 0 if nobody has asked for regions.
    pub region_cost: u64,
    /// Executions of the program in this process that had a region.
    pub region_executions: u64,
    /// 1 if I/O was to be recorded.
    pub records_io: u64,
    /// Nanoseconds in which the process has written its profile.
    pub flush_ns: u64,
    /// Number of the job in the name of its profile.
    pub profile_job: u64,
    /// Reserved for later versions.
    pub reserved: [u64; 14],
}

pod! {
    Moment: 24;
    Header: 512;
}
