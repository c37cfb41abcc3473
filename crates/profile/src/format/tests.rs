use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::model::*;
use crate::{Builder, Error, Node, Reader, summarize};

/// Random numbers that are the same every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }

    fn wide(&mut self) -> u64 {
        let bits = self.below(64);
        (self.below(1 << 31) << 33 | self.below(1 << 31)) >> bits
    }

    fn io(&mut self) -> Vec<(Layer, Io)> {
        let some: Vec<Layer> = Layer::ALL.iter().copied().filter(|_| self.below(4) == 0).collect();
        some.into_iter()
            .map(|layer| (layer, Io::of_numbers(core::array::from_fn(|_| self.wide() >> 8))))
            .collect()
    }

    fn series(&mut self, metric: u32) -> Series {
        let len = self.below(200) as usize;
        let each = 1 << self.below(3);
        let mut column = || (0..len).map(|_| self.wide() >> 10).collect::<Vec<_>>();
        let (time_ns, bytes_read) = (column(), column());
        let (bytes_written, io_ns) =
            (column(), if len.is_multiple_of(2) { column() } else { Vec::new() });
        let visits = if len.is_multiple_of(3) { column() } else { Vec::new() };
        let value = |i: usize| (!i.is_multiple_of(3)).then_some(i as f64 / 7.0);
        let metrics = vec![(metric, MetricSeries::Value((0..len).map(value).collect()))];
        Series {
            each,
            iterations: each * len as u64,
            time_ns,
            visits,
            bytes_read,
            bytes_written,
            io_ns,
            metrics,
        }
    }

    /// A process with a random tree.
    fn process(&mut self, builder: &mut Builder, rank: u32) {
        let names = ["main", "solve", "comm", "\u{1b}[31m", "a/b\\c", "", "größe"];
        let cells = builder.metric(b"cells").unwrap();
        let residual = builder.metric(b"residual [m/s]").unwrap();
        let mut nodes: Vec<Node<'_>> = Vec::new();
        for number in 0..self.below(20) as u32 {
            let parent =
                (number > 0 && self.below(6) > 0).then(|| self.below(number.into()) as u32);
            let name = names[self.below(7) as usize].as_bytes();
            let kind = Kind::ALL[self.below(3) as usize];
            let mut rows = Vec::new();
            for execution in 0..self.below(4) as u32 {
                let calls = self.below(5);
                let (time_ns, min_ns, max_ns) =
                    (self.wide() >> 6, self.wide() >> 6, self.wide() >> 6);
                let mut metrics = Vec::new();
                if self.below(3) == 0 {
                    let measure = Measure::Count { calls: 3, sum: self.wide() as i64 };
                    metrics.push(Metric { metric: cells, measure });
                }
                if self.below(3) == 0 {
                    let (sum, last) = (self.below(1000) as f64 / 3.0, f64::INFINITY);
                    let measure = Measure::Value { calls: 2, sum, min: -0.0, max: 1e300, last };
                    metrics.push(Metric { metric: residual, measure });
                }
                let series = (kind == Kind::Iteration).then(|| Box::new(self.series(residual)));
                let slowest = (0..self.below(4))
                    .map(|_| Slow { iteration: self.below(9), time_ns: self.wide() });
                let slowest = slowest.collect();
                let io = self.io();
                let figures = Row { execution, calls, time_ns, min_ns, max_ns, ..Row::default() };
                rows.push(Row { metrics, io, series, slowest, ..figures });
            }
            let tags = if self.below(3) == 0 { vec![(&b"kind"[..], name)] } else { vec![] };
            let (thread, line) = (self.below(2) as u32, self.below(100) as u32);
            nodes.push(Node { parent, name, kind, file: b"app.c", line, thread, tags, rows });
        }
        let host = format!("node{}", rank / 4).into_bytes();
        let ending = Ending::ALL[self.below(6) as usize];
        let process = Process {
            rank,
            pid: self.below(1 << 20),
            host,
            threads: 2,
            ending,
            ..Process::default()
        };
        let regions = builder.process(process, nodes).unwrap();
        if let Some(region) = regions.first() {
            builder.notice(NoticeCode::OutOfOrder, b"x", Some(*region), 3).unwrap();
        }
        for (layer, io) in self.io() {
            builder.outside(layer, &io).unwrap();
        }
        builder.lost(&Lost { visits: self.below(3), ..Lost::default() });
        builder.overhead(&Overhead {
            annotations: 9,
            annotation_ns: 270,
            flush_ns: self.below(99),
        });
    }

    /// A profile with these ranks.
    pub(crate) fn profile(&mut self, ranks: core::ops::Range<u32>) -> Profile {
        let head = Head {
            name: b"app".to_vec(),
            program: b"./app -n 3".to_vec(),
            job: -7,
            rank_kind: RankKind::Mpi,
            ranks: 16,
            started_ns: 1_790_000_000_000_000_000,
            duration_ns: 12_500_000_000,
            executions: 4,
            has_io: true,
            ..Head::default()
        };
        let mut builder = Builder::new(head);
        ranks.for_each(|rank| self.process(&mut builder, rank));
        builder.finish().unwrap()
    }
}

