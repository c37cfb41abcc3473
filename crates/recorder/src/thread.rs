//! State of the calling thread, and the guard that keeps the recorder from recording itself.

use core::arch::{asm, global_asm};
use core::cell::{Cell, UnsafeCell};
use core::ptr;
use core::sync::atomic::{
    AtomicPtr, AtomicU32, Ordering::Relaxed, Ordering::SeqCst, compiler_fence,
};

use ioglass_shm::{Loss, ThreadCell, trace};

use crate::file::File;
use crate::hdf5::space::Spaces;
use crate::hot::HOT;
use crate::later::{self, Call, Calls, Waiting};
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

/// The place of the thread's next traced event.
pub struct TraceCursor {
    /// Head of the chunk; null if there is none yet.
    pub head: Cell<*mut trace::ChunkHead>,
    /// Room in the chunk.
    pub at: Cell<*mut u8>,
    /// Its end.
    pub end: Cell<*mut u8>,
    /// The event before, with which the next one is compared; used inside a guard.
    pub context: UnsafeCell<trace::Context>,
    /// Bytes of the last chunk.
    pub chunk: Cell<usize>,
    /// True while an event is written.
    pub is_changing: Cell<bool>,
}

/// State of one thread. All zero to begin with.
///
/// A signal handler of the thread looks at it at any moment, so it is only ever borrowed shared,
/// and all that changes is a cell.
#[repr(C, align(64))]
pub struct Thread {
    block: AtomicU32,
    blocked: Cell<u32>,
    /// The stack pointer when the bookkeeping began.
    entered: Cell<usize>,
    /// Number of captures that the process has left, as far as the thread knows.
    captures_left: Cell<u32>,
    /// Thread id; 0 until it is needed.
    pub tid: Cell<u32>,
    cell: Cell<*mut ThreadCell>,
    /// Calls until a place is looked for again, if there was none.
    waits: Cell<u32>,
    /// Number among the threads that have used a file together with others; 0 until it has.
    number: Cell<u32>,
    /// The end of the thread's trace.
    pub trace: TraceCursor,
    /// Calls of signal handlers that wait to be booked.
    pub(crate) waiting: AtomicPtr<Calls>,
    /// Return address of the function that was called last of those that ask for it.
    caller: Cell<usize>,
    /// The stack pointer when the outermost call of MPI began; 0 outside of MPI.
    mpi_entered: Cell<usize>,
    /// Files that MPI has opened in it.
    pub(crate) mpi_opens: Cell<u32>,
    /// True while what is opened is not the program's.
    is_library_starting: Cell<bool>,
    /// Data spaces that the thread has used last; no signal handler uses them.
    pub(crate) spaces: UnsafeCell<Spaces>,
}

/// Offset in the thread's state at which a function that asks for its caller puts it.
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

/// The calling thread's state. It must not be given to another thread.
#[inline]
pub fn current() -> &'static Thread {
    let thread: *const Thread;
    // SAFETY: reads the thread pointer and a constant of the loader's. What it leads to is there as long
    // as the thread, and all zero is a good state.
    unsafe {
        asm!("mov {0}, qword ptr fs:[0]",
             "add {0}, qword ptr [rip + ioglass_thread@GOTTPOFF]",
             out(reg) thread, options(pure, nomem, nostack));
        &*thread
    }
}

/// Entered for the time of bookkeeping.
///
/// While one exists the thread is busy: a signal handler that makes calls of its own finds it so
/// and leaves them in a queue, to be booked when this guard goes.
pub struct Guard {
    thread: &'static Thread,
}

impl Guard {
    /// Enters, unless the recorder is at work in this thread already or must keep out.
    #[inline]
    pub fn enter() -> Option<Self> {
        let thread = current();
        if thread.is_free() { Some(Self::enter_free(thread)) } else { enter_nested(thread) }
    }

    /// Enters unless the caller is inside already. For bookkeeping of libraries that no signal handler may call:
    /// only what it shares with that of files needs guarding, which is seldom.
    #[cold]
    pub(crate) fn join() -> Option<Self> {
        let thread = current();
        thread.is_free().then(|| Self::enter_free(thread))
    }

