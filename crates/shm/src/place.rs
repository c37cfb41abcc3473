//! Locations of captures, and the names by which the parts of ioglass find each other.
//!
//! `ROOT/ioglass-UID/JOB/` holds the captures of one job on one node, each named
//! `PID-TICK.capture`. `ioglass run` makes the directory and passes it on in [`JOB`]; a process
//! that cannot reach it tries the same job under the other roots. The directory also holds
//! [`BUDGET_FILE`], shared by all processes of the job on the node, and [`JOB_FILE`], which tells
//! `recover` what was run.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Roots in the order in which they are tried.
pub const ROOTS: [&str; 2] = ["/dev/shm", "/tmp"];
/// Prefix of a user's directory, before the user id.
pub const USER_PREFIX: &str = "ioglass-";
/// Suffix of a capture's file name.
pub const CAPTURE_SUFFIX: &str = ".capture";
/// A [`JobBudget`].
pub const BUDGET_FILE: &str = "budget";
/// Lines `key=value` about the job.
pub const JOB_FILE: &str = "job";
/// Suffix of the file that leads the commands of one launch on this node to their directory.
pub const GATE_SUFFIX: &str = ".launch";
/// Suffix of the file that each of these commands has in the directory.
pub const MEMBER_SUFFIX: &str = ".member";

/// Suffix of the file through which the ranks of one node write a log together.
pub const ROOM_SUFFIX: &str = ".room";

/// The job's directory, an absolute path; its last component is the job's name.
pub const JOB: &str = "IOGLASS_JOB";
/// Start of the job, in nanoseconds since 1970.
pub const ORIGIN: &str = "IOGLASS_ORIGIN";
/// Unit of ticks: `tsc` if the command found the time-stamp counter to be sound, else `ns`.
pub const CLOCK: &str = "IOGLASS_CLOCK";
/// The path of the regions in which a program is started.
pub const REGION_PATH: &str = "IOGLASS_REGION_PATH";

/// Words shared by the processes of a job on a node, and by its command.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct JobBudget {
    /// Bytes of trace used so far; raised atomically.
    pub trace: u64,
    /// Bytes of everything else used so far.
    pub records: u64,
    /// Processes that could not be recorded, because they could not make a capture.
    pub unrecorded: u64,
    /// Opens of excluded paths by processes that recorded nothing and have no capture.
    pub excluded: u64,
    /// Times that a process has asked the command to write the profile.
    pub flush_wanted: u32,
    /// The last of these that is done. Processes sleep on this word.
    pub flush_done: u32,
    /// The error number of the last one; 0 if the profile was written.
    pub flush_outcome: u32,
    /// Process id of the command that writes the profile and is told by SIGCHLD; 0 if there is none.
    pub flush_by: u32,
    /// The namespace of that process id.
    pub flush_namespace: u64,
}

crate::pod::pod! {
    JobBudget: 56;
}
