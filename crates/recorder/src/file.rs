//! Files, open file descriptions, and the table of descriptors.
//!
//! A [`File`] is a path that was seen; it is never forgotten. A [`Description`] is an open file
//! description: duplicated descriptors share one, and with it the position. The table leads from a
//! descriptor to its description with one load.

use core::ffi::CStr;
use core::hint::{self, cold_path};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_schema::ModuleId;
use ioglass_shm::{FileType, Kind, Loss, OpsCell, StdioCell};

use crate::hot::HOT;
use crate::lane::PosixState;
use crate::memory::{self, Shared};
use crate::mpiio::MpiioState;
use crate::naming::{self, FileLookup};
use crate::settings::module;
use crate::spin::Spin;
use crate::stdio::StreamPlace;
use crate::{capture, lustre, process, stdio, sys, thread};

/// One path in the records of this process.
#[repr(C, align(64))]
pub struct File {
    /// Record id.
    pub id: u64,
    name: *const u8,
    name_len: u32,
    /// The process, counted by forks, whose capture holds the cells.
    generation: AtomicU32,
    /// Alignment of offsets that the file system prefers; 0 if unknown.
    pub alignment: u64,
    /// Bits of the modules that exclude it.
    left_out: AtomicU32,
    /// A [`FileType`], as far as it is known.
    kind: AtomicU32,
    /// Calls for which Darshan has no counter.
    ops: AtomicPtr<OpsCell>,
    /// State for calls on descriptors.
    pub posix: PosixState,
    /// State for calls on streams.
    pub stdio: StdioState,
    /// State for MPI-IO; few programs need it.
    pub(crate) mpiio: AtomicPtr<MpiioState>,
}

/// State of a STDIO record while it grows.
#[repr(C)]
pub struct StdioState {
    pub(crate) cell: AtomicPtr<StdioCell>,
    pub(crate) lock: Spin,
    /// Ends of the last counted read, write and metadata call; protected by the lock.
    pub(crate) last_end: Shared<[u64; 3]>,
}

/// An open file description: `open` makes it, `dup` and `fork` share it.
#[repr(C, align(64))]
pub struct Description {
    file: AtomicPtr<File>,
    /// Start of the next read or write, valid if only this process moves it.
    pub position: AtomicI64,
    /// Position of the stream that uses it.
    pub stream: StreamPlace,
    flags: AtomicU32,
    references: AtomicU32,
    /// Incremented when the description is freed, so that a late caller does not move the position
    /// of its successor.
    pub version: AtomicU32,
    /// Number of forks before it was made.
    forks: AtomicU32,
    next_free: AtomicPtr<Description>,
}

/// Flag: writes go to the end of the file.
pub const APPEND: u32 = 1;
/// Flag: another process may move the position.
const SHARED: u32 = 2;
/// Flag: the position of its stream, which appends, is the end of the file.
pub const AT_END: u32 = 4;
/// Flag: the C library moves the position too.
pub const STREAM: u32 = 8;
/// Flag: the process began with it as one of its standard descriptors.
const ORIGINAL: u32 = 16;
/// Flag: the position of its stream has been compared with that of the descriptor.
pub const PLACED: u32 = 32;

impl Description {
    /// A description that is never freed.
    pub(crate) const fn permanent(file: *mut File) -> Self {
        Self {
            file: AtomicPtr::new(file),
            position: AtomicI64::new(0),
            stream: StreamPlace::new(),
            flags: AtomicU32::new(0),
            references: AtomicU32::new(1 << 30),
            version: AtomicU32::new(0),
            forks: AtomicU32::new(0),
            next_free: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The file.
    #[inline]
    pub fn file(&self) -> &'static File {
        // SAFETY: set before the description is published; files are never unmapped.
        unsafe { &*self.file.load(Relaxed) }
    }

    /// The file of a description that may not have one yet.
    #[inline]
    pub(crate) fn file_so_far(&self) -> Option<&'static File> {
        // SAFETY: files are never unmapped.
        unsafe { self.file.load(Relaxed).as_ref() }
    }

