//! What belongs to the calling thread, and the guard that keeps the recorder from recording itself.

use core::arch::{asm, global_asm};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst, compiler_fence};

use ioglass_shm::{Loss, ThreadCell, trace};

use crate::file::File;
use crate::hdf5::space::Spaces;
use crate::hot::HOT;
use crate::later::{self, Call, Queue, Waiting};
use crate::posix::Transfer;
use crate::{capture, process, sys};

/// Bookkeeping is under way, so a signal handler has interrupted it.
const BUSY: u32 = 1;
/// A `vfork` child runs in the parent's memory.
const VFORKED: u32 = 2;
/// Calls in a row that may find the thread busy. A handler that left through `siglongjmp` leaves
/// it so for good, which the stack does not always tell.
const MAX_BLOCKED: u32 = 10_000;
/// Calls of a thread that has found no place in the capture.
const CALLS_BEFORE_NEXT_SEARCH: u32 = 10_000;
/// Less than what the kernel puts on the stack for a signal handler.
const SIGNAL_FRAME: usize = 1 << 10;

/// Where the thread's next traced event goes.
pub struct TraceCursor {
    /// Head of the chunk; null if there is none yet.
    pub head: *mut trace::ChunkHead,
    /// Room in the chunk.
    pub at: *mut u8,
    /// Its end.
    pub end: *mut u8,
    /// What the next event is compared with.
    pub context: trace::Context,
    /// Bytes of the last chunk.
    pub chunk: usize,
    /// An event is being written.
    pub is_changing: bool,
}

/// State of one thread. All zero to begin with.
#[repr(C, align(64))]
pub struct Thread {
    block: AtomicU32,
    blocked: u32,
    /// Where the stack was when the bookkeeping began.
    entered: usize,
    /// As far as the thread knows, how often the process has left its capture.
    captures_left: u32,
    /// Thread id; 0 until it is needed.
    pub tid: u32,
    cell: *mut ThreadCell,
    /// Calls until a place is looked for again, if there was none.
    waits: u32,
    /// Among the threads that have used a file together with others; 0 until it has.
    number: u32,
    /// Where the thread's trace goes.
    pub trace: TraceCursor,
    /// Calls of signal handlers that wait to be booked.
    pub(crate) queue: Option<&'static Queue>,
    /// Where the function returns to that was called last of those that ask.
    caller: usize,
    /// Where the stack was when the outermost call of MPI's began; 0 outside of MPI.
    mpi_entered: usize,
    /// Files that MPI has opened in it.
    pub(crate) mpi_opens: u32,
    /// What is opened now is not the program's.
    is_library_starting: bool,
    /// Data spaces that the thread has used last.
    pub(crate) spaces: Spaces,
}

/// Where a function that asks for its caller puts it, in the thread's state.
pub const CALLER: usize = core::mem::offset_of!(Thread, caller);

const TLS_SIZE: usize = 1280;
const _: () = assert!(size_of::<Thread>() <= TLS_SIZE);

// Rust's `thread_local!` needs std, and its dynamic model may allocate or lock at first use. This
// one is part of the block that every thread is born with.
global_asm!(
    ".pushsection .tbss.ioglass_thread,\"awT\",@nobits",
    ".balign 64",
    ".globl ioglass_thread",
    ".hidden ioglass_thread",
    ".type ioglass_thread, @object",
    ".size ioglass_thread, 1280",
    "ioglass_thread:",
    ".zero 1280",
    ".popsection",
);

/// Stands for the calling thread; never 0.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn pointer() -> usize {
    let pointer;
    // SAFETY: reads what the thread pointer leads to, which is itself.
    unsafe {
        asm!("mov {}, qword ptr fs:[0]", out(reg) pointer,
             options(pure, nomem, nostack, preserves_flags));
    }
    pointer
}

/// The calling thread's state.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn current() -> *mut Thread {
    let thread: *mut Thread;
    // SAFETY: reads the thread pointer and a constant of the loader's.
    unsafe {
        asm!("mov {0}, qword ptr fs:[0]",
             "add {0}, qword ptr [rip + ioglass_thread@GOTTPOFF]",
             out(reg) thread, options(pure, nomem, nostack));
    }
    thread
}

/// Entered for the time of bookkeeping.
///
/// While one exists the thread is busy: a signal handler that makes calls of its own finds it so
/// and leaves them in a queue, to be booked when this guard goes.
pub struct Guard {
    thread: NonNull<Thread>,
}

impl Guard {
    /// Enters, unless the recorder is at work in this thread already or must keep out.
    #[inline]
    pub fn enter() -> Option<Self> {
        let thread = current();
        // SAFETY: only this thread and its signal handlers use it.
        unsafe {
            if is_free(thread) { Some(Self::enter_free(thread)) } else { enter_nested(thread) }
        }
    }

