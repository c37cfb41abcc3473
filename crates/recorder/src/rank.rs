//! Which rank of MPI this process is, and what follows from that.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use ioglass_shm::Kind;

use crate::settings::{Mode, Place};
use crate::{capture, file, process, room, sys, thread};

/// What MPI says of this process: ranks in the upper half, rank in the lower; 0 before it does. A
/// forked child is part of its parent's rank.
static PLACE: AtomicU64 = AtomicU64::new(0);
/// The process in which MPI has begun; its children are no ranks.
static PID: AtomicU32 = AtomicU32::new(0);
/// MPI begins or will, so programs are recorded that were to be in that case.
static EXPECTED: AtomicBool = AtomicBool::new(false);

/// Which of how many ranks this is, if MPI has said so.
pub fn place() -> Option<Place> {
    let known = PLACE.load(Relaxed);
    (known != 0).then_some(Place { rank: known as u32, ranks: (known >> 32) as u32 })
}

/// Whether MPI has begun or will.
pub(crate) fn is_expected() -> bool {
    EXPECTED.load(Relaxed)
}

/// Whether this process is recorded only if MPI begins, which it has not.
pub fn is_awaited() -> bool {
    process::mode() == Mode::WaitForMpi
}

/// Says that the program was linked with MPI, or that MPI begins.
pub(crate) fn expect() {
    if is_awaited() && !EXPECTED.swap(true, Relaxed) {
        process::start_after_all();
    }
}

/// MPI has begun and told which rank this is. It counts for what was done before it, too.
pub fn began(place: Place) {
    if place.rank >= place.ranks || thread::is_vforked() {
        return;
    }
    if is_awaited() {
        expect();
        process::go_on_alone();
    }
    PID.store(sys::pid(), Relaxed);
    PLACE.store(u64::from(place.ranks) << 32 | u64::from(place.rank), Relaxed);
    if !file::is_open() {
        return;
    }
    let Some(_guard) = thread::Guard::enter() else { return };
    // A rank is a rank, also if it does nothing to files.
    capture::ensure();
    if let Some(header) = capture::header() {
        // SAFETY: fields of the mapping that nobody else changes.
        unsafe {
            (*header).rank = place.rank as i32;
            (*header).ranks = place.ranks as i32;
            (*header).by_mpi = 1;
        }
    }
    if writes_with_others() {
        room::enter(place);
        if place.rank == 0 {
            note_mounts();
        }
    }
}

/// Notes which file systems are mounted, for the log that the first rank writes of all: what is known now
/// need not be asked for when all ranks wait. A table that is too long is.
fn note_mounts() {
    let mut table = [0; 16 << 10];
    if let Ok(len) = sys::read_file(c"/proc/self/mounts", &mut table)
        && len < table.len()
    {
        capture::put(Kind::Mounts, &table[..len]);
    }
}

/// The program ends MPI. Launchers take it for a failure if a rank ends without.
pub fn ends() {
    if PID.load(Relaxed) != sys::pid() || !file::is_open() {
        return;
    }
    if let Some(header) = capture::header() {
        // SAFETY: a field of the mapping that nobody else changes.
        unsafe { (*header).mpi_ended = 1 };
    }
}

/// Whether ranks write the log of the job themselves, and this one with them.
pub fn writes_with_others() -> bool {
    matches!(process::mode(), Mode::Alone | Mode::WaitForMpi | Mode::LeftOut)
        && place().is_some()
        && process::may_call_kernel()
        && !thread::is_vforked()
        && PID.load(Relaxed) == sys::pid()
}
