//! The preload library, which is embedded in this crate and stored where programs can load it.

use std::env;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use ioglass_shm::place;
use nix::sys::statvfs::{FsFlags, statvfs};

use crate::{Error, Result};

/// The bytes of the library.
static LIBRARY: &[u8] = include_bytes!(env!("IOGLASS_LIBRARY"));

/// The path of the library, which is stored there if need be. Its name has a hash of its bytes, so
/// versions live side by side and a running program never loses the one it loaded.
pub fn path() -> Result<PathBuf> {
    let name = format!("libioglass-{:016x}.so", ioglass_schema::record_id(LIBRARY));
    let mut refused = Error::NoDirectory;
    for directory in directories() {
        match store(&directory, &name) {
            Ok(path) => return Ok(path),
            Err(source) => refused = Error::Library { directory, source },
        }
    }
    Err(refused)
}

/// Root's directory for it: programs that become another user's load it as that user.
const FOR_ALL: &str = "/var/cache";

/// The directories to try, best first.
fn directories() -> Vec<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = absolute("XDG_CACHE_HOME")
        .or_else(|| nix::unistd::geteuid().is_root().then(|| FOR_ALL.into()))
        .or_else(|| Some(absolute("HOME")?.join(".cache")));
    let user = format!("{}{}", place::USER_PREFIX, nix::unistd::getuid());
    let shared = place::ROOTS.iter().map(|root| Path::new(root).join(&user));
    cache.map(|cache| cache.join("ioglass")).into_iter().chain(shared).collect()
}

fn store(directory: &Path, name: &str) -> io::Result<PathBuf> {
    // For the loader these end a path.
    if directory.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b' ' | b':')) {
        return Err(io::Error::other("the loader cannot load from a path with blanks or colons"));
    }
    let mode = if directory.starts_with(FOR_ALL) { 0o755 } else { 0o700 };
    if !directory.exists() {
        DirBuilder::new().recursive(true).mode(mode).create(directory)?;
        fs::set_permissions(directory, Permissions::from_mode(mode))?;
    }
    let metadata = fs::symlink_metadata(directory)?;
    if !metadata.is_dir() || !is_safe(&metadata) {
        return Err(io::Error::other("other users can change its contents"));
    }
    let flags = statvfs(directory).map_err(io::Error::from)?.flags();
    if flags.contains(FsFlags::ST_NOEXEC) {
        return Err(io::Error::other("it is mounted with noexec"));
    }
    let path = directory.join(name);
    if is_whole(&path) {
        return Ok(path);
    }
    let beside = directory.join(format!(".{name}-{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o755).custom_flags(libc::O_NOFOLLOW);
    let written = options
        .open(&beside)
        .and_then(|mut file| {
            file.write_all(LIBRARY)?;
            file.set_permissions(Permissions::from_mode(0o755))
        })
        .and_then(|()| fs::rename(&beside, &path));
    if let Err(error) = written {
        // It may not have been made at all.
        let _ = fs::remove_file(&beside);
        return Err(error);
    }
    Ok(path)
}

/// Returns true if the file has the right bytes and other users cannot change it.
fn is_whole(path: &Path) -> bool {
    let metadata = fs::symlink_metadata(path);
    metadata.is_ok_and(|metadata| metadata.is_file() && is_safe(&metadata))
        && fs::read(path).is_ok_and(|bytes| bytes == LIBRARY)
}

/// Returns true if no other user but root can change it.
fn is_safe(metadata: &fs::Metadata) -> bool {
    let owner = metadata.uid();
    (owner == nix::unistd::geteuid().as_raw() || owner == 0) && metadata.mode() & 0o022 == 0
}
