//! Profiles of captures that are built by hand.

extern crate std;

use alloc::vec;
use alloc::vec::Vec;

use ioglass_profile::{Ending, Io, Layer, Profile, Row};
use ioglass_schema::posix;
use ioglass_shm::{
    Ending as ShmEnding, IoCounts, IoLayer, Kind, NoticeCode, Pod, RegionCell, RegionIo,
    RegionKind, RegionNotice, RegionText, SeriesHead, SeriesItem,
};

use super::message::{pack, unpack};
use super::{ProfileOf, profile};
use crate::tests::{Builder, SECOND, run};
use crate::{Fate, Source};

fn text(builder: &mut Builder, text: &str) -> u64 {
    let head = RegionText { size: text.len() as u64 };
    builder.entry(Kind::RegionText, &[head.bytes(), text.as_bytes()]) as u64
}

fn region(builder: &mut Builder, number: u32, parent: u32, name: &str, cell: RegionCell) {
    let name = text(builder, name);
    let cell = RegionCell { number, parent, name, ..cell };
    builder.entry(Kind::Region, &[cell.bytes()]);
}

/// So many visits of one time each.
fn visits(calls: u64, each: u64) -> RegionCell {
    RegionCell { calls, time: calls * each, min: each, max: each, ..RegionCell::default() }
}

fn harvest(builders: &[&Builder], fate: Fate) -> Profile {
    let bytes: Vec<Vec<u8>> = builders.iter().map(|builder| builder.build()).collect();
    let sources: Vec<_> = bytes.iter().map(|bytes| Source { bytes, fate }).collect();
    profile(&sources, &run(), ProfileOf::default()).unwrap().expect("regions")
}

fn only_row<'p>(profile: &'p Profile, name: &str) -> &'p Row {
    let region = profile.regions.iter().find(|region| region.name == name.as_bytes()).unwrap();
    assert_eq!(region.rows.len(), 1, "{name}");
    &region.rows[0]
}

#[test]
fn open_regions_last_until_the_end() {
    let mut builder = Builder::new(7, 0);
    let start = builder.header.start.tick;
    let open = RegionCell { since: start, open: 1, ..visits(1, 0) };
    region(&mut builder, 1, 0, "main", RegionCell { min: u64::MAX, ..open });
    region(&mut builder, 2, 1, "solve", visits(3, 1000));
    let row = |fate| only_row(&harvest(&[&builder], fate), "main").clone();
    // The header has the last moment that the process knew.
    let gone = row(Fate::Gone);
    assert_eq!((gone.calls, gone.open, gone.time_ns), (1, 1, SECOND - 1));
    assert_eq!((gone.min_ns, gone.max_ns), (SECOND - 1, SECOND - 1));
    assert_eq!(gone.exclusive_ns, gone.time_ns - 3000);
    // The command knows when its program was killed.
    let killed = row(Fate::Signal(9));
    assert_eq!(killed.time_ns, run().end_ns.unwrap() - run().start_ns.unwrap() - 1);
}

/// What a killed process has told last is what it did in its regions.
#[test]
fn open_regions_last_as_long_as_those_inside() {
    let mut builder = Builder::new(7, 0);
    builder.header.ending = ShmEnding::None as u32;
    builder.header.last = builder.header.start;
    let start = builder.header.start.tick;
    let open = |since: u64| RegionCell { since, open: 1, min: u64::MAX, ..visits(1, 0) };
    region(&mut builder, 1, 0, "main", open(start + 5));
    region(&mut builder, 2, 1, "solve", visits(3, 1000));
    region(&mut builder, 3, 1, "dump", visits(1, 500));
    region(&mut builder, 4, 1, "thread", RegionCell { thread: 1, ..visits(1, 3000) });
    let profile = harvest(&[&builder], Fate::Gone);
    let main = only_row(&profile, "main");
    assert_eq!((main.time_ns, main.exclusive_ns, main.max_ns), (3500, 0, 3500));
    region(&mut builder, 5, 1, "last", open(start + 9000));
    let profile = harvest(&[&builder], Fate::Gone);
    let main = only_row(&profile, "main");
    assert_eq!((main.time_ns, main.exclusive_ns), (8995, 5495));
    assert_eq!(only_row(&profile, "last").time_ns, 0);
}

