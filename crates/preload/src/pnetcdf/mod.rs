//! PnetCDF: files here, reads and writes in [`transfer`].

mod ask;
mod name;
mod transfer;

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::AtomicU64;

use ioglass_recorder::file;
use ioglass_recorder::pnetcdf::{self, FileCall, Number};
use ioglass_recorder::span::Span;

use ask::Library;

/// Interposes functions. There are hundreds, so in a process without PnetCDF each needs only
/// zeroes: one word has the address of the next function of that name, and the name is in the code.
macro_rules! interpose_netcdf {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?) = |$real:ident| $body:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $type),*) -> c_int {
            static FOUND: AtomicU64 = AtomicU64::new(0);
            type Function = unsafe extern "C" fn($($type),*) -> c_int;
            // SAFETY: the type is that of the C function of this name.
            let real = unsafe { name::find::<Function>(&FOUND, concat!(stringify!($name), "\0")) };
            let Some($real) = real else { return crate::real::missing() };
            #[allow(unused_unsafe)] // some bodies make no unsafe call
            // SAFETY: the caller keeps to the contract of the function it has called.
            unsafe { $body }
        }
    )*};
}

/// Forgets libraries that are no longer loaded. File numbers are reused, so they need no
/// forgetting.
pub(crate) fn forget_unloaded() {
    Library::forget_unloaded(|_| ());
}

/// Makes a call of the library with the function `real`, and books it with its result.
fn booked(
    real: *const (),
    call: impl FnOnce() -> c_int,
    book: impl FnOnce(&'static Library, c_int, Span),
) -> c_int {
    if !file::is_open() {
        return call();
    }
    let (result, span) = Span::of(call);
    if let Some(library) = Library::of(real as usize) {
        book(library, result, span);
    }
    result
}

/// Makes a call of the library with the function `real`, and books it if it succeeds.
fn succeeded(
    real: *const (),
    call: impl FnOnce() -> c_int,
    book: impl FnOnce(&'static Library, Span),
) -> c_int {
    booked(real, call, |library, result, span| {
        if result == 0 {
            book(library, span);
        }
    })
}

unsafe fn open(
    real: *const (),
    path: *const c_char,
    file: *const c_int,
    is_new: bool,
    call: impl FnOnce() -> c_int,
) -> c_int {
    succeeded(real, call, |library, span| {
        // SAFETY: a call that succeeds was given a path, and has filled in the number.
        unsafe { pnetcdf::opened(library.file(*file), CStr::from_ptr(path), is_new, span) };
    })
}

fn on_file(real: *const (), file: c_int, kind: FileCall, call: impl FnOnce() -> c_int) -> c_int {
    succeeded(real, call, |library, span| pnetcdf::called(library.file(file), kind, span))
}

fn wait(real: *const (), file: c_int, is_collective: bool, call: impl FnOnce() -> c_int) -> c_int {
    booked(real, call, |library, result, span| {
        pnetcdf::waited(library.file(file), is_collective, result == 0, span);
    })
}

/// A variable that was defined, or looked up by name.
unsafe fn find(
    real: *const (),
    file: c_int,
    name: Option<*const c_char>,
    variable: *const c_int,
    call: impl FnOnce() -> c_int,
) -> c_int {
    succeeded(real, call, |library, span| {
        // SAFETY: a call that succeeds has filled in the number, and was given a string for a name.
        let (variable, name) = unsafe { (*variable, name.map(|name| CStr::from_ptr(name))) };
        let number = library.file(file);
        if name.is_some_and(|name| pnetcdf::found_again(number, variable, name.to_bytes(), span)) {
            return;
        }
        ask::about(library, file, variable, |about| {
            pnetcdf::found(library.file(file), variable, about, Some(span));
        });
    })
}

// MPI handles are words, in every MPI.
interpose_netcdf! {
    fn ncmpi_create(ranks: usize, path: *const c_char, mode: c_int, info: usize, file: *mut c_int) =
        |real| open(real as _, path, file, true, || real(ranks, path, mode, info, file));
    fn ncmpi_open(ranks: usize, path: *const c_char, mode: c_int, info: usize, file: *mut c_int) =
        |real| open(real as _, path, file, false, || real(ranks, path, mode, info, file));
    fn ncmpi_close(file: c_int) = |real| {
        let bytes = if file::is_open() { ask::moved(real as _, file) } else { [0; 2] };
        succeeded(real as _, || real(file), |library, span| {
            pnetcdf::closed(library.file(file), bytes, span);
        })
    };
    fn ncmpi_redef(file: c_int) = |real|
        on_file(real as _, file, FileCall::Redefine, || real(file));
    fn ncmpi_enddef(file: c_int) = |real|
        on_file(real as _, file, FileCall::EndDefinitions, || real(file));
    fn ncmpi__enddef(file: c_int, head: i64, align: i64, fixed: i64, records: i64) = |real|
        on_file(real as _, file, FileCall::EndDefinitions,
            || real(file, head, align, fixed, records));
    fn ncmpi_sync(file: c_int) = |real|
        on_file(real as _, file, FileCall::Sync, || real(file));
    fn ncmpi_wait(file: c_int, count: c_int, requests: *mut c_void, results: *mut c_void) = |real|
        wait(real as _, file, false, || real(file, count, requests, results));
    fn ncmpi_wait_all(file: c_int, count: c_int, requests: *mut c_void, results: *mut c_void) =
        |real| wait(real as _, file, true, || real(file, count, requests, results));
    fn ncmpi_def_var(
        file: c_int, name: *const c_char, element: c_int, count: c_int, dimensions: *const c_int,
        variable: *mut c_int,
    ) = |real|
        find(real as _, file, None, variable,
            || real(file, name, element, count, dimensions, variable));
    fn ncmpi_inq_varid(file: c_int, name: *const c_char, variable: *mut c_int) = |real|
        find(real as _, file, Some(name), variable, || real(file, name, variable));
}

impl Library {
    fn file(&self, file: c_int) -> Number {
        Number { library: self.number(), file }
    }
}
