//! An HDF5 library that is loaded at run time: all `unsafe` of this crate.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A handle of HDF5.
type Hid = i64;

/// What identifies nothing in HDF5: the default of a list.
const DEFAULT: Hid = 0;
/// The size of what `H5Lget_info` and `H5Gget_info` fill, with room to spare.
const INFO: usize = 256;

/// An open thing of HDF5, which is closed when this is dropped.
#[derive(Debug)]
pub(crate) struct Handle<'l> {
    id: Hid,
    library: &'l Library,
    close: unsafe extern "C" fn(Hid) -> c_int,
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is open and is used no more.
        unsafe { (self.close)(self.id) };
    }
}

macro_rules! functions {
    ($($field:ident = $name:literal: fn($($argument:ty),*) -> $result:ty;)*) => {
        /// A library of HDF5.
        #[derive(Debug)]
        pub(crate) struct Library {
            $($field: unsafe extern "C" fn($($argument),*) -> $result,)*
            link_info: unsafe extern "C" fn(Hid, *const c_char, *mut c_void, Hid) -> c_int,
        }

        impl Library {
            fn of(handle: *mut c_void) -> Option<Library> {
                // SAFETY: symbols of these names are functions with these arguments, from 1.10 on.
                unsafe {
                    Some(Library {
                        $($field: {
                            let symbol = symbol(handle, concat!($name, "\0"))?;
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($argument),*) -> $result,
                            >(symbol)
                        },)*
                        link_info: {
                            let names = ["H5Lget_info\0", "H5Lget_info2\0", "H5Lget_info1\0"];
                            let found = names.iter().find_map(|name| symbol(handle, name))?;
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn(Hid, *const c_char, *mut c_void, Hid) -> c_int,
                            >(found)
                        },
                    })
                }
            }
        }
    };
}

functions! {
    open = "H5open": fn() -> c_int;
    version = "H5get_libversion": fn(*mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
    set_auto = "H5Eset_auto2": fn(Hid, *mut c_void, *mut c_void) -> c_int;
    file_open = "H5Fopen": fn(*const c_char, c_uint, Hid) -> Hid;
    file_close = "H5Fclose": fn(Hid) -> c_int;
    group_info = "H5Gget_info": fn(Hid, *mut c_void) -> c_int;
    link_name = "H5Lget_name_by_idx": fn(Hid, *const c_char, c_int, c_int, u64, *mut c_char, usize, Hid) -> isize;
    link_value = "H5Lget_val": fn(Hid, *const c_char, *mut c_void, usize, Hid) -> c_int;
    object_open = "H5Oopen": fn(Hid, *const c_char, Hid) -> Hid;
    object_close = "H5Oclose": fn(Hid) -> c_int;
    type_of = "H5Iget_type": fn(Hid) -> c_int;
    dataset_space = "H5Dget_space": fn(Hid) -> Hid;
    dataset_type = "H5Dget_type": fn(Hid) -> Hid;
    dataset_read = "H5Dread": fn(Hid, Hid, Hid, Hid, Hid, *mut c_void) -> c_int;
    reclaim = "H5Dvlen_reclaim": fn(Hid, Hid, Hid, *mut c_void) -> c_int;
    space_rank = "H5Sget_simple_extent_ndims": fn(Hid) -> c_int;
    space_sides = "H5Sget_simple_extent_dims": fn(Hid, *mut u64, *mut u64) -> c_int;
    space_points = "H5Sget_simple_extent_npoints": fn(Hid) -> i64;
    space_select = "H5Sselect_hyperslab": fn(Hid, c_int, *const u64, *const u64, *const u64, *const u64) -> c_int;
    space_make = "H5Screate_simple": fn(c_int, *const u64, *const u64) -> Hid;
    space_close = "H5Sclose": fn(Hid) -> c_int;
    type_size = "H5Tget_size": fn(Hid) -> usize;
    type_encode = "H5Tencode": fn(Hid, *mut c_void, *mut usize) -> c_int;
    type_has = "H5Tdetect_class": fn(Hid, c_int) -> c_int;
    type_class = "H5Tget_class": fn(Hid) -> c_int;
    type_is_text = "H5Tis_variable_str": fn(Hid) -> c_int;
    type_close = "H5Tclose": fn(Hid) -> c_int;
    attribute_count = "H5Aget_num_attrs": fn(Hid) -> c_int;
    attribute_open = "H5Aopen_by_idx": fn(Hid, *const c_char, c_int, c_int, u64, Hid, Hid) -> Hid;
    attribute_name = "H5Aget_name": fn(Hid, usize, *mut c_char) -> isize;
    attribute_space = "H5Aget_space": fn(Hid) -> Hid;
    attribute_type = "H5Aget_type": fn(Hid) -> Hid;
    attribute_read = "H5Aread": fn(Hid, Hid, *mut c_void) -> c_int;
    attribute_close = "H5Aclose": fn(Hid) -> c_int;
}

/// A function of a library.
///
/// # Safety
/// `handle` is that of a library.
unsafe fn symbol(handle: *mut c_void, name: &str) -> Option<*mut c_void> {
    // SAFETY: names end with NUL.
    let found = unsafe { libc::dlsym(handle, name.as_ptr().cast()) };
    (!found.is_null()).then_some(found)
}

/// The kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A group.
    Group,
    /// A dataset.
    Dataset,
    /// A named type.
    Type,
    /// Something else.
    Other,
}