    /// Enters unless the caller is inside already. For bookkeeping of libraries that no signal handler may call:
    /// only what it shares with that of files needs guarding, which is seldom.
    #[cold]
    pub(crate) fn join() -> Option<Self> {
        let thread = current();
        // SAFETY: as above.
        unsafe { is_free(thread).then(|| Self::enter_free(thread)) }
    }

    /// Enters to book a transfer, or leaves the transfer for whoever was interrupted.
    #[inline]
    pub fn enter_for(file: &'static File, transfer: &Transfer) -> Option<Self> {
        Self::enter_or(|thread| {
            let call = Call::Transfer(file, *transfer);
            later::put_off(thread, Waiting { span: transfer.span, call });
        })
    }

    /// Enters, or calls `put_off` if the thread is busy and the call has to wait.
    #[inline]
    pub(crate) fn enter_or(put_off: impl FnOnce(*mut Thread)) -> Option<Self> {
        let thread = current();
        // SAFETY: only this thread and its signal handlers use it.
        unsafe {
            if is_free(thread) {
                return Some(Self::enter_free(thread));
            }
            let entered = blocked(thread);
            if entered.is_none() && !is_vforked() {
                put_off(thread);
            }
            entered
        }
    }

    #[inline]
    unsafe fn enter_free(thread: *mut Thread) -> Self {
        // SAFETY: as in `enter`.
        unsafe {
            (*thread).block.store(BUSY, Relaxed);
            (*thread).entered = stack_pointer();
            if (*thread).captures_left != HOT.captures_left.load(Relaxed) {
                forget_capture(thread);
            }
            compiler_fence(SeqCst);
            Self { thread: NonNull::new_unchecked(thread) }
        }
    }

    /// The thread.
    #[inline]
    #[allow(clippy::mut_from_ref)] // only one guard of a thread exists at a time
    pub fn thread(&self) -> &mut Thread {
        // SAFETY: only this thread uses it; a handler keeps to the queue.
        unsafe { &mut *self.thread.as_ptr() }
    }
}

impl Drop for Guard {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: as in `enter`.
        unsafe {
            let thread = self.thread.as_ptr();
            compiler_fence(SeqCst);
            (*thread).block.store(0, Relaxed);
            compiler_fence(SeqCst);
            if (*thread).queue.is_some() {
                self.catch_up();
            }
        }
    }
}

impl Guard {
    /// Books what signal handlers have left.
    #[cold]
    #[inline(never)]
    unsafe fn catch_up(&self) {
        // SAFETY: as in `enter`.
        let thread = unsafe { &mut *self.thread.as_ptr() };
        while let Some(queue) = thread.queue {
            thread.block.store(BUSY, Relaxed);
            compiler_fence(SeqCst);
            later::catch_up(self, queue);
            compiler_fence(SeqCst);
            thread.block.store(0, Relaxed);
        }
    }
}

/// Whether neither the recorder is at work in a thread nor a child of its in its memory.
#[inline]
unsafe fn is_free(thread: *mut Thread) -> bool {
    // SAFETY: as in `Guard::enter`.
    unsafe { (*thread).block.load(Relaxed) == 0 }
}

/// The calling thread's place in the capture, null if it has none yet; `None` if the recorder is at
/// work in the thread, or something has changed since it last was.
#[inline]
pub(crate) fn cell_if_free() -> Option<*mut ThreadCell> {
    let thread = current();
    // SAFETY: as in `Guard::enter`.
    unsafe {
        let is_unchanged = (*thread).captures_left == HOT.captures_left.load(Relaxed);
        (is_free(thread) && is_unchanged).then(|| (*thread).cell)
    }
}

/// Enters a thread that is not free, if it only looks so; otherwise the call is lost, which is counted.
#[cold]
#[inline(never)] // it stands in nobody's way
unsafe fn enter_nested(thread: *mut Thread) -> Option<Guard> {
    // SAFETY: as in `Guard::enter`.
    let entered = unsafe { blocked(thread) };
    if entered.is_none() && !is_vforked() {
        capture::count_loss(Loss::Nested);
    }
    entered
}

/// A thread whose bookkeeping was left by `siglongjmp` is taken back.
#[cold]
unsafe fn blocked(thread: *mut Thread) -> Option<Guard> {
    // SAFETY: as in `enter`.
    unsafe {
        if (*thread).block.load(Relaxed) & VFORKED != 0 {
            return None;
        }
        (*thread).blocked += 1;
        if (*thread).blocked < MAX_BLOCKED && !is_abandoned((*thread).entered) {
            return None;
        }
        (*thread).blocked = 0;
        (*thread).entered = stack_pointer();
        // The next event cannot be compared with one that was left half written.
        if (*thread).trace.is_changing {
            (*thread).trace.head = ptr::null_mut();
            (*thread).trace.chunk = 0;
        }
    }
    NonNull::new(thread).map(|thread| Guard { thread })
}

