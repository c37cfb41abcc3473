//! The log, part by part.

use alloc::vec::Vec;

use ioglass_log::block::{Block, SectionWriter};
use ioglass_log::{Compression, LogWriter, Sink, WriteError};
use ioglass_schema::{dxt, heatmap, posix, stdio};
use ioglass_shm::{Loss, PosixCell, StdioCell};

use crate::counters::{Cell, Records};
use crate::heat::Scale;
use crate::job::Run;
use crate::rank::{Rank, Ranks};
use crate::region::{Region, Source};
use crate::time::Timeline;
use crate::trace::Trace;
use crate::{NoMemory, names, process, push, sections};

/// Why there is no log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// What went into a log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Ranks that did I/O.
    pub ranks: usize,
    /// Regions that were read.
    pub regions: usize,
    /// Sources that are no regions.
    pub unreadable: usize,
}

/// Writes the log of a job. Sources that are no regions are counted and passed over.
pub fn write<S: Sink>(
    sources: &[Source<'_>],
    run: &Run<'_>,
    sink: S,
) -> Result<(S, Summary), Error<S::Error>> {
    let job = Harvest::new(sources, run)?;
    let sink = job.write(run, sink)?;
    let summary = Summary {
        ranks: job.ranks.list.len(),
        regions: job.regions.len(),
        unreadable: sources.len() - job.regions.len(),
    };
    Ok((sink, summary))
}

/// The ranks of a job, and which of the sources belong to each. `None` if memory was refused.
pub fn ranks(sources: &[Source<'_>]) -> Option<Vec<(i64, Vec<usize>)>> {
    let (regions, places) = open(sources).ok()?;
    let ranks = Ranks::new(&regions).ok()?;
    let place = |member: &usize| places.get(*member).copied();
    let of_rank = |rank: Rank| (rank.number, rank.members.iter().filter_map(place).collect());
    Some(ranks.list.into_iter().map(of_rank).collect())
}

/// The regions among the sources in the order in which they began, and their places there.
fn open<'r>(sources: &[Source<'r>]) -> Result<(Vec<Region<'r>>, Vec<usize>), NoMemory> {
    let mut found = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        if let Some(region) = Region::open(source) {
            push(&mut found, (region, place))?;
        }
    }
    found.sort_by_key(|(region, _)| {
        let header = &region.header;
        (header.start.real_ns, header.start.mono_ns, header.pid)
    });
    Ok(found.into_iter().unzip())
}

/// A job whose regions have been looked at.
struct Harvest<'r> {
    /// In the order in which they began.
    regions: Vec<Region<'r>>,
    times: Vec<Timeline>,
    ranks: Ranks,
    start_ns: u64,
    end_ns: u64,
    unreadable: u64,
}

impl<'r> Harvest<'r> {
    fn new(sources: &[Source<'r>], run: &Run<'_>) -> Result<Self, NoMemory> {
        let (regions, _) = open(sources)?;
        let start_ns = run.start(&regions);
        let mut times = Vec::new();
        for region in &regions {
            let time = Timeline::new(region, &regions, start_ns, run.ticks_per_second);
            push(&mut times, time)?;
        }
        let latest = regions
            .iter()
            .zip(&times)
            .map(|(region, time)| time.second_of(region.latest.max(region.header.last.tick)));
        let recorded = start_ns.saturating_add((latest.fold(0.0, f64::max) * 1e9) as u64);
        let ranks = Ranks::new(&regions)?;
        let end_ns = run.end_ns.unwrap_or(recorded).max(start_ns);
        let unreadable = (sources.len() - regions.len()) as u64;
        Ok(Self { regions, times, ranks, start_ns, end_ns, unreadable })
    }

    fn write<S: Sink>(&self, run: &Run<'_>, sink: S) -> Result<S, Error<S::Error>> {
        let regions = &self.regions;
        let mut writer = match run.quick {
            true => LogWriter::quick(sink),
            false => LogWriter::new(sink, Compression::Zlib)?,
        };
        let mut block = Block::default();

        writer.job(&run.job(regions, &self.ranks, self.start_ns, self.end_ns))?;
        let scale = Scale::new(regions, self.start_ns, self.end_ns);
        writer.names(names::collect(regions, scale.names())?)?;
        self.counters::<PosixCell, S>(&mut writer, &posix::MODULE)?;
        let has_streams = self.counters::<StdioCell, S>(&mut writer, &stdio::MODULE)?;
        Trace::new(regions, &self.times, run).write(&self.ranks, &mut writer, &mut block)?;
        if !scale.is_empty() {
            let mut region = writer.module(&heatmap::MODULE)?;
            for rank in &self.ranks.list {
                scale.write(regions, rank, &mut region)?;
            }
            region.finish()?;
        }

        let lost = |kind| regions.iter().any(|region| region.lost(kind) > 0);
        if lost(Loss::Records) {
            writer.set_partial(posix::MODULE.id);
            if has_streams {
                writer.set_partial(stdio::MODULE.id);
            }
        }
        if lost(Loss::Trace) {
            writer.set_partial(dxt::POSIX.id);
        }
        let mut processes = SectionWriter::new(process::SECTION);
        let run_seconds = (self.end_ns - self.start_ns) as f64 / 1e9;
        let ranks = self.ranks.of_regions(regions.len())?;
        // Writing to a section cannot fail.
        let _ = process::write(&mut processes, regions, &self.times, &ranks, run_seconds);
        if !regions.is_empty() {
            processes.finish(&mut block);
        }
        sections::operations(&mut block, regions, &self.ranks)?;
        sections::lost(&mut block, regions, self.unreadable);
        writer.block(&block);
        Ok(writer.finish()?)
    }

    /// Writes a module, if there are records of it.
    fn counters<C: Cell, S: Sink>(
        &self,
        writer: &mut LogWriter<S>,
        module: &ioglass_schema::Module,
    ) -> Result<bool, Error<S::Error>> {
        let used = |region: &Region<'_>| {
            let mut cells = region.entries().filter(|entry| entry.kind == C::KIND);
            cells.any(|entry| C::read(entry.bytes).is_some_and(|cell| cell.is_used()))
        };
        if !self.regions.iter().any(used) {
            return Ok(false);
        }
        let mut region = writer.module(module)?;
        let mut records = Records::new(&self.regions, &self.times);
        for rank in &self.ranks.list {
            records.write::<C, S>(rank, &mut region)?;
        }
        region.finish()?;
        Ok(true)
    }
}