/// A link in a group.
#[derive(Debug)]
pub(crate) enum Link {
    /// An object.
    Hard,
    /// The path of another one, and what else the link says.
    Soft(Vec<u8>),
}

/// What the elements of a dataset or an attribute are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elements {
    /// Bytes that mean themselves.
    Plain,
    /// Texts of any length.
    Texts,
    /// Addresses and lists, which differ with the layout of a file.
    Addresses,
}

impl Library {
    /// Loads a library, and what it needs with it.
    pub(crate) fn load(path: &Path) -> Result<Library, String> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: the name ends with NUL. The code of a library that is loaded is trusted as the program is
        // that uses it.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            // SAFETY: after a failure there is a text.
            let reason = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(reason.to_string_lossy().into_owned());
        }
        let library = Library::of(handle).ok_or("it lacks functions of HDF5 1.10")?;
        let (mut major, mut minor, mut release) = (0, 0, 0);
        // SAFETY: three numbers are filled; then the library starts, and prints no errors.
        let sound = unsafe {
            (library.version)(&raw mut major, &raw mut minor, &raw mut release) >= 0
                && (major, minor) >= (1, 10)
                && (library.open)() >= 0
                && (library.set_auto)(DEFAULT, std::ptr::null_mut(), std::ptr::null_mut()) >= 0
        };
        if sound { Ok(library) } else { Err(format!("HDF5 {major}.{minor} is too old")) }
    }

    fn handle(&self, id: Hid, close: unsafe extern "C" fn(Hid) -> c_int) -> Result<Handle<'_>, ()> {
        if id < 0 { Err(()) } else { Ok(Handle { id, library: self, close }) }
    }

    /// Opens a file to read it.
    pub(crate) fn file(&self, path: &Path) -> Result<Handle<'_>, ()> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(drop)?;
        // SAFETY: the name ends with NUL.
        let id = unsafe { (self.file_open)(name.as_ptr(), 0, DEFAULT) };
        self.handle(id, self.file_close)
    }
}

