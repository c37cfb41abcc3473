//! Selections in data spaces, noted when they are made because asking for them is dear.

use core::ffi::c_int;
use core::slice;

use ioglass_recorder::file;
use ioglass_recorder::hdf5::dataset::{self, Choice, Selection};
use ioglass_recorder::hdf5::space;

use super::ask;
use super::library::{Id, Library};
use crate::late::{self, interpose_late};

/// The selection replaces what was selected.
const SET: c_int = 0;
/// As many as there will be.
const UNLIMITED: u64 = u64::MAX;

/// Makes a call of the library with the function `real` that selects something in a space, and notes
/// what `made` says it was.
fn select(
    real: *const (),
    id: Id,
    call: impl FnOnce() -> c_int,
    made: impl Fn(usize, &mut Selection) -> bool,
) -> c_int {
    let result = call();
    if file::is_open()
        && let Some(library) = Library::of(real as usize)
    {
        let space = library.fleeting(id);
        if result < 0 {
            space::changed(space);
        } else if !space::selected_as_before(space, &made) {
            let mut selection = Selection::ALL;
            match ask::rank(library, id).filter(|rank| made(*rank, &mut selection)) {
                Some(rank) => space::selected(space, rank, &selection),
                None => space::changed(space),
            }
        }
    }
    result
}

/// Makes a call of the library that makes a space, and has noted what is known of that.
fn make(real: *const (), call: impl FnOnce() -> Id, note: impl FnOnce(&Library, Id)) -> Id {
    let id = call();
    if id >= 0
        && file::is_open()
        && let Some(library) = Library::of(real as usize)
    {
        note(library, id);
    }
    id
}

/// A call that selects in a way that is not noted, or changes the dimensions.
fn change(real: *const (), id: Id, call: impl FnOnce() -> c_int) -> c_int {
    let result = call();
    if file::is_open()
        && let Some(library) = Library::of(real as usize)
    {
        space::changed(library.fleeting(id));
    }
    result
}

/// Blocks as the program describes them; without a distance or size it is one.
#[inline]
unsafe fn blocks(
    rank: usize,
    stride: *const u64,
    count: *const u64,
    block: *const u64,
) -> Option<Selection> {
    const ONES: [u64; 32] = [1; 32];
    // SAFETY: null or an element for each dimension.
    let array = |first: *const u64| unsafe {
        if first.is_null() { ONES.get(..rank) } else { Some(slice::from_raw_parts(first, rank)) }
    };
    let (stride, count, block) = (array(stride)?, array(count)?, array(block)?);
    let is_limited = !count.contains(&UNLIMITED) && !block.contains(&UNLIMITED);
    is_limited.then(|| Selection::regular(count, block, stride))
}

interpose_late! {
    fn H5Screate_simple(rank: c_int, size: *const u64, most: *const u64) -> Id = |real|
        make(real as _, || real(rank, size, most), |library, id| {
            let rank = if size.is_null() { 0 } else { usize::try_from(rank).unwrap_or(0) };
            let size = if rank == 0 { &[] } else { slice::from_raw_parts(size, rank) };
            space::made(library.fleeting(id), size);
        });
    fn H5Dget_space(dataset: Id) -> Id = |real|
        make(real as _, || real(dataset), |library, id| {
            dataset::space_made(library.handle(dataset), library.fleeting(id));
        });
    fn H5Sselect_hyperslab(
        id: Id, operation: c_int, start: *const u64, stride: *const u64, count: *const u64,
        block: *const u64,
    ) -> c_int = |real|
        select(real as _, id, || real(id, operation, start, stride, count, block), |rank, selection| {
            let blocks = if operation == SET { blocks(rank, stride, count, block) } else { None };
            blocks.map(|blocks| *selection = blocks).is_some()
        });
    fn H5Sselect_elements(id: Id, operation: c_int, count: usize, points: *const u64) -> c_int = |real|
        select(real as _, id, || real(id, operation, count, points), |_, selection| {
            *selection = Selection::of(Choice::Points, Some(count as i64));
            operation == SET
        });
    fn H5Sselect_all(id: Id) -> c_int = |real| change(real as _, id, || real(id));
    fn H5Sselect_none(id: Id) -> c_int = |real| change(real as _, id, || real(id));
    fn H5Sselect_adjust(id: Id, offset: *const i64) -> c_int = |real|
        change(real as _, id, || real(id, offset));
    fn H5Sselect_copy(id: Id, from: Id) -> c_int = |real|
        change(real as _, id, || real(id, from));
    fn H5Smodify_select(id: Id, operation: c_int, with: Id) -> c_int = |real|
        change(real as _, id, || real(id, operation, with));
    fn H5Sextent_copy(id: Id, from: Id) -> c_int = |real|
        change(real as _, id, || real(id, from));
    fn H5Sset_extent_simple(id: Id, rank: c_int, size: *const u64, most: *const u64) -> c_int = |real|
        change(real as _, id, || real(id, rank, size, most));
    fn H5Sset_extent_none(id: Id) -> c_int = |real| change(real as _, id, || real(id));

    // From now on the library counts its ids from the first again.
    fn H5close() -> c_int = |real| {
        let result = real();
        late::begin_anew();
        result
    };
}