    /// Enters to book a transfer, or leaves the transfer for the bookkeeping that was interrupted.
    #[inline]
    pub fn enter_for(file: &'static File, transfer: &Transfer) -> Option<Self> {
        Self::enter_or(|thread| {
            let call = Call::Transfer(file, *transfer);
            later::put_off(thread, Waiting { span: transfer.span, call });
        })
    }

    /// Enters, or calls `put_off` if the thread is busy and the call has to wait.
    #[inline]
    pub(crate) fn enter_or(put_off: impl FnOnce(&Thread)) -> Option<Self> {
        let thread = current();
        if thread.is_free() {
            return Some(Self::enter_free(thread));
        }
        let entered = blocked(thread);
        if entered.is_none() && !is_vforked() {
            put_off(thread);
        }
        entered
    }

    #[inline]
    fn enter_free(thread: &'static Thread) -> Self {
        thread.block.store(BUSY, Relaxed);
        thread.entered.set(stack_pointer());
        if thread.captures_left.get() != HOT.captures_left.load(Relaxed) {
            thread.forget_capture();
        }
        compiler_fence(SeqCst);
        Self { thread }
    }

    /// The thread.
    #[inline]
    pub fn thread(&self) -> &'static Thread {
        self.thread
    }
}

impl Drop for Guard {
    #[inline]
    fn drop(&mut self) {
        let thread = self.thread;
        compiler_fence(SeqCst);
        thread.block.store(0, Relaxed);
        compiler_fence(SeqCst);
        // SAFETY: only this thread and its handlers, which have ended, change it. An atomic read would
        // take an instruction more.
        if !unsafe { *thread.waiting.as_ptr() }.is_null() {
            catch_up(thread);
        }
    }
}

/// Books what signal handlers have left.
#[cold]
#[inline(never)]
fn catch_up(thread: &'static Thread) {
    // SAFETY: queues are statics.
    while let Some(queue) = unsafe { thread.waiting.load(Relaxed).as_ref() } {
        thread.block.store(BUSY, Relaxed);
        compiler_fence(SeqCst);
        later::catch_up(thread, queue);
        compiler_fence(SeqCst);
        thread.block.store(0, Relaxed);
    }
}

/// The calling thread's place in the capture, null if it has none yet; `None` if the recorder is at
/// work in the thread, or something has changed since it last was.
#[inline]
pub(crate) fn cell_if_free() -> Option<*mut ThreadCell> {
    let thread = current();
    let is_unchanged = thread.captures_left.get() == HOT.captures_left.load(Relaxed);
    (thread.is_free() && is_unchanged).then(|| thread.cell.get())
}

/// Enters a thread that is not free, if it only looks so; otherwise the call is lost, which is counted.
#[cold]
#[inline(never)] // it stands in nobody's way
fn enter_nested(thread: &'static Thread) -> Option<Guard> {
    let entered = blocked(thread);
    if entered.is_none() && !is_vforked() {
        capture::count_loss(Loss::Nested);
    }
    entered
}

/// Takes back a thread whose bookkeeping was left by `siglongjmp`.
#[cold]
fn blocked(thread: &'static Thread) -> Option<Guard> {
    if thread.block.load(Relaxed) & VFORKED != 0 {
        return None;
    }
    thread.blocked.set(thread.blocked.get() + 1);
    if thread.blocked.get() < MAX_BLOCKED && !is_abandoned(thread.entered.get()) {
        return None;
    }
    thread.blocked.set(0);
    thread.entered.set(stack_pointer());
    // The next event cannot be compared with one that was left half written.
    if thread.trace.is_changing.get() {
        thread.trace.forget();
    }
    Some(Guard { thread })
}

/// Returns true if the bookkeeping that began with the stack at `entered` is not below us any more. A
/// handler on a stack of its own can be anywhere.
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
        asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    pointer
}

