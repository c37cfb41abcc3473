//! Selections in data spaces, noted when they are made because asking for them is dear.

use core::ffi::c_int;
use core::slice;

use ioglass_recorder::file;
use ioglass_recorder::hdf5::dataset::{Blocks, Choice, Selection};
use ioglass_recorder::hdf5::fresh::{self, Extent};
use ioglass_recorder::hdf5::space::{self, Rank};

use super::ask;
use super::library::{Id, Library, fresh_id};
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
            return result;
        }
        let rank = match library.made(id) {
            Some(Extent::Of(rank, _)) => Rank::Of(rank),
            Some(Extent::Like(dataset)) => Rank::Like(library.handle(dataset)),
            None => Rank::Kept,
        };
        if !space::select(space, rank, &made) {
            select_unknown(library, id, &made);
        }
    }
    result
}

/// The same in a space whose dimensions must be asked for.
#[cold]
fn select_unknown(library: &Library, id: Id, made: impl Fn(usize, &mut Selection) -> bool) {
    let (space, mut selection) = (library.fleeting(id), Selection::ALL);
    match ask::rank(library, id).filter(|rank| made(*rank, &mut selection)) {
        Some(rank) => space::selected(space, rank, &selection),
        None => space::changed(space),
    }
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

/// A call that gives a space other dimensions.
fn reshape(real: *const (), id: Id, call: impl FnOnce() -> c_int) -> c_int {
    fresh::forget();
    change(real, id, call)
}

/// Makes a selection one of blocks as the program describes them; without a distance or size it is one. Tells
/// `false` if there is no limit to them.
#[inline]
unsafe fn set_blocks(
    selection: &mut Selection,
    rank: usize,
    [stride, count, block]: [*const u64; 3],
) -> bool {
    // SAFETY: null or an element for each dimension.
    let get = |first: *const u64, i| if first.is_null() { 1 } else { unsafe { *first.add(i) } };
    let mut is_limited = true;
    selection.set_regular((0..rank).map(|i| {
        let blocks = Blocks { count: get(count, i), block: get(block, i), stride: get(stride, i) };
        is_limited &= blocks.count != UNLIMITED && blocks.block != UNLIMITED;
        blocks
    }));
    is_limited
}

/// Whether a space was made: what an id stands for is in its highest bits. Libraries whose ids have only 32 are
/// left alone.
fn is_space(id: Id) -> bool {
    const SPACE: Id = 4;
    id >> 56 == SPACE
}

/// What is known of a space that is made with these lengths.
unsafe fn extent(rank: c_int, size: *const u64) -> Extent {
    let rank = if size.is_null() { 0 } else { usize::try_from(rank).unwrap_or(0) };
    // SAFETY: a length for each dimension.
    let lengths = if rank == 0 { &[] } else { unsafe { slice::from_raw_parts(size, rank) } };
    Extent::Of(rank as u32, fresh::points(lengths))
}

// Spaces that are made are noted whether or not there is something to record: to find that out takes longer.
interpose_late! {
    fn H5Screate_simple(rank: c_int, size: *const u64, most: *const u64) -> Id = |real| {
        let id = real(rank, size, most);
        if is_space(id) {
            fresh::note(fresh_id(real as usize, id), extent(rank, size));
        }
        id
    };
    fn H5Dget_space(dataset: Id) -> Id = |real| {
        let id = real(dataset);
        if is_space(id) {
            fresh::note(fresh_id(real as usize, id), Extent::Like(dataset));
        }
        id
    };
    fn H5Sselect_hyperslab(
        id: Id, operation: c_int, start: *const u64, stride: *const u64, count: *const u64,
        block: *const u64,
    ) -> c_int = |real|
        select(real as _, id, || real(id, operation, start, stride, count, block), |rank, selection| {
            operation == SET && set_blocks(selection, rank, [stride, count, block])
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
        reshape(real as _, id, || real(id, from));
    fn H5Sset_extent_simple(id: Id, rank: c_int, size: *const u64, most: *const u64) -> c_int = |real| {
        let result = reshape(real as _, id, || real(id, rank, size, most));
        if result >= 0 && is_space(id) {
            fresh::note(fresh_id(real as usize, id), extent(rank, size));
        }
        result
    };
    fn H5Sset_extent_none(id: Id) -> c_int = |real| reshape(real as _, id, || real(id));

    // From now on the library counts its ids from the first again.
    fn H5close() -> c_int = |real| {
        let result = real();
        late::begin_anew();
        result
    };
}
