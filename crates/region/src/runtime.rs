//! The runtime: the functions of libioglass.so, found once.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::Site;

/// What the runtime gives, version 1; later versions append.
#[repr(C)]
pub(crate) struct Functions {
    size: u32,
    version: u32,
    pub(crate) enter_site: unsafe extern "C" fn(*const Site),
    pub(crate) leave_site: unsafe extern "C" fn(*const Site),
    pub(crate) enter: unsafe extern "C" fn(*const c_char, usize, u32, *const c_char, u32),
    pub(crate) leave: unsafe extern "C" fn(*const c_char, usize),
    pub(crate) start: unsafe extern "C" fn(*const c_char, usize, *const c_char, u32) -> u64,
    pub(crate) stop: unsafe extern "C" fn(u64),
    pub(crate) count: unsafe extern "C" fn(*const c_char, usize, i64),
    pub(crate) value: unsafe extern "C" fn(*const c_char, usize, f64),
    pub(crate) tag: unsafe extern "C" fn(*const c_char, usize, *const c_char, usize),
    pub(crate) here: unsafe extern "C" fn() -> u64,
    pub(crate) attach: unsafe extern "C" fn(u64),
    pub(crate) detach: unsafe extern "C" fn(),
    pub(crate) execution: unsafe extern "C" fn(),
    pub(crate) flush: unsafe extern "C" fn() -> c_int,
    pub(crate) snapshot: unsafe extern "C" fn(),
    pub(crate) profile: unsafe extern "C" fn(*const c_char, usize),
    pub(crate) active: unsafe extern "C" fn() -> c_int,
}

/// The table of the runtime; null if there is none, `UNKNOWN` if nobody has looked yet.
static FOUND: AtomicPtr<Functions> = AtomicPtr::new(UNKNOWN);
const UNKNOWN: *mut Functions = ptr::without_provenance_mut(1);

/// The functions of the runtime, if somebody listens.
#[inline]
pub(crate) fn functions() -> Option<&'static Functions> {
    let mut found = FOUND.load(Ordering::Acquire);
    if found.is_null() {
        return None;
    }
    if found == UNKNOWN {
        found = find();
    }
    // SAFETY: null, or a table of this version, which is never freed.
    unsafe { found.as_ref() }
}

/// A text as the runtime takes it.
#[inline]
pub(crate) fn bytes(text: &[u8]) -> (*const c_char, usize) {
    (text.as_ptr().cast(), text.len())
}

/// Finds the runtime. Threads that do so at the same time find the same.
#[cold]
fn find() -> *mut Functions {
    #[cfg(target_os = "linux")]
    let found = crate::find::table();
    // Nowhere else is there one.
    #[cfg(not(target_os = "linux"))]
    let found = ptr::null_mut();
    FOUND.store(found, Ordering::Release);
    found
}
