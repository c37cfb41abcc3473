//! What programs include to name their regions, embedded in this crate and stored where compilers
//! and Python find it.

use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Result, stored};

/// A file and its bytes.
type File = (&'static str, &'static [u8]);

/// Headers and the Fortran module.
static INCLUDE: [File; 4] = [
    ("ioglass.h", include_bytes!("../../region/include/ioglass.h")),
    ("ioglass.hpp", include_bytes!("../../region/include/ioglass.hpp")),
    ("tinyprof.hpp", include_bytes!("../../region/include/tinyprof.hpp")),
    ("ioglass.f90", include_bytes!("../../region/include/ioglass.f90")),
];

/// The Python package.
static PYTHON: [File; 2] = [
    ("ioglass/__init__.py", include_bytes!("../../region/python/ioglass/__init__.py")),
    ("ioglass/_runtime.py", include_bytes!("../../region/python/ioglass/_runtime.py")),
];

/// The folder of the headers and of the Fortran module, which are stored there if need be. Its name
/// has a hash of its files, so versions live side by side.
pub fn path() -> Result<PathBuf> {
    folder("include", &INCLUDE)
}

/// The folder in which Python finds the package `ioglass`, likewise.
pub fn python_path() -> Result<PathBuf> {
    folder("python", &PYTHON)
}

fn folder(name: &str, files: &[File]) -> Result<PathBuf> {
    let all = files.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]).collect::<Vec<_>>();
    let name = format!("{name}-{:016x}", ioglass_schema::record_id(&all.concat()));
    let mut refused = Error::NoDirectory;
    for directory in stored::directories() {
        match store(&directory, &name, files) {
            Ok(path) => return Ok(path),
            Err(source) => refused = Error::Include { directory, source },
        }
    }
    Err(refused)
}

fn store(directory: &Path, name: &str, files: &[File]) -> io::Result<PathBuf> {
    stored::make_directory(directory)?;
    let folder = directory.join(name);
    stored::make_directory(&folder)?;
    for (path, bytes) in files {
        let (package, name) = path.split_once('/').unwrap_or(("", path));
        let place = folder.join(package);
        stored::make_directory(&place)?;
        stored::store(&place, name, bytes, 0o644)?;
    }
    Ok(folder)
}
