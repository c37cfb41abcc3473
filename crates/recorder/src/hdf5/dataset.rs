//! Bookkeeping of calls on HDF5 data sets.

use core::ffi::CStr;

use ioglass_schema::h5d::{self, f};
use ioglass_schema::record_id;
use ioglass_shm::{H5dCell, Kind};

use super::at;
use crate::access::{Changing, Columns};
use crate::handles::{Handle, Handles};
use crate::object::{Inner, META, Object, Objects, cover};
use crate::posix::{Direction, Span, uncovered};
use crate::settings::module;
use crate::thread::Guard;
use crate::{access, scratch};

static DATASETS: Objects<H5dCell> = Objects::new(Kind::H5d);
static HANDLES: Handles<H5dCell> = Handles::new();

/// An HDF5 data set.
pub type Dataset = Object<H5dCell>;

/// Dimensions that a record has room for.
pub const DIMENSIONS: usize = 5;

/// What a data set without a name is called.
const UNNAMED: &[u8] = b"(unnamed)";

/// What a library says about a data set.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// Path of the file, as it was given to HDF5.
    pub file: &'a CStr,
    /// Its name in the file; empty if it has none yet.
    pub name: &'a [u8],
    /// Dimensions.
    pub dimensions: i64,
    /// Points.
    pub points: i64,
    /// Bytes of an element in the file.
    pub element: i64,
    /// Lengths of a chunk, the last dimension first; 0 where there is none.
    pub chunk: [i64; DIMENSIONS],
}

/// How an access chooses its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// All of them, or none.
    Whole,
    /// One by one.
    Points,
    /// Blocks at equal distances.
    Regular,
    /// Any other blocks.
    Irregular,
}

/// The points of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// How they are chosen.
    pub choice: Choice,
    /// How many; `None` is all that the data set has.
    pub points: Option<i64>,
    /// Elements in each dimension and distances of regular blocks, in the order of the log.
    pub shape: [i64; 2 * DIMENSIONS],
}

impl Selection {
    /// All points of a data set.
    pub const ALL: Self = Self::of(Choice::Whole, None);

    /// A selection of no regular shape.
    pub const fn of(choice: Choice, points: Option<i64>) -> Self {
        Self { choice, points, shape: [0; 2 * DIMENSIONS] }
    }

    /// Regular blocks by their count, size and distance in each dimension. A record has the first
    /// dimension last, and only five.
    pub fn regular(count: &[u64], block: &[u64], stride: &[u64]) -> Self {
        let mut selection = Self::of(Choice::Regular, None);
        let mut points = 1_u64;
        for (dimension, (count, block)) in count.iter().zip(block).enumerate() {
            let length = count.saturating_mul(*block);
            points = points.saturating_mul(length);
            if dimension < DIMENSIONS {
                let slot = DIMENSIONS - 1 - dimension;
                selection.shape[slot] = length as i64;
                selection.shape[DIMENSIONS + slot] = stride.get(dimension).map_or(1, |s| *s as i64);
            }
        }
        if points == 0 {
            return Self::of(Choice::Whole, Some(0));
        }
        Self { points: Some(points as i64), ..selection }
    }
}

/// A read or write that succeeded.
#[derive(Debug, Clone, Copy)]
pub struct Access<'s> {
    /// Which way.
    pub direction: Direction,
    /// Its points.
    pub selection: &'s Selection,
    /// Made by all ranks together.
    pub is_collective: bool,
    /// When.
    pub span: Span,
}

/// Books an open, and ties the id to its data set.
pub fn opened(handle: Handle, about: &About<'_>, is_deprecated: bool, span: Span) {
    let Some(_guard) = Guard::enter() else { return };
    let Some(dataset) = tie(handle, about) else { return };
    DATASETS.change(dataset, |cell, inner| {
        describe(cell, about);
        cell.int[h5d::OPENS] += 1;
        cell.int[h5d::USE_DEPRECATED] |= i64::from(is_deprecated);
        let columns = [f::OPEN_START_TIMESTAMP, f::OPEN_END_TIMESTAMP, f::META_TIME];
        cover(&mut cell.tick, &mut inner.last_end[META], columns, span);
    });
}

