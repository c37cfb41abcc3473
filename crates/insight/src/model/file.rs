//! Files, as all layers know them.

use smallvec::SmallVec;

use super::recorded::FileFacts;
use super::usage::Usage;
use crate::name::Name;

/// Kind of file that a record stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A file of the user's.
    Data,
    /// Read while the program starts: code, libraries, settings.
    Startup,
    /// Standard input, output or error.
    Stream,
    /// Something that calls wait on, such as a pipe, a socket or a terminal. It is no storage.
    Waits,
}

/// The stripes of a file on Lustre.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripes {
    /// Parts with a layout of their own, in order.
    pub components: SmallVec<[Component; 1]>,
}

/// A part of a file with one layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// First byte.
    pub start: u64,
    /// End; `u64::MAX` for the end of the file.
    pub end: u64,
    /// Bytes of a stripe.
    pub size: u64,
    /// Storage targets.
    pub targets: SmallVec<[i64; 2]>,
    /// Number of targets, also if they are not listed.
    pub count: u64,
}

impl Stripes {
    /// The part in which most of the first `bytes` bytes lie.
    pub fn main(&self, bytes: u64) -> Option<&Component> {
        let held = |part: &&Component| part.end.min(bytes.max(1)).saturating_sub(part.start);
        self.components.iter().max_by_key(held)
    }
}

/// Something with a name that was accessed.
#[derive(Debug, Clone)]
pub struct File {
    /// Record id.
    pub id: u64,
    /// Its path; not to be trusted.
    pub name: Name,
    /// Its kind.
    pub kind: FileKind,
    /// Index of the mount it lies on.
    pub mount: Option<usize>,
    /// Through POSIX.
    pub posix: Option<Box<Usage>>,
    /// Through MPI-IO.
    pub mpiio: Option<Box<Usage>>,
    /// Through streams of the C library.
    pub stdio: Option<Box<Usage>>,
    /// Through HDF5: opens and flushes of the file.
    pub h5f: Option<Box<Usage>>,
    /// HDF5 opened it with MPI-IO.
    pub h5f_uses_mpiio: bool,
    /// Through PnetCDF: opens and syncs of the file.
    pub pnetcdf: Option<Box<Usage>>,
    /// Seconds in PnetCDF's wait calls.
    pub pnetcdf_wait: f64,
    /// Through DAOS.
    pub daos: Option<Box<Usage>>,
    /// Its stripes on Lustre.
    pub stripes: Option<Stripes>,
    /// Facts that have no counter, if the recorder told any.
    pub(super) facts: Option<Box<FileFacts>>,
    summary: FileSummary,
}

/// Sums that detectors ask of very many files again and again, kept at hand.
#[derive(Debug, Clone, Copy, Default)]
struct FileSummary {
    bytes: u64,
    /// Most ranks of an interface that knows them.
    ranks: u32,
    /// An interface knows only that all ranks used it.
    is_of_all: bool,
}

impl File {
    pub(crate) fn new(id: u64, name: Name, kind: FileKind, mount: Option<usize>) -> Self {
        Self {
            id,
            name,
            kind,
            mount,
            posix: None,
            mpiio: None,
            stdio: None,
            h5f: None,
            h5f_uses_mpiio: false,
            pnetcdf: None,
            pnetcdf_wait: 0.0,
            daos: None,
            stripes: None,
            facts: None,
            summary: FileSummary::default(),
        }
    }

    /// Facts that have no counter.
    pub fn facts(&self) -> FileFacts {
        self.facts.as_deref().copied().unwrap_or_default()
    }

    /// Usages of the interfaces through which a program moves bytes, each byte once: POSIX or
    /// MPI-IO is left to its own checks, streams count beside POSIX.
    pub fn calls(&self) -> impl Iterator<Item = &Usage> {
        [&self.posix, &self.stdio].into_iter().flatten().map(AsRef::as_ref)
    }

