//! Tests with captures that are built by hand.

extern crate std;

mod contexts;
mod counters;
mod heat;
mod log;
mod metadata;
mod mpi;
mod objects;
mod ranks;
mod team;
mod trace;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ioglass_log::{Log, Operation};
use ioglass_schema::posix::Posix;
use ioglass_schema::stdio::Stdio;
use ioglass_schema::{dxt, heatmap, posix, record_id, stdio};
use ioglass_shm::trace::{ChunkHead, Context, Event, MAX_EVENT, Op};
use ioglass_shm::{
    Api, Clock, Ending, EntryHead, HeatCell, Kind, Loss, MAGIC, MetadataCell, Moment, MoreValues,
    OpsCell, Pod, PosixCell, StdioCell, ThreadCell, VERSION, Values,
};

use crate::{Fate, Run, Source, Triggers, process, write};

pub(crate) const SECOND: u64 = 1_000_000_000;
const ORIGIN: u64 = 1_700_000_000 * SECOND;

/// Builds a capture as a recorder would.
pub(crate) struct Builder {
    pub(crate) header: ioglass_shm::Header,
    entries: Vec<u8>,
}

impl Builder {
    /// A process that begins so many seconds after the job. Its ticks are nanoseconds since then.
    pub(crate) fn new(pid: u32, second: u64) -> Self {
        let zero = vec![0; size_of::<ioglass_shm::Header>()];
        let mut header = ioglass_shm::Header::read(&zero).unwrap();
        header.magic = MAGIC;
        header.version = VERSION;
        header.clock = Clock::Nanoseconds as u32;
        header.pid = pid;
        header.ppid = 1;
        header.rank = -1;
        header.ranks = -1;
        header.origin_real_ns = ORIGIN;
        header.start = moment(second * SECOND + 1);
        header.last = moment((second + 1) * SECOND);
        header.host[..5].copy_from_slice(b"node1");
        Self { header, entries: Vec::new() }
    }

    pub(crate) fn entry(&mut self, kind: Kind, parts: &[&[u8]]) -> usize {
        let offset = size_of::<ioglass_shm::Header>() + self.entries.len();
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let size = (size_of::<EntryHead>() + len).next_multiple_of(8);
        let head = EntryHead { size: size as u32, kind: kind as u32 };
        self.entries.extend_from_slice(head.bytes());
        parts.iter().for_each(|part| self.entries.extend_from_slice(part));
        self.entries.resize(offset + size - size_of::<ioglass_shm::Header>(), 0);
        offset
    }

    fn name(&mut self, name: &str) {
        self.entry(Kind::Name, &[&record_id(name.as_bytes()).to_le_bytes(), name.as_bytes()]);
    }

    pub(crate) fn posix(&mut self, name: &str, number: u64, fill: impl FnOnce(&mut PosixCell)) {
        self.name(name);
        let mut cell = PosixCell::read(&vec![0; size_of::<PosixCell>()]).unwrap();
        cell.id = record_id(name.as_bytes());
        cell.number = number;
        cell.int[posix::OPENS] = 1;
        cell.int[posix::MEM_ALIGNMENT] = 8;
        fill(&mut cell);
        self.entry(Kind::Posix, &[cell.bytes()]);
    }

    fn stdio(&mut self, name: &str, fill: impl FnOnce(&mut StdioCell)) {
        self.name(name);
        let mut cell = StdioCell::read(&vec![0; size_of::<StdioCell>()]).unwrap();
        cell.id = record_id(name.as_bytes());
        cell.int[stdio::OPENS] = 1;
        fill(&mut cell);
        self.entry(Kind::Stdio, &[cell.bytes()]);
    }

    /// Metadata calls in a directory; without a name, in all others.
    fn metadata(&mut self, directory: &str, fill: impl FnOnce(&mut MetadataCell)) {
        let id = if directory.is_empty() { 0 } else { record_id(directory.as_bytes()) };
        let mut cell = MetadataCell { id, ..MetadataCell::default() };
        fill(&mut cell);
        self.entry(Kind::Metadata, &[cell.bytes(), directory.as_bytes()]);
    }

    fn trace(&mut self, thread: u32, events: &[Event]) {
        let mut context = Context::new(7);
        let mut bytes = Vec::new();
        for event in events {
            let mut room = [0; MAX_EVENT];
            let size = context.encode(event, &mut room);
            bytes.extend_from_slice(&room[..size]);
        }
        let (used, count) = (bytes.len() as u64, events.len() as u64);
        let head = ChunkHead { thread: thread.into(), base: 7, used, count };
        self.entry(Kind::Trace, &[head.bytes(), &bytes, &[0; 64]]);
    }

    pub(crate) fn build(&self) -> Vec<u8> {
        let mut bytes = self.header.bytes().to_vec();
        bytes.extend_from_slice(&self.entries);
        bytes.resize(bytes.len() + 4096, 0);
        bytes
    }
}

fn moment(ns: u64) -> Moment {
    Moment { tick: ns, mono_ns: ns, real_ns: ORIGIN + ns }
}

pub(crate) fn run() -> Run<'static> {
    Run {
        command: b"./app --fast",
        start_ns: Some(ORIGIN),
        end_ns: Some(ORIGIN + 10 * SECOND),
        jobid: 42,
        uid: 1001,
        ..Run::default()
    }
}

fn harvest(captures: &[(Vec<u8>, Fate)], run: &Run<'_>) -> Log {
    let sources: Vec<Source<'_>> =
        captures.iter().map(|(bytes, fate)| Source { bytes, fate: *fate }).collect();
    let (bytes, _) = write(&sources, run, Vec::new()).unwrap();
    Log::from_bytes(bytes).unwrap()
}

fn gone(builders: &[&Builder]) -> Vec<(Vec<u8>, Fate)> {
    builders.iter().map(|builder| (builder.build(), Fate::Gone)).collect()
}

fn processes(log: &Log) -> Vec<process::Process> {
    let section = log.block_section(process::SECTION, 1 << 20).unwrap().unwrap();
    process::parse(core::str::from_utf8(&section).unwrap())
}

fn records(log: &Log) -> Vec<Posix> {
    log.records_of::<Posix>().unwrap().map(Result::unwrap).collect()
}

fn values(counted: &[(i64, i64)]) -> Values {
    let mut values = Values::default();
    for (i, (value, count)) in counted.iter().enumerate() {
        (values.value[i], values.count[i]) = (*value, *count);
    }
    values
}

fn event(op: Op, record: u32, offset: i64, begin: u64) -> Event {
    let end = begin + 100;
    Event { thread: 0, region: 0, op, record, offset, length: 10, begin, end }
}
