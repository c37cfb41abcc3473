//! The preload library, which is embedded in this crate and stored where programs can load it.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
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

/// The value of LD_PRELOAD: the library, then the libraries that are preloaded already.
pub fn preloaded(library: &Path) -> OsString {
    let before = env::var_os("LD_PRELOAD").unwrap_or_default();
    let is_there = before
        .as_bytes()
        .split(|byte| matches!(byte, b' ' | b':'))
        .any(|word| word == library.as_os_str().as_bytes());
    if is_there || before.is_empty() {
        return if is_there { before } else { library.into() };
    }
    let mut all = library.as_os_str().to_owned();
    all.push(":");
    all.push(before);
    all
}

fn store(directory: &Path, name: &str) -> io::Result<PathBuf> {
    stored::make_directory(directory)?;
    let flags = statvfs(directory).map_err(io::Error::from)?.flags();
    if flags.contains(FsFlags::ST_NOEXEC) {
        return Err(io::Error::other("it is mounted with noexec"));
    }
    stored::store(directory, name, LIBRARY, 0o755)
}
