//! What is known of the ids of a library that were used last. It is kept under the lock of data sets, which
//! whoever needs it holds anyway; that is enough, because a signal handler may call nothing of HDF5.

use super::Handle;
use crate::memory::Shared;

/// Places for `N` ids, a power of two; of those that share one, the last has it.
pub(super) struct Recent<T, const N: usize>(Shared<[Place<T>; N]>);

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Place<T> {
    of: Handle,
    kept: T,
}

impl<T: Copy, const N: usize> Recent<T, N> {
    /// `nothing` is what is known of an id that was never seen.
    pub(super) const fn new(nothing: T) -> Self {
        Self(Shared::new([Place { of: [0; 2], kept: nothing }; N]))
    }

    /// Ids are counted up, so their low bits tell most of them apart.
    #[inline]
    fn place(&self, of: Handle) -> *mut Place<T> {
        let index = (of[0] >> 12 ^ of[1]) as usize % N;
        // SAFETY: inside the array.
        unsafe { self.0.get().cast::<Place<T>>().add(index) }
    }

    /// What is known of an id.
    ///
    /// # Safety
    /// Under the lock of data sets, for as long as it is used.
    #[inline]
    pub(super) unsafe fn get<'k>(&self, of: Handle) -> Option<&'k mut T> {
        // SAFETY: as the caller says.
        let place = unsafe { &mut *self.place(of) };
        (place.of == of).then_some(&mut place.kept)
    }

    /// The room of an id, whatever is in it.
    ///
    /// # Safety
    /// As above.
    #[inline]
    pub(super) unsafe fn take<'k>(&self, of: Handle) -> &'k mut T {
        // SAFETY: as the caller says.
        let place = unsafe { &mut *self.place(of) };
        place.of = of;
        &mut place.kept
    }
}
