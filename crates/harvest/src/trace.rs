//! Traces: events of all threads become segments by file, writes first, each in order of time.
//!
//! A trace may be larger than memory should hold. Files are taken together as long as their
//! events fit, the chunks being decoded once for each such pass; a file that alone has too many is
//! cut into slices of time.

use alloc::vec::Vec;

use ioglass_log::block::{Block, SectionWriter, threads_section};
use ioglass_log::{DxtHead, Encode, LogWriter, ModuleWriter, Segment, Sink};
use ioglass_schema::{Base, Module};
use ioglass_shm::trace::{Events, Op};
use ioglass_shm::{Kind, MpiioCell, PosixCell};

use crate::capture::Capture;
use crate::counters::Cell;
use crate::glance::Glance;
use crate::job::{Run, Triggers};
use crate::rank::{Rank, Ranks};
use crate::time::Timeline;
use crate::write::Error;
use crate::{NoMemory, push};

/// Events in memory at a time, 40 bytes each.
const AT_ONCE: usize = 4 << 20;
/// Slices of time that a large file's events are counted in.
const BINS: usize = 4096;
/// Segments encoded at a time.
const BATCH: usize = 512;

/// A record that events name by its number.
pub(crate) trait TracedCell: Cell {
    const WRITE: Op;
    const READ: Op;
}

impl TracedCell for PosixCell {
    const WRITE: Op = Op::Write;
    const READ: Op = Op::Read;
}

impl TracedCell for MpiioCell {
    const WRITE: Op = Op::MpiWrite;
    const READ: Op = Op::MpiRead;
}

/// Writes the traces of a job.
pub(crate) struct Trace<'h, 'r> {
    captures: &'h [Capture<'r>],
    times: &'h [Timeline],
    at_once: usize,
    triggers: Triggers,
}

/// An event on its way into the log.
#[derive(Debug, Clone, Copy)]
struct TraceItem {
    /// The file, and in the lowest bit 1 for a read: the order of the log.
    key: u32,
    thread: u32,
    segment: Segment,
}

/// A traced file of one rank.
#[derive(Debug)]
struct File {
    id: u64,
    writes: u64,
    reads: u64,
    first: f64,
    last: f64,
}

/// A chunk of events: its capture, its bytes, and when its events began.
#[derive(Debug)]
struct Chunk<'r> {
    member: usize,
    bytes: &'r [u8],
    /// Events that were counted. A process that lives may add more, which heads do not promise.
    events: usize,
    first: f64,
    last: f64,
}

/// The trace of one rank.
struct RankTrace<'h, 'r> {
    times: &'h [Timeline],
    /// By id.
    files: Vec<File>,
    /// Capture, number of the record in it, index in `files`; sorted.
    numbers: Vec<(usize, u32, u32)>,
    chunks: Vec<Chunk<'r>>,
    /// The calls that write and read.
    ops: [Op; 2],
}