    /// Sets the file of a description.
    pub(crate) fn set_file(&self, file: &'static File) {
        self.file.store(ptr::from_ref(file).cast_mut(), Relaxed);
    }

    /// Returns true if the kernel must be asked for the position after each call.
    #[inline]
    pub fn must_ask(&self, forks: u32) -> bool {
        self.has(APPEND | SHARED | STREAM) || self.forks.load(Relaxed) != forks
    }

    /// Notes that the program has changed the flags of the open file.
    pub fn flags_changed(&self, fd: i32) {
        if !process::may_call_kernel() {
            return;
        }
        match sys::file_flags(fd) {
            Ok(flags) if flags & libc::O_APPEND != 0 => self.set(APPEND),
            Ok(_) if self.flags.load(Relaxed) & APPEND != 0 => {
                self.flags.fetch_and(!APPEND, Relaxed);
                self.position.store(sys::position(fd).unwrap_or(0), Relaxed);
            }
            _ => {}
        }
    }

    /// Returns true if a write to its stream goes to the end of the file, and the position of the
    /// stream is elsewhere.
    #[inline]
    pub(crate) fn jumps_to_end(&self) -> bool {
        self.flags.load(Relaxed) & (APPEND | AT_END) == APPEND
    }

    /// Returns true if a flag is set.
    #[inline]
    pub fn has(&self, flag: u32) -> bool {
        self.flags.load(Relaxed) & flag != 0
    }

    /// Sets a flag.
    pub fn set(&self, flag: u32) {
        self.flags.fetch_or(flag, Relaxed);
    }

    /// Clears flags, which are rarely set.
    #[inline]
    pub(crate) fn clear(&self, flags: u32) {
        if self.has(flags) {
            cold_path();
            self.flags.fetch_and(!flags, Relaxed);
        }
    }
}

/// Table entry of a descriptor that has not been examined.
const UNKNOWN: usize = 0;
/// Table entry of a descriptor that is not recorded.
const IGNORED: usize = 1;
/// Table entry of the standard input if it is a pipe, a socket or a terminal that the process began
/// with: reads of it wait for somebody else.
const INPUT: usize = 2;
/// Table entry of a closed descriptor. If its number comes back without a call that we see, it is
/// not a file to record.
const CLOSED: usize = 3;

/// Wiped by the kernel in a forked child, which thereby notices that it is a child.
#[repr(C, align(4096))]
struct WipedOnFork {
    /// Entries in the table of descriptors; 0 while nothing is recorded.
    size: AtomicUsize,
    /// True once a thread has begun to continue the recording in this child.
    claimed: AtomicBool,
}

static WIPED: WipedOnFork =
    WipedOnFork { size: AtomicUsize::new(0), claimed: AtomicBool::new(false) };
/// The value from which `WIPED` is restored.
static TABLE_SIZE: AtomicUsize = AtomicUsize::new(0);

static FREE_LOCK: Spin = Spin::new();
static FREE: AtomicPtr<Description> = AtomicPtr::new(ptr::null_mut());

/// A free description that needs no lock, because one thread owns it: usually the first thread of a
/// program, which opens and closes its files one by one.
struct Spare {
    owner: AtomicUsize,
    description: AtomicPtr<Description>,
}

static SPARE: Spare =
    Spare { owner: AtomicUsize::new(0), description: AtomicPtr::new(ptr::null_mut()) };

impl Spare {
    fn is_own(&self) -> bool {
        self.owner.load(Relaxed) == thread::pointer()
    }

    /// Takes the description, inside a guard: a signal handler must not take it as well.
    #[inline]
    fn take(&self) -> Option<*mut Description> {
        let spare = self.description.load(Relaxed);
        let is_there = self.is_own() && !spare.is_null();
        is_there.then(|| {
            self.description.store(ptr::null_mut(), Relaxed);
            spare
        })
    }

