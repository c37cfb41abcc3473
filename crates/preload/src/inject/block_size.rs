//! The block size that `fstat` tells, which interpreters take for the size of their buffers.

use core::ffi::c_int;

use ioglass_param::{Proof, Site, Value};

use super::facts::{Facts, unmet};
use super::place::{PathRoom, path_of};
use super::plan::{Plan, plan};
use super::row::{Outcome, Place, note};

/// Changes the answer of `fstat`, if there are settings for it.
///
/// # Safety
/// The call has returned 0 and filled the answer.
#[inline]
pub(crate) unsafe fn found_by_descriptor(fd: c_int, found: *mut libc::stat) {
    if let Some(plan) = plan(Site::Stat) {
        // SAFETY: the caller vouches.
        unsafe { change(plan, fd, found) };
    }
}

#[cold]
#[inline(never)]
unsafe fn change(plan: &'static Plan, fd: c_int, found: *mut libc::stat) {
    // SAFETY: the caller vouches.
    let found = unsafe { &mut *found };
    if found.st_mode & libc::S_IFMT != libc::S_IFREG {
        return;
    }
    let mut room = PathRoom::new();
    // SAFETY: there is none.
    let path = unsafe { path_of(fd, libc::AT_FDCWD, core::ptr::null(), &mut room) };
    plan.choose(Site::Stat, path, None, |chosen| {
        // An interpreter asks about each of its modules; they are not told one by one.
        let nowhere = Place { file: b"", variable: b"" };
        let facts = Facts { is_interpreter: plan.is_interpreter, ..Facts::default() };
        if let Some(reason) = unmet(&chosen, &facts) {
            return note(&chosen, nowhere, Outcome::not_applicable(reason));
        }
        let value = chosen.setting.value;
        let (Ok(Value::Number(size)), Proof::Returned(by)) =
            (chosen.setting.param.kind.parse(value), chosen.setting.param.proof)
        else {
            return;
        };
        if size > found.st_blksize as u64 {
            found.st_blksize = size as libc::blksize_t;
            note(&chosen, nowhere, Outcome::asked(b"", value.as_bytes(), value.as_bytes(), by));
        }
    });
}
