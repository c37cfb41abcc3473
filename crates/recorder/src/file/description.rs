//! Open file descriptions.

use core::hint::cold_path;
use core::ptr;
use core::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, Ordering::Relaxed};

use super::File;
use crate::stdio::StreamPlace;
use crate::{process, sys};

/// An open file description: `open` makes it, `dup` and `fork` share it.
#[repr(C, align(64))]
pub struct Description {
    file: AtomicPtr<File>,
    /// Start of the next read or write, valid if only this process moves it.
    pub position: AtomicI64,
    /// Position of the stream that uses it.
    pub stream: StreamPlace,
    pub(super) flags: AtomicU32,
    pub(super) references: AtomicU32,
    /// Incremented when the description is freed, so that a late caller does not move the position
    /// of its successor.
    pub version: AtomicU32,
    /// Number of forks before it was made.
    pub(super) forks: AtomicU32,
    pub(super) next_free: AtomicPtr<Description>,
}

/// Flag: writes go to the end of the file.
pub const APPEND: u32 = 1;
/// Flag: another process may move the position.
pub(super) const SHARED: u32 = 2;
/// Flag: the position of its stream, which appends, is the end of the file.
pub(crate) const AT_END: u32 = 4;
/// Flag: the C library moves the position too.
pub const STREAM: u32 = 8;
/// Flag: the process began with it as one of its standard descriptors.
pub(super) const ORIGINAL: u32 = 16;
/// Flag: the position of its stream has been compared with that of the descriptor.
pub(crate) const PLACED: u32 = 32;

impl Description {
    /// A description that is never freed.
    pub(crate) const fn permanent(file: *mut File) -> Self {
        Self {
            file: AtomicPtr::new(file),
            position: AtomicI64::new(0),
            stream: StreamPlace::new(),
            flags: AtomicU32::new(0),
            references: AtomicU32::new(1 << 30),
            version: AtomicU32::new(0),
            forks: AtomicU32::new(0),
            next_free: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The file.
    #[inline]
    pub fn file(&self) -> &'static File {
        // SAFETY: set before the description is published; files are never unmapped.
        unsafe { &*self.file.load(Relaxed) }
    }

    /// The file of a description that may not have one yet.
    #[inline]
    pub(crate) fn file_so_far(&self) -> Option<&'static File> {
        // SAFETY: files are never unmapped.
        unsafe { self.file.load(Relaxed).as_ref() }
    }

    /// Sets the file of a description.
    pub(crate) fn set_file(&self, file: &'static File) {
        self.file.store(ptr::from_ref(file).cast_mut(), Relaxed);
    }

    /// Returns true if the kernel must be asked for the position after each call.
    #[inline]
    pub fn must_ask(&self, forks: u32) -> bool {
        self.has(APPEND | SHARED | STREAM) || self.forks.load(Relaxed) != forks
    }

    /// Notes that the program has changed the flags of the open file.
    pub fn flags_changed(&self, fd: i32) {
        if !process::may_call_kernel() {
            return;
        }
        match sys::file_flags(fd) {
            Ok(flags) if flags & libc::O_APPEND != 0 => self.set(APPEND),
            Ok(_) if self.flags.load(Relaxed) & APPEND != 0 => {
                self.flags.fetch_and(!APPEND, Relaxed);
                self.position.store(sys::position(fd).unwrap_or(0), Relaxed);
            }
            _ => {}
        }
    }

    /// Returns true if a write to its stream goes to the end of the file, and the position of the
    /// stream is elsewhere.
    #[inline]
    pub(crate) fn jumps_to_end(&self) -> bool {
        self.flags.load(Relaxed) & (APPEND | AT_END) == APPEND
    }

    /// Returns true if a flag is set.
    #[inline]
    pub fn has(&self, flag: u32) -> bool {
        self.flags.load(Relaxed) & flag != 0
    }

    /// Sets a flag.
    pub fn set(&self, flag: u32) {
        self.flags.fetch_or(flag, Relaxed);
    }

    /// Clears flags, which are rarely set.
    #[inline]
    pub(crate) fn clear(&self, flags: u32) {
        if self.has(flags) {
            cold_path();
            self.flags.fetch_and(!flags, Relaxed);
        }
    }
}
