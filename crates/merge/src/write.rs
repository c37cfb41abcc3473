//! The new log, part by part.

use std::fs::File;
use std::path::{Path, PathBuf};

use ioglass_log::block::Block;
use ioglass_log::{
    Compression, Layout, Log, LogWriter, Module, ModuleId, ModuleWriter, RecordBuf, Special,
};

use crate::again::Again;
use crate::input::Input;
use crate::ranks::Ranks;
use crate::time::{SECOND, Shift};
use crate::{Error, Result, counters, heat, job, names, other, present, same_job, tables, trace};

/// Logs that are about to become one.
#[derive(Debug)]
pub struct Merge {
    /// By the time they began.
    inputs: Vec<Input>,
    ranks: Ranks,
    again: Again,
    start_ns: i64,
    end_ns: i64,
}

/// The result of a merge, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Ranks of the job.
    pub ranks: i64,
    /// Ranks that no log tells of.
    pub missing: i64,
    /// Records that stand for all ranks.
    pub shared: u64,
    /// Records that were added to another of the same rank and file.
    pub joined: u64,
    /// Contents of the logs that could not be merged and are not in the new log.
    pub left_out: Vec<String>,
}

impl Merge {
    /// Looks at all logs. Logs of different jobs are an error, unless they are to be merged anyway.
    pub fn new(logs: &[PathBuf], force: bool) -> Result<Self> {
        let read = |log: &PathBuf| {
            Input::read(log).map_err(|error| Error::Read { log: log.clone(), error })
        };
        let mut inputs: Vec<Input> = logs.iter().map(read).collect::<Result<_>>()?;
        // Whatever the order in which they are given, the same log comes out.
        inputs.sort_by(|a, b| (a.start_ns, &a.path).cmp(&(b.start_ns, &b.path)));
        if !force && let Some(difference) = same_job::difference(&inputs) {
            return Err(Error::Different(Box::new(difference)));
        }
        let ranks = Ranks::new(&inputs);
        let again = Again::new(&inputs);
        let start_ns = inputs.iter().map(|input| input.start_ns).min().unwrap_or(0);
        let end_ns = inputs.iter().map(|input| input.end_ns).max().unwrap_or(0);
        Ok(Self { inputs, ranks, again, start_ns, end_ns })
    }

    /// Number of ranks of the job.
    pub fn ranks(&self) -> i64 {
        self.ranks.count
    }

    /// Writes the new log. `progress` is told how much is done, out of how much.
    pub fn write(&self, file: File, progress: &mut dyn FnMut(u64, u64)) -> Result<(File, Summary)> {
        let mut writer = LogWriter::new(file, Compression::Zlib)?;
        let mut block = Block::default();
        let left_out = self.again.notes.clone();
        let missing = present::missing(&self.inputs, &self.ranks);
        let summary = Summary { ranks: self.ranks.count, missing, left_out, ..Summary::default() };
        let mut work = Work {
            inputs: &self.inputs,
            ranks: &self.ranks,
            again: &self.again,
            start_ns: self.start_ns,
            end_ns: self.end_ns,
            summary,
            progress,
            done: 0,
            total: self.reads(),
        };
        writer.job(&job::merge(
            &self.inputs,
            &self.ranks,
            missing,
            (self.start_ns, self.end_ns),
        ))?;
        names::merge(&mut work, &mut writer)?;
        for number in 0..ModuleId::MAX as u8 {
            let id = ModuleId(number);
            let has_lost = |input: &Input| input.modules.contains(&(id, true));
            if self.inputs.iter().any(has_lost) {
                writer.set_partial(id);
            }
            if !self.inputs.iter().any(|input| input.has(id)) {
                continue;
            }
            match id.module() {
                Some(module) => {
                    let mut out = writer.module(module)?;
                    merge_module(&mut work, module, &mut out, &mut block)?;
                    out.finish()?;
                }
                None => other::unknown(&mut work, id, &mut writer)?,
            }
        }
        tables::merge(&mut work, &mut block)?;
        let summary = work.summary;
        writer.block(&block);
        Ok((writer.finish()?, summary))
    }

    /// Number of times that logs will be opened: for names and tables once, for each module twice.
    fn reads(&self) -> u64 {
        let modules: usize = self.inputs.iter().map(|input| input.modules.len()).sum();
        2 * (self.inputs.len() + modules) as u64
    }
}

