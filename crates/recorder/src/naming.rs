//! Files by path.
//!
//! The first time a path string is seen, the kernel is asked for its file; from then on the hash of
//! the string is enough. No lock is held during a query to a file system, which may be slow.

use core::ffi::CStr;
use core::hint::cold_path;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ioglass_schema::{ModuleId, record_id};
use ioglass_shm::{FileType, Kind, Loss};

use crate::file::{self, File};
use crate::index::Index;
use crate::memory::{self, Shared};
use crate::path::{PathBuffer, quick_hash};
use crate::scratch::{self, Scratch};
use crate::settings::{excluded_by_default_prefix, module};
use crate::spin::Spin;
use crate::thread::Guard;
use crate::{capture, process, sys, thread};

/// A marker for all excluded files.
const EXCLUDED: *mut File = ptr::dangling_mut();

/// Files by record id, and by path strings.
static FILES: Index<File> = Index::new();
/// Directories by path strings.
static FOLDERS: Index<Folder> = Index::new();
/// Held while one of these is extended, or while a file gets a part that it has once.
pub(crate) static LOCK: Spin = Spin::new();

/// An odd hash of the working directory; an even number counts its changes.
static WORKING_DIRECTORY: AtomicU64 = AtomicU64::new(0);
static CHANGES_OF_DIRECTORY: AtomicU64 = AtomicU64::new(0);

/// The file of a path.
#[derive(Clone, Copy)]
pub enum FileLookup {
    /// A file that is recorded.
    File(&'static File),
    /// An excluded file, or no file.
    LeftOut,
    /// A file for which there is no memory; it is counted as lost.
    NoRoom,
    /// The file could not be determined.
    Unknown,
}

impl FileLookup {
    /// The file, if it is recorded.
    pub fn file(self) -> Option<&'static File> {
        match self {
            Self::File(file) => Some(file),
            Self::LeftOut | Self::NoRoom | Self::Unknown => None,
        }
    }
}

/// A path as given by the program.
#[derive(Clone, Copy)]
pub struct GivenPath<'p> {
    /// The directory that it is relative to.
    pub dir: i32,
    /// The path.
    pub path: &'p CStr,
}

/// Separates hashes of path strings from record ids: a path may be a link, a record is not.
const ABSOLUTE: u64 = 2;

impl GivenPath<'_> {
    /// A key for this path string, if it will have the same meaning next time.
    fn key(&self, base: Option<u64>) -> Option<u64> {
        let path = self.path.to_bytes();
        (!leads_to_descriptor(path)).then_some(quick_hash(path, base?))
    }

    /// Hash of the directory that the path is relative to.
    pub(crate) fn base(&self) -> Option<u64> {
        if self.path.to_bytes().first() == Some(&b'/') {
            return Some(ABSOLUTE);
        }
        self.relative_base()
    }

    #[inline(never)] // keeps the path of absolute names small
    fn relative_base(&self) -> Option<u64> {
        let base = if self.dir == libc::AT_FDCWD {
            working_directory()?
        } else {
            file::known(self.dir)?.file().id
        };
        Some(base | 1)
    }
}

/// Returns true if a path is another name for one of the process's descriptors.
fn leads_to_descriptor(path: &[u8]) -> bool {
    const PREFIXES: [&[u8]; 3] = [b"/dev/std", b"/dev/fd/", b"/proc/self/fd/"];
    let may_lead = may_lead_to_descriptor(path);
    if may_lead {
        cold_path();
    }
    may_lead && PREFIXES.iter().any(|prefix| path.starts_with(prefix))
}

/// A fast test that may give false positives.
#[inline]
fn may_lead_to_descriptor(path: &[u8]) -> bool {
    matches!(path.get(1), Some(b'd' | b'p'))
}

