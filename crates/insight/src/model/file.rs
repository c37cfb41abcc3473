//! Files, as all layers know them.

use std::sync::Arc;

use smallvec::SmallVec;

use super::usage::Usage;

/// What a record stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file of the user's.
    Data,
    /// Read while the program starts: code, libraries, settings.
    Startup,
    /// Standard input, output or error.
    Stream,
}

/// How a file lies on Lustre.
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
    /// Their number, also where they are not told.
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
    pub name: Arc<str>,
    /// What it is.
    pub kind: Kind,
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
    /// How it lies on Lustre.
    pub stripes: Option<Stripes>,
}

impl File {
    pub(crate) fn new(id: u64, name: Arc<str>, kind: Kind, mount: Option<usize>) -> Self {
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
        }
    }

    /// What was done through all layers that move bytes, lowest first. What MPI-IO moved is moved
    /// by POSIX below it.
    pub fn layers(&self) -> impl Iterator<Item = &Usage> {
        [&self.posix, &self.mpiio, &self.stdio, &self.daos].into_iter().flatten().map(AsRef::as_ref)
    }

    /// Bytes that were moved.
    pub fn bytes(&self) -> u64 {
        let below = self.posix.as_deref().map_or(0, Usage::bytes);
        let above = self.mpiio.as_deref().map_or(0, Usage::bytes);
        let apart = [&self.stdio, &self.daos].into_iter().flatten().map(|usage| usage.bytes());
        apart.fold(below.max(above), u64::saturating_add)
    }

    /// Ranks that used it, of `all`.
    pub fn ranks(&self, all: u64) -> u64 {
        self.layers().map(|usage| usage.ranks(all)).max().unwrap_or(0)
    }

    /// Seconds of the rank that spent most on it.
    pub fn slowest_time(&self, all: u64) -> f64 {
        let time =
            |usage: &Option<Box<Usage>>| usage.as_deref().map_or(0.0, |u| u.slowest_time(all));
        time(&self.posix).max(time(&self.mpiio)) + time(&self.stdio) + time(&self.daos)
    }
}

/// Parts of paths under which a program's own code lies.
const CODE_FOLDERS: [&str; 11] = [
    "/libexec/",
    "/venv/",
    "/site-packages/",
    "/dist-packages/",
    "/__pycache__/",
    "/lib/python",
    "/lib64/python",
    "/node_modules/",
    "/.config/",
    "/share/locale/",
    "/zoneinfo/",
];
/// Endings of files that are code.
const CODE_ENDINGS: [&str; 9] =
    [".py", ".pyc", ".pyo", ".so", ".pth", ".jar", ".class", ".egg-link", ".mod"];
/// Folders that hold a system rather than data.
const SYSTEM_FOLDERS: [&str; 9] =
    ["/usr/", "/lib/", "/lib64/", "/etc/", "/bin/", "/sbin/", "/proc/", "/sys/", "/opt/"];

impl Kind {
    /// What a record with this name is.
    pub fn of(name: &str) -> Self {
        if matches!(name, "<STDIN>" | "<STDOUT>" | "<STDERR>") {
            return Self::Stream;
        }
        let is_versioned_library = || {
            let last = name.rsplit('/').next().unwrap_or(name);
            last.split_once(".so.").is_some_and(|(_, version)| {
                version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            })
        };
        let is_startup = SYSTEM_FOLDERS.iter().any(|folder| name.starts_with(folder))
            || CODE_FOLDERS.iter().any(|folder| name.contains(folder))
            || CODE_ENDINGS.iter().any(|ending| name.ends_with(ending))
            || is_versioned_library();
        if is_startup { Self::Startup } else { Self::Data }
    }
}
