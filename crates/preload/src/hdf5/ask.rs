//! Queries to an HDF5 library about its ids.

use core::ffi::{CStr, c_char, c_int, c_uint};
use core::hint::cold_path;
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering::Relaxed;

use ioglass_recorder::hdf5::dataset::{
    self, ALL_POINTS, Blocks, Choice, DIMENSIONS, Dataset, DatasetInfo, DatasetLocation, Selection,
};
use ioglass_recorder::hdf5::fixed_properties::{self, FixedProperties};
use ioglass_recorder::hdf5::property_list::{self, ListSetting};
use ioglass_recorder::hdf5::space;
use ioglass_recorder::hdf5::{self, HdfFile, MAX_DIMENSIONS};

use super::library::{Id, Library, ObjectInfo};
use crate::text::Text;

/// Id that stands for all points, for one block of memory, and for the setting of a property list.
const ALL: Id = 0;
const LAST_SPECIAL_SPACE: Id = 2;
/// The default property list.
pub(super) const DEFAULT: Id = 0;
/// The collective mode of transfers.
pub(super) const COLLECTIVE: c_int = 1;
/// The type of a dataset's id.
const DATASET: c_int = 5;
/// The layout of data in chunks.
const CHUNKED: c_int = 2;
/// The address of data that is not contiguous, or not allocated yet.
const NOWHERE: u64 = u64::MAX;

/// A query for a text about an id. The text is cut to the buffer and terminated.
type AskText = unsafe extern "C" fn(Id, *mut c_char, usize) -> isize;

/// Size of the buffer for a name in a file.
const MAX_NAME: usize = 1024;

type Path = Text<4096>;
type Name = Text<MAX_NAME>;

/// Fills `text` with the answer of `ask` about an id; it stays empty if there is none.
fn tell<const ROOM: usize>(text: &mut Text<ROOM>, id: Id, ask: Option<AskText>) {
    if let Some(ask) = ask {
        // SAFETY: there is this much room.
        text.fill(|room| unsafe { ask(id, room, ROOM) });
    }
}

/// The recorded file that contains an object with this id.
pub(super) fn file(library: &Library, id: Id) -> Option<&'static HdfFile> {
    if let Some(known) = hdf5::file(library.handle(id)) {
        return known;
    }
    let mut path = Path::new();
    library.quietly(|| tell(&mut path, id, library.H5Fget_name()));
    hdf5::file_called(path.get()).filter(|_| !path.get().is_empty())
}

/// Returns true if a file opened with this property list goes through MPI-IO; `opens` if MPI has
/// opened a file for it. Calls that set a driver of a list are seen if the driver may use MPI;
/// other drivers do not open files through it.
#[inline]
pub(super) fn uses_mpiio(library: &Library, access: Id, opens: bool) -> bool {
    if access == DEFAULT {
        return false;
    }
    let list = library.fleeting(access);
    match property_list::get(list) {
        ListSetting::Through { mpiio } if mpiio == opens => mpiio,
        _ => {
            cold_path();
            let mpiio = says_mpiio(library, access);
            // Drivers that delegate to other drivers may open files through MPI now and then.
            let setting =
                if mpiio == opens { ListSetting::Through { mpiio } } else { ListSetting::Nothing };
            property_list::note(list, setting);
            mpiio
        }
    }
}

#[inline(never)]
fn says_mpiio(library: &Library, access: Id) -> bool {
    let Some(ask) = library.H5Pget_fapl_mpio() else { return false };
    // SAFETY: an access property list that the library has just used.
    let ask_driver = |ask: unsafe extern "C" fn(Id) -> Id| unsafe { ask(access) };
    let driver = library.H5Pget_driver().map(|ask| Library::keeping_errno(|| ask_driver(ask)));
    let driver = driver.filter(|driver| *driver > 0).map(|driver| library.fleeting(driver));
    if let Some(ListSetting::MpiIo(known)) = driver.map(property_list::get) {
        return known;
    }
    let nowhere = core::ptr::null_mut();
    // SAFETY: without buffers it only tells whether it has an answer.
    let uses_mpiio = library.quietly(|| unsafe { ask(access, nowhere, nowhere) >= 0 });
    if let Some(driver) = driver {
        property_list::note(driver, ListSetting::MpiIo(uses_mpiio));
    }
    uses_mpiio
}