/// A hash of the working directory, queried once after each change.
fn working_directory() -> Option<u64> {
    let known = WORKING_DIRECTORY.load(Relaxed);
    if known & 1 != 0 || !process::may_call_kernel() {
        return Some(known);
    }
    let mut scratch = scratch::borrow()?;
    let hash = sys::working_directory(&mut scratch.link).map_or(1, record_id) | 1;
    // Stored unless it has changed since.
    let _ = WORKING_DIRECTORY.compare_exchange(known, hash, Relaxed, Relaxed);
    Some(hash)
}

/// Forgets the working directory.
pub fn working_directory_changed() {
    let changes = CHANGES_OF_DIRECTORY.fetch_add(1, Relaxed) + 1;
    WORKING_DIRECTORY.store(changes << 1, Relaxed);
}

/// The file that was opened as `given`.
#[inline]
pub fn opened(fd: i32, given: GivenPath<'_>) -> FileLookup {
    let found = find(given, |base, scratch| {
        by_parts(given, base, scratch).unwrap_or_else(|| {
            let found = by_descriptor(fd, Some(given), scratch);
            note_kind(fd, found);
            remember_folder(given, base, found, scratch);
            found
        })
    });
    if let FileLookup::LeftOut = found {
        cold_path();
        capture::count_excluded();
    }
    found
}

/// The file that was made under a generated name, e.g. with `O_TMPFILE`, or was open before us.
pub fn made(fd: i32) -> FileLookup {
    if thread::is_library_starting() {
        return FileLookup::LeftOut;
    }
    match scratch::borrow() {
        Some(mut scratch) if process::may_call_kernel() => by_descriptor(fd, None, &mut scratch),
        _ => FileLookup::Unknown,
    }
}

/// The file at `given`, which exists; it is opened with `O_PATH` to query its name.
#[inline]
pub fn at(given: GivenPath<'_>) -> FileLookup {
    find(given, |_, scratch| match sys::open_at(given.dir, given.path, libc::O_PATH, 0) {
        Ok(fd) => by_descriptor(fd.0, Some(given), scratch),
        Err(_) => by_text(given, scratch),
    })
}

/// The file at `given` itself, not the target of a link; it need not exist.
pub fn named(given: GivenPath<'_>) -> Option<&'static File> {
    if is_excluded_text(given) || !process::may_call_kernel() || thread::is_library_starting() {
        return None;
    }
    let path = given.path.to_bytes();
    let (folder, name) = match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => (&path[..=slash], &path[slash + 1..]),
        None => (&b"."[..], path),
    };
    let mut borrowed = scratch::borrow()?;
    let scratch = &mut *borrowed;
    scratch.path.clear();
    scratch.path.push(folder);
    let Ok(fd) = sys::open_at(given.dir, scratch.path.as_c_str(), libc::O_PATH, 0) else {
        return by_text(given, scratch).file();
    };
    let folder = link_of(fd.0, scratch)?;
    if matches!(name, b"" | b"." | b"..") {
        return None;
    }
    let (path, link) = (&mut scratch.path, &scratch.link[..folder]);
    path.clear();
    path.push(if link == b"/" { b"" } else { link });
    path.push(b"/");
    path.push(name);
    by_name(path, Device::Of(fd.0)).file()
}

/// The file with this absolute name.
pub(crate) fn called(name: &[u8]) -> Option<&'static File> {
    let mut scratch = scratch::borrow()?;
    scratch.path.clear();
    scratch.path.push(name);
    by_name(&scratch.path, Device::ByName).file()
}

/// The file at a path that a library has passed to ROMIO, or might have passed.
pub(crate) fn given_to_romio(
    path: &CStr,
    is_name: impl FnOnce(&CStr) -> bool,
) -> Option<&'static File> {
    at(GivenPath { dir: libc::AT_FDCWD, path: without_prefix(path, is_name) }).file()
}

/// A path without the prefix that selects one of ROMIO's file systems, such as `ufs:`. A colon may
/// also be part of the name; `is_name` decides.
#[inline]
fn without_prefix(path: &CStr, is_name: impl FnOnce(&CStr) -> bool) -> &CStr {
    if path.to_bytes().first() == Some(&b'/') {
        return path;
    }
    cold_path();
    behind_prefix(path).filter(|_| !is_name(path)).unwrap_or(path)
}

