//! The directories of jobs, and the captures in them.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ioglass_shm::{Pod, place as names};

use crate::job_file::JobFile;
use crate::{Error, Result};

/// Levels of jobs inside jobs: the directory of an inner job lies in that of the outer one.
const DEEPEST: usize = 8;

/// In a log's metadata: number of processes that could not be recorded.
pub const UNRECORDED: &str = "unrecorded";
/// In a log's metadata: number of opens of excluded paths by processes that recorded nothing.
pub const EXCLUDED: &str = "excluded_opens";

/// Prefix of a job's file while it is written.
pub(super) const UNFINISHED: &str = ".job-";

/// The existing directories of this user, at most one per root.
pub(crate) fn user_directories() -> impl Iterator<Item = PathBuf> {
    names::ROOTS.iter().map(|root| user_directory(root)).filter(|directory| is_ours(directory))
}

fn user_directory(root: &str) -> PathBuf {
    Path::new(root).join(format!("{}{}", names::USER_PREFIX, nix::unistd::geteuid()))
}

/// The user's directory in `/tmp`, made if need be. The last resort for a log.
pub(crate) fn temporary_directory() -> Option<PathBuf> {
    let directory = user_directory("/tmp");
    // It may exist already; the owner decides.
    let _ = DirBuilder::new().mode(0o700).create(&directory);
    Some(directory).filter(|directory| is_ours(directory))
}

/// Returns true if `directory` is a directory, not a link to one, and this user's alone.
pub(crate) fn is_ours(directory: &Path) -> bool {
    owner(directory) == Some(nix::unistd::geteuid().as_raw())
}

/// The owner of a directory, unless it is a link or other users have access to it.
fn owner(directory: &Path) -> Option<u32> {
    let metadata = fs::symlink_metadata(directory).ok()?;
    (metadata.is_dir() && metadata.mode() & 0o077 == 0).then_some(metadata.uid())
}

/// The directories of all users, for root; none for other users.
fn directories_of_others() -> impl Iterator<Item = PathBuf> {
    let roots = names::ROOTS.iter().filter(|_| nix::unistd::geteuid().is_root());
    let is_users = |directory: &PathBuf| {
        let name = directory.file_name().and_then(|name| name.to_str());
        let user = name.and_then(|name| name.strip_prefix(names::USER_PREFIX)?.parse().ok());
        user.is_some() && owner(directory) == user
    };
    roots.flat_map(|root| directories_in(Path::new(root))).filter(is_users)
}

/// The user's directory under the first root that takes it, made if need be.
pub(crate) fn make_user_directory() -> Result<PathBuf> {
    let directories = names::ROOTS.iter().map(|root| user_directory(root));
    let make = |directory: &PathBuf| {
        // It may exist already; the owner decides.
        let _ = DirBuilder::new().mode(0o700).create(directory);
        is_ours(directory)
    };
    directories.into_iter().find(make).ok_or(Error::NoDirectory)
}

/// Makes the directory of a job and writes `job` into it: in the directory of the outer job if there is
/// one, else under the first root that takes it.
pub(crate) fn make_job(job: &JobFile, outer: Option<&Path>) -> Result<PathBuf> {
    let name = format!("{}-{:08x}", job.jobid, random());
    let mut refused = Error::NoDirectory;
    let outer = outer.filter(|outer| is_ours(outer)).map(Path::to_path_buf);
    let users = names::ROOTS.iter().map(|root| user_directory(root));
    for parent in outer.into_iter().chain(users) {
        match make_in(&parent, &name, job) {
            Ok(directory) => return Ok(directory),
            Err(source) => refused = Error::MakeDirectory { parent, source },
        }
    }
    Err(refused)
}

fn make_in(parent: &Path, name: &str, job: &JobFile) -> io::Result<PathBuf> {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    match builder.create(parent) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if !is_ours(parent) {
        return Err(io::Error::other(
            "it belongs to another user, or other users have access to it",
        ));
    }
    let directory = parent.join(name);
    builder.create(&directory)?;
    let budget = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(directory.join(names::BUDGET_FILE));
    let written = budget.and_then(|mut file| file.write_all(names::JobBudget::default().bytes()));
    match written.and_then(|()| job.write(&directory)) {
        Ok(()) => Ok(directory),
        Err(error) => {
            // It has no other contents; the first error is the one to report.
            let _ = fs::remove_dir_all(&directory);
            Err(error)
        }
    }
}

/// The counts that all processes of a job share.
fn budget(directory: &Path) -> names::JobBudget {
    let bytes = fs::read(directory.join(names::BUDGET_FILE)).unwrap_or_default();
    names::JobBudget::read(&bytes).unwrap_or_default()
}

