//! CPU time added to calls.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::driver::{self, Bench};
use crate::limits::{self, Limit};
use crate::samples::Samples;
use crate::variant::Variant::{self, Bare, Off, Ours, OursTrace, Reference, ReferenceTrace};

const ALL: &[Variant] = &[Bare, Off, Ours, OursTrace, Reference, ReferenceTrace];
const PLAIN: &[Variant] = &[Bare, Ours, Reference];
/// Calls that a trace has events of.
const TRACED: &[&str] = &["pwrite 64 B", "pread 64 B", "write 64 B", "read 64 B", "pwrite varied"];
/// Descriptors a program has besides those it opens here.
const SPARE: u64 = 100;
/// Files opened once each.
const FIRST_OPENS: &str = "20000";

/// One thread, one file.
pub(crate) fn calls(bench: &Bench) -> anyhow::Result<String> {
    let samples = Samples::standing(bench, ALL, &["calls"])?;
    Ok(samples.table("ns per call", 1.0, limits::CALLS)? + &samples.trace(TRACED, limits::TRACE)?)
}

/// Threads on their own files and on one.
pub(crate) fn threads(bench: &Bench) -> anyhow::Result<String> {
    let mut text = String::new();
    for threads in ["1", "2", "4"] {
        let samples = Samples::standing(bench, PLAIN, &["threads", threads])?;
        let unit = format!("ns, {threads} threads");
        text += &samples.table(&unit, 1.0, limits::THREADS)?;
    }
    Ok(text)
}

/// One rank, calls of MPI-IO, HDF5 and PnetCDF.
pub(crate) fn mpi(bench: &Bench) -> anyhow::Result<String> {
    if let Err(problem) = bench.compile_for_mpi() {
        return Ok(format!("not measured: {problem:#}\n"));
    }
    Samples::standing(bench, PLAIN, driver::MPI)?.table("ns per call", 1.0, &[])
}

/// Many open files, then files never opened before.
pub(crate) fn files(bench: &Bench) -> anyhow::Result<String> {
    let mut text = String::new();
    bench.many_files.set(true);
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    for wanted in [10, 1_000, 100_000] {
        let files = match raise_limit(wanted + SPARE) {
            Ok(()) => wanted,
            Err(_) => wanted.min(hard - SPARE),
        };
        if files < wanted {
            text += &format!("  {wanted} open files: the limit here is {hard}\n");
        }
        let samples = Samples::printed(bench, PLAIN, &["open-files", &files.to_string()])?;
        let names = [format!("{files} open files, the last")];
        text += &samples.table("ns per pwrite", 1.0, &data_call(&names))?;
        setrlimit(Resource::RLIMIT_NOFILE, soft, hard)?;
    }
    bench.run(Bare, &["make-files", FIRST_OPENS])?;
    let samples = Samples::printed(bench, PLAIN, &["first-open", FIRST_OPENS])?;
    text += &samples.table("ns per open+close", 1.0, &[])?;
    bench.many_files.set(false);
    Ok(text)
}

/// A recorder may size its tables by the hard limit when it starts, so it is raised before.
fn raise_limit(files: u64) -> nix::Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if hard >= files {
        return Ok(());
    }
    setrlimit(Resource::RLIMIT_NOFILE, soft, files)
}

fn data_call(names: &[String]) -> Vec<Limit> {
    let limit = |name: &String| Limit { name: name.clone().into(), most: limits::DATA_CALL };
    names.iter().map(limit).collect()
}
