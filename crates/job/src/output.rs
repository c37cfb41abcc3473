//! The file that a log is written to.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ioglass_log::Log;
use nix::fcntl::{FcntlArg, OFlag, fcntl};

use crate::launcher::host;
use crate::{Error, alive, directory};

/// Prefix of a log while it is written; host and process follow.
const UNFINISHED: &str = ".ioglass-";
/// Links that are followed; as many as the kernel follows.
const MOST_LINKS: usize = 40;
/// The highest number in the name of a log.
const MOST: u32 = 9999;

/// The file that a log is written to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogOutput {
    /// Exactly this file; a log that is there is replaced.
    File(PathBuf),
    /// A file with this name, or with a number after it; never one that exists.
    Named(PathBuf),
}

/// Reason why a file cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputProblem {
    /// It is `-`: a log needs a file, because its header is written last.
    #[error("a log cannot be written to a pipe")]
    Pipe,
    /// Its directory, which this is, does not exist.
    #[error("the directory {} does not exist", .0.display())]
    NoDirectory(PathBuf),
    /// A log goes to a regular file only.
    #[error("it exists and is not a file")]
    NotAFile,
    /// Only a log is replaced by a log.
    #[error("it exists and is not a log")]
    NotALog,
    /// It exists and is protected.
    #[error("it exists and cannot be written: {0}")]
    Protected(#[source] io::Error),
    /// The system does not make a file there.
    #[error(transparent)]
    Refused(#[from] io::Error),
}

/// A log that has been written.
#[derive(Debug)]
#[non_exhaustive]
pub struct PlacedLog<E> {
    /// Its path.
    pub path: PathBuf,
    /// The reason why it is not where it was asked for.
    pub refused: Option<E>,
}

/// A log that could not be written where it was asked for, and is elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The file that was asked for.
    pub path: PathBuf,
    /// The reason why it could not be written.
    pub reason: String,
}

impl LogOutput {
    /// The output that the user asked for, checked before anything is run. A directory takes the log
    /// under `default_name`.
    pub fn asked(path: &Path, default_name: &str) -> Result<Self, OutputProblem> {
        if path.is_dir() {
            return Ok(Self::Named(path.join(default_name)));
        }
        if path == Path::new("-") {
            return Err(OutputProblem::Pipe);
        }
        check_directory(&target(path)?)?;
        match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => Err(OutputProblem::NotAFile),
            Ok(metadata) if metadata.len() > 0 && Log::open(path).is_err() => {
                Err(OutputProblem::NotALog)
            }
            _ => Ok(Self::File(path.into())),
        }
    }

    /// Finds out if the log can be written, without a trace: makes a file beside it and removes it again.
    pub fn try_to_write(&self) -> Result<(), OutputProblem> {
        try_to_write(self.path())
    }

    /// The path as it was asked for. The log may get another one: see [`write`](Self::write).
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Named(path) => path,
        }
    }

    /// The path that the log will have if nobody else takes it meanwhile.
    pub(crate) fn expected(&self) -> PathBuf {
        let Self::Named(path) = self else { return self.path().to_path_buf() };
        let is_free = |path: &Path| {
            !path.exists() && !path.with_extension(crate::profile::EXTENSION).exists()
        };
        first_numbered(path, is_free).unwrap_or_else(|| path.clone())
    }

    /// Returns true if the file exists and was written after this time, in nanoseconds since 1970.
    pub(crate) fn is_newer_than(&self, moment_ns: u64) -> bool {
        let written = fs::metadata(self.path()).and_then(|metadata| metadata.modified());
        let since = written.ok().and_then(|written| written.duration_since(UNIX_EPOCH).ok());
        since.is_some_and(|since| since.as_nanos() > u128::from(moment_ns))
    }

    /// Calls `write` to write the log to this file or, if that fails, to one in another directory of the
    /// user. `write` gets the path that was asked for in the second case.
    pub fn write<T, E: From<io::Error>>(
        &self,
        mut write: impl FnMut(File, Option<&Path>) -> Result<T, E>,
    ) -> Result<(T, PlacedLog<E>), E> {
        let here = match self {
            Self::File(path) => replace(path, |file| write(file, None)),
            Self::Named(path) => create(path, |file| write(file, None)),
        };
        let error = match here {
            Ok((written, path)) => return Ok((written, PlacedLog { path, refused: None })),
            Err(error) => error,
        };
        let name = self.path().file_name().unwrap_or_default();
        let state = state_directory().filter(|state| fs::create_dir_all(state).is_ok());
        for directory in state.into_iter().chain(directory::temporary_directory()) {
            let meant = Some(self.path());
            let elsewhere = create(&directory.join(name), |file| write(file, meant));
            if let Ok((written, path)) = elsewhere {
                return Ok((written, PlacedLog { path, refused: Some(error) }));
            }
        }
        Err(error)
    }
}

