//! MPI functions that a program looks up by name in a library that it has loaded itself, as
//! `ctypes` and other languages do.
//!
//! The program gets our function if that would call the requested one. All other lookups jump to
//! the loader's function, because it examines its caller.

use core::ffi::{CStr, c_char, c_void};

use crate::loaded;
use crate::real::{Symbol, missing};

type Lookup = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

static SYMBOL: Symbol = Symbol::new("dlsym\0");

/// Prefixes of names that may be ours.
const PREFIXES: [&[u8]; 2] = [b"MPI_", b"PMPI_"];

#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    core::arch::naked_asm!(
        // RTLD_NEXT is −1, RTLD_DEFAULT is 0.
        "lea rax, [rdi + 1]",
        "cmp rax, 1",
        "jbe 2f",
        "test rsi, rsi",
        "jz 2f",
        "cmp byte ptr [rsi], 'M'",
        "je 3f",
        "cmp byte ptr [rsi], 'P'",
        "je 3f",
        "2:",
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "call {loaders}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "jmp rax",
        "3:",
        "mov rdx, qword ptr [rsp]",
        "jmp {in_library}",
        loaders = sym loaders,
        in_library = sym in_library,
    )
}

/// The function that this one interposes.
extern "C" fn loaders() -> Lookup {
    unsafe extern "C" fn none(_: *mut c_void, _: *const c_char) -> *mut c_void {
        missing()
    }
    // SAFETY: the type is that of the C function of this name.
    unsafe { SYMBOL.get::<Lookup>() }.unwrap_or(none)
}

/// The function for the code at `caller`, which looks up `name` in a library.
unsafe extern "C" fn in_library(
    handle: *mut c_void,
    name: *const c_char,
    caller: usize,
) -> *mut c_void {
    // SAFETY: the caller's arguments, passed on unchanged.
    let (found, name) = unsafe { (loaders()(handle, name), CStr::from_ptr(name)) };
    let may_be_ours = PREFIXES.iter().any(|prefix| name.to_bytes().starts_with(prefix));
    if found.is_null() || !may_be_ours {
        return found;
    }
    let next = || loaded::next_function(name).or_else(|| loaded::late_function(name, caller));
    match loaded::own_function(name) {
        Some(ours) if next() == Some(found) => ours,
        _ => found,
    }
}
