//! What several topics need: the real logs, and randomness that can be repeated.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A real log.
pub(crate) struct RealLog {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// All real logs, by name. Where their directory is missing, which is said, the logs that come with
/// PyDarshan stand in, if the test command has installed it.
pub(crate) fn real_logs() -> Vec<RealLog> {
    let folder = logs_folder();
    let mut paths = Vec::new();
    if folder.is_dir() {
        find_logs(&folder, 1, &mut paths);
    } else {
        missing("real logs", &folder);
        find_logs(&root().join("target/peers/lib"), 8, &mut paths);
    }
    paths.sort();
    let logs = paths.into_iter().map(|path| RealLog {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        bytes: fs::read(&path).unwrap(),
    });
    logs.collect()
}

/// Adds the logs in `folder`, and in its directories down to `depth`.
fn find_logs(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.extension().is_some_and(|extension| extension == "darshan") {
            found.push(path);
        } else if depth > 1 && path.is_dir() {
            find_logs(&path, depth - 1, found);
        }
    }
}

/// The directory with real logs: `IOGLASS_LOGS`, else one beside the project.
pub(crate) fn logs_folder() -> PathBuf {
    match std::env::var_os("IOGLASS_LOGS") {
        Some(folder) => folder.into(),
        None => root().join("../shared/logs"),
    }
}

/// The workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Says that a test did not run for want of something, even if the test passes: the harness keeps
/// what `eprintln!` prints. `scripts/test` gathers the lines and repeats them at its end.
pub(crate) fn missing(what: &str, place: &Path) {
    let line = format!("SKIPPED: {what}: {} is missing", place.display());
    // Nobody is left to tell if this fails.
    let _ = writeln!(io::stderr(), "{line}");
    if let Some(report) = std::env::var_os("IOGLASS_SKIPPED") {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(report).unwrap();
        writeln!(file, "{line}").unwrap();
    }
}

/// An empty directory of this test's own.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The command: `IOGLASS_BIN`, else built now as this test was.
pub(crate) fn ioglass() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Some(binary) = std::env::var_os("IOGLASS_BIN") {
            return binary.into();
        }
        let mut build = Command::new(env!("CARGO"));
        build.current_dir(root()).args(["build", "--quiet", "--package", "ioglass"]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success(), "ioglass does not build");
        // This test is target/<profile>/deps/it-…; the command is two levels up.
        let test = std::env::current_exe().unwrap();
        test.ancestors().nth(2).unwrap().join("ioglass")
    })
}

/// For env(1): the program gets the default disposition of all signals. Tests may run in the background
/// or under nohup(1), where some are ignored, and children inherit that. Blocked signals are no
/// concern: `Command` unblocks them.
pub(crate) const DEFAULT_SIGNALS: &str = "--default-signal";

/// Random numbers (xorshift64*). `IOGLASS_SEED` repeats or varies a run.
#[derive(Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    /// Prints its seed; the test harness shows that when the test fails.
    #[expect(clippy::print_stderr, reason = "a failure can only be repeated with its seed")]
    pub(crate) fn new() -> Self {
        let given = std::env::var("IOGLASS_SEED").ok();
        let seed = given.map_or(0x10_61A5, |seed| seed.parse().expect("IOGLASS_SEED is a number"));
        eprintln!("IOGLASS_SEED={seed}");
        Self::of_seed(seed)
    }

    /// The numbers of a seed.
    pub(crate) fn of_seed(seed: u64) -> Self {
        // Zero would stay zero.
        Self(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
