//! Descriptions that are made, dropped and used again.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use ioglass_shm::Loss;

use super::{Description, File, forks};
use crate::spin::Spin;
use crate::{capture, memory, thread};

static FREE_LOCK: Spin = Spin::new();
static FREE: AtomicPtr<Description> = AtomicPtr::new(ptr::null_mut());

/// A free description that needs no lock, because one thread owns it: usually the first thread of a
/// program, which opens and closes its files one by one.
struct Spare {
    owner: AtomicUsize,
    description: AtomicPtr<Description>,
}

static SPARE: Spare =
    Spare { owner: AtomicUsize::new(0), description: AtomicPtr::new(ptr::null_mut()) };

impl Spare {
    fn is_own(&self) -> bool {
        self.owner.load(Relaxed) == thread::pointer()
    }

    /// Takes the description, inside a guard: a signal handler must not take it as well.
    #[inline]
    fn take(&self) -> Option<*mut Description> {
        let spare = self.description.load(Relaxed);
        let is_there = self.is_own() && !spare.is_null();
        is_there.then(|| {
            self.description.store(ptr::null_mut(), Relaxed);
            spare
        })
    }

    /// Keeps a description if there is none yet; returns true if it was kept.
    #[inline]
    fn keep(&self, description: &'static Description) -> bool {
        let keeps = self.is_own() && self.description.load(Relaxed).is_null();
        if keeps {
            self.description.store(ptr::from_ref(description).cast_mut(), Relaxed);
        }
        keeps
    }
}

/// Gives the spare description to the calling thread, the first of the process.
pub(super) fn start() {
    SPARE.owner.store(thread::pointer(), Relaxed);
}

/// In a child: another thread of the parent may have had the lock.
pub(super) fn after_fork() {
    FREE_LOCK.unlock();
}

/// A new description of `file`, held by one descriptor.
pub(super) fn describe(file: &'static File) -> Option<&'static Description> {
    // SAFETY: null, or nobody else has it.
    let description = unsafe { SPARE.take().unwrap_or_else(take_free).as_ref()? };
    description.set_file(file);
    description.position.store(0, Relaxed);
    description.stream.reset(0);
    description.flags.store(0, Relaxed);
    description.references.store(1, Relaxed);
    description.forks.store(forks(), Relaxed);
    Some(description)
}

/// A free description, or a new one; null if there is no memory.
#[inline(never)]
#[unsafe(link_section = ".text.hot")]
fn take_free() -> *mut Description {
    FREE_LOCK.lock();
    let mut new = FREE.load(Relaxed);
    if !new.is_null() {
        // SAFETY: descriptions are never unmapped.
        FREE.store(unsafe { (*new).next_free.load(Relaxed) }, Relaxed);
    }
    FREE_LOCK.unlock();
    if new.is_null() {
        new = memory::take::<Description>();
    }
    if new.is_null() {
        capture::count_loss(Loss::Records);
    }
    new
}

/// Removes one reference.
pub fn drop_description(description: &'static Description) {
    // Nobody else can have the only reference, so an atomic change is mostly not needed.
    let is_last = description.references.load(Relaxed) == 1;
    if !is_last && description.references.fetch_sub(1, Relaxed) != 1 {
        return;
    }
    let version = description.version.load(Relaxed);
    description.version.store(version.wrapping_add(1), Relaxed);
    if !SPARE.keep(description) {
        give_back(description);
    }
}

#[inline(never)]
#[unsafe(link_section = ".text.hot")]
fn give_back(description: &'static Description) {
    FREE_LOCK.lock();
    description.next_free.store(FREE.load(Relaxed), Relaxed);
    FREE.store(ptr::from_ref(description).cast_mut(), Relaxed);
    FREE_LOCK.unlock();
}
