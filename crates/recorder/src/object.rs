//! Records of libraries above files: HDF5 files and datasets, PnetCDF files and variables.
//!
//! An object is identified by its record id, which follows from its name, and reached through
//! handles of its library ([`crate::handles`]). Like its file it is never forgotten.
//!
//! All objects of a kind share one lock: their libraries admit one thread at a time, and a call
//! needs only this lock to find and count. It needs no guard: no signal handler may call such a
//! library, and code that is shared with files, whose calls a handler may make, enters the guard
//! where needed.

use core::hint::cold_path;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_shm::{Kind, Loss, MoreWide, ObjectCell, Pod};

use crate::file::{self, File};
use crate::handles::{Buckets, Handle, Handles};
use crate::index::Index;
use crate::memory::{self, Shared};
use crate::spin::Spin;
use crate::thread::Guard;
use crate::wide::LastAccess;
use crate::{capture, naming};

/// The history of calls that decides how the next one counts. Initially all zero.
#[derive(Debug, Clone, Copy)]
pub struct ObjectHistory {
    /// The last access.
    pub(crate) last: LastAccess,
    /// 1 after a read, 2 after a write.
    pub(crate) last_direction: u8,
    /// Ends of the last counted read, write and metadata call.
    pub(crate) last_end: [u64; 3],
    /// Further accesses.
    pub(crate) more: *mut MoreWide,
}

impl ObjectHistory {
    const NEW: Self =
        Self { last: LastAccess::NONE, last_direction: 0, last_end: [0; 3], more: ptr::null_mut() };
}

/// Index of metadata calls in [`ObjectHistory::last_end`], after reads and writes.
pub(crate) const META: usize = 2;

/// One object in the records of this process. The fields that every call needs come first, in one
/// cache line.
#[repr(C)]
pub struct Object<C> {
    /// Protected by the lock of its kind, as is the history.
    cell: AtomicPtr<C>,
    history: Shared<ObjectHistory>,
    /// The process, counted by forks, whose capture holds the cell, plus 1.
    generation: AtomicU32,
    name_len: u32,
    id: u64,
    /// Empty if it has the name of its file.
    name: *const u8,
    file: *const File,
}

/// All objects of one kind, by record id and by handle.
#[repr(align(64))]
pub(crate) struct Objects<C: 'static> {
    lock: Spin,
    kind: Kind,
    index: Index<Object<C>>,
    handles: Handles<C>,
}

/// The result of looking up a handle.
pub(crate) enum Behind<'o, C> {
    /// The handle is unknown, or the object has no record in this process yet, only in another.
    Unknown,
    /// There is no record: the object is excluded, or there was no memory.
    Nothing,
    /// A record.
    Record(Locked<'o, C>),
}

/// A record that is locked for as long as this exists.
pub(crate) struct Locked<'o, C> {
    lock: &'o Spin,
    pub(crate) cell: &'o mut C,
    pub(crate) history: &'o mut ObjectHistory,
}

impl<C> Drop for Locked<'_, C> {
    #[inline]
    fn drop(&mut self) {
        self.lock.unlock();
    }
}

