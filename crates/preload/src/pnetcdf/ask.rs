//! Queries to PnetCDF about its files and variables.

use core::ffi::{c_char, c_int};
use core::ptr;

use ioglass_recorder::pnetcdf::{self, VariableInfo, VariableShape};

use crate::library::library;
use crate::loaded;
use crate::text::Text;

/// Longest path that is queried.
const PATH: usize = 4096;
/// Longest name of a variable.
const NAME: usize = 257;
/// Most dimensions of a variable.
const DIMENSIONS: usize = 64;

library! {
    /// A loaded PnetCDF library.
    Library, 2;
    fn ncmpi_inq_path(c_int, *mut c_int, *mut c_char) -> c_int;
    fn ncmpi_inq_varname(c_int, c_int, *mut c_char) -> c_int;
    fn ncmpi_inq_vartype(c_int, c_int, *mut c_int) -> c_int;
    fn ncmpi_inq_varndims(c_int, c_int, *mut c_int) -> c_int;
    fn ncmpi_inq_vardimid(c_int, c_int, *mut c_int) -> c_int;
    fn ncmpi_inq_dimlen(c_int, c_int, *mut i64) -> c_int;
    fn ncmpi_inq_unlimdim(c_int, *mut c_int) -> c_int;
    fn ncmpi_inq_get_size(c_int, *mut i64) -> c_int;
    fn ncmpi_inq_put_size(c_int, *mut i64) -> c_int;
}

impl Library {
    fn can_be_recorded(&self) -> bool {
        self.ncmpi_inq_path().is_some()
    }
}

/// Bytes read and written since a file was opened, as PnetCDF counts them.
pub(super) fn moved(real: *const (), file: c_int) -> [i64; 2] {
    let Some(library) = Library::of(real as usize) else { return [0; 2] };
    [library.ncmpi_inq_get_size(), library.ncmpi_inq_put_size()].map(|ask| {
        let mut bytes = 0;
        // SAFETY: fills one number.
        let told = ask.is_some_and(|ask| unsafe { ask(file, &raw mut bytes) } == 0);
        if told { bytes } else { 0 }
    })
}

/// Queries a variable, and passes the answer on.
pub(super) fn about<T>(
    library: &Library,
    file: c_int,
    variable: c_int,
    told: impl FnOnce(&VariableInfo<'_>) -> T,
) -> Option<T> {
    let (mut path, mut name) = (Text::<PATH>::new(), Text::<NAME>::new());
    let mut length = 0;
    // SAFETY: the path is queried only if it is known to fit, and names have a maximum length.
    unsafe {
        let (ask, ask_name) = library.ncmpi_inq_path().zip(library.ncmpi_inq_varname())?;
        if ask(file, &raw mut length, ptr::null_mut()) != 0
            || !(1..PATH as c_int).contains(&length)
            || path.fill(|room| ask(file, ptr::null_mut(), room)) != 0
            || name.fill(|room| ask_name(file, variable, room)) != 0
        {
            return None;
        }
    }
    let shape = shape(library, file, variable)?;
    Some(told(&VariableInfo { file: path.get(), name: name.get(), shape }))
}

fn shape(library: &Library, file: c_int, variable: c_int) -> Option<VariableShape> {
    let (mut kind, mut count, mut unlimited) = (0, 0, -1);
    let mut ids = [-1; DIMENSIONS];
    // SAFETY: each fills one number, or as many as the first has reported.
    unsafe {
        if library.ncmpi_inq_vartype()?(file, variable, &raw mut kind) != 0
            || library.ncmpi_inq_varndims()?(file, variable, &raw mut count) != 0
            || !(0..=DIMENSIONS as c_int).contains(&count)
            || library.ncmpi_inq_vardimid()?(file, variable, ids.as_mut_ptr()) != 0
        {
            return None;
        }
        library.ncmpi_inq_unlimdim()?(file, &raw mut unlimited);
    }
    let ids = ids.get(..count as usize)?;
    let has_records = unlimited >= 0 && ids.first() == Some(&unlimited);
    let mut points = 1_i64;
    for id in &ids[usize::from(has_records)..] {
        points = points.saturating_mul(length(library, file, *id)?);
    }
    Some(VariableShape { dimensions: count.into(), points, element: element(kind), has_records })
}

fn length(library: &Library, file: c_int, dimension: c_int) -> Option<i64> {
    let mut length = 0;
    // SAFETY: fills one number.
    let told = unsafe { library.ncmpi_inq_dimlen()?(file, dimension, &raw mut length) };
    (told == 0).then_some(length)
}

/// Bytes of an element, by netCDF's number of its type.
fn element(kind: c_int) -> i64 {
    match kind {
        1 | 2 | 7 => 1,
        3 | 8 => 2,
        4 | 5 | 9 => 4,
        _ => 8,
    }
}

/// Current number of records in a file.
pub(super) fn records(library: &Library, file: c_int) -> Option<i64> {
    let mut unlimited = -1;
    // SAFETY: fills one number.
    let told = unsafe { library.ncmpi_inq_unlimdim()?(file, &raw mut unlimited) };
    (told == 0 && unlimited >= 0).then(|| length(library, file, unlimited))?
}

/// Queries a variable that the program never looked up; returns true if it has a record.
#[cold]
pub(super) fn find(library: &Library, file: c_int, variable: c_int) -> bool {
    let number = library.file(file);
    about(library, file, variable, |about| pnetcdf::found(number, variable, about, None))
        .is_some_and(|found| found.is_some())
}

/// Bytes that an MPI datatype describes, as reported by the MPI that PnetCDF at `address` uses.
pub(super) fn type_size(address: usize, kind: usize) -> i64 {
    /// The null datatypes of MPICH and its relatives, and of the standard ABI.
    const NONE: [u32; 2] = [0x0C00_0000, 0x200];
    // A program may have a copy of Open MPI's variable, and then everybody uses that.
    let of_open_mpi = |near| loaded::late_function(c"ompi_mpi_datatype_null", near);
    let is_none = match [0, address].map(of_open_mpi) {
        [None, None] => NONE.contains(&(kind as u32)),
        found => found.into_iter().flatten().any(|none| none as usize == kind),
    };
    let find = |name| loaded::late_function(name, address);
    let Some(ask) = find(c"PMPI_Type_size_x").filter(|_| !is_none) else { return 0 };
    let mut size = 0;
    // SAFETY: a type that PnetCDF has just used; fills one number.
    unsafe {
        let ask: unsafe extern "C" fn(usize, *mut i64) -> c_int = core::mem::transmute(ask);
        ask(kind, &raw mut size);
    }
    size.max(0)
}
