//! The capture: a mapped file that grows with the recording and outlives the process.
//!
//! Entries are taken under a lock and completed by storing their kind. Before the file grows, the
//! growth is checked against the limits and allocated, so that touching it cannot fail. If the file
//! cannot grow, recording continues in the room that is left, and losses are counted.

use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};
use core::sync::atomic::{
    Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use ioglass_shm::{EntryHead, Header, Kind, Loss, MAGIC, ThreadCell, VERSION, place};

use crate::memory::Shared;
use crate::path::OwnPath;
use crate::spin::Spin;
use crate::sys::{self, Errno, Fd};
use crate::{clock, process, setting};

/// Captures grow in multiples of this, which is a multiple of every page size.
const GRAIN: u64 = 64 << 10;
/// Initial size of a capture: enough for a few files.
const FIRST: u64 = 16 << 10;
/// The largest step by which a capture grows for its records.
const MAX_GROWTH: u64 = 4 << 20;
/// Threads that get a new cell before cells of dead threads are reused.
const THREADS_BEFORE_REUSE: u32 = 64;

struct Extent {
    next: *mut u8,
    left: usize,
    /// Offset of `next` in the file.
    offset: u64,
}

static LOCK: Spin = Spin::new();
static EXTENT: Shared<Extent> = Shared::new(Extent::NONE);
static HEADER: AtomicPtr<Header> = AtomicPtr::new(ptr::null_mut());
static PATH: Shared<OwnPath> = Shared::new(OwnPath::new());
/// Path of the capture that the process has left, and its unused room.
static LEFT_PATH: Shared<OwnPath> = Shared::new(OwnPath::new());
static LEFT_EXTENT: Shared<Extent> = Shared::new(Extent::NONE);
static BUDGET_PATH: Shared<OwnPath> = Shared::new(OwnPath::new());
static BUDGET: AtomicPtr<place::JobBudget> = AtomicPtr::new(ptr::null_mut());
static OWN_BUDGET: Shared<place::JobBudget> =
    // SAFETY: all zero is a budget.
    Shared::new(unsafe { core::mem::zeroed() });
/// Error number because of which the capture could not be made; this process does not try again.
static HOPELESS: AtomicU32 = AtomicU32::new(0);
/// Opens of excluded paths before there was a capture.
static EARLY_EXCLUDED: AtomicU64 = AtomicU64::new(0);
/// Ticks from before there was a capture.
static EARLY_WAITED: AtomicU64 = AtomicU64::new(0);

/// An entry that is taken and not complete.
#[derive(Clone, Copy)]
pub struct Taken {
    head: *mut EntryHead,
    /// Offset of the head in the file.
    pub offset: u64,
}

impl Taken {
    /// The bytes after the head, all zero.
    pub fn payload(self) -> *mut u8 {
        // SAFETY: the entry is larger than its head.
        unsafe { self.head.add(1).cast() }
    }

    /// Writes `bytes`, for which the entry was taken, and completes it.
    fn fill(self, kind: Kind, bytes: &[u8]) {
        // SAFETY: the entry has room for them.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.payload(), bytes.len()) };
        self.complete(kind);
    }

    /// Completes the entry.
    pub fn complete(self, kind: Kind) {
        // SAFETY: heads are aligned, and readers see the kind after everything else.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.head).kind) }.store(kind as u32, Release);
    }
}

/// Takes an entry with room for `size` bytes, and makes the capture if there is none.
pub fn take(size: usize) -> Option<Taken> {
    LOCK.lock();
    let taken = take_locked(size, GRAIN);
    LOCK.unlock();
    if taken.is_none() {
        count_loss(Loss::Growth);
    }
    taken
}

/// Appends an entry of these bytes.
pub(crate) fn put(kind: Kind, bytes: &[u8]) {
    if let Some(taken) = take(bytes.len()) {
        taken.fill(kind, bytes);
    }
}

/// A capture of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The capture that it records in.
    Current,
    /// The capture that it has left.
    Left,
}

/// Notes in a capture the inode and the path of its future log. If the process is killed before it
/// removes the capture, the log is found by this entry.
pub fn announce_log(which: Which, number: u64, path: &[u8]) {
    let size = size_of_val(&number) + path.len();
    let taken = match which {
        Which::Current => take(size),
        Which::Left => take_left(size),
    };
    if let Some(taken) = taken {
        // SAFETY: the entry has room for both.
        unsafe {
            let bytes = taken.payload();
            bytes.cast::<u64>().write(number);
            ptr::copy_nonoverlapping(path.as_ptr(), bytes.add(size_of_val(&number)), path.len());
        }
        taken.complete(Kind::Log);
    }
}

