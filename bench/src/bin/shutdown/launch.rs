//! Builds the driver and launches it under a recorder.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};
use ioglass_bench::place::{Place, library_of};
use ioglass_log::Log;

/// The reference has room for 1,024 files; the driver's are not the only ones.
const ROOM: &str = "MODMEM 64\nNAMEMEM 16\nMAX_RECORDS 4096 POSIX,MPI-IO\n";
/// Open MPI's own MPI-IO opens several files for one; ROMIO opens what it is told to.
const IO: (&str, &str) = ("OMPI_MCA_io", "romio321");
/// Of a block's head, and of the entry of each of its sections.
const BLOCK_HEAD: u64 = 24;
const BLOCK_ENTRY: u64 = 40;

/// What the driver runs under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recorder {
    Bare,
    Ours,
    Reference,
}

/// Files that ranks write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workload {
    pub(crate) files: u64,
    pub(crate) shared: bool,
}

/// Those of the paper on Darshan's modules.
pub(crate) const WORKLOADS: [Workload; 4] = [
    Workload { files: 1, shared: true },
    Workload { files: 1024, shared: true },
    Workload { files: 1, shared: false },
    Workload { files: 1024, shared: false },
];

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.shared { "shared" } else { "per process" };
        f.pad(&format!("{} {kind}", self.files))
    }
}

/// What one launch showed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    /// Seconds of the recorder at the end of MPI, of the rank that took longest.
    pub(crate) seconds: f64,
    /// Bytes of the log, and of its block of ours.
    pub(crate) log: u64,
    pub(crate) block: u64,
}

/// Launches drivers.
pub(crate) struct Launcher {
    driver: PathBuf,
    library: PathBuf,
    reference: Option<PathBuf>,
    place: Place,
}

impl Launcher {
    pub(crate) fn new(
        source: &Path,
        ioglass: &Path,
        library: Option<PathBuf>,
        place: Place,
    ) -> anyhow::Result<Self> {
        let driver = place.work.join("driver");
        let status = Command::new("mpicc")
            .args(["-O2", "-Wall", "-Wextra", "-o"])
            .args([&driver, source])
            .status()
            .context("no compiler for MPI")?;
        ensure!(status.success(), "the driver does not compile");
        fs::write(place.work.join("room.conf"), ROOM)?;
        let library = match library {
            Some(library) => library,
            None => library_of(ioglass)?,
        };
        let reference = std::env::var_os("LIBDARSHAN").map(PathBuf::from);
        Ok(Self { driver, library, reference, place })
    }

    /// What can be measured here.
    pub(crate) fn recorders(&self) -> Vec<Recorder> {
        let mut recorders = vec![Recorder::Bare, Recorder::Ours];
        recorders.extend(self.reference.as_ref().map(|_| Recorder::Reference));
        recorders
    }

    /// Runs the driver once.
    pub(crate) fn run(
        &self,
        recorder: Recorder,
        workload: Workload,
        ranks: u32,
    ) -> anyhow::Result<Outcome> {
        let files = self.place.tracked.join("files");
        let log = self.place.work.join("log.darshan");
        // Neither is there the first time.
        let _ = (fs::remove_dir_all(&files), fs::remove_file(&log));
        fs::create_dir_all(&files)?;
        let mut command = Command::new("mpirun");
        command
            .args(["--oversubscribe", "-n", &ranks.to_string(), "env"])
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .env(IO.0, IO.1);
        let library = match recorder {
            Recorder::Bare => None,
            Recorder::Ours => Some(&self.library),
            Recorder::Reference => self.reference.as_ref(),
        };
        if let Some(library) = library {
            command.arg(assign("LD_PRELOAD", library)).arg(assign("DARSHAN_LOGFILE", &log));
            let room = self.place.work.join("room.conf");
            command.arg(assign("DARSHAN_CONFIG_PATH", &room));
        }
        command.arg(&self.driver).arg(&files);
        command.args([if workload.shared { "shared" } else { "own" }, &workload.files.to_string()]);
        let output = command.stdin(Stdio::null()).output().context("no mpirun")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let times: Vec<f64> = text.lines().filter_map(|line| line.parse().ok()).collect();
        if !output.status.success() || times.len() != ranks as usize {
            bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
        }
        let seconds = times.into_iter().fold(0.0, f64::max) / 1e9;
        if library.is_none() {
            return Ok(Outcome { seconds, log: 0, block: 0 });
        }
        let log = Log::open(&log).with_context(|| format!("{recorder:?} left no log"))?;
        let sections = log.block_sections();
        let block: u64 = sections.map(|(_, size)| size + BLOCK_ENTRY).sum();
        let block = if block > 0 { block + BLOCK_HEAD } else { 0 };
        Ok(Outcome { seconds, log: log.size(), block })
    }
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place =
            if self.place.tmpfs { "a tmpfs of their own" } else { "no tmpfs: cannot mount" };
        let reference = match &self.reference {
            Some(path) => path.display().to_string(),
            None => "none".to_owned(),
        };
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        writeln!(f, "files and logs: {place}; load {}", load.trim_end())?;
        write!(f, "ours: {}, reference: {reference}", self.library.display())
    }
}

fn assign(name: &str, value: &Path) -> std::ffi::OsString {
    let mut setting = std::ffi::OsString::from(name);
    setting.push("=");
    setting.push(value);
    setting
}
