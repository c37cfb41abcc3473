//! State of the calling thread, and the guard that keeps the recorder from recording itself.

use core::arch::{asm, global_asm};
use core::cell::{Cell, UnsafeCell};
use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{
    AtomicPtr, AtomicU32, Ordering::Relaxed, Ordering::SeqCst, compiler_fence,
};

use ioglass_shm::{Loss, ThreadCell, trace};

use crate::deferred::{self, Call, DeferredCall, DeferredCalls};
use crate::file::File;
use crate::hdf5::space::Spaces;
use crate::hot::HOT;
use crate::memory::Shared;
use crate::metadata::Directory;
use crate::posix::Transfer;
use crate::region::{Node, Tree};
use crate::thread_slot::{self, Slot};
use crate::{capture, process, region, sys};

/// Flag: bookkeeping is under way. A caller that finds it set is a signal handler.
const BUSY: u32 = 1;
/// Flag: a `vfork` child runs in the parent's memory.
const VFORKED: u32 = 2;
/// Calls that may find the thread busy before it is taken by force. A handler that left through
/// `siglongjmp` leaves it busy forever, and the stack pointer does not always show it.
const MAX_BLOCKED: u32 = 10_000;
/// Calls of a thread without a cell in the capture before it tries again to get one.
const CALLS_BEFORE_NEXT_SEARCH: u32 = 10_000;
/// A lower bound of the bytes that the kernel puts on the stack for a signal handler.
const SIGNAL_FRAME: usize = 1 << 10;

/// Position of the thread's next traced event.
pub struct TraceCursor {
    /// Head of the chunk; null if there is none yet.
    pub head: Cell<*mut trace::ChunkHead>,
    /// Address of the next event in the chunk.
    pub at: Cell<*mut u8>,
    /// End of the chunk.
    pub end: Cell<*mut u8>,
    /// The previous event, from which the next one is encoded; used inside a guard.
    pub context: UnsafeCell<trace::Context>,
    /// Bytes of the last chunk.
    pub chunk: Cell<usize>,
    /// True while an event is written.
    pub is_changing: Cell<bool>,
}

/// State of one thread. Initially all zero.
///
/// A signal handler of the thread may use it at any moment. So all references to it are shared, and
/// all fields that change are cells.
#[repr(C, align(64))]
pub struct Thread {
    block: AtomicU32,
    blocked: Cell<u32>,
    /// The stack pointer when the bookkeeping began.
    entered: Cell<usize>,
    /// The value of `HOT.captures_left` when the thread last entered.
    captures_left: Cell<u32>,
    /// Thread id; 0 until it is needed.
    pub tid: Cell<u32>,
    cell: Cell<*mut ThreadCell>,
    /// Calls until the thread tries again to get a cell.
    waits: Cell<u32>,
    /// Number among the threads that share files with others; 0 until it is needed.
    number: Cell<u32>,
    /// The innermost open region; null if there is none.
    pub(crate) region: Cell<*const Node>,
    /// The regions of the thread; null before the first.
    pub(crate) tree: Cell<*const Tree>,
    /// The directory of the last metadata call; null before the first.
    pub(crate) directory: Cell<*const Directory>,
    /// Where the C library has the thread's `errno`; null until it is needed.
    errno: Cell<*const i32>,
    /// End of the thread's trace.
    pub trace: TraceCursor,
    /// Deferred calls of signal handlers; null if there are none.
    pub(crate) deferred: AtomicPtr<DeferredCalls>,
    /// The stack pointer when the outermost MPI call began; 0 outside of MPI.
    mpi_entered: Cell<usize>,
    /// Number of files that MPI has opened in this thread.
    pub(crate) mpi_opens: Cell<u32>,
    /// Notices of the end of the thread so far.
    end_notices: Cell<u8>,
    /// True while a library opens files for itself.
    is_library_starting: Cell<bool>,
    /// The dataspaces that the thread used last; no signal handler uses them.
    pub(crate) spaces: UnsafeCell<Spaces>,
}

/// The thread's `errno`. `ask` returns its address, which never changes.
///
/// # Safety
/// The address is that of the calling thread.
#[inline]
pub unsafe fn errno(ask: impl FnOnce() -> *const i32) -> i32 {
    let thread = current();
    if thread.errno.get().is_null() {
        thread.errno.set(ask());
    }
    // SAFETY: it is there as long as the thread.
    unsafe { *thread.errno.get() }
}