/// Notes for the metadata of a log: processes of the job that have no capture.
pub(crate) fn notes(directories: &[PathBuf]) -> Vec<(&'static str, Vec<u8>)> {
    let budgets: Vec<_> = directories.iter().map(|directory| budget(directory)).collect();
    let unrecorded: u64 = budgets.iter().map(|budget| budget.unrecorded).sum();
    let excluded: u64 = budgets.iter().map(|budget| budget.excluded).sum();
    let notes = [(UNRECORDED, unrecorded), (EXCLUDED, excluded)].into_iter();
    let notes = notes.filter(|(_, count)| *count > 0);
    notes.map(|(name, count)| (name, count.to_string().into_bytes())).collect()
}

/// A number that tells jobs apart.
fn random() -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = [now.as_nanos().to_le_bytes(), u128::from(std::process::id()).to_le_bytes()];
    ioglass_schema::record_id(seed.as_flattened()) as u32
}

/// The directories of all jobs of this user.
pub(crate) fn jobs() -> Vec<PathBuf> {
    let directories = user_directories().flat_map(|directory| directories_in(&directory));
    let mut directories: Vec<PathBuf> =
        directories.filter(|directory| is_name_of_job(directory)).collect();
    directories.sort();
    directories
}

/// Returns true for names as jobs have them, a number and a hexadecimal one: beside jobs lies what
/// programs include.
fn is_name_of_job(directory: &Path) -> bool {
    let name = directory.file_name().and_then(|name| name.to_str());
    let parts = name.and_then(|name| name.rsplit_once('-'));
    parts.is_some_and(|(number, random)| {
        number.parse::<i128>().is_ok() && u64::from_str_radix(random, 16).is_ok()
    })
}

/// All directories of the job in `directory`, itself included. A process that becomes another user's leaves
/// its captures in a directory of that user.
pub(crate) fn namesakes(directory: &Path) -> Vec<PathBuf> {
    let mut all = vec![directory.to_path_buf()];
    let Some(name) = directory.file_name() else { return all };
    for user in user_directories().chain(directories_of_others()) {
        let other = user.join(name);
        if !all.contains(&other) && owner(&other).is_some_and(|own| Some(own) == owner(&user)) {
            all.push(other);
        }
    }
    all
}

/// The captures of a job, those of inner jobs included.
pub(crate) fn captures(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(directory, DEEPEST, &mut found);
    found.sort();
    found
}

fn walk(directory: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_file() && entry.file_name().to_string_lossy().ends_with(names::CAPTURE_SUFFIX) {
            found.push(entry.path());
        } else if kind.is_dir() && depth > 0 {
            walk(&entry.path(), depth - 1, found);
        }
    }
}

/// The size of these files together, in bytes.
pub(crate) fn total_size(files: &[PathBuf]) -> u64 {
    files.iter().filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum()
}

fn directories_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    directories.map(|entry| entry.path()).collect()
}

/// Opens a capture, unless it is a link or no regular file.
pub(crate) fn open_capture(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    Ok(file)
}

/// Removes the directory of a job with all that is recorded in it.
pub(crate) fn discard(directory: &Path) {
    for capture in captures(directory) {
        // The next `recover` removes what stays.
        let _ = fs::remove_file(capture);
    }
    remove_job(directory);
}

/// Removes the directory of a job if it has no captures. Returns true if it is gone.
pub(crate) fn remove_job(directory: &Path) -> bool {
    for inner in directories_in(directory) {
        remove_job(&inner);
    }
    if !captures(directory).is_empty() {
        return false;
    }
    for name in [names::BUDGET_FILE, names::JOB_FILE] {
        let _ = fs::remove_file(directory.join(name));
    }
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // An unfinished file is of a command that was killed while it wrote it.
        if name.ends_with(names::MEMBER_SUFFIX) || name.starts_with(UNFINISHED) {
            let _ = fs::remove_file(entry.path());
        }
    }
    fs::remove_dir(directory).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beside_jobs_is_none() {
        let is_job = |name: &str| is_name_of_job(&Path::new("/dev/shm/ioglass-0").join(name));
        // Of the command, with and without a number; of the library.
        for name in ["48213-0badcafe", "-5-00000001", "4711-7f3a", "18446744073709551615-ffff"] {
            assert!(is_job(name), "{name}");
        }
        for name in ["include-0123456789abcdef", "python-0123456789abcdef", "profiles", "7-", "-1"]
        {
            assert!(!is_job(name), "{name}");
        }
    }
}
