//! Captures built by hand, and what becomes of them.

extern crate std;

mod mpi;
mod objects;
mod team;

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
    Api, Clock, Ending, EntryHead, HeatCell, Kind, Loss, MAGIC, Moment, MoreValues, OpsCell, Pod,
    PosixCell, StdioCell, ThreadCell, VERSION, Values,
};

use crate::{Fate, Run, Source, Triggers, process, write};

const SECOND: u64 = 1_000_000_000;
const ORIGIN: u64 = 1_700_000_000 * SECOND;

/// Builds a capture as a recorder would.
struct Builder {
    header: ioglass_shm::Header,
    entries: Vec<u8>,
}

impl Builder {
    /// A process that begins so many seconds after the job. Its ticks are nanoseconds since then.
    fn new(pid: u32, second: u64) -> Self {
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

    fn entry(&mut self, kind: Kind, parts: &[&[u8]]) -> usize {
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

    fn posix(&mut self, name: &str, number: u64, fill: impl FnOnce(&mut PosixCell)) {
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

    fn build(&self) -> Vec<u8> {
        let mut bytes = self.header.bytes().to_vec();
        bytes.extend_from_slice(&self.entries);
        bytes.resize(bytes.len() + 4096, 0);
        bytes
    }
}

fn moment(ns: u64) -> Moment {
    Moment { tick: ns, mono_ns: ns, real_ns: ORIGIN + ns }
}

fn run() -> Run<'static> {
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

#[test]
fn processes_with_io_are_ranks_by_start() {
    let mut late = Builder::new(10, 5);
    late.posix("/data/b", 0, |cell| cell.int[posix::READS] = 7);
    let idle = Builder::new(11, 1);
    let mut early = Builder::new(12, 2);
    early.posix("/data/a", 0, |cell| {
        cell.int[posix::BYTES_WRITTEN] = 4096;
        cell.tick[posix::f::OPEN_START_TIMESTAMP] = 3 * SECOND;
        cell.tick[posix::f::WRITE_TIME] = SECOND / 2;
    });
    let log = harvest(&gone(&[&late, &idle, &early]), &run());
    assert_eq!(log.job().nprocs, 2);
    assert_eq!((log.job().uid, log.job().jobid), (1001, 42));
    assert_eq!(log.job().exe(), "./app --fast");
    assert_eq!(log.job().metadata_value("ranks").unwrap(), "process");
    assert_eq!(log.run_time(), 10.0);

    let records = records(&log);
    let ranks: Vec<i64> = records.iter().map(|record| record.base.rank).collect();
    assert_eq!(ranks, [0, 1]);
    assert_eq!(log.names().lookup(records[0].base.id), "/data/a");
    assert_eq!(records[0].int[posix::BYTES_WRITTEN], 4096);
    assert_eq!(records[0].float[posix::f::OPEN_START_TIMESTAMP], 3.0);
    assert_eq!(records[0].float[posix::f::WRITE_TIME], 0.5);
    assert_eq!(records[0].float[posix::f::READ_START_TIMESTAMP], 0.0, "0 stays never");
    assert_eq!(records[1].int[posix::READS], 7);

    let table = processes(&log);
    let rows: Vec<_> = table.iter().map(|process| (process.pid, process.rank)).collect();
    assert_eq!(rows, [(11, None), (12, Some(0)), (10, Some(1))]);
    assert!(table.iter().all(|process| process.ending == "killed" && process.host == "node1"));
}

#[test]
fn a_launchers_ranks_count() {
    let mut captures = Vec::new();
    for (pid, rank) in [(10, 3), (11, 1), (12, 1)] {
        let mut builder = Builder::new(pid, 1);
        (builder.header.rank, builder.header.ranks) = (rank, 4);
        builder.posix("/data/shared", 0, |cell| cell.int[posix::WRITES] = 5);
        captures.push((builder.build(), Fate::Gone));
    }
    let log = harvest(&captures, &run());
    assert_eq!(log.job().nprocs, 4);
    assert_eq!(log.job().metadata_value("ranks").unwrap(), "launcher");
    let records = records(&log);
    let writes: Vec<_> =
        records.iter().map(|record| (record.base.rank, record.int[posix::WRITES])).collect();
    assert_eq!(writes, [(1, 10), (3, 5)], "a child's calls are its rank's");
}

#[test]
fn what_a_launcher_did_not_number_comes_behind_its_ranks() {
    let mut launcher = Builder::new(5, 0);
    launcher.posix("/data/hosts", 0, |cell| cell.int[posix::WRITES] = 7);
    let mut ranks = [Builder::new(10, 1), Builder::new(11, 1)];
    for (rank, builder) in ranks.iter_mut().enumerate() {
        (builder.header.rank, builder.header.ranks) = (rank as i32, 3);
        builder.posix("/data/shared", 0, |cell| cell.int[posix::WRITES] = 5);
    }
    // A child of a rank that has thrown its environment away.
    let mut child = Builder::new(20, 2);
    child.header.ppid = 11;
    child.posix("/data/shared", 0, |cell| cell.int[posix::WRITES] = 1);
    let [first, second] = &ranks;
    let log = harvest(&gone(&[&launcher, first, second, &child]), &run());
    assert_eq!(log.job().nprocs, 3);
    assert_eq!(log.job().metadata_value("ranks").unwrap(), "launcher");
    let mut writes: Vec<_> =
        records(&log).iter().map(|record| (record.base.rank, record.int[posix::WRITES])).collect();
    writes.sort_unstable();
    assert_eq!(writes, [(0, 5), (1, 6), (3, 7)]);
}

#[test]
fn a_process_that_becomes_another_program_stays_one_rank() {
    let mut before = Builder::new(10, 1);
    before.header.ending = Ending::Exec as u32;
    before.posix("/data/out", 0, |cell| {
        cell.int[posix::MODE] = 420;
        cell.sizes = values(&[(100, 2), (5, 2)]);
    });
    let mut after = Builder::new(10, 3);
    after.header.ending = Ending::QuickExit as u32;
    after.header.status = 3;
    after.posix("/data/out", 0, |cell| {
        cell.int[posix::OPENS] = 0;
        cell.int[posix::WRITES] = 3;
        cell.sizes = values(&[(5, 1)]);
    });
    let other = Builder::new(10, 5);
    let log = harvest(&gone(&[&after, &other, &before]), &run());
    assert_eq!(log.job().nprocs, 1);
    let records = records(&log);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].int[posix::OPENS], 1);
    assert_eq!(records[0].int[posix::WRITES], 3);
    assert_eq!(records[0].int[posix::MODE], 420, "0 is no mode");
    assert_eq!(records[0].int[posix::ACCESS1_ACCESS..][..2], [5, 100]);
    assert_eq!(records[0].int[posix::ACCESS1_COUNT..][..2], [3, 2]);
    let table = processes(&log);
    let endings: Vec<&str> = table.iter().map(|process| process.ending.as_str()).collect();
    assert_eq!(endings, ["exec", "_exit 3", "killed"]);
    assert_eq!(table[1].rank, Some(0));
    assert_eq!(table[2].rank, None, "the number was used again");
}

#[test]
fn an_exec_that_failed_is_no_end() {
    let mut builder = Builder::new(10, 1);
    builder.header.ending = Ending::Exec as u32;
    builder.posix("/data/out", 0, |cell| cell.tick[posix::f::CLOSE_END_TIMESTAMP] = 3 * SECOND);
    let log = harvest(&[(builder.build(), Fate::Signal(9))], &run());
    let table = processes(&log);
    assert_eq!(table[0].ending, "signal 9");
    assert_eq!(table[0].end, Some(3.0), "what was recorded last");
}

fn values(counted: &[(i64, i64)]) -> Values {
    let mut values = Values::default();
    for (i, (value, count)) in counted.iter().enumerate() {
        (values.value[i], values.count[i]) = (*value, *count);
    }
    values
}

#[test]
fn the_four_most_common_values_come_from_all() {
    let mut builder = Builder::new(10, 1);
    let mut more = MoreValues::read(&vec![0; size_of::<MoreValues>()]).unwrap();
    (more.value[40], more.count[40]) = (4096, 9);
    (more.value[7], more.count[7]) = (77, 3);
    let offset = builder.entry(Kind::MoreValues, &[more.bytes()]);
    builder.posix("/data/a", 0, |cell| {
        cell.sizes = values(&[(1, 1), (0, 50), (512, 3), (64, 3), (-5, 2)]);
        cell.sizes.more = offset as u64;
        cell.strides.more = 12;
    });
    let log = harvest(&gone(&[&builder]), &run());
    let record = records(&log)[0];
    assert_eq!(record.int[posix::ACCESS1_ACCESS..][..4], [4096, 512, 77, 64]);
    assert_eq!(record.int[posix::ACCESS1_COUNT..][..4], [9, 3, 3, 3]);
    assert_eq!(record.int[posix::STRIDE1_STRIDE..][..8], [0; 8]);
}

#[test]
fn standard_streams_without_data_are_left_out() {
    let mut builder = Builder::new(10, 1);
    builder.stdio("<STDIN>", |_| {});
    builder.stdio("<STDOUT>", |cell| cell.int[stdio::WRITES] = 2);
    builder.stdio("/data/opened", |_| {});
    let log = harvest(&gone(&[&builder]), &run());
    let mut names: Vec<_> = log
        .records_of::<Stdio>()
        .unwrap()
        .map(|record| log.names().lookup(record.unwrap().base.id).into_owned())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["/data/opened", "<STDOUT>"]);
    assert_eq!(log.names().len(), 2);
}

