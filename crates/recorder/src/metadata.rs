//! Metadata calls that Darshan has no counter for, by directory.
//!
//! A call finds the cell of its directory by a hash of the directory as the program has written it,
//! and adds to it atomically: it takes no lock, and a signal handler may do the same at any moment.
//! Only the first call in a directory asks the kernel for the name and makes the cell.

use core::ffi::{CStr, c_char};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_schema::record_id;
use ioglass_shm::{IoLayer, Kind, Loss, MetadataCall, MetadataCell};

use crate::file::{self, Description, File};
use crate::index::Index;
use crate::memory;
use crate::naming::{self, GivenPath};
use crate::path::{parent, quick_hash, scan};
use crate::region::io;
use crate::scratch::{self, Scratch};
use crate::span::Span;
use crate::spin::Spin;
use crate::thread::{self, Guard};
use crate::{capture, process, sys};

/// Directories that have a cell of their own; others share one.
const MAX_DIRECTORIES: u32 = 1024;
/// Strings that are remembered; further ones are looked up by the name of the directory.
const MAX_KEYS: u32 = 16 * MAX_DIRECTORIES;
/// Separates hashes of directories from others.
const KEYS: u64 = 0x4D65_7461_6461_7461;

/// A directory in which calls were made.
#[repr(C)]
pub(crate) struct Directory {
    /// The process, counted by forks, whose capture holds the cell.
    generation: AtomicU32,
    name_len: u32,
    name: *const u8,
    /// Hash of the name.
    id: u64,
    /// Hash of the string by which it was found last.
    key: AtomicU64,
    cell: AtomicPtr<MetadataCell>,
}

// SAFETY: the name is never unmapped, and the rest is atomic.
unsafe impl Sync for Directory {}

/// Stands for all excluded directories.
const EXCLUDED: *mut Directory = ptr::dangling_mut();

/// By hashes of strings, and by hashes of names.
static DIRECTORIES: Index<Directory> = Index::new();
static COUNT: AtomicU32 = AtomicU32::new(0);
static KEY_COUNT: AtomicU32 = AtomicU32::new(0);
/// Held while a directory is added or gets its cell.
static LOCK: Spin = Spin::new();

/// All directories that have no cell of their own, or could not be determined.
static OTHERS: Directory = Directory {
    generation: AtomicU32::new(0),
    name_len: 0,
    name: ptr::null(),
    id: 0,
    key: AtomicU64::new(0),
    cell: AtomicPtr::new(ptr::null_mut()),
};

impl Directory {
    fn name(&self) -> &'static [u8] {
        match self.name.is_null() {
            true => &[],
            // SAFETY: names are never unmapped, not even in children.
            false => unsafe { core::slice::from_raw_parts(self.name, self.name_len as usize) },
        }
    }

    /// The cell; null if there is no room.
    #[inline]
    fn cell(&self) -> *mut MetadataCell {
        if self.generation.load(Acquire) == file::generation() {
            let cell = self.cell.load(Relaxed);
            if !cell.is_null() {
                return cell;
            }
        }
        self.make_cell()
    }

    #[cold]
    #[inline(never)]
    fn make_cell(&self) -> *mut MetadataCell {
        let Some(_guard) = Guard::enter() else { return ptr::null_mut() };
        LOCK.lock();
        let generation = file::generation();
        let is_current = self.generation.load(Relaxed) == generation;
        let mut cell = if is_current { self.cell.load(Relaxed) } else { ptr::null_mut() };
        if cell.is_null() {
            cell = new_cell(self.id, self.name()).map_or(ptr::null_mut(), |(cell, _)| cell);
            self.cell.store(cell, Relaxed);
            self.generation.store(generation, Release);
        }
        LOCK.unlock();
        cell
    }

    /// Adds calls.
    #[inline]
    fn add(&self, call: MetadataCall, calls: u64, failed: bool, ticks: u64) {
        let cell = self.cell();
        if cell.is_null() {
            return;
        }
        // SAFETY: words of the capture.
        let add = |word: *mut u64, count: u64| unsafe {
            AtomicU64::from_ptr(word).fetch_add(count, Relaxed);
        };
        // SAFETY: only addresses.
        unsafe {
            let count = &raw mut (*cell).of[call as usize];
            add(&raw mut (*count).calls, calls);
            add(&raw mut (*count).ticks, ticks);
            if failed {
                add(&raw mut (*count).failed, 1);
            }
        }
        if thread::is_in_region() {
            note_in_region(self.id, calls, ticks);
        }
    }
}

