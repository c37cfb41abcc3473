//! The end of a process, and of a recording while the process goes on.

use core::sync::atomic::{
    AtomicBool, AtomicPtr, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use ioglass_shm::Ending;

use super::{job_folder, may_call_kernel, note_libraries, settings, writes_its_profile};
use crate::capture::Recorded;
use crate::{capture, clock, file, heat, metadata, region, stdio, thread};

/// The function that writes log and profile when the process ends.
static AT_END: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// The function that begins to take snapshots of the profile.
static SNAPSHOTS: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// True once the process has left its first capture, which becomes a log.
static BEGUN_ANEW: AtomicBool = AtomicBool::new(false);

/// Returns true if the process has left its first capture, which becomes a log.
pub fn has_begun_anew() -> bool {
    BEGUN_ANEW.load(Relaxed)
}

/// Leaves the capture before its log is written, and returns it. Calls from now on are recorded in
/// a new one.
pub fn begin_anew() -> Option<Recorded> {
    let _guard = thread::Guard::enter()?;
    BEGUN_ANEW.store(true, Relaxed);
    let left = capture::begin_anew();
    heat::begin_anew();
    thread::begin_anew();
    file::begin_anew();
    region::begin_anew();
    left
}

/// Notes the ending of the process. If the process exits and writes its own log, that is done now.
pub fn ends(ending: Ending, status: Option<i32>) {
    if thread::is_vforked() || !file::is_open_here() && !region::is_on_here() {
        return;
    }
    catch_up();
    if let Some(header) = capture::header() {
        // SAFETY: fields that only this function changes.
        unsafe {
            (*header).last = clock::moment();
            (*header).status = status.unwrap_or((*header).status);
            // MPI_Abort may end with _exit.
            if (*header).ending != Ending::Abort as u32 {
                (*header).ending = ending as u32;
            }
        }
    } else {
        capture::leave_excluded();
    }
    if ending == Ending::Exit || ending == Ending::QuickExit {
        note_libraries();
        let hook = AT_END.load(Acquire);
        if job_folder().is_none() && !hook.is_null() && may_call_kernel() {
            // SAFETY: only `at_end` stores here.
            let hook = unsafe { core::mem::transmute::<*mut (), fn()>(hook) };
            hook();
        }
    }
}

/// Books what was done and not counted yet.
pub fn catch_up() {
    if file::is_open_here() {
        stdio::catch_up_all();
        metadata::catch_up();
    }
}

/// Notes the time in the capture, if there is one.
pub(crate) fn notes_time() {
    if let Some(header) = capture::header() {
        // SAFETY: as in `ends`.
        unsafe { (*header).last = clock::moment() };
    }
}

/// Notes the end of the recording before its log is written, while the process continues, and the
/// libraries of the process, as bits.
pub fn notes_end(libraries: u64) {
    if let Some(header) = capture::header()
        && let Some(_guard) = thread::Guard::enter()
    {
        // SAFETY: as in `ends`.
        unsafe {
            (*header).last = clock::moment();
            (*header).ending = Ending::Exit as u32;
            (*header).libraries |= libraries;
        }
    }
}

/// Notes the status given to `exit`, before destructors run.
pub fn exits_with(status: i32) {
    if let Some(header) = capture::header()
        && !thread::is_vforked()
        && (file::is_open_here() || region::is_on_here())
    {
        // SAFETY: a field of the mapping.
        unsafe { (*header).status = status };
    }
}

/// Sets the function that writes log and profile of a process that is recorded on its own.
pub fn at_end(hook: fn()) {
    AT_END.store(hook as *mut (), Release);
}

/// Sets the function that begins to take snapshots of the profile, if that is asked for. It is called
/// at the first region of a process, and perhaps again later.
pub fn set_snapshots(hook: fn()) {
    if settings().snapshot_ns > 0 && writes_its_profile() {
        SNAPSHOTS.store(hook as *mut (), Release);
        // Constructors of other libraries may have been in regions.
        if capture::header().is_some() {
            hook();
        }
    }
}

/// Has snapshots taken from now on, if they are asked for.
pub(crate) fn begin_snapshots() {
    let hook = SNAPSHOTS.load(Acquire);
    if !hook.is_null() {
        // SAFETY: only `set_snapshots` stores here.
        unsafe { core::mem::transmute::<*mut (), fn()>(hook)() };
    }
}