/// The part of a thread's state that the loader holds.
#[repr(C)]
struct ThreadLocal {
    /// Null before the thread's first call.
    thread: Cell<*const Thread>,
    /// Return address of the last interposed function that notes its caller.
    caller: Cell<usize>,
}

/// Offset in the thread-local variable at which interposed functions store their caller.
pub const CALLER: usize = core::mem::offset_of!(ThreadLocal, caller);

const _: () = assert!(size_of::<ThreadLocal>() == 16);

// Rust's `thread_local!` needs std, and its dynamic model may allocate or lock at first use. This
// variable is in the static TLS block of every thread. It is small, because the loader keeps little
// room there for libraries that it loads late.
global_asm!(
    ".pushsection .tbss.ioglass_thread,\"awT\",@nobits",
    ".balign 16",
    ".globl ioglass_thread",
    ".hidden ioglass_thread",
    ".type ioglass_thread, @object",
    ".size ioglass_thread, 16",
    "ioglass_thread:",
    ".zero 16",
    ".popsection",
);

/// The thread pointer, which identifies the calling thread; never 0.
#[inline]
pub(crate) fn pointer() -> usize {
    let pointer;
    // SAFETY: the thread pointer points to a copy of itself.
    unsafe {
        asm!("mov {}, qword ptr fs:[0]", out(reg) pointer,
             options(pure, nomem, nostack, preserves_flags));
    }
    pointer
}

/// The thread-local variable of the calling thread.
#[inline]
fn local() -> &'static ThreadLocal {
    let local: *const ThreadLocal;
    // SAFETY: adds an offset from the loader to the thread pointer. The variable lives as long as
    // the thread, and all zero is a valid value.
    unsafe {
        asm!("mov {0}, qword ptr fs:[0]",
             "add {0}, qword ptr [rip + ioglass_thread@GOTTPOFF]",
             out(reg) local, options(pure, nomem, nostack));
        &*local
    }
}

/// State of the calling thread, if it has made a call before.
#[inline]
fn known() -> Option<&'static Thread> {
    let thread: *const Thread;
    // SAFETY: reads the thread-local variable. Its pointer changes only in `begin` and `ended`; code
    // that has read it before the change calls `begin` again, which notices.
    unsafe {
        asm!("mov {0}, qword ptr [rip + ioglass_thread@GOTTPOFF]",
             "mov {0}, qword ptr fs:[{0}]",
             out(reg) thread, options(pure, nomem, nostack, preserves_flags));
    }
    // SAFETY: null or a thread that lives until `ended`.
    unsafe { thread.as_ref() }
}

/// State of the calling thread. It must not be passed to another thread.
#[inline]
pub fn current() -> &'static Thread {
    match known() {
        Some(thread) => thread,
        None => begin(),
    }
}

/// Tells the C library to call [`ended`] when the calling thread ends.
static AT_END: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// Sets the function that has [`ended`] called at the end of the calling thread, with the pointer that
/// it is given.
pub fn set_end_notice(notice: fn(*const c_void)) {
    AT_END.store(notice as *mut (), Relaxed);
}

/// Gives the calling thread its state.
#[cold]
#[inline(never)]
fn begin() -> &'static Thread {
    let local = local();
    // SAFETY: as in `current`.
    if let Some(thread) = unsafe { local.thread.get().as_ref() } {
        return thread;
    }
    let Some(slot) = thread_slot::take() else { return nobody() };
    // A signal handler may have come in between. Then the thread has that state.
    // SAFETY: as in `current`.
    if let Some(thread) = unsafe { local.thread.get().as_ref() } {
        thread_slot::give_back(slot);
        return thread;
    }
    local.thread.set(&raw const slot.thread);
    region::begin_thread(&slot.thread);
    ask_for_notice(slot);
    &slot.thread
}

/// The state of threads for which there is no memory. Nothing of theirs is recorded.
#[cold]
fn nobody() -> &'static Thread {
    static NOBODY: Shared<MaybeUninit<Thread>> = Shared::new(MaybeUninit::zeroed());
    // SAFETY: all zero is a valid thread, and it is shared by its atomics: whoever finds the flag
    // changes nothing else.
    let nobody = unsafe { &*NOBODY.get().cast::<Thread>() };
    nobody.block.store(VFORKED, Relaxed);
    capture::count_loss(Loss::Nested);
    nobody
}

