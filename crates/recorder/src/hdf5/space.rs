//! Data spaces that the calling thread has made last or selected something in. Most are used once, by the thread
//! that has made them, and closed: to write down what the program has said costs little, and to ask a library for
//! a selection takes as long as a small write. What is not here, or was made in another way, is asked for.
//!
//! Ids are counted up, so one stands for the same space until the library begins anew. At most one thread
//! remembers a space: one that changes a space it does not remember has all threads forget theirs, and so has
//! whoever cannot say what a call has changed.

use core::hint::cold_path;
use core::sync::atomic::Ordering::Relaxed;

use super::MAX_DIMENSIONS;
use super::dataset::{self, Selection};
use crate::handles::Handle;
use crate::hot::HOT;
use crate::thread;

/// Spaces that a thread remembers, a power of two.
const PLACES: usize = 8;

/// An id of a data space, and where it is from.
#[derive(Debug, Clone, Copy)]
pub struct Id {
    /// As the library calls it.
    pub id: i64,
    /// Something that is part of the library.
    pub function: usize,
}

/// What is known of the dimensions of a space: how many there are, or the id of a data set that has as many. Ids
/// are far above the largest number of dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank(i64);

impl Rank {
    /// There are so many; 0 if that is not known.
    #[inline]
    pub fn of(dimensions: usize) -> Self {
        Self(dimensions as i64)
    }

    /// As many as the data set with this id has.
    #[inline]
    pub fn like(data_set: i64) -> Self {
        Self(data_set)
    }

    /// How many there are; 0 if that is not known.
    #[inline]
    pub fn get(self) -> usize {
        if self.is_given() { self.0 as usize } else { 0 }
    }

    #[inline]
    fn is_given(self) -> bool {
        self.0 <= MAX_DIMENSIONS as i64
    }
}

/// What is known of a space that was merely made is in the first of two lines of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Place {
    id: Id,
    rank: Rank,
    changes: u32,
    /// Whether the selection is known.
    is_selected: bool,
    selection: Selection,
}

const _: () = assert!(size_of::<Place>() == 128);

/// What a thread remembers. All zero is nothing.
pub(crate) struct Spaces {
    places: [Place; PLACES],
    /// The data set whose dimensions were looked for last.
    last: Last,
}

/// A data set, and how many dimensions it has.
struct Last {
    handle: Handle,
    rank: usize,
    changes: u32,
}

impl Spaces {
    #[inline]
    fn place(&mut self, id: i64) -> &mut Place {
        &mut self.places[id as usize % PLACES]
    }

    #[inline]
    fn note(&mut self, id: Id, rank: Rank) -> &mut Place {
        let place = self.place(id.id);
        (place.id, place.rank) = (id, rank);
        (place.changes, place.is_selected) = (changes(), false);
        place
    }

    /// `is_of` tells whether something is part of the library that is asked about.
    #[inline]
    fn find(&mut self, id: Id, is_of: impl FnOnce(usize) -> bool) -> Option<&mut Place> {
        let place = self.place(id.id);
        let is_this = place.id.id == id.id && place.changes == changes();
        (is_this && is_of(place.id.function)).then_some(place)
    }

    /// Dimensions of a data set; 0 if they are not known.
    #[inline]
    fn rank_of(&mut self, data_set: Handle) -> usize {
        // A data set keeps its dimensions, and its id is not given to another one until the library begins anew.
        let changes = changes();
        if self.last.handle == data_set && self.last.changes == changes {
            return self.last.rank;
        }
        cold_path();
        let rank = dataset::rank(data_set) as usize;
        if rank != 0 {
            self.last = Last { handle: data_set, rank, changes };
        }
        rank
    }
}

/// What the calling thread remembers.
#[inline]
fn own<'t>() -> &'t mut Spaces {
    // SAFETY: only this thread uses it; no library may be called in a signal handler.
    unsafe { &mut *thread::current().spaces.get() }
}

/// Notes a space that was made.
#[inline]
pub fn made(id: Id, rank: Rank) {
    own().note(id, rank);
}

/// Dimensions of a space; 0 if they are not known.
#[inline]
pub fn rank(id: Id, is_of: impl FnOnce(usize) -> bool) -> usize {
    own().find(id, is_of).map_or(0, |place| place.rank.get())
}