/// Whether the bookkeeping that began with the stack at `entered` is not below us any more. A handler
/// on a stack of its own can be anywhere.
fn is_abandoned(entered: usize) -> bool {
    stack_pointer() + SIGNAL_FRAME > entered
        && process::may_call_kernel()
        && !sys::is_on_signal_stack()
}

#[inline]
fn stack_pointer() -> usize {
    let pointer;
    // SAFETY: reads a register.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    pointer
}

impl Thread {
    /// The thread's number among those that ask for one.
    #[inline]
    pub(crate) fn number(&mut self) -> usize {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        if self.number == 0 {
            self.number = NEXT.fetch_add(1, Relaxed);
        }
        self.number as usize
    }

    /// The thread's place in the capture; null if there is no room for one.
    #[inline]
    pub fn cell(&mut self) -> *mut ThreadCell {
        if self.cell.is_null() { self.take_cell() } else { self.cell }
    }

    #[cold]
    fn take_cell(&mut self) -> *mut ThreadCell {
        // Looking for a place is dear where there are very many threads.
        self.waits = self.waits.saturating_sub(1);
        if self.waits == 0 {
            // Without it the thread merely is not told apart in the trace.
            if process::may_call_kernel() {
                self.tid = sys::tid();
            }
            self.cell = capture::thread_cell(self.tid);
            self.waits = CALLS_BEFORE_NEXT_SEARCH;
        }
        self.cell
    }
}

/// Whether the caller is a `vfork` child, which must leave no trace in its parent's memory.
#[inline]
pub fn is_vforked() -> bool {
    // SAFETY: as in `Guard::enter`.
    unsafe { (*current()).block.load(Relaxed) & VFORKED != 0 }
}

/// Who has called the function that we are in, if that asks.
pub fn caller() -> usize {
    // SAFETY: as in `Guard::enter`.
    unsafe { (*current()).caller }
}

/// The outermost call of MPI's in a thread: MPI calls itself by its public names, and a program's call
/// counts once.
pub struct InMpi {
    thread: *mut Thread,
}

impl InMpi {
    /// Enters, unless the thread is in MPI already. What `longjmp` has left is known by the stack.
    #[inline]
    pub fn enter() -> Option<Self> {
        let (thread, here) = (current(), stack_pointer());
        // SAFETY: only this thread and its signal handlers use it.
        unsafe {
            if here < (*thread).mpi_entered {
                return None;
            }
            (*thread).mpi_entered = here;
        }
        Some(Self { thread })
    }
}

impl Drop for InMpi {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: as in `enter`.
        unsafe { (*self.thread).mpi_entered = 0 };
    }
}

/// A library begins its work in this thread: what it opens, such as its configuration, it opens for itself.
pub struct LibraryStart {
    thread: *mut Thread,
}

impl LibraryStart {
    /// Until this is dropped.
    pub fn enter() -> Self {
        let thread = current();
        // SAFETY: only this thread uses it.
        unsafe { (*thread).is_library_starting = true };
        Self { thread }
    }
}

impl Drop for LibraryStart {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { (*self.thread).is_library_starting = false };
    }
}

/// Whether what this thread opens is not the program's.
#[inline]
pub fn is_library_starting() -> bool {
    // SAFETY: as above.
    unsafe { (*current()).is_library_starting }
}

/// Called in the child of a `vfork`, which shares the parent's memory until it is gone.
pub fn enter_vfork() {
    // SAFETY: as in `Guard::enter`.
    unsafe { (*current()).block.fetch_or(VFORKED, Relaxed) };
}

/// Called in the parent when the child is gone.
pub fn leave_vfork() {
    // SAFETY: as in `Guard::enter`.
    unsafe { (*current()).block.fetch_and(!VFORKED, Relaxed) };
}

/// Forgets what belonged to the parent's thread.
pub fn after_fork() {
    let thread = current();
    // SAFETY: a new process has one thread, this one.
    unsafe {
        forget_capture(thread);
        (*thread).tid = 0;
        (*thread).queue = None;
    }
}

/// The process leaves its capture: every thread forgets what it has there when it comes next.
pub fn begin_anew() {
    HOT.captures_left.fetch_add(1, Relaxed);
    // SAFETY: the caller's own.
    unsafe { forget_capture(current()) };
}

/// Forgets what the thread has in the capture.
#[cold]
#[inline(never)]
unsafe fn forget_capture(thread: *mut Thread) {
    // SAFETY: as in `Guard::enter`.
    unsafe {
        (*thread).captures_left = HOT.captures_left.load(Relaxed);
        (*thread).cell = ptr::null_mut();
        (*thread).waits = 0;
        (*thread).trace.head = ptr::null_mut();
        (*thread).trace.chunk = 0;
    }
}
