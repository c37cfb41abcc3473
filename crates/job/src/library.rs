//! The preload library, which is embedded in this crate and stored where programs can load it.

use std::io;
use std::path::{Path, PathBuf};

use nix::sys::statvfs::{FsFlags, statvfs};

use crate::{Error, Result, stored};

/// The bytes of the library.
static LIBRARY: &[u8] = include_bytes!(env!("IOGLASS_LIBRARY"));

/// The path of the library, which is stored there if need be. Its name has a hash of its bytes, so
/// versions live side by side and a running program never loses the one it loaded.
pub fn path() -> Result<PathBuf> {
    let name = format!("libioglass-{:016x}.so", ioglass_schema::record_id(LIBRARY));
    let mut refused = Error::NoDirectory;
    for directory in stored::directories() {
        match store(&directory, &name) {
            Ok(path) => return Ok(path),
            Err(source) => refused = Error::Library { directory, source },
        }
    }
    Err(refused)
}

fn store(directory: &Path, name: &str) -> io::Result<PathBuf> {
    stored::make_directory(directory)?;
    let flags = statvfs(directory).map_err(io::Error::from)?.flags();
    if flags.contains(FsFlags::ST_NOEXEC) {
        return Err(io::Error::other("it is mounted with noexec"));
    }
    stored::store(directory, name, LIBRARY, 0o755)
}
