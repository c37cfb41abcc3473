//! Checks of this machine.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ioglass_job::clock::{self, Clock};
use ioglass_job::{Error, Job, Setup, library, mounts, program};
use ioglass_report::number::bytes;
use ioglass_shm::{Entries, Kind, place as names};
use nix::sys::statvfs::statvfs;

use super::Check;

/// A trace may need more free space than this.
const ENOUGH: u64 = 256 << 20;
/// Directories of libraries.
const LIBRARIES: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu/hdf5/serial",
];

pub(super) fn checks() -> Vec<Check> {
    let mut checks = vec![recording(), room(), clock(), kernel(), filters()];
    if let Some(darshan) = program::preloaded_darshan() {
        checks.push(Check::poor("darshan", darshan.what(), darshan.remedy()));
    }
    checks.extend([mpi(), hdf5(), lustre()]);
    checks
}

/// Records a real program and looks at its capture.
fn recording() -> Check {
    const NAME: &str = "recording";
    let mut setup = Setup::new(vec!["cat".into()]);
    setup.include.push("^/".into());
    let started = library::path().and_then(|library| Ok((library, Job::start(setup)?)));
    let (library, job) = match started {
        Ok(started) => started,
        Err(error) => {
            let remedy = match error {
                Error::Library { .. } => "set XDG_CACHE_HOME".into(),
                _ => format!("make {} writable", names::ROOTS.join(" or ")),
            };
            return Check::bad(NAME, format!("{:#}", anyhow::Error::from(error)), remedy);
        }
    };
    let seen = record_something(&library, &job);
    job.discard();
    match seen {
        Ok(()) => Check::fine(NAME, format!("works, with {}", library.display())),
        Err(why) => Check::bad(NAME, why, "check that library with `ldd`"),
    }
}

fn record_something(library: &Path, job: &Job) -> Result<(), String> {
    let file = env::temp_dir().join(format!("ioglass-doctor-{}", std::process::id()));
    fs::write(&file, "ioglass").map_err(|error| format!("{}: {error}", file.display()))?;
    let output = Command::new("cat")
        .arg(&file)
        .envs(job.variables().iter().map(|(name, value)| (name, value)))
        .env("LD_PRELOAD", library)
        .env_remove("IOGLASS_EXCLUDE")
        .env_remove("IOGLASS_DISABLE")
        .env_remove("DARSHAN_DISABLE")
        .stdin(Stdio::null())
        .output();
    // A file that stays does not change the result.
    let _ = fs::remove_file(&file);
    let output = output.map_err(|error| format!("cannot run cat: {error}"))?;
    let has_records = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap_or_default();
        Entries::of(&bytes).any(|entry| entry.kind == Kind::Posix)
    };
    if job.captures().iter().any(has_records) {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("a test run of cat was not recorded");
    Err(format!("{}: {said}", library.display()))
}

/// Free space for captures.
fn room() -> Check {
    const NAME: &str = "room";
    let Some(root) = names::ROOTS.iter().find(|root| Path::new(root).is_dir()) else {
        let remedy = format!("mount a tmpfs at {}", names::ROOTS[0]);
        return Check::bad(NAME, "there is no directory for captures", remedy);
    };
    let free = match statvfs(*root) {
        Ok(stat) => stat.blocks_available() * stat.fragment_size(),
        Err(error) => return Check::poor(NAME, format!("{root}: {error}"), "mount a tmpfs there"),
    };
    let words = format!("{} free in {root}", bytes(free));
    if *root != names::ROOTS[0] {
        let remedy = format!("mount a tmpfs at {}", names::ROOTS[0]);
        return Check::poor(NAME, format!("{words}, which may be slow"), remedy);
    }
    if free < ENOUGH {
        let words = format!("{words}; long traces need more");
        return Check::poor(NAME, words, format!("mount -o remount,size=1G {root}"));
    }
    Check::fine(NAME, words)
}

fn clock() -> Check {
    if Clock::best().is_counter() {
        return Check::fine("clock", "time-stamp counter, invariant and trusted");
    }
    let kernel = clock::kernel_clock().unwrap_or_else(|| "unknown".into());
    Check::poor("clock", format!("the kernel's ({kernel}); each call costs some 20 ns more"), "")
}

fn kernel() -> Check {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let words = format!("Linux {}, glibc {}", release.trim(), ioglass_job::glibc_version());
    let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    // Older kernels cannot wipe memory on fork, by which a child is recognized.
    if version < (4, 14) {
        return Check::poor("kernel", words, "4.14 or newer, for programs that fork");
    }
    Check::fine("kernel", words)
}

/// A seccomp filter of this process applies to all processes that it starts.
fn filters() -> Check {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    match mode.map(str::trim) {
        Some("0") => Check::fine("seccomp", "no seccomp filter"),
        Some(_) => Check::fine("seccomp", "a seccomp filter is active; the recorder respects it"),
        None => Check::absent("seccomp", "the kernel does not say"),
    }
}

fn mpi() -> Check {
    let found = ["mpirun", "mpiexec", "srun"].iter().find_map(|name| on_path(name));
    let library = || library_named("libmpi").or_else(|| library_named("libmpich"));
    present("mpi", found.or_else(library), "MPI")
}

fn hdf5() -> Check {
    let found = library_named("libhdf5").or_else(|| on_path("h5cc")).or_else(|| on_path("h5dump"));
    present("hdf5", found, "HDF5")
}

fn lustre() -> Check {
    let mounted = mounts().into_iter().find(|mount| mount.fs_type == b"lustre");
    let mounted = mounted.map(|mount| String::from_utf8_lossy(&mount.path).into_owned().into());
    present("lustre", mounted.or_else(|| on_path("lfs")), "Lustre")
}

fn present(name: &'static str, found: Option<PathBuf>, what: &str) -> Check {
    match found {
        Some(path) => Check::fine(name, format!("found: {}", path.display())),
        None => Check::absent(name, format!("{what} was not found")),
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let found = program::Program::inspect(OsStr::new(name));
    (!found.obstacles.contains(&program::Obstacle::NotFound)).then_some(found.path)
}

fn library_named(start: &str) -> Option<PathBuf> {
    let entries =
        LIBRARIES.iter().flat_map(|directory| fs::read_dir(directory).into_iter().flatten());
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(start) && name.contains(".so")
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found.into_iter().next()
}
