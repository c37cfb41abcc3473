//! Bookkeeping of calls on HDF5 datasets.

use core::ffi::CStr;
use core::hint::cold_path;

use ioglass_schema::h5d::{self, f};
use ioglass_schema::record_id;
use ioglass_shm::{H5dCell, IoLayer, Kind};

use super::fixed_properties::FixedProperties;
use super::property_list::{self, ListSetting};
use super::{HdfFile, at};
use crate::access::{Changing, Columns};
use crate::file::File;
use crate::handles::{Buckets, Handle};
use crate::object::{Behind, Locked, META, Object, ObjectHistory, Objects};
use crate::path::quick_hash;
use crate::posix::Direction;
use crate::region::io;
use crate::settings::module;
use crate::span::{Span, cover, uncovered};
use crate::thread::{self, Guard};
use crate::{access, scratch};

static DATASETS: Objects<H5dCell> = Objects::new(Kind::H5d, &BUCKETS);
static BUCKETS: Buckets<H5dCell> = Buckets::new();

/// An HDF5 dataset.
pub type Dataset = Object<H5dCell>;

/// Dimensions that a record has room for.
pub const DIMENSIONS: usize = 5;

/// Name of a dataset without a name.
const UNNAMED: &[u8] = b"(unnamed)";

/// The facts about a dataset, as its library reports them.
#[derive(Clone, Copy)]
pub struct DatasetInfo<'a> {
    /// Its location.
    pub place: DatasetLocation<'a>,
    /// Points.
    pub points: i64,
    /// Its fixed properties.
    pub fixed: FixedProperties,
}

/// Location of a dataset.
#[derive(Clone, Copy)]
pub enum DatasetLocation<'a> {
    /// In the file with this path, as given to HDF5, under this name; empty if it has none yet.
    Named(&'a CStr, &'a [u8]),
    /// At the root of a file, under this name.
    Root(&'static HdfFile, &'a [u8]),
}

impl DatasetLocation<'_> {
    fn is_unnamed(&self) -> bool {
        matches!(self, Self::Named(_, []))
    }
}

/// The choice of points of an access; the number is that of its counter, if it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Choice {
    /// All of them, or none.
    Whole = 0,
    /// One by one.
    Points = h5d::POINT_SELECTS as u8,
    /// Blocks at equal distances.
    Regular = h5d::REGULAR_HYPERSLAB_SELECTS as u8,
    /// Any other blocks.
    Irregular = h5d::IRREGULAR_HYPERSLAB_SELECTS as u8,
}

/// Stands for all points of the dataset.
pub const ALL_POINTS: i64 = -1;

/// The points of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// The way they are chosen.
    pub choice: Choice,
    /// Number of points, or [`ALL_POINTS`].
    pub points: i64,
    /// Elements and strides of regular blocks in each dimension, in the order of the log.
    pub shape: [i64; 2 * DIMENSIONS],
}

impl Selection {
    /// All points of a dataset.
    pub const ALL: Self = Self::of(Choice::Whole, ALL_POINTS);

    /// A selection without a regular shape.
    pub const fn of(choice: Choice, points: i64) -> Self {
        Self { choice, points, shape: [0; 2 * DIMENSIONS] }
    }

    /// Becomes a selection of regular blocks, given dimension by dimension. A record has the first
    /// dimension last, and only five. It is changed in place: a copy takes longer than the writing.
    /// Returns `false` if no dataset has so many points, as with unlimited counts.
    #[inline(always)]
    pub fn set_regular(&mut self, blocks: impl Iterator<Item = Blocks>) -> bool {
        self.shape = [0; 2 * DIMENSIONS];
        let mut points = 1_u64;
        for (dimension, Blocks { count, block, stride }) in blocks.enumerate() {
            let length = count.saturating_mul(block);
            points = points.saturating_mul(length);
            if dimension < DIMENSIONS {
                let slot = DIMENSIONS - 1 - dimension;
                self.shape[slot] = length as i64;
                self.shape[DIMENSIONS + slot] = stride as i64;
            }
        }
        (self.choice, self.points) = (Choice::Regular, points as i64);
        if self.points <= 0 {
            cold_path();
            *self = Self::of(Choice::Whole, 0);
        }
        points <= i64::MAX as u64
    }
}

/// Blocks in one dimension.
#[derive(Debug, Clone, Copy)]
pub struct Blocks {
    /// Number of blocks.
    pub count: u64,
    /// Elements of each block.
    pub block: u64,
    /// Distance from the begin of one block to the next.
    pub stride: u64,
}

/// A read or write that succeeded.
#[derive(Debug, Clone, Copy)]
pub struct Access<'s> {
    /// Its direction.
    pub direction: Direction,
    /// Its points.
    pub points: &'s Selection,
    /// Its property list, unless it is the default one.
    pub list: Option<Handle>,
    /// Its time.
    pub span: Span,
}

