//! Where a log goes.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ioglass_log::Log;

use super::launched::host;
use super::{alive, place};
use crate::failure::Message;

/// How a log is called while it is written, before machine and process.
const UNFINISHED: &str = ".ioglass-";
/// Logs of one name are numbered up to here.
const MOST: u32 = 9999;

/// A place for a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Output {
    /// Exactly this file, replacing a log that is there.
    File(PathBuf),
    /// A file with this name, or with a number after it; never one that exists.
    Named(PathBuf),
}

impl Output {
    /// What the user asked for, checked before anything is run.
    pub(crate) fn asked(path: &Path, default_name: &str) -> Result<Self, Message> {
        let name = path.display();
        if path.is_dir() {
            return Ok(Self::Named(path.join(default_name)));
        }
        if path == Path::new("-") {
            return Err(Message::new("a log cannot be written to a pipe".into())
                .evidence("It is written in several places at once, which needs a file."));
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if parent.is_some_and(|parent| !parent.is_dir()) {
            return Err(Message::new(format!("{name} cannot be written"))
                .evidence("Its folder does not exist."));
        }
        match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => {
                Err(Message::new(format!("{name} is not a file"))
                    .evidence("A log can only be written to a file."))
            }
            Ok(metadata) if metadata.len() > 0 && Log::open(path).is_err() => {
                Err(Message::new(format!("{name} exists and is not a log"))
                    .evidence("Only a log is replaced by a log."))
            }
            _ => Ok(Self::File(path.into())),
        }
    }

    /// The file, if it can be had.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Named(path) => path,
        }
    }

    /// Whether there is a file already that was written after this, in nanoseconds since 1970.
    pub(crate) fn is_newer_than(&self, moment_ns: u64) -> bool {
        let written = fs::metadata(self.path()).and_then(|metadata| metadata.modified());
        let since = written.ok().and_then(|written| written.duration_since(UNIX_EPOCH).ok());
        since.is_some_and(|since| since.as_nanos() > u128::from(moment_ns))
    }

    /// Has `write` write the log, here or, if that fails, in another folder of the user's. Tells
    /// where it is.
    pub(crate) fn write<T>(
        &self,
        mut write: impl FnMut(File, Option<&Path>) -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, PathBuf)> {
        let here = match self {
            Self::File(path) => replace(path, |file| write(file, None)),
            Self::Named(path) => create(path, |file| write(file, None)),
        };
        let error = match here {
            Ok(written) => return Ok(written),
            Err(error) => error,
        };
        let name = self.path().file_name().unwrap_or_default();
        let state = state_folder().filter(|state| fs::create_dir_all(state).is_ok());
        for folder in state.into_iter().chain(place::temporary_folder()) {
            let meant = Some(self.path());
            if let Ok(written) = create(&folder.join(name), |file| write(file, meant)) {
                return Ok(written);
            }
        }
        Err(error.context(format!("cannot write {}", self.path().display())))
    }
}

/// Writes beside `path` and moves into place.
pub(crate) fn replace<T>(
    path: &Path,
    write: impl FnOnce(File) -> anyhow::Result<T>,
) -> anyhow::Result<(T, PathBuf)> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    write_beside(&target, write, |beside| {
        fs::rename(beside, &target)?;
        Ok(path.to_path_buf())
    })
}

/// Writes beside `path` and gives it that name, or the first number after it that nobody has.
fn create<T>(
    path: &Path,
    write: impl FnOnce(File) -> anyhow::Result<T>,
) -> anyhow::Result<(T, PathBuf)> {
    write_beside(path, write, |beside| {
        for number in 1..=MOST {
            let path = numbered(path, number);
            match name_new(beside, &path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(anyhow::anyhow!("{} and {MOST} like it exist already", path.display()))
    })
}

/// Gives a file a name that no file has.
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

/// Writes a file beside `target` and has `place` give it its name. So whoever is killed meanwhile leaves
/// nothing that could be taken for a log, and the next one here removes what is left.
fn write_beside<T>(
    target: &Path,
    write: impl FnOnce(File) -> anyhow::Result<T>,
    place: impl FnOnce(&Path) -> anyhow::Result<PathBuf>,
) -> anyhow::Result<(T, PathBuf)> {
    let mark = format!("{UNFINISHED}{}-{}-", host(), alive::own_pid_namespace().unwrap_or(0));
    let folder = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    remove_unfinished(folder.unwrap_or(Path::new(".")), &mark);
    let beside = target.with_file_name(format!("{mark}{}", std::process::id()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&beside)?;
    let written = write(file).and_then(|written| Ok((written, place(&beside)?)));
    if written.is_err() {
        // Of no use any more; the first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Removes what processes of this machine have begun that are no more.
fn remove_unfinished(folder: &Path, mark: &str) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let writer = name.strip_prefix(mark).filter(|pid| pid.parse::<u32>().is_ok());
        if writer.is_some_and(|pid| alive::begin(pid).is_none()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// `app_1.darshan`, `app_1_2.darshan`, `app_1_3.darshan` …
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 { path.into() } else { with_suffix(path, &format!("_{number}")) }
}

/// `app_1.darshan` with something behind its stem.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.file_stem().unwrap_or_default().into();
    name.push(suffix);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// The name of a log by default.
pub(crate) fn default_name(program: &str, jobid: i64) -> String {
    let program = program.rsplit('/').next().unwrap_or_default();
    let program: String = program.chars().filter(|c| !c.is_control()).collect();
    let program = if program.is_empty() { "program" } else { &program };
    format!("{program}_{jobid}.darshan")
}

/// Where logs go that cannot be written where they should.
fn state_folder() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let state = absolute("XDG_STATE_HOME");
    Some(state.or_else(|| Some(absolute("HOME")?.join(".local/state")))?.join("ioglass"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_was_killed_leaves_nothing_for_long() {
        let folder = env::temp_dir().join(format!("ioglass-output-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let namespace = alive::own_pid_namespace().unwrap_or(0);
        let of = |pid: u32| folder.join(format!("{UNFINISHED}{}-{namespace}-{pid}", host()));
        // The highest number is one more than any process has; the first process always lives.
        let (dead, living) = (of(1 << 22), of(1));
        for file in [&dead, &living, &folder.join("app.darshan")] {
            fs::write(file, "begun").unwrap();
        }
        let output = Output::Named(folder.join("app.darshan"));
        let (_, log) = output.write(|_, _| Ok(())).unwrap();
        assert_eq!(log, folder.join("app_2.darshan"));
        assert!(!dead.exists() && living.exists());
        assert!(!of(std::process::id()).exists());
        fs::remove_dir_all(&folder).unwrap();
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
