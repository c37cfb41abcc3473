//! Where the runtime is.

use std::env;
use std::ffi::{CStr, c_uint, c_void};
use std::mem::transmute;
use std::ptr;

use crate::runtime::Functions;

/// The table of the runtime, or null. It leaves `errno` as it is.
pub(crate) fn table() -> *mut Functions {
    // SAFETY: the location is the thread's own.
    let before = unsafe { *libc::__errno_location() };
    let found = look();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = before }
    found
}

fn look() -> *mut Functions {
    // SAFETY: it only reads.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return ptr::null_mut();
    }
    let setting = env::var_os("IOGLASS_REGIONS").unwrap_or_default();
    if setting == "0" || setting == "off" {
        return ptr::null_mut();
    }
    let mut regions = symbol(libc::RTLD_DEFAULT);
    if regions.is_null() && (setting == "1" || setting == "on") {
        regions = load();
    }
    if regions.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: the function that programs and library agree on.
    let regions: unsafe extern "C" fn(c_uint) -> *mut Functions = unsafe { transmute(regions) };
    // SAFETY: it takes any version.
    unsafe { regions(1) }
}

/// `ioglass_regions` of the library that the environment names, which is loaded, or null.
fn load() -> *mut c_void {
    let path = env::var_os("IOGLASS_REGION_LIB").filter(|path| !path.is_empty());
    let mut path = path.unwrap_or_else(|| "libioglass.so".into()).into_encoded_bytes();
    path.push(0);
    let Ok(path) = CStr::from_bytes_until_nul(&path) else { return ptr::null_mut() };
    // SAFETY: a path that ends with a zero byte. What it runs is the user's choice.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() { library } else { symbol(library) }
}

fn symbol(library: *mut c_void) -> *mut c_void {
    // SAFETY: a library, or the constant for all of them, and a constant name.
    unsafe { libc::dlsym(library, c"ioglass_regions".as_ptr()) }
}
