//! Strings that a library fills in: a file's path or a name in it.

use core::ffi::{CStr, c_char};
use core::mem::MaybeUninit;

/// Room for a string with its end. Most of it is never touched.
pub(crate) struct Text<const ROOM: usize> {
    bytes: [MaybeUninit<u8>; ROOM],
}

impl<const ROOM: usize> Text<ROOM> {
    /// An empty string.
    #[inline]
    pub(crate) fn new() -> Self {
        let mut bytes = [MaybeUninit::uninit(); ROOM];
        bytes[0].write(0);
        Self { bytes }
    }

    /// Has `ask` put a string there, which has at most `ROOM` bytes with its end, or nothing.
    #[inline]
    pub(crate) fn fill<T>(&mut self, ask: impl FnOnce(*mut c_char) -> T) -> T {
        let told = ask(self.bytes.as_mut_ptr().cast());
        self.bytes[ROOM - 1].write(0);
        told
    }

    #[inline]
    pub(crate) fn get(&self) -> &CStr {
        // SAFETY: what was filled in is ended, and in front of it nothing is left out.
        unsafe { CStr::from_ptr(self.bytes.as_ptr().cast()) }
    }
}