impl<'h, 'r> Trace<'h, 'r> {
    pub(crate) fn new(captures: &'h [Capture<'r>], times: &'h [Timeline], run: &Run<'_>) -> Self {
        let at_once = if run.events_at_once == 0 { AT_ONCE } else { run.events_at_once };
        Self { captures, times, at_once, triggers: run.triggers }
    }

    /// Writes the module and its thread ids, if anything was traced.
    pub(crate) fn write<C: TracedCell, S: Sink>(
        &self,
        module: &Module,
        ranks: &Ranks,
        writer: &mut LogWriter<S>,
        block: &mut Block,
    ) -> Result<(), Error<S::Error>> {
        let has = |kind| self.captures.iter().any(|capture| capture.of(kind).next().is_some());
        if !has(Kind::Trace) || !has(C::KIND) {
            return Ok(());
        }
        let mut out = TraceWriter {
            module: writer.module(module)?,
            threads: SectionWriter::new(threads_section(module)),
            bytes: Vec::new(),
        };
        for rank in &ranks.list {
            self.write_rank::<C, S>(rank, &mut out)?;
        }
        out.module.finish()?;
        out.threads.finish(block);
        Ok(())
    }

    fn write_rank<C: TracedCell, S: Sink>(
        &self,
        rank: &Rank,
        out: &mut TraceWriter<'_, S>,
    ) -> Result<(), Error<S::Error>> {
        let traced = RankTrace::new::<C>(self, rank)?;
        let host = rank.members.first().and_then(|member| self.captures.get(*member));
        let host = host.map(Capture::host).unwrap_or_default();
        let mut items = Vec::new();
        let mut from = 0;
        while from < traced.files.len() {
            let mut to = from;
            let mut events = 0_u64;
            while let Some(file) = traced.files.get(to) {
                events += file.events();
                if events > self.at_once as u64 && to > from {
                    break;
                }
                to += 1;
            }
            let Some(files) = traced.files.get(from..to) else { break };
            if let [file] = files
                && file.events() > self.at_once as u64
            {
                out.head(file, rank.number, host)?;
                for key in [2 * from as u32, 2 * from as u32 + 1] {
                    self.write_slices(&traced, file, key, &mut items, out)?;
                }
            } else {
                let keys = 2 * from..2 * to;
                traced.gather(&mut items, |_| true, |item| keys.contains(&(item.key as usize)))?;
                let mut rest = &items[..];
                for (file, key) in files.iter().zip((2 * from as u32..).step_by(2)) {
                    let count = rest.partition_point(|item| item.key <= key + 1);
                    let (own, others) = rest.split_at(count);
                    if file.events() > 0 {
                        out.head(file, rank.number, host)?;
                        out.segments(own)?;
                    }
                    rest = others;
                }
            }
            from = to;
        }
        Ok(())
    }

    /// Writes the reads or the writes of one large file, slice by slice.
    fn write_slices<S: Sink>(
        &self,
        traced: &RankTrace<'_, 'r>,
        file: &File,
        key: u32,
        items: &mut Vec<TraceItem>,
        out: &mut TraceWriter<'_, S>,
    ) -> Result<(), Error<S::Error>> {
        let bin = |second: f64| {
            let share = (second - file.first) / (file.last - file.first);
            ((share * BINS as f64) as usize).min(BINS - 1)
        };
        let mut counts = Vec::new();
        counts.try_reserve(BINS).map_err(|_| NoMemory)?;
        counts.resize(BINS, 0_usize);
        traced.each(
            |_| true,
            |item| {
                if item.key == key
                    && let Some(count) = counts.get_mut(bin(item.segment.start))
                {
                    *count += 1;
                }
                Ok(())
            },
        )?;
        let mut from = 0;
        while from < BINS {
            let mut events = 0;
            let within = counts[from..].iter().take_while(|count| {
                events += **count;
                events <= self.at_once
            });
            let to = from + within.count().max(1);
            let overlaps = |chunk: &Chunk<'_>| bin(chunk.first) < to && bin(chunk.last) >= from;
            traced.gather(items, overlaps, |item| {
                item.key == key && (from..to).contains(&bin(item.segment.start))
            })?;
            out.segments(items)?;
            from = to;
        }
        Ok(())
    }
}

impl File {
    fn events(&self) -> u64 {
        self.writes + self.reads
    }
}

impl<'h, 'r> RankTrace<'h, 'r> {
    /// Finds the chunks of a rank, and counts what they hold.
    fn new<C: TracedCell>(trace: &Trace<'h, 'r>, rank: &Rank) -> Result<Self, NoMemory> {
        let Trace { captures, times, triggers, .. } = trace;
        let (mut ids, mut records, mut chunks) = (Vec::new(), Vec::new(), Vec::new());
        // The conditions are about accesses of the file system; what they drop is dropped in all traces.
        let mut dropped = Vec::new();
        for member in &rank.members {
            let Some(capture) = captures.get(*member) else { continue };
            for entry in capture.of(Kind::Trace) {
                let (member, bytes, events) = (*member, entry.bytes, usize::MAX);
                let (first, last) = (f64::INFINITY, 0.0);
                push(&mut chunks, Chunk { member, bytes, events, first, last })?;
            }
            let cells = capture.of(Kind::Posix);
            for cell in cells.filter_map(|entry| Glance::at::<PosixCell>(entry.bytes)) {
                if !triggers.keep(&cell) {
                    push(&mut dropped, (*member, cell.id()))?;
                }
            }
            let cells = capture.of(C::KIND);
            for cell in cells.filter_map(|entry| Glance::at::<C>(entry.bytes)) {
                push(&mut records, (*member, cell.number() as u32, cell.id()))?;
            }
        }
        dropped.sort_unstable();
        records.retain(|(member, _, id)| dropped.binary_search(&(*member, *id)).is_err());
        for (_, _, id) in &records {
            push(&mut ids, *id)?;
        }
        ids.sort_unstable();
        ids.dedup();
        let mut files = Vec::new();
        for id in &ids {
            push(
                &mut files,
                File { id: *id, writes: 0, reads: 0, first: f64::INFINITY, last: 0.0 },
            )?;
        }
        let mut numbers = Vec::new();
        for (member, number, id) in records {
            if let Ok(index) = ids.binary_search(&id) {
                push(&mut numbers, (member, number, index as u32))?;
            }
        }
        numbers.sort_unstable();
        let ops = [C::WRITE, C::READ];
        let mut traced = Self { times, files, numbers, chunks, ops };
        traced.count()?;
        Ok(traced)
    }

