//! Functions by their names, in all that the process has loaded.

use std::ffi::{CStr, CString, c_void};
use std::ptr::NonNull;

/// The address of a function or variable. A preloaded library comes first.
pub(crate) fn find(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name is a string.
    NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
}

/// Loads a library such that all others see its names, and never unloads it.
///
/// # Errors
/// What the loader says.
pub(crate) fn load(name: &str) -> Result<(), String> {
    let Ok(file) = CString::new(name) else { return Err(format!("{name} is no name of a file")) };
    // SAFETY: the constructors of libraries run; these are those of MPI and HDF5.
    unsafe {
        if !libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL).is_null() {
            return Ok(());
        }
        let error = libc::dlerror();
        if error.is_null() {
            return Err(format!("{name} cannot be loaded"));
        }
        Err(CStr::from_ptr(error).to_string_lossy().into_owned())
    }
}

/// Declares a table of functions and its `find`, which fails with the name of the first that is missing.
macro_rules! functions {
    ($(#[$meta:meta])* $table:ident: $($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        #[allow(non_snake_case)] // the names are those of the library
        pub(crate) struct $table {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl $table {
            #[allow(non_snake_case)]
            pub(crate) fn find() -> Result<Self, &'static str> {
                $(
                    let name = concat!(stringify!($name), "\0");
                    let name = std::ffi::CStr::from_bytes_with_nul(name.as_bytes());
                    let found = name.ok().and_then(crate::symbol::find).ok_or(stringify!($name))?;
                    // SAFETY: the library declares the function like this.
                    let $name = unsafe {
                        std::mem::transmute::<
                            *mut std::ffi::c_void,
                            unsafe extern "C" fn($($argument),*) -> $result,
                        >(found.as_ptr())
                    };
                )*
                Ok(Self { $($name),* })
            }
        }
    };
}

pub(crate) use functions;
