//! The functions of an HDF5 library through which its ids are queried.

use core::ffi::{c_char, c_int, c_uint, c_void};
use core::hint::cold_path;
use core::ptr;

use ioglass_recorder::hdf5::space::SpaceId;

use crate::late_symbol;
use crate::library::library;

/// An HDF5 id. Before 1.10 it had 32 bits; such libraries are not recorded.
pub(crate) type Id = i64;
/// The function that prints the errors of a failed call.
type Printer = *mut c_void;

/// Information about an object; only the first two fields are used.
#[repr(C)]
pub(crate) struct ObjectInfo {
    pub(crate) file: u64,
    pub(crate) address: u64,
    rest: [u64; 62],
}

library! {
    /// A loaded HDF5 library.
    Library, 8;

    fn H5get_libversion(*mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
    fn H5Eauto_is_v2(Id, *mut c_uint) -> c_int;
    fn H5Eget_auto1(*mut Printer, *mut *mut c_void) -> c_int;
    fn H5Eset_auto1(Printer, *mut c_void) -> c_int;
    fn H5Eget_auto2(Id, *mut Printer, *mut *mut c_void) -> c_int;
    fn H5Eset_auto2(Id, Printer, *mut c_void) -> c_int;
    fn H5Iget_type(Id) -> c_int;
    fn H5Iget_name(Id, *mut c_char, usize) -> isize;
    fn H5Fget_name(Id, *mut c_char, usize) -> isize;
    fn H5Dget_type(Id) -> Id;
    fn H5Dget_space(Id) -> Id;
    fn H5Dget_create_plist(Id) -> Id;
    fn H5Dget_offset(Id) -> u64;
    fn H5Tget_size(Id) -> usize;
    fn H5Tclose(Id) -> c_int;
    fn H5Sget_simple_extent_ndims(Id) -> c_int;
    fn H5Sget_simple_extent_npoints(Id) -> i64;
    fn H5Sget_select_type(Id) -> c_int;
    fn H5Sget_select_npoints(Id) -> i64;
    fn H5Sis_regular_hyperslab(Id) -> c_int;
    fn H5Sget_regular_hyperslab(Id, *mut u64, *mut u64, *mut u64, *mut u64) -> c_int;
    fn H5Sclose(Id) -> c_int;
    fn H5Pget_layout(Id) -> c_int;
    fn H5Pget_chunk(Id, c_int, *mut u64) -> c_int;
    fn H5Pget_driver(Id) -> Id;
    fn H5Pget_fapl_mpio(Id, *mut c_void, *mut c_void) -> c_int;
    fn H5Pget_dxpl_mpio(Id, *mut c_int) -> c_int;
    fn H5Pclose(Id) -> c_int;
    fn H5Oget_info2(Id, *mut ObjectInfo, c_uint) -> c_int;
    fn H5VLregister_connector(*const c_void, Id) -> Id;
}

/// An id of a dataspace of the library with the function at `function`.
#[inline]
pub(super) fn space_of(function: usize, id: Id) -> SpaceId {
    SpaceId { id, function }
}

/// The id of the calling thread's error stack.
const CURRENT_ERRORS: Id = 0;

impl Library {
    /// Returns true if its ids have 64 bits.
    fn can_be_recorded(&self) -> bool {
        let (mut major, mut minor, mut release) = (0, 0, 0);
        // SAFETY: fills three numbers.
        let told = self.H5get_libversion().is_some_and(|ask| unsafe {
            ask(&raw mut major, &raw mut minor, &raw mut release) >= 0
        });
        told && (major, minor) >= (1, 10)
    }

    /// An id together with the number of its library.
    pub(crate) fn handle(&self, id: Id) -> [u64; 2] {
        [self.number(), id as u64]
    }

    /// The same for a dataspace or property list. Its closing is not seen, so its handle changes
    /// as soon as ids may start over.
    pub(crate) fn fleeting(&self, id: Id) -> [u64; 2] {
        [u64::from(late_symbol::unloads()) << 48 ^ self.number(), id as u64]
    }

    /// An id of a dataspace.
    #[inline]
    pub(crate) fn space(&self, id: Id) -> SpaceId {
        space_of(self.number() as usize, id)
    }

    /// Makes a query about an open object. Only a connector that does not use files could fail to
    /// answer.
    pub(crate) fn surely<T>(&self, ask: impl FnOnce() -> T) -> T {
        if self.H5VLregister_connector().is_some() {
            cold_path();
            return self.quietly(ask);
        }
        Self::keeping_errno(ask)
    }

    /// Makes a query that cannot fail.
    pub(crate) fn keeping_errno<T>(ask: impl FnOnce() -> T) -> T {
        let errno = crate::real::errno();
        let answer = ask();
        crate::real::set_errno(errno);
        answer
    }

    /// Makes a query that may fail; the program must not see errors of calls that are not its own.
    pub(crate) fn quietly<T>(&self, ask: impl FnOnce() -> T) -> T {
        let errno = crate::real::errno();
        let (mut printer, mut data) = (ptr::null_mut(), ptr::null_mut());
        let mut is_new = 1;
        // SAFETY: the old setting is restored through the interface by which it was set.
        let result = unsafe {
            if let Some(asked) = self.H5Eauto_is_v2() {
                asked(CURRENT_ERRORS, &raw mut is_new);
            }
            let stopped = if is_new != 0 {
                self.H5Eget_auto2().zip(self.H5Eset_auto2()).is_some_and(|(get, set)| {
                    get(CURRENT_ERRORS, &raw mut printer, &raw mut data) >= 0
                        && set(CURRENT_ERRORS, ptr::null_mut(), ptr::null_mut()) >= 0
                })
            } else {
                self.H5Eget_auto1().zip(self.H5Eset_auto1()).is_some_and(|(get, set)| {
                    get(&raw mut printer, &raw mut data) >= 0
                        && set(ptr::null_mut(), ptr::null_mut()) >= 0
                })
            };
            let result = ask();
            match (stopped, is_new != 0) {
                (true, true) => {
                    let _ = self.H5Eset_auto2().map(|set| set(CURRENT_ERRORS, printer, data));
                }
                (true, false) => {
                    let _ = self.H5Eset_auto1().map(|set| set(printer, data));
                }
                (false, _) => {}
            }
            result
        };
        crate::real::set_errno(errno);
        result
    }
}
