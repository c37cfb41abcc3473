//! Memory that holds settings for the life of the process.

use core::cell::UnsafeCell;
use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, Ordering};

use super::Fault;
use crate::pattern::{BadPattern, Code, MAX_PROGRAM, Pattern};
use crate::sys;

/// Bytes of strings, the configuration file among them.
const BYTES: usize = 64 << 10;
/// Instructions of all patterns.
const CODE: usize = 4 * MAX_PROGRAM;
/// The largest configuration file.
const FILE: usize = 32 << 10;
/// The longest path that the kernel accepts, with its terminator.
const PATH: usize = libc::PATH_MAX as usize;

/// Memory for strings and patterns, allocated from the front.
#[derive(Debug)]
pub struct Arena {
    bytes: &'static mut [u8],
    code: &'static mut [Code],
}

struct ArenaMemory {
    taken: AtomicBool,
    bytes: UnsafeCell<[u8; BYTES]>,
    code: UnsafeCell<[Code; CODE]>,
}

// SAFETY: the thread that sets `taken` first is the only one to touch the rest.
unsafe impl Sync for ArenaMemory {}

static MEMORY: ArenaMemory = ArenaMemory {
    taken: AtomicBool::new(false),
    bytes: UnsafeCell::new([0; BYTES]),
    code: UnsafeCell::new([Code::Any; CODE]),
};

impl Arena {
    /// The arena of this process; `None` if it was taken before.
    pub(super) fn of_process() -> Option<Self> {
        if MEMORY.taken.swap(true, Ordering::Relaxed) {
            return None;
        }
        // SAFETY: no other reference exists, since this happens once.
        unsafe { Some(Self { bytes: &mut *MEMORY.bytes.get(), code: &mut *MEMORY.code.get() }) }
    }

    /// An arena over the caller's memory.
    pub fn new(bytes: &'static mut [u8], code: &'static mut [Code]) -> Self {
        Self { bytes, code }
    }

    fn take(&mut self, len: usize) -> Result<&'static mut [u8], Fault> {
        let bytes = core::mem::take(&mut self.bytes);
        if len > bytes.len() {
            self.bytes = bytes;
            return Err(Fault::TooLong);
        }
        let (taken, rest) = bytes.split_at_mut(len);
        self.bytes = rest;
        Ok(taken)
    }

    /// A copy of `text`, no longer than a path may be.
    pub(super) fn string(&mut self, text: &[u8]) -> Result<&'static CStr, Fault> {
        if text.len() >= PATH {
            return Err(Fault::TooLong);
        }
        if text.contains(&0) {
            return Err(Fault::Value);
        }
        let copy = self.take(text.len() + 1)?;
        copy[..text.len()].copy_from_slice(text);
        copy[text.len()] = 0;
        CStr::from_bytes_with_nul(copy).map_err(|_| Fault::Value)
    }

    /// A compiled copy of a pattern.
    pub(super) fn pattern(&mut self, source: &[u8]) -> Result<Pattern<'static>, Fault> {
        let source = self.string(source)?.to_bytes();
        Pattern::compile(source, &mut self.code).map_err(fault)
    }

    /// Returns true if a pattern that is needed only once matches.
    pub(super) fn pattern_matches(&mut self, source: &[u8], text: &[u8]) -> Result<bool, Fault> {
        let pattern = Pattern::compile(source, &mut &mut self.code[..]).map_err(fault)?;
        Ok(pattern.matches(text))
    }

    /// The text of a file.
    pub(super) fn read_file(&mut self, path: &[u8]) -> Result<&'static [u8], Fault> {
        let path = self.string(path)?;
        let room = self.bytes.len().min(FILE);
        let len = sys::read_file(path, &mut self.bytes[..room]).map_err(|_| Fault::Unreadable)?;
        // A file that fills the buffer may be longer.
        if len == room { Err(Fault::TooLong) } else { self.take(len).map(|text| &*text) }
    }
}

fn fault(bad: BadPattern) -> Fault {
    if bad == BadPattern::TooLarge { Fault::TooLong } else { Fault::Value }
}