#[test]
fn time_stamps_become_seconds() {
    // 2.5 GHz, first measured by the process itself, then too short a life to measure.
    for (life, measured) in [(SECOND, None), (1000, Some(2.5e9)), (1000, None)] {
        let mut builder = Builder::new(10, 2);
        builder.header.clock = Clock::Tsc as u32;
        builder.header.start = Moment { tick: 1 << 40, ..moment(2 * SECOND) };
        builder.header.last =
            Moment { tick: (1 << 40) + life * 5 / 2, ..moment(2 * SECOND + life) };
        builder.posix("/data/a", 0, |cell| {
            cell.tick[posix::f::OPEN_START_TIMESTAMP] = (1 << 40) + 2_500_000_000;
            cell.tick[posix::f::OPEN_END_TIMESTAMP] = 1;
            cell.tick[posix::f::META_TIME] = 5_000_000_000;
        });
        let run = Run { ticks_per_second: measured, ..run() };
        let record = records(&harvest(&gone(&[&builder]), &run))[0];
        assert!((record.float[posix::f::OPEN_START_TIMESTAMP] - 3.0).abs() < 1e-6);
        assert!((record.float[posix::f::META_TIME] - 2.0).abs() < 1e-6);
        let early = record.float[posix::f::OPEN_END_TIMESTAMP];
        assert!(early > 0.0 && early < 1e-6, "not before the job, and not never: {early}");
    }
}