    /// Keeps a description if there is none yet; returns true if it was kept.
    #[inline]
    fn keep(&self, description: &'static Description) -> bool {
        let keeps = self.is_own() && self.description.load(Relaxed).is_null();
        if keeps {
            self.description.store(ptr::from_ref(description).cast_mut(), Relaxed);
        }
        keeps
    }
}

/// Upper limit of the number of descriptors; resource limits may say billions.
const MAX_DESCRIPTORS: u64 = 1 << 24;
/// The highest descriptor that was attached to a file.
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

/// The table entry of a descriptor, if recording is on.
#[inline]
fn entry(fd: i32) -> Option<&'static AtomicUsize> {
    if (fd as u32 as usize) < WIPED.size.load(Acquire) {
        // SAFETY: just compared.
        Some(unsafe { entry_within(fd) })
    } else {
        cold_path();
        (wake() && (fd as u32 as usize) < WIPED.size.load(Acquire))
            // SAFETY: just compared.
            .then(|| unsafe { entry_within(fd) })
    }
}

/// The entry of a descriptor.
///
/// # Safety
/// The table was found to be large enough.
#[inline]
unsafe fn entry_within(fd: i32) -> &'static AtomicUsize {
    let table = HOT.descriptors.load(Relaxed);
    // SAFETY: the table exists before it has a size, and stays, in children too.
    unsafe {
        hint::assert_unchecked(!table.is_null());
        &*table.add(fd as u32 as usize)
    }
}

/// Returns true if recording is on after all: a forked child finds its pages wiped.
#[cold]
fn wake() -> bool {
    // Another thread may have been faster.
    is_open_here() || process::wake() && is_open_here()
}

/// Makes the table, large enough for every descriptor this process can have.
pub fn start() -> bool {
    SPARE.owner.store(thread::pointer(), Relaxed);
    let hard = sys::limit(libc::RLIMIT_NOFILE).map_or(1 << 20, |(_, hard)| hard);
    let sizes = [hard.clamp(1024, MAX_DESCRIPTORS) as usize, 1 << 16, 1 << 10];
    // A process that starts recording again has a table, which another thread may still be reading.
    for size in sizes.into_iter().filter(|_| HOT.descriptors.load(Relaxed).is_null()) {
        if let Ok(table) = sys::map_private(size * size_of::<usize>()) {
            TABLE_SIZE.store(size, Relaxed);
            HOT.descriptors.store(table.cast(), Relaxed);
            break;
        }
    }
    let page = &raw const WIPED as usize;
    let args = [page, size_of::<WipedOnFork>(), libc::MADV_WIPEONFORK as usize, 0, 0, 0];
    // SAFETY: our own page of zeroes.
    let wipes = unsafe { sys::call(libc::SYS_madvise, args) }.is_ok();
    wipes && !HOT.descriptors.load(Relaxed).is_null()
}

/// Starts to record, or continues in a child.
pub fn open_table() {
    WIPED.size.store(TABLE_SIZE.load(Relaxed), Release);
}

/// Stops recording.
pub fn close_table() {
    WIPED.size.store(0, Relaxed);
}

/// Returns true for the first caller in a forked child, which continues the recording there.
pub fn is_first_in_child() -> bool {
    !WIPED.claimed.swap(true, Acquire)
}

/// Returns true if recording is on in this process.
#[inline]
pub fn is_open() -> bool {
    is_open_here() || wake()
}

/// Returns true if the table was opened in this very process.
#[inline]
pub fn is_open_here() -> bool {
    WIPED.size.load(Relaxed) != 0
}

/// Notes that another process is about to share the open descriptions.
pub fn shared_by_fork() {
    stdio::catch_up_all();
    HOT.forks.fetch_add(1, Relaxed);
}

/// Number of forks so far.
#[inline]
pub fn forks() -> u32 {
    HOT.forks.load(Relaxed)
}

