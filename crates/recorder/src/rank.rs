//! The MPI rank of this process, and its consequences for recording.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use ioglass_shm::Kind;

use crate::settings::{Mode, WorldRank};
use crate::{capture, file, meeting, process, region, room, sys, thread};

/// Ranks in the upper half, rank in the lower, as reported by MPI; 0 before. A forked child keeps
/// its parent's rank.
static WORLD_RANK: AtomicU64 = AtomicU64::new(0);
/// The process in which MPI has begun; its children are not ranks.
static PID: AtomicU32 = AtomicU32::new(0);
/// True if MPI has begun or is expected in a process that is recorded only with MPI.
static EXPECTED: AtomicBool = AtomicBool::new(false);

/// True once the program ends MPI.
static ENDED: AtomicBool = AtomicBool::new(false);

/// Rank and ranks while MPI runs, if this process is a rank.
pub fn running() -> Option<WorldRank> {
    own().filter(|_| !ENDED.load(Relaxed))
}

/// Rank and ranks, once MPI has reported them.
pub fn world_rank() -> Option<WorldRank> {
    let known = WORLD_RANK.load(Relaxed);
    (known != 0).then_some(WorldRank { rank: known as u32, ranks: (known >> 32) as u32 })
}

/// The rank of this very process: children of a rank are none.
pub fn own() -> Option<WorldRank> {
    world_rank().filter(|_| PID.load(Relaxed) == sys::pid())
}

/// Returns true if MPI has begun or is expected.
pub(crate) fn is_expected() -> bool {
    EXPECTED.load(Relaxed)
}

/// Returns true if this process is recorded only with MPI, which has not begun.
pub fn is_awaited() -> bool {
    process::mode() == Mode::WaitForMpi
}

/// Starts recording in a process that waits for MPI: the program is linked with it, or MPI begins.
pub(crate) fn expect() {
    if is_awaited() && !EXPECTED.swap(true, Relaxed) {
        process::start_after_all();
    }
}

/// Notes the rank after MPI has begun. It also applies to the calls before.
pub fn began(world: WorldRank) {
    if world.rank >= world.ranks || thread::is_vforked() {
        return;
    }
    if is_awaited() {
        expect();
        process::go_on_alone();
    }
    PID.store(sys::pid(), Relaxed);
    WORLD_RANK.store(u64::from(world.ranks) << 32 | u64::from(world.rank), Relaxed);
    if !file::is_open() && !region::is_on_here() {
        // Other ranks may count regions, and would wait for this one.
        if writes_with_others() && process::settings().regions == Some(true) {
            room::enter(world);
            meeting::stay_away(world);
        }
        return;
    }
    let Some(_guard) = thread::Guard::enter() else { return };
    // Every rank has a capture, even if it uses no file.
    capture::ensure();
    process::is_rank(world);
    if writes_with_others() {
        room::enter(world);
        if !region::is_on_here() {
            meeting::stay_away(world);
        }
        if world.rank == 0 {
            note_mounts();
        }
    }
}

/// Stores the table of mounted file systems for the log, which the first rank writes. A table that
/// is too long is read when the log is written, while all ranks wait.
fn note_mounts() {
    let mut table = [0; 16 << 10];
    if let Ok(len) = sys::read_file(c"/proc/self/mounts", &mut table)
        && len < table.len()
    {
        capture::put(Kind::Mounts, &table[..len]);
    }
}

/// Notes that the program ends MPI. Launchers treat a rank that exits without this as a failure.
pub fn ends() {
    if PID.load(Relaxed) == sys::pid() {
        ENDED.store(true, Relaxed);
    }
    let is_on = file::is_open() || region::is_on_here();
    if PID.load(Relaxed) != sys::pid() || !is_on {
        return;
    }
    if let Some(header) = capture::header() {
        // SAFETY: a field of the mapping that nobody else changes.
        unsafe { (*header).mpi_ended = 1 };
    }
}

/// Returns true if the ranks write the log or the profile of the job together, and this process is one
/// of them.
pub fn writes_with_others() -> bool {
    let writes_log = matches!(process::mode(), Mode::Alone | Mode::WaitForMpi | Mode::LeftOut);
    (writes_log || process::writes_its_profile())
        && own().is_some()
        && process::may_call_kernel()
        && !thread::is_vforked()
}