/// The run of a killed process lasts as long as anything that is known of it.
#[test]
fn a_run_without_an_end_lasts_as_long_as_its_regions() {
    let killed = || {
        let mut builder = Builder::new(7, 0);
        builder.header.ending = ShmEnding::None as u32;
        builder.header.last = builder.header.start;
        builder
    };
    let seconds = |builder: &Builder| {
        let bytes = builder.build();
        let run = crate::Run { start_ns: None, end_ns: None, ..run() };
        let sources = [Source { bytes: &bytes, fate: Fate::Gone }];
        let profile = profile(&sources, &run, ProfileOf::default()).unwrap().expect("regions");
        let outermost = profile.regions.iter().filter(|region| region.parent.is_none());
        let took = outermost.flat_map(|region| &region.rows).map(|row| row.time_ns).sum::<u64>();
        assert!(profile.head.duration_ns >= took, "{} < {took}", profile.head.duration_ns);
        profile.head.duration_ns / SECOND
    };
    // One that is open,
    let mut builder = killed();
    let since = builder.header.start.tick + 3 * SECOND;
    let open = RegionCell { since, open: 1, min: u64::MAX, ..visits(1, 0) };
    region(&mut builder, 1, 0, "main", open);
    assert_eq!(seconds(&builder), 3);
    // what was done in it,
    region(&mut builder, 2, 1, "solve", visits(4, SECOND));
    assert_eq!(seconds(&builder), 7);
    // and those that have ended.
    let mut builder = killed();
    region(&mut builder, 1, 0, "first", visits(2, SECOND));
    region(&mut builder, 2, 0, "second", visits(1, 3 * SECOND));
    assert_eq!(seconds(&builder), 5);
}

#[test]
fn another_program_ends_what_is_open() {
    let mut builder = Builder::new(7, 0);
    builder.header.ending = ShmEnding::Exec as u32;
    let since = builder.header.last.tick - 500;
    region(&mut builder, 1, 0, "main", RegionCell { since, open: 1, min: 9, ..visits(1, 0) });
    let profile = harvest(&[&builder], Fate::Gone);
    let row = only_row(&profile, "main");
    assert_eq!((row.calls, row.open, row.time_ns, row.max_ns), (1, 0, 500, 500));
    assert_eq!(profile.processes[0].ending, Ending::Exec);
}

#[test]
fn spans_are_open_one_by_one() {
    let mut builder = Builder::new(7, 0);
    let last = builder.header.last.tick;
    let kind = RegionKind::Span as u32;
    let open = RegionCell { kind, open: 2, since: 2 * last - 300, ..visits(3, 0) };
    region(&mut builder, 1, 0, "fetch", RegionCell { time: 50, min: 50, max: 50, ..open });
    let profile = harvest(&[&builder], Fate::Gone);
    let row = only_row(&profile, "fetch");
    assert_eq!((row.calls, row.open, row.time_ns, row.min_ns, row.max_ns), (3, 2, 350, 50, 150));
}

#[test]
fn processes_of_a_job_are_one_tree() {
    let mut first = Builder::new(7, 0);
    region(&mut first, 1, 0, "main", visits(1, 100));
    region(&mut first, 2, 1, "solve", visits(2, 10));
    let mut second = Builder::new(8, 1);
    region(&mut second, 1, 0, "other", visits(1, 5));
    region(&mut second, 2, 0, "main", visits(1, 50));
    let notice = RegionNotice {
        code: NoticeCode::StrayLeave as u32,
        region: 2,
        name: text(&mut second, "x"),
        count: 3,
    };
    second.entry(Kind::RegionNotice, &[notice.bytes()]);
    let profile = harvest(&[&first, &second], Fate::Gone);
    let names: Vec<_> = profile.regions.iter().map(|region| &region.name[..]).collect();
    assert_eq!(names, [&b"main"[..], b"solve", b"other"]);
    assert_eq!(profile.regions[0].rows.len(), 2);
    assert_eq!((profile.head.ranks, profile.processes.len()), (2, 2));
    let notice = &profile.notices[0];
    assert_eq!((notice.region, &notice.name[..], notice.count), (Some(0), &b"x"[..], 3));
    assert_eq!(profile.overhead.annotations, 10);
}

/// I/O of region 1 through descriptors.
fn region_io(builder: &mut Builder, record: u64, counts: IoCounts) {
    let layer = IoLayer::Posix as u64;
    let io = RegionIo { region: 1, execution: 0, layer, record, counts };
    builder.entry(Kind::RegionIo, &[io.bytes()]);
}

#[test]
fn io_that_is_in_no_region_is_outside() {
    let mut builder = Builder::new(7, 0);
    region(&mut builder, 1, 0, "main", visits(1, 100));
    builder.posix("/a", 0, |cell| {
        cell.int[posix::WRITES] = 5;
        cell.int[posix::BYTES_WRITTEN] = 500;
        cell.tick[posix::f::WRITE_TIME] = 50;
        cell.facts.others = 2;
    });
    // On two files.
    let counts = IoCounts { writes: 2, bytes_written: 300, write: 40, ..IoCounts::default() };
    region_io(&mut builder, 7, counts);
    let counts =
        IoCounts { writes: 2, bytes_written: 100, write: 5, other: 2, ..IoCounts::default() };
    region_io(&mut builder, 8, counts);
    let profile = harvest(&[&builder], Fate::Gone);
    let inside = Io { writes: 4, bytes_written: 400, write_ns: 45, other: 2, ..Io::default() };
    assert_eq!(only_row(&profile, "main").io, [(Layer::Posix, inside)]);
    let outside = Io { opens: 1, writes: 1, bytes_written: 100, write_ns: 5, ..Io::default() };
    assert_eq!(profile.outside, [(Layer::Posix, outside)]);
}

