//! The file that is being written: it is removed if the work is given up.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use ioglass_recorder::path::PathBuffer;
use ioglass_recorder::sys;

/// The path of a file that has been begun and not finished.
static PATH: AtomicPtr<PathBuffer> = AtomicPtr::new(ptr::null_mut());

/// Notes that the file at this path has been begun. The path stays until the file is finished or
/// removed.
pub(crate) fn begin(path: &mut PathBuffer) {
    PATH.store(path, Relaxed);
}

/// Notes that the file is finished, or that of another process.
pub(crate) fn forget() {
    PATH.store(ptr::null_mut(), Relaxed);
}

/// Removes the file that was begun and not finished.
///
/// # Safety
/// The memory of its path is still mapped.
pub(crate) unsafe fn remove() {
    let path = PATH.swap(ptr::null_mut(), Relaxed);
    if !path.is_null() {
        // SAFETY: the caller vouches.
        let _ = sys::unlink(unsafe { &*path }.as_c_str());
    }
}
