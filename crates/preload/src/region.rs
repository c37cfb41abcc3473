//! Regions: the table of functions that annotated programs ask for.
//!
//! A program finds `ioglass_regions` by name and calls the functions of the table it returns. The
//! table only grows: an older program uses the beginning of a newer one.

use core::ffi::{c_char, c_int, c_uint, c_void};

use ioglass_recorder::process;
use ioglass_recorder::region::{self, Site};

use crate::mpi::late;
use crate::profile;

/// The version of the table.
const VERSION: c_uint = 1;

/// The functions, in the order that programs know.
#[repr(C)]
struct Functions {
    size: u32,
    version: u32,
    enter_site: unsafe extern "C" fn(*const Site),
    leave_site: unsafe extern "C" fn(*const Site),
    enter: unsafe extern "C" fn(*const u8, usize, u32, *const c_char, u32),
    leave: unsafe extern "C" fn(*const u8, usize),
    start: unsafe extern "C" fn(*const u8, usize, *const c_char, u32) -> u64,
    stop: extern "C" fn(u64),
    count: unsafe extern "C" fn(*const u8, usize, i64),
    value: unsafe extern "C" fn(*const u8, usize, f64),
    tag: unsafe extern "C" fn(*const u8, usize, *const u8, usize),
    here: extern "C" fn() -> u64,
    attach: extern "C" fn(u64),
    detach: extern "C" fn(),
    execution: extern "C" fn(),
    flush: extern "C" fn() -> c_int,
    snapshot: extern "C" fn(),
    profile: unsafe extern "C" fn(*const u8, usize),
    active: extern "C" fn() -> c_int,
}

const TABLE: Functions = Functions {
    size: size_of::<Functions>() as u32,
    version: VERSION,
    enter_site,
    leave_site,
    enter,
    leave,
    start,
    stop,
    count,
    value,
    tag,
    here,
    attach,
    detach,
    execution,
    flush,
    snapshot,
    profile: name_profile,
    active,
};

static FUNCTIONS: Functions = TABLE;

/// The functions of a library that the program itself has loaded: they look for MPI.
static LATE_FUNCTIONS: Functions = Functions {
    enter_site: enter_site_and_look,
    enter: enter_and_look,
    start: start_and_look,
    ..TABLE
};

/// The table of functions; null if nobody listens or the version is not known.
#[unsafe(no_mangle)]
extern "C" fn ioglass_regions(version: c_uint) -> *const c_void {
    if version == 0 || version > VERSION {
        return core::ptr::null();
    }
    process::wake();
    if !region::is_on() {
        return core::ptr::null();
    }
    match process::is_late() {
        true => (&raw const LATE_FUNCTIONS).cast(),
        false => (&raw const FUNCTIONS).cast(),
    }
}

unsafe extern "C" fn enter_site_and_look(site: *const Site) {
    let paths = region::paths();
    // SAFETY: as the caller says.
    unsafe { enter_site(site) };
    late::look_after(paths);
}

unsafe extern "C" fn enter_and_look(
    name: *const u8,
    size: usize,
    kind: u32,
    file: *const c_char,
    line: u32,
) {
    let paths = region::paths();
    // SAFETY: as the caller says.
    unsafe { enter(name, size, kind, file, line) };
    late::look_after(paths);
}

unsafe extern "C" fn start_and_look(
    name: *const u8,
    size: usize,
    file: *const c_char,
    line: u32,
) -> u64 {
    let paths = region::paths();
    // SAFETY: as the caller says.
    let span = unsafe { start(name, size, file, line) };
    late::look_after(paths);
    span
}

unsafe extern "C" fn enter_site(site: *const Site) {
    // SAFETY: the program gives a site, or nothing.
    if let Some(site) = unsafe { site.as_ref() } {
        region::enter_site(site);
    }
}

unsafe extern "C" fn leave_site(site: *const Site) {
    // SAFETY: the program gives a site, or nothing.
    if let Some(site) = unsafe { site.as_ref() } {
        region::leave_site(site);
    }
}

unsafe extern "C" fn enter(
    name: *const u8,
    size: usize,
    kind: u32,
    file: *const c_char,
    line: u32,
) {
    // SAFETY: the program keeps to the contract of the function.
    unsafe { region::enter(name, size, kind, file, line) };
}

unsafe extern "C" fn leave(name: *const u8, size: usize) {
    // SAFETY: as above.
    unsafe { region::leave(name, size) };
}

unsafe extern "C" fn start(name: *const u8, size: usize, file: *const c_char, line: u32) -> u64 {
    // SAFETY: as above.
    unsafe { region::start_span(name, size, file, line) }
}

extern "C" fn stop(span: u64) {
    region::stop_span(span);
}

unsafe extern "C" fn count(metric: *const u8, size: usize, number: i64) {
    // SAFETY: as above.
    unsafe { region::count(metric, size, number) };
}

unsafe extern "C" fn value(metric: *const u8, size: usize, number: f64) {
    // SAFETY: as above.
    unsafe { region::value(metric, size, number) };
}

unsafe extern "C" fn tag(key: *const u8, key_size: usize, text: *const u8, text_size: usize) {
    // SAFETY: as above.
    unsafe { region::tag(key, key_size, text, text_size) };
}

extern "C" fn here() -> u64 {
    region::here()
}

extern "C" fn attach(context: u64) {
    region::attach(context);
}

extern "C" fn detach() {
    region::detach();
}

extern "C" fn execution() {
    region::execution();
}

extern "C" fn flush() -> c_int {
    if process::is_late() {
        late::look();
    }
    profile::flush()
}

/// Under a command the capture is what others read.
extern "C" fn snapshot() {
    region::snapshot();
    if process::job_folder().is_none() {
        profile::snapshot();
    }
}

unsafe extern "C" fn name_profile(name: *const u8, size: usize) {
    // SAFETY: as above.
    unsafe { region::profile(name, size) };
}

extern "C" fn active() -> c_int {
    region::is_on().into()
}
