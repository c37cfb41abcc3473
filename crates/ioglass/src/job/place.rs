//! Folders of jobs under the roots, and the captures in them.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use ioglass_shm::{Pod, place};

use super::file::JobFile;

/// The folder of a job that runs inside another has the other's name before its own.
const DEEPEST: usize = 8;

/// How a job's file begins while it is written.
pub(super) const UNFINISHED: &str = ".job-";

/// The folders of this user that exist, one per root at most.
pub(crate) fn user_folders() -> impl Iterator<Item = PathBuf> {
    place::ROOTS.iter().map(|root| user_folder(root)).filter(|folder| is_ours(folder))
}

fn user_folder(root: &str) -> PathBuf {
    Path::new(root).join(format!("{}{}", place::USER_PREFIX, nix::unistd::geteuid()))
}

/// The user's folder below `/tmp`, for want of anything better; made if need be.
pub(crate) fn temporary_folder() -> Option<PathBuf> {
    let folder = user_folder("/tmp");
    // It may be there already; whose it is decides.
    let _ = DirBuilder::new().mode(0o700).create(&folder);
    Some(folder).filter(|folder| is_ours(folder))
}

/// Whether it is a folder, not a link to one, and nobody else's.
pub(crate) fn is_ours(folder: &Path) -> bool {
    owner(folder) == Some(nix::unistd::geteuid().as_raw())
}

/// Whose folder it is, if it is one, not a link to one, and nobody else gets into it.
fn owner(folder: &Path) -> Option<u32> {
    let metadata = fs::symlink_metadata(folder).ok()?;
    (metadata.is_dir() && metadata.mode() & 0o077 == 0).then_some(metadata.uid())
}

/// The folders of all users, if we are one who may look into them.
fn folders_of_others() -> impl Iterator<Item = PathBuf> {
    let roots = place::ROOTS.iter().filter(|_| nix::unistd::geteuid().is_root());
    let is_users = |folder: &PathBuf| {
        let name = folder.file_name().and_then(|name| name.to_str());
        let user = name.and_then(|name| name.strip_prefix(place::USER_PREFIX)?.parse().ok());
        user.is_some() && owner(folder) == user
    };
    roots.flat_map(|root| folders_in(Path::new(root))).filter(is_users)
}

/// The user's folder under the first root that takes it, made if need be.
pub(crate) fn make_user_folder() -> anyhow::Result<PathBuf> {
    let folders = place::ROOTS.iter().map(|root| user_folder(root));
    let make = |folder: &PathBuf| {
        // It may be there already; whose it is decides.
        let _ = DirBuilder::new().mode(0o700).create(folder);
        is_ours(folder)
    };
    folders.into_iter().find(make).context("there is no place for the job's folder")
}

/// Makes a folder for a job under the first root that takes it, or in the folder of the job that
/// this one is part of. What `job` says goes into it.
pub(crate) fn make_job(job: &JobFile, outer: Option<&Path>) -> anyhow::Result<PathBuf> {
    let name = format!("{}-{:08x}", job.jobid, random());
    let mut refused = None;
    let outer = outer.filter(|outer| is_ours(outer)).map(Path::to_path_buf);
    let users = place::ROOTS.iter().map(|root| user_folder(root));
    for parent in outer.into_iter().chain(users) {
        match make_in(&parent, &name, job) {
            Ok(folder) => return Ok(folder),
            Err(error) => refused = Some((parent, error)),
        }
    }
    let (parent, error) = refused.context("there is no place for the job's folder")?;
    Err(anyhow::Error::new(error).context(format!("cannot make a folder in {}", parent.display())))
}

fn make_in(parent: &Path, name: &str, job: &JobFile) -> io::Result<PathBuf> {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    match builder.create(parent) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if !is_ours(parent) {
        return Err(io::Error::other("it belongs to somebody else, or others may write to it"));
    }
    let folder = parent.join(name);
    builder.create(&folder)?;
    let budget = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(folder.join(place::BUDGET_FILE));
    let written = budget.and_then(|mut file| file.write_all(place::Budget::default().bytes()));
    match written.and_then(|()| job.write(&folder)) {
        Ok(()) => Ok(folder),
        Err(error) => {
            // Nothing else is in it; the first error is the one to report.
            let _ = fs::remove_dir_all(&folder);
            Err(error)
        }
    }
}

/// What the processes of a job have said of themselves together.
pub(crate) fn budget(folder: &Path) -> place::Budget {
    let bytes = fs::read(folder.join(place::BUDGET_FILE)).unwrap_or_default();
    place::Budget::read(&bytes).unwrap_or_default()
}

/// A number that other jobs do not have.
fn random() -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = [now.as_nanos().to_le_bytes(), u128::from(std::process::id()).to_le_bytes()];
    ioglass_schema::record_id(seed.as_flattened()) as u32
}

/// Folders of all jobs of this user.
pub(crate) fn jobs() -> Vec<PathBuf> {
    let folders = user_folders().flat_map(|folder| folders_in(&folder));
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.sort();
    folders
}

/// The same job under the roots, `folder` itself included. Processes that have become somebody else's
/// leave theirs with those.
pub(crate) fn namesakes(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_path_buf()];
    let Some(name) = folder.file_name() else { return all };
    for user in user_folders().chain(folders_of_others()) {
        let other = user.join(name);
        if !all.contains(&other) && owner(&other).is_some_and(|own| Some(own) == owner(&user)) {
            all.push(other);
        }
    }
    all
}

/// Paths of the captures of a job, those of jobs inside it included.
pub(crate) fn captures(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(folder, DEEPEST, &mut found);
    found.sort();
    found
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_file() && entry.file_name().to_string_lossy().ends_with(place::CAPTURE_SUFFIX) {
            found.push(entry.path());
        } else if kind.is_dir() && depth > 0 {
            walk(&entry.path(), depth - 1, found);
        }
    }
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

/// Opens a capture, unless a link was put in its place or it is somebody else's.
pub(crate) fn open_capture(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    Ok(file)
}

/// Removes what is left of a job's folder once no capture is in it; says whether it is gone.
pub(crate) fn remove_job(folder: &Path) -> bool {
    for inner in folders_in(folder) {
        remove_job(&inner);
    }
    if !captures(folder).is_empty() {
        return false;
    }
    for name in [place::BUDGET_FILE, place::JOB_FILE] {
        let _ = fs::remove_file(folder.join(name));
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // The second is of a command that was killed while it wrote the job's file.
        if name.ends_with(place::MEMBER_SUFFIX) || name.starts_with(UNFINISHED) {
            let _ = fs::remove_file(entry.path());
        }
    }
    fs::remove_dir(folder).is_ok()
}
