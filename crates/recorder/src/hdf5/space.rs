//! The dataspaces that the calling thread has most recently made, or selected points in. Most are
//! used once, by the thread that made them, and closed. Noting a selection when it is made is
//! cheap; querying the library for it takes as long as a small write. Other spaces are queried.
//!
//! Ids are counted up, so an id stands for the same space until the library restarts. At most one
//! thread remembers a space. All threads forget all spaces when a thread changes a space that it
//! does not remember, and after a call with unknown effects.

use core::hint::cold_path;
use core::sync::atomic::Ordering::Relaxed;

use super::MAX_DIMENSIONS;
use super::dataset::{self, Selection};
use crate::handles::Handle;
use crate::hot::HOT;
use crate::thread;

/// Number of spaces that a thread remembers, a power of two.
const ENTRIES: usize = 8;

/// An id of a dataspace, and its library.
#[derive(Debug, Clone, Copy)]
pub struct SpaceId {
    /// The id in its library.
    pub id: i64,
    /// An address inside the library.
    pub function: usize,
}

/// The number of dimensions of a space, or the id of a dataset that has as many. Ids are far above
/// the largest number of dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceRank(i64);

impl SpaceRank {
    /// A known number; 0 if it is unknown.
    #[inline]
    pub fn of(dimensions: usize) -> Self {
        Self(dimensions as i64)
    }

    /// The number of the dataset with this id.
    #[inline]
    pub fn like(data_set: i64) -> Self {
        Self(data_set)
    }

    /// The number; 0 if it is unknown.
    #[inline]
    pub fn get(self) -> usize {
        if self.is_given() { self.0 as usize } else { 0 }
    }

    #[inline]
    fn is_given(self) -> bool {
        self.0 <= MAX_DIMENSIONS as i64
    }
}

/// A remembered space. Without a selection, only the first of its two cache lines is used.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct SpaceEntry {
    id: SpaceId,
    rank: SpaceRank,
    changes: u32,
    /// True if the selection is known.
    is_selected: bool,
    selection: Selection,
}

const _: () = assert!(size_of::<SpaceEntry>() == 128);

/// The spaces that a thread remembers. Initially all zero.
pub(crate) struct Spaces {
    entries: [SpaceEntry; ENTRIES],
    /// The dataset whose dimensions were looked up last.
    last: LastDataset,
}

/// A dataset, and its number of dimensions.
struct LastDataset {
    handle: Handle,
    rank: usize,
    changes: u32,
}

impl Spaces {
    #[inline]
    fn entry(&mut self, id: i64) -> &mut SpaceEntry {
        &mut self.entries[id as usize % ENTRIES]
    }

    #[inline]
    fn note(&mut self, id: SpaceId, rank: SpaceRank) -> &mut SpaceEntry {
        let entry = self.entry(id.id);
        (entry.id, entry.rank) = (id, rank);
        (entry.changes, entry.is_selected) = (changes(), false);
        entry
    }

    /// The entry of a space; `is_of` returns true for an address inside its library.
    #[inline]
    fn find(&mut self, id: SpaceId, is_of: impl FnOnce(usize) -> bool) -> Option<&mut SpaceEntry> {
        let entry = self.entry(id.id);
        let is_this = entry.id.id == id.id && entry.changes == changes();
        (is_this && is_of(entry.id.function)).then_some(entry)
    }

    /// Dimensions of a dataset; 0 if unknown.
    #[inline]
    fn rank_of(&mut self, data_set: Handle) -> usize {
        // The number of dimensions never changes, and ids are not reused until the library
        // restarts.
        let changes = changes();
        if self.last.handle == data_set && self.last.changes == changes {
            return self.last.rank;
        }
        cold_path();
        let rank = dataset::rank(data_set) as usize;
        if rank != 0 {
            self.last = LastDataset { handle: data_set, rank, changes };
        }
        rank
    }
}

/// The spaces that the calling thread remembers.
#[inline]
fn own<'t>() -> &'t mut Spaces {
    // SAFETY: only this thread uses it; no library may be called in a signal handler.
    unsafe { &mut *thread::current().spaces.get() }
}

