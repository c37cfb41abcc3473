//! What a process pays for being recorded, from its start to its end.

use std::ffi::OsString;

use crate::driver::Bench;
use crate::limits;
use crate::samples::{Samples, quartile};
use crate::variant::Variant::{Bare, Off, Ours, Reference, Run, RunTrace};

/// A process lives for a millisecond, so there can be many in one repetition.
const TURNS: usize = 20;

/// Of a process without file accesses and of one that writes a file.
pub(crate) fn section(bench: &Bench) -> anyhow::Result<String> {
    let variants = [Bare, Off, Ours, Run, RunTrace, Reference];
    let programs: [(&str, Vec<OsString>); 2] =
        [("/bin/true", vec!["/bin/true".into()]), ("writes one file", bench.words(&["one-file"]))];
    let mut text = String::new();
    for (name, words) in programs {
        let samples = Samples::repeated(bench.possible(&variants), bench.runs, |variants| {
            let mut costs = vec![Vec::with_capacity(TURNS); variants.len()];
            for _ in 0..TURNS {
                for (variant, costs) in variants.iter().zip(&mut costs) {
                    // Under `run` the first figure is the process, the second all of `run`.
                    costs.push(bench.cost(*variant, &words)?.first("cpu")?);
                }
            }
            Ok(costs.iter().map(|costs| vec![(name.to_owned(), quartile(costs, 1))]).collect())
        })?;
        text += &samples.table("ms per process", 1e6, limits::PROCESSES)?;
    }
    Ok(text)
}
