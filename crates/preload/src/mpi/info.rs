//! Infos: hints that are given to MPI, and what it answers.

use core::ffi::{CStr, c_char, c_int};

use super::ask::{Library, ask};
use crate::text::Text;

/// Bytes of a value with its terminator.
pub(crate) const VALUE: usize = 1025;

/// An info of ours, which is freed when it is dropped.
pub(crate) struct OwnInfo {
    library: Library,
    handle: usize,
}

impl OwnInfo {
    /// A copy of an info of the program, or an empty one.
    pub(crate) fn copy(library: Library, info: usize) -> Option<Self> {
        let mut handle = 0_usize;
        let made = if library.abi().is_info_null(info) {
            ask!(library, PMPI_Info_create(&raw mut handle => *mut usize))
        } else {
            ask!(library, PMPI_Info_dup(info => usize, &raw mut handle => *mut usize))
        };
        made.then_some(Self { library, handle })
    }

    /// The hints in force of an open file.
    pub(crate) fn of_file(library: Library, file: usize) -> Option<Self> {
        let mut handle = 0_usize;
        ask!(library, PMPI_File_get_info(file => usize, &raw mut handle => *mut usize))
            .then_some(Self { library, handle })
    }

    /// The handle, for calls.
    pub(crate) fn handle(&self) -> usize {
        self.handle
    }

    /// Sets a hint.
    pub(crate) fn set(&self, key: &CStr, value: &CStr) -> bool {
        let (handle, key, value) = (self.handle, key.as_ptr(), value.as_ptr());
        ask!(
            self.library,
            PMPI_Info_set(handle => usize, key => *const c_char, value => *const c_char)
        )
    }

    /// The value of a hint, if there is one.
    pub(crate) fn get(&self, key: &CStr) -> Option<Text<VALUE>> {
        get(self.library, self.handle, key)
    }
}

/// The value of a hint in an info of the program.
pub(crate) fn given(library: Library, info: usize, key: &CStr) -> Option<Text<VALUE>> {
    if library.abi().is_info_null(info) { None } else { get(library, info, key) }
}

fn get(library: Library, info: usize, key: &CStr) -> Option<Text<VALUE>> {
    let (mut text, mut is_there) = (Text::new(), 0);
    let asked = text.fill(|room| {
        ask!(
            library,
            PMPI_Info_get(
                info => usize, key.as_ptr() => *const c_char, VALUE as c_int - 1 => c_int,
                room => *mut c_char, &raw mut is_there => *mut c_int
            )
        )
    });
    (asked && is_there != 0).then_some(text)
}

impl Drop for OwnInfo {
    fn drop(&mut self) {
        let _ = ask!(self.library, PMPI_Info_free(&raw mut self.handle => *mut usize));
    }
}
