//! Questions to an HDF5 library about what its ids stand for.

use core::ffi::{CStr, c_char, c_int};

use ioglass_recorder::hdf5::dataset::{self, About, Choice, DIMENSIONS, Dataset, Selection};
use ioglass_recorder::hdf5::{self, HdfFile, space};

use super::library::{Id, Library};

/// Ids that stand for all points, for one block of memory, and for what a property list says.
const ALL: Id = 0;
const LAST_SPECIAL_SPACE: Id = 2;
/// Property lists as they come.
pub(super) const DEFAULT: Id = 0;
/// What an id of a data set is.
const DATASET: c_int = 5;
/// Data in chunks.
const CHUNKED: c_int = 2;
/// Most dimensions that HDF5 knows.
const MAX_DIMENSIONS: usize = 32;

/// A string that the library fills: a file's path or a name in it.
struct Text<const ROOM: usize> {
    bytes: [u8; ROOM],
}

impl<const ROOM: usize> Text<ROOM> {
    /// The text that `ask` tells; empty if it has none.
    fn of(id: Id, ask: Option<unsafe extern "C" fn(Id, *mut c_char, usize) -> isize>) -> Self {
        let mut text = Self { bytes: [0; ROOM] };
        if let Some(ask) = ask {
            // SAFETY: the room is ours; a longer text is cut and ended.
            unsafe { ask(id, text.bytes.as_mut_ptr().cast(), ROOM) };
        }
        text.bytes[ROOM - 1] = 0;
        text
    }

    fn get(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

/// The recorded file of any id in it.
pub(super) fn file(library: &Library, id: Id) -> Option<&'static HdfFile> {
    if let Some(known) = hdf5::file(library.handle(id)) {
        return known;
    }
    let path = library.quietly(|| Text::<4096>::of(id, library.H5Fget_name()));
    hdf5::file_called(path.get()).filter(|_| !path.get().is_empty())
}

/// Whether a file that is opened so goes through MPI-IO.
pub(super) fn uses_mpiio(library: &Library, access: Id) -> bool {
    let Some(ask) = library.H5Pget_fapl_mpio().filter(|_| access != DEFAULT) else { return false };
    let nowhere = core::ptr::null_mut();
    // SAFETY: without room for an answer it only tells whether it has one.
    library.quietly(|| unsafe { ask(access, nowhere, nowhere) >= 0 })
}

/// Whether an id is that of a data set.
pub(super) fn is_dataset(library: &Library, id: Id) -> bool {
    // SAFETY: an id that the library has just made.
    library.H5Iget_type().is_some_and(|ask| unsafe { ask(id) } == DATASET)
}

/// What a data set was made of, as far as the program has just said so.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) element: Id,
    pub(super) space: Id,
    pub(super) creation: Id,
}

