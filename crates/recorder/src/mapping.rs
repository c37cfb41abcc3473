//! Mapped files by address, so that `munmap` and `msync` can be assigned to a file.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use ioglass_shm::Operation;

use crate::file::File;
use crate::spin::Spin;
use crate::thread::Guard;

/// Mappings that are known at a time; the end of others is not counted.
const SLOTS: usize = 1024;

struct MappingSlot {
    address: AtomicUsize,
    size: AtomicUsize,
    file: AtomicPtr<File>,
}

impl MappingSlot {
    const fn free() -> Self {
        Self {
            address: AtomicUsize::new(0),
            size: AtomicUsize::new(0),
            file: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Returns true if an address lies in the mapping.
    fn has(&self, address: usize) -> bool {
        let begin = self.address.load(Relaxed);
        begin != 0 && address.wrapping_sub(begin) < self.size.load(Relaxed)
    }
}

static MAPPINGS: [MappingSlot; SLOTS] = [const { MappingSlot::free() }; SLOTS];
/// No slot at or beyond this one is in use.
static END: AtomicUsize = AtomicUsize::new(0);
static LOCK: Spin = Spin::new();

fn slots() -> &'static [MappingSlot] {
    &MAPPINGS[..END.load(Relaxed).min(SLOTS)]
}

fn lend(slot: &MappingSlot) -> Option<&'static File> {
    // SAFETY: null or a file, and files are never unmapped.
    unsafe { slot.file.load(Relaxed).as_ref() }
}

/// Remembers a mapping.
pub fn insert(address: usize, size: usize, file: &'static File) {
    let Some(_guard) = Guard::enter() else { return };
    LOCK.lock();
    let used = END.load(Relaxed);
    let free = slots().iter().position(|slot| slot.address.load(Relaxed) == 0).unwrap_or(used);
    if let Some(slot) = MAPPINGS.get(free) {
        slot.file.store(ptr::from_ref(file).cast_mut(), Relaxed);
        slot.size.store(size, Relaxed);
        slot.address.store(address, Relaxed);
        END.store(used.max(free + 1), Relaxed);
    }
    LOCK.unlock();
}

/// The file whose mapping has an address.
pub fn find(address: usize) -> Option<&'static File> {
    slots().iter().find(|slot| slot.has(address)).and_then(lend)
}

/// Forgets the mapping that begins at an address.
pub fn remove(address: usize) -> Option<&'static File> {
    let slot = slots().iter().find(|slot| slot.address.load(Relaxed) == address)?;
    let file = lend(slot);
    slot.address.store(0, Relaxed);
    file
}

/// Counts a call on a mapping.
pub fn count(file: Option<&'static File>, operation: Operation, succeeded: bool) {
    if let Some(file) = file
        && succeeded
        && let Some(_guard) = Guard::enter()
    {
        file.count(operation, 1);
    }
}

/// In a child: no other thread can hold the lock.
pub fn after_fork() {
    LOCK.unlock();
}
