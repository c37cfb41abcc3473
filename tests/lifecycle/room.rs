//! A place of one's own for a test: an empty directory, and a `/dev/shm` nobody else sees.
//!
//! Captures of running jobs lie in `/dev/shm`. In a mount namespace of its own a test can say what
//! must be left there, and fill it up, whatever else runs on the machine.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{DEFAULT_SIGNALS, missing, scratch};

/// An empty directory with a private `/dev/shm`.
pub(crate) struct Room {
    /// The directory, by its real path: the path that logs have.
    pub(crate) folder: PathBuf,
    /// A process that keeps the namespace; none where namespaces are not allowed.
    holder: Option<Child>,
}

/// How long the last of a job may take to tidy up.
const PATIENCE: Duration = Duration::from_secs(10);

impl Room {
    /// A room with as much shared memory as there is.
    pub(crate) fn new(name: &str) -> Self {
        Self::with_memory(name, "50%")
    }

    /// A room whose `/dev/shm` has `size`, as mount(8) wants it.
    pub(crate) fn with_memory(name: &str, size: &str) -> Self {
        let folder = empty(name);
        // It ends with its standard input, so even a killed test leaves nobody behind.
        let keep = "mount -t tmpfs -o mode=1777,size=$0 tmpfs /dev/shm && echo ready && exec cat";
        let mut command = Command::new("unshare");
        command.args(namespaces()).args(["sh", "-c", keep, size]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let holder = command.spawn().ok().and_then(|mut holder| {
            let mut line = String::new();
            BufReader::new(holder.stdout.as_mut()?).read_line(&mut line).ok()?;
            if line == "ready\n" {
                return Some(holder);
            }
            end(&mut holder);
            None
        });
        if holder.is_none() {
            missing("what is left in shared memory", Path::new("the right to unshare(1) mounts"));
        }
        Self { folder, holder }
    }

    /// Whether `/dev/shm` is this room's own.
    pub(crate) fn is_private(&self) -> bool {
        self.holder.is_some()
    }

    /// A command in the directory and in the namespace.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let Some(holder) = &self.holder else {
            let mut command = Command::new("env");
            command.arg(DEFAULT_SIGNALS).arg(program).current_dir(&self.folder);
            return command;
        };
        let mut command = Command::new("nsenter");
        command.arg("--target").arg(holder.id().to_string()).args(namespaces_to_enter());
        command.arg("env").arg(DEFAULT_SIGNALS).arg("-C").arg(&self.folder).arg(program);
        command
    }

    /// Fails if a capture is left in shared memory.
    #[track_caller]
    pub(crate) fn check_nothing_left(&self) {
        let begin = Instant::now();
        let mut left = self.captures();
        // Who outlives a launcher may still be at it when the launcher has ended.
        while !left.is_empty() && begin.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(20));
            left = self.captures();
        }
        assert!(left.is_empty(), "left in shared memory: {left:?}");
    }

    /// The files of the recorder in shared memory, by path.
    pub(crate) fn captures(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        if let Some(holder) = &self.holder {
            let memory = PathBuf::from(format!("/proc/{}/root/dev/shm", holder.id()));
            find_files(&memory, &mut found);
            // The library itself may lie there, ready for the next run.
            found.retain(|path| path.extension().is_none_or(|extension| extension != "so"));
        }
        found
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(holder) = &mut self.holder {
            end(holder);
        }
    }
}

/// An empty directory, by its real path.
pub(crate) fn empty(name: &str) -> PathBuf {
    let folder = fs::canonicalize(scratch(name)).unwrap();
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Waits for a process that is not our child, for a minute at most.
pub(crate) fn wait_for_the_end(pid: &str) {
    let status = PathBuf::from(format!("/proc/{pid}/stat"));
    for _ in 0..6000 {
        match fs::read_to_string(&status) {
            Ok(stat) if !stat.contains(") Z ") => std::thread::sleep(Duration::from_millis(10)),
            _ => return,
        }
    }
    panic!("process {pid} does not end");
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Whether this is root, who needs no user namespace.
pub(crate) fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n")
}

fn namespaces() -> &'static [&'static str] {
    if is_root() { &["--mount"] } else { &["--mount", "--map-root-user"] }
}

fn namespaces_to_enter() -> &'static [&'static str] {
    if is_root() { &["--mount"] } else { &["--mount", "--user", "--preserve-credentials"] }
}

fn find_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            find_files(&path, found);
        } else {
            found.push(path);
        }
    }
}