/// Invalidates the cells of all files: they belong to the capture that was left.
pub(crate) fn begin_anew() {
    HOT.generation.fetch_add(1, Relaxed);
}

/// In a child: the parent's capture must not be touched any more.
pub fn after_fork() {
    FREE_LOCK.unlock();
    HOT.forks.fetch_add(1, Relaxed);
    HOT.generation.fetch_add(1, Relaxed);
}

/// Number of this process, counted by forks.
#[inline]
pub(crate) fn generation() -> u32 {
    HOT.generation.load(Relaxed)
}

/// The description of a descriptor; an inherited one is examined the first time.
#[inline]
pub fn description(fd: i32) -> Option<&'static Description> {
    let entry = entry(fd)?;
    let address = entry.load(Acquire);
    if address > CLOSED {
        // SAFETY: descriptions are never unmapped.
        return Some(unsafe { &*(address as *const Description) });
    }
    if address == UNKNOWN { adopt(fd, entry) } else { None }
}

/// A descriptor as far as it is known without a system call.
pub(crate) enum LookedAt {
    /// Not examined yet, or this is a new child.
    Unknown,
    /// It is not recorded, or nothing is.
    Ignored,
    /// It is recorded.
    Recorded(&'static Description),
}

/// Looks up a descriptor.
#[inline]
pub(crate) fn looked_at(fd: i32) -> LookedAt {
    if fd as u32 as usize >= WIPED.size.load(Acquire) {
        return if process::is_off() { LookedAt::Ignored } else { LookedAt::Unknown };
    }
    // SAFETY: just compared.
    match unsafe { entry_within(fd) }.load(Acquire) {
        UNKNOWN => LookedAt::Unknown,
        IGNORED | INPUT | CLOSED => LookedAt::Ignored,
        // SAFETY: descriptions are never unmapped.
        address => LookedAt::Recorded(unsafe { &*(address as *const Description) }),
    }
}

/// The description of a descriptor, without examining an unknown one.
pub fn known(fd: i32) -> Option<&'static Description> {
    let address = entry(fd)?.load(Acquire);
    // SAFETY: descriptions are never unmapped.
    (address > CLOSED).then(|| unsafe { &*(address as *const Description) })
}

/// Examines a descriptor that was open before us.
#[cold]
fn adopt(fd: i32, entry: &AtomicUsize) -> Option<&'static Description> {
    if !process::may_call_kernel() || thread::is_vforked() {
        return None;
    }
    let guard = thread::Guard::enter()?;
    let stat = sys::stat_fd(fd).ok()?;
    let kind = FileType::of_mode(stat.st_mode);
    let found = match kind {
        FileType::Regular => naming::made(fd),
        _ => FileLookup::LeftOut,
    };
    let file = match found {
        FileLookup::File(file) => file,
        FileLookup::LeftOut | FileLookup::NoRoom if fd == 0 && waits_for_others(kind) => {
            entry.store(INPUT, Relaxed);
            return None;
        }
        FileLookup::LeftOut | FileLookup::NoRoom => {
            entry.store(IGNORED, Relaxed);
            return None;
        }
        // The next call may succeed.
        FileLookup::Unknown => return None,
    };
    let description = describe(file)?;
    description.set(if fd < 3 { SHARED | ORIGINAL } else { SHARED });
    if sys::file_flags(fd).is_ok_and(|flags| flags & libc::O_APPEND != 0) {
        description.set(APPEND);
    }
    description.position.store(sys::position(fd).unwrap_or(0), Relaxed);
    note_highest(fd);
    entry.store(ptr::from_ref(description) as usize, Release);
    drop(guard);
    Some(description)
}

/// Returns true if a read may wait for another process or a person.
fn waits_for_others(kind: FileType) -> bool {
    matches!(kind, FileType::Fifo | FileType::Socket | FileType::Char)
}

