//! Files that this crate embeds, stored where programs find them.

use std::env;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use ioglass_shm::place;

/// Root's directory for them: programs that become another user's read them as that user.
const FOR_ALL: &str = "/var/cache";

/// The directories to try, best first.
pub(crate) fn directories() -> Vec<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = absolute("XDG_CACHE_HOME")
        .or_else(|| nix::unistd::geteuid().is_root().then(|| FOR_ALL.into()))
        .or_else(|| Some(absolute("HOME")?.join(".cache")));
    let user = format!("{}{}", place::USER_PREFIX, nix::unistd::getuid());
    let shared = place::ROOTS.iter().map(|root| Path::new(root).join(&user));
    cache.map(|cache| cache.join("ioglass")).into_iter().chain(shared).collect()
}

/// Makes a directory, unless it is there. No other user may be able to change its contents.
pub(crate) fn make_directory(directory: &Path) -> io::Result<()> {
    // In a list of paths, and for a shell, these end a path.
    if directory.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b' ' | b':')) {
        return Err(io::Error::other("a path with blanks or colons is cut there"));
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
    Ok(())
}

/// The path of a file with these bytes in the directory, which is written unless it is there and
/// whole.
pub(crate) fn store(directory: &Path, name: &str, bytes: &[u8], mode: u32) -> io::Result<PathBuf> {
    let path = directory.join(name);
    if is_whole(&path, bytes) {
        return Ok(path);
    }
    let beside = directory.join(format!(".{name}-{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode).custom_flags(libc::O_NOFOLLOW);
    let written = options
        .open(&beside)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.set_permissions(Permissions::from_mode(mode))
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
fn is_whole(path: &Path, bytes: &[u8]) -> bool {
    let metadata = fs::symlink_metadata(path);
    metadata.is_ok_and(|metadata| metadata.is_file() && is_safe(&metadata))
        && fs::read(path).is_ok_and(|there| there == bytes)
}

/// Returns true if no other user but root can change it.
fn is_safe(metadata: &fs::Metadata) -> bool {
    let owner = metadata.uid();
    (owner == nix::unistd::geteuid().as_raw() || owner == 0) && metadata.mode() & 0o022 == 0
}
