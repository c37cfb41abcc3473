//! The commands of one launch on one node share the directory of a job.
//!
//! A *gate*, a file beside the directories of jobs, names the directory that the launch uses now. Each
//! command has a file of its own in that directory and holds a lock on it. The lock ends with the command,
//! however that ends. The last command that leaves closes the gate and makes the log; no command waits
//! for another. A command that comes later begins a new job. If all commands are killed, the
//! [`keeper`](crate::keeper) that the first of them left beside the job makes the log.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ioglass_shm::place as names;
use nix::fcntl::{Flock, FlockArg};

use crate::child::{Ended, Ending};
use crate::job_file::JobFile;
use crate::launcher::Launch;
use crate::{Result, directory};

/// Longest time that other commands hold the gate; they need it for a few system calls.
const PATIENCE: Duration = Duration::from_secs(2);

/// This command in a job that other commands share.
#[derive(Debug)]
pub(crate) struct Member {
    directory: PathBuf,
    gate: PathBuf,
    /// Locked until this command has ended and has made the log, if it makes one.
    file: Option<Flock<File>>,
    rank: u32,
    /// True if this command began the job.
    is_first: bool,
}

/// The file of a command in the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemberRecord {
    pub(crate) rank: u32,
    /// The process of the command.
    pub(crate) pid: u32,
    /// The end of its program, if the command saw it.
    pub(crate) ended: Option<Ended>,
}

/// Joins the job of the launch, or begins it as `job` describes it. Returns the description of the job.
pub(crate) fn enter(
    launch: &Launch,
    job: &JobFile,
    outer: Option<&Path>,
) -> Result<(JobFile, Member)> {
    let name = launch.name_here(job.log.as_os_str().as_bytes());
    let parent = match outer {
        Some(outer) => outer.to_path_buf(),
        None => directory::make_user_directory()?,
    };
    let gate = parent.join(format!("{name}{}", names::GATE_SUFFIX));
    let mut lock = lock_gate(&gate)?;
    let directory = Some(led_to(&gate)).filter(|directory| !directory.as_os_str().is_empty());
    // Without a living command it is an earlier launch of that name; if this rank has been in it, the
    // other ranks are still in an earlier step.
    let directory = directory.filter(|directory| is_alive(directory));
    let is_new = |left: &MemberRecord| left.rank != launch.rank;
    let directory = directory.filter(|directory| all(directory).iter().all(is_new));
    let known = directory.and_then(|directory| Some((JobFile::read(&directory)?, directory)));
    let is_first = known.is_none();
    let (job, directory) = match known {
        Some(known) => known,
        None => {
            let directory = directory::make_job(job, Some(&parent))?;
            lock.set_len(0)?;
            lock.write_all(directory.as_os_str().as_bytes())?;
            (job.clone(), directory)
        }
    };
    let pid = std::process::id();
    let own = directory.join(format!("{}-{pid}{}", launch.rank, names::MEMBER_SUFFIX));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(own)?;
    let file =
        Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| io::Error::from(error))?;
    Ok((job, Member { directory, gate, file: Some(file), rank: launch.rank, is_first }))
}

impl Member {
    /// The directory of the job.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The gate that leads to the directory.
    pub(crate) fn gate(&self) -> &Path {
        &self.gate
    }

    /// Returns true if this command began the job.
    pub(crate) fn is_first(&self) -> bool {
        self.is_first
    }

    /// Leaves the job. Returns all members if this was the last of them.
    pub(crate) fn leave(&mut self, ended: Option<Ended>) -> io::Result<Option<Vec<MemberRecord>>> {
        let _gate = lock_gate(&self.gate)?;
        if let (Some(Ended { pid, how }), Some(file)) = (ended, &mut self.file) {
            let (word, number) = match how {
                Ending::Status(status) => ("status", status),
                Ending::Signal(signal) => ("signal", signal),
            };
            write!(file, "{pid} {word} {number}")?;
        }
        let own = format!("{}-{}{}", self.rank, std::process::id(), names::MEMBER_SUFFIX);
        let mut others = members(&self.directory).filter(|(path, _)| !path.ends_with(&own));
        if others.any(|(path, _)| is_held(&path)) {
            // Before the gate is unlocked, so that the next command that leaves sees it.
            self.file = None;
            return Ok(None);
        }
        // Commands that come now begin another directory, unless they have already.
        if led_to(&self.gate) == self.directory {
            fs::remove_file(&self.gate)?;
        }
        Ok(Some(all(&self.directory)))
    }
}

