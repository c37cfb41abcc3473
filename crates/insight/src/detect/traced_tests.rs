//! Each check of a trace on a log where it fires, and on one much like it where it does not.

use super::*;
use crate::trace::sample::Sample;

const DATA: &str = "/lustre/data.bin";
const HDF5: &str = "/lustre/data.h5";

fn fired(detector: &Detector, sample: &Sample) -> Case {
    match sample.check(detector) {
        Check::Fired(case) => *case,
        other => panic!("{} should fire: {other:?}", detector.code),
    }
}

fn is_fine(detector: &Detector, sample: &Sample) -> bool {
    matches!(sample.check(detector), Check::Fine(_))
}

fn is_senseless(detector: &Detector, sample: &Sample) -> bool {
    matches!(sample.check(detector), Check::Senseless)
}

fn needs(detector: &Detector, sample: &Sample) -> Option<Need> {
    match sample.check(detector) {
        Check::NotCheckable(need) => Some(need),
        _ => None,
    }
}

fn value(case: &Case, name: &str) -> f64 {
    let found = case.evidence.iter().find(|evidence| evidence.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {:?}", case.evidence)).value
}

/// Two thousand writes of 4 KiB, so many bytes apart.
fn writes(stride: i64) -> Sample {
    let mut sample = Sample::new(1, 100);
    sample.posix = (0..2000)
        .map(|i| (DATA, 0, false, i * stride, 4096, i as f64 / 100.0, i as f64 / 100.0 + 0.005))
        .collect();
    sample
}

#[test]
fn a02_fires_for_requests_in_a_row() {
    let case = fired(&coalescable::DETECTOR, &writes(4096));
    assert_eq!(value(&case, "requests that continue each other"), 2000.0);
    assert_eq!(value(&case, "requests instead"), 2.0);
    // The bytes still move, at the rate that is assumed.
    let moving = 2000.0 * 4096.0 / 1_610_612_736.0;
    assert!((case.seconds - (10.0 - moving)).abs() < 1e-6, "{}", case.seconds);
    assert!(is_fine(&coalescable::DETECTOR, &writes(8192)));
    let large = Sample { posix: writes(4096).posix.split_off(1100), ..Sample::new(1, 100) };
    assert!(is_fine(&coalescable::DETECTOR, &large), "900 are few");
}

/// Rank 1 reads what this rank wrote.
fn handed_over(writer: i64) -> Sample {
    let mut sample = Sample::new(2, 100);
    sample.posix.push((DATA, writer, false, 0, 2 << 20, 1.0, 2.0));
    sample.posix.push((DATA, 1, true, 0, 2 << 20, 5.0, 6.5));
    sample
}

#[test]
fn a07_fires_for_what_another_rank_wrote() {
    let case = fired(&read_after_write::DETECTOR, &handed_over(0));
    assert_eq!(value(&case, "bytes read that another rank wrote"), (2 << 20) as f64);
    assert_eq!(case.seconds, 1.5);
    assert!(is_fine(&read_after_write::DETECTOR, &handed_over(1)));
    let untraced = Sample { no_trace: true, ..handed_over(0) };
    assert_eq!(needs(&read_after_write::DETECTOR, &untraced), Some(Need::Trace));
}

/// Eight ranks make ten collective writes of a second each, within which rank 0 writes so long.
fn rounds(busy: f64) -> Sample {
    let mut sample = Sample { is_collective: true, per_node: 2, ..Sample::new(8, 100) };
    for round in 0..10 {
        let begin = f64::from(round) * 5.0;
        let offset = i64::from(round) << 27;
        sample.posix.push((DATA, 0, false, offset, 1 << 27, begin + 0.01, begin + 0.01 + busy));
        for rank in 0..8 {
            let asked = (DATA, rank, false, offset, 1 << 24, begin, begin + 1.0);
            sample.mpiio.push(asked);
        }
    }
    sample
}

#[test]
fn c04_fires_if_the_storage_waits_in_collective_calls() {
    let case = fired(&exchange_bound::DETECTOR, &rounds(0.1));
    assert_eq!(value(&case, "calls"), 10.0);
    assert!((case.seconds - 9.0).abs() < 1e-6, "{}", case.seconds);
    assert!(is_fine(&exchange_bound::DETECTOR, &rounds(0.9)));
    let independent = Sample { is_collective: false, ..rounds(0.1) };
    assert!(is_senseless(&exchange_bound::DETECTOR, &independent));
}

#[test]
fn c04_is_seen_in_the_calls_that_wait_not_in_the_longest() {
    let mut sample = rounds(0.1);
    // A longer call in which the storage is busy all the time.
    sample.posix.push((DATA, 0, false, 1 << 31, 1 << 27, 60.0, 80.0));
    for rank in 0..8 {
        sample.mpiio.push((DATA, rank, false, 1 << 31, 1 << 24, 60.0, 80.0));
    }
    let case = fired(&exchange_bound::DETECTOR, &sample);
    let (begin, end) = case.shows.when.unwrap();
    assert!(end - begin < 1.1 && end < 50.0, "{begin} to {end}");
    assert_eq!((case.shows.direction, case.shows.is_asked), (Some(Direction::Write), true));
}

/// Eight ranks write together; so many of them also go to the storage, with so many bytes.
fn writers(count: i64, bytes: i64) -> Sample {
    let mut sample = Sample { is_collective: true, per_node: 4, ..Sample::new(8, 100) };
    for rank in 0..8 {
        sample.mpiio.push((DATA, rank, false, rank * bytes, bytes, 1.0, 9.0));
        if rank < count {
            sample.posix.push((DATA, rank, false, rank * bytes, bytes, 1.0, 8.0));
        }
    }
    sample
}

#[test]
fn c05_fires_if_all_ranks_write_small_pieces() {
    let case = fired(&no_collective_buffering::DETECTOR, &writers(8, 4096));
    assert_eq!(value(&case, "of them with POSIX calls"), 8.0);
    assert_eq!((value(&case, "bytes of a POSIX call"), case.seconds), (4096.0, 8.0));
    assert!(is_fine(&no_collective_buffering::DETECTOR, &writers(2, 4096)));
    assert!(is_fine(&no_collective_buffering::DETECTOR, &writers(8, 1 << 20)));
}

/// Sixteen ranks, two on each node; the first rank of so many nodes moves 2 GiB.
fn gathered(nodes: i64) -> Sample {
    let mut sample = Sample { is_collective: true, per_node: 2, ..Sample::new(16, 100) };
    for rank in 0..16 {
        sample.mpiio.push((DATA, rank, false, rank << 27, 1 << 27, 1.0, 9.0));
    }
    for node in 0..nodes {
        let bytes = (2 << 30) / nodes;
        sample.posix.push((DATA, 2 * node, false, node * bytes, bytes, 1.0, 9.0));
    }
    sample
}

#[test]
fn c06_fires_for_few_aggregators_and_never_for_one_on_each_node() {
    let case = fired(&aggregators::DETECTOR, &gathered(1));
    assert_eq!((value(&case, "ranks that move data"), value(&case, "nodes")), (1.0, 8.0));
    assert_eq!(case.seconds, 7.0);
    assert!(is_fine(&aggregators::DETECTOR, &gathered(8)));
    let crowded = Sample { per_node: 16, ..gathered(8) };
    assert_eq!(value(&fired(&aggregators::DETECTOR, &crowded), "most on a node"), 8.0);
}

/// Four ranks write in turns, so many bytes each, to stripes of 4 KiB.
fn in_turns(bytes: i64) -> Sample {
    let mut sample = Sample::new(4, 100);
    sample.stripes = Some((4096, vec![0, 1]));
    sample.posix =
        (0..64).map(|i| (DATA, i % 4, false, i * bytes, bytes, i as f64, i as f64 + 0.5)).collect();
    sample
}

#[test]
fn f05_fires_for_stripes_with_several_writers() {
    let case = fired(&block_sharing::DETECTOR, &in_turns(1024));
    assert_eq!(value(&case, "share of units with several writers"), 1.0);
    assert_eq!((value(&case, "most ranks on a unit"), case.seconds), (4.0, 8.0));
    assert!(is_fine(&block_sharing::DETECTOR, &in_turns(4096)));
}

/// Data is written, then this many bytes of metadata, which takes 5 of 20 s.
fn closing(name: &'static str, metadata: i64) -> Sample {
    let mut sample = Sample { is_collective: true, ..Sample::new(4, 20) };
    for rank in 0..4 {
        sample.mpiio.push((name, rank, false, rank << 28, 1 << 28, 1.0, 3.0));
        sample.mpiio.push((name, rank, false, rank * metadata, metadata, 5.0, 10.0));
    }
    sample.posix.push((name, 0, false, 0, 1 << 30, 1.0, 3.0));
    for i in 0..100 {
        let at = 5.0 + f64::from(i) / 20.0;
        sample.posix.push((name, 0, true, i64::from(i) << 20, 1 << 20, at, at + 0.02));
        sample.posix.push((name, 0, false, i64::from(i) << 20, 1 << 20, at + 0.02, at + 0.04));
    }
    sample
}

#[test]
fn h01_fires_if_little_metadata_rewrites_much() {
    let case = fired(&hdf5_meta_rewrite::DETECTOR, &closing(HDF5, 1000));
    assert_eq!((value(&case, "metadata asked for"), case.seconds), (4000.0, 5.0));
    assert_eq!(value(&case, "bytes written for it"), (100 << 20) as f64);
    let (begin, end) = case.shows.when.unwrap();
    assert!(end - begin <= 5.5, "{begin} to {end}: only that call");
    assert!(is_fine(&hdf5_meta_rewrite::DETECTOR, &closing(HDF5, 1 << 26)));
    assert!(is_senseless(&hdf5_meta_rewrite::DETECTOR, &closing(DATA, 1000)));
}

/// Sixteen ranks each read ten small pieces; of all ranks the same, or each its own.
fn headers(name: &'static str, is_same: bool) -> Sample {
    let mut sample = Sample::new(16, 100);
    for rank in 0..16 {
        for i in 0..10 {
            let own = if is_same { 0 } else { rank * 10_000 };
            let at = i as f64;
            sample.posix.push((name, rank, true, own + i * 512, 512, at, at + 0.5));
        }
    }
    sample
}

#[test]
fn h06_fires_if_all_ranks_read_the_same_pieces() {
    let case = fired(&hdf5_meta_all_ranks::DETECTOR, &headers(HDF5, true));
    assert_eq!((value(&case, "extents"), value(&case, "reads of them")), (10.0, 160.0));
    assert_eq!(case.seconds, 5.0);
    assert!(is_fine(&hdf5_meta_all_ranks::DETECTOR, &headers(HDF5, false)));
    assert!(is_senseless(&hdf5_meta_all_ranks::DETECTOR, &headers(DATA, true)));
}

/// Two hundred requests of a stripe that begin so far after its border.
fn shifted(shift: i64) -> Sample {
    let mut sample = Sample::new(1, 1000);
    sample.stripes = Some((1 << 20, vec![0]));
    sample.posix = (0..200)
        .map(|i| (HDF5, 0, false, (i << 20) + shift, 1 << 20, i as f64, i as f64 + 0.5))
        .collect();
    sample
}

#[test]
fn h07_fires_for_requests_across_stripes() {
    let case = fired(&hdf5_misaligned::DETECTOR, &shifted(2048));
    assert_eq!((value(&case, "misaligned requests"), case.seconds), (200.0, 100.0));
    assert!(is_fine(&hdf5_misaligned::DETECTOR, &shifted(0)));
}

/// A read of nothing for this many files.
fn probes(of_one_file: i64) -> Sample {
    let mut sample = Sample::new(1, 100);
    sample.posix = (0..of_one_file)
        .map(|i| (DATA, 0, true, 4096, 0, i as f64 / 100.0, i as f64 / 100.0 + 0.001))
        .collect();
    sample.posix.push((DATA, 0, true, 0, 4096, 0.0, 0.001));
    sample
}

#[test]
fn n05_fires_for_reads_that_return_nothing() {
    let case = fired(&empty_probes::DETECTOR, &probes(3000));
    assert_eq!(value(&case, "reads of nothing"), 2999.0);
    assert!((case.seconds - 2.999).abs() < 1e-3, "{}", case.seconds);
    assert!(is_fine(&empty_probes::DETECTOR, &probes(500)));
}

/// Phases that begin so many seconds apart, each of half a second and so many bytes.
fn bursts(count: i64, apart: f64, bytes: i64) -> Sample {
    let mut sample = Sample::new(1, 100);
    sample.posix = (0..count)
        .map(|i| (DATA, 0, false, i * bytes, bytes, apart * i as f64, apart * i as f64 + 0.5))
        .collect();
    sample
}

#[test]
fn t01_fires_for_many_small_phases() {
    let case = fired(&many_phases::DETECTOR, &bursts(12, 8.0, 1000));
    assert_eq!((value(&case, "phases"), value(&case, "seconds in phases")), (12.0, 6.0));
    assert!(is_fine(&many_phases::DETECTOR, &bursts(12, 8.0, 2 << 20)));
    assert!(is_fine(&many_phases::DETECTOR, &bursts(5, 8.0, 1000)));
    assert!(is_fine(&many_phases::DETECTOR, &bursts(12, 1.0, 1000)), "no gaps");
}

#[test]
fn t02_needs_a_heat_map() {
    assert_eq!(needs(&period::DETECTOR, &bursts(12, 8.0, 1000)), Some(Need::Heatmap));
}

/// Five phases of four ranks, of which one is late: rank 3, or another each time.
fn late(is_same: bool) -> Sample {
    let mut sample = Sample { per_node: 2, ..Sample::new(4, 100) };
    for phase in 0..5_i64 {
        for rank in 0..4 {
            let is_late = rank == if is_same { 3 } else { phase % 4 };
            let begin = 20.0 * phase as f64;
            let end = begin + if is_late { 1.5 } else { 0.5 };
            sample.posix.push((DATA, rank, false, rank * 100, 100, begin, end));
        }
    }
    sample
}

#[test]
fn t03_fires_if_the_same_rank_is_late() {
    let case = fired(&stragglers::DETECTOR, &late(true));
    assert_eq!((value(&case, "phases in which it is last"), case.seconds), (5.0, 5.0));
    assert_eq!(case.ranks.list, [3]);
    let nodes = fired(&stragglers::DETECTOR, &late(false));
    assert!(nodes.ranks.list.is_empty(), "both ranks of node 0: {}", nodes.title);
    let alone = Sample { per_node: 0, ..late(false) };
    assert!(is_fine(&stragglers::DETECTOR, &alone));
}

#[test]
fn t04_fires_if_computation_can_hide_the_phases() {
    let case = fired(&async_worth_it::DETECTOR, &bursts(12, 8.0, 1 << 20));
    assert_eq!(case.seconds, 6.0);
    assert!(is_fine(&async_worth_it::DETECTOR, &bursts(1, 8.0, 1 << 20)));
    assert!(is_fine(&async_worth_it::DETECTOR, &bursts(100, 0.6, 1 << 20)), "one phase");
}
