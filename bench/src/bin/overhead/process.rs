//! What a process pays for being recorded, from its start to its end.

use std::ffi::OsString;

use crate::driver::Bench;
use crate::limits::{self, Limit};
use crate::samples::Samples;
use crate::variant::Variant::{Bare, Off, Ours, Reference, Run, RunTrace};

/// A process lives for a millisecond, so there can be many.
const RUNS: usize = 60;

/// Of a process without file accesses and of one that writes a file.
pub(crate) fn section(bench: &Bench) -> anyhow::Result<String> {
    let variants = [Bare, Off, Ours, Run, RunTrace, Reference];
    let programs: [(&str, Vec<OsString>); 2] =
        [("/bin/true", vec!["/bin/true".into()]), ("writes one file", bench.words(&["one-file"]))];
    let mut text = String::new();
    for (name, words) in programs {
        let runs = RUNS.max(bench.runs);
        let samples = Samples::interleaved(bench.possible(&variants), runs, |variant| {
            // Under `run` the first figure is the process, the second all of `run`.
            Ok(vec![(name.to_owned(), bench.cost(variant, &words)?.first("cpu")?)])
        })?;
        let limit = Limit { name: name.into(), most: limits::PROCESS };
        text += &samples.table("ms per process", 1e6, &[limit])?;
    }
    Ok(text)
}