/// Counts calls for the region of the thread. Those of a signal handler that interrupts bookkeeping
/// are counted outside.
#[cold]
#[inline(never)]
fn note_in_region(directory: u64, calls: u64, ticks: u64) {
    if let Some(guard) = Guard::join() {
        io::other(guard.thread(), IoLayer::Posix, directory, calls, ticks);
    }
}

/// A new cell and its name in the capture.
fn new_cell(id: u64, name: &[u8]) -> Option<(*mut MetadataCell, *const u8)> {
    let taken = capture::take(size_of::<MetadataCell>() + name.len());
    let Some(taken) = taken else {
        capture::count_loss(Loss::Records);
        return None;
    };
    let cell = taken.payload().cast::<MetadataCell>();
    // SAFETY: zeroed, aligned, large enough for cell and name, and nobody else knows it.
    let text = unsafe {
        (*cell).id = id;
        let text = cell.add(1).cast::<u8>();
        ptr::copy_nonoverlapping(name.as_ptr(), text, name.len());
        text
    };
    taken.complete(Kind::Metadata);
    Some((cell, text))
}

/// The result of a call: 0, or the error number.
pub type Outcome = i32;

/// Returns true if the kernel has read the path of a call that ended so; otherwise it may be no path.
fn has_read_path(call: MetadataCall, outcome: Outcome) -> bool {
    match outcome {
        // It is no link.
        libc::EINVAL => call == MetadataCall::Readlink,
        libc::EFAULT | libc::EBADF | libc::ENOSYS | libc::ENOMEM | libc::EOPNOTSUPP => false,
        _ => true,
    }
}

/// Books a call on a path: it counts in the directory that contains the target.
///
/// # Safety
/// The program has made a call with this path that ended so.
#[unsafe(link_section = ".text.hot")]
pub unsafe fn at(dir: i32, path: *const c_char, call: MetadataCall, outcome: Outcome, span: Span) {
    if path.is_null() || !has_read_path(call, outcome) {
        return OTHERS.add(call, 1, outcome != 0, span.end.saturating_sub(span.begin));
    }
    // SAFETY: the kernel has read it.
    let (text, slash) = unsafe { scan(path) };
    let path = text.to_bytes();
    let folder = match slash {
        None if path.is_empty() => return on(dir, call, outcome, span),
        None => b".",
        Some(0) => b"/",
        Some(slash) if slash + 1 < path.len() => &path[..slash],
        Some(_) => container(path),
    };
    if let Some(directory) = find(GivenPath { dir, path: text }, folder) {
        directory.add(call, 1, outcome != 0, span.end.saturating_sub(span.begin));
    }
}

/// Books a call on a descriptor of a file that is known.
pub fn on(fd: i32, call: MetadataCall, outcome: Outcome, span: Span) {
    if let Some(description) = file::description(fd) {
        on_file(description.file(), call, outcome, span);
    }
}

/// Books a call on a file that is known.
#[cold]
pub fn on_file(file: &File, call: MetadataCall, outcome: Outcome, span: Span) {
    let folder = match parent(file.name()) {
        b"" => b"/",
        folder => folder,
    };
    if file.is_left_out_by_posix() {
        return;
    }
    if let Some(directory) = find(GivenPath { dir: libc::AT_FDCWD, path: c"/" }, folder) {
        directory.add(call, 1, outcome != 0, span.end.saturating_sub(span.begin));
    }
}

/// The directory in a path that contains what the path leads to.
#[inline]
fn container(path: &[u8]) -> &[u8] {
    let mut end = path.len();
    while end > 1 && path[end - 1] == b'/' {
        end -= 1;
    }
    match path[..end].iter().rposition(|byte| *byte == b'/') {
        None => b".",
        Some(0) => b"/",
        Some(slash) => &path[..slash],
    }
}