/// Notes what was selected in a space, as `select` does of its dimensions; forgets the selection if that tells
/// `false`. Tells `false` itself if the space is not remembered. `handle` makes a handle of a data set's id.
#[inline]
pub fn select(
    id: Id,
    is_of: impl FnOnce(usize) -> bool,
    handle: impl FnOnce(i64) -> Handle,
    select: impl FnOnce(usize, &mut Selection) -> bool,
) -> bool {
    let spaces = own();
    let rank = match spaces.find(id, is_of).map(|place| place.rank) {
        Some(rank) if rank.is_given() => rank.get(),
        Some(Rank(data_set)) => spaces.rank_of(handle(data_set)),
        None => 0,
    };
    if rank == 0 {
        cold_path();
        return false;
    }
    let place = spaces.place(id.id);
    place.is_selected = select(rank, &mut place.selection);
    true
}

/// Notes the selection in a space with this many dimensions, which was perhaps another thread's, unless something
/// has changed since it was asked for.
#[cold]
pub fn selected(id: Id, rank: usize, selection: &Selection, changes_before: u32) {
    let now = changes_before.wrapping_add(1);
    if HOT.spaces_changed.compare_exchange(changes_before, now, Relaxed, Relaxed).is_ok() {
        let place = own().note(id, Rank::of(rank));
        (place.changes, place.is_selected, place.selection) = (now, true, *selection);
    }
}

/// Forgets the selection in a space, which was made in another way.
pub fn changed(id: Id, is_of: impl FnOnce(usize) -> bool) {
    match own().find(id, is_of) {
        Some(place) => place.is_selected = false,
        None => forget(),
    }
}

/// How often all spaces of all threads were forgotten.
#[inline]
pub fn changes() -> u32 {
    HOT.spaces_changed.load(Relaxed)
}

/// Forgets all spaces of all threads.
pub fn forget() {
    HOT.spaces_changed.fetch_add(1, Relaxed);
}

/// The selection in a space, if it is remembered, until the thread selects something else.
#[inline]
pub fn selection<'s>(id: Id, is_of: impl FnOnce(usize) -> bool) -> Option<&'s Selection> {
    let place = own().find(id, is_of)?;
    place.is_selected.then_some(&place.selection)
}

#[cfg(test)]
mod tests {
    use super::super::dataset::ALL_POINTS;
    use super::*;

    /// As a library would call it.
    const DATA_SET: i64 = 5 << 56;

    fn id(id: i64) -> Id {
        Id { id, function: 7 }
    }

    fn choose(_: usize, selection: &mut Selection) -> bool {
        selection.points = 6;
        true
    }

    // One test, because forgetting is for all threads.
    #[test]
    fn spaces_are_remembered_by_the_thread_that_made_or_changed_them() {
        let rank = |number| rank(id(number), |function| function == 7);
        let points = |number| selection(id(number), |_| true).map(|selection| selection.points);
        let select = |number| select(id(number), |_| true, |data_set| [1, data_set as u64], choose);
        assert_eq!(rank(0), 0);
        made(id(1000), Rank::of(2));
        made(id(1001), Rank::like(DATA_SET));
        assert_eq!([rank(1000), rank(1001)], [2, 0]);
        assert_eq!(super::rank(id(1000), |_| false), 0, "another library's");
        let behind = 1000 + PLACES as i64;
        assert_eq!(rank(behind), 0);

        assert_eq!(points(1000), None, "nothing was selected yet");
        assert!(select(1000));
        assert_eq!(points(1000), Some(6));
        assert!(!select(1001), "nobody knows the data set");
        assert!(!select(behind), "nor this space");
        changed(id(1000), |_| true);
        assert_eq!((points(1000), rank(1000)), (None, 2));

        // Another thread selects something in it.
        assert!(select(1000));
        let other = std::thread::spawn(|| {
            assert!(!super::select(id(1000), |_| true, |_| [0; 2], choose));
            selected(id(1000), 2, &Selection::ALL, changes());
            selection(id(1000), |_| true).is_some()
        });
        assert!(other.join().unwrap());
        assert_eq!(points(1000), None, "the other thread's");

        let before = changes();
        forget();
        selected(id(1000), 2, &Selection::ALL, before);
        assert_eq!(points(1000), None, "something has changed since");
        selected(id(1000), 2, &Selection::ALL, changes());
        assert_eq!((points(1000), rank(1000)), (Some(ALL_POINTS), 2));
        changed(id(behind), |_| true);
        assert_eq!(points(1000), None, "a space that is not known may be any");
        made(id(behind), Rank::of(1));
        made(id(1000), Rank::of(1));
        assert_eq!(rank(behind), 0, "its place is taken");
        forget();
        assert_eq!(rank(1000), 0, "ids may have begun anew");
    }
}
