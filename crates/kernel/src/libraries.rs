//! HDF5 and MPI, found at run time.

use std::env;
use std::path::{Path, PathBuf};

use crate::hdf5::{self as library, Functions};
use crate::symbol;

/// An MPI with the HDF5 that is built for it, or HDF5 alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stack {
    /// MPICH, or one of its kind.
    Mpich,
    /// Open MPI.
    OpenMpi,
    /// One process.
    Serial,
}

impl Stack {
    /// The stack whose launcher started this process, by the variables that it sets.
    pub fn of_launcher() -> Self {
        let is_set = |name: &str| env::var_os(name).is_some();
        if ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK"].into_iter().any(is_set) {
            Stack::OpenMpi
        } else if ["PMI_SIZE", "PMI_RANK"].into_iter().any(is_set) {
            Stack::Mpich
        } else {
            Stack::Serial
        }
    }

    /// As people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Stack::Mpich => "MPICH",
            Stack::OpenMpi => "Open MPI",
            Stack::Serial => "one process",
        }
    }

    /// Names of the library without version, in the order in which they are tried.
    const fn stems(self) -> &'static [&'static str] {
        match self {
            Stack::Mpich => &["libhdf5_mpich.so"],
            Stack::OpenMpi => &["libhdf5_openmpi.so"],
            Stack::Serial => &["libhdf5_serial.so", "libhdf5.so"],
        }
    }

    /// Names of MPI, for an HDF5 that does not load it.
    const fn of_mpi(self) -> &'static [&'static str] {
        match self {
            Stack::Mpich => &["libmpich.so.12", "libmpi.so.12", "libmpich.so"],
            Stack::OpenMpi => &["libmpi.so.40", "libmpi.so"],
            Stack::Serial => &[],
        }
    }

    /// The package of Debian and Ubuntu that has it.
    const fn package(self) -> &'static str {
        match self {
            Stack::Mpich => "libhdf5-mpich-dev",
            Stack::OpenMpi => "libhdf5-openmpi-dev",
            Stack::Serial => "libhdf5-dev",
        }
    }
}

/// Versions of HDF5's library for programs, from 1.10 on; the empty one is for developers.
const VERSIONS: [&str; 8] = ["", ".320", ".310", ".200", ".103", ".102", ".101", ".100"];

/// HDF5 and MPI, loaded.
#[derive(Debug, Clone)]
pub struct Libraries {
    /// The stack.
    pub stack: Stack,
    /// The file of HDF5, as it was given to the loader.
    pub hdf5: PathBuf,
    pub(crate) functions: Functions,
}

/// A reason why libraries cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// There is none.
    #[error("no HDF5 for {stack} was found, neither {names}", stack = .0.name(), names = .0.stems().join(" nor "))]
    Missing(Stack),
    /// The one that was asked for cannot be loaded.
    #[error("HDF5 cannot be loaded: {0}")]
    NotLoaded(String),
    /// It lacks a function.
    #[error("{file} has no {name}", file = .0.display(), name = .1)]
    Incomplete(PathBuf, String),
    /// It is too old.
    #[error("{file} is HDF5 {1}.{2}; 1.10 or newer is needed", file = .0.display())]
    Old(PathBuf, u32, u32),
}

impl LibraryError {
    /// What to type to get it.
    pub fn remedy(&self) -> Option<String> {
        match self {
            LibraryError::Missing(stack) => Some(format!("apt-get install {}", stack.package())),
            _ => None,
        }
    }
}

impl Libraries {
    /// Loads HDF5 for a stack, or this very file, and MPI with it.
    ///
    /// # Errors
    /// If they are not there, or are no such libraries.
    pub fn find(stack: Stack, hdf5: Option<&Path>) -> Result<Self, LibraryError> {
        let hdf5 = match hdf5 {
            Some(file) => {
                let name = file.to_string_lossy();
                symbol::load(&name).map_err(LibraryError::NotLoaded)?;
                file.to_owned()
            }
            None => first(stack).ok_or(LibraryError::Missing(stack))?,
        };
        if symbol::find(c"MPI_Init").is_none() {
            // An HDF5 that is linked with MPI has loaded it already.
            let _ = stack.of_mpi().iter().find(|name| symbol::load(name).is_ok());
        }
        let incomplete =
            |name: &'static str| LibraryError::Incomplete(hdf5.clone(), name.to_owned());
        let functions = Functions::find().map_err(incomplete)?;
        if stack != Stack::Serial {
            library::Parallel::find().map_err(incomplete)?;
        }
        let [major, minor] = library::version(&functions).map_err(incomplete)?;
        if (major, minor) < (1, 10) {
            return Err(LibraryError::Old(hdf5, major, minor));
        }
        Ok(Self { stack, hdf5, functions })
    }
}

/// The first library of a stack that can be loaded.
fn first(stack: Stack) -> Option<PathBuf> {
    let names =
        stack.stems().iter().flat_map(|stem| VERSIONS.map(|version| format!("{stem}{version}")));
    // Versions in the order of a list: the one for developers is what programs here are built with.
    names.map(PathBuf::from).find(|name| symbol::load(&name.to_string_lossy()).is_ok())
}