/// Takes leave of the calling thread, which ends. `slot` is the pointer of the end notice.
///
/// # Safety
/// It is called once for each notice, in the thread that gave it.
pub unsafe fn ended(slot: *const c_void) {
    let local = local();
    // SAFETY: the caller vouches; slots are never unmapped.
    let slot = unsafe { &*slot.cast::<Slot>() };
    // In a child of `vfork`, or after a handler has come in between, it may be another one.
    if !ptr::eq(local.thread.get(), &slot.thread) {
        return;
    }
    // Other destructors may use files and regions; they come first.
    let asked = slot.thread.end_notices.get();
    if asked < END_NOTICES {
        slot.thread.end_notices.set(asked + 1);
        return ask_for_notice(slot);
    }
    region::thread_ends();
    local.thread.set(ptr::null());
    thread_slot::give_back(slot);
}

/// The C library calls destructors at least this often again for those that ask for it.
const END_NOTICES: u8 = 2;

/// Has [`ended`] called at the end of the thread.
fn ask_for_notice(slot: &'static Slot) {
    let notice = AT_END.load(Relaxed);
    if !notice.is_null() {
        // SAFETY: only `set_end_notice` stores here.
        let notice = unsafe { core::mem::transmute::<*mut (), fn(*const c_void)>(notice) };
        notice(ptr::from_ref(slot).cast());
    }
}

/// Marks the thread as busy with bookkeeping.
///
/// Calls of a signal handler that interrupts a busy thread go to a queue. They are booked when this
/// guard is dropped.
pub struct Guard {
    thread: &'static Thread,
}

impl Guard {
    /// Enters, unless the thread is busy or runs a `vfork` child. A call in a busy thread is
    /// counted as lost.
    #[inline]
    pub fn enter() -> Option<Self> {
        let thread = current();
        if thread.is_free() { Some(Self::enter_free(thread)) } else { enter_nested(thread) }
    }

    /// Enters unless the thread is busy. Signal handlers must not call HDF5 or PnetCDF, so their
    /// bookkeeping needs a guard only where it uses data of files.
    #[cold]
    pub(crate) fn join() -> Option<Self> {
        let thread = current();
        thread.is_free().then(|| Self::enter_free(thread))
    }

    /// Enters to book a transfer, or defers the transfer if the thread is busy.
    #[inline]
    pub fn enter_for(file: &'static File, transfer: &Transfer) -> Option<Self> {
        Self::enter_or(|thread| {
            let call = Call::Transfer(file, *transfer);
            deferred::put_off(thread, DeferredCall { span: transfer.span, call });
        })
    }

    /// Enters, or calls `put_off` if the thread is busy.
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
        // SAFETY: only this thread and its handlers, which have ended, change it. An atomic read
        // would take one more instruction.
        if !unsafe { *thread.deferred.as_ptr() }.is_null() {
            catch_up(thread);
        }
    }
}

/// Books the deferred calls of signal handlers.
#[cold]
#[inline(never)]
fn catch_up(thread: &'static Thread) {
    // SAFETY: queues are statics.
    while let Some(queue) = unsafe { thread.deferred.load(Relaxed).as_ref() } {
        thread.block.store(BUSY, Relaxed);
        compiler_fence(SeqCst);
        deferred::catch_up(thread, queue);
        compiler_fence(SeqCst);
        thread.block.store(0, Relaxed);
    }
}

/// The calling thread's cell in the capture, null if it has none yet; `None` if the thread is new or
/// busy, or the process has left the capture with that cell.
#[inline]
pub(crate) fn cell_if_free() -> Option<*mut ThreadCell> {
    let thread = known()?;
    let is_unchanged = thread.captures_left.get() == HOT.captures_left.load(Relaxed);
    (thread.is_free() && is_unchanged).then(|| thread.cell.get())
}

/// Returns true if the calling thread is in a region.
#[inline]
pub(crate) fn is_in_region() -> bool {
    known().is_some_and(|thread| !thread.region.get().is_null())
}