/// Makes the capture now, while a descriptor is free.
pub fn ensure() {
    LOCK.lock();
    if HEADER.load(Relaxed).is_null() {
        create();
    }
    LOCK.unlock();
}

/// Takes an entry for a `T` and completes it at once: all zero is a valid `T`.
pub fn take_cell<T>(kind: Kind, fill: impl FnOnce(&mut T)) -> Option<(*mut T, u64)> {
    let taken = take(size_of::<T>())?;
    let cell = taken.payload().cast::<T>();
    // SAFETY: zeroed, large enough, aligned to 8, and nobody else knows it.
    fill(unsafe { &mut *cell });
    taken.complete(kind);
    Some((cell, taken.offset))
}

fn take_locked(size: usize, growth: u64) -> Option<Taken> {
    if HEADER.load(Relaxed).is_null() {
        undisturbed(create)?;
    }
    let need = entry_size(size);
    // SAFETY: under the lock.
    if unsafe { (*EXTENT.get()).left } < need {
        undisturbed(|| grow(need as u64, growth))?;
    }
    // SAFETY: as above.
    Some(unsafe { (*EXTENT.get()).take(need) })
}

/// Takes an entry of the capture that was left, if it has room.
fn take_left(size: usize) -> Option<Taken> {
    LOCK.lock();
    // SAFETY: under the lock.
    let extent = unsafe { &mut *LEFT_EXTENT.get() };
    let need = entry_size(size);
    let taken = (extent.left >= need).then(|| extent.take(need));
    LOCK.unlock();
    taken
}

/// Bytes of an entry with `size` bytes after its head.
fn entry_size(size: usize) -> usize {
    (size_of::<EntryHead>() + size).next_multiple_of(8)
}

impl Extent {
    const NONE: Self = Self { next: ptr::null_mut(), left: 0, offset: 0 };

    /// Takes an entry at its start; the caller has checked that there is room.
    fn take(&mut self, size: usize) -> Taken {
        let (head, offset) = (self.next.cast::<EntryHead>(), self.offset);
        self.advance(size);
        // SAFETY: the entry lies in the extent.
        unsafe { AtomicU32::from_ptr(&raw mut (*head).size) }.store(size as u32, Release);
        Taken { head, offset }
    }

    fn advance(&mut self, size: usize) {
        // SAFETY: callers have checked that this is in the extent.
        self.next = unsafe { self.next.add(size) };
        self.left -= size;
        self.offset += size as u64;
    }
}

/// Runs slow work with signals blocked. A handler that jumps out of it would leak budgets and
/// descriptors, and frequent signals would keep it from ending.
fn undisturbed<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    if !process::may_call_kernel() {
        return None;
    }
    let blocked = sys::block_signals();
    let result = work();
    sys::set_signals(blocked);
    result
}

/// Maps more of the file. The rest of the old extent becomes an entry without a kind, which readers
/// skip.
fn grow(need: u64, growth: u64) -> Option<()> {
    // SAFETY: there is a capture; its size changes under the lock only, and others read it.
    let end = unsafe { AtomicU64::from_ptr(&raw mut (*HEADER.load(Relaxed)).size) };
    // SAFETY: under the lock.
    let extent = unsafe { &mut *EXTENT.get() };
    let from = end.load(Relaxed);
    let wanted = growth.max(from / 8).min(MAX_GROWTH).max(need + 8);
    let size = wanted.next_multiple_of(GRAIN);
    // SAFETY: under the lock.
    let fd =
        sys::open(unsafe { &*PATH.get() }.as_c_str(), libc::O_RDWR | libc::O_NOFOLLOW, 0).ok()?;
    let address = extend(&fd, from, size).ok()?;
    if extent.left > 0 {
        let head = extent.next.cast::<EntryHead>();
        // SAFETY: the rest is a multiple of 8, so a head fits.
        unsafe { AtomicU32::from_ptr(&raw mut (*head).size) }.store(extent.left as u32, Release);
    }
    *extent = Extent { next: address, left: size as usize, offset: from };
    end.store(from + size, Relaxed);
    Some(())
}

/// Allocates and maps `size` bytes of the file from `from` on, if limits and free space allow.
fn extend(fd: &Fd, from: u64, size: u64) -> Result<*mut u8, Errno> {
    let budget = budget();
    // SAFETY: words of a mapping that stays; other processes raise them too.
    let used = unsafe { AtomicU64::from_ptr(&raw mut (*budget).records) };
    if used.fetch_add(size, Relaxed) + size > process::record_limit() {
        used.fetch_sub(size, Relaxed);
        return Err(Errno(libc::ENOSPC));
    }
    let mapped = allocate(fd, from, size).and_then(|()| sys::map_shared(fd, from, size as usize));
    if mapped.is_err() {
        used.fetch_sub(size, Relaxed);
    }
    mapped
}

