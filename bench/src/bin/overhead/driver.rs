//! Builds the driver and runs it under the variants.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};
use ioglass_bench::place::{Place, library_of};

use crate::variant::Variant;

/// What the reference needs to hold all that is asked of it: by default it has room for 1,024 files
/// and 2 MiB of trace. Each is given where it is needed only, because room costs it time.
const ROOM_FOR_FILES: &str = "MODMEM 256\nNAMEMEM 64\nMAX_RECORDS 200000 POSIX\n";
const ROOM_FOR_TRACE: &str = "MODMEM 64\nMAX_RECORDS 131072 DXT_POSIX,DXT_MPIIO\n";

/// The mode of the driver for MPI, which is a program of its own.
pub(crate) const MPI: &[&str] = &["mpi"];
const MPI_DRIVER: &str = "mpi-driver";

/// Everything a section needs.
pub(crate) struct Bench {
    /// The compiled driver, and where its sources are.
    pub(crate) driver: PathBuf,
    sources: PathBuf,
    /// The program under test, if it can record.
    ioglass: Option<PathBuf>,
    /// Its library, if it has one.
    library: Option<PathBuf>,
    /// The reference's library.
    reference: Option<PathBuf>,
    /// Directories.
    pub(crate) place: Place,
    /// Repetitions.
    pub(crate) runs: usize,
    /// The standard error of a share of the reference with which repetitions end.
    pub(crate) error: f64,
    /// Calls are measured whose names contain this.
    pub(crate) rows: String,
    /// Whether more than a thousand files are coming.
    pub(crate) many_files: Cell<bool>,
    logs: Cell<u64>,
    /// Copies of the libraries so far.
    copies: Cell<u64>,
}

/// One run's lines: name and figure.
pub(crate) type Figures = Vec<(String, f64)>;

/// What one run left.
pub(crate) struct Outcome {
    /// What the driver printed.
    pub(crate) figures: Figures,
    /// Its log, there until the next run.
    pub(crate) log: PathBuf,
}

impl Outcome {
    /// The first figure called `name`.
    pub(crate) fn first(&self, name: &str) -> anyhow::Result<f64> {
        find(self.figures.iter(), name)
    }

    /// The last figure called `name`.
    pub(crate) fn last(&self, name: &str) -> anyhow::Result<f64> {
        find(self.figures.iter().rev(), name)
    }

    /// How long the log is; 0 if there is none.
    pub(crate) fn log_size(&self) -> u64 {
        self.log.metadata().map_or(0, |metadata| metadata.len())
    }
}

fn find<'a>(
    mut figures: impl Iterator<Item = &'a (String, f64)>,
    name: &str,
) -> anyhow::Result<f64> {
    let found = figures.find(|figure| figure.0 == name);
    Ok(found.with_context(|| format!("the driver says nothing about {name}"))?.1)
}

impl Bench {
    pub(crate) fn new(
        sources: &Path,
        ioglass: PathBuf,
        place: Place,
        runs: usize,
        error: f64,
        rows: String,
    ) -> anyhow::Result<Self> {
        let driver = place.work.join("driver");
        compile(sources, &driver)?;
        std::fs::write(place.work.join("files.conf"), ROOM_FOR_FILES)?;
        std::fs::write(place.work.join("trace.conf"), ROOM_FOR_TRACE)?;
        let library = library_of(&ioglass).ok();
        let reference = std::env::var_os("LIBDARSHAN").map(PathBuf::from);
        let (many_files, logs, copies) = (Cell::new(false), Cell::new(0), Cell::new(0));
        let ioglass = library.is_some().then_some(ioglass);
        let sources = sources.canonicalize()?;
        Ok(Self {
            driver,
            sources,
            ioglass,
            library,
            reference,
            place,
            runs,
            error,
            rows,
            many_files,
            logs,
            copies,
        })
    }

    /// Measures this library, and not the program, which carries another.
    pub(crate) fn only_library(&mut self, library: PathBuf) {
        self.library = Some(library);
        self.ioglass = None;
    }

    /// Those of `variants` that can be measured here.
    pub(crate) fn possible(&self, variants: &[Variant]) -> Vec<Variant> {
        let mut variants = variants.to_vec();
        variants.retain(|variant| {
            !(variant.runs() && self.ioglass.is_none()
                || variant.is_ours() && self.library.is_none()
                || variant.is_reference() && self.reference.is_none())
        });
        variants
    }

    /// The command's words: the driver in a mode, on this bench's directories.
    pub(crate) fn words(&self, mode: &[&str]) -> Vec<OsString> {
        let is_for_mpi = mode.starts_with(MPI);
        let driver = if is_for_mpi { &self.place.work.join(MPI_DRIVER) } else { &self.driver };
        let place = [driver, &self.place.tracked, &self.place.untracked];
        let place = place.into_iter().map(|path| path.clone().into_os_string());
        place.chain(mode.iter().map(OsString::from)).collect()
    }

    /// Runs the driver in a mode and reads its figures.
    pub(crate) fn run(&self, variant: Variant, mode: &[&str]) -> anyhow::Result<Outcome> {
        self.cost(variant, &self.words(mode))
    }

