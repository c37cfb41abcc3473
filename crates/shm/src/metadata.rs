//! Metadata calls that Darshan has no counter for, by directory.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::pod::pod;

/// A kind of metadata call; an index into [`MetadataCell::of`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum MetadataCall {
    /// An open that failed.
    Open = 0,
    /// A `stat` that failed or found something other than a regular file.
    Stat = 1,
    /// `access` and the like.
    Access = 2,
    /// `unlink`, `remove`.
    Unlink = 3,
    /// A rename that failed, or of a directory or a file that no descriptor was opened on.
    Rename = 4,
    /// `link`.
    Link = 5,
    /// `symlink`.
    Symlink = 6,
    /// `readlink`.
    Readlink = 7,
    /// `mkdir`.
    Mkdir = 8,
    /// `rmdir`.
    Rmdir = 9,
    /// `chmod` and the like.
    Chmod = 10,
    /// `chown` and the like.
    Chown = 11,
    /// `utimensat` and the like.
    Utime = 12,
    /// `truncate`, `ftruncate`.
    Truncate = 13,
    /// `opendir`.
    Opendir = 14,
    /// `readdir`.
    Readdir = 15,
    /// `mknod`, `mkfifo`.
    Mknod = 16,
    /// `msync` of a mapped file.
    Msync = 17,
}

impl MetadataCall {
    /// Number of kinds.
    pub const COUNT: usize = 18;

    /// Names in order, as in documents and logs.
    pub const NAMES: [&str; Self::COUNT] = [
        "open", "stat", "access", "unlink", "rename", "link", "symlink", "readlink", "mkdir",
        "rmdir", "chmod", "chown", "utime", "truncate", "opendir", "readdir", "mknod", "msync",
    ];
}

/// Metadata calls of a process in one directory; the path of the directory follows. Without a path
/// it stands for all directories that have no cell of their own.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct MetadataCell {
    /// The hash of the path; 0 if there is none.
    pub id: u64,
    /// Calls of each [`MetadataCall`]; those of one kind lie together, in few cache lines.
    pub of: [MetadataCount; MetadataCall::COUNT],
}

/// Metadata calls of one kind.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct MetadataCount {
    /// Calls.
    pub calls: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// Ticks in these calls.
    pub ticks: u64,
}

pod! {
    MetadataCount: 24;
    MetadataCell: 8 + 24 * MetadataCall::COUNT;
}
