//! Records of what libraries above files know: HDF5 files and data sets, PnetCDF files and variables.
//!
//! Such a thing is known by its record id, which follows from its name, and reached through handles
//! of its library ([`crate::handles`]). It is never forgotten, as little as the file it belongs to.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_shm::{Kind, Loss, MoreWide, ObjectCell, Pod};

use crate::file::{self, File};
use crate::index::Index;
use crate::memory::{self, Shared};
use crate::posix::{Span, uncovered};
use crate::spin::Spin;
use crate::{naming, region};

/// What is kept beside a record while it grows. All zero to begin with.
#[derive(Debug, Clone, Copy)]
pub struct Inner {
    /// Slot of the last access.
    pub(crate) hint: u8,
    /// 1 after a read, 2 after a write.
    pub(crate) last_direction: u8,
    /// Ends of the last counted read, write and metadata call.
    pub(crate) last_end: [u64; 3],
    /// Further accesses.
    pub(crate) more: *mut MoreWide,
}

impl Inner {
    const NEW: Self = Self { hint: 0, last_direction: 0, last_end: [0; 3], more: ptr::null_mut() };
}

/// The class of metadata calls in [`Inner::last_end`], behind reads and writes.
pub(crate) const META: usize = 2;

/// One thing, as the records of this process know it.
pub struct Object<C> {
    id: u64,
    file: *const File,
    /// Empty if it has the name of its file.
    name: *const u8,
    name_len: u32,
    /// The process, counted by forks, in whose region the cell is, plus 1.
    generation: AtomicU32,
    cell: AtomicPtr<C>,
    lock: Spin,
    /// Protected by the lock, as is the cell.
    inner: Shared<Inner>,
}

/// All things of one kind, by their record ids.
pub(crate) struct Objects<C> {
    index: Index<Object<C>>,
    kind: Kind,
}

impl<const I: usize, const F: usize, const T: usize> Objects<ObjectCell<I, F, T>>
where
    ObjectCell<I, F, T>: Pod,
{
    pub(crate) const fn new(kind: Kind) -> Self {
        Self { index: Index::new(), kind }
    }

    /// The thing with this id in `file`, added if it is new. Without a name of its own it has that of
    /// the file. `None` if there is no room.
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

    /// A thing that nobody finds by this name, because it will have another one.
    pub(crate) fn add_unnamed(
        &self,
        file: &'static File,
        id: u64,
        name: &[u8],
    ) -> Option<&'static Object<ObjectCell<I, F, T>>> {
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
            region::count_loss(Loss::Records);
            return None;
        }
        // SAFETY: new memory; nobody else knows it, and all zero is a good start.
        unsafe {
            (*new).id = id;
            (*new).file = file;
            ((*new).name, (*new).name_len) = (name.as_ptr(), name.len() as u32);
        }
        Some(new)
    }

    /// Gives the record of something that had no name to what it is called now. If that has a record
    /// already, both stay.
    pub(crate) fn name_record(
        &self,
        unnamed: &Object<ObjectCell<I, F, T>>,
        named: &Object<ObjectCell<I, F, T>>,
    ) {
        naming::LOCK.lock();
        unnamed.lock.lock();
        if named.generation.load(Relaxed) == 0 && unnamed.has_record() {
            let cell = unnamed.cell.swap(ptr::null_mut(), Relaxed);
            // SAFETY: a cell of the region or null; nobody uses an object without generation.
            unsafe {
                if let Some(cell) = cell.as_mut() {
                    cell.id = named.id;
                }
                *named.inner.get() = *unnamed.inner.get();
            }
            named.cell.store(cell, Relaxed);
            named.generation.store(unnamed.generation.swap(0, Relaxed), Release);
        }
        unnamed.lock.unlock();
        naming::LOCK.unlock();
    }

    /// Changes the record of an object, under its lock. `None` if there is no room for a record.
    pub(crate) fn change<R>(
        &self,
        object: &Object<ObjectCell<I, F, T>>,
        change: impl FnOnce(&mut ObjectCell<I, F, T>, &mut Inner) -> R,
    ) -> Option<R> {
        if object.generation.load(Acquire) != file::generation() + 1 {
            self.make_record(object);
        }
        let cell = object.cell.load(Relaxed);
        if cell.is_null() {
            region::count_loss(Loss::Records);
            return None;
        }
        object.lock.lock();
        // SAFETY: cell and inner state are changed under this lock only.
        let result = unsafe { change(&mut *cell, &mut *object.inner.get()) };
        object.lock.unlock();
        Some(result)
    }

    /// Begins the record of an object in this process; in a forked child, its parent's is left alone.
    #[cold]
    fn make_record(&self, object: &Object<ObjectCell<I, F, T>>) {
        let file = object.file();
        if !file.is_current() {
            file.renew();
        }
        naming::LOCK.lock();
        let generation = file::generation() + 1;
        let before = object.generation.load(Relaxed);
        if before != generation {
            object.lock.unlock();
            if before != 0 && object.name_len != 0 {
                let _ = naming::store(object.id, object.name());
            }
            let of_file = if object.name_len == 0 { 0 } else { file.id };
            let taken = region::take_cell(self.kind, |cell: &mut ObjectCell<I, F, T>| {
                cell.id = object.id;
                cell.file = of_file;
            });
            object.cell.store(taken.map_or(ptr::null_mut(), |(cell, _)| cell), Relaxed);
            // SAFETY: nobody uses an object of another generation.
            unsafe { *object.inner.get() = Inner::NEW };
            object.generation.store(generation, Release);
        }
        naming::LOCK.unlock();
    }
}

#[cfg(test)]
impl<C> Object<C> {
    /// One for tests, which nobody finds.
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
    /// The file it is in.
    pub fn file(&self) -> &'static File {
        // SAFETY: files are never unmapped.
        unsafe { &*self.file }
    }

    fn name(&self) -> &'static [u8] {
        if self.name_len == 0 {
            return &[];
        }
        // SAFETY: names are never unmapped, in children neither.
        unsafe { core::slice::from_raw_parts(self.name, self.name_len as usize) }
    }

    /// Whether its name ends so.
    pub(crate) fn is_called(&self, end: &[u8]) -> bool {
        self.name().ends_with(end)
    }

    /// Whether this process has a record of it: a child that merely closes what it has inherited
    /// needs none.
    pub(crate) fn has_record(&self) -> bool {
        self.generation.load(Acquire) == file::generation() + 1
    }
}

/// Notes first begin and last end, and the time that no earlier call of the class has covered. The
/// columns are those of begin, end and time.
pub(crate) fn cover(tick: &mut [u64], last: &mut u64, columns: [usize; 3], span: Span) {
    let [start, end, time] = columns;
    if tick[start] == 0 || span.begin < tick[start] {
        tick[start] = span.begin;
    }
    tick[end] = tick[end].max(span.end);
    tick[time] += uncovered(last, span.begin, span.end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_time() {
        let (mut tick, mut last) = ([0; 3], 0);
        for (begin, end) in [(20, 30), (10, 15), (25, 40)] {
            cover(&mut tick, &mut last, [0, 1, 2], Span { begin, end });
        }
        assert_eq!(tick, [10, 40, 20]);
    }
}
