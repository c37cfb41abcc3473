//! Property lists: collective mode, chunk lengths, and use of MPI-IO are noted.

use core::ffi::{c_char, c_int, c_void};
use core::slice;

use ioglass_recorder::file;
use ioglass_recorder::hdf5::property_list::{self, ListSetting};

use super::ask;
use super::library::{Id, Library};
use crate::late_symbol::interpose_late;

/// Makes a call that changes a property list, and notes the new setting.
fn change(
    real: *const (),
    list: Id,
    call: impl FnOnce() -> c_int,
    setting: impl FnOnce() -> ListSetting,
) -> c_int {
    let result = call();
    if file::is_open()
        && let Some(library) = Library::of(real as usize)
    {
        let setting = if result >= 0 { setting() } else { ListSetting::Nothing };
        property_list::note(library.fleeting(list), setting);
    }
    result
}

/// Makes a call after which only the library knows the settings of a property list.
fn upset(real: *const (), list: Id, call: impl FnOnce() -> c_int) -> c_int {
    change(real, list, call, || ListSetting::Nothing)
}

interpose_late! {
    fn H5Pset_dxpl_mpio(list: Id, mode: c_int) -> c_int = |real|
        change(real as _, list, || real(list, mode), || ListSetting::Together(mode == ask::COLLECTIVE));
    fn H5Pset_chunk(list: Id, rank: c_int, lengths: *const u64) -> c_int = |real|
        change(real as _, list, || real(list, rank, lengths), || {
            // A call that succeeds was given a length for each of at least one dimension.
            ListSetting::Chunks(ask::last_first(slice::from_raw_parts(lengths, rank as usize)))
        });
    fn H5Pset_layout(list: Id, layout: c_int) -> c_int = |real|
        upset(real as _, list, || real(list, layout));
    fn H5Pset_virtual(
        list: Id, space: Id, file: *const c_char, dataset: *const c_char, from: Id,
    ) -> c_int = |real|
        upset(real as _, list, || real(list, space, file, dataset, from));
    // Drivers that use MPI-IO, or may delegate to it.
    fn H5Pset_fapl_mpio(list: Id, communicator: usize, info: usize) -> c_int = |real|
        upset(real as _, list, || real(list, communicator, info));
    fn H5Pset_fapl_subfiling(list: Id, how: *const c_void) -> c_int = |real|
        upset(real as _, list, || real(list, how));
    fn H5Pset_fapl_family(list: Id, size: u64, of: Id) -> c_int = |real|
        upset(real as _, list, || real(list, size, of));
    fn H5Pset_fapl_multi(
        list: Id, map: *const c_void, of: *const Id, names: *const c_void, places: *const u64, relax: c_int,
    ) -> c_int = |real|
        upset(real as _, list, || real(list, map, of, names, places, relax));
    fn H5Pset_fapl_split(
        list: Id, meta: *const c_char, of_meta: Id, raw: *const c_char, of_raw: Id,
    ) -> c_int = |real|
        upset(real as _, list, || real(list, meta, of_meta, raw, of_raw));
    fn H5Pset_fapl_splitter(list: Id, how: *const c_void) -> c_int = |real|
        upset(real as _, list, || real(list, how));
    fn H5Pset_driver(list: Id, driver: Id, how: *const c_void) -> c_int = |real|
        upset(real as _, list, || real(list, driver, how));
    fn H5Pset_driver_by_name(list: Id, name: *const c_char, how: *const c_char) -> c_int = |real|
        upset(real as _, list, || real(list, name, how));
    fn H5Pset_driver_by_value(list: Id, value: c_int, how: *const c_char) -> c_int = |real|
        upset(real as _, list, || real(list, value, how));
    // These can change any property of any list.
    fn H5Pset(list: Id, name: *const c_char, value: *const c_void) -> c_int = |real|
        upset(real as _, list, || real(list, name, value));
    fn H5Pcopy_prop(list: Id, from: Id, name: *const c_char) -> c_int = |real|
        upset(real as _, list, || real(list, from, name));
    fn H5Premove(list: Id, name: *const c_char) -> c_int = |real|
        upset(real as _, list, || real(list, name));
}
