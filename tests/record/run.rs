//! Runs programs under the recorder.

use std::fs::{self, File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::programs::Program;
use super::spec::Target;
use crate::support::{ioglass, scratch};

/// The ways to record a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// `ioglass run`
    Run,
    /// `ioglass run --trace`
    Trace,
    /// The preload library alone, which writes the log itself.
    Library,
}

pub(super) struct Ran {
    pub(super) folder: PathBuf,
    pub(super) log: PathBuf,
    pub(super) seconds: f64,
    pub(super) status: ExitStatus,
    pub(super) stderr: String,
}

/// What a program ends with if it cannot do here what it is made for.
const CANNOT: i32 = 77;

impl Ran {
    /// An error unless the program did what it says, or cannot here.
    pub(super) fn checked(self) -> Result<Self, String> {
        if self.status.success() || self.could_not() {
            return Ok(self);
        }
        Err(format!("{}: {}", self.status, self.stderr))
    }

    pub(super) fn could_not(&self) -> bool {
        self.status.code() == Some(CANNOT)
    }
}

/// Runs `program` in a new directory below `place`.
pub(super) fn run(program: &Program, mode: Mode, place: &Path) -> Result<Ran, String> {
    let started = program.command.as_ref().map_err(String::clone)?;
    let name = format!("{}-{mode:?}", program.name.replace(['/', '.'], "-"));
    let folder = place.join(&name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    // What the library records is the resolved name.
    let folder = folder.canonicalize().unwrap();
    let log = place.join(format!("{name}.darshan"));
    let _ = fs::remove_file(&log);
    for (name, bytes) in &program.spec.given {
        let content: Vec<u8> = (b'a'..=b'z').cycle().take(*bytes).collect();
        fs::write(folder.join(name), content).unwrap();
    }

    let mut command = under(mode, &log);
    command.args(started).arg(&folder).current_dir(place);
    let spec = &program.spec;
    command.stdin(match &spec.stdin {
        Some(name) => Stdio::from(File::open(folder.join(name)).unwrap()),
        None => Stdio::null(),
    });
    let problems = place.join(format!("{name}.stderr"));
    command.stdout(spec.stdout.as_ref().map_or(Stdio::null(), |target| open(&folder, target)));
    command.stderr(match &spec.stderr {
        Some(target) => open(&folder, target),
        None => File::create(&problems).unwrap().into(),
    });
    let begin = Instant::now();
    let status = finish(command)?;
    let seconds = begin.elapsed().as_secs_f64();
    let stderr = fs::read_to_string(&problems).unwrap_or_default();
    Ok(Ran { folder, log, seconds, status, stderr })
}

/// A command that records what is added to it. No setting of the caller gets in the way.
pub(crate) fn under(mode: Mode, log: &Path) -> Command {
    let mut command = match mode {
        Mode::Run => return ioglass_run(&[], log),
        Mode::Trace => return ioglass_run(&["--trace"], log),
        Mode::Library => {
            let mut command = Command::new("env");
            let library = format!("LD_PRELOAD={}", library().display());
            command.args([&library, "IOGLASS_ENABLE=1"]);
            command.arg(format!("DARSHAN_LOGFILE={}", log.display()));
            command
        }
    };
    without_settings(&mut command);
    command
}

/// `ioglass run` with more options.
pub(crate) fn ioglass_run(options: &[&str], log: &Path) -> Command {
    let mut command = Command::new(ioglass());
    command.args(["run", "--no-report"]).args(options).arg("-o").arg(log).arg("--");
    without_settings(&mut command);
    command
}

/// Takes the caller's settings from a command.
pub(crate) fn without_settings(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["DARSHAN_", "DXT_", "IOGLASS_", "LD_"].iter().any(|start| text.starts_with(start)) {
            command.env_remove(&name);
        }
    }
    // What searches find is not remembered for who runs the tests.
    command.env("XDG_DATA_HOME", scratch("data"));
}

pub(crate) fn library() -> PathBuf {
    let output = Command::new(ioglass()).arg("lib").output().unwrap();
    assert!(output.status.success(), "ioglass lib: {}", String::from_utf8_lossy(&output.stderr));
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim_end())
}

fn open(folder: &Path, target: &Target) -> Stdio {
    let mut options = OpenOptions::new();
    options.create(true).append(target.append).write(true).truncate(!target.append);
    options.open(folder.join(&target.name)).unwrap().into()
}

/// Longest time for a program; all of them take seconds at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for the command and ends it, with its children, if it does not end by itself.
pub(crate) fn finish(mut command: Command) -> Result<ExitStatus, String> {
    let mut child = command.process_group(0).spawn().unwrap();
    let begin = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Ok(status);
        }
        if begin.elapsed() > PATIENCE {
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            let _ = child.wait();
            return Err(format!("it did not end within {PATIENCE:?}"));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