/// A log that a job made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MadeLog {
    pub(crate) path: PathBuf,
    /// The place that was asked for, if the log is elsewhere.
    pub(crate) refused: Option<Refused>,
}

/// Writes a log to `output`; an error names its path.
pub(crate) fn write_log<T>(
    output: &LogOutput,
    write: impl FnMut(File, Option<&Path>) -> crate::Result<T>,
) -> crate::Result<(T, MadeLog)> {
    let (written, log) = output.write(write).map_err(cannot_write(output.path()))?;
    let refused = |error| Refused { path: output.path().into(), reason: reason(&error) };
    Ok((written, MadeLog { path: log.path, refused: log.refused.map(refused) }))
}

/// The last of the errors that led to this one: what the system said.
pub(crate) fn reason(error: &Error) -> String {
    let mut last: &dyn std::error::Error = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

/// Finds out if a file can be written, without a trace. Makes a file beside it and removes it again, which
/// also fails where rights tell nothing, such as for root, in `/proc` or on a file system that is mounted
/// to be read. A file that exists is opened only; pipes and devices are left alone.
pub fn try_to_write(path: &Path) -> Result<(), OutputProblem> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(OutputProblem::NotAFile),
        Ok(metadata) if !metadata.is_file() => return Ok(()),
        Ok(_) => drop(File::options().write(true).open(path).map_err(OutputProblem::Protected)?),
        Err(_) => check_directory(&target(path)?)?,
    }
    let beside = target(path)?.with_file_name(format!("{}{}", mark(), std::process::id()));
    File::create_new(&beside)?;
    Ok(fs::remove_file(&beside)?)
}

/// The file that a path leads to through links. It need not exist.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if let Ok(whole) = fs::canonicalize(&at) {
            return Ok(whole);
        }
        let Ok(next) = fs::read_link(&at) else { return Ok(at) };
        // An absolute one takes the place of all before.
        at = at.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// Checks that the directory of a file exists.
fn check_directory(path: &Path) -> Result<(), OutputProblem> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match parent.map(|parent| (parent, fs::metadata(parent))) {
        Some((parent, Err(error))) if error.kind() == io::ErrorKind::NotFound => {
            Err(OutputProblem::NoDirectory(parent.into()))
        }
        Some((_, Err(error))) => Err(error.into()),
        Some((_, Ok(metadata))) if !metadata.is_dir() => {
            Err(io::Error::from(io::ErrorKind::NotADirectory).into())
        }
        _ => Ok(()),
    }
}

/// Adds the path to an error.
pub(crate) fn cannot_write<E: Into<Error>>(path: &Path) -> impl FnOnce(E) -> Error {
    move |error| Error::Write { path: path.into(), source: Box::new(error.into()) }
}

/// Writes a file beside `path` and renames it: a reader sees the old contents or all of the new. What is
/// no regular file, as `/dev/null`, is written to and stays what it is. So does a link, also one whose
/// file does not exist yet.
pub fn replace<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(File) -> Result<T, E>,
) -> Result<(T, PathBuf), E> {
    let target = target(path)?;
    if target.metadata().is_ok_and(|found| !found.is_file()) {
        // A pipe without a reader is an error, not a reason to wait.
        let file = File::options().write(true).custom_flags(libc::O_NONBLOCK).open(&target)?;
        // A reader that is slow is waited for.
        fcntl(&file, FcntlArg::F_SETFL(OFlag::empty())).map_err(io::Error::from)?;
        return Ok((write(file)?, path.to_path_buf()));
    }
    write_beside(&target, write, |beside| {
        fs::rename(beside, &target)?;
        Ok(path.to_path_buf())
    })
}