/// Compares as text, because a missing value is not equal to itself.
fn assert_same(one: &Profile, other: &Profile) {
    assert!(format!("{one:?}") == format!("{other:?}"));
}

#[test]
fn profiles_come_back() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let ranks = random.below(12) as u32;
        let profile = random.profile(0..ranks);
        for compression in [Compression::Deflate, Compression::None] {
            let bytes = write(&profile, compression).unwrap();
            let reader = Reader::of_bytes(bytes).unwrap();
            let (read, problems) = reader.whole();
            assert_eq!(problems, []);
            assert_same(&read, &profile);
            let summaries = summarize(&profile).unwrap();
            assert!(format!("{:?}", reader.summaries().unwrap()) == format!("{summaries:?}"));
        }
    }
}

#[test]
fn parts_in_any_order_are_the_same_whole() {
    for seed in 0..30 {
        let parts: Vec<Profile> = {
            let mut random = Random(seed);
            (0..4).map(|part| random.profile(4 * part..4 * part + 4)).collect()
        };
        let together = |order: [usize; 4]| {
            let mut builder = Builder::default();
            order.into_iter().for_each(|part| builder.profile(parts[part].clone()).unwrap());
            builder.finish().unwrap()
        };
        let whole = together([0, 1, 2, 3]);
        assert_same(&whole, &together([3, 1, 0, 2]));
        // Also if some are put together before.
        let mut some = Builder::default();
        some.profile(parts[2].clone()).unwrap();
        some.profile(parts[0].clone()).unwrap();
        let mut rest = Builder::default();
        rest.profile(parts[3].clone()).unwrap();
        rest.profile(some.finish().unwrap()).unwrap();
        rest.profile(parts[1].clone()).unwrap();
        assert_same(&whole, &rest.finish().unwrap());
        // And what processes of all ranks give at once.
        assert_same(&whole, &Random(seed).profile(0..16));
    }
}

#[test]
fn a_cut_file_gives_what_is_sound() {
    let profile = Random(5).profile(0..1);
    let bytes = write(&profile, Compression::Deflate).unwrap();
    for len in 0..bytes.len() {
        let Ok(reader) = Reader::of_bytes(bytes[..len].to_vec()) else { continue };
        let (read, problems) = reader.whole();
        assert!(!problems.is_empty(), "{len} of {}", bytes.len());
        assert_eq!(read.regions.len(), profile.regions.len());
    }
}

#[test]
fn damaged_bytes_never_panic() {
    let profile = Random(9).profile(0..3);
    let bytes = write(&profile, Compression::None).unwrap();
    let mut random = Random(3);
    for _ in 0..3000 {
        let mut bytes = bytes.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        let bytes = repaired(bytes);
        if let Ok(reader) = Reader::of_bytes(bytes) {
            let (read, _) = reader.whole();
            let _ = summarize(&read);
            let _ = write(&read, Compression::None);
        }
    }
}

/// A small file, as often as it has bytes, each time with another byte changed.
fn flipped(compression: Compression) -> (Profile, impl Iterator<Item = (usize, Vec<u8>)>) {
    let profiles = (0..20).map(|seed| Random(seed).profile(0..1));
    let profiles = profiles.filter(|profile| profile.regions.len() > 2);
    let size = |profile: &Profile| write(profile, Compression::None).unwrap().len();
    let profile = profiles.min_by_key(size).unwrap();
    let bytes = write(&profile, compression).unwrap();
    let all = (0..bytes.len()).map(move |at| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1 << (at % 8);
        (at, bytes)
    });
    (profile, all)
}

#[test]
fn a_flipped_byte_is_noticed_and_its_place_told() {
    let (profile, all) = flipped(Compression::Deflate);
    for (at, bytes) in all {
        let len = bytes.len() as u64;
        match Reader::of_bytes(bytes) {
            Ok(reader) => {
                let (read, problems) = reader.whole();
                assert!(problems.iter().all(|problem| problem.offset < len), "{at}");
                if problems.is_empty() {
                    assert_same(&read, &profile);
                }
            }
            Err(Error::Damaged(problem)) => assert!(problem.offset <= len, "{at}: {problem}"),
            Err(Error::NotAProfile { .. }) => assert!(at < 8, "{at}"),
            Err(error) => panic!("{at}: {error}"),
        }
    }
}

#[test]
fn flipped_bytes_with_right_checksums_never_panic() {
    let (_, all) = flipped(Compression::None);
    for (_, bytes) in all {
        if let Ok(reader) = Reader::of_bytes(repaired(bytes)) {
            let (read, _) = reader.whole();
            let _ = summarize(&read);
            let _ = write(&read, Compression::None);
        }
    }
}