#[inline(never)]
fn behind_prefix(path: &CStr) -> Option<&CStr> {
    let bytes = path.to_bytes_with_nul();
    let at = bytes.iter().position(|byte| matches!(byte, b':' | b'/'))?;
    let is_prefix = at > 1 && bytes[at] == b':';
    is_prefix.then(|| CStr::from_bytes_with_nul(&bytes[at + 1..]).ok())?
}

/// A record that is not a file, such as `<STDIN>`.
pub fn special(name: &[u8]) -> Option<&'static File> {
    if let Some(file) = FILES.find(record_id(name)) {
        return Some(lend(file));
    }
    let mut scratch = scratch::borrow()?;
    scratch.path.clear();
    scratch.path.push(name);
    by_id(&scratch.path, Device::Unknown, 0)
}

fn lend(file: *mut File) -> &'static File {
    // SAFETY: files are never unmapped.
    unsafe { &*file }
}

/// Searches for a path string that was seen before; otherwise `resolve` finds the file.
#[inline]
fn find(
    given: GivenPath<'_>,
    resolve: impl FnOnce(Option<u64>, &mut Scratch) -> FileLookup,
) -> FileLookup {
    match seen(&given) {
        EXCLUDED => {
            cold_path();
            FileLookup::LeftOut
        }
        file if !file.is_null() => FileLookup::File(lend(file)),
        _ => find_out(given, resolve),
    }
}

/// The known file of a path string; null if it was not seen before.
#[inline(never)] // one copy for all calls with a path
#[unsafe(link_section = ".text.hot")]
fn seen(given: &GivenPath<'_>) -> *mut File {
    let path = given.path.to_bytes();
    if !is_plain(path) || thread::is_library_starting() {
        cold_path();
        return seen_otherwise(given);
    }
    FILES.find(quick_hash(path, ABSOLUTE)).unwrap_or_default()
}

/// Returns true if a path is absolute, leads to no descriptor, and is of usual length: the
/// conditions of the fast path.
#[inline]
fn is_plain(path: &[u8]) -> bool {
    path.len() > 16 && path[0] == b'/' && !may_lead_to_descriptor(path)
}

/// The known file of any other path string; null if it was not seen before.
#[inline(never)]
#[unsafe(link_section = ".text.hot")]
fn seen_otherwise(given: &GivenPath<'_>) -> *mut File {
    if thread::is_library_starting() {
        return EXCLUDED;
    }
    given.key(given.base()).and_then(|key| FILES.find(key)).unwrap_or_default()
}

#[cold]
#[inline(never)]
fn find_out(
    given: GivenPath<'_>,
    resolve: impl FnOnce(Option<u64>, &mut Scratch) -> FileLookup,
) -> FileLookup {
    if is_excluded_text(given) {
        return FileLookup::LeftOut;
    }
    let base = given.base();
    let Some(mut scratch) = process::may_call_kernel().then(scratch::borrow).flatten() else {
        return FileLookup::Unknown;
    };
    let _guard = Guard::join(); // most callers have entered
    let found = resolve(base, &mut scratch);
    let file = match found {
        FileLookup::File(file) => ptr::from_ref(file).cast_mut(),
        FileLookup::LeftOut => EXCLUDED,
        FileLookup::NoRoom | FileLookup::Unknown => return found,
    };
    if let Some(key) = given.key(base) {
        LOCK.lock();
        FILES.insert(key, file);
        LOCK.unlock();
    }
    found
}

/// Returns true if the path is excluded as given, which saves a query.
#[inline]
fn is_excluded_text(given: GivenPath<'_>) -> bool {
    let path = given.path.to_bytes();
    path.first() == Some(&b'/')
        && left_out(path) == file::LEFT_OUT_BY_ALL
        && !leads_to_descriptor(path)
        && !path.windows(3).any(|part| part == b"/..")
}