/// Returns true if the id is that of a dataset.
pub(super) fn is_dataset(library: &Library, id: Id) -> bool {
    // SAFETY: an id that the library has just made.
    library.H5Iget_type().is_some_and(|ask| unsafe { ask(id) } == DATASET)
}

/// The properties of a new dataset, as the program has just given them.
#[derive(Clone, Copy)]
pub(super) struct NewDataset {
    /// A file or group.
    pub(super) place: Id,
    pub(super) element: Id,
    pub(super) space: Id,
    pub(super) creation: Id,
}

/// Queries a dataset, and passes the answer on. Where the library knows no name, `given` is used.
pub(super) fn about<T>(
    library: &Library,
    id: Id,
    made: Option<NewDataset>,
    given: &CStr,
    told: impl FnOnce(&DatasetInfo<'_>) -> T,
) -> Option<T> {
    let root = made.and_then(|made| Some((made, root(library, made.place, given.to_bytes())?)));
    let Some((made, file)) = root else {
        return asked_about(library, id, made, given, told);
    };
    let (points, fixed) = library.surely(|| shape(library, made));
    let place = DatasetLocation::Root(file, given.to_bytes());
    Some(told(&DatasetInfo { place, points, fixed }))
}

/// Queries a dataset with its names, which needs large buffers, and passes the answer on.
#[inline(never)]
#[unsafe(link_section = ".text.hot")]
fn asked_about<T>(
    library: &Library,
    id: Id,
    made: Option<NewDataset>,
    given: &CStr,
    told: impl FnOnce(&DatasetInfo<'_>) -> T,
) -> Option<T> {
    let (mut path, mut name) = (Path::new(), Name::new());
    let (points, fixed) = library.surely(|| {
        tell(&mut path, id, library.H5Fget_name());
        tell(&mut name, id, library.H5Iget_name());
        match made {
            Some(made) => Some(shape(library, made)),
            None => asked_shape(library, id),
        }
    })?;
    let name = if name.get().is_empty() { given } else { name.get() };
    let path = Some(path.get()).filter(|path| !path.is_empty())?;
    Some(told(&DatasetInfo { place: DatasetLocation::Named(path, name.to_bytes()), points, fixed }))
}

/// The file at whose root an object of this name was just made in `place`, if that is certain.
fn root(library: &Library, place: Id, name: &[u8]) -> Option<&'static HdfFile> {
    let is_plain =
        !name.is_empty() && name.len() < MAX_NAME && name.iter().all(|byte| *byte != b'/');
    // A mounted group may belong to another file.
    if !is_plain || super::HAS_MOUNTED.load(Relaxed) {
        return None;
    }
    hdf5::file(library.handle(place))?
}

/// Points and fixed properties of a dataset that was made this way.
#[unsafe(link_section = ".text.hot")]
fn shape(library: &Library, made: NewDataset) -> (i64, FixedProperties) {
    let dimensions = match space::rank(library.space(made.space), |part| library.has(part)) {
        0 => {
            cold_path();
            dimensions(library, made.space)
        }
        rank => rank as i64,
    };
    let points = extent(library, made.space);
    let element = element(library, made.element);
    (points, FixedProperties { dimensions, element, chunk: chunk_in(library, made.creation) })
}

/// Points and fixed properties of an open dataset.
#[unsafe(link_section = ".text.hot")]
fn asked_shape(library: &Library, id: Id) -> Option<(i64, FixedProperties)> {
    // SAFETY: an id of an open dataset; ids that are made here are closed here.
    unsafe {
        let space = library.H5Dget_space()?(id);
        if space < 0 {
            return None;
        }
        let points = extent(library, space);
        let fixed = fixed_properties(library, id, space);
        let _ = library.H5Sclose().map(|close| close(space));
        Some((points, fixed?))
    }
}

/// The fixed properties of an open dataset with this space.
fn fixed_properties(library: &Library, id: Id, space: Id) -> Option<FixedProperties> {
    let asked = |chunk| {
        let dimensions = dimensions(library, space);
        Some(FixedProperties { dimensions, element: element_of(library, id)?, chunk })
    };
    // SAFETY: an id of an open dataset.
    let is_whole = library.H5Dget_offset().is_some_and(|ask| unsafe { ask(id) } != NOWHERE);
    // Data that has an address is not in chunks, and the remaining queries cost no more than its
    // location.
    if is_whole {
        return asked([0; DIMENSIONS]);
    }
    let place = place(library, id);
    if let Some(known) = place.and_then(fixed_properties::kept) {
        return Some(known);
    }
    let fixed = asked(chunk_of(library, id)?)?;
    if let Some(place) = place {
        fixed_properties::keep(place, fixed);
    }
    Some(fixed)
}

fn dimensions(library: &Library, space: Id) -> i64 {
    // SAFETY: an id of a dataspace.
    library.H5Sget_simple_extent_ndims().map_or(0, |ask| unsafe { ask(space) }.into())
}

/// Bytes of an element of a datatype.
fn element(library: &Library, kind: Id) -> i64 {
    // SAFETY: an id of a datatype.
    library.H5Tget_size().map_or(0, |ask| unsafe { ask(kind) } as i64)
}

/// Bytes of an element of an open dataset.
fn element_of(library: &Library, id: Id) -> Option<i64> {
    // SAFETY: as above; ids that are made here are closed here.
    unsafe {
        let kind = library.H5Dget_type()?(id);
        (kind >= 0).then(|| {
            let bytes = element(library, kind);
            let _ = library.H5Tclose().map(|close| close(kind));
            bytes
        })
    }
}

fn extent(library: &Library, space: Id) -> i64 {
    // SAFETY: an id of a dataspace.
    library.H5Sget_simple_extent_npoints().map_or(0, |ask| unsafe { ask(space) }.max(0))
}

/// Lengths of a chunk of an open dataset.
fn chunk_of(library: &Library, id: Id) -> Option<[i64; DIMENSIONS]> {
    // SAFETY: an id of an open dataset; ids that are made here are closed here.
    library.quietly(|| unsafe {
        let creation = library.H5Dget_create_plist()?(id);
        (creation >= 0).then(|| {
            let lengths = chunk_in(library, creation);
            let _ = library.H5Pclose().map(|close| close(creation));
            lengths
        })
    })
}

/// Location of a dataset.
fn place(library: &Library, id: Id) -> Option<fixed_properties::DatasetIdentity> {
    /// Only fields that need no counting or reading.
    const BASIC: c_uint = 1;
    let mut info = MaybeUninit::<ObjectInfo>::uninit();
    let ask = library.H5Oget_info2()?;
    // SAFETY: the buffer is larger than needed, and the first two fields are the basic ones.
    unsafe {
        (ask(id, info.as_mut_ptr(), BASIC) >= 0).then(|| {
            let (file, address) = ((*info.as_ptr()).file, (*info.as_ptr()).address);
            // The low bits select a place in the table, and are all 0 in an address.
            let address = library.fleeting(address.rotate_right(3) as Id);
            fixed_properties::DatasetIdentity { address, file }
        })
    }
}

/// Lengths of a chunk, as given in a creation property list.
fn chunk_in(library: &Library, creation: Id) -> [i64; DIMENSIONS] {
    if creation == DEFAULT {
        return [0; DIMENSIONS];
    }
    match property_list::get(library.fleeting(creation)) {
        ListSetting::Chunks(lengths) => lengths,
        _ => asked_chunk_in(library, creation),
    }
}

fn asked_chunk_in(library: &Library, creation: Id) -> [i64; DIMENSIONS] {
    let mut lengths = [0_u64; MAX_DIMENSIONS];
    // SAFETY: a creation property list, and room for all dimensions.
    let count = unsafe {
        match (library.H5Pget_layout(), library.H5Pget_chunk()) {
            (Some(layout), Some(ask)) if layout(creation) == CHUNKED => {
                ask(creation, MAX_DIMENSIONS as c_int, lengths.as_mut_ptr())
            }
            _ => 0,
        }
    };
    last_first(&lengths[..usize::try_from(count).unwrap_or(0).min(MAX_DIMENSIONS)])
}

/// Lengths of a chunk in the order of a record: the last dimension first. Where there are more
/// dimensions than the record holds, the first ones are kept.
pub(super) fn last_first(lengths: &[u64]) -> [i64; DIMENSIONS] {
    let mut chunk = [0; DIMENSIONS];
    let count = lengths.len().min(DIMENSIONS);
    for (to, from) in chunk.iter_mut().zip(lengths[..count].iter().rev()) {
        *to = *from as i64;
    }
    chunk
}

/// Current number of points of a dataset.
pub(super) fn current_points(library: &Library, id: Id) -> Option<i64> {
    let (ask, close) = library.H5Dget_space().zip(library.H5Sclose())?;
    // SAFETY: an id of an open dataset; ids that are made here are closed here.
    library.quietly(|| unsafe {
        let space = ask(id);
        (space >= 0).then(|| {
            let points = extent(library, space);
            close(space);
            points
        })
    })
}

/// The recorded dataset with this id; one whose opening was not seen is queried.
pub(super) fn dataset(library: &Library, id: Id) -> Option<&'static Dataset> {
    dataset::get(library.handle(id)).unwrap_or_else(|| {
        about(library, id, None, c"", |about| dataset::found(library.handle(id), about))?
    })
}