#[test]
fn heat_maps_share_a_scale() {
    let mut fine = Builder::new(10, 0);
    fine.posix("/data/a", 0, |_| {});
    let mut heat = HeatCell::read(&vec![0; size_of::<HeatCell>()]).unwrap();
    heat.bins[0][3] = 100;
    heat.bins[1][4] = 7;
    fine.entry(Kind::Heat, &[heat.bytes()]);
    let mut thread = ThreadCell::read(&vec![0; size_of::<ThreadCell>()]).unwrap();
    thread.bin_begin_ns = SECOND / 2;
    thread.pending[Api::Posix as usize] = [11, 0];
    thread.pending[Api::Stdio as usize] = [0, 13];
    fine.entry(Kind::Thread, &[thread.bytes()]);
    let mut coarse = Builder::new(11, 0);
    coarse.posix("/data/b", 0, |_| {});
    heat.doublings = 1;
    coarse.entry(Kind::Heat, &[heat.bytes()]);

    let log = harvest(&gone(&[&fine, &coarse]), &run());
    let maps: Vec<ioglass_log::Heatmap> = log.special().unwrap().map(Result::unwrap).collect();
    let named: Vec<_> =
        maps.iter().map(|map| (map.base.rank, log.names().lookup(map.base.id))).collect();
    let expected = [(0, "heatmap:POSIX"), (0, "heatmap:STDIO"), (1, "heatmap:POSIX")];
    assert_eq!(named, expected.map(|(rank, name)| (rank, name.into())));
    for map in &maps {
        assert_eq!((map.bin_width, map.writes.len(), map.reads.len()), (0.2, 50, 50));
    }
    assert_eq!((maps[0].writes[1], maps[0].writes[2], maps[0].reads[2]), (100, 11, 7));
    assert_eq!(maps[1].reads[2], 13);
    assert_eq!((maps[2].writes[3], maps[2].reads[4]), (100, 7));

    // In a job inside another the process counts from later.
    fine.header.origin_real_ns = ORIGIN + SECOND;
    let log = harvest(&gone(&[&fine]), &run());
    let map: ioglass_log::Heatmap = log.special().unwrap().next().unwrap().unwrap();
    assert_eq!((map.bin_width, map.writes[13], map.reads[14]), (0.1, 100, 7));
    fine.header.origin_real_ns = ORIGIN;

    // A long job doubles the width until 200 bins are enough.
    let long = Run { end_ns: Some(ORIGIN + 100 * SECOND), ..run() };
    let log = harvest(&gone(&[&fine]), &long);
    let map: ioglass_log::Heatmap = log.special().unwrap().next().unwrap().unwrap();
    assert_eq!((map.bin_width, map.writes.len()), (0.8, 125));
    assert_eq!(log.module_info(heatmap::MODULE.id).version, 1);
}

