//! `ioglass merge`: logs of one job become one, and nothing in them is lost, moved or counted twice.

mod again;
mod bad;
mod craft;
mod dump;
mod jobs;
mod ranks;
mod size;
mod split;
mod times;
mod tree;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioglass_log::Log;

use crate::lifecycle::recording::said;
use crate::support::ioglass;

/// `ioglass merge` of these logs.
fn merge(logs: &[PathBuf], out: &Path, options: &[&str]) -> Output {
    Command::new(ioglass())
        .arg("merge")
        .args(options)
        .args(logs)
        .arg("-o")
        .arg(out)
        .output()
        .unwrap()
}

/// The merged log of these.
#[track_caller]
fn merged(logs: &[PathBuf], out: &Path) -> Log {
    let output = merge(logs, out, &[]);
    assert!(output.status.success(), "{}", said(&output));
    Log::open(out).unwrap()
}

/// The hosts of a log's processes.
pub(crate) fn hosts(log: &Log) -> std::collections::BTreeSet<String> {
    dump::table(log, "processes", &["host"]).into_iter().flatten().collect()
}