/// Returns true if a standard descriptor is a file that the program itself has put there.
#[inline]
pub(crate) fn is_redirected(fd: i32) -> bool {
    match looked_at(fd) {
        LookedAt::Recorded(description) => !description.has(ORIGINAL) && !is_stand_in(description),
        LookedAt::Unknown | LookedAt::Ignored => false,
    }
}

/// Returns true if the standard input is one that reads wait for, and no description is known.
#[inline]
pub fn is_waited_for() -> bool {
    entry(0).is_some_and(|entry| entry.load(Relaxed) == INPUT)
}

/// A new description of `file`, held by one descriptor.
fn describe(file: &'static File) -> Option<&'static Description> {
    // SAFETY: null, or nobody else has it.
    let description = unsafe { SPARE.take().unwrap_or_else(take_free).as_ref()? };
    description.set_file(file);
    description.position.store(0, Relaxed);
    description.stream.reset(0);
    description.flags.store(0, Relaxed);
    description.references.store(1, Relaxed);
    description.forks.store(forks(), Relaxed);
    Some(description)
}

/// A free description, or a new one; null if there is no memory.
#[inline(never)]
#[unsafe(link_section = ".text.hot")]
fn take_free() -> *mut Description {
    FREE_LOCK.lock();
    let mut new = FREE.load(Relaxed);
    if !new.is_null() {
        // SAFETY: descriptions are never unmapped.
        FREE.store(unsafe { (*new).next_free.load(Relaxed) }, Relaxed);
    }
    FREE_LOCK.unlock();
    if new.is_null() {
        new = memory::take::<Description>();
    }
    if new.is_null() {
        capture::count_loss(Loss::Records);
    }
    new
}

/// Attaches a new descriptor to a file.
#[inline]
pub fn attach(fd: i32, file: Option<&'static File>, append: bool) -> Option<&'static Description> {
    let entry = entry(fd)?;
    note_highest(fd);
    if let Some(file) = file {
        lustre::look(fd, file);
    }
    let description = file.and_then(describe);
    let address = match description {
        Some(description) => {
            if append {
                description.set(APPEND);
            }
            ptr::from_ref(description) as usize
        }
        None => IGNORED,
    };
    // Usually the number was closed before, and there is nothing to release.
    if entry.load(Relaxed) > CLOSED {
        cold_path();
        release(entry.swap(address, Release));
    } else {
        entry.store(address, Release);
    }
    description
}

/// Makes `to` a second descriptor of the description of `from`, which has been examined.
pub fn duplicate(from: i32, to: i32) -> Option<&'static Description> {
    let source = known(from);
    let address = match source {
        Some(source) => {
            source.references.fetch_add(1, Relaxed);
            ptr::from_ref(source) as usize
        }
        None => IGNORED,
    };
    note_highest(to);
    release(entry(to)?.swap(address, Release));
    source
}

#[inline]
fn note_highest(fd: i32) {
    if fd as usize > HIGHEST.load(Relaxed) {
        cold_path();
        HIGHEST.fetch_max(fd as usize, Relaxed);
    }
}

/// Makes a descriptor be examined when it is used next: it was opened in a signal handler while the
/// recorder was busy, or by a system call that the program made itself.
pub fn forget(fd: i32) {
    if let Some(entry) = entry(fd) {
        note_highest(fd);
        release(entry.swap(UNKNOWN, Relaxed));
    }
}

/// The description of descriptors that a signal handler opens while the recorder is busy.
static STAND_IN: Shared<Description> = Shared::new(Description::permanent(STAND_IN_FILE.get()));
/// A file that every module excludes.
static STAND_IN_FILE: Shared<File> = Shared::new(File {
    id: 0,
    name: ptr::null(),
    name_len: 0,
    generation: AtomicU32::new(u32::MAX),
    alignment: 0,
    left_out: AtomicU32::new(LEFT_OUT_BY_ALL),
    kind: AtomicU32::new(FileType::Regular as u32),
    ops: AtomicPtr::new(ptr::null_mut()),
    posix: PosixState::new(),
    stdio: StdioState {
        cell: AtomicPtr::new(ptr::null_mut()),
        lock: Spin::new(),
        last_end: Shared::new([0; 3]),
    },
    mpiio: AtomicPtr::new(ptr::null_mut()),
});

/// Attaches a descriptor to the stand-in.
pub(crate) fn stand_in(fd: i32) {
    if let Some(entry) = entry(fd) {
        note_highest(fd);
        entry.store(STAND_IN.get() as usize, Relaxed);
    }
}

/// Returns true if a description is the stand-in.
#[inline]
pub(crate) fn is_stand_in(description: &Description) -> bool {
    ptr::eq(description, STAND_IN.get())
}

/// Attaches a descriptor to its real description, if it still has the stand-in.
pub(crate) fn replace_stand_in(fd: i32, description: &'static Description) {
    let (stand_in, own) = (STAND_IN.get() as usize, ptr::from_ref(description) as usize);
    let replaced = entry(fd)
        .is_some_and(|entry| entry.compare_exchange(stand_in, own, Release, Relaxed).is_ok());
    if !replaced {
        drop_description(description);
    }
}

/// A description of the file with this absolute name, not attached to a descriptor yet.
pub(crate) fn describe_name(name: &[u8], append: bool) -> Option<&'static Description> {
    let description = describe(naming::called(name)?)?;
    if append {
        description.set(APPEND);
    }
    Some(description)
}

