//! Several `ioglass run` of one launch on one node share a job's folder.
//!
//! A *gate*, a file beside the folders, names the folder that the launch uses now. Each command has a
//! file of its own in the folder and holds a lock on it, which ends with the command however that
//! ends. Whoever leaves and finds no other lock held closes the gate and makes the log; nobody waits
//! for anybody. Who comes after that begins anew. If all are killed, the [`keeper`](super::keeper) that
//! the first of them has left beside the job makes the log.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ioglass_shm::place as names;
use nix::fcntl::{Flock, FlockArg};

use super::file::JobFile;
use super::launch::{Ended, How};
use super::launched::Launched;
use super::place;

/// How long others may hold the gate, which they do for a few system calls.
const PATIENCE: Duration = Duration::from_secs(2);

/// This command in a job that others run too.
pub(crate) struct Member {
    folder: PathBuf,
    gate: PathBuf,
    /// Held until this command is done, also with the log: whoever finds it held keeps away.
    file: Option<Flock<File>>,
    rank: u32,
    /// Whether it began the job.
    is_first: bool,
}

/// What a command left behind in the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) rank: u32,
    /// The `ioglass run`.
    pub(crate) pid: u32,
    /// How its program ended, if it saw that.
    pub(crate) ended: Option<Ended>,
}

/// Joins the job of the launch, or begins it as `job` says; tells what is known of the job.
pub(crate) fn enter(
    launched: &Launched,
    job: &JobFile,
    outer: Option<&Path>,
) -> anyhow::Result<(JobFile, Member)> {
    let name = launched.name_here(job.log.as_os_str().as_bytes());
    let parent = match outer {
        Some(outer) => outer.to_path_buf(),
        None => place::make_user_folder()?,
    };
    let gate = parent.join(format!("{name}{}", names::GATE_SUFFIX));
    let mut lock = lock_gate(&gate)?;
    let folder = Some(led_to(&gate)).filter(|folder| !folder.as_os_str().is_empty());
    // Where nobody lives any more the launch of that name is a dead one's; where this rank has been
    // already, the others are still at what it did before.
    let folder = folder.filter(|folder| is_alive(folder));
    let is_new = |left: &Left| left.rank != launched.rank;
    let folder = folder.filter(|folder| all(folder).iter().all(is_new));
    let known = folder.and_then(|folder| Some((JobFile::read(&folder)?, folder)));
    let is_first = known.is_none();
    let (job, folder) = match known {
        Some(known) => known,
        None => {
            let folder = place::make_job(job, Some(&parent))?;
            lock.set_len(0)?;
            lock.write_all(folder.as_os_str().as_bytes())?;
            (job.clone(), folder)
        }
    };
    let pid = std::process::id();
    let own = folder.join(format!("{}-{pid}{}", launched.rank, names::MEMBER_SUFFIX));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(own)?;
    let file = Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| error)?;
    Ok((job, Member { folder, gate, file: Some(file), rank: launched.rank, is_first }))
}

impl Member {
    /// The folder of the job.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The gate that led to it.
    pub(crate) fn gate(&self) -> &Path {
        &self.gate
    }

    /// Whether this command began the job.
    pub(crate) fn is_first(&self) -> bool {
        self.is_first
    }

    /// Leaves the job. The last one is told who was there.
    pub(crate) fn leave(&mut self, ended: Option<Ended>) -> io::Result<Option<Vec<Left>>> {
        let _gate = lock_gate(&self.gate)?;
        if let (Some(Ended { pid, how }), Some(file)) = (ended, &mut self.file) {
            let (word, number) = match how {
                How::Status(status) => ("status", status),
                How::Signal(signal) => ("signal", signal),
            };
            write!(file, "{pid} {word} {number}")?;
        }
        let own = format!("{}-{}{}", self.rank, std::process::id(), names::MEMBER_SUFFIX);
        let mut others = members(&self.folder).filter(|(path, _)| !path.ends_with(&own));
        if others.any(|(path, _)| is_held(&path)) {
            // Before the gate opens, so that the next one to leave sees it.
            self.file = None;
            return Ok(None);
        }
        // Those who come now begin another folder, unless they have already.
        if led_to(&self.gate) == self.folder {
            fs::remove_file(&self.gate)?;
        }
        Ok(Some(all(&self.folder)))
    }
}