/// Ties an id to its data set whose open went past us.
pub fn found(handle: Handle, about: &About<'_>) -> Option<&'static Dataset> {
    let _guard = Guard::enter()?;
    let dataset = tie(handle, about)?;
    DATASETS.change(dataset, |cell, _| {
        describe(cell, about);
        cell.int[h5d::OPENS] = cell.int[h5d::OPENS].max(1);
    })?;
    Some(dataset)
}

/// Notes that a data set without a name has got one.
pub fn named(handle: Handle, about: &About<'_>) {
    let Some(_guard) = Guard::enter() else { return };
    let Some(unnamed) = HANDLES.find(handle).flatten() else { return };
    if unnamed.is_called(UNNAMED)
        && !about.name.is_empty()
        && let Some(dataset) = tie(handle, about)
    {
        DATASETS.name_record(unnamed, dataset);
    }
}

fn tie(handle: Handle, about: &About<'_>) -> Option<&'static Dataset> {
    let dataset = called(about);
    HANDLES.insert(handle, dataset);
    dataset
}

fn called(about: &About<'_>) -> Option<&'static Dataset> {
    let file = at(about.file).filter(|file| !file.is_left_out_by(module::H5D))?;
    let mut scratch = scratch::borrow()?;
    let name = &mut scratch.path;
    name.clear();
    name.push(file.name());
    name.push(b":");
    name.push(about.name);
    if about.name.is_empty() {
        name.push(UNNAMED);
        let name = name.as_bytes();
        return DATASETS.add_unnamed(file, record_id(name), name);
    }
    let name = name.as_bytes();
    DATASETS.get(file, record_id(name), Some(name))
}

fn describe(cell: &mut H5dCell, about: &About<'_>) {
    cell.int[h5d::DATASPACE_NDIMS] = about.dimensions;
    cell.int[h5d::DATASPACE_NPOINTS] = about.points;
    cell.int[h5d::DATATYPE_SIZE] = about.element;
    cell.int[h5d::CHUNK_SIZE_D1..=h5d::CHUNK_SIZE_D5].copy_from_slice(&about.chunk);
}

/// The data set behind an id that is known; `Some(None)` is one that is left out.
pub fn get(handle: Handle) -> Option<Option<&'static Dataset>> {
    let _guard = Guard::enter()?;
    HANDLES.find(handle)
}

const COLUMNS: [Columns; 2] = [
    Columns {
        bytes: h5d::BYTES_READ,
        sizes: h5d::SIZE_READ_AGG_0_100,
        max_time_size: h5d::MAX_READ_TIME_SIZE,
        covered: [f::READ_START_TIMESTAMP, f::READ_END_TIMESTAMP, f::READ_TIME],
        max_time: f::MAX_READ_TIME,
        switches: h5d::RW_SWITCHES,
    },
    Columns {
        bytes: h5d::BYTES_WRITTEN,
        sizes: h5d::SIZE_WRITE_AGG_0_100,
        max_time_size: h5d::MAX_WRITE_TIME_SIZE,
        covered: [f::WRITE_START_TIMESTAMP, f::WRITE_END_TIMESTAMP, f::WRITE_TIME],
        max_time: f::MAX_WRITE_TIME,
        switches: h5d::RW_SWITCHES,
    },
];

/// Books a read or write.
pub fn accessed(dataset: &'static Dataset, access: &Access<'_>) {
    if let Some(_guard) = Guard::enter() {
        DATASETS.change(dataset, |cell, inner| count(cell, inner, access));
    }
}

fn count(cell: &mut H5dCell, inner: &mut Inner, access: &Access<'_>) {
    let H5dCell { int, tick, accesses: [accesses], .. } = cell;
    let Selection { choice, points, shape } = access.selection;
    match choice {
        Choice::Whole => {}
        Choice::Points => int[h5d::POINT_SELECTS] += 1,
        Choice::Regular => int[h5d::REGULAR_HYPERSLAB_SELECTS] += 1,
        Choice::Irregular => int[h5d::IRREGULAR_HYPERSLAB_SELECTS] += 1,
    }
    let points = points.unwrap_or(int[h5d::DATASPACE_NPOINTS]);
    let bytes = points.saturating_mul(int[h5d::DATATYPE_SIZE]);
    let side = access.direction as usize;
    int[[h5d::READS, h5d::WRITES][side]] += 1;
    int[h5d::USE_MPIIO_COLLECTIVE] |= i64::from(access.is_collective);
    let changing = Changing { int, tick, accesses, inner };
    access::count(changing, &COLUMNS[side], access.direction, bytes, shape, access.span);
}

/// Whether it is known already that ranks use it together.
pub fn is_known_collective(dataset: &'static Dataset) -> bool {
    let Some(_guard) = Guard::enter() else { return false };
    let is_known = |cell: &mut H5dCell, _: &mut Inner| cell.int[h5d::USE_MPIIO_COLLECTIVE] != 0;
    DATASETS.change(dataset, is_known).unwrap_or(false)
}

/// Books a flush.
pub fn flushed(dataset: &'static Dataset, span: Span) {
    let Some(_guard) = Guard::enter() else { return };
    DATASETS.change(dataset, |cell, inner| {
        cell.int[h5d::FLUSHES] += 1;
        cell.tick[f::META_TIME] += uncovered(&mut inner.last_end[META], span.begin, span.end);
    });
}

/// Notes that a data set has another size now.
pub fn resized(dataset: &'static Dataset, points: i64) {
    let Some(_guard) = Guard::enter() else { return };
    DATASETS.change(dataset, |cell, _| cell.int[h5d::DATASPACE_NPOINTS] = points);
}

/// Books a close, and forgets the id.
pub fn closed(handle: Handle, span: Span) {
    let Some(_guard) = Guard::enter() else { return };
    if let Some(dataset) = HANDLES.remove(handle).filter(|dataset| dataset.has_record()) {
        DATASETS.change(dataset, |cell, inner| {
            let columns = [f::CLOSE_START_TIMESTAMP, f::CLOSE_END_TIMESTAMP, f::META_TIME];
            cover(&mut cell.tick, &mut inner.last_end[META], columns, span);
        });
    }
}

pub(super) fn after_fork() {
    HANDLES.after_fork();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_dimension_is_last_in_a_record() {
        let selection = Selection::regular(&[3, 2], &[1, 4], &[2, 8]);
        assert_eq!(selection.points, Some(24));
        assert_eq!(selection.shape, [0, 0, 0, 8, 3, 0, 0, 0, 8, 2]);
        // Of more than five dimensions, the first five.
        let selection = Selection::regular(&[1, 2, 3, 4, 5, 6], &[1; 6], &[]);
        assert_eq!(selection.points, Some(720));
        assert_eq!(selection.shape, [5, 4, 3, 2, 1, 1, 1, 1, 1, 1]);
        let nothing = Selection::regular(&[3, 0], &[1, 1], &[1, 1]);
        assert_eq!((nothing.choice, nothing.points), (Choice::Whole, Some(0)));
    }
}