/// The absolute name of a descriptor's file, if it fits; takes no lock.
pub(crate) fn name_of(fd: i32, room: &mut [u8]) -> Option<usize> {
    if !process::may_call_kernel() {
        return None;
    }
    let mut path = *b"/proc/self/fd/\0\0\0\0\0\0\0\0\0\0\0\0";
    let mut digits = [0; 10];
    let (mut number, mut at) = (fd as u32, digits.len());
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    let digits = &digits[at..];
    path[14..14 + digits.len()].copy_from_slice(digits);
    let size = room.len();
    let name = sys::read_link(CStr::from_bytes_until_nul(&path).ok()?, room).ok()?;
    (name.len() < size && name.first() == Some(&b'/')).then_some(name.len())
}

/// Frees the number of a descriptor, before the kernel does. The description stays usable until it
/// is [`dropped`](drop_description).
#[inline(always)]
pub fn detach(fd: i32) -> Option<&'static Description> {
    let address = entry(fd)?.swap(CLOSED, Release);
    if address <= CLOSED {
        return None;
    }
    // SAFETY: descriptions are never unmapped.
    let description = unsafe { &*(address as *const Description) };
    lustre::look_before_close(fd, description.file());
    Some(description)
}

/// Frees the numbers of a range of descriptors.
pub fn detach_range(first: u32, last: u32) {
    let end = (u64::from(last) + 1).min(HIGHEST.load(Relaxed) as u64 + 1);
    for fd in u64::from(first)..end {
        let Some(entry) = entry(fd as i32) else { return };
        if entry.load(Relaxed) != UNKNOWN {
            release(entry.swap(CLOSED, Release));
        }
    }
}

/// Releases the description of an entry.
fn release(address: usize) {
    if address > CLOSED {
        // SAFETY: descriptions are never unmapped.
        drop_description(unsafe { &*(address as *const Description) });
    }
}

/// Removes one reference.
pub fn drop_description(description: &'static Description) {
    // Nobody else can have the only reference, so an atomic change is mostly not needed.
    let is_last = description.references.load(Relaxed) == 1;
    if !is_last && description.references.fetch_sub(1, Relaxed) != 1 {
        return;
    }
    let version = description.version.load(Relaxed);
    description.version.store(version.wrapping_add(1), Relaxed);
    if !SPARE.keep(description) {
        give_back(description);
    }
}

#[inline(never)]
#[unsafe(link_section = ".text.hot")]
fn give_back(description: &'static Description) {
    FREE_LOCK.lock();
    description.next_free.store(FREE.load(Relaxed), Relaxed);
    FREE.store(ptr::from_ref(description).cast_mut(), Relaxed);
    FREE_LOCK.unlock();
}

