//! The functions of an HDF5 library through which settings are injected.

use core::ffi::{CStr, c_int, c_uint, c_void};

use crate::hdf5::library::Id;
use crate::library::library;
use crate::loaded;

library! {
    /// The property lists of a loaded HDF5 library.
    Lists, 8;

    fn H5open() -> c_int;
    fn H5Pcreate(Id) -> Id;
    fn H5Pcopy(Id) -> Id;
    fn H5Pclose(Id) -> c_int;
    fn H5Pget_fapl_mpio(Id, *mut c_void, *mut c_void) -> c_int;
    fn H5Fget_access_plist(Id) -> Id;
    fn H5Fget_create_plist(Id) -> Id;
    fn H5Dget_create_plist(Id) -> Id;
    fn H5Pget_alignment(Id, *mut u64, *mut u64) -> c_int;
    fn H5Pset_alignment(Id, u64, u64) -> c_int;
    fn H5Pget_sieve_buf_size(Id, *mut usize) -> c_int;
    fn H5Pset_sieve_buf_size(Id, usize) -> c_int;
    fn H5Pget_meta_block_size(Id, *mut u64) -> c_int;
    fn H5Pset_meta_block_size(Id, u64) -> c_int;
    fn H5Pget_small_data_block_size(Id, *mut u64) -> c_int;
    fn H5Pset_small_data_block_size(Id, u64) -> c_int;
    fn H5Pget_coll_metadata_write(Id, *mut bool) -> c_int;
    fn H5Pset_coll_metadata_write(Id, bool) -> c_int;
    fn H5Pget_all_coll_metadata_ops(Id, *mut bool) -> c_int;
    fn H5Pset_all_coll_metadata_ops(Id, bool) -> c_int;
    fn H5Pget_libver_bounds(Id, *mut c_int, *mut c_int) -> c_int;
    fn H5Pset_libver_bounds(Id, c_int, c_int) -> c_int;
    fn H5Pget_cache(Id, *mut c_int, *mut usize, *mut usize, *mut f64) -> c_int;
    fn H5Pset_cache(Id, c_int, usize, usize, f64) -> c_int;
    fn H5Pget_page_buffer_size(Id, *mut usize, *mut c_uint, *mut c_uint) -> c_int;
    fn H5Pget_file_space_strategy(Id, *mut c_int, *mut bool, *mut u64) -> c_int;
    fn H5Pset_file_space_strategy(Id, c_int, bool, u64) -> c_int;
    fn H5Pget_file_space_page_size(Id, *mut u64) -> c_int;
    fn H5Pset_file_space_page_size(Id, u64) -> c_int;
    fn H5Pget_layout(Id) -> c_int;
    fn H5Pget_chunk(Id, c_int, *mut u64) -> c_int;
    fn H5Pset_chunk(Id, c_int, *const u64) -> c_int;
    fn H5Pget_external_count(Id) -> c_int;
    fn H5Pget_nfilters(Id) -> c_int;
    fn H5Pfill_value_defined(Id, *mut c_int) -> c_int;
    fn H5Pget_fill_time(Id, *mut c_int) -> c_int;
    fn H5Pset_fill_time(Id, c_int) -> c_int;
    fn H5Pset_dxpl_mpio(Id, c_int) -> c_int;
    fn H5Pget_dxpl_mpio(Id, *mut c_int) -> c_int;
    fn H5Pget_mpio_actual_io_mode(Id, *mut c_int) -> c_int;
    fn H5Sget_simple_extent_dims(Id, *mut u64, *mut u64) -> c_int;
    fn H5Sget_simple_extent_type(Id) -> c_int;
    fn H5Tget_size(Id) -> usize;
}

/// A class of property lists: the variable with its id.
#[derive(Clone, Copy)]
pub(super) enum Class {
    FileAccess,
    FileCreation,
    DatasetCreation,
    Transfer,
}

impl Class {
    const fn variable(self) -> &'static CStr {
        match self {
            Class::FileAccess => c"H5P_CLS_FILE_ACCESS_ID_g",
            Class::FileCreation => c"H5P_CLS_FILE_CREATE_ID_g",
            Class::DatasetCreation => c"H5P_CLS_DATASET_CREATE_ID_g",
            Class::Transfer => c"H5P_CLS_DATASET_XFER_ID_g",
        }
    }
}

impl Lists {
    /// Returns true if settings can be injected: ids have 64 bits in all libraries that are asked.
    fn can_be_recorded(&self) -> bool {
        self.H5Pcopy().is_some() && self.H5Pclose().is_some()
    }

    /// A copy of a property list. The default is a new list. A copy of a list for MPI-IO is made by all
    /// ranks together.
    pub(super) fn copy(&self, real: *const (), list: Id, class: Class) -> Option<Copied<'_>> {
        // SAFETY: a list that the program is about to use; the variable is an id once the library is open.
        let id = unsafe {
            if list != 0 {
                self.H5Pcopy()?(list)
            } else {
                self.H5open()?();
                // A program that uses the variable itself has a copy of it, which replaces the original.
                let name = class.variable();
                let own =
                    loaded::function_beside(name, real as usize).map(|id| id.cast::<Id>().read());
                let class = own
                    .filter(|id| *id > 0)
                    .or_else(|| loaded::late_function(name, 0).map(|id| id.cast::<Id>().read()))?;
                self.H5Pcreate()?(class)
            }
        };
        (id > 0).then_some(Copied { lists: self, id })
    }

    /// A list of an open object, which is closed afterwards.
    pub(super) fn asked(
        &self,
        ask: Option<unsafe extern "C" fn(Id) -> Id>,
        object: Id,
    ) -> Option<Copied<'_>> {
        // SAFETY: an object that was just opened.
        let id = ask.map(|ask| unsafe { ask(object) }).filter(|id| *id > 0)?;
        Some(Copied { lists: self, id })
    }

    /// Returns true if a file with this access list is opened through MPI-IO.
    pub(super) fn is_parallel(&self, access: Id) -> bool {
        let nowhere = core::ptr::null_mut();
        // SAFETY: without buffers it only tells whether it has an answer.
        let ask = |ask: unsafe extern "C" fn(Id, *mut c_void, *mut c_void) -> c_int| unsafe {
            ask(access, nowhere, nowhere) >= 0
        };
        access != 0 && self.H5Pget_fapl_mpio().is_some_and(ask)
    }
}

/// A property list of ours.
pub(super) struct Copied<'l> {
    lists: &'l Lists,
    pub(super) id: Id,
}

impl Drop for Copied<'_> {
    fn drop(&mut self) {
        if let Some(close) = self.lists.H5Pclose() {
            // SAFETY: a list that was made here.
            unsafe { close(self.id) };
        }
    }
}