impl<const I: usize, const F: usize, const T: usize> Objects<ObjectCell<I, F, T>>
where
    ObjectCell<I, F, T>: Pod,
{
    pub(crate) const fn new(kind: Kind, buckets: &'static Buckets<ObjectCell<I, F, T>>) -> Self {
        Self { lock: Spin::new(), kind, index: Index::new(), handles: Handles::new(buckets) }
    }

    /// Runs `with` under the lock of all these objects.
    #[inline]
    pub(crate) fn locked<R>(&self, with: impl FnOnce() -> R) -> R {
        self.lock.lock();
        let result = with();
        self.lock.unlock();
        result
    }

    /// The object behind a handle; `Some(None)` is an excluded one.
    pub(crate) fn find(
        &self,
        handle: Handle,
    ) -> Option<Option<&'static Object<ObjectCell<I, F, T>>>> {
        self.locked(|| self.handles.find(handle))
    }

    /// Dimensions of the object behind a handle; 0 if unknown.
    pub(crate) fn rank(&self, handle: Handle) -> u32 {
        self.locked(|| self.handles.rank(handle))
    }

    /// Attaches a handle to an object, or to nothing if it is excluded; `rank` is its number of
    /// dimensions, if known. Returns its record, locked, if there is one.
    #[inline]
    pub(crate) fn tie(
        &self,
        handle: Handle,
        object: Option<&'static Object<ObjectCell<I, F, T>>>,
        rank: u32,
    ) -> Option<Locked<'_, ObjectCell<I, F, T>>> {
        if let Some(object) = object
            && !object.has_record()
        {
            self.make_record(object);
        }
        self.lock.lock();
        self.handles.insert(handle, object, rank);
        self.record_of(object)
    }

    /// Forgets a handle. Returns the record of its object, locked, if this process has one: a child
    /// that merely closes an inherited object needs none.
    #[inline]
    pub(crate) fn untie(&self, handle: Handle) -> Option<Locked<'_, ObjectCell<I, F, T>>> {
        self.lock.lock();
        let object = self.handles.remove(handle);
        self.record_of(object.filter(|object| object.has_record()))
    }

    /// The record of an object, if it has one; under the lock, which is released if not.
    #[inline]
    fn record_of(
        &self,
        object: Option<&'static Object<ObjectCell<I, F, T>>>,
    ) -> Option<Locked<'_, ObjectCell<I, F, T>>> {
        if let Some((cell, history)) = object.and_then(Object::record) {
            return Some(Locked { lock: &self.lock, cell, history });
        }
        cold_path();
        self.lock.unlock();
        None
    }

    /// Forgets all handles that `is_gone` selects.
    pub(crate) fn untie_all(&self, is_gone: impl Fn(Handle) -> bool) {
        self.locked(|| self.handles.forget(is_gone));
    }

    /// The object with this id in `file`, added if it is new. Without its own name it has that of
    /// the file. `None` if there is no memory.
    #[inline]
    pub(crate) fn get(
        &self,
        file: &'static File,
        id: u64,
        name: Option<&[u8]>,
    ) -> Option<&'static Object<ObjectCell<I, F, T>>> {
        if let Some(known) = self.index.find(id) {
            // SAFETY: objects are never unmapped.
            return Some(unsafe { &*known });
        }
        self.add(file, id, name)
    }

    #[cold]
    #[inline(never)]
    fn add(
        &self,
        file: &'static File,
        id: u64,
        name: Option<&[u8]>,
    ) -> Option<&'static Object<ObjectCell<I, F, T>>> {
        let _guard = Guard::join();
        let new = self.make(file, id, name)?;
        naming::LOCK.lock();
        // Another thread may have added it meanwhile.
        let found = self.index.find(id).unwrap_or_else(|| {
            self.index.insert(id, new);
            new
        });
        naming::LOCK.unlock();
        // SAFETY: as above.
        Some(unsafe { &*found })
    }

    /// The object with this key, which is not its id; `find` identifies it the first time.
    #[inline]
    pub(crate) fn get_by(
        &self,
        key: u64,
        find: impl FnOnce() -> Option<&'static Object<ObjectCell<I, F, T>>>,
    ) -> Option<&'static Object<ObjectCell<I, F, T>>> {
        if let Some(known) = self.index.find(key) {
            // SAFETY: objects are never unmapped.
            return Some(unsafe { &*known });
        }
        cold_path();
        let _guard = Guard::join();
        let found = find()?;
        naming::LOCK.lock();
        self.index.insert(key, ptr::from_ref(found).cast_mut());
        naming::LOCK.unlock();
        Some(found)
    }

    /// A new object that is not found by name: it is unnamed and may get a name later.
    pub(crate) fn add_unnamed(
        &self,
        file: &'static File,
        id: u64,
        name: &[u8],
    ) -> Option<&'static Object<ObjectCell<I, F, T>>> {
        let _guard = Guard::join();
        // SAFETY: objects are never unmapped.
        self.make(file, id, Some(name)).map(|new| unsafe { &*new })
    }

    fn make(
        &self,
        file: &'static File,
        id: u64,
        name: Option<&[u8]>,
    ) -> Option<*mut Object<ObjectCell<I, F, T>>> {
        let new = memory::take::<Object<ObjectCell<I, F, T>>>();
        let name = match name {
            Some(name) => naming::store(id, name)?,
            None => &[],
        };
        if new.is_null() {
            capture::count_loss(Loss::Records);
            return None;
        }
        // SAFETY: new memory; nobody else knows it, and all zero is a valid value.
        unsafe {
            (*new).id = id;
            (*new).file = file;
            ((*new).name, (*new).name_len) = (name.as_ptr(), name.len() as u32);
        }
        Some(new)
    }

    /// Gives the record of an unnamed object to the object with its new name. If that has a record
    /// already, both stay.
    pub(crate) fn name_record(
        &self,
        unnamed: &Object<ObjectCell<I, F, T>>,
        named: &Object<ObjectCell<I, F, T>>,
    ) {
        let _guard = Guard::join();
        naming::LOCK.lock();
        self.lock.lock();
        if named.generation.load(Relaxed) == 0 && unnamed.has_record() {
            let cell = unnamed.cell.swap(ptr::null_mut(), Relaxed);
            // SAFETY: a cell of the capture or null; nobody uses an object without a generation.
            unsafe {
                if let Some(cell) = cell.as_mut() {
                    cell.id = named.id;
                }
                *named.history.get() = *unnamed.history.get();
            }
            named.cell.store(cell, Relaxed);
            named.generation.store(unnamed.generation.swap(0, Relaxed), Release);
        }
        self.lock.unlock();
        naming::LOCK.unlock();
    }

    /// The record of an object, locked. `None` if there is no room for one.
    #[inline]
    pub(crate) fn lock(
        &self,
        object: &'static Object<ObjectCell<I, F, T>>,
    ) -> Option<Locked<'_, ObjectCell<I, F, T>>> {
        if !object.has_record() {
            self.make_record(object);
        }
        self.lock.lock();
        self.record_of(Some(object))
    }

    /// The record of the object behind a handle, locked.
    #[inline(always)]
    pub(crate) fn behind(&self, handle: Handle) -> Behind<'_, ObjectCell<I, F, T>> {
        self.lock.lock();
        let found = self.handles.find(handle);
        if let Some(Some(object)) = found
            && !object.has_record()
        {
            cold_path();
            self.lock.unlock();
            return Behind::Unknown;
        }
        match self.record_of(found.flatten()) {
            Some(locked) => Behind::Record(locked),
            None if found.is_none() => Behind::Unknown,
            None => Behind::Nothing,
        }
    }

    /// Starts the record of an object in this process; in a forked child, the parent's is not
    /// touched.
    #[cold]
    fn make_record(&self, object: &Object<ObjectCell<I, F, T>>) {
        let _guard = Guard::join();
        let file = object.file();
        if !file.is_current() {
            file.renew();
        }
        naming::LOCK.lock();
        let generation = file::generation() + 1;
        let before = object.generation.load(Relaxed);
        if before != generation {
            if before != 0 && object.name_len != 0 {
                let _ = naming::store(object.id, object.name());
            }
            let of_file = if object.name_len == 0 { 0 } else { file.id };
            let taken = capture::take_cell(self.kind, |cell: &mut ObjectCell<I, F, T>| {
                cell.id = object.id;
                cell.file = of_file;
            });
            object.cell.store(taken.map_or(ptr::null_mut(), |(cell, _)| cell), Relaxed);
            // SAFETY: nobody uses an object of another generation.
            unsafe { *object.history.get() = ObjectHistory::NEW };
            object.generation.store(generation, Release);
        }
        naming::LOCK.unlock();
    }

    /// In a child, where no other thread can hold the lock.
    pub(crate) fn after_fork(&self) {
        self.lock.unlock();
    }
}