fn allocate(fd: &Fd, from: u64, size: u64) -> Result<(), Errno> {
    check_room(fd, from, size)?;
    // Zeros are written, not merely allocated: written pages are cheaper to map.
    (from..from + size).step_by(sys::ZEROS).try_for_each(|at| {
        sys::write_zeros(fd, (from + size - at).min(sys::ZEROS as u64) as usize, at)
    })
}

/// Fails if limits or free space do not allow the file to grow by `size` bytes.
pub(crate) fn check_room(fd: &Fd, from: u64, size: u64) -> Result<(), Errno> {
    // Beyond this limit the kernel would send SIGXFSZ to the program.
    if from + size > sys::limit(libc::RLIMIT_FSIZE)?.0 {
        return Err(Errno(libc::EFBIG));
    }
    let system = sys::statfs_fd(fd.0)?;
    if size > system.f_bavail * system.f_bsize as u64 / 2 {
        return Err(Errno(libc::ENOSPC));
    }
    Ok(())
}

/// Makes the capture of this process. Under the lock.
#[cold]
fn create() -> Option<()> {
    if HOPELESS.load(Relaxed) != 0 || !process::may_call_kernel() {
        return None;
    }
    // SAFETY: under the lock.
    let path = unsafe { &mut *PATH.get() };
    let made = process::make_capture_file(path).ok_or(Errno(libc::EIO)).and_then(|fd| {
        map_budget(path.parent());
        let address = extend(&fd, 0, FIRST);
        if address.is_err() {
            let _ = sys::unlink(path.as_c_str());
        }
        address
    });
    let address = match made {
        Ok(address) => address,
        Err(errno) => {
            HOPELESS.store(errno.0.cast_unsigned(), Relaxed);
            count_unrecorded();
            return None;
        }
    };
    let header = address.cast::<Header>();
    // SAFETY: a new mapping, large enough; under the lock.
    unsafe {
        *EXTENT.get() = Extent { next: address, left: FIRST as usize, offset: 0 };
        (*EXTENT.get()).advance(size_of::<Header>());
        (*header).version = VERSION;
        (*header).clock = clock::current() as u32;
        (*header).size = FIRST;
        (*header).excluded = EARLY_EXCLUDED.swap(0, Relaxed);
        (*header).waited = EARLY_WAITED.swap(0, Relaxed);
        process::fill_header(&mut *header);
        AtomicU64::from_ptr(&raw mut (*header).magic).store(MAGIC, Release);
    }
    HEADER.store(header, Release);
    process::describe(|kind, bytes| {
        if let Some(taken) = take_locked(bytes.len(), GRAIN) {
            taken.fill(kind, bytes);
        }
    });
    Some(())
}

/// The reason why this process has no capture, if it could not be made.
pub fn refused() -> Option<Errno> {
    let errno = HOPELESS.load(Relaxed).cast_signed();
    (errno != 0).then_some(Errno(errno))
}

/// Counts this process as not recorded, in the budget of the job.
fn count_unrecorded() {
    if let Some(folder) = process::job_folder() {
        map_budget(folder.to_bytes());
        // SAFETY: as in `extend`.
        unsafe { AtomicU64::from_ptr(&raw mut (*budget()).unrecorded) }.fetch_add(1, Relaxed);
    }
}

/// Adds the excluded opens of a process without a capture to the budget of the job.
pub fn leave_excluded() {
    if EARLY_EXCLUDED.load(Relaxed) == 0 || !process::may_call_kernel() {
        return;
    }
    let Some(folder) = process::job_folder() else { return };
    LOCK.lock();
    map_budget(folder.to_bytes());
    let count = EARLY_EXCLUDED.swap(0, Relaxed);
    // SAFETY: as in `extend`.
    unsafe { AtomicU64::from_ptr(&raw mut (*budget()).excluded) }.fetch_add(count, Relaxed);
    LOCK.unlock();
}

