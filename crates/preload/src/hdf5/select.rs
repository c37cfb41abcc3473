//! Selections in dataspaces, noted when they are made because a query for them is expensive.

use core::ffi::c_int;
use core::hint::cold_path;

use ioglass_recorder::file;
use ioglass_recorder::hdf5::dataset::{Blocks, Choice, Selection};
use ioglass_recorder::hdf5::space::{self, SpaceRank};
use ioglass_recorder::hdf5::{self, MAX_DIMENSIONS};

use super::ask;
use super::library::{Id, Library, space_of};
use crate::late_symbol::{self, interpose_late};

/// The operator that replaces the old selection.
const SET: c_int = 0;

/// The selection of a call, as the program describes it.
trait Selecting: Copy {
    /// Stores this selection into `selection`, for a space of `rank` dimensions. Returns `false` if
    /// it is not known.
    fn put(self, rank: usize, selection: &mut Selection) -> bool;
}

/// Blocks, by stride, count and size in each dimension; null stands for ones.
#[derive(Clone, Copy)]
struct GivenBlocks([*const u64; 3]);

impl Selecting for GivenBlocks {
    #[inline(always)]
    fn put(self, rank: usize, selection: &mut Selection) -> bool {
        // Reading a one is faster than a test for null each time.
        static ONES: [u64; MAX_DIMENSIONS] = [1; MAX_DIMENSIONS];
        let [stride, count, block] =
            self.0.map(|first| if first.is_null() { ONES.as_ptr() } else { first });
        selection.set_regular((0..rank.min(MAX_DIMENSIONS)).map(|i| {
            // SAFETY: each has an element for every dimension.
            let get = |first: *const u64| unsafe { *first.add(i) };
            Blocks { count: get(count), block: get(block), stride: get(stride) }
        }))
    }
}

/// A number of points.
#[derive(Clone, Copy)]
struct Points(usize);

impl Selecting for Points {
    fn put(self, _: usize, selection: &mut Selection) -> bool {
        *selection = Selection::of(Choice::Points, self.0 as i64);
        true
    }
}

/// Makes a call of the library with the function `real` that selects points in a space, and notes
/// the selection. With any operator but [`SET`], the result depends on the old selection.
#[inline(always)] // so that nothing has to be put together
fn select(
    real: *const (),
    id: Id,
    operation: c_int,
    selecting: impl Selecting,
    call: impl FnOnce() -> c_int,
) -> c_int {
    let result = call();
    let Some(library) = library(real) else { return result };
    let (space, is_of) = (library.space(id), |part| library.has(part));
    if result < 0 || operation != SET {
        cold_path();
        space::changed(space, is_of);
        return result;
    }
    let handle = |dataset| library.handle(dataset);
    let put = |rank, selection: &mut Selection| selecting.put(rank, selection);
    if !space::select(space, is_of, handle, put) {
        select_unknown(library, id, selecting);
    }
    result
}

/// The library with the function `real`, which has changed a space. If the library is not known,
/// e.g. because another function stands between us and it, all spaces are forgotten.
#[inline]
fn library(real: *const ()) -> Option<&'static Library> {
    let library = file::is_open().then(|| Library::of(real as usize)).flatten();
    if library.is_none() {
        cold_path();
        space::forget();
    }
    library
}

/// Notes the selection of a space whose dimensions must be queried.
#[cold]
#[inline(never)]
fn select_unknown(library: &Library, id: Id, selecting: impl Selecting) {
    let (before, space, mut selection) = (space::changes(), library.space(id), Selection::ALL);
    match ask::rank(library, id).filter(|rank| selecting.put(*rank, &mut selection)) {
        Some(rank) => space::selected(space, rank, &selection, before),
        None => space::changed(space, |part| library.has(part)),
    }
}

/// Makes a call that selects in a way that is not noted, or that changes the dimensions.
fn change(real: *const (), id: Id, call: impl FnOnce() -> c_int) -> c_int {
    let result = call();
    if let Some(library) = library(real) {
        space::changed(library.space(id), |part| library.has(part));
    }
    result
}

/// Makes a call that gives a space other dimensions.
fn reshape(real: *const (), id: Id, call: impl FnOnce() -> c_int) -> c_int {
    space::forget();
    change(real, id, call)
}

/// Returns true if the id is a dataspace: the highest bits of an id are its type. Libraries with
/// 32-bit ids are not recorded.
fn is_space(id: Id) -> bool {
    const SPACE: Id = 4;
    id >> 56 == SPACE
}

/// Dimensions of a new space with these lengths.
fn made(rank: c_int, size: *const u64) -> SpaceRank {
    SpaceRank::of(if size.is_null() { 0 } else { rank.max(0) as usize })
}

// New spaces are noted even if nothing is recorded: the test for that takes longer.
interpose_late! {
    #[unsafe(link_section = ".text.hot")]
    fn H5Screate_simple(rank: c_int, size: *const u64, most: *const u64) -> Id = |real| {
        let id = real(rank, size, most);
        if is_space(id) {
            space::made(space_of(real as usize, id), made(rank, size));
        }
        id
    };
    #[unsafe(link_section = ".text.hot")]
    fn H5Dget_space(dataset: Id) -> Id = |real| {
        let id = real(dataset);
        if is_space(id) {
            space::made(space_of(real as usize, id), SpaceRank::like(dataset));
        }
        id
    };
    #[unsafe(link_section = ".text.hot")]
    fn H5Sselect_hyperslab(
        id: Id, operation: c_int, start: *const u64, stride: *const u64, count: *const u64,
        block: *const u64,
    ) -> c_int = |real|
        select(
            real as _, id, operation, GivenBlocks([stride, count, block]),
            || real(id, operation, start, stride, count, block),
        );
    fn H5Sselect_elements(id: Id, operation: c_int, count: usize, points: *const u64) -> c_int = |real|
        select(
            real as _, id, operation, Points(count),
            || real(id, operation, count, points),
        );
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
            space::made(space_of(real as usize, id), made(rank, size));
        }
        result
    };
    fn H5Sset_extent_none(id: Id) -> c_int = |real| reshape(real as _, id, || real(id));

    // From now on the library starts its ids over.
    fn H5close() -> c_int = |real| {
        let result = real();
        late_symbol::begin_anew();
        if let Some(library) = Library::known(real as usize) {
            hdf5::forget(library.number());
        }
        result
    };
}
