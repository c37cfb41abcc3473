//! A forked child goes on with the recording, in a capture of its own.

use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::{RECORDING, STATE, may_call_kernel, unseen, wake};
use crate::{
    capture, deferred, file, hdf5, heat, mapping, memory, metadata, naming, pending, pnetcdf,
    region, setting, sys, thread,
};

/// Yields of a thread that waits for another one to continue the recording in a child.
const MAX_YIELDS: u32 = 20_000;

/// True once the program has changed its root.
static ROOT_CHANGED: AtomicBool = AtomicBool::new(false);

/// Makes the capture before the program changes its root, while the directory can be reached.
pub fn root_changes() {
    if !thread::is_vforked()
        && file::is_open()
        && may_call_kernel()
        && let Some(_guard) = thread::Guard::enter()
    {
        capture::ensure();
    }
}

/// Notes that the program has changed its root: it can no longer reach the job's directory.
pub fn root_changed() {
    ROOT_CHANGED.store(true, Relaxed);
}

/// Notes a child that was forked after a change of the root, because it cannot be recorded. Called
/// in the parent.
pub fn forked() {
    if ROOT_CHANGED.load(Relaxed) && file::is_open_here() {
        let command = [c"(fork after chroot)".as_ptr(), core::ptr::null()];
        // SAFETY: ends with null.
        unsafe { unseen(command.as_ptr()) };
    }
}

/// Continues the recording in a forked child. Its first calls may come from several threads at
/// once: one does the work, the others wait. Signals are blocked: a handler would wait for its own
/// thread.
#[cold]
pub(super) fn go_on_in_child() {
    if !may_call_kernel() {
        return after_fork();
    }
    let blocked = sys::block_signals();
    if file::is_first_in_child() {
        after_fork();
    }
    for _ in 0..MAX_YIELDS {
        if file::is_open_here() {
            break;
        }
        sys::yield_now();
    }
    sys::set_signals(blocked);
}

/// Resets the recorder in a child. The first call to record makes a new capture.
fn after_fork() {
    memory::after_fork();
    capture::after_fork();
    heat::after_fork();
    thread::after_fork();
    deferred::after_fork();
    mapping::after_fork();
    metadata::after_fork();
    setting::after_fork();
    pending::after_fork();
    naming::after_fork();
    hdf5::after_fork();
    pnetcdf::after_fork();
    file::after_fork();
    region::after_fork();
    file::open_table();
}

/// Goes on with regions in a forked child.
#[cold]
pub(crate) fn go_on_with_regions() {
    if STATE.load(Acquire) == RECORDING || !may_call_kernel() {
        wake();
        return;
    }
    let blocked = sys::block_signals();
    if file::is_first_in_child() {
        memory::after_fork();
        capture::after_fork();
        thread::after_fork();
        deferred::after_fork();
        region::after_fork();
    }
    for _ in 0..MAX_YIELDS {
        if region::is_on_here() {
            break;
        }
        sys::yield_now();
    }
    sys::set_signals(blocked);
}