/// Bits of all modules that record paths.
pub(crate) const LEFT_OUT_BY_ALL: u32 = module::bits_of_all();

impl File {
    /// Initialises new memory that is all zero.
    pub(crate) fn begin(&mut self, id: u64, name: &'static [u8], alignment: u64, left_out: u32) {
        self.id = id;
        self.generation = AtomicU32::new(HOT.generation.load(Relaxed));
        self.alignment = alignment;
        self.left_out = AtomicU32::new(left_out);
        (self.name, self.name_len) = (name.as_ptr(), name.len() as u32);
    }

    /// Its path.
    pub fn name(&self) -> &[u8] {
        // SAFETY: names are never unmapped, not even in children.
        unsafe { core::slice::from_raw_parts(self.name, self.name_len as usize) }
    }

    /// Its type, as far as it is known; a [`FileType`].
    pub(crate) fn kind(&self) -> u32 {
        self.kind.load(Relaxed)
    }

    /// Notes its type.
    pub(crate) fn set_kind(&self, kind: FileType) {
        self.kind.store(kind as u32, Relaxed);
    }

    /// Returns true if calls on its descriptors are excluded.
    pub fn is_left_out_by_posix(&self) -> bool {
        self.is_left_out_by(module::POSIX)
    }

    /// Returns true if calls on its streams are excluded.
    pub fn is_left_out_by_stdio(&self) -> bool {
        self.is_left_out_by(module::STDIO)
    }

    /// Returns true if a module excludes it.
    #[inline]
    pub fn is_left_out_by(&self, module: ModuleId) -> bool {
        self.left_out.load(Relaxed) & module::bit(module) != 0
    }

    /// Returns true if the cells belong to this process.
    #[inline]
    pub fn is_current(&self) -> bool {
        self.generation.load(Relaxed) == HOT.generation.load(Relaxed)
    }

    /// In a child: forgets the parent's cells and stores the name in the child's capture.
    #[cold]
    pub fn renew(&self) {
        naming::LOCK.lock();
        if !self.is_current() {
            self.posix.forget();
            self.stdio.forget();
            self.mpiio.store(ptr::null_mut(), Relaxed);
            self.ops.store(ptr::null_mut(), Relaxed);
            let _ = naming::store(self.id, self.name());
            self.generation.store(HOT.generation.load(Relaxed), Release);
        }
        naming::LOCK.unlock();
    }

    /// Counts a call for which Darshan has no counter.
    #[unsafe(link_section = ".text.hot")]
    pub fn count(&self, operation: ioglass_shm::Operation, count: u64) {
        let known = self.ops.load(Relaxed);
        let cell = if self.is_current() && !known.is_null() { known } else { self.make_ops() };
        if !cell.is_null() {
            // SAFETY: a word of the capture.
            unsafe { AtomicU64::from_ptr(&raw mut (*cell).count[operation as usize]) }
                .fetch_add(count, Relaxed);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_ops(&self) -> *mut OpsCell {
        if !self.is_current() {
            self.renew();
        }
        naming::LOCK.lock();
        let mut cell = self.ops.load(Relaxed);
        if cell.is_null() {
            let id = self.id;
            let taken = capture::take_cell(Kind::Ops, |cell: &mut OpsCell| cell.id = id);
            cell = taken.map_or(ptr::null_mut(), |(cell, _)| cell);
            self.ops.store(cell, Relaxed);
        }
        naming::LOCK.unlock();
        if cell.is_null() {
            capture::count_loss(Loss::Records);
        }
        cell
    }
}

impl StdioState {
    fn forget(&self) {
        self.cell.store(ptr::null_mut(), Relaxed);
        self.lock.unlock();
        // SAFETY: under the lock of files, and nobody uses a file of another generation.
        unsafe { *self.last_end.get() = [0; 3] };
    }
}
