//! A description for descriptors that a signal handler opens while the recorder is busy, until their
//! opens are booked.

use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed, Ordering::Release};

use ioglass_shm::FileType;

use super::description::APPEND;
use super::pool::{describe, drop_description};
use super::table::{entry, note_highest};
use super::{Description, File, LEFT_OUT_BY_ALL};
use crate::lane::PosixState;
use crate::memory::Shared;
use crate::stdio::StdioState;
use crate::{naming, process, sys};

/// The description of descriptors that a signal handler opens while the recorder is busy.
static STAND_IN: Shared<Description> = Shared::new(Description::permanent(STAND_IN_FILE.get()));
/// A file that every module excludes.
static STAND_IN_FILE: Shared<File> = Shared::new(File {
    id: 0,
    name: ptr::null(),
    name_len: 0,
    generation: AtomicU32::new(u32::MAX),
    alignment: 0,
    left_out: AtomicU32::new(LEFT_OUT_BY_ALL),
    kind: AtomicU32::new(FileType::Regular as u32),
    ops: AtomicPtr::new(ptr::null_mut()),
    posix: PosixState::new(),
    stdio: StdioState::new(),
    mpiio: AtomicPtr::new(ptr::null_mut()),
});

/// Attaches a descriptor to the stand-in.
pub(crate) fn stand_in(fd: i32) {
    if let Some(entry) = entry(fd) {
        note_highest(fd);
        entry.store(STAND_IN.get() as usize, Relaxed);
    }
}

/// Returns true if a description is the stand-in.
#[inline]
pub(crate) fn is_stand_in(description: &Description) -> bool {
    ptr::eq(description, STAND_IN.get())
}

/// Attaches a descriptor to its real description, if it still has the stand-in.
pub(crate) fn replace_stand_in(fd: i32, description: &'static Description) {
    let (stand_in, own) = (STAND_IN.get() as usize, ptr::from_ref(description) as usize);
    let replaced = entry(fd)
        .is_some_and(|entry| entry.compare_exchange(stand_in, own, Release, Relaxed).is_ok());
    if !replaced {
        drop_description(description);
    }
}

/// A description of the file with this absolute name, not attached to a descriptor yet.
pub(crate) fn describe_name(name: &[u8], append: bool) -> Option<&'static Description> {
    let description = describe(naming::called(name)?)?;
    if append {
        description.set(APPEND);
    }
    Some(description)
}

/// The absolute name of a descriptor's file, if it fits; takes no lock.
pub(crate) fn name_of(fd: i32, room: &mut [u8]) -> Option<usize> {
    if !process::may_call_kernel() {
        return None;
    }
    let mut path = *b"/proc/self/fd/\0\0\0\0\0\0\0\0\0\0\0\0";
    let mut digits = [0; 10];
    let (mut number, mut at) = (fd as u32, digits.len());
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    let digits = &digits[at..];
    path[14..14 + digits.len()].copy_from_slice(digits);
    let size = room.len();
    let name = sys::read_link(CStr::from_bytes_until_nul(&path).ok()?, room).ok()?;
    (name.len() < size && name.first() == Some(&b'/')).then_some(name.len())
}
