//! Executions: how often the whole program has begun in this process.

use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed};

use ioglass_shm::{EXACT_EXECUTIONS, RegionKind, step_of};

use super::tree::Node;
use crate::capture;

/// The execution that is under way.
static CURRENT: AtomicU32 = AtomicU32::new(0);
/// True once the program says itself when an execution begins.
static IS_SAID: AtomicBool = AtomicBool::new(false);
/// The first region of all. Entering it again, outermost, begins the next execution.
static FIRST: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

/// The first of the executions that are put together with the current one.
pub(super) fn block() -> u32 {
    let current = u64::from(CURRENT.load(Relaxed));
    (current - current % step_of(current, EXACT_EXECUTIONS)) as u32
}

/// Number of executions so far.
pub(crate) fn executions() -> u64 {
    u64::from(CURRENT.load(Relaxed)) + 1
}

/// Notes that an outermost region is entered. Returns true if that begins an execution.
#[cold]
#[inline(never)]
pub(super) fn begins_with(node: &Node, kind: RegionKind) -> bool {
    let node = ptr::from_ref(node).cast_mut();
    let mut first = FIRST.load(Relaxed);
    if first.is_null() {
        match FIRST.compare_exchange(first, node, Relaxed, Relaxed) {
            Ok(_) => return false,
            Err(faster) => first = faster,
        }
    }
    let begins = first == node && kind != RegionKind::Iteration && !IS_SAID.load(Relaxed);
    if begins {
        next();
    }
    begins
}

/// Begins an execution because the program says so.
pub(super) fn said() {
    IS_SAID.store(true, Relaxed);
    // Before any region it is the first one, however often that is said.
    if !FIRST.load(Relaxed).is_null() {
        next();
    }
}

fn next() {
    let before = block();
    // Beyond all bounds they stay together with the last one.
    let _ = CURRENT.fetch_update(Relaxed, Relaxed, |number| number.checked_add(1));
    if let Some(header) = capture::header() {
        // SAFETY: a word of the mapping.
        unsafe { AtomicU64::from_ptr(&raw mut (*header).region_executions) }
            .fetch_max(executions(), Relaxed);
    }
    if block() != before {
        super::change_stamp();
    }
}

/// In a child, whose figures begin at zero.
pub(super) fn after_fork() {
    CURRENT.store(0, Relaxed);
    IS_SAID.store(false, Relaxed);
    FIRST.store(ptr::null_mut(), Relaxed);
}
