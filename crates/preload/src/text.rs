//! Strings that a library fills in: a file's path or a name in it.

use core::ffi::{CStr, c_char};
use core::mem::MaybeUninit;

/// A buffer for a string with its terminator. Most of it is never touched.
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

    /// Fills the buffer through `ask`, which writes at most `ROOM` bytes with the terminator, or
    /// none.
    #[inline]
    pub(crate) fn fill<T>(&mut self, ask: impl FnOnce(*mut c_char) -> T) -> T {
        let told = ask(self.bytes.as_mut_ptr().cast());
        self.bytes[ROOM - 1].write(0);
        told
    }

    #[inline]
    pub(crate) fn get(&self) -> &CStr {
        // SAFETY: the string that was written is terminated, and no byte before it is
        // uninitialised.
        unsafe { CStr::from_ptr(self.bytes.as_ptr().cast()) }
    }
}
