//! HDF5, as far as a kernel needs it. Every object is closed when it is dropped.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::path::Path;
use std::ptr;

use crate::shape::Part;
use crate::symbol::{find, functions};

/// An id of HDF5 from 1.10 on.
type Id = i64;

functions! {
    /// Functions of HDF5.
    Functions:
    H5open() -> c_int;
    H5get_libversion(*mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
    H5Fcreate(*const c_char, c_uint, Id, Id) -> Id;
    H5Fopen(*const c_char, c_uint, Id) -> Id;
    H5Fclose(Id) -> c_int;
    H5Gcreate2(Id, *const c_char, Id, Id, Id) -> Id;
    H5Gopen2(Id, *const c_char, Id) -> Id;
    H5Gclose(Id) -> c_int;
    H5Screate_simple(c_int, *const u64, *const u64) -> Id;
    H5Sselect_hyperslab(Id, c_int, *const u64, *const u64, *const u64, *const u64) -> c_int;
    H5Sclose(Id) -> c_int;
    H5Pcreate(Id) -> Id;
    H5Pset_chunk(Id, c_int, *const u64) -> c_int;
    H5Pclose(Id) -> c_int;
    H5Dcreate2(Id, *const c_char, Id, Id, Id, Id, Id) -> Id;
    H5Dopen2(Id, *const c_char, Id) -> Id;
    H5Dwrite(Id, Id, Id, Id, Id, *const c_void) -> c_int;
    H5Dread(Id, Id, Id, Id, Id, *mut c_void) -> c_int;
    H5Dclose(Id) -> c_int;
}

functions! {
    /// Functions that only an HDF5 for MPI has.
    Parallel:
    H5Pset_fapl_mpio(Id, usize, usize) -> c_int;
    H5Pset_dxpl_mpio(Id, c_int) -> c_int;
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Functions")
    }
}

/// `H5P_DEFAULT`.
const DEFAULT: Id = 0;
/// `H5F_ACC_TRUNC` and `H5F_ACC_RDONLY`.
const TRUNCATE: c_uint = 2;
const READ_ONLY: c_uint = 0;
/// `H5S_SELECT_SET`.
const SET: c_int = 0;

/// A call that failed: the name of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} failed")]
pub(crate) struct Failed(pub(crate) &'static str);

/// Major and minor version.
///
/// # Errors
/// The name of what fails.
pub(crate) fn version(functions: &Functions) -> Result<[u32; 2], &'static str> {
    let [mut major, mut minor, mut release] = [0; 3];
    // SAFETY: it fills three numbers.
    let status =
        unsafe { (functions.H5get_libversion)(&raw mut major, &raw mut minor, &raw mut release) };
    if status < 0 { Err("H5get_libversion") } else { Ok([major, minor]) }
}

/// An object that is closed when it is dropped.
pub(crate) struct Object {
    id: Id,
    close: unsafe extern "C" fn(Id) -> c_int,
}

impl Object {
    fn of(
        id: Id,
        close: unsafe extern "C" fn(Id) -> c_int,
        name: &'static str,
    ) -> Result<Self, Failed> {
        if id < 0 { Err(Failed(name)) } else { Ok(Self { id, close }) }
    }

    /// Closes it and says whether that succeeded, which for a file means that it is whole.
    pub(crate) fn closed(self, name: &'static str) -> Result<(), Failed> {
        let (id, close) = (self.id, self.close);
        std::mem::forget(self);
        // SAFETY: the object is open and forgotten.
        done(unsafe { close(id) }, name)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the object is open.
        unsafe { (self.close)(self.id) };
    }
}

fn done(status: c_int, name: &'static str) -> Result<(), Failed> {
    if status < 0 { Err(Failed(name)) } else { Ok(()) }
}

/// HDF5 with the property lists of a run.
pub(crate) struct Hdf5 {
    functions: Functions,
    access: Option<Object>,
    transfer: Option<Object>,
    creation: Option<Object>,
    types: [Id; 3],
}

