//! The log, part by part.

use alloc::vec::Vec;

use core::fmt::Write;

use ioglass_log::block::{Block, SectionWriter};
use ioglass_log::{Compression, Job, LogWriter, Sink, WriteError};
use ioglass_schema::{
    FixedRecord as _, Module, ModuleId, dxt, h5d, h5f, heatmap, mpiio, pnetcdf_file, pnetcdf_var,
    posix, stdio,
};
use ioglass_shm::{
    H5dCell, H5fCell, Loss, MpiioCell, PnetcdfFileCell, PnetcdfVarCell, PosixCell, StdioCell,
};

use crate::capture::{Capture, Source};
use crate::counters::{Cell, Records, Sharing};
use crate::heat::Scale;
use crate::job::Run;
use crate::rank::{Rank, Ranks};
use crate::team::Shared;
use crate::time::Timeline;
use crate::trace::Trace;
use crate::{
    NoMemory, contexts, end, files, lustre, metadata, names, process, push, sections, settings,
};

/// The reason why there is no log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error<E> {
    /// It could not be written.
    Write(WriteError<E>),
    /// Memory was refused.
    Memory,
}

impl<E> From<WriteError<E>> for Error<E> {
    fn from(error: WriteError<E>) -> Self {
        Self::Write(error)
    }
}

impl<E> From<NoMemory> for Error<E> {
    fn from(_: NoMemory) -> Self {
        Self::Memory
    }
}

impl<E: core::fmt::Display> core::fmt::Display for Error<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Write(error) => error.fmt(f),
            Self::Memory => f.write_str("there is not enough memory to put the log together"),
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for Error<E> {}

/// The contents of a log, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Ranks that did I/O.
    pub ranks: usize,
    /// Captures that were read.
    pub captures: usize,
    /// Sources that are no captures.
    pub unreadable: usize,
    /// True if files other than the standard streams were used.
    pub has_files: bool,
}

/// Says something for the cells of each module.
macro_rules! of_all_cells {
    ($say:ident) => {
        $say!(PosixCell);
        $say!(MpiioCell);
        $say!(H5fCell);
        $say!(H5dCell);
        $say!(PnetcdfFileCell);
        $say!(PnetcdfVarCell);
        $say!(StdioCell);
    };
}

/// Writes the log of a job. Sources that are no captures are counted and passed over.
pub fn write<S: Sink>(
    sources: &[Source<'_>],
    run: &Run<'_>,
    sink: S,
) -> Result<(S, Summary), Error<S::Error>> {
    let job = Harvest::new(sources, run)?;
    let sink = job.write(run, sink)?;
    let summary = Summary {
        ranks: job.ranks.list.len(),
        captures: job.captures.len(),
        unreadable: sources.len() - job.captures.len(),
        has_files: job.captures.iter().any(|capture| capture.has_files),
    };
    Ok((sink, summary))
}

/// The ranks of a job, and which of the sources belong to each. `None` if memory was refused.
pub fn ranks(sources: &[Source<'_>]) -> Option<Vec<(i64, Vec<usize>)>> {
    let (captures, places) = open(sources).ok()?;
    let ranks = Ranks::new(&captures).ok()?;
    let place = |member: &usize| places.get(*member).copied();
    let of_rank = |rank: Rank| (rank.number, rank.members.iter().filter_map(place).collect());
    Some(ranks.list.into_iter().map(of_rank).collect())
}

/// The captures among the sources in the order in which they began, and their places there.
fn open<'r>(sources: &[Source<'r>]) -> Result<(Vec<Capture<'r>>, Vec<usize>), NoMemory> {
    let mut found = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        if let Some(capture) = Capture::open(source)? {
            push(&mut found, (capture, place))?;
        }
    }
    found.sort_by_key(|(capture, _)| {
        let header = &capture.header;
        (header.start.real_ns, header.start.mono_ns, header.pid)
    });
    Ok(found.into_iter().unzip())
}

/// A job whose captures have been looked at.
pub(crate) struct Harvest<'r> {
    /// In the order in which they began.
    pub(crate) captures: Vec<Capture<'r>>,
    pub(crate) times: Vec<Timeline>,
    pub(crate) ranks: Ranks,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    unreadable: u64,
}