    /// Runs a command and reads its figures, followed by what it cost: `cpu` in ns and `peak` in
    /// bytes. Under `ioglass run` there are two such pairs, of the command and of the whole.
    pub(crate) fn cost(&self, variant: Variant, words: &[OsString]) -> anyhow::Result<Outcome> {
        let log = self.fresh_log();
        let mut command = Command::new(&self.driver);
        command.arg("cost").args(self.settings(variant, &log));
        if variant.runs()
            && let Some(ioglass) = &self.ioglass
        {
            command.arg(ioglass).args(["run", "--no-report", "-o"]).arg(&log);
            if variant.traces() {
                command.arg("--trace");
            }
            command.arg("--").arg(&self.driver).arg("cost");
        }
        command.args(words).stdin(Stdio::null());
        let figures = read_figures(&mut command)?;
        Ok(Outcome { figures, log })
    }

    /// The settings of `variant`, as `NAME=VALUE`.
    pub(crate) fn settings(&self, variant: Variant, log: &Path) -> Vec<OsString> {
        let library = if variant.is_reference() { &self.reference } else { &self.library };
        let library = match library {
            Some(library) if self.copies.get() > 0 => self.copy_of(library, self.copies.get()),
            Some(library) => library.clone(),
            None => PathBuf::new(),
        };
        let room = match (self.many_files.get(), variant.traces()) {
            (true, _) => Some(self.place.work.join("files.conf")),
            (_, true) => Some(self.place.work.join("trace.conf")),
            _ => None,
        };
        variant.settings(&library, log, room.as_deref())
    }

    /// Has what follows run with new copies of the libraries. Where the pages of one happen to lie in memory decides
    /// which lines drive each other out of the cache, which makes calls dearer or cheaper by a third; as long as
    /// the file stays in memory it is the same in every process.
    pub(crate) fn renew_libraries(&self) -> anyhow::Result<()> {
        let number = self.copies.get() + 1;
        for library in [&self.library, &self.reference].into_iter().flatten() {
            drop(std::fs::remove_file(self.copy_of(library, number - 1)));
            std::fs::copy(library, self.copy_of(library, number))
                .with_context(|| format!("cannot copy {}", library.display()))?;
        }
        self.copies.set(number);
        Ok(())
    }

    fn copy_of(&self, library: &Path, number: u64) -> PathBuf {
        let name = library.file_name().unwrap_or_default().to_string_lossy();
        self.place.work.join(format!("{number}-{name}"))
    }

    /// Builds the driver for MPI, HDF5 and PnetCDF; its sources are below those of the other.
    pub(crate) fn compile_for_mpi(&self) -> anyhow::Result<()> {
        // A library that is linked in cannot be seen by any recorder.
        let status = Command::new("h5pcc")
            .args(["-shlib", "-O2", "-Wall", "-Wextra", "-o"])
            .arg(self.place.work.join(MPI_DRIVER))
            .args(sources_in(&self.sources.join("mpi"))?)
            .arg(self.sources.join("common.c"))
            .arg("-lpnetcdf")
            .current_dir(&self.place.work)
            .status()
            .context("no compiler for HDF5 with MPI")?;
        ensure!(status.success(), "the driver for MPI does not compile");
        Ok(())
    }

    /// A path for a log; the one before it is removed.
    pub(crate) fn fresh_log(&self) -> PathBuf {
        let path = |number: u64| self.place.work.join(format!("{number}.darshan"));
        drop(std::fs::remove_file(path(self.logs.get())));
        self.logs.set(self.logs.get() + 1);
        path(self.logs.get())
    }
}

impl std::fmt::Display for Bench {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place =
            if self.place.tmpfs { "a tmpfs of their own" } else { "no tmpfs: cannot mount" };
        writeln!(f, "tracked files: {place}, untracked files: /dev/shm; {} runs", self.runs)?;
        let name = |path: &Option<PathBuf>| match path {
            Some(path) => path.display().to_string(),
            None => "none".to_owned(),
        };
        writeln!(f, "ours: {}, reference: {}", name(&self.library), name(&self.reference))
    }
}

fn compile(sources: &Path, driver: &Path) -> anyhow::Result<()> {
    let status = Command::new("cc")
        .args(["-O2", "-Wall", "-Wextra", "-pthread", "-o"])
        .arg(driver)
        .args(sources_in(sources)?)
        .status()
        .context("no C compiler")?;
    ensure!(status.success(), "the driver does not compile");
    Ok(())
}

/// The sources of a driver.
fn sources_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let listing = std::fs::read_dir(folder)
        .with_context(|| format!("no driver in {}: use --driver", folder.display()))?;
    let mut files = Vec::new();
    for entry in listing {
        files.push(entry?.path());
    }
    files.retain(|path| path.extension() == Some(OsStr::new("c")));
    Ok(files)
}

/// Runs a command whose lines are a name, a tab and a figure.
fn read_figures(command: &mut Command) -> anyhow::Result<Figures> {
    let output = command.stderr(Stdio::piped()).output()?;
    if !output.status.success() {
        bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout)?;
    let mut figures = Vec::new();
    for line in text.lines() {
        let (name, value) = line.split_once('\t').with_context(|| format!("no figure: {line}"))?;
        figures.push((name.to_owned(), value.parse()?));
    }
    Ok(figures)
}
