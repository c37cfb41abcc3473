//! HDF5. The library behind a name depends on the caller.

#![allow(non_snake_case)] // the names are HDF5's

mod ask;
pub(crate) mod library;
mod properties;
mod select;

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::hint::cold_path;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ioglass_recorder::hdf5::dataset::{self, Access, Booked, Selection};
use ioglass_recorder::hdf5::{self, fixed_properties, space};
use ioglass_recorder::posix::{Direction, Direction::Read, Direction::Write};
use ioglass_recorder::span::Span;
use ioglass_recorder::{file, mpiio};

use crate::inject::{self, DatasetCall, FileLists};
use crate::late_symbol::interpose_late;
use ask::{FilePoints, NewDataset};
use library::{Id, Library};

/// True if a file was ever mounted in another one.
static HAS_MOUNTED: AtomicBool = AtomicBool::new(false);

/// Forgets libraries that are no longer loaded, and their ids.
pub(crate) fn forget_unloaded() {
    Library::forget_unloaded(hdf5::forget);
}

/// Location of an object, as its library knows it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Token {
    bytes: [u8; 16],
}

/// Makes a call of the library with the function `real`, and books it if it succeeds.
unsafe fn booked<T: Copy + Into<i64>>(
    real: *const (),
    call: impl FnOnce() -> T,
    book: impl FnOnce(&'static Library, T, Span),
) -> T {
    if !file::is_open() {
        return call();
    }
    let (result, span) = Span::of(call);
    if result.into() >= 0
        && let Some(library) = Library::of(real as usize)
    {
        book(library, result, span);
    }
    result
}

unsafe fn open_file(
    real: *const (),
    path: *const c_char,
    access: Id,
    call: impl FnOnce() -> Id,
) -> Id {
    let opens = mpiio::opens();
    // SAFETY: a call that succeeds was given a path.
    unsafe {
        booked(real, call, |library, id, span| {
            inject::note_hdf5(library);
            let uses_mpiio = ask::uses_mpiio(library, access, mpiio::opens() != opens);
            hdf5::opened(library.handle(id), CStr::from_ptr(path), uses_mpiio, span);
        })
    }
}

/// The way a dataset was opened.
#[derive(Clone, Copy)]
struct Opening {
    name: *const c_char,
    made: Option<NewDataset>,
    is_deprecated: bool,
}

impl Opening {
    const fn named(name: *const c_char) -> Self {
        Self { name, made: None, is_deprecated: false }
    }

    const fn unnamed() -> Self {
        Self::named(core::ptr::null())
    }

    #[unsafe(link_section = ".text.hot")]
    unsafe fn book(&self, library: &Library, id: Id, span: Span) {
        // SAFETY: a name that is not null is a string.
        let given = if self.name.is_null() { c"" } else { unsafe { CStr::from_ptr(self.name) } };
        if self.made.is_some() {
            fixed_properties::forget();
        }
        ask::about(library, id, self.made, given, |about| {
            dataset::opened(library.handle(id), about, self.is_deprecated, span);
        });
    }
}

unsafe fn open_dataset(real: *const (), opening: Opening, call: impl FnOnce() -> Id) -> Id {
    // SAFETY: the name of a call that has succeeded.
    unsafe { booked(real, call, |library, id, span| opening.book(library, id, span)) }
}

/// Opens an object with this name or location, which may be a dataset.
unsafe fn open_object(real: *const (), opening: Opening, call: impl FnOnce() -> Id) -> Id {
    // SAFETY: as above.
    unsafe {
        booked(real, call, |library, id, span| {
            if ask::is_dataset(library, id) {
                opening.book(library, id, span);
            }
        })
    }
}

/// Makes a call that makes datasets in a way that is not recorded.
fn make_unseen<T>(call: impl FnOnce() -> T) -> T {
    let result = call();
    fixed_properties::forget();
    result
}

/// A transfer between memory and the points of `spaces`: the memory space and the file space.
unsafe fn transfer(
    real: *const (),
    direction: Direction,
    id: Id,
    spaces: [Id; 2],
    properties: Id,
    call: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: the ids are those of a call that has succeeded.
    unsafe {
        booked(real, call, |library, _, span| {
            book_transfer(library, direction, id, spaces, properties, span);
        })
    }
}

/// Books a transfer.
#[inline(always)] // where the direction is known, so are the counters
fn book_transfer(
    library: &'static Library,
    direction: Direction,
    id: Id,
    [memory, file]: [Id; 2],
    properties: Id,
    span: Span,
) {
    let list = (properties != ask::DEFAULT).then(|| library.fleeting(properties));
    let mut is_new = true;
    loop {
        let asked;
        let points = match FilePoints::of(memory, file) {
            FilePoints::Selected => {
                match space::selection(library.space(file), |part| library.has(part)) {
                    Some(remembered) => remembered,
                    None => {
                        cold_path();
                        asked = ask::selection(library, file);
                        &asked
                    }
                }
            }
            FilePoints::All => &Selection::ALL,
            FilePoints::AsInMemory => {
                cold_path();
                asked = ask::points_in_memory(library, memory);
                &asked
            }
        };
        let access = Access { direction, points, list, span };
        match dataset::accessed(library.handle(id), &access) {
            // The opening of this dataset was not seen. The query for it may change the remembered
            // ids.
            Booked::NotYet if is_new && ask::dataset(library, id).is_some() => is_new = false,
            Booked::Alone if ask::is_collective(library, properties) => {
                return dataset::used_together(library.handle(id));
            }
            _ => return,
        }
    }
}

/// Several transfers in one call; each gets an equal share of the time.
unsafe fn transfer_several(
    real: *const (),
    direction: Direction,
    (count, ids): (usize, *const Id),
    spaces: [*const Id; 2],
    properties: Id,
    call: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: arrays with this many ids, which the library has just used.
    unsafe {
        booked(real, call, |library, _, span| {
            let share = span.end.saturating_sub(span.begin) / count.max(1) as u64;
            for i in 0..count {
                let begin = span.begin + share * i as u64;
                let span = Span { begin, end: begin + share };
                let spaces = spaces.map(|spaces| *spaces.add(i));
                book_one(library, direction, *ids.add(i), spaces, properties, span);
            }
        })
    }
}

#[inline(never)] // for both directions
fn book_one(
    library: &'static Library,
    direction: Direction,
    id: Id,
    spaces: [Id; 2],
    properties: Id,
    span: Span,
) {
    book_transfer(library, direction, id, spaces, properties, span);
}

/// Makes a call after which a dataset may have another size.
unsafe fn resize(real: *const (), id: Id, call: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the id of a call that has succeeded.
    unsafe {
        booked(real, call, |library, _, _| {
            if let Some(dataset) = ask::dataset(library, id)
                && let Some(points) = ask::current_points(library, id)
            {
                dataset::resized(dataset, points);
            }
        })
    }
}

/// The kind of object that an id may stand for when it is closed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closing {
    File,
    Dataset,
    Anything,
}

