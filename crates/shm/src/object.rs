//! Records of libraries above files: HDF5 files and datasets, PnetCDF files and variables.

use ioglass_schema::{h5d, h5f, pnetcdf_file, pnetcdf_var};
use zerocopy::{FromBytes, Immutable, KnownLayout};

use crate::pod::pod;
use crate::values::WideValues;

const H5F_INTS: usize = h5f::MODULE.ints.len();
const H5F_FLOATS: usize = h5f::MODULE.floats.len();
const H5D_INTS: usize = h5d::MODULE.ints.len();
const H5D_FLOATS: usize = h5d::MODULE.floats.len();
const NC_FILE_INTS: usize = pnetcdf_file::MODULE.ints.len();
const NC_FILE_FLOATS: usize = pnetcdf_file::MODULE.floats.len();
const NC_VAR_INTS: usize = pnetcdf_var::MODULE.ints.len();
const NC_VAR_FLOATS: usize = pnetcdf_var::MODULE.floats.len();

/// Record of one process's use of one file, dataset or variable of a library.
///
/// `accesses` holds the common accesses of objects that are read and written; the four in the log
/// are chosen when it is written.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, Immutable, KnownLayout)]
pub struct ObjectCell<const INTS: usize, const FLOATS: usize, const TABLES: usize> {
    /// Record id.
    pub id: u64,
    /// Record id of the file that contains it; 0 if it is a file itself.
    pub file: u64,
    /// Counters, by the indices of the schema.
    pub int: [i64; INTS],
    /// Times in ticks: moments are absolute, 0 is never.
    pub tick: [u64; FLOATS],
    /// Accesses with their dimensions.
    pub accesses: [WideValues; TABLES],
    /// Calls whose time is time of metadata, opens apart.
    pub others: u64,
}

/// An HDF5 file.
pub type H5fCell = ObjectCell<H5F_INTS, H5F_FLOATS, 0>;
/// An HDF5 dataset.
pub type H5dCell = ObjectCell<H5D_INTS, H5D_FLOATS, 1>;
/// A PnetCDF file.
pub type PnetcdfFileCell = ObjectCell<NC_FILE_INTS, NC_FILE_FLOATS, 0>;
/// A PnetCDF variable.
pub type PnetcdfVarCell = ObjectCell<NC_VAR_INTS, NC_VAR_FLOATS, 1>;

pod! {
    H5fCell: 24 + 8 * (H5F_INTS + H5F_FLOATS);
    H5dCell: 24 + 8 * (H5D_INTS + H5D_FLOATS) + size_of::<WideValues>();
    PnetcdfFileCell: 24 + 8 * (NC_FILE_INTS + NC_FILE_FLOATS);
    PnetcdfVarCell: 24 + 8 * (NC_VAR_INTS + NC_VAR_FLOATS) + size_of::<WideValues>();
}