/// The directory `folder`, which is a part of the given path or its target. `None` if it is excluded,
/// or relative to a descriptor that is not recorded.
#[inline]
fn find(given: GivenPath<'_>, folder: &[u8]) -> Option<&'static Directory> {
    let base = base(given)?;
    let key = quick_hash(folder, base ^ KEYS);
    // Mostly it is the directory of the call before.
    let last = &thread::current().directory;
    // SAFETY: directories are never unmapped.
    if let Some(directory) = unsafe { last.get().as_ref() }
        && directory.key.load(Relaxed) == key
    {
        return Some(directory);
    }
    if thread::is_library_starting() {
        return None;
    }
    let found = match DIRECTORIES.find(key) {
        Some(EXCLUDED) => None,
        // SAFETY: as above.
        Some(directory) => Some(unsafe { &*directory }),
        None => find_out(given, folder, base, key),
    };
    if let Some(directory) = found
        && !ptr::eq(directory, &OTHERS)
    {
        directory.key.store(key, Relaxed);
        last.set(directory);
    }
    found
}

/// A hash of the directory that a path is relative to.
#[inline]
fn base(given: GivenPath<'_>) -> Option<u64> {
    if given.dir != libc::AT_FDCWD
        && given.path.to_bytes().first() != Some(&b'/')
        && let Some(slot) = slot(given.dir)
        // SAFETY: directories are never unmapped.
        && let Some(directory) = unsafe { slot.directory.load(Relaxed).as_ref() }
    {
        return Some(directory.id | 1);
    }
    given.base()
}

#[cold]
#[inline(never)]
fn find_out(
    given: GivenPath<'_>,
    folder: &[u8],
    base: u64,
    key: u64,
) -> Option<&'static Directory> {
    let is_absolute = folder.first() == Some(&b'/');
    let leads_up = || folder.windows(3).any(|part| part == b"/..");
    if is_absolute && naming::is_left_out_by_posix(folder) && !leads_up() {
        return None;
    }
    // The name is not needed if there is no room for it.
    if COUNT.load(Relaxed) >= MAX_DIRECTORIES || !process::may_call_kernel() {
        let is_in_excluded = || DIRECTORIES.find(quick_hash(b".", base ^ KEYS)) == Some(EXCLUDED);
        return (is_absolute || !is_in_excluded()).then_some(&OTHERS);
    }
    let _guard = Guard::enter()?;
    let mut scratch = scratch::borrow()?;
    let found = match resolve(given, folder, &mut scratch) {
        Some(()) if is_excluded(&mut scratch) => EXCLUDED,
        Some(()) => called(scratch.path.as_bytes()),
        None => ptr::from_ref(&OTHERS).cast_mut(),
    };
    if KEY_COUNT.fetch_add(1, Relaxed) < MAX_KEYS {
        LOCK.lock();
        DIRECTORIES.insert(key, found);
        LOCK.unlock();
    }
    match found {
        EXCLUDED => None,
        // SAFETY: directories are never unmapped.
        found => unsafe { found.as_ref() },
    }
}

/// Puts the absolute name of a directory into the scratch. One that does not exist has the name that
/// it would have.
fn resolve(given: GivenPath<'_>, folder: &[u8], scratch: &mut Scratch) -> Option<()> {
    scratch.path.clear();
    scratch.path.push(folder);
    let flags = libc::O_PATH | libc::O_DIRECTORY;
    let len = match sys::open_at(given.dir, scratch.path.as_c_str(), flags, 0) {
        Ok(fd) => naming::link_of(fd.0, scratch),
        Err(_) => None,
    };
    let Scratch { path, link } = scratch;
    path.clear();
    if let Some(len) = len {
        path.push(&link[..len]);
        return Some(());
    }
    if folder.first() != Some(&b'/') {
        let known = if given.dir == libc::AT_FDCWD { None } else { file::known(given.dir) };
        match known {
            Some(known) => path.push(known.file().name()),
            None => path.push(sys::working_directory(link).ok()?),
        }
    }
    path.push_clean(folder);
    Some(())
}