/// The meaning of the file space of an access.
pub(super) enum FilePoints {
    /// All points of the dataset.
    All,
    /// The same number of points as are selected in memory.
    AsInMemory,
    /// The points that are selected in a space of the file.
    Selected,
}

impl FilePoints {
    #[inline]
    pub(super) fn of(memory: Id, file: Id) -> Self {
        match file {
            ALL => Self::All,
            ..=LAST_SPECIAL_SPACE if memory > LAST_SPECIAL_SPACE => Self::AsInMemory,
            ..=LAST_SPECIAL_SPACE => Self::All,
            _ => Self::Selected,
        }
    }
}

/// A selection of the same number of points as are selected in a memory space.
pub(super) fn points_in_memory(library: &Library, space: Id) -> Selection {
    Selection::of(Choice::Whole, selected(library, space))
}

/// Returns true if an access with this property list is collective; the answer is kept.
#[cold] // each list is asked once, as long as it is remembered
pub(super) fn is_collective(library: &Library, properties: Id) -> bool {
    let mut mode = 0;
    // SAFETY: a property list that the library has just used.
    let is_collective = library
        .H5Pget_dxpl_mpio()
        .is_some_and(|ask| unsafe { ask(properties, &raw mut mode) } >= 0)
        && mode == COLLECTIVE;
    property_list::note(library.fleeting(properties), ListSetting::Together(is_collective));
    is_collective
}