/// Writes a file beside `path` and gives it that name, or that name with the first free number.
fn create<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(File) -> Result<T, E>,
) -> Result<(T, PathBuf), E> {
    write_beside(path, write, |beside| {
        for number in 1..=MOST {
            let path = numbered(path, number);
            match name_new(beside, &path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        let all = format!("{} and all names up to number {MOST} exist", path.display());
        Err(io::Error::new(io::ErrorKind::AlreadyExists, all))
    })
}

/// Renames a file, unless the new name exists.
fn name_new(file: &Path, name: &Path) -> io::Result<()> {
    match fs::hard_link(file, name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) => return fs::remove_file(file),
        // Not every file system has links.
        Err(_) => {}
    }
    File::create_new(name)?;
    fs::rename(file, name)
}

/// Writes a file beside `target` and calls `rename` to give it its name. A writer that is killed
/// leaves nothing that looks like a log, and the next writer removes the rest.
fn write_beside<T, E: From<io::Error>>(
    target: &Path,
    write: impl FnOnce(File) -> Result<T, E>,
    rename: impl FnOnce(&Path) -> io::Result<PathBuf>,
) -> Result<(T, PathBuf), E> {
    let mark = mark();
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    remove_unfinished(directory.unwrap_or(Path::new(".")), &mark);
    let beside = target.with_file_name(format!("{mark}{}", std::process::id()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&beside)?;
    let written = write(file).and_then(|written| Ok((written, rename(&beside)?)));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Prefix of the unfinished files of this machine; the number of the process follows.
fn mark() -> String {
    format!("{UNFINISHED}{}-{}-", host(), alive::own_pid_namespace().unwrap_or(0))
}

/// Removes unfinished files of processes of this machine that have ended.
fn remove_unfinished(directory: &Path, mark: &str) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let writer = name.strip_prefix(mark).filter(|pid| pid.parse::<u32>().is_ok());
        if writer.is_some_and(|pid| alive::begin(pid).is_none()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The first of `app_1.darshan`, `app_1_2.darshan`, `app_1_3.darshan` … that may be written, if any.
pub(crate) fn first_numbered(path: &Path, may_be: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    (1..=MOST).map(|number| numbered(path, number)).find(|path| may_be(path))
}

/// `app_1.darshan`, `app_1_2.darshan`, `app_1_3.darshan` …
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 { path.into() } else { with_suffix(path, &format!("_{number}")) }
}

/// The path with `suffix` after its stem: `app_1.darshan` becomes `app_1_rest.darshan`.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.file_stem().unwrap_or_default().into();
    name.push(suffix);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// The usual name of the log of a program.
pub(crate) fn default_name(program: &str, jobid: i64) -> String {
    let program = program.rsplit('/').next().unwrap_or_default();
    let program: String = program.chars().filter(|c| !c.is_control()).collect();
    let program = if program.is_empty() { "program" } else { &program };
    format!("{program}_{jobid}.darshan")
}

/// The directory for logs that cannot be written where they were asked for.
fn state_directory() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let state = absolute("XDG_STATE_HOME");
    Some(state.or_else(|| Some(absolute("HOME")?.join(".local/state")))?.join("ioglass"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_was_killed_leaves_nothing_for_long() {
        let directory = env::temp_dir().join(format!("ioglass-output-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let namespace = alive::own_pid_namespace().unwrap_or(0);
        let of = |pid: u32| directory.join(format!("{UNFINISHED}{}-{namespace}-{pid}", host()));
        // The highest number is one more than any process has; the first process always lives.
        let (dead, living) = (of(1 << 22), of(1));
        for file in [&dead, &living, &directory.join("app.darshan")] {
            fs::write(file, "begun").unwrap();
        }
        let output = LogOutput::Named(directory.join("app.darshan"));
        let (_, log) = output.write(|_, _| io::Result::Ok(())).unwrap();
        assert_eq!(log.path, directory.join("app_2.darshan"));
        assert!(!dead.exists() && living.exists());
        assert!(!of(std::process::id()).exists());
        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn names_are_numbered() {
        let path = Path::new("/x/app_1.darshan");
        assert_eq!(numbered(path, 1), path);
        assert_eq!(numbered(path, 3), Path::new("/x/app_1_3.darshan"));
        assert_eq!(default_name("/usr/bin/tar", 7), "tar_7.darshan");
        assert_eq!(default_name("", 7), "program_7.darshan");
    }
}