/// Returns true if files in the directory in the scratch are excluded.
fn is_excluded(scratch: &mut Scratch) -> bool {
    let len = scratch.path.as_bytes().len();
    if naming::is_left_out_by_posix(scratch.path.as_bytes()) {
        return true;
    }
    // Rules may be for everything in a directory.
    scratch.path.push(b"/");
    let is_excluded = naming::is_left_out_by_posix(scratch.path.as_bytes());
    scratch.path.truncate(len);
    is_excluded
}

/// The directory with this absolute name, added if it is new.
fn called(name: &[u8]) -> *mut Directory {
    let id = record_id(name);
    let key = id ^ KEYS;
    if let Some(directory) = DIRECTORIES.find(key) {
        return directory;
    }
    LOCK.lock();
    let mut found = DIRECTORIES.find(key);
    if found.is_none() && COUNT.load(Relaxed) < MAX_DIRECTORIES {
        found = make(id, name);
        if let Some(directory) = found {
            COUNT.fetch_add(1, Relaxed);
            DIRECTORIES.insert(key, directory);
        }
    }
    LOCK.unlock();
    found.unwrap_or(ptr::from_ref(&OTHERS).cast_mut())
}

/// A new directory. Under the lock.
fn make(id: u64, name: &[u8]) -> Option<*mut Directory> {
    let directory = memory::take::<Directory>();
    if directory.is_null() {
        return None;
    }
    let (cell, text) = new_cell(id, name)?;
    // SAFETY: new memory; nobody else knows it.
    unsafe {
        directory.write(Directory {
            generation: AtomicU32::new(file::generation()),
            name_len: name.len() as u32,
            name: text,
            id,
            key: AtomicU64::new(0),
            cell: AtomicPtr::new(cell),
        });
    }
    Some(directory)
}

/// The beginning of glibc's `DIR`.
#[repr(C)]
pub struct Stream {
    fd: i32,
    lock: i32,
    /// Bytes of the buffer.
    allocation: usize,
    /// Bytes in the buffer, and the next one that is read: the kernel is asked for more when they
    /// are equal.
    size: usize,
    offset: usize,
}

/// A directory that is being read.
struct Slot {
    /// Null if none is, or none that is recorded.
    directory: AtomicPtr<Directory>,
    /// Calls that the buffer has served since the kernel was asked last. Only the thread that reads
    /// changes it.
    pending: AtomicU64,
}

/// Descriptors that can be those of directories that are read.
const SLOTS: usize = 256;
static READ: [Slot; SLOTS] =
    [const { Slot { directory: AtomicPtr::new(ptr::null_mut()), pending: AtomicU64::new(0) } };
        SLOTS];

/// No slot at or beyond this one was ever used.
static SLOTS_USED: AtomicUsize = AtomicUsize::new(0);

fn used_slots() -> &'static [Slot] {
    &READ[..SLOTS_USED.load(Relaxed).min(SLOTS)]
}

#[inline]
fn slot(fd: i32) -> Option<&'static Slot> {
    READ.get(fd as u32 as usize)
}

impl Slot {
    /// Books the calls that the buffer has served.
    fn flush(&self) {
        let pending = self.pending.load(Relaxed);
        if pending > 0
            // SAFETY: directories are never unmapped.
            && let Some(directory) = unsafe { self.directory.load(Relaxed).as_ref() }
        {
            self.pending.store(0, Relaxed);
            directory.add(MetadataCall::Readdir, pending, false, 0);
        }
    }
}

/// Books an `opendir`: it counts in the directory itself.
///
/// # Safety
/// The program has made a call with this path that ended so; `stream` is its result, or null.
pub unsafe fn opened_directory(
    path: *const c_char,
    stream: *const Stream,
    outcome: Outcome,
    span: Span,
) {
    let directory = if path.is_null() || !has_read_path(MetadataCall::Opendir, outcome) {
        Some(&OTHERS)
    } else {
        // SAFETY: the kernel has read it.
        let given = GivenPath { dir: libc::AT_FDCWD, path: unsafe { CStr::from_ptr(path) } };
        find(given, given.path.to_bytes())
    };
    // SAFETY: the caller vouches.
    unsafe { begin_reading(directory, stream, outcome, span) };
}

