//! Data spaces that the calling thread has just made. Most are used once, by the same thread, and closed; what is
//! known of one that is never asked for should cost nothing but to write it down.
//!
//! Ids are counted up, so one stands for the same space until the library begins anew.

use core::sync::atomic::Ordering::Relaxed;

use crate::hot::HOT;
use crate::thread;

/// Spaces that a thread remembers, a power of two.
const PLACES: usize = 8;

/// An id of a data space, and where it is from.
#[derive(Debug, Clone, Copy)]
pub struct Id {
    /// As the library calls it.
    pub id: i64,
    /// A function of the library.
    pub function: usize,
    /// Of libraries that were loaded; never 0.
    pub generation: u32,
}

/// What is known of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Dimensions and points, those that are not selected too; negative points are not known.
    Of(u32, i64),
    /// That of the data set with this id.
    Like(i64),
}

struct Place {
    id: Id,
    changes: u32,
    extent: Extent,
}

/// What a thread has made last. All zero is nothing.
pub(crate) struct Fresh([Place; PLACES]);

impl Fresh {
    #[cfg(test)]
    const EMPTY: Self = Self(
        [const {
            let id = Id { id: 0, function: 0, generation: 0 };
            Place { id, changes: 0, extent: Extent::Of(0, 0) }
        }; PLACES],
    );

    #[inline]
    fn note(&mut self, id: Id, extent: Extent) {
        self.0[id.id as usize % PLACES] =
            Place { id, changes: HOT.spaces_changed.load(Relaxed), extent };
    }

    #[inline]
    fn find(&self, id: Id, is_of: impl FnOnce(usize) -> bool) -> Option<Extent> {
        let place = &self.0[id.id as usize % PLACES];
        let is_this = place.id.id == id.id
            && place.id.generation == id.generation
            && place.changes == HOT.spaces_changed.load(Relaxed);
        (is_this && is_of(place.id.function)).then_some(place.extent)
    }
}

/// Notes a space.
#[inline]
pub fn note(id: Id, extent: Extent) {
    // SAFETY: only this thread uses it; no library may be called in a signal handler.
    unsafe { (*thread::current()).spaces.note(id, extent) };
}

/// What is known of a space; `is_of` tells whether a function is of the library that is asked about.
#[inline]
pub fn find(id: Id, is_of: impl FnOnce(usize) -> bool) -> Option<Extent> {
    // SAFETY: as above.
    unsafe { (*thread::current()).spaces.find(id, is_of) }
}

/// Forgets all spaces of all threads: one of them is about to get other dimensions.
pub fn forget() {
    HOT.spaces_changed.fetch_add(1, Relaxed);
}

/// Points of a space with these lengths; negative if there are too many.
#[inline]
pub fn points(lengths: &[u64]) -> i64 {
    let mut points = 1_u64;
    for length in lengths {
        points = points.saturating_mul(*length);
    }
    i64::try_from(points).unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_is_known_by_id_library_and_generation() {
        let mut fresh = Fresh::EMPTY;
        let id = |id| Id { id, function: 7, generation: 1 };
        assert_eq!(fresh.find(id(0), |_| true), None);
        fresh.note(id(1000), Extent::Of(2, 12));
        fresh.note(id(1001), Extent::Like(5));
        assert_eq!(fresh.find(id(1000), |function| function == 7), Some(Extent::Of(2, 12)));
        assert_eq!(fresh.find(id(1001), |_| true), Some(Extent::Like(5)));
        assert_eq!(fresh.find(id(1000), |_| false), None, "another library's");
        assert_eq!(fresh.find(Id { generation: 3, ..id(1000) }, |_| true), None);
        assert_eq!(fresh.find(id(1000 + PLACES as i64), |_| true), None);
        fresh.note(id(1000 + PLACES as i64), Extent::Of(1, 1));
        assert_eq!(fresh.find(id(1000), |_| true), None, "its place is taken");
        forget();
        assert_eq!(fresh.find(id(1001), |_| true), None);
        assert_eq!(points(&[3, 4]), 12);
        assert_eq!([points(&[]), points(&[u64::MAX, 2]), points(&[1 << 63])], [1, -1, -1]);
    }
}