/// A directory as it was when a path through it was resolved.
struct Folder {
    device: u64,
    inode: u64,
    name: *const u8,
    name_len: u32,
}

/// Separates hashes of directories from those of files.
const FOLDER_KEYS: u64 = 0xF01D_E75A_11F0_1DE7;

/// The directory of a path and its last component, if that is a name.
fn split(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let (folder, name) = match path.iter().rposition(|byte| *byte == b'/') {
        Some(0) => (&path[..1], &path[1..]),
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&b"."[..], path),
    };
    (!matches!(name, b"" | b"." | b"..")).then_some((folder, name))
}

/// The file at a path whose directory is known: two `stat` calls instead of the far more expensive
/// query for a descriptor's name. `None` if that query is needed.
fn by_parts(given: GivenPath<'_>, base: Option<u64>, scratch: &mut Scratch) -> Option<FileLookup> {
    let path = given.path.to_bytes();
    let (folder, name) = split(path).filter(|_| !leads_to_descriptor(path))?;
    let key = quick_hash(folder, base? ^ FOLDER_KEYS);
    // SAFETY: directories are never unmapped.
    let known = unsafe { &*FOLDERS.find(key)? };
    let full = &mut scratch.path;
    full.clear();
    full.push(folder);
    let now = sys::stat_at(given.dir, full.as_c_str(), 0).ok()?;
    if (now.st_dev, now.st_ino) != (known.device, known.inode) {
        return None;
    }
    let file = sys::stat_at(given.dir, given.path, libc::AT_SYMLINK_NOFOLLOW).ok()?;
    if file.st_mode & libc::S_IFMT != libc::S_IFREG {
        return None;
    }
    full.clear();
    // SAFETY: names are never unmapped.
    full.push(unsafe { core::slice::from_raw_parts(known.name, known.name_len as usize) });
    full.push(b"/");
    full.push(name);
    Some(by_name(full, Device::Number(file.st_dev)))
}

/// Notes the type of a file whose directory was not known, or that is no regular file.
fn note_kind(fd: i32, found: FileLookup) {
    if let FileLookup::File(file) = found
        && let Ok(stat) = sys::stat_fd(fd)
    {
        file.set_kind(FileType::of_mode(stat.st_mode));
    }
}

/// Remembers the directory of a file whose name is now known.
fn remember_folder(
    given: GivenPath<'_>,
    base: Option<u64>,
    found: FileLookup,
    scratch: &mut Scratch,
) {
    let (FileLookup::File(file), Some(base)) = (found, base) else { return };
    let path = given.path.to_bytes();
    let Some((folder, name)) = split(path).filter(|_| !leads_to_descriptor(path)) else { return };
    let full = file.name();
    // A link would have another name.
    let Some(resolved) = full.strip_suffix(name).and_then(|rest| rest.strip_suffix(b"/")) else {
        return;
    };
    scratch.path.clear();
    scratch.path.push(folder);
    let Ok(stat) = sys::stat_at(given.dir, scratch.path.as_c_str(), 0) else { return };
    let new = memory::take::<Folder>();
    if new.is_null() {
        return;
    }
    // SAFETY: new, and ours. The name is part of the file's, which is never unmapped.
    unsafe {
        new.write(Folder {
            device: stat.st_dev,
            inode: stat.st_ino,
            name: full.as_ptr(),
            name_len: resolved.len() as u32,
        });
    }
    LOCK.lock();
    FOLDERS.insert(quick_hash(folder, base ^ FOLDER_KEYS), new);
    LOCK.unlock();
}

