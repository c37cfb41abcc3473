//! An installed Caliper, which `CALIPER_ROOT` names.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, ensure};
use ioglass_bench::place::root;

use crate::Bench;

/// The folder of Caliper, if there is one.
fn place() -> Option<PathBuf> {
    std::env::var_os("CALIPER_ROOT").map(PathBuf::from)
}

/// True if Caliper is built with MPI, so that all ranks write one file.
pub(crate) fn has_mpi() -> bool {
    let header = place().map(|place| place.join("include/caliper/caliper-config.h"));
    let text = header.and_then(|header| fs::read_to_string(header).ok());
    text.is_some_and(|text| text.contains("#define CALIPER_HAVE_MPI"))
}

/// Compiles a source in `bench/annotations` with Caliper. `None` if there is none.
pub(crate) fn compile(
    bench: &Bench,
    compiler: &str,
    source: &str,
    name: &str,
) -> anyhow::Result<Option<PathBuf>> {
    let Some(place) = place() else { return Ok(None) };
    let lib = ["lib", "lib64"].map(|name| place.join(name));
    let lib = lib.iter().find(|lib| lib.exists()).context("CALIPER_ROOT has no lib")?;
    let driver = bench.folder.join(name);
    let mut compiler = Command::new(compiler);
    compiler.args(["-O2", "-DCALIPER"]).arg(root().join("bench/annotations").join(source));
    compiler.arg("-I").arg(place.join("include")).arg("-L").arg(lib);
    compiler.arg(format!("-Wl,-rpath,{}", lib.display())).args(["-lcaliper", "-o"]).arg(&driver);
    ensure!(compiler.status()?.success(), "the driver of Caliper does not compile");
    Ok(Some(driver))
}
