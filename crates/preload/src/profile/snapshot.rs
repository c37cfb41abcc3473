//! Snapshots of a process that no `ioglass run` watches: a thread of the library writes them, or the
//! program asks for one.
//!
//! The C library does not know this thread. So it takes no memory of the program, a program whose
//! threads have all ended ends, and nobody waits for it. It must not use thread-local variables,
//! which are those of the thread that has started it.

use core::arch::naked_asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ioglass_recorder::memory::Shared;
use ioglass_recorder::path::PathBuffer;
use ioglass_recorder::{capture, process, rank, sys};

use super::Occasion;
use super::place::Part;
use crate::exitlog::{self, Desk, Errand};

/// Bytes of the thread's stack; the work has another one.
const STACK: usize = 64 << 10;
/// Bytes of the kernel's file about a process that are read.
const STATUS: usize = 2 << 10;
const FLAGS: i32 = libc::CLONE_VM
    | libc::CLONE_FS
    | libc::CLONE_FILES
    | libc::CLONE_SIGHAND
    | libc::CLONE_THREAD
    | libc::CLONE_SYSVSEM;

/// Process id of the process that has the thread. A child has none.
static STARTED: AtomicU32 = AtomicU32::new(0);
/// The last snapshot, which is used at a desk, and the process that has written it.
static LAST: Shared<PathBuffer> = Shared::new(PathBuffer::new());
static WRITER: AtomicU32 = AtomicU32::new(0);

/// Starts the thread, once in each process.
pub(super) fn start() {
    if !process::may_call_kernel() || STARTED.swap(sys::pid(), Relaxed) == sys::pid() {
        return;
    }
    let Ok(stack) = sys::map_private(STACK) else { return };
    // The thread has the same signals blocked.
    let blocked = sys::block_signals();
    // SAFETY: the stack is new, and the thread never returns.
    unsafe { clone(FLAGS as usize, stack.add(STACK) as usize, run) };
    sys::set_signals(blocked);
}

/// Starts a thread that runs a function on this stack.
#[unsafe(naked)]
unsafe extern "C" fn clone(flags: usize, stack: usize, run: extern "C" fn() -> !) -> isize {
    naked_asm!(
        "mov r9, rdx",
        "xor edx, edx",
        "xor r10d, r10d",
        "xor r8d, r8d",
        "mov eax, 56",
        "syscall",
        "test rax, rax",
        "jz 2f",
        "ret",
        "2:",
        "xor ebp, ebp",
        "call r9",
        "ud2",
    )
}

extern "C" fn run() -> ! {
    let user = sys::effective_uid();
    loop {
        sys::pause(process::settings().snapshot_ns);
        // The rights that the program gives up are not those of this thread, which keeps them.
        if !process::may_call_kernel() || exitlog::has_begun() || program_user() != Some(user) {
            break;
        }
        take();
    }
    loop {
        // SAFETY: ends this thread only. Its stack stays.
        let _ = unsafe { sys::call(libc::SYS_exit, [0; 6]) };
    }
}

/// The effective user of the first thread of the process.
fn program_user() -> Option<u32> {
    let mut status = [0; STATUS];
    let len = sys::read_file(c"/proc/self/status", &mut status).ok()?;
    let mut lines = status[..len].split(|byte| *byte == b'\n');
    let users = lines.find_map(|line| line.strip_prefix(b"Uid:\t"))?;
    let effective = users.split(|byte| *byte == b'\t').nth(1)?;
    core::str::from_utf8(effective).ok()?.parse().ok()
}

/// Writes a snapshot, unless somebody writes the profile.
pub(super) fn take() {
    let Some(recorded) = capture::recorded() else { return };
    let Some(mut desk) = Desk::open_for(Errand::Snapshot, Some(recorded), 0) else { return };
    if !exitlog::has_begun() {
        let part = Part::Snapshot(rank::own().map_or(sys::pid(), |world| world.rank));
        // The next one may succeed.
        let _ = super::write_own(&mut desk, part, Occasion::Flush, remember);
    }
    desk.close();
}

/// Remembers the path of a snapshot, and removes the one before if it has another name.
fn remember(path: &PathBuffer) {
    // SAFETY: at a desk, where one thread is at a time.
    if unsafe { &*LAST.get() }.as_bytes() != path.as_bytes() {
        remove();
    }
    // SAFETY: as above.
    let last = unsafe { &mut *LAST.get() };
    last.clear();
    last.push(path.as_bytes());
    WRITER.store(sys::pid(), Relaxed);
}

/// Removes the snapshot of this process, at a desk: its profile is written.
pub(crate) fn remove() {
    if WRITER.swap(0, Relaxed) != sys::pid() {
        return;
    }
    // SAFETY: at a desk, where one thread is at a time.
    let last = unsafe { &mut *LAST.get() };
    let _ = sys::unlink(last.as_c_str());
    let folder = last.parent().len();
    last.truncate(folder);
    // Snapshots of other processes keep it.
    let _ = sys::remove_dir(last.as_c_str());
    last.clear();
}
