//! Checks that the process of a capture still lives and still writes to it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ioglass_recorder::neighbour::{self, Program};
use ioglass_shm::{Header, place};
use nix::sys::signal::kill;
use nix::unistd::Pid;

/// The kernel gives the start of a process in hundredths of a second.
const TICKS_PER_SECOND: u64 = 100;

/// The programs that were seen to have their captures mapped. As long as the same one runs, its
/// mappings need not be read again.
#[derive(Debug, Default)]
pub(crate) struct Seen(BTreeMap<PathBuf, (u32, Program)>);

impl Seen {
    /// Returns true if the process that made the capture still has it mapped, or if that cannot be
    /// found out: a capture that is taken too early would lose what follows.
    pub(crate) fn has_capture(&mut self, header: &Header, capture: &Path) -> bool {
        if let Some((pid, program)) = self.0.get(capture) {
            if Program::of(*pid).as_ref() == Some(program) {
                return true;
            }
            self.0.remove(capture);
        }
        let Ok(metadata) = fs::metadata(capture) else { return false };
        let name = capture.file_name().unwrap_or_default().as_encoded_bytes();
        let maps = |pid: u32| {
            let table = fs::read(format!("/proc/{pid}/maps")).ok()?;
            let mut lines = table.split(|byte| *byte == b'\n');
            Some(lines.any(|line| is_mapping(line, metadata.ino(), name)))
        };
        let same_namespace = header.pid_namespace == 0
            || own_pid_namespace().is_none_or(|own| own == header.pid_namespace);
        let found = if same_namespace {
            if !Path::new("/proc/self").exists() {
                return kill(Pid::from_raw(header.pid.cast_signed()), None).is_ok();
            }
            // After exec, or as another process, the number lives on without the mapping.
            let program = Program::of(header.pid);
            let program = program.filter(|program| began_before(program.began, header.boot_ns));
            program.filter(|_| maps(header.pid).unwrap_or(true)).map(|found| (header.pid, found))
        } else {
            // The number means nothing here; any process may be the one.
            let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
            let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            let mut programs = pids.filter_map(|pid| Some((pid, Program::of(pid)?)));
            programs.find(|(pid, _)| maps(*pid).unwrap_or(false))
        };
        if let Some(found) = found {
            self.0.insert(capture.into(), found);
        }
        found.is_some()
    }
}

/// A process that lives.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Living {
    /// Its number.
    pub pid: u32,
    /// Its command line, words joined by blanks.
    pub command: String,
}

impl Living {
    pub(crate) fn new(pid: u32, command: &[u8]) -> Self {
        Self { pid, command: String::from_utf8_lossy(command).into_owned() }
    }

    /// The process that has this number here.
    fn numbered(pid: u32) -> Self {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = line.strip_suffix(b"\0").unwrap_or(&line).split(|byte| *byte == 0);
        Self::new(pid, &words.collect::<Vec<_>>().join(&b' '))
    }
}

/// Returns true if any process lives that process `runner` started as part of the job in `directory`.
pub(crate) fn has_members(directory: &Path, runner: u32) -> bool {
    pids_of_members(directory, runner).next().is_some()
}

/// The processes that live and that process `runner` started as part of the job in `directory`.
pub(crate) fn members(directory: &Path, runner: u32) -> Vec<Living> {
    pids_of_members(directory, runner).map(Living::numbered).collect()
}

fn pids_of_members(directory: &Path, runner: u32) -> impl Iterator<Item = u32> {
    let mut mark = format!("{}=", place::JOB).into_bytes();
    mark.extend_from_slice(directory.as_os_str().as_encoded_bytes());
    // Numbers grow until they begin anew, so most processes can be passed over unseen.
    let first = if newest().is_some_and(|newest| newest >= runner) { runner } else { 0 };
    let own = std::process::id();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let pids = pids.filter(move |pid| *pid != own && *pid >= first);
    pids.filter(move |pid| {
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|variables| {
            variables.split(|byte| *byte == 0).any(|variable| variable.starts_with(&mark))
        })
    })
}

/// The number of the newest process.
fn newest() -> Option<u32> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().last()?.parse().ok()
}

fn is_mapping(line: &[u8], inode: u64, name: &[u8]) -> bool {
    // Address, rights, offset, device, inode, path.
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let found = words.nth(4).and_then(|word| std::str::from_utf8(word).ok()?.parse::<u64>().ok());
    let path = words.next().unwrap_or_default();
    found == Some(inode) && path.ends_with(name)
}

/// The PID namespace of this process: numbers of processes mean the same within it.
pub(crate) fn own_pid_namespace() -> Option<u64> {
    fs::metadata("/proc/self/ns/pid").ok().map(|metadata| metadata.ino())
}

/// Start of process `pid`, in hundredths of a second since boot; `None` if it has ended, also if
/// its parent has not noticed yet.
pub(crate) fn begin(pid: &str) -> Option<u64> {
    neighbour::began(pid.parse().ok()?)
}

/// Returns true if a process that began at `begin` can have lived at `boot_ns`.
fn began_before(begin: u64, boot_ns: u64) -> bool {
    boot_ns == 0 || begin <= boot_ns / (1_000_000_000 / TICKS_PER_SECOND) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives() {
        let begin = begin(&std::process::id().to_string()).unwrap();
        assert!(began_before(begin, (begin + 1) * 10_000_000));
        assert!(!began_before(begin, (begin - 100) * 10_000_000));
    }

    #[test]
    fn mappings_are_told_apart() {
        let line = b"7f00-7f10 rw-s 00000000 00:16 77         /dev/shm/ioglass-0/1-a/5-9.capture";
        assert!(is_mapping(line, 77, b"5-9.capture"));
        assert!(!is_mapping(line, 78, b"5-9.capture"));
        assert!(!is_mapping(line, 77, b"6-9.capture"));
        assert!(!is_mapping(b"7f00-7f10 rw-p 00000000 00:00 0", 0, b"5-9.capture"));
    }
}