/// Maps the budget of the job, if the directory has one.
fn map_budget(folder: &[u8]) {
    // SAFETY: under the lock. The program's stack may be small, so paths are not built on it.
    let path = unsafe { &mut *BUDGET_PATH.get() };
    path.clear();
    path.push(folder);
    path.push(b"/");
    path.push(place::BUDGET_FILE.as_bytes());
    let flags = libc::O_RDWR | libc::O_NOFOLLOW;
    let Ok(fd) = sys::open(path.as_c_str(), flags, 0) else { return };
    let size = size_of::<place::JobBudget>();
    if sys::stat_fd(fd.0).is_ok_and(|stat| stat.st_size as usize >= size)
        && let Ok(address) = sys::map_shared(&fd, 0, size)
    {
        BUDGET.store(address.cast(), Release);
    }
}

fn budget() -> *mut place::JobBudget {
    let shared = BUDGET.load(Acquire);
    if shared.is_null() { OWN_BUDGET.get() } else { shared }
}

/// The words that the processes of the job share with its command, if there is one.
pub(crate) fn shared_budget() -> Option<*mut place::JobBudget> {
    let budget = BUDGET.load(Acquire);
    (!budget.is_null()).then_some(budget)
}

/// Takes an entry of `size` bytes for a trace, if the budget of the job allows it.
pub fn take_trace(size: usize) -> Option<(Taken, usize)> {
    let take = || {
        // SAFETY: as in `extend`.
        let used = unsafe { AtomicU64::from_ptr(&raw mut (*budget()).trace) };
        if used.fetch_add(size as u64, AcqRel) + size as u64 > process::trace_limit() {
            used.fetch_sub(size as u64, Relaxed);
            return None;
        }
        LOCK.lock();
        let taken = take_locked(size, size as u64);
        LOCK.unlock();
        Some((taken?, size))
    };
    if process::may_call_kernel() { undisturbed(take) } else { take() }
}

/// A cell for a thread: a new one, or that of a dead thread.
pub fn thread_cell(tid: u32) -> *mut ThreadCell {
    threads::take(tid)
}

/// The header, if there is a capture.
pub fn header() -> Option<*mut Header> {
    let header = HEADER.load(Acquire);
    (!header.is_null()).then_some(header)
}

/// Notes that I/O is recorded from now on, in a capture that was made for regions.
pub(crate) fn records_io() {
    if let Some(header) = header() {
        // SAFETY: fields that nobody else changes.
        unsafe {
            (*header).records_io = 1;
            (*header).traced = u32::from(process::is_tracing());
        }
    }
}

/// Adds the time that the process took to write its profile.
pub fn add_flush_time(ns: u64) {
    if let Some(header) = header() {
        // SAFETY: a word of the mapping.
        unsafe { AtomicU64::from_ptr(&raw mut (*header).flush_ns) }.fetch_add(ns, Relaxed);
    }
}

/// Path of the capture.
pub fn path() -> &'static CStr {
    // SAFETY: written once, before the header is published.
    unsafe { &*PATH.get() }.as_c_str()
}

/// Counts one loss.
#[cold]
#[inline(never)] // keeps the callers small
pub fn count_loss(loss: Loss) {
    count_losses(loss, 1);
}

/// Counts several losses.
pub fn count_losses(loss: Loss, count: u64) {
    if let Some(header) = header() {
        // SAFETY: a word of the mapping.
        unsafe { AtomicU64::from_ptr(&raw mut (*header).lost[loss as usize]) }
            .fetch_add(count, Relaxed);
    }
}

/// Counts an open of an excluded path.
pub fn count_excluded() {
    match header() {
        // SAFETY: a word of the mapping.
        Some(header) => unsafe { AtomicU64::from_ptr(&raw mut (*header).excluded) },
        None => &EARLY_EXCLUDED,
    }
    .fetch_add(1, Relaxed);
}

/// Adds ticks in which the process has waited for its standard input.
pub fn add_waited(ticks: u64) {
    match header() {
        // SAFETY: a word of the mapping.
        Some(header) => unsafe { AtomicU64::from_ptr(&raw mut (*header).waited) },
        None => &EARLY_WAITED,
    }
    .fetch_add(ticks, Relaxed);
}

/// Number of the next record.
pub fn next_number() -> u64 {
    // SAFETY: a word of the mapping.
    header().map_or(0, |header| unsafe {
        AtomicU64::from_ptr(&raw mut (*header).records).fetch_add(1, Relaxed)
    })
}

/// A capture that will become a log.
#[derive(Clone, Copy)]
pub struct Recorded {
    /// The capture, among those of this process.
    pub which: Which,
    /// Its path.
    pub path: &'static CStr,
    /// Its bytes, if they are mapped in one piece.
    pub bytes: Option<&'static [u8]>,
}

