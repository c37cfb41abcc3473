//! What Darshan has no counter for, beside the counters of a file.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::pod::pod;

/// The type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum FileType {
    /// A regular file, or not known.
    Regular = 0,
    /// A pipe, with or without a name.
    Fifo = 1,
    /// A socket.
    Socket = 2,
    /// A terminal or another device of characters.
    Char = 3,
    /// A block device.
    Block = 4,
    /// A directory.
    Dir = 5,
    /// Anything else.
    Other = 6,
}

impl FileType {
    /// Names in order, as in logs.
    pub const NAMES: [&str; 7] = ["-", "fifo", "socket", "char", "block", "dir", "other"];

    /// The type by the mode that `stat` returns.
    pub fn of_mode(mode: u32) -> Self {
        match mode >> 12 & 0xF {
            0o10 => Self::Regular,
            0o01 => Self::Fifo,
            0o14 => Self::Socket,
            0o02 => Self::Char,
            0o06 => Self::Block,
            0o04 => Self::Dir,
            _ => Self::Other,
        }
    }
}

/// Facts about a file and its use, beside its counters.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct FileFacts {
    /// A [`FileType`].
    pub kind: u32,
    /// Opens after which each write waits for the disk.
    pub sync: u32,
    /// Opens that pass the page cache by.
    pub direct: u32,
    /// Opens that truncated the file.
    pub truncated: u32,
    /// Ticks in opens; part of the time of metadata.
    pub opened: u64,
    /// Ticks in closes; part of the time of metadata.
    pub closed: u64,
    /// Ticks in `fsync` and `fdatasync`; part of the time of writes.
    pub synced: u64,
    /// Bytes of the largest mapping.
    pub mapped: u64,
    /// Calls whose time is time of metadata, opens apart.
    pub others: u64,
}

pod! {
    FileFacts: 56;
}