/// Makes a call that closes an object if it returns 0: other references to it may remain.
unsafe fn close(real: *const (), id: Id, what: Closing, call: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: as above.
    unsafe {
        booked(real, call, |library, left, span| {
            if left == 0 && what != Closing::File {
                dataset::closed(library.handle(id), span);
            }
            if left == 0 && what != Closing::Dataset {
                hdf5::closed(library.handle(id), span);
            }
        })
    }
}

interpose_late! {
    #[unsafe(link_section = ".text.hot")]
    fn H5Fcreate(path: *const c_char, flags: c_uint, creation: Id, access: Id) -> Id = |real|
        inject::open_file(real as _, path, FileLists::new(Some(creation), access), |lists| {
            let FileLists { creation, access, .. } = lists;
            let creation = creation.unwrap_or_default();
            open_file(real as _, path, access, || real(path, flags, creation, access))
        });
    #[unsafe(link_section = ".text.hot")]
    fn H5Fopen(path: *const c_char, flags: c_uint, access: Id) -> Id = |real|
        inject::open_file(real as _, path, FileLists::new(None, access), |lists| {
            let access = lists.access;
            open_file(real as _, path, access, || real(path, flags, access))
        });
    fn H5Fcreate_async(
        file: *const c_char, function: *const c_char, line: c_uint, path: *const c_char, flags: c_uint,
        creation: Id, access: Id, events: Id,
    ) -> Id = |real|
        inject::open_file(real as _, path, FileLists::later(Some(creation), access, events), |lists| {
            let creation = lists.creation.unwrap_or_default();
            real(file, function, line, path, flags, creation, lists.access, events)
        });
    fn H5Fopen_async(
        file: *const c_char, function: *const c_char, line: c_uint, path: *const c_char, flags: c_uint,
        access: Id, events: Id,
    ) -> Id = |real|
        inject::open_file(real as _, path, FileLists::later(None, access, events), |lists| {
            real(file, function, line, path, flags, lists.access, events)
        });
    #[unsafe(link_section = ".text.hot")]
    fn H5Fflush(id: Id, scope: c_int) -> c_int = |real|
        booked(real as _, || real(id, scope), |library, _, span| {
            if let Some(file) = ask::file(library, id) {
                hdf5::flushed(file, span);
            }
        });
    fn H5Fmount(place: Id, name: *const c_char, file: Id, properties: Id) -> c_int = |real| {
        HAS_MOUNTED.store(true, Relaxed);
        real(place, name, file, properties)
    };
    #[unsafe(link_section = ".text.hot")]
    fn H5Fclose(id: Id) -> c_int = |real|
        close(real as _, id, Closing::File, || real(id));

    fn H5Dcreate1(place: Id, name: *const c_char, element: Id, space: Id, creation: Id) -> Id = |real|
        inject::create_dataset(real as _, DatasetCall { place, name, element, space, creation }, |creation| {
            let made = Some(NewDataset { place, element, space, creation });
            let opening = Opening { name, made, is_deprecated: true };
            open_dataset(real as _, opening, || real(place, name, element, space, creation))
        });
    #[unsafe(link_section = ".text.hot")]
    fn H5Dcreate2(
        place: Id, name: *const c_char, element: Id, space: Id, link: Id, creation: Id, access: Id,
    ) -> Id = |real|
        inject::create_dataset(real as _, DatasetCall { place, name, element, space, creation }, |creation| {
            let made = Some(NewDataset { place, element, space, creation });
            let opening = Opening { name, made, is_deprecated: false };
            open_dataset(real as _, opening, || real(place, name, element, space, link, creation, access))
        });
    fn H5Dcreate_anon(place: Id, element: Id, space: Id, creation: Id, access: Id) -> Id = |real| {
        let name = core::ptr::null();
        inject::create_dataset(real as _, DatasetCall { place, name, element, space, creation }, |creation| {
            let made = Some(NewDataset { place, element, space, creation });
            let opening = Opening { made, ..Opening::unnamed() };
            open_dataset(real as _, opening, || real(place, element, space, creation, access))
        })
    };
    fn H5Dcreate_async(
        file: *const c_char, function: *const c_char, line: c_uint, place: Id, name: *const c_char,
        element: Id, space: Id, link: Id, creation: Id, access: Id, events: Id,
    ) -> Id = |real|
        inject::create_dataset(real as _, DatasetCall { place, name, element, space, creation }, |creation| {
            make_unseen(|| real(
                file, function, line, place, name, element, space, link, creation, access, events,
            ))
        });
    fn H5Ocopy(
        from: Id, name: *const c_char, to: Id, new: *const c_char, copying: Id, link: Id,
    ) -> c_int = |real|
        make_unseen(|| real(from, name, to, new, copying, link));
    fn H5Ocopy_async(
        file: *const c_char, function: *const c_char, line: c_uint, from: Id, name: *const c_char,
        to: Id, new: *const c_char, copying: Id, link: Id, events: Id,
    ) -> c_int = |real|
        make_unseen(|| real(file, function, line, from, name, to, new, copying, link, events));
    fn H5Olink(id: Id, place: Id, name: *const c_char, link: Id, access: Id) -> c_int = |real|
        booked(real as _, || real(id, place, name, link, access), |library, _, _| {
            if ask::is_dataset(library, id) {
                ask::about(library, id, None, c"", |about| {
                    dataset::named(library.handle(id), about);
                });
            }
        });
    fn H5Dopen1(place: Id, name: *const c_char) -> Id = |real| {
        let opening = Opening { is_deprecated: true, ..Opening::named(name) };
        open_dataset(real as _, opening, || real(place, name))
    };
    #[unsafe(link_section = ".text.hot")]
    fn H5Dopen2(place: Id, name: *const c_char, access: Id) -> Id = |real|
        open_dataset(real as _, Opening::named(name), || real(place, name, access));
    #[unsafe(link_section = ".text.hot")]
    fn H5Oopen(place: Id, name: *const c_char, access: Id) -> Id = |real|
        open_object(real as _, Opening::named(name), || real(place, name, access));
    fn H5Oopen_by_addr(place: Id, address: u64) -> Id = |real|
        open_object(real as _, Opening::unnamed(), || real(place, address));
    fn H5Oopen_by_idx(
        place: Id, group: *const c_char, index: c_int, order: c_int, number: u64, access: Id,
    ) -> Id = |real|
        open_object(real as _, Opening::unnamed(), || real(place, group, index, order, number, access));
    fn H5Oopen_by_token(place: Id, token: Token) -> Id = |real|
        open_object(real as _, Opening::unnamed(), || real(place, token));

    #[unsafe(link_section = ".text.hot")]
    fn H5Dread(
        id: Id, element: Id, memory: Id, space: Id, properties: Id, buffer: *mut c_void,
    ) -> c_int = |real|
        inject::transfer(real as _, (1, &raw const id), properties, |properties| {
            transfer(real as _, Read, id, [memory, space], properties,
                || real(id, element, memory, space, properties, buffer))
        });
    #[unsafe(link_section = ".text.hot")]
    fn H5Dwrite(
        id: Id, element: Id, memory: Id, space: Id, properties: Id, buffer: *const c_void,
    ) -> c_int = |real|
        inject::transfer(real as _, (1, &raw const id), properties, |properties| {
            transfer(real as _, Write, id, [memory, space], properties,
                || real(id, element, memory, space, properties, buffer))
        });
    fn H5Dread_multi(
        count: usize, ids: *const Id, elements: *const Id, memory: *const Id, spaces: *const Id,
        properties: Id, buffers: *mut *mut c_void,
    ) -> c_int = |real|
        inject::transfer(real as _, (count, ids), properties, |properties| {
            transfer_several(real as _, Read, (count, ids), [memory, spaces], properties,
                || real(count, ids, elements, memory, spaces, properties, buffers))
        });
    fn H5Dwrite_multi(
        count: usize, ids: *const Id, elements: *const Id, memory: *const Id, spaces: *const Id,
        properties: Id, buffers: *const *const c_void,
    ) -> c_int = |real|
        inject::transfer(real as _, (count, ids), properties, |properties| {
            transfer_several(real as _, Write, (count, ids), [memory, spaces], properties,
                || real(count, ids, elements, memory, spaces, properties, buffers))
        });

    fn H5Dflush(id: Id) -> c_int = |real|
        booked(real as _, || real(id), |library, _, span| {
            if let Some(dataset) = ask::dataset(library, id) {
                dataset::flushed(dataset, span);
            }
        });
    fn H5Dset_extent(id: Id, size: *const u64) -> c_int = |real|
        resize(real as _, id, || real(id, size));
    fn H5Dextend(id: Id, size: *const u64) -> c_int = |real|
        resize(real as _, id, || real(id, size));
    fn H5Drefresh(id: Id) -> c_int = |real| resize(real as _, id, || real(id));

    #[unsafe(link_section = ".text.hot")]
    fn H5Dclose(id: Id) -> c_int = |real|
        close(real as _, id, Closing::Dataset, || real(id));
    #[unsafe(link_section = ".text.hot")]
    fn H5Oclose(id: Id) -> c_int = |real|
        close(real as _, id, Closing::Anything, || real(id));
    fn H5Idec_ref(id: Id) -> c_int = |real|
        close(real as _, id, Closing::Anything, || real(id));
}