fn selected(library: &Library, space: Id) -> i64 {
    // SAFETY: a dataspace that the library has just used.
    library.H5Sget_select_npoints().map_or(ALL_POINTS, |ask| unsafe { ask(space) }.max(0))
}

/// The selection of a space; it is kept, because only calls that we see can change it.
#[cold]
#[inline(never)] // it needs much room
pub(super) fn selection(library: &Library, space: Id) -> Selection {
    let before = space::changes();
    let selection = asked(library, space);
    let rank = rank(library, space).unwrap_or(0);
    space::selected(library.space(space), rank, &selection, before);
    selection
}

fn asked(library: &Library, space: Id) -> Selection {
    const POINTS: c_int = 1;
    const BLOCKS: c_int = 2;
    // SAFETY: as above.
    let choice = match library.H5Sget_select_type().map_or(0, |ask| unsafe { ask(space) }) {
        BLOCKS => match regular(library, space) {
            Some(regular) => return regular,
            None => Choice::Irregular,
        },
        POINTS => Choice::Points,
        _ => Choice::Whole,
    };
    Selection::of(choice, selected(library, space))
}

/// The selection of a space as regularly spaced blocks, if it is one.
fn regular(library: &Library, space: Id) -> Option<Selection> {
    // SAFETY: as above; there is room for all dimensions.
    unsafe {
        let (is_regular, ask) =
            library.H5Sis_regular_hyperslab().zip(library.H5Sget_regular_hyperslab())?;
        let rank = rank(library, space)?;
        if is_regular(space) <= 0 {
            return None;
        }
        let [mut start, mut stride, mut count, mut block] = [[0_u64; MAX_DIMENSIONS]; 4];
        let [to_start, to_stride] = [start.as_mut_ptr(), stride.as_mut_ptr()];
        let told = ask(space, to_start, to_stride, count.as_mut_ptr(), block.as_mut_ptr());
        let blocks = |i| Blocks { count: count[i], block: block[i], stride: stride[i] };
        let mut selection = Selection::ALL;
        let is_regular = told >= 0 && selection.set_regular((0..rank).map(blocks));
        // A selection that the library calls regular is not always so.
        selection.points = selected(library, space);
        is_regular.then_some(selection)
    }
}

/// Dimensions of a dataspace.
pub(super) fn rank(library: &Library, space: Id) -> Option<usize> {
    // SAFETY: as above.
    let rank = unsafe { library.H5Sget_simple_extent_ndims()?(space) };
    usize::try_from(rank).ok().filter(|rank| *rank <= MAX_DIMENSIONS)
}