/// The result of booking an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Booked {
    /// The dataset is not known.
    NotYet,
    /// It is booked, but not as collective or independent: the property list is not known.
    Alone,
    /// It is booked completely.
    Whole,
}

/// Books an open, and attaches the id to its dataset.
#[unsafe(link_section = ".text.hot")]
pub fn opened(handle: Handle, about: &DatasetInfo<'_>, is_deprecated: bool, span: Span) {
    let Some(Locked { cell, history, .. }) = &mut tie(handle, called(&about.place), about) else {
        return;
    };
    describe(cell, about);
    cell.int[h5d::OPENS] += 1;
    cell.int[h5d::USE_DEPRECATED] |= i64::from(is_deprecated);
    let columns = [f::OPEN_START_TIMESTAMP, f::OPEN_END_TIMESTAMP, f::META_TIME];
    let ticks = cover(&mut cell.tick, &mut history.last_end[META], columns, span);
    io::opened(thread::current(), IoLayer::Hdf5, cell.id, ticks);
}

/// Attaches an id to a dataset whose open was not seen, or was counted in another record.
pub fn found(handle: Handle, about: &DatasetInfo<'_>) -> Option<&'static Dataset> {
    let is_known = DATASETS.find(handle).is_some();
    let dataset = called(&about.place);
    let locked = tie(handle, dataset, about)?;
    describe(locked.cell, about);
    if !is_known {
        let opens = &mut locked.cell.int[h5d::OPENS];
        *opens = (*opens).max(1);
    }
    dataset
}

/// Notes that an unnamed dataset has got a name.
pub fn named(handle: Handle, about: &DatasetInfo<'_>) {
    let Some(unnamed) = DATASETS.find(handle).flatten() else { return };
    if unnamed.is_called(UNNAMED)
        && !about.place.is_unnamed()
        && let Some(dataset) = called(&about.place)
    {
        DATASETS.name_record(unnamed, dataset);
        tie(handle, Some(dataset), about);
    }
}

#[inline]
fn tie(
    handle: Handle,
    dataset: Option<&'static Dataset>,
    about: &DatasetInfo<'_>,
) -> Option<Locked<'static, H5dCell>> {
    let rank = u32::try_from(about.fixed.dimensions).unwrap_or(0);
    DATASETS.tie(handle, dataset, rank)
}