impl TraceCursor {
    /// Forgets the chunk.
    fn forget(&self) {
        self.head.set(ptr::null_mut());
        self.chunk.set(0);
    }
}

impl Thread {
    /// True if neither the recorder is at work in the thread nor a child of it in its memory.
    #[inline]
    fn is_free(&self) -> bool {
        self.block.load(Relaxed) == 0
    }

    /// The thread's number among those that ask for one.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        if self.number.get() == 0 {
            self.number.set(NEXT.fetch_add(1, Relaxed));
        }
        self.number.get() as usize
    }

    /// The thread's place in the capture; null if there is no room for one.
    #[inline]
    pub fn cell(&self) -> *mut ThreadCell {
        let cell = self.cell.get();
        if cell.is_null() { self.take_cell() } else { cell }
    }

    #[cold]
    fn take_cell(&self) -> *mut ThreadCell {
        // Looking for a place is dear where there are very many threads.
        self.waits.set(self.waits.get().saturating_sub(1));
        if self.waits.get() == 0 {
            // Without it the thread merely is not told apart in the trace.
            if process::may_call_kernel() {
                self.tid.set(sys::tid());
            }
            self.cell.set(capture::thread_cell(self.tid.get()));
            self.waits.set(CALLS_BEFORE_NEXT_SEARCH);
        }
        self.cell.get()
    }

    /// Forgets what the thread has in the capture.
    #[cold]
    #[inline(never)]
    fn forget_capture(&self) {
        self.captures_left.set(HOT.captures_left.load(Relaxed));
        self.cell.set(ptr::null_mut());
        self.waits.set(0);
        self.trace.forget();
    }
}

/// Returns true if the caller is a `vfork` child, which must leave no trace in its parent's memory.
#[inline]
pub fn is_vforked() -> bool {
    current().block.load(Relaxed) & VFORKED != 0
}

/// The caller of the function that was called last of those that ask for it.
pub fn caller() -> usize {
    current().caller.get()
}

/// The outermost call of MPI in a thread: MPI calls itself by its public names, and a program's call
/// counts once.
pub struct InMpi {
    thread: &'static Thread,
}

impl InMpi {
    /// Enters, unless the thread is in MPI already. What `longjmp` has left is known by the stack.
    #[inline]
    pub fn enter() -> Option<Self> {
        let (thread, here) = (current(), stack_pointer());
        if here < thread.mpi_entered.get() {
            return None;
        }
        thread.mpi_entered.set(here);
        Some(Self { thread })
    }
}

impl Drop for InMpi {
    #[inline]
    fn drop(&mut self) {
        self.thread.mpi_entered.set(0);
    }
}

/// A library begins its work in this thread: what it opens, such as its configuration, it opens for itself.
pub struct LibraryStart {
    thread: &'static Thread,
}

impl LibraryStart {
    /// Until this is dropped.
    pub fn enter() -> Self {
        let thread = current();
        thread.is_library_starting.set(true);
        Self { thread }
    }
}

impl Drop for LibraryStart {
    fn drop(&mut self) {
        self.thread.is_library_starting.set(false);
    }
}

/// Returns true if what this thread opens is not the program's.
#[inline]
pub fn is_library_starting() -> bool {
    current().is_library_starting.get()
}

/// Called in the child of a `vfork`, which shares the parent's memory until it is gone.
pub fn enter_vfork() {
    current().block.fetch_or(VFORKED, Relaxed);
}

/// Called in the parent when the child is gone.
pub fn leave_vfork() {
    current().block.fetch_and(!VFORKED, Relaxed);
}

/// Forgets what belonged to the parent's thread; a new process has one thread, the caller.
pub fn after_fork() {
    let thread = current();
    thread.forget_capture();
    thread.tid.set(0);
    thread.waiting.store(ptr::null_mut(), Relaxed);
}

/// The process leaves its capture: every thread forgets what it has there when it comes next.
pub fn begin_anew() {
    HOT.captures_left.fetch_add(1, Relaxed);
    current().forget_capture();
}
