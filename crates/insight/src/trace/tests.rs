//! The whole of it, on logs that are written and read.

use ioglass_log::{Compression, DxtHead, Log, LogWriter, Segment, dxt};

use super::sample::Sample;
use super::*;

const FILE: &str = "/lustre/data.bin";

fn facts(sample: &Sample) -> TraceFacts {
    sample.run().trace.unwrap()
}

/// Four ranks write in turns, then read what their neighbour wrote.
fn neighbours() -> Sample {
    let mut sample = Sample { per_node: 2, ..Sample::new(4, 100) };
    sample.stripes = Some((4096, vec![5, 9]));
    for rank in 0..4_i64 {
        for i in 0..8_i64 {
            let at = i as f64 + rank as f64 / 16.0;
            let offset = (4 * i + rank) * 1024;
            sample.posix.push((FILE, rank, false, offset, 1024, at, at + 0.5));
            let neighbour = (4 * i + (rank + 1) % 4) * 1024;
            sample.posix.push((FILE, rank, true, neighbour, 1024, 50.0 + at, 50.25 + at));
            let asked = (FILE, rank, false, offset, 1024, at, at + 0.75);
            sample.mpiio.push(asked);
        }
    }
    sample
}

#[test]
fn all_that_a_trace_tells_comes_out() {
    let facts = facts(&neighbours());
    assert!(!facts.quality.is_incomplete());
    assert_eq!(facts.quality.segments, 96);
    assert_eq!((facts.phases.len(), facts.hosts.len(), facts.ranks.len()), (2, 2, 4));
    assert_eq!((facts.phases[0].written, facts.phases[1].read), (32 << 10, 32 << 10));
    let file = &facts.files[0];
    assert_eq!((file.unit, file.is_striped, file.is_summed_only), (4096, true, false));
    assert_eq!((file.writes.requests, file.writes.ranks, file.writes.hosts), (32, 4, 2));
    assert_eq!((file.sharing.units, file.sharing.shared, file.sharing.most_ranks), (8, 8, 4));
    assert_eq!((file.handed_over.requests, file.handed_over.bytes), (32, 32 << 10));
    assert_eq!(file.writes.misaligned, 32);
    let asked = file.asked.as_deref().unwrap();
    assert_eq!((asked.writes.ranks, asked.write_rounds.count), (4, 8));
    assert_eq!(asked.write_rounds.longest[0].writes, 4);
    let bytes: Vec<_> = facts.targets.iter().map(|t| (t.target, t.written, t.read)).collect();
    assert_eq!(bytes, [(5, 16 << 10, 16 << 10), (9, 16 << 10, 16 << 10)]);
    assert_eq!(facts.ranks[0].write.seconds(), 4.0);
    assert_eq!((facts.host_of(1), facts.host_of(2), facts.host_of(77)), ("node0", "node1", ""));
}

#[test]
fn the_order_of_records_and_calls_does_not_matter() {
    let mut sample = neighbours();
    sample.posix.extend((0..500).map(|i| {
        let (offset, start) = (i * 7919 % 4000, (i * 31 % 90) as f64 + 0.1);
        ("/lustre/other", i % 4, i % 3 == 0, offset, i % 50, start, start + 1e-3 * i as f64)
    }));
    let expected = facts(&sample);
    for shift in [1, 100, 333] {
        sample.posix.rotate_left(shift);
        sample.mpiio.rotate_left(shift % 32);
        assert_eq!(facts(&sample), expected);
    }
    sample.posix.reverse();
    assert_eq!(facts(&sample), expected);
}

#[test]
fn a_log_without_trace_has_no_facts() {
    let sample = Sample { no_trace: true, ..neighbours() };
    assert!(sample.run().trace.is_none());
    assert!(!is_in(&sample.log()));
}