fn event(op: Op, record: u32, offset: i64, begin: u64) -> Event {
    let end = begin + 100;
    Event { thread: 0, region: 0, op, record, offset, length: 10, begin, end }
}

/// Kind, thread and offset of a segment.
type Traced = (Operation, u64, i64);

/// The segments of every rank and file.
fn segments(log: &Log) -> Vec<(String, Vec<Traced>)> {
    let mut trace = log.dxt(&dxt::POSIX).unwrap();
    let mut found = Vec::new();
    while let Some(head) = trace.next_record().unwrap() {
        assert_eq!(head.hostname, b"node1");
        let mut own = Vec::new();
        while let Some(chunk) = trace.next_chunk().unwrap() {
            let threads = chunk.threads.unwrap();
            own.extend(chunk.segments.iter().zip(threads).map(|(segment, thread)| {
                assert!(segment.end > segment.start && segment.start > 0.0);
                (chunk.operation, *thread, segment.offset)
            }));
        }
        assert_eq!(own.len() as u64, head.segments());
        let name = log.names().lookup(head.base.id).into_owned();
        found.push((alloc::format!("{} {name}", head.base.rank), own));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn traces_are_merged_by_time_whatever_fits_in_memory() {
    let mut builder = Builder::new(10, 0);
    builder.posix("/data/a", 4, |_| {});
    builder.posix("/data/b", 9, |_| {});
    let mut threads: [Vec<Event>; 2] = Default::default();
    for i in 0..300_u64 {
        let record = if i % 3 == 0 { 9 } else { 4 };
        let op = if i % 5 == 0 { Op::Read } else { Op::Write };
        let thread = usize::from(i % 7 < 3);
        threads[thread].push(event(op, record, i as i64, 1000 * i + 5));
    }
    // Collected late, begun early; and of a record nobody knows.
    threads[0].push(event(Op::Write, 9, 1000, 500));
    threads[0].push(event(Op::Write, 77, 0, 600));
    builder.trace(21, &threads[0][..50]);
    builder.trace(22, &threads[1]);
    builder.trace(21, &threads[0][50..]);
    let captures = gone(&[&builder]);

    let whole = segments(&harvest(&captures, &run()));
    assert_eq!(whole.len(), 2);
    let (name, b) = &whole[1];
    assert_eq!(name, "0 /data/b");
    let writes = b.iter().filter(|(operation, ..)| *operation == Operation::Write).count();
    let reads = &b[writes..];
    assert!(reads.iter().all(|(operation, ..)| *operation == Operation::Read), "writes first");
    assert_eq!((writes, reads.len()), (81, 20));
    assert_eq!(b[0], (Operation::Write, 21, 1000), "by begin");
    assert!(b[1..writes].windows(2).all(|pair| pair[0].2 < pair[1].2));
    for (_, thread, offset) in b.iter().filter(|(.., offset)| *offset < 1000) {
        assert_eq!(*thread, if offset % 7 < 3 { 22 } else { 21 });
    }
    for events_at_once in [1, 10, 64, 150, 250] {
        let sliced = harvest(&captures, &Run { events_at_once, ..run() });
        assert_eq!(segments(&sliced), whole, "{events_at_once}");
    }
}

#[test]
fn what_has_no_counter_and_what_was_lost_is_in_the_block() {
    let mut builder = Builder::new(10, 1);
    builder.header.lost[Loss::Trace as usize] = 5;
    builder.header.lost[Loss::Records as usize] = 2;
    builder.header.excluded = 33;
    builder.entry(Kind::Command, &[b"cp\0-r\0a\tb\0"]);
    builder.entry(Kind::Note, &[b"fallback=/tmp"]);
    builder.posix("/data/a", 0, |_| {});
    for unlinks in [1, 2] {
        let mut ops = OpsCell::read(&vec![0; size_of::<OpsCell>()]).unwrap();
        ops.id = record_id(b"/data/a");
        ops.count[0] = unlinks;
        ops.count[8] = 1;
        builder.entry(Kind::Ops, &[ops.bytes()]);
    }
    let child = ioglass_shm::Process { tick: 2 * SECOND, pid: 99 };
    builder.entry(Kind::Unseen, &[child.bytes(), b"static\0"]);
    let log = harvest(&[(builder.build(), Fate::Running)], &run());
    assert!(log.module_info(posix::MODULE.id).partial);
    assert!(log.module_info(dxt::POSIX.id).partial);
    assert!(!log.module_info(stdio::MODULE.id).partial);
    assert_eq!(log.job().metadata_value("fallback").unwrap(), "/tmp");

    let section = |name| String::from_utf8(log.block_section(name, 1 << 20).unwrap().unwrap());
    let id = record_id(b"/data/a");
    assert_eq!(
        section("operations").unwrap(),
        alloc::format!(
            "record\trank\tunlink\tmkdir\trmdir\ttruncate\tfallocate\tmunmap\tmsync\t\
             async-submitted\tasync-finished\n{id}\t0\t3\t0\t0\t0\t0\t0\t0\t0\t2\n"
        )
    );
    assert_eq!(section("lost").unwrap(), "kind\tcount\nrecords\t2\ntrace\t5\n");
    let table = processes(&log);
    assert_eq!(table.len(), 2);
    assert_eq!(table[0].ending, "running");
    assert_eq!(table[0].end, Some(10.0));
    assert_eq!(table[0].command, "cp -r a b");
    assert_eq!(table[0].excluded, 33);
    assert_eq!(table[0].lost, [("records".into(), 2), ("trace".into(), 5)]);
    assert_eq!((table[1].pid, table[1].ppid), (99, 10));
    assert_eq!((table[1].ending.as_str(), table[1].command.as_str()), ("unseen", "static"));
    assert_eq!((table[1].start, table[1].end), (2.0, None));
}

#[test]
fn without_captures_there_is_an_empty_log() {
    let log = harvest(&[], &run());
    assert_eq!(log.job().nprocs, 1);
    assert_eq!(log.modules().count(), 0);
    assert_eq!(log.names().len(), 0);
    assert_eq!(log.block_sections().count(), 0);
}

#[test]
fn the_end_is_what_was_recorded_last_if_nobody_knows_it() {
    let mut builder = Builder::new(10, 1);
    builder.posix("/data/a", 0, |cell| cell.tick[posix::f::WRITE_END_TIMESTAMP] = 4 * SECOND);
    let unknown = Run { start_ns: None, end_ns: None, ..run() };
    assert_eq!(harvest(&gone(&[&builder]), &unknown).run_time(), 4.0);
}

/// Captures are untrusted: whatever the bytes are, there is a log that can be read.
#[test]
fn no_bytes_are_too_bad() {
    let mut builder = Builder::new(10, 1);
    builder.posix("/data/a", 0, |cell| cell.sizes.more = 600);
    builder.stdio("<STDOUT>", |cell| cell.int[stdio::WRITES] = 2);
    builder.trace(21, &[event(Op::Write, 0, 5, 5), event(Op::Read, 0, 9, 50)]);
    let heat = HeatCell::read(&vec![0; size_of::<HeatCell>()]).unwrap();
    builder.entry(Kind::Heat, &[heat.bytes()]);
    let whole = builder.build();
    for cut in (0..whole.len()).step_by(41) {
        harvest(&[(whole[..cut].to_vec(), Fate::Gone)], &run());
    }
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..2000 {
        let mut bytes = whole.clone();
        for _ in 0..4 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let place = 16 + (random >> 16) as usize % (bytes.len() - 16);
            bytes[place] = random as u8;
        }
        let log = harvest(&[(bytes, Fate::Gone)], &run());
        for record in records(&log) {
            assert!(record.float.iter().all(|value| value.is_finite() && *value >= 0.0));
        }
    }
}

#[test]
fn traces_are_kept_of_files_that_meet_a_condition() {
    let mut process = Builder::new(1, 0);
    process.posix("/small", 0, |cell| {
        cell.int[posix::WRITES] = 4;
        cell.int[posix::SIZE_WRITE_0_100] = 3;
        cell.int[posix::SIZE_WRITE_1M_4M] = 1;
    });
    process.posix("/large", 1, |cell| {
        cell.int[posix::READS] = 4;
        cell.int[posix::SIZE_READ_1M_4M] = 4;
        cell.int[posix::FILE_NOT_ALIGNED] = 2;
    });
    process.trace(7, &[event(Op::Write, 0, 0, 10), event(Op::Read, 1, 0, 20)]);
    let kept = |small, unaligned| {
        let triggers = Triggers { small, unaligned };
        let log = harvest(&gone(&[&process]), &Run { triggers, ..run() });
        segments(&log).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(kept(None, None).len(), 2);
    assert_eq!(kept(Some(0.75), None), ["0 /small"]);
    assert_eq!(kept(Some(0.8), Some(0.5)), ["0 /large"]);
    assert!(kept(Some(0.8), None).is_empty());
}