/// Enters a thread that was left busy by `siglongjmp`; otherwise counts the call as lost.
#[cold]
#[inline(never)] // keeps the callers small
fn enter_nested(thread: &'static Thread) -> Option<Guard> {
    let entered = blocked(thread);
    if entered.is_none() && !is_vforked() {
        capture::count_loss(Loss::Nested);
    }
    entered
}

/// Enters a thread whose bookkeeping was left by `siglongjmp`.
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
    // The next event cannot be encoded from one that is half written.
    if thread.trace.is_changing.get() {
        thread.trace.forget();
    }
    Some(Guard { thread })
}

/// Returns true if the bookkeeping that began with the stack pointer `entered` is no longer on the
/// stack. A handler on an alternate stack cannot tell.
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
    /// Returns true if the thread is not busy and no `vfork` child runs in its memory.
    #[inline]
    fn is_free(&self) -> bool {
        self.block.load(Relaxed) == 0
    }

    /// Number of the thread, assigned at the first call.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        if self.number.get() == 0 {
            self.number.set(NEXT.fetch_add(1, Relaxed));
        }
        self.number.get() as usize
    }

    /// The thread's cell in the capture; null if there is no room for one.
    #[inline]
    pub fn cell(&self) -> *mut ThreadCell {
        let cell = self.cell.get();
        if cell.is_null() { self.take_cell() } else { cell }
    }

    #[cold]
    fn take_cell(&self) -> *mut ThreadCell {
        // The search for a cell is expensive if there are very many threads.
        self.waits.set(self.waits.get().saturating_sub(1));
        if self.waits.get() == 0 {
            // Only the trace needs the id, to tell threads apart.
            if process::may_call_kernel() {
                self.tid.set(sys::tid());
            }
            self.cell.set(capture::thread_cell(self.tid.get()));
            self.waits.set(CALLS_BEFORE_NEXT_SEARCH);
        }
        self.cell.get()
    }

    /// Forgets the thread's cell and its chunk in the capture.
    #[cold]
    #[inline(never)]
    fn forget_capture(&self) {
        self.captures_left.set(HOT.captures_left.load(Relaxed));
        self.cell.set(ptr::null_mut());
        self.waits.set(0);
        self.trace.forget();
    }
}

/// Returns true if the caller is a `vfork` child, which must not change its parent's memory.
#[inline]
pub fn is_vforked() -> bool {
    known().is_some_and(|thread| thread.block.load(Relaxed) & VFORKED != 0)
}

/// Return address of the last interposed function that notes its caller.
pub fn caller() -> usize {
    local().caller.get()
}

/// The outermost MPI call of a thread. MPI calls its own public functions; only the program's call
/// counts.
pub struct InMpi {
    thread: &'static Thread,
}

impl InMpi {
    /// Enters, unless the thread is in MPI already. The stack pointer shows whether `longjmp` has
    /// left that call.
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

/// Marks the thread while a library starts in it. The library opens files for itself, such as its
/// configuration.
pub struct LibraryStart {
    thread: &'static Thread,
}

impl LibraryStart {
    /// Marks the calling thread until the result is dropped.
    pub fn enter() -> Self {
        let thread = current();
        thread.is_library_starting.set(true);
        thread.directory.set(ptr::null());
        Self { thread }
    }
}

impl Drop for LibraryStart {
    fn drop(&mut self) {
        self.thread.is_library_starting.set(false);
    }
}

/// Returns true while a library starts in this thread: the program does not open these files.
#[inline]
pub fn is_library_starting() -> bool {
    known().is_some_and(|thread| thread.is_library_starting.get())
}

/// Marks the thread in a `vfork` child, which shares the parent's memory until it ends.
pub fn enter_vfork() {
    current().block.fetch_or(VFORKED, Relaxed);
}

/// Removes that mark, in the parent after the child has ended.
pub fn leave_vfork() {
    current().block.fetch_and(!VFORKED, Relaxed);
}

/// Resets the state of the thread in a forked child, which has only this thread.
pub fn after_fork() {
    let thread = current();
    thread.forget_capture();
    thread.tid.set(0);
    thread.deferred.store(ptr::null_mut(), Relaxed);
}

/// Makes every thread forget its cell and chunk, because the process leaves its capture.
pub fn begin_anew() {
    HOT.captures_left.fetch_add(1, Relaxed);
    current().forget_capture();
}
