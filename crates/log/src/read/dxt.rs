//! Traces, segment by segment, in memory that does not grow with them.

use ioglass_schema::{Module, dxt};

use super::Log;
use crate::block;
use crate::bytes::Order;
use crate::decode::Cursor;
use crate::error::{Damage, Error};
use crate::log_region::LogRegionReader;
use crate::record::{DxtHead, Segment};

/// Segments decoded at a time.
const CHUNK: usize = 512;

/// Reads a trace: a head, its segments in chunks, the next head.
///
/// ```no_run
/// # let log = ioglass_log::Log::open("app.darshan")?;
/// let mut trace = log.dxt(&ioglass_log::dxt::POSIX)?;
/// while let Some(head) = trace.next_record()? {
///     while let Some(chunk) = trace.next_chunk()? {
///         for segment in chunk.segments {
///             println!("rank {} {:?} {}", head.base.rank, chunk.operation, segment.offset);
///         }
///     }
/// }
/// # Ok::<(), ioglass_log::Error>(())
/// ```
#[derive(Debug)]
pub struct DxtReader<'a> {
    log_region: LogRegionReader<'a>,
    order: Order,
    segment_size: usize,
    has_offsets: bool,
    threads: Threads<'a>,
    /// Segments of the current record not yet read.
    writes: u64,
    reads: u64,
    /// Position of the next segment among its kind.
    index: u64,
    segments: Vec<Segment>,
    thread_ids: Vec<u64>,
}

/// The place of a trace's thread ids.
#[derive(Debug)]
enum Threads<'a> {
    Unknown,
    InSegments,
    InBlock(LogRegionReader<'a>),
}

/// The kind of a traced call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// It wrote.
    Write,
    /// It read.
    Read,
}

/// Some consecutive segments of one kind.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct DxtChunk<'c> {
    /// The kind of all of them.
    pub operation: Operation,
    /// Position of the first among its kind in the record.
    pub first: u64,
    /// The segments.
    pub segments: &'c [Segment],
    /// Their threads, if the log knows them.
    pub threads: Option<&'c [u64]>,
}

impl<'a> DxtReader<'a> {
    pub(super) fn new(log: &'a Log, module: &'static Module) -> Result<Self, Error> {
        let version = log.header.versions[module.id.index()];
        let inline = dxt::has_threads(module, version);
        let section = log.section_reader(block::threads_section(module));
        let threads = match section {
            _ if inline => Threads::InSegments,
            Some((reader, _)) => Threads::InBlock(reader),
            None => Threads::Unknown,
        };
        Ok(Self {
            log_region: log.module_log_region(module),
            order: log.header.order,
            segment_size: if inline { dxt::THREADED_SEGMENT_SIZE } else { dxt::SEGMENT_SIZE },
            has_offsets: dxt::has_offsets(module, version),
            threads,
            writes: 0,
            reads: 0,
            index: 0,
            segments: Vec::new(),
            thread_ids: Vec::new(),
        })
    }

    /// Returns true if the log names the thread of each operation.
    pub fn has_threads(&self) -> bool {
        !matches!(self.threads, Threads::Unknown)
    }

    /// True if the current record has segments that were not read.
    pub(super) fn has_more(&self) -> bool {
        self.writes > 0 || self.reads > 0
    }

    /// The next record's head, after passing over what is left of the current record.
    pub fn next_record(&mut self) -> Result<Option<DxtHead>, Error> {
        self.skip_segments()?;
        let Some(bytes) = self.log_region.record(dxt::HEAD_SIZE)? else {
            return Ok(None);
        };
        let head = DxtHead::decode(bytes, self.order);
        (self.writes, self.reads, self.index) = (head.writes, head.reads, 0);
        Ok(Some(head))
    }

    /// The next segments of the current record; `None` after its last.
    pub fn next_chunk(&mut self) -> Result<Option<DxtChunk<'_>>, Error> {
        let (operation, left) = match (self.writes, self.reads) {
            (0, 0) => return Ok(None),
            (0, reads) => (Operation::Read, reads),
            (writes, _) => (Operation::Write, writes),
        };
        let count = self.decode(left)?;
        let first = self.index;
        self.index += count as u64;
        match operation {
            Operation::Write => {
                self.writes -= count as u64;
                if self.writes == 0 {
                    self.index = 0;
                }
            }
            Operation::Read => self.reads -= count as u64,
        }
        let threads = self.has_threads().then_some(&self.thread_ids[..]);
        Ok(Some(DxtChunk { operation, first, segments: &self.segments, threads }))
    }

    /// Different threads in the current record; reads the rest of it. `None` if unknown.
    pub(crate) fn count_threads(&mut self) -> Result<Option<usize>, Error> {
        if !self.has_threads() {
            return Ok(None);
        }
        let mut seen = std::collections::HashSet::new();
        while let Some(chunk) = self.next_chunk()? {
            let mut last = None;
            for thread in chunk.threads.unwrap_or_default() {
                if last != Some(thread) && seen.len() < MOST_THREADS {
                    seen.insert(*thread);
                }
                last = Some(thread);
            }
        }
        Ok(Some(seen.len()))
    }

    /// Decodes up to `left` segments into the buffers; at least one.
    fn decode(&mut self, left: u64) -> Result<usize, Error> {
        let size = self.segment_size;
        if self.log_region.peek(size)?.len() < size {
            return Err(self.log_region.corrupt(Damage::MissingSegments(left)));
        }
        let inline = matches!(self.threads, Threads::InSegments);
        let window = self.log_region.window()?;
        let count = (window.len() / size).min(CHUNK).min(usize::try_from(left).unwrap_or(CHUNK));
        let bytes = &window[..count * size];
        self.segments.clear();
        self.thread_ids.clear();
        if inline {
            for bytes in bytes.chunks_exact(size) {
                self.segments.push(Segment::decode(bytes, self.order));
                self.thread_ids.push(Cursor::new(&bytes[dxt::SEGMENT_SIZE..], self.order).u64());
            }
        } else {
            Segment::decode_all(bytes, self.order, &mut self.segments);
        }
        if !self.has_offsets {
            self.segments.iter_mut().for_each(|segment| segment.offset = -1);
        }
        self.log_region.take(count * size);
        if let Threads::InBlock(section) = &mut self.threads {
            let bytes = section.rest_of_record(8 * count as u64, "thread ids")?;
            let ids = bytes.chunks_exact(8).map(|bytes| Cursor::new(bytes, Order::Little).u64());
            self.thread_ids.extend(ids);
        }
        Ok(count)
    }

    fn skip_segments(&mut self) -> Result<(), Error> {
        while self.next_chunk()?.is_some() {}
        Ok(())
    }
}

/// More threads than this in one record are not counted one by one.
const MOST_THREADS: usize = 1 << 18;