/// The file of a descriptor, by the kernel's name for it.
fn by_descriptor(fd: i32, given: Option<GivenPath<'_>>, scratch: &mut Scratch) -> FileLookup {
    let Some(len) = link_of(fd, scratch) else {
        return given.map_or(FileLookup::Unknown, |given| by_text(given, scratch));
    };
    let name = &scratch.link[..len];
    if name.first() != Some(&b'/') || name.starts_with(b"/memfd:") {
        return FileLookup::LeftOut;
    }
    let name = match name.strip_suffix(b" (deleted)") {
        Some(stem) if sys::stat_fd(fd).is_ok_and(|stat| stat.st_nlink == 0) => stem,
        _ => name,
    };
    scratch.path.clear();
    scratch.path.push(name);
    by_name(&scratch.path, Device::Of(fd))
}

/// Reads the kernel's name for the file of a descriptor, which needs `/proc`; returns its length.
pub(crate) fn link_of(fd: i32, scratch: &mut Scratch) -> Option<usize> {
    scratch.path.clear();
    scratch.path.push(b"/proc/self/fd/");
    scratch.path.push_number(fd as u64, 10);
    sys::read_link(scratch.path.as_c_str(), &mut scratch.link).ok().map(<[u8]>::len)
}

/// The file by the text of its path, if there is no `/proc`.
fn by_text(given: GivenPath<'_>, scratch: &mut Scratch) -> FileLookup {
    let path = given.path.to_bytes();
    let Scratch { path: full, link } = scratch;
    full.clear();
    if path.first() != Some(&b'/') {
        let known = if given.dir == libc::AT_FDCWD { None } else { file::known(given.dir) };
        match (known, sys::working_directory(link)) {
            (Some(folder), _) => full.push(folder.file().name()),
            (None, Ok(folder)) => full.push(folder),
            (None, Err(_)) => return FileLookup::Unknown,
        }
    }
    full.push_clean(path);
    by_name(full, Device::Unknown)
}

/// The file with this absolute path, unless it is excluded.
fn by_name(name: &PathBuffer, device: Device) -> FileLookup {
    let left_out = left_out(name.as_bytes());
    if left_out == file::LEFT_OUT_BY_ALL {
        return FileLookup::LeftOut;
    }
    by_id(name, device, left_out).map_or(FileLookup::NoRoom, FileLookup::File)
}

/// Returns true if calls on the descriptors of a path are excluded.
pub(crate) fn is_left_out_by_posix(path: &[u8]) -> bool {
    left_out(path) & module::bit(module::POSIX) != 0
}

/// The file of a path string that was seen before.
#[inline]
pub(crate) fn known(given: GivenPath<'_>) -> Option<&'static File> {
    match seen(&given) {
        EXCLUDED => None,
        // SAFETY: null or a file, and files are never unmapped.
        file => unsafe { file.as_ref() },
    }
}

/// The modules that exclude a path, as bits.
fn left_out(path: &[u8]) -> u32 {
    let settings = process::settings();
    if settings.has_default_rules() {
        return if excluded_by_default_prefix(path) { file::LEFT_OUT_BY_ALL } else { 0 };
    }
    let leaves =
        |module: ModuleId| !settings.modules.has(module) || settings.excludes(path, module);
    let left_out = module::OF_PATHS.iter().filter(|module| leaves(**module));
    left_out.fold(0, |bits, module| bits | module::bit(*module))
}

/// The file with this name, added if it is new. `None` if there is no memory.
fn by_id(name: &PathBuffer, device: Device, left_out: u32) -> Option<&'static File> {
    let id = record_id(name.as_bytes());
    if let Some(file) = FILES.find(id) {
        return Some(lend(file));
    }
    if name.is_cut() {
        capture::count_loss(Loss::Names);
    }
    let Preference { alignment, is_lustre } = device.preference(name);
    let not_there = if is_lustre { 0 } else { module::bit(module::LUSTRE) };
    LOCK.lock();
    // Another thread may have added it meanwhile.
    let file = match FILES.find(id) {
        Some(file) => file,
        None => {
            let file = make(id, name.as_bytes(), alignment, left_out | not_there);
            if !file.is_null() {
                FILES.insert(id, file);
            }
            file
        }
    };
    LOCK.unlock();
    if file.is_null() {
        capture::count_loss(Loss::Records);
        return None;
    }
    Some(lend(file))
}

