//! MPI: programs in C, C++, Fortran and Python do known I/O with either MPI, and the log says so.

mod alone;
mod endings;
mod expect;
pub(crate) mod stack;

use std::fs;
use std::path::{Path, PathBuf};

use expect::Case;
use stack::{MPICH, OPEN_MPI, Stack};

use crate::record::run::{Mode, finish, under};
use crate::record::seen;
use crate::support::scratch;

/// The programs, by name. `IOGLASS_PROGRAM=NAME` chooses those whose name contains it.
fn sources() -> Vec<PathBuf> {
    let chosen = std::env::var("IOGLASS_PROGRAM").unwrap_or_default();
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut sources: Vec<_> = entries
        .filter(|path| path.is_file() && path.extension().is_some_and(|extension| extension != "h"))
        .filter(|path| path.to_string_lossy().contains(&chosen))
        .collect();
    sources.sort();
    sources
}

/// How many ranks programs have, plain and traced. `IOGLASS_RANKS=1,8` chooses others.
fn ranks() -> Vec<u32> {
    let chosen = std::env::var("IOGLASS_RANKS").unwrap_or_else(|_| "2,4".to_owned());
    chosen.split(',').map(|ranks| ranks.parse().expect("IOGLASS_RANKS is numbers")).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/mpi")
}

/// A program that ran.
struct Ran {
    label: String,
    lines: Vec<expect::Line>,
    folder: PathBuf,
    log: PathBuf,
    ranks: u32,
    is_traced: bool,
    is_alone: bool,
}

/// Who records.
#[derive(Debug, Clone, Copy)]
enum Recorder {
    Command(Mode),
    /// The library alone, with so many ranks that write.
    Library {
        writers: u32,
    },
}

/// Runs a program. `None` if it is for another MPI, or something for it is missing.
fn run(
    stack: &Stack,
    source: &Path,
    ranks: u32,
    recorder: Recorder,
) -> Option<Result<Ran, String>> {
    let spec = expect::read(source);
    if spec.only.is_some_and(|only| only != stack.name) {
        return None;
    }
    let name = source.file_stem().unwrap().to_str().unwrap();
    let (kind, is_alone) = match recorder {
        Recorder::Command(_) => ("mpi".to_owned(), false),
        Recorder::Library { writers } => (format!("mpi-alone-{writers}"), true),
    };
    let label = format!("{name}-{}-{ranks}", stack.name);
    let place = scratch(&kind).canonicalize().unwrap();
    let (folder, log) = (place.join(&label), place.join(format!("{label}.darshan")));
    let _ = (fs::remove_dir_all(&folder), fs::remove_file(&log));
    fs::create_dir_all(&folder).unwrap();
    let logs = place.join(format!("{label}.logs"));
    let (mut command, is_traced) = match recorder {
        Recorder::Command(mode) => {
            let mut command = under(mode, &log);
            command.args(stack.launcher(ranks));
            (command, mode == Mode::Trace)
        }
        Recorder::Library { writers } => {
            let _ = fs::remove_dir_all(&logs);
            fs::create_dir_all(&logs).unwrap();
            let mut command = alone::launch(stack, ranks, &logs);
            command.arg(format!("IOGLASS_AGGREGATORS={writers}")).arg("DXT_ENABLE_IO_TRACE=1");
            (command, true)
        }
    };
    command.args(stack.program(source)?).arg(&folder);
    let problems = place.join(format!("{label}.stderr"));
    command.current_dir(&place).stderr(fs::File::create(&problems).unwrap());
    let failed = |what: String| {
        Some(Err(format!("{label}: {what}: {}", fs::read_to_string(&problems).unwrap())))
    };
    match finish(command) {
        Err(problem) => return failed(problem),
        Ok(status) if !status.success() => return failed(status.to_string()),
        Ok(_) => {}
    }
    if is_alone {
        alone::merge(&logs, &log);
    }
    Some(Ok(Ran { label, lines: spec.lines, folder, log, ranks, is_traced, is_alone }))
}

/// Runs all programs, each with so many ranks and recorded so, and reports every difference.
fn check(stack: &Stack, ways: &[(u32, Recorder)]) {
    if !stack.is_here() {
        return;
    }
    let (mut runs, mut wrong) = (Vec::new(), Vec::new());
    for source in sources() {
        for (ranks, recorder) in ways {
            match run(stack, &source, *ranks, *recorder) {
                None => {}
                Some(Ok(ran)) => runs.push(ran),
                Some(Err(problem)) => wrong.push(problem),
            }
        }
    }
    let logs: Vec<_> = runs.iter().map(|ran| ran.log.clone()).collect();
    for (ran, seen) in runs.iter().zip(seen::read(&logs)) {
        let Ran { label, lines, folder, ranks, is_traced, is_alone, .. } = ran;
        let differences = match &seen {
            Err(problem) => vec![problem.clone()],
            Ok(seen) => {
                let ranks = i64::from(*ranks);
                let (is_traced, is_alone) = (*is_traced, *is_alone);
                Case { lines, folder, ranks, is_traced, is_alone, seen }.differences()
            }
        };
        wrong.extend(differences.into_iter().map(|what| format!("{label}: {what}")));
    }
    assert!(wrong.is_empty(), "what differs:\n{}", wrong.join("\n"));
}

/// Plain with as many ranks as come first, traced with as many as come next.
fn by_command() -> Vec<(u32, Recorder)> {
    let modes = [Mode::Run, Mode::Trace].map(Recorder::Command);
    ranks().into_iter().zip(modes).collect()
}

#[test]
fn open_mpi() {
    check(&OPEN_MPI, &by_command());
}

#[test]
fn mpich() {
    check(&MPICH, &by_command());
}