/// Has the library tell about a data set, and hands that on. Where it knows no name, `given` is taken.
pub(super) fn about<T>(
    library: &Library,
    id: Id,
    made: Option<Made>,
    given: &CStr,
    told: impl FnOnce(&About<'_>) -> T,
) -> Option<T> {
    let path = library.quietly(|| Text::<4096>::of(id, library.H5Fget_name()));
    if path.get().is_empty() {
        return None;
    }
    let name = library.quietly(|| Text::<1024>::of(id, library.H5Iget_name()));
    let name = if name.get().is_empty() { given } else { name.get() };
    let shape = library.quietly(|| match made {
        Some(made) => Some(Shape::of(library, made)),
        None => Shape::asked(library, id),
    })?;
    Some(told(&About {
        file: path.get(),
        name: name.to_bytes(),
        dimensions: shape.dimensions,
        points: shape.points,
        element: shape.element,
        chunk: shape.chunk,
    }))
}

struct Shape {
    dimensions: i64,
    points: i64,
    element: i64,
    chunk: [i64; DIMENSIONS],
}

impl Shape {
    fn of(library: &Library, made: Made) -> Self {
        // SAFETY: ids that the library has just used or made.
        unsafe {
            Self {
                dimensions: library
                    .H5Sget_simple_extent_ndims()
                    .map_or(0, |ask| ask(made.space).into()),
                points: extent(library, made.space),
                element: library.H5Tget_size().map_or(0, |ask| ask(made.element) as i64),
                chunk: chunk(library, made.creation),
            }
        }
    }

    /// The same of a data set that is open. The ids this makes are given back.
    fn asked(library: &Library, id: Id) -> Option<Self> {
        // SAFETY: an id of an open data set; what is made here is closed here.
        unsafe {
            let element = library.H5Dget_type()?(id);
            let space = library.H5Dget_space()?(id);
            let creation = library.H5Dget_create_plist()?(id);
            let is_whole = element >= 0 && space >= 0 && creation >= 0;
            let shape = is_whole.then(|| Self::of(library, Made { element, space, creation }));
            let closers = [library.H5Tclose(), library.H5Sclose(), library.H5Pclose()];
            for (id, close) in [element, space, creation].into_iter().zip(closers) {
                if let Some(close) = close.filter(|_| id >= 0) {
                    close(id);
                }
            }
            shape
        }
    }
}

fn extent(library: &Library, space: Id) -> i64 {
    // SAFETY: an id of a data space.
    library.H5Sget_simple_extent_npoints().map_or(0, |ask| unsafe { ask(space) }.max(0))
}

/// Lengths of a chunk, the last dimension first; of more dimensions than a record has, the first.
fn chunk(library: &Library, creation: Id) -> [i64; DIMENSIONS] {
    let mut chunk = [0; DIMENSIONS];
    let mut lengths = [0_u64; MAX_DIMENSIONS];
    if creation == DEFAULT {
        return chunk;
    }
    // SAFETY: a list of creation properties, and room for all dimensions.
    let count = unsafe {
        match (library.H5Pget_layout(), library.H5Pget_chunk()) {
            (Some(layout), Some(ask)) if layout(creation) == CHUNKED => {
                ask(creation, MAX_DIMENSIONS as c_int, lengths.as_mut_ptr())
            }
            _ => 0,
        }
    };
    let count = usize::try_from(count).unwrap_or(0).min(DIMENSIONS);
    for (to, from) in chunk.iter_mut().zip(lengths[..count].iter().rev()) {
        *to = *from as i64;
    }
    chunk
}

/// Points of a data set as it now is.
pub(super) fn current_points(library: &Library, id: Id) -> Option<i64> {
    let (ask, close) = library.H5Dget_space().zip(library.H5Sclose())?;
    // SAFETY: an id of an open data set; what is made here is closed here.
    library.quietly(|| unsafe {
        let space = ask(id);
        (space >= 0).then(|| {
            let points = extent(library, space);
            close(space);
            points
        })
    })
}

/// The recorded data set behind an id; one that went past us is asked for.
pub(super) fn dataset(library: &Library, id: Id) -> Option<&'static Dataset> {
    dataset::get(library.handle(id)).unwrap_or_else(|| {
        about(library, id, None, c"", |about| dataset::found(library.handle(id), about))?
    })
}

/// The points of an access by the selections in memory and in the file.
pub(super) fn points(library: &Library, memory: Id, file: Id) -> Selection {
    match file {
        ALL => Selection::ALL,
        ..=LAST_SPECIAL_SPACE if memory > LAST_SPECIAL_SPACE => {
            Selection::of(Choice::Whole, selected(library, memory))
        }
        ..=LAST_SPECIAL_SPACE => Selection::ALL,
        file => space::selection(library.handle(file)).unwrap_or_else(|| selection(library, file)),
    }
}

/// Whether ranks access a data set together.
pub(super) fn is_collective(library: &Library, dataset: &'static Dataset, properties: Id) -> bool {
    const COLLECTIVE: c_int = 1;
    let Some(ask) = library.H5Pget_dxpl_mpio().filter(|_| properties != DEFAULT) else {
        return false;
    };
    let mut mode = 0;
    // SAFETY: a list of properties that the library has just used.
    dataset::is_known_collective(dataset)
        || unsafe { ask(properties, &raw mut mode) } >= 0 && mode == COLLECTIVE
}

fn selected(library: &Library, space: Id) -> Option<i64> {
    // SAFETY: a data space that the library has just used.
    library.H5Sget_select_npoints().map(|ask| unsafe { ask(space) }.max(0))
}

fn selection(library: &Library, space: Id) -> Selection {
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

/// Blocks at equal distances, if that is what is selected.
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
        (told >= 0).then(|| Selection::regular(&count[..rank], &block[..rank], &stride[..rank]))
    }
}

/// Dimensions of a data space.
pub(super) fn rank(library: &Library, space: Id) -> Option<usize> {
    // SAFETY: as above.
    let rank = unsafe { library.H5Sget_simple_extent_ndims()?(space) };
    usize::try_from(rank).ok().filter(|rank| *rank <= MAX_DIMENSIONS)
}