/// Reading these bytes claims as much memory as writing said, and not less.
fn assert_claims(out: bytes::Out, mut take: impl FnMut(&mut bytes::In<'_>) -> Result<(), Damage>) {
    let room = out.room();
    let bytes = out.finish().unwrap();
    assert_eq!(take(&mut bytes::In::new(&bytes, room)), Ok(()));
    if let Some(less) = room.checked_sub(1) {
        let refused = take(&mut bytes::In::new(&bytes, less));
        assert!(matches!(refused, Err(Damage::Many(_))), "{refused:?}");
    }
}

#[test]
fn a_writer_knows_what_memory_reading_takes() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let ranks = random.below(12) as u32;
        let profile = random.profile(0..ranks);
        let mut read = Profile::default();
        let head = skeleton::put_head(&profile).unwrap();
        assert_claims(head, |input| {
            read = Profile::default();
            skeleton::take_head(input, &mut read)
        });
        assert_claims(skeleton::put_regions(&profile).unwrap(), |input| {
            read = Profile::default();
            skeleton::take_regions(input, &mut read)
        });
        assert_claims(skeleton::put_processes(&profile.processes).unwrap(), |input| {
            skeleton::take_processes(input).map(drop)
        });
        let totals = summarize(&profile).unwrap();
        let (regions, metrics) = (profile.regions.len(), profile.metrics.len());
        assert_claims(summary::put(&totals).unwrap(), |input| {
            summary::take(input, regions, metrics).map(drop)
        });
        for region in &profile.regions {
            let (mut rows, mut series) = (bytes::Out::default(), bytes::Out::default());
            rows::put(&region.rows, &mut rows).unwrap();
            assert_claims(rows, |input| {
                rows::take(input, profile.processes.len(), metrics).map(drop)
            });
            series::put(&region.rows, &mut series).unwrap();
            let mut rows = region.rows.clone();
            assert_claims(series, |input| series::take(input, &mut rows, metrics));
        }
    }
}

/// A profile of regions that hardly differ, so that it is compressed as far as one can be.
fn many(regions: u32, rows: u32) -> Profile {
    let cells = Metric { metric: 0, measure: Measure::Count { calls: 1, sum: 1 } };
    let visit = Row { calls: 1, time_ns: 7, min_ns: 7, max_ns: 7, ..Row::default() };
    let row = Row { exclusive_ns: 7, metrics: vec![cells], ..visit };
    let region = |number: u32| Region {
        parent: number.checked_sub(1).map(|_| 0),
        name: b"same".to_vec(),
        file: b"app.c".to_vec(),
        rows: (0..rows).map(|process| Row { process, ..row.clone() }).collect(),
        ..Region::default()
    };
    let process = |rank| Process { rank, ..Process::default() };
    Profile {
        processes: (0..rows).map(process).collect(),
        metrics: vec![b"cells".to_vec()],
        regions: (0..regions).map(region).collect(),
        ..Profile::default()
    }
}

#[test]
fn a_profile_with_many_regions_comes_back() {
    for (regions, rows) in [(300_000, 1), (3, 200_000), (20_000, 30)] {
        let profile = many(regions, rows);
        let bytes = write(&profile, Compression::Deflate).unwrap();
        let reader = Reader::of_bytes(bytes.clone()).unwrap();
        let (read, problems) = reader.whole();
        assert_eq!(problems, []);
        assert!(read == profile);
        // The end of a cut file is missing, not its tree.
        let cut = Reader::of_bytes(bytes[..bytes.len() - 1].to_vec()).unwrap();
        assert_eq!(cut.profile().regions.len(), regions as usize);
    }
}

#[test]
fn a_file_that_means_too_much_for_its_size_is_refused() {
    let profile = many(300_000, 1);
    let mut bytes = write(&profile, Compression::Deflate).unwrap();
    let end = index::HEADER
        + index::ENTRY * u32::from_le_bytes(bytes[24..28].try_into().unwrap()) as usize;
    let filling = bytes[end..].iter().position(|byte| *byte != 0).unwrap();
    assert!(filling > 0, "nothing was compressed");
    bytes.drain(end..end + filling);
    for at in (index::HEADER..end).step_by(index::ENTRY) {
        let offset = u64::from_le_bytes(bytes[at + 16..at + 24].try_into().unwrap());
        let moved = (offset - filling as u64).to_le_bytes();
        bytes[at + 16..at + 24].copy_from_slice(&moved);
    }
    let reader = Reader::of_bytes(repaired(bytes));
    let is_refused = match &reader {
        Ok(reader) => reader.problems().any(|own| matches!(own.damage, Damage::Many(_))),
        Err(Error::Damaged(problem)) => matches!(problem.damage, Damage::Many(_)),
        Err(_) => false,
    };
    assert!(is_refused, "{reader:?}");
}
