//! The origin of the process: the regions in which it was started. What it does in no region of its
//! own counts for the innermost of them.
//!
//! Nothing is put into the capture before there is something to count.

use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ioglass_shm::{PathNames, RegionLoss, unescaped};

use super::names::{self, LONGEST};
use super::room::{self, Use};
use super::tree::{Node, Tree};
use super::visit;
use crate::memory::Shared;
use crate::process;
use crate::settings::Settings;
use crate::thread::{self, Thread};

/// True if the process was started in a region.
static IS_THERE: AtomicBool = AtomicBool::new(false);
/// Stands for the origin in threads that have nothing to count yet. It is never changed.
static UNKNOWN: Shared<MaybeUninit<Node>> = Shared::new(MaybeUninit::zeroed());

/// The region of threads that have nothing to count yet.
fn unknown() -> *const Node {
    UNKNOWN.get().cast_const().cast()
}

/// Begins the first thread in the origin of the process.
pub(super) fn start(settings: &Settings) {
    if settings.region_path.is_some() {
        IS_THERE.store(true, Relaxed);
        begin(thread::current());
    }
}

/// Begins a thread in the origin of the process.
pub(crate) fn begin(thread: &Thread) {
    if IS_THERE.load(Relaxed) {
        thread.region.set(unknown());
    }
}

/// Goes into the origin with a new tree.
pub(super) fn enter(thread: &Thread, tree: &Tree) {
    if !ptr::eq(thread.region.get(), unknown()) {
        return;
    }
    thread.region.set(ptr::null());
    let path = process::settings().region_path.unwrap_or_default();
    let mut name = [0; LONGEST + 1];
    for written in PathNames::of(path.to_bytes()).into_iter().flatten() {
        let mut size = 0;
        for (place, byte) in name.iter_mut().zip(unescaped(written)) {
            *place = byte;
            size += 1;
        }
        let id = names::intern_for(&name[..size], Use::Last);
        if !visit::begin_in(thread, tree, id) {
            return room::lose(RegionLoss::Visits, 1);
        }
    }
}
