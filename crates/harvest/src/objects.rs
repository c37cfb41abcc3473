//! Records of libraries above files: HDF5 and PnetCDF.

use ioglass_schema::h5d::{self, H5d};
use ioglass_schema::h5f::{self, H5f};
use ioglass_schema::pnetcdf_file::{self, PnetcdfFile};
use ioglass_schema::pnetcdf_var::{self, PnetcdfVar};
use ioglass_shm::{H5dCell, H5fCell, Kind, PnetcdfFileCell, PnetcdfVarCell, Values, WideValues};

use crate::counters::{Cell, seconds};
use crate::time::Timeline;

/// Cells of modules: the kind of their entries, the record, where common accesses stand in it, and
/// whether it is linked to its file.
macro_rules! cells {
    ($($cell:ty: $kind:ident, $module:ident, $record:ident, $accesses:expr, $($link:ident)?;)*) => {$(
        impl Cell for $cell {
            const KIND: Kind = Kind::$kind;
            type Record = $record;

            fn tables(&self) -> impl Iterator<Item = (usize, usize, &Values)> {
                core::iter::empty()
            }

            fn wide(&self) -> Option<(usize, usize, &WideValues)> {
                let places: Option<(usize, usize)> = $accesses;
                let (values, counts) = places?;
                Some((values, counts, self.accesses.first()?))
            }

            fn tell(&self, time: &Timeline, record: &mut $record) {
                record.base.id = self.id;
                record.int = self.int;
                $(record.$link = [self.file];)?
                seconds($module::MODULE.floats, &self.tick, time, &mut record.float);
            }
        }
    )*};
}

cells! {
    H5fCell: H5f, h5f, H5f, None,;
    H5dCell: H5d, h5d, H5d, Some((h5d::ACCESS1_ACCESS, h5d::ACCESS1_COUNT)), link;
    PnetcdfFileCell: PnetcdfFile, pnetcdf_file, PnetcdfFile, None,;
    PnetcdfVarCell: PnetcdfVar, pnetcdf_var, PnetcdfVar,
        Some((pnetcdf_var::ACCESS1_ACCESS, pnetcdf_var::ACCESS1_COUNT)), link;
}
