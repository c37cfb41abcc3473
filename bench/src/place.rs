//! Where the driver's files lie. Recorders leave `/dev/shm` alone, so the files that they shall see
//! need a tmpfs of their own: mounted where only this program and its children see it, gone with them.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

/// Set for the run that has the mount.
const MOUNTED: &str = "IOGLASS_BENCH_MOUNTED";

/// Directories of one measurement; removed at its end.
#[derive(Debug)]
pub struct Place {
    /// Files that a recorder sees.
    pub tracked: PathBuf,
    /// Files on a path that recorders exclude.
    pub untracked: PathBuf,
    /// Logs, and the driver.
    pub work: PathBuf,
    /// Whether the tracked files are on tmpfs.
    pub tmpfs: bool,
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Starts this program again inside a mount of its own, or does without one. Directories are called
/// `name`.
pub fn prepare(name: &str) -> anyhow::Result<Place> {
    let mount_point = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&mount_point).context("failed to make the work directory")?;
    if std::env::var_os(MOUNTED).is_none()
        && let Some(options) = options_to_mount()
    {
        let script = r#"mount -t tmpfs ioglass-bench "$0" && exec "$@""#;
        let error = Command::new("unshare")
            .args(options)
            .args(["sh", "-c", script])
            .arg(&mount_point)
            .arg(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .env(MOUNTED, "1")
            .exec();
        return Err(error).context("failed to start again with a mount");
    }
    let own = format!("{name}-{}", std::process::id());
    let base = mount_point.join(&own);
    let place = Place {
        tracked: base.join("tracked"),
        untracked: PathBuf::from("/dev/shm").join(own),
        work: base.join("work"),
        tmpfs: std::env::var_os(MOUNTED).is_some(),
    };
    for directory in [&place.tracked, &place.untracked, &place.work] {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("failed to create {}", directory.display()))?;
    }
    Ok(place)
}

/// How `unshare` gets the right to mount: root has it already, and would lose others.
fn options_to_mount() -> Option<&'static [&'static str]> {
    let choices: [&[&str]; 2] = [&["--mount"], &["--mount", "--map-root-user"]];
    choices.into_iter().find(|options| {
        let script = "mount -t tmpfs ioglass-bench /tmp";
        let probe = Command::new("unshare").args(*options).args(["sh", "-c", script]).output();
        probe.is_ok_and(|output| output.status.success())
    })
}

impl Drop for Place {
    fn drop(&mut self) {
        for directory in [&self.tracked, &self.untracked, &self.work] {
            // Nothing can be done about what does not go away.
            drop(std::fs::remove_dir_all(directory));
        }
    }
}

/// Asks the program where its library is.
pub fn library_of(ioglass: &Path) -> anyhow::Result<PathBuf> {
    let output = Command::new(ioglass).arg("lib").stderr(Stdio::null()).output();
    let output = output.with_context(|| format!("no {}", ioglass.display()))?;
    ensure!(output.status.success(), "{} has no library", ioglass.display());
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}