/// How many commands are in the job, and how many of their programs still run; without programs one of
/// them makes the log. `None` if nobody is.
pub(crate) fn at_work(folder: &Path) -> Option<(u32, u32)> {
    let held: Vec<Left> =
        members(folder).filter(|(path, _)| is_held(path)).map(|(_, left)| left).collect();
    let programs = held.iter().filter(|left| left.ended.is_none()).count() as u32;
    (!held.is_empty()).then_some((held.len() as u32, programs))
}

/// Keeps the job from being taken for a dead one's while its keeper lives.
pub(crate) fn keep(folder: &Path) -> io::Result<Flock<File>> {
    let file = File::create(keeper_file(folder))?;
    Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| error.into())
}

/// Waits until no command runs the job any more, and closes the gate. Tells who was there. `wait` waits
/// for those who may still come.
pub(crate) fn outlive(folder: &Path, gate: &Path, wait: impl Fn(&[Left])) -> io::Result<Vec<Left>> {
    loop {
        wait_for_members(folder);
        if !folder.exists() {
            return Ok(Vec::new());
        }
        wait(&all(folder));
        let _gate = lock_gate(gate)?;
        let is_over = !has_members(folder);
        let led_to = led_to(gate);
        // An empty one is what the lock has just made.
        if led_to.as_os_str().is_empty() || is_over && led_to == folder {
            fs::remove_file(gate)?;
        }
        if is_over {
            return Ok(all(folder));
        }
    }
}

/// All who are or were in the job.
pub(crate) fn all(folder: &Path) -> Vec<Left> {
    members(folder).map(|(_, left)| left).collect()
}

/// Waits until all who are in the job now have left.
fn wait_for_members(folder: &Path) {
    for (path, _) in members(folder) {
        // The lock is had when its command ends, and not needed.
        drop(File::open(path).map(|file| Flock::lock(file, FlockArg::LockShared)));
    }
}

/// Whether a command still runs the job in `folder`, besides the one that began it, or keeps it.
pub(crate) fn is_alive(folder: &Path) -> bool {
    has_members(folder) || is_kept(folder)
}

/// Whether the job has a keeper.
pub(crate) fn is_kept(folder: &Path) -> bool {
    is_held(&keeper_file(folder))
}

fn has_members(folder: &Path) -> bool {
    members(folder).any(|(path, _)| is_held(&path))
}

fn keeper_file(folder: &Path) -> PathBuf {
    folder.join(format!("keeper{}", names::MEMBER_SUFFIX))
}

/// Removes the gate that leads to `folder`, whose commands are dead, and gates that lead nowhere.
pub(crate) fn close_gate(folder: &Path) {
    let Some(parent) = folder.parent() else { return };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(names::GATE_SUFFIX) {
            let led_to = led_to(&entry.path());
            // An empty one is being made.
            if led_to == folder || !led_to.as_os_str().is_empty() && !led_to.exists() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The folder that a gate leads to; empty if it is being made.
fn led_to(gate: &Path) -> PathBuf {
    OsString::from_vec(fs::read(gate).unwrap_or_default()).into()
}

/// Opens the gate for this command alone. The file may be removed while its lock is waited for.
fn lock_gate(path: &Path) -> io::Result<Flock<File>> {
    let begin = Instant::now();
    loop {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(path)?;
        let inode = file.metadata()?.ino();
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) if fs::metadata(path).is_ok_and(|now| now.ino() == inode) => return Ok(lock),
            Ok(_) => {}
            Err((_, error)) if begin.elapsed() > PATIENCE => return Err(error.into()),
            // Held for moments only; a lock that is waited for could not be given up.
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// The members of a job, with the files by which they are known.
fn members(folder: &Path) -> impl Iterator<Item = (PathBuf, Left)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let (rank, pid) = name.strip_suffix(names::MEMBER_SUFFIX)?.split_once('-')?;
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let (rank, pid) = (rank.parse().ok()?, pid.parse().ok()?);
        Some((entry.path(), Left { rank, pid, ended: parse_ended(&text) }))
    })
}

fn parse_ended(text: &str) -> Option<Ended> {
    let mut words = text.split(' ');
    let pid = words.next()?.parse().ok()?;
    let how = match (words.next()?, words.next()?.parse().ok()?) {
        ("status", status) => How::Status(status),
        (_, signal) => How::Signal(signal),
    };
    Some(Ended { pid, how })
}

/// Whether its command lives.
fn is_held(member: &Path) -> bool {
    let Ok(file) = File::open(member) else { return false };
    Flock::lock(file, FlockArg::LockSharedNonblock).is_err()
}