    fn count(&mut self) -> Result<(), NoMemory> {
        let mut files = core::mem::take(&mut self.files);
        let mut chunks = core::mem::take(&mut self.chunks);
        for chunk in &mut chunks {
            let (mut first, mut last) = (chunk.first, chunk.last);
            let events = self.each_in(chunk, &mut |item: TraceItem| {
                first = first.min(item.segment.start);
                last = last.max(item.segment.start);
                if let Some(file) = files.get_mut(item.key as usize / 2) {
                    let count =
                        if item.key.is_multiple_of(2) { &mut file.writes } else { &mut file.reads };
                    *count += 1;
                    file.first = file.first.min(item.segment.start);
                    file.last = file.last.max(item.segment.start);
                }
                Ok(())
            })?;
            (chunk.events, chunk.first, chunk.last) = (events, first, last);
        }
        (self.files, self.chunks) = (files, chunks);
        Ok(())
    }

    /// Collects events in the order of the log.
    fn gather(
        &self,
        items: &mut Vec<TraceItem>,
        from: impl Fn(&Chunk<'_>) -> bool,
        keep: impl Fn(&TraceItem) -> bool,
    ) -> Result<(), NoMemory> {
        items.clear();
        self.each(from, |item| if keep(&item) { push(items, item) } else { Ok(()) })?;
        items.sort_unstable_by(|a, b| {
            let (s, t) = (&a.segment, &b.segment);
            let by_time = || s.start.total_cmp(&t.start).then(s.end.total_cmp(&t.end));
            // The rest only makes the order certain.
            a.key.cmp(&b.key).then_with(by_time).then(s.offset.cmp(&t.offset))
        });
        Ok(())
    }

    fn each(
        &self,
        from: impl Fn(&Chunk<'_>) -> bool,
        mut visit: impl FnMut(TraceItem) -> Result<(), NoMemory>,
    ) -> Result<(), NoMemory> {
        let mut chunks = self.chunks.iter().filter(|chunk| from(chunk));
        chunks.try_for_each(|chunk| self.each_in(chunk, &mut visit).map(drop))
    }

    /// Visits the events of a chunk and tells how many there are.
    fn each_in(
        &self,
        chunk: &Chunk<'_>,
        visit: &mut impl FnMut(TraceItem) -> Result<(), NoMemory>,
    ) -> Result<usize, NoMemory> {
        let Some(time) = self.times.get(chunk.member) else { return Ok(0) };
        let mut events = 0;
        // One record after the other in most traces.
        let mut known = None;
        for event in Events::of(chunk.bytes).into_iter().flatten().take(chunk.events) {
            events += 1;
            let Some(read) = self.ops.iter().position(|op| *op == event.op) else { continue };
            let index = match known {
                Some((record, index)) if record == event.record => Some(index),
                _ => self.index_of(chunk.member, event.record),
            };
            let Some(index) = index else { continue };
            known = Some((event.record, index));
            let start = time.second_of(event.begin);
            let end = time.second_of(event.end).max(start);
            let segment = Segment { offset: event.offset, length: event.length, start, end };
            visit(TraceItem { key: 2 * index + read as u32, thread: event.thread, segment })?;
        }
        Ok(events)
    }

    fn index_of(&self, member: usize, number: u32) -> Option<u32> {
        let key = |entry: &(usize, u32, u32)| (entry.0, entry.1);
        let place = self.numbers.binary_search_by_key(&(member, number), key).ok()?;
        self.numbers.get(place).map(|entry| entry.2)
    }
}

/// The destination of a trace.
struct TraceWriter<'w, S: Sink> {
    module: ModuleWriter<'w, S>,
    threads: SectionWriter,
    bytes: Vec<u8>,
}

impl<S: Sink> TraceWriter<'_, S> {
    fn head(&mut self, file: &File, rank: i64, host: &[u8]) -> Result<(), Error<S::Error>> {
        let base = Base { id: file.id, rank };
        let (writes, reads) = (file.writes, file.reads);
        Ok(self.module.record(&DxtHead {
            base,
            shared: 0,
            hostname: host.into(),
            writes,
            reads,
        })?)
    }

    fn segments(&mut self, items: &[TraceItem]) -> Result<(), Error<S::Error>> {
        for batch in items.chunks(BATCH) {
            self.bytes.clear();
            batch.iter().for_each(|item| item.segment.encode(&mut self.bytes));
            self.module.bytes(&self.bytes)?;
            self.bytes.clear();
            let threads = batch.iter().flat_map(|item| u64::from(item.thread).to_le_bytes());
            self.bytes.extend(threads);
            self.threads.push(&self.bytes);
        }
        Ok(())
    }
}