/// A trace with these segments for each of these ranks.
fn raw(ranks: &[i64], segments: &[Segment]) -> Log {
    let mut writer = LogWriter::new(Vec::new(), Compression::Zlib).unwrap();
    writer.job(&ioglass_log::Job::default()).unwrap();
    writer.names([]).unwrap();
    for module in [&dxt::POSIX, &dxt::MPIIO] {
        let mut out = writer.module(module).unwrap();
        for rank in ranks {
            let half = segments.len() as u64 / 2;
            let (writes, reads) = (half, segments.len() as u64 - half);
            let mut head = DxtHead { writes, reads, ..DxtHead::default() };
            head.base.rank = *rank;
            out.record(&head).unwrap();
            segments.iter().for_each(|segment| out.record(segment).unwrap());
        }
        out.finish().unwrap();
    }
    writer.set_partial(dxt::POSIX.id);
    Log::from_bytes(writer.finish().unwrap()).unwrap()
}

#[test]
fn hostile_values_do_no_harm() {
    let values = [i64::MIN, -1, 0, 1, 4096, (1 << 44) - 1, i64::MAX];
    let times = [f64::NAN, f64::NEG_INFINITY, -1e300, -1.0, 0.0, 1e-300, 5.0, 1e9, f64::INFINITY];
    let mut segments = Vec::new();
    for offset in values {
        for length in values {
            for start in times {
                for end in times {
                    segments.push(Segment { offset, length, start, end });
                }
            }
        }
    }
    let log = raw(&[i64::MIN, -1, 0, 3, 1 << 20, i64::MAX], &segments);
    let mut about = TraceContext { run_time: f64::NAN, ..TraceContext::default() };
    let part = LayoutPart { start: 0, stop: u64::MAX, unit: 1, targets: vec![0, 1, u32::MAX] };
    about.layouts.insert(0, FileLayout { parts: vec![part] });
    let facts = analyse(&log, &about).unwrap().unwrap();
    assert_eq!(facts.quality.partial, ["DXT_POSIX"]);
    assert!(facts.quality.is_incomplete() && facts.quality.unusable > 0);
    assert!(facts.phases.len() <= 101, "{}", facts.phases.len());
    assert_eq!(facts.ranks.len(), 2);
    assert!(facts.files[0].writes.unique > 0);
}

#[test]
fn a_damaged_trace_counts_up_to_the_damage() {
    let segments: Vec<Segment> = (0..100_000_i64)
        .map(|i| Segment { offset: i * i, length: i, start: i as f64, end: i as f64 + 0.5 })
        .collect();
    let mut writer = LogWriter::new(Vec::new(), Compression::None).unwrap();
    writer.job(&ioglass_log::Job::default()).unwrap();
    writer.names([]).unwrap();
    let mut out = writer.module(&dxt::POSIX).unwrap();
    out.record(&DxtHead { writes: 200_000, ..DxtHead::default() }).unwrap();
    segments.iter().for_each(|segment| out.record(segment).unwrap());
    out.finish().unwrap();
    let log = Log::from_bytes(writer.finish().unwrap()).unwrap();
    let facts = analyse(&log, &TraceContext::default()).unwrap().unwrap();
    assert!(facts.quality.damage.is_some());
    assert_eq!(facts.files[0].writes.requests, 100_000);
    assert_eq!(facts.files[0].writes.ranks, 1);
}

#[test]
fn files_without_records_are_known_from_the_trace() {
    let mut sample = neighbours();
    sample.no_records = true;
    let run = sample.run();
    assert_eq!(run.files.len(), 1);
    let usage = run.files[0].posix.as_deref().unwrap();
    assert_eq!((usage.calls(), usage.bytes(), usage.ranks(4)), (64, 64 << 10, 4));
    assert_eq!((run.posix.files, run.active_ranks), (1, 4));
    assert_eq!(usage.extent(), 32 << 10);
    // With records, these count and nothing is added.
    let with = neighbours().run();
    assert_eq!(with.files[0].posix.as_deref().unwrap().calls(), 64);
    assert!(with.trace.unwrap().files[0].by_rank.is_empty());
}
