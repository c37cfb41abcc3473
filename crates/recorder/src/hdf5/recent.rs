//! Facts about the most recently used ids of a library. The lock of datasets protects them, which
//! every user holds anyway; that is enough, because a signal handler must not call HDF5.

use super::Handle;
use crate::memory::Shared;

/// Entries for `N` ids, a power of two; of ids that share an entry, the last one keeps it.
pub(super) struct Recent<T, const N: usize>(Shared<[RecentEntry<T>; N]>);

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct RecentEntry<T> {
    of: Handle,
    kept: T,
}

impl<T: Copy, const N: usize> Recent<T, N> {
    /// `nothing` is the value for an id that was never seen.
    pub(super) const fn new(nothing: T) -> Self {
        Self(Shared::new([RecentEntry { of: [0; 2], kept: nothing }; N]))
    }

    /// The entry of an id. Ids are counted up, so their low bits tell most of them apart.
    #[inline]
    fn place(&self, of: Handle) -> *mut RecentEntry<T> {
        let index = (of[0] >> 12 ^ of[1]) as usize % N;
        // SAFETY: inside the array.
        unsafe { self.0.get().cast::<RecentEntry<T>>().add(index) }
    }

    /// The facts about an id.
    ///
    /// # Safety
    /// The caller holds the lock of datasets for as long as the result is used.
    #[inline]
    pub(super) unsafe fn get<'k>(&self, of: Handle) -> Option<&'k mut T> {
        // SAFETY: guaranteed by the caller.
        let place = unsafe { &mut *self.place(of) };
        (place.of == of).then_some(&mut place.kept)
    }

    /// The entry of an id, whatever its contents.
    ///
    /// # Safety
    /// As above.
    #[inline]
    pub(super) unsafe fn take<'k>(&self, of: Handle) -> &'k mut T {
        // SAFETY: guaranteed by the caller.
        let place = unsafe { &mut *self.place(of) };
        place.of = of;
        &mut place.kept
    }
}
