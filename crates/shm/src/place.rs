//! Where captures lie, and the names by which the parts of ioglass find each other.
//!
//! `ROOT/ioglass-UID/JOB/` holds the captures of one job on one node, `PID-TICK.capture` each.
//! `ioglass run` makes the folder and hands it on in [`JOB`]; a process that cannot reach it tries
//! the same job under the other roots. Beside the captures lies [`BUDGET_FILE`], shared by all
//! processes of the job on the node, and [`JOB_FILE`], by which `recover` knows what was run.

/// Roots in the order in which they are tried.
pub const ROOTS: [&str; 2] = ["/dev/shm", "/tmp"];
/// What a user's folder begins with, before the user id.
pub const USER_PREFIX: &str = "ioglass-";
/// How the file of a capture ends.
pub const CAPTURE_SUFFIX: &str = ".capture";
/// A [`Budget`].
pub const BUDGET_FILE: &str = "budget";
/// Lines `key=value` about the job.
pub const JOB_FILE: &str = "job";
/// How the file ends that leads the commands of one launch on this node to their folder.
pub const GATE_SUFFIX: &str = ".launch";
/// How the file ends that each of these commands has in the folder.
pub const MEMBER_SUFFIX: &str = ".member";

/// How the file ends in which ranks of one node meet that write a log together.
pub const ROOM_SUFFIX: &str = ".room";

/// The job's folder, an absolute path; its last part is the job's name.
pub const JOB: &str = "IOGLASS_JOB";
/// When the job began, in nanoseconds since 1970.
pub const ORIGIN: &str = "IOGLASS_ORIGIN";
/// What ticks are: `tsc` if the command has found the time-stamp counter to be sound, else `ns`.
pub const CLOCK: &str = "IOGLASS_CLOCK";

/// What the processes of a job on a node share.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// Bytes of trace taken so far; to be raised atomically.
    pub trace: u64,
    /// Bytes of everything else taken so far.
    pub records: u64,
    /// Processes that could not be recorded, because they could not make a capture.
    pub unrecorded: u64,
    /// Opens of excluded paths by processes that recorded nothing and have no capture.
    pub excluded: u64,
}

crate::pod::pod! {
    Budget: 32;
}