impl<'r> Harvest<'r> {
    pub(crate) fn new(sources: &[Source<'r>], run: &Run<'_>) -> Result<Self, NoMemory> {
        let (captures, _) = open(sources)?;
        let ranks = Ranks::new(&captures)?;
        let unreadable = (sources.len() - captures.len()) as u64;
        let times = Vec::new();
        let mut harvest = Self { captures, times, ranks, start_ns: 0, end_ns: 0, unreadable };
        harvest.set_time(run)?;
        Ok(harvest)
    }

    /// Lays the job's time as the caller knows it.
    pub(crate) fn set_time(&mut self, run: &Run<'_>) -> Result<(), NoMemory> {
        let captures = &self.captures;
        self.start_ns = run.start(captures);
        self.times.clear();
        let mut latest = 0.0_f64;
        for capture in captures {
            let time = Timeline::new(capture, captures, self.start_ns, run.ticks_per_second);
            latest = latest.max(time.second_of(capture.latest.max(capture.header.last.tick)));
            push(&mut self.times, time)?;
        }
        let recorded = self.start_ns.saturating_add((latest * 1e9) as u64);
        self.end_ns = run.end_ns.unwrap_or(recorded).max(self.start_ns);
        Ok(())
    }

    fn write<S: Sink>(&self, run: &Run<'_>, sink: S) -> Result<S, Error<S::Error>> {
        let captures = &self.captures;
        let mut writer = match run.quick {
            true => LogWriter::quick(sink),
            false => LogWriter::new(sink, Compression::Zlib)?,
        };
        let mut block = Block::default();
        writer.job(&self.job(run))?;
        let scale = Scale::new(captures, self.start_ns, self.end_ns);
        writer.names(names::collect(captures, scale.names(), &[])?)?;
        self.modules(run, &scale, None, &mut writer, &mut block)?;
        let mut processes = SectionWriter::new(process::SECTION);
        if !captures.is_empty() {
            // Writing to a section cannot fail.
            let _ = writeln!(processes, "{}", process::COLUMNS);
        }
        let named = metadata::costliest(self.costs()?, metadata::NAMED);
        self.sections(processes, &named, &mut block)?;
        end::write(&mut block, run.end);
        sections::lost(&mut block, sections::losses(captures), self.unreadable);
        writer.block(&block);
        Ok(writer.finish()?)
    }

    pub(crate) fn job(&self, run: &Run<'_>) -> Job {
        run.job(&self.captures, &self.ranks, self.start_ns, self.end_ns)
    }

    /// Writes all modules. If ranks that are elsewhere have agreed with these on files they share, the
    /// records of those are handed to them.
    pub(crate) fn modules<S: Sink>(
        &self,
        run: &Run<'_>,
        scale: &Scale,
        mut shared: Option<&mut SharedRecords<'_>>,
        writer: &mut LogWriter<S>,
        block: &mut Block,
    ) -> Result<(), Error<S::Error>> {
        let captures = &self.captures;
        macro_rules! counters {
            ($cell:ty, $module:expr) => {
                self.counters::<$cell, S>(writer, &$module, shared.as_deref_mut())?
            };
        }
        counters!(PosixCell, posix::MODULE);
        let has_mpiio = counters!(MpiioCell, mpiio::MODULE);
        let objects = [
            (counters!(H5fCell, h5f::MODULE), &h5f::MODULE),
            (counters!(H5dCell, h5d::MODULE), &h5d::MODULE),
            (counters!(PnetcdfFileCell, pnetcdf_file::MODULE), &pnetcdf_file::MODULE),
            (counters!(PnetcdfVarCell, pnetcdf_var::MODULE), &pnetcdf_var::MODULE),
        ];
        let layouts = lustre::find(captures, &self.ranks.list)?;
        if !layouts.is_empty() {
            let mut out = writer.module(&ioglass_schema::lustre::MODULE)?;
            let agreed =
                shared.as_deref().map(|shared| (shared.of(&posix::MODULE), shared.is_first));
            lustre::write(captures, &layouts, agreed, &mut out)?;
            out.finish()?;
        }
        let has_streams = counters!(StdioCell, stdio::MODULE);
        let trace = Trace::new(captures, &self.times, run);
        trace.write::<PosixCell, S>(&dxt::POSIX, &self.ranks, writer, block)?;
        trace.write::<MpiioCell, S>(&dxt::MPIIO, &self.ranks, writer, block)?;
        if !scale.is_empty() {
            let mut out = writer.module(&heatmap::MODULE)?;
            for rank in &self.ranks.list {
                scale.write(captures, rank, &mut out)?;
            }
            out.finish()?;
        }

        let lost = |kind| captures.iter().any(|capture| capture.lost(kind) > 0);
        if lost(Loss::Records) {
            let modules = [
                (true, &posix::MODULE),
                (has_mpiio, &mpiio::MODULE),
                (has_streams, &stdio::MODULE),
            ];
            let modules = modules.into_iter().chain(objects);
            for (_, module) in modules.filter(|(is_there, _)| *is_there) {
                writer.set_partial(module.id);
            }
        }
        if lost(Loss::Trace) {
            writer.set_partial(dxt::POSIX.id);
            if has_mpiio {
                writer.set_partial(dxt::MPIIO.id);
            }
        }
        Ok(())
    }

    /// The cost of metadata calls in each directory, by id.
    pub(crate) fn costs(&self) -> Result<Vec<metadata::Cost>, NoMemory> {
        metadata::costs(&self.captures, &self.times)
    }

    /// Writes the rows of processes, and all that has no counter. `named` are the directories that
    /// have a name in the log.
    pub(crate) fn sections(
        &self,
        mut processes: SectionWriter,
        named: &[metadata::Cost],
        block: &mut Block,
    ) -> Result<(), NoMemory> {
        let run_seconds = (self.end_ns - self.start_ns) as f64 / 1e9;
        let ranks = self.ranks.of_captures(self.captures.len())?;
        // Writing to a section cannot fail.
        let _ = process::write(&mut processes, &self.captures, &self.times, &ranks, run_seconds);
        processes.finish(block);
        let (captures, times) = (&self.captures, &self.times);
        sections::operations(block, captures, &self.ranks)?;
        files::files(block, captures, times, &self.ranks)?;
        files::waiting(block, captures, times, &self.ranks);
        contexts::write(block, captures, times, &self.ranks)?;
        settings::write(block, captures, &ranks)?;
        metadata::write(block, captures, times, &ranks, named)
    }

    /// Writes a module, if there are records of it.
    fn counters<C: Cell, S: Sink>(
        &self,
        writer: &mut LogWriter<S>,
        module: &Module,
        shared: Option<&mut SharedRecords<'_>>,
    ) -> Result<bool, Error<S::Error>> {
        if self.captures.iter().all(|capture| capture.used(C::KIND).next().is_none()) {
            return Ok(false);
        }
        let sharing = match shared {
            Some(shared) => Sharing::Elsewhere(shared.of(module), &mut shared.records),
            None => Sharing::AllHere,
        };
        let mut out = writer.module(module)?;
        let mut records = Records::new(&self.captures, &self.times);
        records.write::<C, S>(&self.ranks, sharing, &mut out)?;
        out.finish()?;
        Ok(true)
    }

    /// The files of each module that ranks of MPI know.
    pub(crate) fn ids(&self) -> Result<Vec<(ModuleId, Vec<u64>)>, NoMemory> {
        let mut all = Vec::new();
        let mut records = Records::new(&self.captures, &self.times);
        macro_rules! ids {
            ($cell:ty) => {
                let ids = records.ids::<$cell>(&self.ranks)?;
                push(&mut all, (<$cell as Cell>::Record::MODULE.id, ids))?
            };
        }
        of_all_cells!(ids);
        Ok(all)
    }

    /// Module, file and position of all records. Positions tell the order in which they were made.
    pub(crate) fn made(&self) -> Result<Vec<(ModuleId, u64, usize)>, NoMemory> {
        let mut all = Vec::new();
        macro_rules! made {
            ($cell:ty) => {
                let cells = self.captures.iter().flat_map(|capture| capture.used(<$cell>::KIND));
                for (id, offset) in cells {
                    push(&mut all, (<$cell as Cell>::Record::MODULE.id, id, offset))?;
                }
            };
        }
        of_all_cells!(made);
        all.sort_unstable();
        Ok(all)
    }
}

/// Records of files that all ranks share, on their way to others.
pub(crate) struct SharedRecords<'s> {
    /// Ids of those files, by module.
    pub(crate) ids: &'s [(ModuleId, Vec<u64>)],
    /// True if this rank speaks for all where they have nothing of their own to say.
    pub(crate) is_first: bool,
    pub(crate) records: Shared,
}

impl<'s> SharedRecords<'s> {
    fn of(&self, module: &Module) -> &'s [u64] {
        let ids = self.ids.iter().find(|(id, _)| *id == module.id);
        ids.map_or(&[], |(_, ids)| ids)
    }
}
