//! The entries of a capture, and an iterator over them.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::header::Header;
use crate::pod::{Pod, pod};

/// Entries begin at multiples of this.
pub const ENTRY_ALIGN: usize = 8;

/// The head of every entry.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct EntryHead {
    /// Bytes of the entry including this head; 0 if no entry begins here.
    pub size: u32,
    /// A [`Kind`], stored when the entry is complete.
    pub kind: u32,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// Unused space, or an entry that was never completed.
    None = 0,
    /// A record id, then the bytes of its name.
    Name = 1,
    /// A [`crate::PosixCell`].
    Posix = 2,
    /// A [`crate::StdioCell`].
    Stdio = 3,
    /// A [`crate::MoreValues`].
    MoreValues = 4,
    /// A [`crate::HeatCell`].
    Heat = 5,
    /// A [`crate::ThreadCell`].
    Thread = 6,
    /// A [`crate::trace::ChunkHead`] and events.
    Trace = 7,
    /// A [`crate::OpsCell`].
    Ops = 8,
    /// Command line of the process: words, each ended by NUL.
    Command = 9,
    /// A [`Process`], then its command line: a child that could not be recorded.
    Unseen = 10,
    /// Text for the log's metadata: `key=value`.
    Note = 11,
    /// A [`crate::MpiioCell`].
    Mpiio = 12,
    /// A [`crate::H5fCell`].
    H5f = 13,
    /// A [`crate::H5dCell`].
    H5d = 14,
    /// A [`crate::PnetcdfFileCell`].
    PnetcdfFile = 15,
    /// A [`crate::PnetcdfVarCell`].
    PnetcdfVar = 16,
    /// A [`LayoutHead`], then the attribute in which Lustre keeps a file's layout.
    Lustre = 17,
    /// A [`crate::MoreWide`].
    MoreWide = 18,
    /// The table of mounted file systems, as reported by the kernel.
    Mounts = 19,
    /// A file's number, then the path at which it becomes the log of this capture. If that file is
    /// found there, the capture is no longer needed.
    Log = 20,
    /// A [`crate::MetadataCell`], then the path of its directory.
    Metadata = 21,
    /// A [`crate::RegionCell`].
    Region = 22,
    /// A [`crate::RegionText`], then its bytes: the name of a region or metric, a file, a tag.
    RegionText = 23,
    /// A [`crate::RegionIo`].
    RegionIo = 24,
    /// A [`crate::RegionMetric`].
    RegionMetric = 25,
    /// A [`crate::RegionTag`].
    RegionTag = 26,
    /// A [`crate::RegionNotice`].
    RegionNotice = 27,
    /// A [`crate::SeriesHead`], then [`crate::SeriesItem`]s, or [`crate::SeriesNumber`]s of a metric.
    RegionSeries = 28,
    /// A [`crate::RegionSlowest`].
    RegionSlowest = 29,
    /// A [`crate::RegionText`], then the name of the profile; the last one counts.
    RegionProfile = 30,
    /// The number of times as a `u64`, then a row that says what became of a setting at a place; its
    /// columns are those of `ioglass-param`.
    Setting = 31,
}

impl Kind {
    /// Number of kinds.
    pub const COUNT: usize = Kind::Setting as usize + 1;

    /// The kind with this number; kinds of a later version are read as `None`.
    pub fn from_u32(number: u32) -> Self {
        const ALL: [Kind; Kind::COUNT] = [
            Kind::None,
            Kind::Name,
            Kind::Posix,
            Kind::Stdio,
            Kind::MoreValues,
            Kind::Heat,
            Kind::Thread,
            Kind::Trace,
            Kind::Ops,
            Kind::Command,
            Kind::Unseen,
            Kind::Note,
            Kind::Mpiio,
            Kind::H5f,
            Kind::H5d,
            Kind::PnetcdfFile,
            Kind::PnetcdfVar,
            Kind::Lustre,
            Kind::MoreWide,
            Kind::Mounts,
            Kind::Log,
            Kind::Metadata,
            Kind::Region,
            Kind::RegionText,
            Kind::RegionIo,
            Kind::RegionMetric,
            Kind::RegionTag,
            Kind::RegionNotice,
            Kind::RegionSeries,
            Kind::RegionSlowest,
            Kind::RegionProfile,
            Kind::Setting,
        ];
        ALL.get(number as usize).copied().unwrap_or(Kind::None)
    }
}

/// A process that is known but was not recorded.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Process {
    /// Start of the process, in ticks of the parent.
    pub tick: u64,
    /// Its process id if the parent knows it, else 0.
    pub pid: u64,
}

/// The head of a file's layout on Lustre.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct LayoutHead {
    /// Record id.
    pub id: u64,
    /// Bytes of the attribute; 0 while it changes.
    pub length: u64,
}

pod! {
    EntryHead: 8;
    Process: 16;
    LayoutHead: 16;
}

/// One entry: its kind, its offset in the capture, and its bytes after the head.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'r> {
    /// Kind of the entry.
    pub kind: Kind,
    /// Offset of its head.
    pub offset: usize,
    /// Bytes after the head.
    pub bytes: &'r [u8],
}

/// Walks the entries of a capture; stops at unused space or invalid data.
#[derive(Debug, Clone)]
pub struct Entries<'r> {
    capture: &'r [u8],
    offset: usize,
}

impl<'r> Entries<'r> {
    /// The entries of a capture.
    pub fn of(capture: &'r [u8]) -> Self {
        Self { capture, offset: size_of::<Header>() }
    }

    /// The entry at `offset`.
    pub fn at(capture: &'r [u8], offset: usize) -> Option<Entry<'r>> {
        Self { capture, offset }.next()
    }
}

impl<'r> Iterator for Entries<'r> {
    type Item = Entry<'r>;

    fn next(&mut self) -> Option<Entry<'r>> {
        let offset = self.offset;
        let head = EntryHead::read(self.capture.get(offset..)?)?;
        let size = head.size as usize;
        if size < size_of::<EntryHead>() || !size.is_multiple_of(ENTRY_ALIGN) {
            return None;
        }
        let bytes = self.capture.get(offset + size_of::<EntryHead>()..offset.checked_add(size)?)?;
        self.offset = offset + size;
        Some(Entry { kind: Kind::from_u32(head.kind), offset, bytes })
    }
}