/// Books an `fdopendir`.
///
/// # Safety
/// The program has made a call that ended so; `stream` is its result, or null.
pub unsafe fn opened_directory_over(fd: i32, stream: *const Stream, outcome: Outcome, span: Span) {
    let directory = match file::known(fd).map(Description::file) {
        Some(file) if !file.is_left_out_by_posix() => {
            find(GivenPath { dir: libc::AT_FDCWD, path: c"/" }, file.name())
        }
        _ => None,
    };
    // SAFETY: the caller vouches.
    unsafe { begin_reading(directory, stream, outcome, span) };
}

unsafe fn begin_reading(
    directory: Option<&'static Directory>,
    stream: *const Stream,
    outcome: Outcome,
    span: Span,
) {
    if let Some(directory) = directory {
        let ticks = span.end.saturating_sub(span.begin);
        directory.add(MetadataCall::Opendir, 1, outcome != 0, ticks);
    }
    // SAFETY: null, or open and not read yet.
    let Some(stream) = (unsafe { stream.as_ref() }) else { return };
    // If the C library should keep its directories otherwise, entries are not counted.
    let is_known =
        (1 << 10..1 << 24).contains(&stream.allocation) && stream.size == 0 && stream.offset == 0;
    if let Some(slot) = slot(stream.fd) {
        let directory = directory.filter(|_| is_known).map_or(ptr::null(), ptr::from_ref);
        slot.pending.store(0, Relaxed);
        slot.directory.store(directory.cast_mut(), Relaxed);
        SLOTS_USED.fetch_max(stream.fd as usize + 1, Relaxed);
    }
}

/// Makes a call that reads an entry. Mostly it comes out of the buffer, which takes less time than
/// reading the clock: only calls that ask the kernel are timed.
///
/// # Safety
/// The stream is open.
#[inline]
pub unsafe fn read_directory<T>(stream: *const Stream, call: impl FnOnce() -> T) -> T {
    // SAFETY: the caller vouches. What is read is known to be so where a slot has a directory.
    unsafe {
        let Some(slot) = slot((*stream).fd) else { return call() };
        let directory = slot.directory.load(Relaxed);
        if directory.is_null() {
            return call();
        }
        if (*stream).offset < (*stream).size {
            slot.pending.store(slot.pending.load(Relaxed) + 1, Relaxed);
            return call();
        }
        ask_kernel(slot, &*directory, call)
    }
}

#[cold]
#[inline(never)]
fn ask_kernel<T>(slot: &Slot, directory: &Directory, call: impl FnOnce() -> T) -> T {
    if thread::is_vforked() || !file::is_open() {
        return call();
    }
    let (result, span) = Span::of(call);
    let calls = slot.pending.load(Relaxed) + 1;
    slot.pending.store(0, Relaxed);
    directory.add(MetadataCall::Readdir, calls, false, span.end.saturating_sub(span.begin));
    result
}

/// A directory is about to be closed.
pub fn closing_directory(fd: i32) {
    if let Some(slot) = slot(fd)
        && !slot.directory.load(Relaxed).is_null()
        && !thread::is_vforked()
        && file::is_open()
    {
        slot.flush();
        slot.directory.store(ptr::null_mut(), Relaxed);
    }
}

/// Books what buffers have served so far.
pub(crate) fn catch_up() {
    used_slots().iter().for_each(Slot::flush);
}

/// In a child: what is pending is the parent's.
pub(crate) fn after_fork() {
    LOCK.unlock();
    used_slots().iter().for_each(|slot| slot.pending.store(0, Relaxed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_of_a_path() {
        for (path, directory) in [
            ("a", "."),
            ("a/b", "a"),
            ("a/b/", "a"),
            ("a//", "."),
            ("/a", "/"),
            ("/a/", "/"),
            ("/a/b", "/a"),
            ("/", "/"),
            ("//", "/"),
            (".", "."),
        ] {
            assert_eq!(container(path.as_bytes()), directory.as_bytes(), "{path}");
        }
    }
}