/// Number of commands in the job, and of their programs that still run. Without programs one of the
/// commands makes the log. `None` if there are no commands.
pub(crate) fn at_work(directory: &Path) -> Option<(u32, u32)> {
    let held: Vec<MemberRecord> =
        members(directory).filter(|(path, _)| is_held(path)).map(|(_, left)| left).collect();
    let programs = held.iter().filter(|left| left.ended.is_none()).count() as u32;
    (!held.is_empty()).then_some((held.len() as u32, programs))
}

/// Marks the job as alive while its keeper lives.
pub(crate) fn keep(directory: &Path) -> io::Result<Flock<File>> {
    let file = File::create(keeper_file(directory))?;
    Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| error.into())
}

/// Waits until no command runs the job any more, and closes the gate. Returns all members. `wait` waits
/// for commands that may still come.
pub(crate) fn outlive(
    directory: &Path,
    gate: &Path,
    wait: impl Fn(&[MemberRecord]),
) -> io::Result<Vec<MemberRecord>> {
    loop {
        wait_for_members(directory);
        if !directory.exists() {
            return Ok(Vec::new());
        }
        wait(&all(directory));
        let _gate = match lock_gate(gate) {
            // Whoever has it so long is stopped, or waits for a busy machine.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            lock => lock?,
        };
        let is_over = !has_members(directory);
        let led_to = led_to(gate);
        // An empty gate was made by the lock itself.
        if led_to.as_os_str().is_empty() || is_over && led_to == directory {
            fs::remove_file(gate)?;
        }
        if is_over {
            return Ok(all(directory));
        }
    }
}

/// All commands that are or were in the job.
pub(crate) fn all(directory: &Path) -> Vec<MemberRecord> {
    members(directory).map(|(_, left)| left).collect()
}

/// Waits until all commands that are in the job now have left.
fn wait_for_members(directory: &Path) {
    for (path, _) in members(directory) {
        // The lock is granted when the command ends; it is not needed after that.
        drop(File::open(path).map(|file| Flock::lock(file, FlockArg::LockShared)));
    }
}

/// Returns true if the job in `directory` has a living command or keeper.
pub(crate) fn is_alive(directory: &Path) -> bool {
    has_members(directory) || is_kept(directory)
}

/// Returns true if the job has a living keeper.
pub(crate) fn is_kept(directory: &Path) -> bool {
    is_held(&keeper_file(directory))
}

fn has_members(directory: &Path) -> bool {
    members(directory).any(|(path, _)| is_held(&path))
}

fn keeper_file(directory: &Path) -> PathBuf {
    directory.join(format!("keeper{}", names::MEMBER_SUFFIX))
}

/// Removes the gate that leads to `directory`, whose commands are dead, and gates that lead nowhere.
pub(crate) fn close_gate(directory: &Path) {
    let Some(parent) = directory.parent() else { return };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(names::GATE_SUFFIX) {
            let led_to = led_to(&entry.path());
            // An empty gate is being made.
            if led_to == directory || !led_to.as_os_str().is_empty() && !led_to.exists() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The directory that a gate leads to; empty if it is being made.
fn led_to(gate: &Path) -> PathBuf {
    OsString::from_vec(fs::read(gate).unwrap_or_default()).into()
}

/// Locks the gate. The file may be removed while this command waits for the lock.
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
            // Locks are short. A blocking wait could not time out.
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// The members of a job with their files.
fn members(directory: &Path) -> impl Iterator<Item = (PathBuf, MemberRecord)> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let (rank, pid) = name.strip_suffix(names::MEMBER_SUFFIX)?.split_once('-')?;
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let (rank, pid) = (rank.parse().ok()?, pid.parse().ok()?);
        Some((entry.path(), MemberRecord { rank, pid, ended: parse_ended(&text) }))
    })
}

fn parse_ended(text: &str) -> Option<Ended> {
    let mut words = text.split(' ');
    let pid = words.next()?.parse().ok()?;
    let how = match (words.next()?, words.next()?.parse().ok()?) {
        ("status", status) => Ending::Status(status),
        (_, signal) => Ending::Signal(signal),
    };
    Some(Ended { pid, how })
}

/// Returns true if the command of this file lives.
fn is_held(member: &Path) -> bool {
    let Ok(file) = File::open(member) else { return false };
    Flock::lock(file, FlockArg::LockSharedNonblock).is_err()
}
