//! The three standard streams.

use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::layout::{Layout, Stream};
use crate::file::{self, Description};
use crate::settings::module;
use crate::thread::{self, Guard};
use crate::{naming, process};

// A C library other than glibc does not have them, and is not recorded.
core::arch::global_asm!(".weak _IO_2_1_stdin_", ".weak _IO_2_1_stdout_", ".weak _IO_2_1_stderr_");

unsafe extern "C" {
    #[link_name = "_IO_2_1_stdin_"]
    static STDIN: Layout;
    #[link_name = "_IO_2_1_stdout_"]
    static STDOUT: Layout;
    #[link_name = "_IO_2_1_stderr_"]
    static STDERR: Layout;
}

/// One of the standard streams: it has its own record, even if it is redirected.
pub(super) struct Standard {
    name: &'static [u8],
    /// Has no file until the stream is used.
    pub(super) description: Description,
    /// True if `freopen` has opened a file with it.
    reopened: AtomicBool,
}

static STANDARD: [Standard; 3] =
    [Standard::new(b"<STDIN>"), Standard::new(b"<STDOUT>"), Standard::new(b"<STDERR>")];

/// The standard stream with this pointer, if it has not been reopened.
#[inline]
pub(super) fn standard(stream: Stream) -> Option<&'static Standard> {
    let streams = [&raw const STDIN, &raw const STDOUT, &raw const STDERR];
    let number = streams.iter().position(|known| ptr::eq(*known, stream))?;
    Some(&STANDARD[number]).filter(|standard| !standard.reopened.load(Relaxed))
}

/// Notes that a standard stream is no longer one.
pub fn reopened(stream: Stream) {
    if !thread::is_vforked()
        && let Some(standard) = standard(stream)
    {
        standard.reopened.store(true, Relaxed);
    }
}

impl Standard {
    const fn new(name: &'static [u8]) -> Self {
        let description = Description::lasting(ptr::null_mut());
        Self { name, description, reopened: AtomicBool::new(false) }
    }

    /// Its description, if it has been read or written in this process or before it.
    #[inline]
    pub(super) fn used(&'static self) -> Option<&'static Description> {
        (self.description.file_so_far().is_some() && file::is_open()).then_some(&self.description)
    }

    /// Its description when it is read or written for the first time.
    #[cold]
    pub(super) fn first_used(&'static self) -> Option<&'static Description> {
        if !file::is_open() || !process::settings().modules.has(module::STDIO) {
            return None;
        }
        let _guard = Guard::enter()?;
        self.description.set_file(naming::special(self.name)?);
        Some(&self.description)
    }
}
