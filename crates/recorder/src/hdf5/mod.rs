//! Bookkeeping of HDF5 calls: files here, datasets in [`dataset`].
//!
//! A handle is an id of one HDF5 library; a process may have several libraries. The caller that
//! finds an id unknown queries its library and reports the answer ([`dataset::found`]).

pub mod dataset;
pub mod fixed_properties;
pub mod property_list;
mod recent;
pub mod space;

use core::ffi::CStr;

use ioglass_schema::h5f::{self, f};
use ioglass_shm::{H5fCell, IoLayer, Kind};

use crate::file::File;
use crate::handles::Buckets;
use crate::object::{Locked, META, Object, Objects};
use crate::region::io;
use crate::settings::module;
use crate::span::{Span, cover, uncovered};
use crate::{naming, thread};

pub use crate::handles::Handle;

/// Most dimensions that HDF5 supports.
pub const MAX_DIMENSIONS: usize = 32;

static FILES: Objects<H5fCell> = Objects::new(Kind::H5f, &BUCKETS);
static BUCKETS: Buckets<H5fCell> = Buckets::new();

/// An HDF5 file.
pub type HdfFile = Object<H5fCell>;

/// The file at the path that HDF5 was given. With MPI-IO a prefix of the path may select one of
/// ROMIO's file systems; it is no part of the name.
fn at(path: &CStr) -> Option<&'static File> {
    naming::given_to_romio(path, |_| false)
}

/// The record of the file at `path`, unless it is excluded.
#[inline]
fn file_at(path: &CStr) -> Option<&'static HdfFile> {
    let file = at(path).filter(|file| !file.is_left_out_by(module::H5F))?;
    FILES.get(file, file.id, None)
}

/// Books an open, and attaches the id to its file.
#[unsafe(link_section = ".text.hot")]
pub fn opened(handle: Handle, path: &CStr, uses_mpiio: bool, span: Span) {
    let Some(Locked { cell, history, .. }) = &mut FILES.tie(handle, file_at(path), 0) else {
        return;
    };
    cell.int[h5f::OPENS] += 1;
    cell.int[h5f::USE_MPIIO] |= i64::from(uses_mpiio);
    let columns = [f::OPEN_START_TIMESTAMP, f::OPEN_END_TIMESTAMP, f::META_TIME];
    let ticks = cover(&mut cell.tick, &mut history.last_end[META], columns, span);
    io::opened(thread::current(), IoLayer::Hdf5, cell.id, ticks);
}

/// The file behind a known id; `Some(None)` is an excluded one.
#[unsafe(link_section = ".text.hot")]
pub fn file(handle: Handle) -> Option<Option<&'static HdfFile>> {
    FILES.find(handle)
}

/// The recorded file at a path, if its open was not seen.
pub fn file_called(path: &CStr) -> Option<&'static HdfFile> {
    file_at(path)
}

/// Books a flush.
pub fn flushed(file: &'static HdfFile, span: Span) {
    let Some(Locked { cell, history, .. }) = &mut FILES.lock(file) else { return };
    cell.int[h5f::FLUSHES] += 1;
    cell.others += 1;
    let ticks = uncovered(&mut history.last_end[META], span);
    cell.tick[f::META_TIME] += ticks;
    io::other(thread::current(), IoLayer::Hdf5, cell.id, 1, ticks);
}

/// Books a close, and forgets the id.
#[unsafe(link_section = ".text.hot")]
pub fn closed(handle: Handle, span: Span) {
    let Some(Locked { cell, history, .. }) = &mut FILES.untie(handle) else { return };
    let columns = [f::CLOSE_START_TIMESTAMP, f::CLOSE_END_TIMESTAMP, f::META_TIME];
    let ticks = cover(&mut cell.tick, &mut history.last_end[META], columns, span);
    cell.others += 1;
    io::other(thread::current(), IoLayer::Hdf5, cell.id, 1, ticks);
}

/// Forgets the ids of a library that was restarted or unloaded.
pub fn forget(library: u64) {
    FILES.untie_all(|handle| handle[0] == library);
    dataset::forget(library);
    space::forget();
}

/// In a child, where no other thread can hold a lock.
pub(crate) fn after_fork() {
    FILES.after_fork();
    dataset::after_fork();
}
