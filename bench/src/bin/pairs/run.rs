//! Runs programs, bare and recorded.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Error, ensure};
use ioglass_report::json::{self, Report};

use crate::start::{Workshop, succeeded};
use crate::table::{Pair, Program};

/// The measurement: its programs, its directories and its numbers of runs.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) workshop: Workshop,
    pub(crate) ioglass: PathBuf,
    /// Bare runs.
    pub(crate) runs: usize,
    /// Recorded runs.
    pub(crate) recorded: usize,
    /// Directories of all runs so far.
    pub(crate) made: RefCell<Vec<Made>>,
}

/// The directory of a run.
#[derive(Debug)]
pub(crate) struct Made {
    /// The name of the pair or program.
    of: String,
    directory: PathBuf,
    /// Names of the files that were in it before the run.
    given: Vec<OsString>,
}

/// The kind of program in a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Slow,
    Fixed,
    Healthy,
}

/// The measurements of a program.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Median of the wall time in seconds: of bare runs if there are such.
    pub(crate) seconds: f64,
    /// Reports of all recorded runs, by what they promise.
    pub(crate) reports: Vec<Report>,
}

impl Seen {
    /// The report with the median promise.
    pub(crate) fn report(&self) -> &Report {
        &self.reports[self.reports.len() / 2]
    }
}

impl Bench {
    /// Runs both programs of a pair in turn, so that what disturbs the machine disturbs them alike.
    pub(crate) fn pair(&self, pair: &Pair) -> anyhow::Result<(Seen, Seen)> {
        let words = |program| self.workshop.words(program).map_err(Error::msg);
        let (slow, fixed) = (words(pair.slow)?, words(pair.fixed)?);
        let leaves = |words: &[OsString]| {
            let directory = self.directory(Kind::Slow, pair.name, pair.given)?;
            self.workshop.leaves(words, &directory).map_err(Error::msg)
        };
        let difference = leaves(&slow)?.difference(&leaves(&fixed)?, pair.same);
        ensure!(difference.is_none(), "{}", difference.unwrap_or_default());
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..self.runs {
            for ((kind, words), times) in
                [(Kind::Slow, &slow), (Kind::Fixed, &fixed)].into_iter().zip(&mut times)
            {
                times.push(self.timed(kind, pair.name, words, pair.given)?);
            }
        }
        let [slow_times, fixed_times] = times;
        let mut slow = self.recorded(Kind::Slow, pair.name, pair.slow, pair.given)?;
        let mut fixed = self.recorded(Kind::Fixed, pair.name, pair.fixed, pair.given)?;
        slow.seconds = median(slow_times);
        fixed.seconds = median(fixed_times);
        Ok((slow, fixed))
    }

    /// Runs a program under `ioglass run`.
    pub(crate) fn recorded(
        &self,
        kind: Kind,
        name: &str,
        program: Program,
        given: Option<&str>,
    ) -> anyhow::Result<Seen> {
        let program = self.workshop.words(program).map_err(Error::msg)?;
        let (mut times, mut reports) = (Vec::new(), Vec::new());
        for number in 1..=self.recorded {
            let stem = format!("{name}-{kind:?}-{number}").to_lowercase();
            let [log, report] = ["darshan", "json"]
                .map(|ending| self.workshop.place().join(format!("{stem}.{ending}")));
            let mut words: Vec<OsString> = vec![self.ioglass.clone().into(), "run".into()];
            words.extend(["--quiet".into(), format!("--json={}", report.display()).into()]);
            words.extend(["-o".into(), log.into(), "--".into()]);
            words.extend(program.iter().cloned());
            times.push(self.timed(kind, name, &words, given)?);
            let text = fs::read_to_string(&report).context("no report")?;
            reports.push(json::read(&text)?);
        }
        reports.sort_by(|a, b| promised(a).total_cmp(&promised(b)));
        Ok(Seen { seconds: median(times), reports })
    }

    /// Seconds that a program takes in a directory of its own, when nothing else is to be written.
    fn timed(
        &self,
        kind: Kind,
        name: &str,
        words: &[OsString],
        given: Option<&str>,
    ) -> anyhow::Result<f64> {
        let directory = self.directory(kind, name, given)?;
        let status = Command::new("sync").arg("-f").arg(&directory).status()?;
        ensure!(status.success(), "sync failed");
        let mut command = self.workshop.command(words, &directory);
        let begin = Instant::now();
        let output = command.output()?;
        let seconds = begin.elapsed().as_secs_f64();
        succeeded(name, &output).map_err(Error::msg)?;
        Ok(seconds)
    }

    /// A new directory with what a program is given. Nothing is removed meanwhile, because the file system
    /// is busy with that for some time. What a pair was given moves on, as it is left as it was.
    fn directory(&self, kind: Kind, name: &str, given: Option<&str>) -> anyhow::Result<PathBuf> {
        let mut made = self.made.borrow_mut();
        let number = made.len();
        let make =
            |given| self.workshop.directory(&format!("{number}-{name}"), given).map_err(Error::msg);
        let (directory, names) = match made.iter().rev().find(|made| made.of == name) {
            Some(last) if !matches!(kind, Kind::Healthy) => {
                let directory = make(None)?;
                for name in &last.given {
                    fs::rename(last.directory.join(name), directory.join(name))?;
                }
                (directory, last.given.clone())
            }
            _ => {
                let directory = make(given)?;
                let names = fs::read_dir(&directory)?.map(|entry| Ok(entry?.file_name()));
                let names = names.collect::<io::Result<_>>()?;
                (directory, names)
            }
        };
        made.push(Made { of: name.to_owned(), directory: directory.clone(), given: names });
        Ok(directory)
    }
}

/// Seconds that a report says can be avoided.
pub(crate) fn promised(report: &Report) -> f64 {
    report.verdict.avoidable_seconds.unwrap_or(0.0)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