/// The current capture, if there is one.
pub fn recorded() -> Option<Recorded> {
    let header = header()?;
    // SAFETY: the first part stays mapped. Other threads may still change it; its readers trust
    // nothing they read.
    let bytes = unsafe {
        let is_one_piece = AtomicU64::from_ptr(&raw mut (*header).size).load(Relaxed) == FIRST;
        is_one_piece.then(|| core::slice::from_raw_parts(header.cast::<u8>(), FIRST as usize))
    };
    Some(Recorded { which: Which::Current, path: path(), bytes })
}

/// Leaves the capture and returns it; the next entry starts a new one.
pub fn begin_anew() -> Option<Recorded> {
    LOCK.lock();
    let recorded = recorded();
    HEADER.store(ptr::null_mut(), Release);
    // SAFETY: under the lock; a process leaves its capture when MPI ends, which is once.
    let path = unsafe {
        *LEFT_EXTENT.get() = core::mem::replace(&mut *EXTENT.get(), Extent::NONE);
        let left = &mut *LEFT_PATH.get();
        left.clear();
        left.push(path().to_bytes());
        left.as_c_str()
    };
    LOCK.unlock();
    threads::after_fork();
    setting::forget();
    recorded.map(|recorded| Recorded { which: Which::Left, path, ..recorded })
}

/// Forgets the parent's capture in a child. Its mapping stays, because names are read from it.
pub fn after_fork() {
    LOCK.unlock();
    HEADER.store(ptr::null_mut(), Relaxed);
    BUDGET.store(ptr::null_mut(), Relaxed);
    HOPELESS.store(0, Relaxed);
    EARLY_EXCLUDED.store(0, Relaxed);
    EARLY_WAITED.store(0, Relaxed);
    // SAFETY: a new process has one thread.
    unsafe {
        *EXTENT.get() = Extent::NONE;
        *LEFT_EXTENT.get() = Extent::NONE;
        *OWN_BUDGET.get() = place::JobBudget::default();
    }
    threads::after_fork();
}

mod threads {
    //! Cells of threads; those of dead threads are reused.

    use super::{
        AtomicPtr, AtomicU32, Kind, Relaxed, Spin, THREADS_BEFORE_REUSE, ThreadCell, process, ptr,
        sys, take_cell,
    };

    /// Threads that can have a cell at the same time; others add to the heat maps at each call.
    const MAX: usize = 4096;
    static CELLS: [AtomicPtr<ThreadCell>; MAX] = [const { AtomicPtr::new(ptr::null_mut()) }; MAX];
    static COUNT: AtomicU32 = AtomicU32::new(0);
    /// Number of requests for a cell.
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    static NEXT_SEARCH: AtomicU32 = AtomicU32::new(THREADS_BEFORE_REUSE);
    static LOCK: Spin = Spin::new();

    pub(super) fn take(tid: u32) -> *mut ThreadCell {
        LOCK.lock();
        let count = COUNT.load(Relaxed) as usize;
        let mut cell = ptr::null_mut();
        let number = NUMBER.load(Relaxed).saturating_add(1);
        NUMBER.store(number, Relaxed);
        if number > NEXT_SEARCH.load(Relaxed) {
            cell = dead(count);
            // A search asks the kernel about each thread, so the next one is postponed.
            if cell.is_null() {
                NEXT_SEARCH.store(number.saturating_add(count as u32), Relaxed);
            }
        }
        if cell.is_null() && count < MAX {
            cell = take_cell(Kind::Thread, |_: &mut ThreadCell| {}).map_or(cell, |(cell, _)| cell);
            if !cell.is_null() {
                CELLS[count].store(cell, Relaxed);
                COUNT.store(count as u32 + 1, Relaxed);
            }
        }
        if !cell.is_null() {
            // SAFETY: nobody else has it.
            unsafe { (*cell).tid = tid.into() };
        }
        LOCK.unlock();
        cell
    }

    /// The cell of a dead thread. The new owner adds its pending bytes to the heat maps.
    fn dead(count: usize) -> *mut ThreadCell {
        if !process::may_call_kernel() {
            return ptr::null_mut();
        }
        let pid = sys::pid();
        let mut cells = CELLS[..count].iter().map(|cell| cell.load(Relaxed));
        // SAFETY: cells are never unmapped.
        cells
            .find(|cell| !sys::thread_lives(pid, unsafe { (**cell).tid } as u32))
            .unwrap_or(ptr::null_mut())
    }

    pub(super) fn after_fork() {
        LOCK.unlock();
        COUNT.store(0, Relaxed);
        NUMBER.store(0, Relaxed);
        NEXT_SEARCH.store(THREADS_BEFORE_REUSE, Relaxed);
    }
}
