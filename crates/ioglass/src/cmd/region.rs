//! `ioglass region`: a program as a region of the job around it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::ExitCode;

use ioglass_job::Launch;
use ioglass_region::{NamedGuard, Place};
use ioglass_shm::{PathNames, escaped, place};

use super::run::{cannot_start, die_as};
use crate::cli;
use crate::failure::Failure;

pub(super) fn run(args: &cli::Region) -> Result<ExitCode, Failure> {
    let path = ioglass_region::active().then(|| (place::REGION_PATH, path_of(&args.name)));
    // It has no place in the source.
    let region = NamedGuard::region(args.name.as_bytes(), Place::new("\0", 0));
    let ended = ioglass_job::run(&args.command, path.as_slice());
    region.leave();
    match ended {
        Ok(ended) => {
            die_as(ended, Launch::detect().is_some());
            Ok(ExitCode::from(ended.code()))
        }
        Err(error) => cannot_start(error),
    }
}

/// The path of the region with this name, as programs in it find it.
fn path_of(name: &OsStr) -> OsString {
    let around = env::var_os(place::REGION_PATH).unwrap_or_default().into_vec();
    // The recorder ignores what is no path.
    let mut path = if PathNames::of(&around).is_some() { around } else { Vec::new() };
    if !path.is_empty() {
        path.push(b'/');
    }
    let name = if name.is_empty() { b"(unnamed)" } else { name.as_bytes() };
    path.extend(escaped(name));
    OsString::from_vec(path)
}