impl<'l> Handle<'l> {
    /// The object of this name in a group.
    pub(crate) fn object(&self, name: &CStr) -> Result<Handle<'l>, ()> {
        // SAFETY: the name ends with NUL.
        let id = unsafe { (self.library.object_open)(self.id, name.as_ptr(), DEFAULT) };
        self.library.handle(id, self.library.object_close)
    }

    /// The kind of an object.
    pub(crate) fn kind(&self) -> Kind {
        // SAFETY: the handle is open.
        match unsafe { (self.library.type_of)(self.id) } {
            1 | 2 => Kind::Group,
            3 => Kind::Type,
            5 => Kind::Dataset,
            _ => Kind::Other,
        }
    }

    /// The names of the links of a group, by name.
    pub(crate) fn links(&self) -> Result<Vec<CString>, ()> {
        let mut info = [0_u64; INFO / 8];
        // SAFETY: there is more room than any version fills.
        let got = unsafe { (self.library.group_info)(self.id, info.as_mut_ptr().cast()) };
        // The number is the second field, behind an enumeration.
        let count = if got < 0 { return Err(()) } else { info[1] };
        (0..count).map(|place| self.link(place)).collect()
    }

    fn link(&self, place: u64) -> Result<CString, ()> {
        let call = |room: *mut c_char, size: usize| {
            // SAFETY: the name ends with NUL; the room has this size. Order: by name, rising.
            unsafe {
                (self.library.link_name)(self.id, c".".as_ptr(), 0, 0, place, room, size, DEFAULT)
            }
        };
        let length = usize::try_from(call(std::ptr::null_mut(), 0)).map_err(drop)?;
        let mut name = vec![0_u8; length + 1];
        let got = call(name.as_mut_ptr().cast(), name.len());
        if got < 0 {
            return Err(());
        }
        name.truncate(length);
        CString::new(name).map_err(drop)
    }

    /// What a link of a group is.
    pub(crate) fn link_of(&self, name: &CStr) -> Result<Link, ()> {
        let mut info = [0_u64; INFO / 8];
        // SAFETY: the name ends with NUL; there is more room than any version fills.
        let got = unsafe {
            (self.library.link_info)(self.id, name.as_ptr(), info.as_mut_ptr().cast(), DEFAULT)
        };
        if got < 0 {
            return Err(());
        }
        // The first field is the kind.
        if info[0] as u32 == 0 {
            return Ok(Link::Hard);
        }
        let mut value = vec![0_u8; 4096];
        // SAFETY: the name ends with NUL; the room has this size.
        let got = unsafe {
            let room = value.as_mut_ptr().cast();
            (self.library.link_value)(self.id, name.as_ptr(), room, value.len(), DEFAULT)
        };
        if got < 0 { Err(()) } else { Ok(Link::Soft(value)) }
    }

    /// The extent of a dataset.
    pub(crate) fn space(&self) -> Result<Handle<'l>, ()> {
        // SAFETY: the handle is open.
        let id = unsafe { (self.library.dataset_space)(self.id) };
        self.library.handle(id, self.library.space_close)
    }

    /// The type of a dataset.
    pub(crate) fn type_(&self) -> Result<Handle<'l>, ()> {
        // SAFETY: the handle is open.
        let id = unsafe { (self.library.dataset_type)(self.id) };
        self.library.handle(id, self.library.type_close)
    }

    /// Elements along each dimension of an extent.
    pub(crate) fn sides(&self) -> Result<Vec<u64>, ()> {
        // SAFETY: the handle is open.
        let rank = unsafe { (self.library.space_rank)(self.id) };
        let mut sides = vec![0_u64; usize::try_from(rank).map_err(drop)?];
        // SAFETY: there is room for all dimensions.
        let got = unsafe {
            (self.library.space_sides)(self.id, sides.as_mut_ptr(), std::ptr::null_mut())
        };
        if got < 0 { Err(()) } else { Ok(sides) }
    }

    /// Elements of an extent: none of an empty one, one of a scalar.
    pub(crate) fn points(&self) -> u64 {
        // SAFETY: the handle is open.
        u64::try_from(unsafe { (self.library.space_points)(self.id) }).unwrap_or(0)
    }

    /// Bytes of an element of a type.
    pub(crate) fn size(&self) -> usize {
        // SAFETY: the handle is open.
        unsafe { (self.library.type_size)(self.id) }
    }

    /// A type as bytes.
    pub(crate) fn encoded(&self) -> Result<Vec<u8>, ()> {
        let mut size = 0;
        // SAFETY: without room the size is told.
        let got =
            unsafe { (self.library.type_encode)(self.id, std::ptr::null_mut(), &raw mut size) };
        if got < 0 || size > 1 << 20 {
            return Err(());
        }
        let mut bytes = vec![0_u8; size];
        // SAFETY: the room has the size that was told.
        let got = unsafe {
            (self.library.type_encode)(self.id, bytes.as_mut_ptr().cast(), &raw mut size)
        };
        bytes.truncate(size);
        if got < 0 { Err(()) } else { Ok(bytes) }
    }

    /// What the elements of a type are.
    pub(crate) fn elements(&self) -> Elements {
        const TEXT: c_int = 3;
        const REFERENCE: c_int = 7;
        const LIST: c_int = 9;
        // SAFETY: the handle is open.
        unsafe {
            let has = |class| (self.library.type_has)(self.id, class) != 0;
            let is_text = (self.library.type_class)(self.id) == TEXT;
            if is_text && (self.library.type_is_text)(self.id) > 0 {
                Elements::Texts
            } else if has(REFERENCE) || has(LIST) {
                Elements::Addresses
            } else {
                Elements::Plain
            }
        }
    }

    /// Reads a block of a dataset as it is stored: `start` and `count` along each dimension. `room` has the
    /// size of the block.
    pub(crate) fn read_block(
        &self,
        type_: &Handle<'_>,
        space: &Handle<'_>,
        (start, count): (&[u64], &[u64]),
        room: &mut [u8],
    ) -> Result<(), ()> {
        assert_eq!(start.len(), count.len(), "a block has all dimensions");
        let points = count.iter().try_fold(1_u64, |all, side| all.checked_mul(*side)).ok_or(())?;
        let bytes = points.checked_mul(type_.size() as u64).ok_or(())?;
        assert!(room.len() as u64 >= bytes, "there is room for the block");
        let null = std::ptr::null();
        let library = self.library;
        // SAFETY: both lists have as many numbers as there are dimensions.
        let (selected, memory) = unsafe {
            let selected = if start.is_empty() {
                0
            } else {
                (library.space_select)(space.id, 0, start.as_ptr(), null, count.as_ptr(), null)
            };
            (selected, (library.space_make)(1, &raw const points, null))
        };
        let memory = library.handle(memory, library.space_close)?;
        if selected < 0 {
            return Err(());
        }
        // SAFETY: the room has the size of what is read.
        let got = unsafe {
            let room = room.as_mut_ptr().cast();
            (library.dataset_read)(self.id, type_.id, memory.id, space.id, DEFAULT, room)
        };
        if got < 0 { Err(()) } else { Ok(()) }
    }

    /// Hands out the texts of a dataset or attribute whose elements are texts of any length, which `read`
    /// puts into its room as pointers.
    fn texts(
        &self,
        type_: &Handle<'_>,
        space: &Handle<'_>,
        read: impl FnOnce(*mut c_void) -> c_int,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), ()> {
        let count = usize::try_from(space.points()).map_err(drop)?;
        let mut texts: Vec<*mut c_char> = vec![std::ptr::null_mut(); count];
        if read(texts.as_mut_ptr().cast()) < 0 {
            return Err(());
        }
        for text in &texts {
            // SAFETY: HDF5 has put texts that end with NUL there, or nothing.
            each(if text.is_null() { b"" } else { unsafe { CStr::from_ptr(*text) }.to_bytes() });
        }
        // SAFETY: gives back the texts that were read, with the type and the extent of the read.
        unsafe {
            (self.library.reclaim)(type_.id, space.id, DEFAULT, texts.as_mut_ptr().cast());
        }
        Ok(())
    }

    /// Hands out the texts of a dataset.
    pub(crate) fn dataset_texts(
        &self,
        type_: &Handle<'_>,
        space: &Handle<'_>,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), ()> {
        // SAFETY: 0 is the whole extent, for which there is room.
        let read =
            |room| unsafe { (self.library.dataset_read)(self.id, type_.id, 0, 0, DEFAULT, room) };
        self.texts(type_, space, read, each)
    }

    /// The attributes of an object, by name.
    pub(crate) fn attributes(&self) -> Result<Vec<Handle<'l>>, ()> {
        // SAFETY: the handle is open.
        let count = unsafe { (self.library.attribute_count)(self.id) };
        let attribute = |place: u64| {
            // SAFETY: the name ends with NUL. Order: by name, rising.
            let id = unsafe {
                let own = c".".as_ptr();
                (self.library.attribute_open)(self.id, own, 0, 0, place, DEFAULT, DEFAULT)
            };
            self.library.handle(id, self.library.attribute_close)
        };
        (0..u64::try_from(count).map_err(drop)?).map(attribute).collect()
    }

    /// The name of an attribute.
    pub(crate) fn attribute_name(&self) -> Result<Vec<u8>, ()> {
        let call = |room: *mut c_char, size: usize| {
            // SAFETY: the room has this size.
            unsafe { (self.library.attribute_name)(self.id, size, room) }
        };
        let length = usize::try_from(call(std::ptr::null_mut(), 0)).map_err(drop)?;
        let mut name = vec![0_u8; length + 1];
        if call(name.as_mut_ptr().cast(), name.len()) < 0 {
            return Err(());
        }
        name.truncate(length);
        Ok(name)
    }

    /// The extent and the type of an attribute.
    pub(crate) fn attribute_parts(&self) -> Result<(Handle<'l>, Handle<'l>), ()> {
        // SAFETY: the handle is open.
        let (space, type_) = unsafe {
            ((self.library.attribute_space)(self.id), (self.library.attribute_type)(self.id))
        };
        let space = self.library.handle(space, self.library.space_close)?;
        Ok((space, self.library.handle(type_, self.library.type_close)?))
    }

    /// The bytes of an attribute as they are stored.
    pub(crate) fn attribute_bytes(
        &self,
        type_: &Handle<'_>,
        space: &Handle<'_>,
    ) -> Result<Vec<u8>, ()> {
        let bytes = space.points().checked_mul(type_.size() as u64).ok_or(())?;
        let mut room = vec![0_u8; usize::try_from(bytes).map_err(drop)?];
        // SAFETY: the room has the size of all elements.
        let got =
            unsafe { (self.library.attribute_read)(self.id, type_.id, room.as_mut_ptr().cast()) };
        if got < 0 { Err(()) } else { Ok(room) }
    }

    /// Hands out the texts of an attribute.
    pub(crate) fn attribute_texts(
        &self,
        type_: &Handle<'_>,
        space: &Handle<'_>,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), ()> {
        // SAFETY: there is room for all elements.
        let read = |room| unsafe { (self.library.attribute_read)(self.id, type_.id, room) };
        self.texts(type_, space, read, each)
    }
}
