//! The three standard streams.

use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ioglass_shm::FileType;

use super::byte::look_up;
use super::layout::{Stream, StreamLayout, descriptor, is_single_threaded};
use super::{KnownStream, StreamMode, begin_stream};
use crate::file::{self, Description, LookedAt};
use crate::settings::module;
use crate::thread::{self, Guard};
use crate::{naming, process, sys};

// A C library other than glibc does not have them, and is not recorded.
core::arch::global_asm!(".weak _IO_2_1_stdin_", ".weak _IO_2_1_stdout_", ".weak _IO_2_1_stderr_");

unsafe extern "C" {
    #[link_name = "_IO_2_1_stdin_"]
    static STDIN: StreamLayout;
    #[link_name = "_IO_2_1_stdout_"]
    static STDOUT: StreamLayout;
    #[link_name = "_IO_2_1_stderr_"]
    static STDERR: StreamLayout;
}

/// One of the standard streams. It has its own record, also if the process began with a file there;
/// but a file that the program itself has put in its place has the bytes.
pub(super) struct Standard {
    name: &'static [u8],
    fd: i32,
    /// Has no file until the stream is used.
    pub(super) description: Description,
    /// True if `freopen` has opened a file with it.
    reopened: AtomicBool,
}

static STANDARD: [Standard; 3] =
    [Standard::new(b"<STDIN>", 0), Standard::new(b"<STDOUT>", 1), Standard::new(b"<STDERR>", 2)];

/// The standard stream with this pointer, if it has neither been reopened nor redirected.
#[inline]
pub(super) fn standard(stream: Stream) -> Option<&'static Standard> {
    let number = streams().iter().position(|known| ptr::eq(*known, stream))?;
    let standard = &STANDARD[number];
    let is_one = !standard.reopened.load(Relaxed) && !file::is_redirected(standard.fd);
    is_one.then_some(standard)
}

#[inline]
fn streams() -> [*const StreamLayout; 3] {
    [&raw const STDIN, &raw const STDOUT, &raw const STDERR]
}

/// The stream of a standard descriptor, if it still is its stream and only one thread can use it.
fn stream_over(fd: i32) -> Option<Stream> {
    let stream = streams().get(fd as usize)?.cast_mut();
    // SAFETY: a static of the C library, which is glibc.
    let is_over = unsafe { descriptor(stream) == fd && is_single_threaded(stream) };
    is_over.then_some(stream)
}

/// A standard descriptor is about to become another file: what the program itself has put into the
/// buffer of the stream so far counts for the old one. Inside a guard.
#[cold]
pub(crate) fn redirects(fd: i32) {
    if let Some(stream) = stream_over(fd)
        // SAFETY: as there.
        && let LookedAt::Recorded(description) = unsafe { look_up(stream) }
        && description.file_so_far().is_some()
    {
        // SAFETY: as there.
        let known = unsafe { KnownStream::over(stream, description).caught_up() };
        known.book_before_redirect();
    }
}

/// A standard descriptor has become another file, or again what it was: its stream goes on there.
#[cold]
pub(crate) fn redirected(fd: i32) {
    let Some(standard) = STANDARD.get(fd as usize) else { return };
    // What is in the buffer now was counted elsewhere.
    standard.description.stream.forget_buffer();
    if file::is_redirected(fd)
        && let Some(description) = file::known(fd)
    {
        begin_stream(
            description,
            fd,
            StreamMode { append: false, reads: fd == 0, truncates: false },
        );
    }
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
    const fn new(name: &'static [u8], fd: i32) -> Self {
        let description = Description::permanent(ptr::null_mut());
        Self { name, fd, description, reopened: AtomicBool::new(false) }
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
        let file = naming::special(self.name)?;
        if process::may_call_kernel()
            && let Ok(stat) = sys::stat_fd(self.fd)
        {
            file.set_kind(FileType::of_mode(stat.st_mode));
        }
        self.description.set_file(file);
        Some(&self.description)
    }
}
