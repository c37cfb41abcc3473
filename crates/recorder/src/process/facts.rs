//! What a capture tells of its process: the header, the command line, the libraries.

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicPtr, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_shm::{Header, Kind, Moment, Process};

use super::{BEGAN_NS, FIRST_PID, is_off, is_tracing, may_call_kernel, settings};
use crate::memory::Shared;
use crate::settings::WorldRank;
use crate::{capture, clock, rank, region, room, setting, sys};

/// The words of the command line, contiguous as the kernel stores them.
pub(super) static COMMAND: Shared<&[u8]> = Shared::new(&[]);

/// Tells the libraries that the program began with, as bits; and all of them, when it ends.
static LIBRARIES: [AtomicPtr<()>; 2] = [const { AtomicPtr::new(core::ptr::null_mut()) }; 2];

/// Number of the job of a profile: the scheduler's, or the process id of the launcher of a rank, or
/// that of the program, which its forked children have in common.
fn profile_job() -> u64 {
    let launcher = || rank::own().and_then(|_| room::launcher());
    let job = || launcher().unwrap_or(FIRST_PID.load(Relaxed)).into();
    settings().jobid.unwrap_or_else(job)
}

/// Notes the rank of the process in its capture.
pub(crate) fn is_rank(world: WorldRank) {
    if let Some(header) = capture::header() {
        // SAFETY: fields of the mapping that nobody else changes.
        unsafe {
            (*header).rank = world.rank as i32;
            (*header).ranks = world.ranks as i32;
            (*header).by_mpi = 1;
            if region::is_on_here() {
                (*header).profile_job = profile_job();
            }
        }
    }
}

/// The header that a new capture of this process would have now.
pub fn new_header() -> Header {
    // SAFETY: all zero is a header.
    let mut header = unsafe { core::mem::zeroed() };
    fill_header(&mut header);
    header
}

/// Fills in the process, its rank, its host and the time.
pub fn fill_header(header: &mut Header) {
    header.pid = sys::pid();
    header.ppid = sys::parent_pid();
    header.uid = sys::uid();
    let by_mpi = rank::world_rank();
    let world = by_mpi.or(settings().world);
    header.rank = world.map_or(-1, |world| world.rank as i32);
    header.ranks = world.map_or(-1, |world| world.ranks as i32);
    header.by_mpi = by_mpi.is_some().into();
    header.keeps_ranks = (!settings().reduce_shared).into();
    header.jobid = settings().jobid.unwrap_or(0);
    header.profile_job = if region::is_on() { profile_job() } else { 0 };
    header.traced = u32::from(is_tracing());
    header.start = clock::moment();
    header.last = header.start;
    header.boot_ns = sys::clock_ns(libc::CLOCK_BOOTTIME);
    header.origin_real_ns = match (settings().origin_ns, BEGAN_NS.load(Relaxed)) {
        (Some(origin), _) => origin,
        (None, 0) => header.start.real_ns,
        (None, began) => began,
    };
    header.pid_namespace = sys::pid_namespace();
    header.libraries = libraries(0);
    header.region_lost = region::early_losses();
    header.region_cost = region::cost_of_annotation();
    header.region_executions = region::executions();
    header.records_io = (!is_off()).into();
    // SAFETY: the kernel fills it.
    unsafe {
        let mut names: libc::utsname = core::mem::zeroed();
        if sys::call(libc::SYS_uname, [&raw mut names as usize, 0, 0, 0, 0, 0]).is_ok() {
            for (to, from) in header.host.iter_mut().zip(names.nodename) {
                *to = from as u8;
            }
        }
    }
}

/// The words of the command line, each ended by NUL. Before our constructor has run, the kernel is
/// asked for them.
pub(crate) fn command(buffer: &mut [u8]) -> &[u8] {
    // SAFETY: written once, before the program has threads.
    let known = unsafe { *COMMAND.get() };
    if !known.is_empty() {
        return known;
    }
    let len = sys::read_file(c"/proc/self/cmdline", buffer).unwrap_or(0);
    &buffer[..len]
}

/// Passes the entries that describe the process to `put`.
pub fn describe(mut put: impl FnMut(Kind, &[u8])) {
    let mut buffer = [0; 512];
    put(Kind::Command, command(&mut buffer));
    for problem in settings().problems() {
        let mut note = [0; 64];
        let mut len = 0;
        for piece in [b"ignored=", problem.setting, b" (", problem.fault.text().as_bytes(), b")"] {
            let piece = &piece[..piece.len().min(note.len() - len)];
            note[len..len + piece.len()].copy_from_slice(piece);
            len += piece.len();
        }
        put(Kind::Note, &note[..len]);
    }
    setting::describe(|row| put(Kind::Setting, row));
}

/// Sets what tells the libraries of the process, as bits: those that it began with, and all of them,
/// which is asked when the process ends. The first is called under a lock, and must take none.
pub fn set_libraries(at_start: fn() -> u64, at_end: fn() -> u64) {
    LIBRARIES[0].store(at_start as *mut (), Release);
    LIBRARIES[1].store(at_end as *mut (), Release);
    // Constructors of other libraries come first.
    if let Some(header) = capture::header() {
        // SAFETY: a field that changes only where libraries are noted.
        unsafe { (*header).libraries |= at_start() };
    }
}

fn libraries(when: usize) -> u64 {
    let hook = LIBRARIES[when].load(Acquire);
    if hook.is_null() {
        return 0;
    }
    // SAFETY: only `set_libraries` stores here.
    unsafe { core::mem::transmute::<*mut (), fn() -> u64>(hook)() }
}

/// Notes the libraries that the process has loaded so far.
pub(super) fn note_libraries() {
    if let Some(header) = capture::header()
        && may_call_kernel()
    {
        // SAFETY: as in `set_libraries`.
        unsafe { (*header).libraries |= libraries(1) };
    }
}

/// Notes the command line of a program that is started without the library.
///
/// # Safety
/// `arguments` is an array of C strings that ends with null.
pub unsafe fn unseen(arguments: *const *const c_char) {
    // SAFETY: as the caller says.
    let words = || unsafe {
        (0..256).map(|i| *arguments.add(i)).take_while(|word| !word.is_null()).map(|word| {
            let bytes = CStr::from_ptr(word).to_bytes_with_nul();
            &bytes[..bytes.len().min(1024)]
        })
    };
    let size = words().map(<[u8]>::len).sum::<usize>();
    let Some(taken) = capture::take(size_of::<Process>() + size) else { return };
    // SAFETY: the entry has room for all of it.
    unsafe {
        taken.payload().cast::<Process>().write(Process { tick: clock::tick(), pid: 0 });
        let mut at = taken.payload().add(size_of::<Process>());
        for word in words() {
            core::ptr::copy_nonoverlapping(word.as_ptr(), at, word.len());
            at = at.add(word.len());
        }
    }
    taken.complete(Kind::Unseen);
}

/// Start of the capture, if there is one.
pub fn start_moment() -> Option<Moment> {
    // SAFETY: does not change after it was published.
    capture::header().map(|header| unsafe { (*header).start })
}
