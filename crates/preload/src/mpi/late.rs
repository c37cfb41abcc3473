//! MPI in a process that has loaded this library by itself. Nothing is interposed there: MPI is found
//! when it runs already, and its end is noticed by an attribute of `MPI_COMM_SELF`, which MPI deletes
//! before anything else when it ends.

use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ioglass_recorder::{rank, region};

use super::abi::MpiThreads;
use super::ask::{Library, ask};
use super::{SUCCESS, finish};
use crate::loaded;

/// True once MPI is known, or there was no way to know it.
static IS_KNOWN: AtomicBool = AtomicBool::new(false);
/// Paths after which MPI is looked for at each new one.
const EACH: u32 = 64;
/// Later it is looked for after so many new paths.
const STEP: u32 = 256;

/// Looks for MPI when the program has entered a region for the first time.
pub(crate) fn look_after(paths: u32) {
    let now = region::paths();
    if now != paths && (now <= EACH || now / STEP != paths / STEP) {
        look();
    }
}

/// Looks for MPI, unless it is known.
pub(crate) fn look() {
    if !IS_KNOWN.load(Relaxed) && rank::world_rank().is_none() {
        let _ = find();
    }
}

fn find() -> Option<()> {
    let library = Library::with(loaded::late_function(c"PMPI_Initialized", 0)? as usize);
    let is = |runs: c_int| runs != 0;
    let (mut has_begun, mut has_ended): (c_int, c_int) = (0, 0);
    let asked = ask!(library, PMPI_Initialized(&raw mut has_begun => *mut c_int))
        && ask!(library, PMPI_Finalized(&raw mut has_ended => *mut c_int));
    if !asked || !is(has_begun) {
        return None;
    }
    if is(has_ended) {
        IS_KNOWN.store(true, Relaxed);
        return None;
    }
    // Another thread may be in MPI at this moment, if they take turns.
    library.threads().filter(|threads| *threads != MpiThreads::InTurn)?;
    if IS_KNOWN.swap(true, Relaxed) {
        return None;
    }
    let world = library.world_rank()?;
    rank::began(world);
    let own = library.abi().comm_self()?;
    let mut key: c_int = 0;
    let is_set = ask!(library, PMPI_Comm_create_keyval(
        copies as *const () as usize => usize, ends as *const () as usize => usize,
        &raw mut key => *mut c_int, ptr::null_mut() => *mut c_void
    )) && ask!(library, PMPI_Comm_set_attr(
        own => usize, key => c_int, ptr::null_mut() => *mut c_void
    ));
    is_set.then_some(())
}

/// The attribute is not copied to other communicators.
unsafe extern "C" fn copies(
    _: usize,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    is_copied: *mut c_int,
) -> c_int {
    // SAFETY: MPI gives a place for the answer.
    unsafe { *is_copied = 0 };
    SUCCESS
}

/// MPI ends; collective calls still work.
unsafe extern "C" fn ends(_: usize, _: c_int, _: *mut c_void, _: *mut c_void) -> c_int {
    if let Some(library) = Library::known() {
        finish::ends(library);
    }
    SUCCESS
}
