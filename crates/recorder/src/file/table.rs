//! The table that leads from a descriptor to its description.

use core::hint::{self, cold_path};
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use super::adopted::adopt;
use super::description::APPEND;
use super::pool::{describe, drop_description};
use super::{Description, File, switch};
use crate::hot::HOT;
use crate::{lustre, process};

/// Table entry of a descriptor that has not been examined.
const UNKNOWN: usize = 0;
/// Table entry of a descriptor that is not recorded.
pub(super) const IGNORED: usize = 1;
/// Table entry of the standard input if it is a pipe, a socket or a terminal that the process began
/// with: reads of it wait for somebody else.
pub(super) const INPUT: usize = 2;
/// Table entry of a closed descriptor. If its number comes back without a call that we see, it is
/// not a file to record.
const CLOSED: usize = 3;

/// The highest descriptor that was attached to a file.
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

/// The table entry of a descriptor, if recording is on.
#[inline]
pub(super) fn entry(fd: i32) -> Option<&'static AtomicUsize> {
    if (fd as u32 as usize) < switch::table_size() {
        // SAFETY: just compared.
        Some(unsafe { entry_within(fd) })
    } else {
        cold_path();
        (switch::wake() && (fd as u32 as usize) < switch::table_size())
            // SAFETY: just compared.
            .then(|| unsafe { entry_within(fd) })
    }
}

/// The entry of a descriptor.
///
/// # Safety
/// The table was found to be large enough.
#[inline]
unsafe fn entry_within(fd: i32) -> &'static AtomicUsize {
    let table = HOT.descriptors.load(Relaxed);
    // SAFETY: the table exists before it has a size, and stays, in children too.
    unsafe {
        hint::assert_unchecked(!table.is_null());
        &*table.add(fd as u32 as usize)
    }
}

/// The description to which an entry leads.
#[inline]
fn description_at(address: usize) -> Option<&'static Description> {
    // SAFETY: all other entries are addresses of descriptions, which are never unmapped.
    (address > CLOSED).then(|| unsafe { &*(address as *const Description) })
}

/// The description of a descriptor; an inherited one is examined the first time.
#[inline]
pub fn description(fd: i32) -> Option<&'static Description> {
    let entry = entry(fd)?;
    let address = entry.load(Acquire);
    if let Some(description) = description_at(address) {
        return Some(description);
    }
    if address == UNKNOWN { adopt(fd, entry) } else { None }
}

/// A descriptor as far as it is known without a system call.
pub(crate) enum LookedAt {
    /// Not examined yet, or this is a new child.
    Unknown,
    /// It is not recorded, or nothing is.
    Ignored,
    /// It is recorded.
    Recorded(&'static Description),
}

/// Looks up a descriptor.
#[inline]
pub(crate) fn looked_at(fd: i32) -> LookedAt {
    if fd as u32 as usize >= switch::table_size() {
        return if process::is_off() { LookedAt::Ignored } else { LookedAt::Unknown };
    }
    // SAFETY: just compared.
    match unsafe { entry_within(fd) }.load(Acquire) {
        UNKNOWN => LookedAt::Unknown,
        address => description_at(address).map_or(LookedAt::Ignored, LookedAt::Recorded),
    }
}

/// The description of a descriptor, without examining an unknown one.
pub fn known(fd: i32) -> Option<&'static Description> {
    description_at(entry(fd)?.load(Acquire))
}

/// Attaches a new descriptor to a file.
#[inline]
pub fn attach(fd: i32, file: Option<&'static File>, append: bool) -> Option<&'static Description> {
    let entry = entry(fd)?;
    note_highest(fd);
    if let Some(file) = file {
        lustre::look(fd, file);
    }
    let description = file.and_then(describe);
    let address = match description {
        Some(description) => {
            if append {
                description.set(APPEND);
            }
            ptr::from_ref(description) as usize
        }
        None => IGNORED,
    };
    // Usually the number was closed before, and there is nothing to release.
    if entry.load(Relaxed) > CLOSED {
        cold_path();
        release(entry.swap(address, Release));
    } else {
        entry.store(address, Release);
    }
    description
}

/// Makes `to` a second descriptor of the description of `from`, which has been examined.
pub fn duplicate(from: i32, to: i32) -> Option<&'static Description> {
    let source = known(from);
    let address = match source {
        Some(source) => {
            source.references.fetch_add(1, Relaxed);
            ptr::from_ref(source) as usize
        }
        None => IGNORED,
    };
    note_highest(to);
    release(entry(to)?.swap(address, Release));
    source
}

/// Notes that a descriptor is in use.
#[inline]
pub(super) fn note_highest(fd: i32) {
    if fd as usize > HIGHEST.load(Relaxed) {
        cold_path();
        HIGHEST.fetch_max(fd as usize, Relaxed);
    }
}

/// Makes a descriptor be examined when it is used next: it was opened in a signal handler while the
/// recorder was busy, or by a system call that the program made itself.
pub fn forget(fd: i32) {
    if let Some(entry) = entry(fd) {
        note_highest(fd);
        release(entry.swap(UNKNOWN, Relaxed));
    }
}

/// Frees the number of a descriptor, before the kernel does. The description stays usable until it
/// is [`dropped`](drop_description).
#[inline(always)]
pub fn detach(fd: i32) -> Option<&'static Description> {
    let description = description_at(entry(fd)?.swap(CLOSED, Release))?;
    lustre::look_before_close(fd, description.file());
    Some(description)
}

/// Frees the numbers of a range of descriptors.
pub fn detach_range(first: u32, last: u32) {
    let end = (u64::from(last) + 1).min(HIGHEST.load(Relaxed) as u64 + 1);
    for fd in u64::from(first)..end {
        let Some(entry) = entry(fd as i32) else { return };
        if entry.load(Relaxed) != UNKNOWN {
            release(entry.swap(CLOSED, Release));
        }
    }
}

/// Releases the description of an entry.
fn release(address: usize) {
    if let Some(description) = description_at(address) {
        drop_description(description);
    }
}
