//! Descriptors that were open before they were seen, among them the standard ones.

use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed, Ordering::Release};

use ioglass_shm::FileType;

use super::description::{APPEND, ORIGINAL, SHARED};
use super::pool::describe;
use super::table::{IGNORED, INPUT, entry, note_highest};
use super::{Description, LookedAt, is_stand_in, looked_at};
use crate::naming::{self, FileLookup};
use crate::{process, sys, thread};

/// Examines a descriptor that was open before us.
#[cold]
pub(super) fn adopt(fd: i32, entry: &AtomicUsize) -> Option<&'static Description> {
    if !process::may_call_kernel() || thread::is_vforked() {
        return None;
    }
    let guard = thread::Guard::enter()?;
    let stat = sys::stat_fd(fd).ok()?;
    let kind = FileType::of_mode(stat.st_mode);
    let found = match kind {
        FileType::Regular => naming::made(fd),
        _ => FileLookup::LeftOut,
    };
    let file = match found {
        FileLookup::File(file) => file,
        FileLookup::LeftOut | FileLookup::NoRoom if fd == 0 && waits_for_others(kind) => {
            entry.store(INPUT, Relaxed);
            return None;
        }
        FileLookup::LeftOut | FileLookup::NoRoom => {
            entry.store(IGNORED, Relaxed);
            return None;
        }
        // The next call may succeed.
        FileLookup::Unknown => return None,
    };
    let description = describe(file)?;
    description.set(if fd < 3 { SHARED | ORIGINAL } else { SHARED });
    if sys::file_flags(fd).is_ok_and(|flags| flags & libc::O_APPEND != 0) {
        description.set(APPEND);
    }
    description.position.store(sys::position(fd).unwrap_or(0), Relaxed);
    note_highest(fd);
    entry.store(ptr::from_ref(description) as usize, Release);
    drop(guard);
    Some(description)
}

/// Returns true if a read may wait for another process or a person.
fn waits_for_others(kind: FileType) -> bool {
    matches!(kind, FileType::Fifo | FileType::Socket | FileType::Char)
}

/// Returns true if a standard descriptor is a file that the program itself has put there.
#[inline]
pub(crate) fn is_redirected(fd: i32) -> bool {
    match looked_at(fd) {
        LookedAt::Recorded(description) => !description.has(ORIGINAL) && !is_stand_in(description),
        LookedAt::Unknown | LookedAt::Ignored => false,
    }
}

/// Returns true if the standard input is one that reads wait for, and no description is known.
#[inline]
pub fn is_waited_for() -> bool {
    entry(0).is_some_and(|entry| entry.load(Relaxed) == INPUT)
}