    /// The usage of the layer below a library: MPI-IO if there is one, else POSIX.
    pub(crate) fn below(&self) -> Option<&Usage> {
        self.mpiio.as_deref().or(self.posix.as_deref())
    }

    /// Makes the summary; to be called when all records are in.
    pub(crate) fn sum_up(&mut self) {
        let below = self.posix.as_deref().map_or(0, Usage::bytes);
        let above = self.mpiio.as_deref().map_or(0, Usage::bytes);
        let apart = [&self.stdio, &self.daos].into_iter().flatten().map(|usage| usage.bytes());
        let told = self.layers().filter(|usage| usage.reduced.is_none());
        let is_of_all = self.layers().any(|usage| usage.reduced.is_some());
        self.summary = FileSummary {
            bytes: apart.fold(below.max(above), u64::saturating_add),
            ranks: told.map(|usage| usage.by_rank.len() as u32).max().unwrap_or(0),
            is_of_all,
        };
    }

    /// Returns true if calls on it wait for somebody and not for storage. Where types are not
    /// known, metadata calls that take `longest` seconds on average tell.
    pub(super) fn waits(&self, knows_types: bool, longest: f64) -> bool {
        if self.kind != FileKind::Data {
            return false;
        }
        if self.facts().file_type.waits() {
            return true;
        }
        let Some(usage) = self.posix.as_deref().filter(|_| !knows_types) else { return false };
        let calls = usage.opens.saturating_add(usage.stats).saturating_add(usage.seeks);
        usage.meta_time >= longest * calls.max(1) as f64
    }

    /// Returns true for a standard stream that is a file, where types are known.
    pub(super) fn is_redirected(&self) -> bool {
        self.kind == FileKind::Stream && !self.facts().file_type.waits()
    }

    /// Returns true if its time is waiting: a pipe, or a standard stream that is no file.
    pub(super) fn is_waited_for(&self) -> bool {
        match self.kind {
            FileKind::Waits => true,
            FileKind::Stream => self.facts().file_type.waits(),
            FileKind::Data | FileKind::Startup => false,
        }
    }

    /// Returns true if HDF5 made it, by its records or, where the recorder does not see HDF5, by
    /// its name.
    pub(crate) fn is_hdf5(&self) -> bool {
        let ending = self.name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let known = ["h5", "hdf5", "hdf", "he5", "nc4"];
        self.h5f.is_some() || known.iter().any(|known| ending.eq_ignore_ascii_case(known))
    }

    /// Usages of all layers that move bytes, lowest first. POSIX moves the bytes of MPI-IO again.
    pub fn layers(&self) -> impl Iterator<Item = &Usage> {
        [&self.posix, &self.mpiio, &self.stdio, &self.daos].into_iter().flatten().map(AsRef::as_ref)
    }

    /// Usages of those layers in which each byte counts once.
    pub fn counted_once(&self) -> impl Iterator<Item = &Usage> {
        let bytes = |usage: &Option<Box<Usage>>| usage.as_deref().map_or(0, Usage::bytes);
        let below = if bytes(&self.mpiio) > bytes(&self.posix) { &self.mpiio } else { &self.posix };
        [below, &self.stdio, &self.daos].into_iter().flatten().map(AsRef::as_ref)
    }

    /// Bytes that were moved.
    pub fn bytes(&self) -> u64 {
        self.summary.bytes
    }

    /// Ranks that used it, of `all`.
    pub fn ranks(&self, all: u64) -> u64 {
        let FileSummary { ranks, is_of_all, .. } = self.summary;
        u64::from(ranks).max(if is_of_all { all } else { 0 })
    }

    /// Seconds of the rank that spent most on it.
    pub fn slowest_time(&self, all: u64) -> f64 {
        let time =
            |usage: &Option<Box<Usage>>| usage.as_deref().map_or(0.0, |u| u.slowest_time(all));
        time(&self.posix).max(time(&self.mpiio)) + time(&self.stdio) + time(&self.daos)
    }
}