/// A piece of a series whose visits took 1, 2, 3 … ns each.
fn piece(builder: &mut Builder, first: u64, step: u64, count: u64) {
    let head = SeriesHead { region: 1, first, step, exact: 4, count, ..SeriesHead::default() };
    let mut items = Vec::new();
    for item in 0..count.div_ceil(step) {
        let visits = first + item * step..(first + item * step + step).min(first + count);
        let item = SeriesItem { time: visits.map(|visit| visit + 1).sum(), ..Default::default() };
        items.extend_from_slice(item.bytes());
    }
    builder.entry(Kind::RegionSeries, &[head.bytes(), &items, &[0; 64]]);
}

#[test]
fn pieces_become_one_scale() {
    let iteration = RegionCell { kind: RegionKind::Iteration as u32, ..visits(11, 6) };
    let series = |pieces: &[[u64; 3]]| {
        let mut builder = Builder::new(7, 0);
        region(&mut builder, 1, 0, "step", iteration);
        for [first, step, count] in pieces {
            piece(&mut builder, *first, *step, *count);
        }
        let profile = harvest(&[&builder], Fate::Gone);
        let series = only_row(&profile, "step").series.as_ref().unwrap().clone();
        (series.each, series.iterations, series.time_ns)
    };
    assert_eq!(series(&[[0, 1, 3]]), (1, 3, vec![1, 2, 3]));
    assert_eq!(series(&[[4, 2, 3], [0, 1, 4]]), (2, 7, vec![3, 7, 11, 7]));
    assert_eq!(series(&[[0, 1, 4], [4, 2, 4], [8, 4, 3]]), (4, 11, vec![10, 26, 30]));
    // A piece is missing: what follows cannot be told.
    assert_eq!(series(&[[0, 1, 2], [4, 2, 4]]), (1, 2, vec![1, 2]));
}

#[test]
fn no_capture_makes_it_panic() {
    let mut builder = Builder::new(7, 0);
    builder.header.region_executions = u64::MAX;
    builder.header.region_cost = u64::MAX;
    region(&mut builder, 1, 0, "main", visits(1, 100));
    let wild = RegionCell {
        thread: u32::MAX,
        kind: 77,
        line: u32::MAX,
        execution: u32::MAX,
        calls: u64::MAX,
        open: u64::MAX,
        time: u64::MAX,
        since: 1,
        begin: u64::MAX,
        min: 5,
        max: 1,
        ..RegionCell::default()
    };
    region(&mut builder, 2, 1, "wild", wild);
    region(&mut builder, 3, 9, "orphan", wild);
    region(&mut builder, 4, 4, "itself", wild);
    region(&mut builder, 5, 1, "loop", RegionCell { kind: 1, ..wild });
    let head = |first, step, count| SeriesHead {
        region: 5,
        execution: u32::MAX,
        first,
        step,
        count,
        exact: 0,
        metric: 0,
    };
    for head in [head(0, 0, u64::MAX), head(0, u64::MAX, u64::MAX), head(u64::MAX, 1, 7)] {
        builder.entry(Kind::RegionSeries, &[head.bytes(), &[0xFF; 64]]);
    }
    let bytes = builder.build();
    let mut state = 1_u64;
    for round in 0..2000 {
        let mut bytes = bytes.clone();
        // Not the header, whose magic and version have to stay.
        for _ in 0..round % 8 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = 512 + (state >> 33) as usize % (bytes.len() - 4096 - 512);
            bytes[at] = (state >> 24) as u8;
        }
        let source = [Source { bytes: &bytes, fate: Fate::Gone }];
        let made = profile(&source, &run(), ProfileOf::default()).unwrap();
        if let Some(made) = made {
            let _ = ioglass_profile::write(&made, ioglass_profile::Compression::None).unwrap();
        }
    }
}

#[test]
fn a_message_has_all_that_a_profile_needs() {
    let mut builder = Builder::new(7, 0);
    builder.entry(Kind::Trace, &[&[1; 4096]]);
    region(&mut builder, 1, 0, "main", visits(1, 5000));
    builder.entry(Kind::Heat, &[&[2; 8192]]);
    region(&mut builder, 2, 1, "solve", visits(3, 1000));
    let capture = builder.build();
    let message = pack(&capture).unwrap();
    assert!(message.len() + 12_000 < capture.len(), "{} {}", message.len(), capture.len());
    let of = |bytes: &[u8]| {
        let sources = [Source { bytes, fate: Fate::Gone }];
        profile(&sources, &run(), ProfileOf::default()).unwrap()
    };
    assert_eq!(of(&unpack(&message).unwrap()), of(&capture));
    // Any other bytes are a message or none.
    for end in 0..message.len().min(512) {
        let _ = unpack(&message[..end]);
    }
    assert_eq!(unpack(&[255; 64]), None);
}
