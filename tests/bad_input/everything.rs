//! Does to a log all that can be done with it, and watches.

use std::fmt::Display;
use std::hint::black_box;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use ioglass_log::text::{ListOptions, TraceOptions, list, trace};
use ioglass_log::{
    Apmpi, Apxc, Error, Heatmap, Layout, Log, Lustre, MdhimServers, Module, ModuleInfo, Special,
};

use crate::memory::peak_of;

/// What became of a log.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Whether there was anything to read.
    pub(super) opened: bool,
    /// What was wrong.
    pub(super) problems: Vec<String>,
}

impl Outcome {
    /// Whether some problem's text contains `words`.
    pub(super) fn says(&self, words: &str) -> bool {
        self.problems.iter().any(|problem| problem.contains(words))
    }
}

/// How much of a log to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Records.
    Records,
    /// Records and text.
    Text,
}

/// No case may take longer. The longest decompress a gibibyte and print it.
const PATIENCE: Duration = Duration::from_secs(90);

/// Reads `bytes` as a log. Panics if that panics, takes too much memory or time, or says nothing
/// useful about what is wrong.
pub(super) fn check(case: &dyn Display, bytes: &[u8], depth: Depth) -> Outcome {
    let begin = Instant::now();
    let (outcome, peak) =
        peak_of(|| catch_unwind(AssertUnwindSafe(|| read_everything(bytes, depth))));
    let Ok(outcome) = outcome else { panic!("{case}: panicked") };
    let limit = (64 << 20) + 4 * bytes.len() as u64;
    assert!(peak <= limit, "{case}: {peak} bytes of memory, {limit} allowed");
    let taken = begin.elapsed();
    assert!(taken < PATIENCE, "{case}: took {taken:?}");
    outcome
}

fn read_everything(bytes: &[u8], depth: Depth) -> Outcome {
    let mut outcome = Outcome::default();
    let log = match Log::from_bytes(bytes.to_vec()) {
        Ok(log) => log,
        Err(error) => {
            outcome.note(&error);
            return outcome;
        }
    };
    outcome.opened = true;
    black_box(log.names().iter().map(|(id, name)| id ^ name.len() as u64).fold(0, |a, b| a ^ b));
    for info in log.modules() {
        if let Err(error) = read_module(&log, info) {
            outcome.note(&error);
        }
    }
    let sections: Vec<String> = log.block_sections().map(|(name, _)| name.to_owned()).collect();
    for section in sections {
        if let Err(error) = log.block_section(&section, 1 << 20) {
            outcome.note(&error);
        }
    }
    if depth == Depth::Text {
        let options =
            ListOptions { base: true, total: true, perf: true, file: true, show_incomplete: true };
        let listed = list(&log, options, &mut io::sink()).unwrap();
        let traced = trace(&log, TraceOptions { show_incomplete: true }, &mut io::sink()).unwrap();
        listed.iter().chain(&traced).for_each(|error| outcome.note(error));
    }
    log.warnings().for_each(|error| outcome.note(error));
    outcome
}

impl Outcome {
    /// Keeps the error's text, which must say where and why.
    fn note(&mut self, error: &Error) {
        let text = error.to_string();
        assert!(!text.is_empty(), "{error:?} says nothing");
        if let Error::Corrupt { damage, .. } = error {
            assert!(text.contains("byte") && !damage.to_string().is_empty(), "{text}");
        }
        self.problems.push(text);
    }
}

fn read_module(log: &Log, info: ModuleInfo) -> Result<(), Error> {
    let Some(module) = info.id.module() else {
        return log.for_each_raw_piece(info.id, |piece| {
            black_box(piece);
        });
    };
    match module.layout {
        Layout::Counters => {
            let mut records = log.records(module)?;
            while let Some(record) = records.next()? {
                black_box(record);
            }
            Ok(())
        }
        Layout::Lustre => read_special::<Lustre>(log),
        Layout::Heatmap => read_special::<Heatmap>(log),
        Layout::Mdhim => read_special::<MdhimServers>(log),
        Layout::Apmpi => read_special::<Apmpi>(log),
        Layout::Apxc => read_special::<Apxc>(log),
        Layout::Dxt => read_trace(log, module),
    }
}

fn read_special<T: Special>(log: &Log) -> Result<(), Error> {
    for record in log.special::<T>()? {
        black_box(record?);
    }
    Ok(())
}

fn read_trace(log: &Log, module: &'static Module) -> Result<(), Error> {
    let mut reader = log.dxt(module)?;
    while let Some(head) = reader.next_record()? {
        black_box(head);
        while let Some(chunk) = reader.next_chunk()? {
            black_box(chunk);
        }
    }
    Ok(())
}