/// A new file; null if there is no memory. Under the lock.
fn make(id: u64, name: &[u8], alignment: u64, left_out: u32) -> *mut File {
    let Some(name) = store(id, name) else { return ptr::null_mut() };
    let file = memory::take::<File>();
    if !file.is_null() {
        // SAFETY: new memory; nobody else knows it.
        unsafe { (*file).begin(id, name, alignment, left_out) };
    }
    file
}

/// Stores a name in the capture; it is read from there for the life of the process.
pub(crate) fn store(id: u64, name: &[u8]) -> Option<&'static [u8]> {
    let taken = capture::take(8 + name.len())?;
    // SAFETY: the entry has room for id and name. The bytes after the name are zero and terminate
    // it.
    unsafe {
        taken.payload().cast::<u64>().write(id);
        let bytes = taken.payload().add(8);
        ptr::copy_nonoverlapping(name.as_ptr(), bytes, name.len());
        taken.complete(Kind::Name);
        Some(core::slice::from_raw_parts(bytes, name.len()))
    }
}

/// File system type of Lustre: its blocks are small, its stripes are not.
const LUSTRE: i64 = 0x0BD0_0BD0;

/// The device of a file.
#[derive(Clone, Copy)]
enum Device {
    /// Unknown.
    Unknown,
    /// The device of this descriptor.
    Of(i32),
    /// The device of the name.
    ByName,
    /// The device with this number.
    Number(u64),
}

/// The last device that was queried, and its preference; under the lock.
static LAST_DEVICE: Shared<(u64, Preference)> = Shared::new((0, Preference::NONE));

/// The preference of a file system.
#[derive(Clone, Copy)]
struct Preference {
    /// Alignment of offsets; 0 if unknown.
    alignment: u64,
    /// True if it reports the stripes of its files.
    is_lustre: bool,
}

impl Device {
    /// The preference of the file system.
    fn preference(self, name: &PathBuffer) -> Preference {
        match self {
            Self::Unknown => Preference::NONE,
            Self::ByName => Preference::of(sys::statfs(name.as_c_str())),
            Self::Of(fd) => Preference::of(sys::statfs_fd(fd)),
            Self::Number(device) => {
                LOCK.lock();
                // SAFETY: under the lock.
                let last = unsafe { *LAST_DEVICE.get() };
                LOCK.unlock();
                if last.0 == device {
                    return last.1;
                }
                let preference = Preference::of(sys::statfs(name.as_c_str()));
                LOCK.lock();
                // SAFETY: under the lock.
                unsafe { *LAST_DEVICE.get() = (device, preference) };
                LOCK.unlock();
                preference
            }
        }
    }
}

impl Preference {
    const NONE: Self = Self { alignment: 0, is_lustre: false };

    fn of(system: Result<libc::statfs, sys::Errno>) -> Self {
        match system {
            Ok(system) if system.f_type == LUSTRE => Self { alignment: 1 << 20, is_lustre: true },
            Ok(system) => Self { alignment: system.f_bsize as u64, is_lustre: false },
            Err(_) => Self { alignment: 4096, is_lustre: false },
        }
    }
}

/// In a child, where no other thread can hold the lock.
pub(crate) fn after_fork() {
    LOCK.unlock();
    scratch::after_fork();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_romio_are_no_part_of_a_name() {
        let no = |_: &CStr| false;
        assert_eq!(without_prefix(c"ufs:/data/x", no), c"/data/x");
        assert_eq!(without_prefix(c"lustre:x", no), c"x");
        assert_eq!(without_prefix(c"run:7", |path| path == c"run:7"), c"run:7");
        for path in [c"/data/a:b", c"x", c"a:b", c":x", c""] {
            assert_eq!(without_prefix(path, no), path);
        }
    }
}
