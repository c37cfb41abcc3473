//! Objects behind the handles of libraries.

use core::hint::cold_path;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use crate::memory;
use crate::object::Object;

/// A handle of a library: the number of the library, and the handle in it.
pub type Handle = [u64; 2];

const BUCKETS: usize = 1024;

/// The objects behind handles. Handles are forgotten when they are closed, so there are never more
/// than a program has open. Access needs the lock of the objects.
pub(crate) struct Handles<C: 'static> {
    /// Separate, because they are large: while all zero they take no memory in programs that have
    /// none.
    buckets: &'static Buckets<C>,
    free: AtomicPtr<Node<C>>,
}

/// Hash buckets of handles.
pub(crate) struct Buckets<C>([AtomicPtr<Node<C>>; BUCKETS]);

impl<C> Buckets<C> {
    pub(crate) const fn new() -> Self {
        Self([const { AtomicPtr::new(ptr::null_mut()) }; BUCKETS])
    }
}

struct Node<C> {
    handle: Handle,
    object: *const Object<C>,
    next: *mut Node<C>,
    /// Dimensions as the library reports them; 0 if it was not asked.
    rank: u32,
}

impl<C: 'static> Handles<C> {
    pub(crate) const fn new(buckets: &'static Buckets<C>) -> Self {
        Self { buckets, free: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Libraries count their handles up, so the low bits tell most of them apart, and the bucket of
    /// the next one is in the same cache line. PnetCDF's have the number of a file in the upper
    /// half.
    #[inline]
    fn bucket(&self, [library, handle]: Handle) -> &AtomicPtr<Node<C>> {
        let index = library >> 12 ^ handle ^ handle >> 27;
        &self.buckets.0[index as usize % BUCKETS]
    }

    fn node(&self, handle: Handle) -> *mut Node<C> {
        let mut node = self.bucket(handle).load(Relaxed);
        // SAFETY: nodes are never unmapped, and change only under the lock.
        unsafe {
            while !node.is_null() && (*node).handle != handle {
                cold_path();
                node = (*node).next;
            }
        }
        node
    }

    /// The object behind a handle; `Some(None)` is an excluded one.
    pub(crate) fn find(&self, handle: Handle) -> Option<Option<&'static Object<C>>> {
        // SAFETY: objects are never unmapped.
        unsafe { self.node(handle).as_ref().map(|node| node.object.as_ref()) }
    }

    /// Dimensions of the object behind a handle; 0 if unknown. Two objects of one name may differ
    /// in them, so they belong to the handle.
    pub(crate) fn rank(&self, handle: Handle) -> u32 {
        // SAFETY: as above.
        unsafe { self.node(handle).as_ref() }.map_or(0, |node| node.rank)
    }

    /// Attaches a handle to an object, or to nothing if the object is excluded.
    pub(crate) fn insert(&self, handle: Handle, object: Option<&'static Object<C>>, rank: u32) {
        let object = object.map_or(ptr::null(), ptr::from_ref);
        let mut node = self.node(handle);
        // SAFETY: as above.
        unsafe {
            if node.is_null() {
                node = self.free.load(Relaxed);
                if node.is_null() {
                    cold_path();
                    node = memory::take::<Node<C>>();
                    if node.is_null() {
                        return;
                    }
                } else {
                    self.free.store((*node).next, Relaxed);
                }
                let bucket = self.bucket(handle);
                (*node).handle = handle;
                (*node).next = bucket.load(Relaxed);
                bucket.store(node, Relaxed);
            }
            (*node).object = object;
            (*node).rank = rank;
        }
    }

    /// Forgets a handle, and returns its object.
    pub(crate) fn remove(&self, handle: Handle) -> Option<&'static Object<C>> {
        let bucket = self.bucket(handle);
        let (mut before, mut node) = (ptr::null_mut::<Node<C>>(), bucket.load(Relaxed));
        // SAFETY: as above.
        unsafe {
            while !node.is_null() && (*node).handle != handle {
                cold_path();
                (before, node) = (node, (*node).next);
            }
            node.as_mut().and_then(|node| {
                match before.as_mut() {
                    Some(before) => before.next = node.next,
                    None => bucket.store(node.next, Relaxed),
                }
                node.next = self.free.load(Relaxed);
                self.free.store(node, Relaxed);
                node.object.as_ref()
            })
        }
    }

    /// Forgets all handles that `is_gone` selects.
    pub(crate) fn forget(&self, is_gone: impl Fn(Handle) -> bool) {
        for bucket in &self.buckets.0 {
            let mut node = bucket.load(Relaxed);
            bucket.store(ptr::null_mut(), Relaxed);
            // SAFETY: as above; each node goes into one of two lists.
            while let Some(taken) = unsafe { node.as_mut() } {
                node = taken.next;
                let list = if is_gone(taken.handle) { &self.free } else { bucket };
                taken.next = list.load(Relaxed);
                list.store(taken, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_kept_apart_and_forgotten() {
        static BUCKETS: Buckets<u64> = Buckets::new();
        static HANDLES: Handles<u64> = Handles::new(&BUCKETS);
        let object = Object::with_id;
        for number in 0..5000 {
            HANDLES.insert([number % 2, number / 2], Some(object(number)), number as u32);
        }
        let id = |handle| HANDLES.find(handle).flatten().map(Object::id);
        assert!((0..5000).all(|number| id([number % 2, number / 2]) == Some(number)));
        for number in (0..5000).filter(|number| number % 3 == 0) {
            assert_eq!(HANDLES.remove([number % 2, number / 2]).map(Object::id), Some(number));
        }
        for number in 0..5000 {
            let expected = (number % 3 != 0).then_some(number);
            assert_eq!(id([number % 2, number / 2]), expected);
        }
        HANDLES.insert([0, 1], Some(object(77)), 7);
        assert_eq!(id([0, 1]), Some(77), "a handle is used again");
        assert_eq!([[0, 1], [1, 0], [9, 9]].map(|handle| HANDLES.rank(handle)), [7, 1, 0]);
        assert!(HANDLES.remove([9, 9]).is_none());
        HANDLES.forget(|handle| handle[0] == 1);
        assert_eq!(id([0, 1]), Some(77));
        assert!((0..2500).all(|number| HANDLES.find([1, number]).is_none()));
        HANDLES.insert([9, 9], None, 0);
        assert!(HANDLES.find([9, 9]).is_some_and(|left_out| left_out.is_none()));
    }
}