#[cfg(test)]
impl<C> Object<C> {
    /// An object for tests, not found by name.
    pub(crate) fn with_id(id: u64) -> &'static Self {
        let new = memory::take::<Self>();
        // SAFETY: new memory.
        unsafe {
            (*new).id = id;
            &*new
        }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }
}

impl<C> Object<C> {
    /// The file that contains it.
    pub fn file(&self) -> &'static File {
        // SAFETY: files are never unmapped.
        unsafe { &*self.file }
    }

    fn name(&self) -> &'static [u8] {
        if self.name_len == 0 {
            return &[];
        }
        // SAFETY: names are never unmapped, not even in children.
        unsafe { core::slice::from_raw_parts(self.name, self.name_len as usize) }
    }

    /// Returns true if its name ends with `end`.
    pub(crate) fn is_called(&self, end: &[u8]) -> bool {
        self.name().ends_with(end)
    }

    /// Returns true if its name consists of its file's name, `mark` and `name`.
    pub(crate) fn is_called_in_file(&self, mark: &[u8], name: &[u8]) -> bool {
        let behind_file = self.name().strip_prefix(self.file().name());
        behind_file.and_then(|rest| rest.strip_prefix(mark)) == Some(name)
    }

    /// Its record, under the lock of its kind.
    #[inline]
    #[allow(clippy::mut_from_ref)] // the caller holds the lock
    fn record(&'static self) -> Option<(&'static mut C, &'static mut ObjectHistory)> {
        // SAFETY: a cell of the capture or null; it and the history are changed only under the
        // lock.
        unsafe {
            let Some(cell) = self.cell.load(Relaxed).as_mut() else {
                capture::count_loss(Loss::Records);
                return None;
            };
            Some((cell, &mut *self.history.get()))
        }
    }

    /// Returns true if this process has a record of it.
    #[inline]
    pub(crate) fn has_record(&self) -> bool {
        self.generation.load(Acquire) == file::generation() + 1
    }
}