impl Hdf5 {
    /// Prepares a run: for all ranks of a communicator, if there is one.
    pub(crate) fn new(
        functions: Functions,
        world: Option<(usize, usize)>,
        collective: bool,
        chunk: Option<&[u64]>,
    ) -> Result<Self, Failed> {
        // SAFETY: it may be called any number of times.
        done(unsafe { (functions.H5open)() }, "H5open")?;
        let list = |class: &'static CStr, name| {
            let class = variable(class).ok_or(Failed(name))?;
            // SAFETY: a class of property lists.
            Object::of(unsafe { (functions.H5Pcreate)(class) }, functions.H5Pclose, name)
        };
        let (mut access, mut transfer) = (None, None);
        if let Some((communicator, info)) = world {
            let parallel = Parallel::find().map_err(Failed)?;
            let lists = [
                list(c"H5P_CLS_FILE_ACCESS_ID_g", "H5P_FILE_ACCESS")?,
                list(c"H5P_CLS_DATASET_XFER_ID_g", "H5P_DATASET_XFER")?,
            ];
            // SAFETY: lists of these classes; all ranks are here.
            unsafe {
                let status = (parallel.H5Pset_fapl_mpio)(lists[0].id, communicator, info);
                done(status, "H5Pset_fapl_mpio")?;
                let status = (parallel.H5Pset_dxpl_mpio)(lists[1].id, c_int::from(collective));
                done(status, "H5Pset_dxpl_mpio")?;
            }
            [access, transfer] = lists.map(Some);
        }
        let creation = chunk
            .map(|chunk| {
                let creation = list(c"H5P_CLS_DATASET_CREATE_ID_g", "H5P_DATASET_CREATE")?;
                let sides = chunk.len() as c_int;
                // SAFETY: so many lengths.
                let status =
                    unsafe { (functions.H5Pset_chunk)(creation.id, sides, chunk.as_ptr()) };
                done(status, "H5Pset_chunk").map(|()| creation)
            })
            .transpose()?;
        let named = |name| variable(name).ok_or(Failed("H5T_NATIVE"));
        let types = [
            named(c"H5T_NATIVE_FLOAT_g")?,
            named(c"H5T_NATIVE_DOUBLE_g")?,
            named(c"H5T_NATIVE_INT_g")?,
        ];
        Ok(Self { functions, access, transfer, creation, types })
    }

    /// Makes a file, or empties it.
    pub(crate) fn create_file(&self, path: &Path) -> Result<Object, Failed> {
        let (path, access) = (text(path.to_string_lossy())?, id(self.access.as_ref()));
        // SAFETY: a path and lists.
        let file = unsafe { (self.functions.H5Fcreate)(path.as_ptr(), TRUNCATE, DEFAULT, access) };
        Object::of(file, self.functions.H5Fclose, "H5Fcreate")
    }

    /// Opens a file to read it.
    pub(crate) fn open_file(&self, path: &Path) -> Result<Object, Failed> {
        let (path, access) = (text(path.to_string_lossy())?, id(self.access.as_ref()));
        // SAFETY: a path and a list.
        let file = unsafe { (self.functions.H5Fopen)(path.as_ptr(), READ_ONLY, access) };
        Object::of(file, self.functions.H5Fclose, "H5Fopen")
    }

    /// Makes a group.
    pub(crate) fn create_group(&self, file: &Object, name: &str) -> Result<Object, Failed> {
        let name = text(name)?;
        let default = [DEFAULT; 3];
        // SAFETY: an open file and a name.
        let group = unsafe {
            (self.functions.H5Gcreate2)(file.id, name.as_ptr(), default[0], default[1], default[2])
        };
        Object::of(group, self.functions.H5Gclose, "H5Gcreate2")
    }

    /// Opens a group.
    pub(crate) fn open_group(&self, file: &Object, name: &str) -> Result<Object, Failed> {
        let name = text(name)?;
        // SAFETY: an open file and a name.
        let group = unsafe { (self.functions.H5Gopen2)(file.id, name.as_ptr(), DEFAULT) };
        Object::of(group, self.functions.H5Gclose, "H5Gopen2")
    }

    /// Makes a dataset and writes a part of it.
    pub(crate) fn write(&self, group: &Object, part: &Part, bytes: &[u8]) -> Result<(), Failed> {
        let name = text(part.name)?;
        let element = self.types[part.element as usize];
        let (file_space, memory_space) = self.spaces(part)?;
        let creation = id(self.creation.as_ref());
        // SAFETY: open objects; the memory has as many elements as are selected.
        unsafe {
            let dataset = (self.functions.H5Dcreate2)(
                group.id,
                name.as_ptr(),
                element,
                file_space.id,
                DEFAULT,
                creation,
                DEFAULT,
            );
            let dataset = Object::of(dataset, self.functions.H5Dclose, "H5Dcreate2")?;
            let transfer = id(self.transfer.as_ref());
            let data = bytes.as_ptr().cast();
            let (memory, file) = (memory_space.id, file_space.id);
            let status =
                (self.functions.H5Dwrite)(dataset.id, element, memory, file, transfer, data);
            done(status, "H5Dwrite")?;
            dataset.closed("H5Dclose")
        }
    }

    /// Reads a part of a dataset.
    pub(crate) fn read(&self, group: &Object, part: &Part) -> Result<Vec<u8>, Failed> {
        let name = text(part.name)?;
        let element = self.types[part.element as usize];
        let (file_space, memory_space) = self.spaces(part)?;
        let mut bytes = vec![0; (part.points() * part.element.bytes()) as usize];
        // SAFETY: open objects; the memory has as many elements as are selected.
        unsafe {
            let dataset = (self.functions.H5Dopen2)(group.id, name.as_ptr(), DEFAULT);
            let dataset = Object::of(dataset, self.functions.H5Dclose, "H5Dopen2")?;
            let transfer = id(self.transfer.as_ref());
            let data = bytes.as_mut_ptr().cast();
            let (memory, file) = (memory_space.id, file_space.id);
            let status =
                (self.functions.H5Dread)(dataset.id, element, memory, file, transfer, data);
            done(status, "H5Dread")?;
        }
        Ok(bytes)
    }

    /// The space of a dataset with a part of it selected, and that of the memory.
    fn spaces(&self, part: &Part) -> Result<(Object, Object), Failed> {
        let space = |sides: &[u64]| {
            // SAFETY: so many lengths, which are the largest, too.
            let space = unsafe {
                (self.functions.H5Screate_simple)(sides.len() as c_int, sides.as_ptr(), ptr::null())
            };
            Object::of(space, self.functions.H5Sclose, "H5Screate_simple")
        };
        let (file, memory) = (space(&part.extent)?, space(&part.count)?);
        let (start, count) = (part.start.as_ptr(), part.count.as_ptr());
        // SAFETY: as many numbers as the space has dimensions; null is one after the other.
        let status = unsafe {
            let select = self.functions.H5Sselect_hyperslab;
            select(file.id, SET, start, ptr::null(), count, ptr::null())
        };
        done(status, "H5Sselect_hyperslab")?;
        Ok((file, memory))
    }
}

/// The id of a list, or of the default one.
fn id(list: Option<&Object>) -> Id {
    list.map_or(DEFAULT, |list| list.id)
}

/// A variable of HDF5 with an id.
fn variable(name: &CStr) -> Option<Id> {
    let found = find(name)?;
    // SAFETY: HDF5 declares it as an id.
    Some(unsafe { *found.as_ptr().cast::<Id>() })
}

fn text(text: impl AsRef<str>) -> Result<CString, Failed> {
    CString::new(text.as_ref()).map_err(|_| Failed("a name with a NUL"))
}

#[cfg(test)]
mod tests {
    use crate::shape::Element;

    #[test]
    fn elements_are_numbered_like_types() {
        let order = [Element::Float, Element::Double, Element::Int];
        assert_eq!(order.map(|element| element as usize), [0, 1, 2]);
    }
}
