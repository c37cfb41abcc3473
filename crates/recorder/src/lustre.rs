//! Layouts of files on Lustre: the attribute of the file system is stored unchanged.
//!
//! A file's layout grows while it is written. So it is read when the file is opened, for files that
//! are never closed, and again when it is closed.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};
use core::sync::atomic::{Ordering::Relaxed, Ordering::Release};

use ioglass_shm::{Kind, LayoutHead, Loss};

use crate::file::{self, File};
use crate::index::Index;
use crate::settings::module;
use crate::spin::Spin;
use crate::thread::Guard;
use crate::{capture, memory, naming, process, sys};

/// The longest attribute in Linux.
const LONGEST: usize = 64 << 10;

/// Location of a file's stored attribute.
struct StoredLayout {
    /// The process, counted by forks, whose capture holds it, plus 1.
    generation: AtomicU32,
    head: AtomicPtr<LayoutHead>,
    room: AtomicU64,
    lock: Spin,
}

static LAYOUTS: Index<StoredLayout> = Index::new();

/// Stores the layout of a descriptor's file, if it is on Lustre.
#[inline]
pub(crate) fn look(fd: i32, file: &'static File) {
    if !file.is_left_out_by(module::LUSTRE) {
        look_at(fd, file);
    }
}

/// Stores the layout before a close, without a guard.
#[inline]
pub(crate) fn look_before_close(fd: i32, file: &'static File) {
    if !file.is_left_out_by(module::LUSTRE)
        && let Some(_guard) = Guard::enter()
    {
        look_at(fd, file);
    }
}

#[cold]
fn look_at(fd: i32, file: &'static File) {
    if !process::may_call_kernel() {
        return;
    }
    let Ok(size @ 1..=LONGEST) = sys::attribute(fd, c"lustre.lov", ptr::null_mut(), 0) else {
        return;
    };
    if !file.is_current() {
        file.renew();
    }
    let Some(layout) = layout(file) else { return capture::count_loss(Loss::Records) };
    layout.lock.lock();
    if layout.generation.load(Relaxed) != file::generation() + 1 {
        layout.room.store(0, Relaxed);
    }
    let kept = if size as u64 <= layout.room.load(Relaxed) {
        let head = layout.head.load(Relaxed);
        // SAFETY: an entry of the capture with this much room behind its head.
        unsafe { fill(fd, head, size) };
        true
    } else {
        keep(fd, file, layout, size)
    };
    layout.lock.unlock();
    if !kept {
        capture::count_loss(Loss::Records);
    }
}

fn layout(file: &'static File) -> Option<&'static StoredLayout> {
    // Record ids are keys of other tables too, but this one has layouts only.
    let found = LAYOUTS.find(file.id).or_else(|| {
        naming::LOCK.lock();
        let found = LAYOUTS.find(file.id).or_else(|| {
            let new = memory::take::<StoredLayout>();
            (!new.is_null()).then(|| {
                LAYOUTS.insert(file.id, new);
                new
            })
        });
        naming::LOCK.unlock();
        found
    })?;
    // SAFETY: layouts are never unmapped, and all zero is a valid value.
    Some(unsafe { &*found })
}

/// Stores an attribute in a new entry; the last one of a file is valid.
fn keep(fd: i32, file: &'static File, layout: &StoredLayout, size: usize) -> bool {
    let Some(taken) = capture::take(size_of::<LayoutHead>() + size) else { return false };
    let head = taken.payload().cast::<LayoutHead>();
    // SAFETY: the entry has room for head and attribute.
    unsafe {
        (*head).id = file.id;
        fill(fd, head, size);
    }
    taken.complete(Kind::Lustre);
    layout.head.store(head, Relaxed);
    layout.room.store(size as u64, Relaxed);
    layout.generation.store(file::generation() + 1, Relaxed);
    true
}

/// Reads the attribute into the entry, after its head. Meanwhile its length is 0.
unsafe fn fill(fd: i32, head: *mut LayoutHead, size: usize) {
    // SAFETY: the caller vouches for the room.
    unsafe {
        let length = AtomicU64::from_ptr(&raw mut (*head).length);
        length.store(0, Release);
        let room = head.add(1).cast::<u8>();
        let filled = sys::attribute(fd, c"lustre.lov", room, size).unwrap_or(0);
        length.store(filled as u64, Release);
    }
}