fn called(place: &DatasetLocation<'_>) -> Option<&'static Dataset> {
    match place {
        DatasetLocation::Named(path, name) => called_in(at(path)?, b":", name),
        DatasetLocation::Root(file, name) => {
            let file = file.file();
            // The full name and its hash, the record id, are made only once.
            DATASETS.get_by(quick_hash(name, file.id), || called_in(file, b":/", name))
        }
    }
}

#[inline(never)]
fn called_in(file: &'static File, behind_file: &[u8], last: &[u8]) -> Option<&'static Dataset> {
    if file.is_left_out_by(module::H5D) {
        return None;
    }
    let _guard = Guard::join();
    let mut scratch = scratch::borrow()?;
    let name = &mut scratch.path;
    name.clear();
    name.push(file.name());
    name.push(behind_file);
    name.push(last);
    if last.is_empty() {
        name.push(UNNAMED);
        let name = name.as_bytes();
        return DATASETS.add_unnamed(file, record_id(name), name);
    }
    let name = name.as_bytes();
    DATASETS.get(file, record_id(name), Some(name))
}

fn describe(cell: &mut H5dCell, about: &DatasetInfo<'_>) {
    let FixedProperties { dimensions, element, chunk } = &about.fixed;
    cell.int[h5d::DATASPACE_NDIMS] = *dimensions;
    cell.int[h5d::DATASPACE_NPOINTS] = about.points;
    cell.int[h5d::DATATYPE_SIZE] = *element;
    cell.int[h5d::CHUNK_SIZE_D1..=h5d::CHUNK_SIZE_D5].copy_from_slice(chunk);
}

/// The dataset behind a known id, with a record; `Some(None)` is an excluded one.
pub fn get(handle: Handle) -> Option<Option<&'static Dataset>> {
    DATASETS.find(handle).filter(|found| found.is_none_or(Object::has_record))
}

/// Forgets the ids of a library that was restarted or unloaded.
pub(super) fn forget(library: u64) {
    DATASETS.untie_all(|handle| handle[0] == library);
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

/// Books a read or write of the dataset behind a handle.
#[inline(always)] // so that nothing of the access has to be put together
pub fn accessed(handle: Handle, access: &Access<'_>) -> Booked {
    let locked = match DATASETS.behind(handle) {
        Behind::Record(locked) => locked,
        Behind::Nothing => return Booked::Whole,
        Behind::Unknown => return Booked::NotYet,
    };
    count(locked.cell, locked.history, access);
    let is_collective = &mut locked.cell.int[h5d::USE_MPIIO_COLLECTIVE];
    let Some(list) = access.list.filter(|_| *is_collective == 0) else { return Booked::Whole };
    // SAFETY: under the lock of datasets.
    let ListSetting::Together(known) = (unsafe { property_list::kept(list) }) else {
        return Booked::Alone;
    };
    *is_collective = known.into();
    Booked::Whole
}

#[inline(always)]
fn count(cell: &mut H5dCell, history: &mut ObjectHistory, access: &Access<'_>) {
    let H5dCell { id, int, tick, accesses: [accesses], .. } = cell;
    let Selection { choice, points, shape } = access.points;
    if *choice != Choice::Whole {
        int[*choice as usize] += 1;
    }
    let points = if *points < 0 { int[h5d::DATASPACE_NPOINTS] } else { *points };
    let bytes = points.saturating_mul(int[h5d::DATATYPE_SIZE]);
    let side = access.direction as usize;
    int[[h5d::READS, h5d::WRITES][side]] += 1;
    let changing = Changing { int, tick, accesses, history };
    let columns = &COLUMNS[side];
    let ticks = access::count(changing, columns, access.direction, bytes, shape, access.span);
    io::moved(thread::current(), IoLayer::Hdf5, *id, access.direction, bytes, ticks);
}

/// Notes that ranks use a dataset collectively.
pub fn used_together(handle: Handle) {
    if let Behind::Record(locked) = DATASETS.behind(handle) {
        locked.cell.int[h5d::USE_MPIIO_COLLECTIVE] = 1;
    }
}

/// Dimensions of the dataset with this id; 0 if unknown.
pub(super) fn rank(handle: Handle) -> u32 {
    DATASETS.rank(handle)
}

/// Books a flush.
pub fn flushed(dataset: &'static Dataset, span: Span) {
    let Some(Locked { cell, history, .. }) = &mut DATASETS.lock(dataset) else { return };
    cell.int[h5d::FLUSHES] += 1;
    cell.others += 1;
    let ticks = uncovered(&mut history.last_end[META], span);
    cell.tick[f::META_TIME] += ticks;
    io::other(thread::current(), IoLayer::Hdf5, cell.id, 1, ticks);
}

/// Notes the new size of a dataset.
pub fn resized(dataset: &'static Dataset, points: i64) {
    if let Some(locked) = DATASETS.lock(dataset) {
        locked.cell.int[h5d::DATASPACE_NPOINTS] = points;
    }
}

/// Books a close, and forgets the id.
#[unsafe(link_section = ".text.hot")]
pub fn closed(handle: Handle, span: Span) {
    let Some(Locked { cell, history, .. }) = &mut DATASETS.untie(handle) else { return };
    let columns = [f::CLOSE_START_TIMESTAMP, f::CLOSE_END_TIMESTAMP, f::META_TIME];
    let ticks = cover(&mut cell.tick, &mut history.last_end[META], columns, span);
    cell.others += 1;
    io::other(thread::current(), IoLayer::Hdf5, cell.id, 1, ticks);
}

/// Runs `with` under the lock of datasets.
#[inline]
pub(super) fn locked<T>(with: impl FnOnce() -> T) -> T {
    DATASETS.locked(with)
}

pub(super) fn after_fork() {
    DATASETS.after_fork();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_dimension_is_last_in_a_record() {
        let regular = |blocks: &[[u64; 3]]| {
            let blocks = blocks.iter().map(|[count, block, stride]| (*count, *block, *stride));
            let blocks = blocks.map(|(count, block, stride)| Blocks { count, block, stride });
            let mut selection = Selection::ALL;
            selection.set_regular(blocks).then_some(selection)
        };
        let selection = regular(&[[3, 1, 2], [2, 4, 8]]).unwrap();
        assert_eq!(selection.points, 24);
        assert_eq!(selection.shape, [0, 0, 0, 8, 3, 0, 0, 0, 8, 2]);
        // Of more than five dimensions, the first five are kept.
        let selection = regular(&[1, 2, 3, 4, 5, 6].map(|count| [count, 1, 1])).unwrap();
        assert_eq!(selection.points, 720);
        assert_eq!(selection.shape, [5, 4, 3, 2, 1, 1, 1, 1, 1, 1]);
        let nothing = regular(&[[3, 1, 1], [0, 1, 1]]).unwrap();
        assert_eq!((nothing.choice, nothing.points), (Choice::Whole, 0));
        // Unlimited counts.
        for endless in [[u64::MAX, 1, 1], [1, u64::MAX, 1], [u64::MAX, 3, 4]] {
            assert_eq!(regular(&[endless, [2, 1, 1]]), None);
        }
    }
}