fn merge_module(
    work: &mut Work<'_>,
    module: &'static Module,
    out: &mut ModuleWriter<'_, File>,
    block: &mut Block,
) -> Result<()> {
    match module.layout {
        Layout::Counters => counters::merge(work, module, out),
        Layout::Lustre => other::lustre(work, out),
        Layout::Heatmap => heat::merge(work, out),
        Layout::Mdhim => other::mdhim(work, out),
        Layout::Apmpi => other::apmpi(work, out),
        Layout::Apxc => other::apxc(work, out),
        Layout::Dxt => trace::merge(work, module, out, block),
    }
}

/// State that all parts share: the logs, one after the other, and the way to new ranks and times.
pub(crate) struct Work<'m> {
    pub(crate) inputs: &'m [Input],
    pub(crate) ranks: &'m Ranks,
    again: &'m Again,
    start_ns: i64,
    end_ns: i64,
    pub(crate) summary: Summary,
    progress: &'m mut dyn FnMut(u64, u64),
    done: u64,
    total: u64,
}

/// A log that is read, and its ranks and times in the new one.
pub(crate) struct LogPlace<'m> {
    pub(crate) log: usize,
    pub(crate) shift: Shift,
    ranks: &'m Ranks,
    again: &'m Again,
    path: &'m Path,
}

impl LogPlace<'_> {
    /// The rank of the job that is `rank` in this log.
    pub(crate) fn rank(&self, rank: i64) -> i64 {
        self.ranks.of(self.log, rank)
    }

    /// Returns true if this log's records of a rank are to be in the new one.
    pub(crate) fn keeps(&self, rank: i64) -> bool {
        !self.again.has(self.log, rank)
    }

    /// Names this log in an error.
    pub(crate) fn read<T>(&self, read: std::result::Result<T, ioglass_log::Error>) -> Result<T> {
        read.map_err(|error| Error::Read { log: self.path.into(), error })
    }
}

impl<'m> Work<'m> {
    /// Seconds from the first begin to the last end.
    pub(crate) fn run_seconds(&self) -> f64 {
        self.end_ns.saturating_sub(self.start_ns) as f64 / SECOND as f64
    }

    /// The places of all logs.
    pub(crate) fn places(&self) -> impl Iterator<Item = LogPlace<'m>> + use<'m> {
        let (ranks, again, start_ns) = (self.ranks, self.again, self.start_ns);
        self.inputs.iter().enumerate().map(move |(log, input)| LogPlace {
            log,
            shift: Shift::new(input.start_ns.saturating_sub(start_ns)),
            ranks,
            again,
            path: &input.path,
        })
    }

    /// Opens the logs that are wanted, one after the other.
    pub(crate) fn each_log(
        &mut self,
        wanted: impl Fn(&Input) -> bool,
        mut each: impl FnMut(&Log, &LogPlace<'_>) -> Result<()>,
    ) -> Result<()> {
        for (place, input) in self.places().zip(self.inputs).filter(|(_, input)| wanted(input)) {
            let log = place.read(input.open())?;
            each(&log, &place)?;
            self.done += 1;
            (self.progress)(self.done, self.total);
        }
        Ok(())
    }

    /// Opens the logs that have a module.
    pub(crate) fn each_log_with(
        &mut self,
        id: ModuleId,
        each: impl FnMut(&Log, &LogPlace<'_>) -> Result<()>,
    ) -> Result<()> {
        self.each_log(|input| input.has(id), each)
    }

    /// Hands out the records of a module made of counters, with the ranks and times they will have.
    pub(crate) fn each_record(
        &mut self,
        module: &'static Module,
        mut each: impl FnMut(RecordBuf) -> Result<()>,
    ) -> Result<()> {
        self.each_log_with(module.id, |log, place| {
            let mut records = place.read(log.records(module))?;
            while let Some(record) = place.read(records.next())? {
                if !place.keeps(record.base.rank) {
                    continue;
                }
                let mut record = RecordBuf::from(record);
                record.base.rank = place.rank(record.base.rank);
                counters::shift(&mut record, place.shift);
                each(record)?;
            }
            Ok(())
        })
    }

    /// Hands out the records of a module with a shape of its own, as they are.
    pub(crate) fn each_special<T: Special>(
        &mut self,
        mut each: impl FnMut(T, &LogPlace<'_>) -> Result<()>,
    ) -> Result<()> {
        self.each_log_with(T::MODULE.id, |log, place| {
            for record in place.read(log.special::<T>())? {
                each(place.read(record)?, place)?;
            }
            Ok(())
        })
    }
}