/// Notes a new space.
#[inline]
pub fn made(id: SpaceId, rank: SpaceRank) {
    own().note(id, rank);
}

/// Dimensions of a space; 0 if unknown.
#[inline]
pub fn rank(id: SpaceId, is_of: impl FnOnce(usize) -> bool) -> usize {
    own().find(id, is_of).map_or(0, |entry| entry.rank.get())
}

/// Notes the selection of a space. `select` stores it, given the number of dimensions, or returns
/// false if it is unknown. `handle` turns the id of a dataset into a handle. Returns false if the
/// space is not remembered.
#[inline]
pub fn select(
    id: SpaceId,
    is_of: impl FnOnce(usize) -> bool,
    handle: impl FnOnce(i64) -> Handle,
    select: impl FnOnce(usize, &mut Selection) -> bool,
) -> bool {
    let spaces = own();
    let rank = match spaces.find(id, is_of).map(|entry| entry.rank) {
        Some(rank) if rank.is_given() => rank.get(),
        Some(SpaceRank(data_set)) => spaces.rank_of(handle(data_set)),
        None => 0,
    };
    if rank == 0 {
        cold_path();
        return false;
    }
    let entry = spaces.entry(id.id);
    entry.is_selected = select(rank, &mut entry.selection);
    true
}

/// Notes the selection of a space that was queried, and that another thread may remember. Does
/// nothing if spaces were forgotten since the query.
#[cold]
pub fn selected(id: SpaceId, rank: usize, selection: &Selection, changes_before: u32) {
    let now = changes_before.wrapping_add(1);
    if HOT.spaces_changed.compare_exchange(changes_before, now, Relaxed, Relaxed).is_ok() {
        let entry = own().note(id, SpaceRank::of(rank));
        (entry.changes, entry.is_selected, entry.selection) = (now, true, *selection);
    }
}

/// Forgets the selection of a space after a call that is not interpreted.
pub fn changed(id: SpaceId, is_of: impl FnOnce(usize) -> bool) {
    match own().find(id, is_of) {
        Some(entry) => entry.is_selected = false,
        None => forget(),
    }
}

/// Number of times that all spaces of all threads were forgotten.
#[inline]
pub fn changes() -> u32 {
    HOT.spaces_changed.load(Relaxed)
}

/// Forgets all spaces of all threads.
pub fn forget() {
    HOT.spaces_changed.fetch_add(1, Relaxed);
}

/// The selection of a space, if it is remembered; valid until the thread selects again.
#[inline]
pub fn selection<'s>(id: SpaceId, is_of: impl FnOnce(usize) -> bool) -> Option<&'s Selection> {
    let entry = own().find(id, is_of)?;
    entry.is_selected.then_some(&entry.selection)
}

#[cfg(test)]
mod tests {
    use super::super::dataset::ALL_POINTS;
    use super::*;

    /// An id as a library would make it.
    const DATA_SET: i64 = 5 << 56;

    fn id(id: i64) -> SpaceId {
        SpaceId { id, function: 7 }
    }

    fn choose(_: usize, selection: &mut Selection) -> bool {
        selection.points = 6;
        true
    }

    // One test, because forgetting affects all threads.
    #[test]
    fn spaces_are_remembered_by_the_thread_that_made_or_changed_them() {
        let rank = |number| rank(id(number), |function| function == 7);
        let points = |number| selection(id(number), |_| true).map(|selection| selection.points);
        let select = |number| select(id(number), |_| true, |data_set| [1, data_set as u64], choose);
        assert_eq!(rank(0), 0);
        made(id(1000), SpaceRank::of(2));
        made(id(1001), SpaceRank::like(DATA_SET));
        assert_eq!([rank(1000), rank(1001)], [2, 0]);
        assert_eq!(super::rank(id(1000), |_| false), 0, "another library's");
        let behind = 1000 + ENTRIES as i64;
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
        made(id(behind), SpaceRank::of(1));
        made(id(1000), SpaceRank::of(1));
        assert_eq!(rank(behind), 0, "its place is taken");
        forget();
        assert_eq!(rank(1000), 0, "ids may have begun anew");
    }
}
