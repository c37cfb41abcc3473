//! Logs that began at different times.

use ioglass_log::posix::{self, Posix};
use ioglass_log::{Base, DxtHead, Heatmap, Segment, dxt, record_id};

use super::craft::{log, wrote};
use super::merged;
use crate::lifecycle::room::empty;

fn heat(rank: i64, bin_width: f64, writes: &[i64]) -> Heatmap {
    let base = Base { id: record_id(b"heatmap:POSIX"), rank };
    Heatmap { base, bin_width, writes: writes.into(), reads: vec![0; writes.len()] }
}

#[test]
fn everything_is_moved_to_the_common_start() {
    let folder = empty("merge-times");
    let segment = |start| Segment { offset: 7, length: 9, start, end: start + 0.0625 };
    let mut early = log(2);
    early.posix.push(wrote("/data/own", 0, 1000, 0.25));
    early.heat.push(heat(0, 0.1, &[100, 0, 0, 0, 0, 0, 0, 0, 0, 7]));
    early.metadata = "lib_ver=3.5.0\nh=cb_nodes=4\nexcluded_opens=3\n";
    let mut late = log(2);
    late.start_ms += 2500;
    late.metadata = "lib_ver=3.5.0\nexcluded_opens=4\nsite=here\n";
    late.posix.push(wrote("/data/own", 1, 1000, 0.25));
    late.posix[0].float[posix::f::READ_START_TIMESTAMP] = 0.0;
    late.heat.push(heat(1, 0.2, &[5, 0, 0, 0, 11]));
    let base = Base { id: record_id(b"/data/own"), rank: 1 };
    let head = DxtHead { base, writes: 1, reads: 1, hostname: b"n1".into(), shared: 0 };
    late.trace.push((head, vec![segment(0.25), segment(0.5)]));
    let logs = [early.write(&folder, "a.darshan"), late.write(&folder, "b.darshan")];
    let log = merged(&logs, &folder.join("out.darshan"));

    assert_eq!(log.run_time(), 3.5);
    assert_eq!(log.job().start_sec * 1000 + log.job().start_nsec / 1_000_000, early.start_ms);
    let mut records: Vec<Posix> = log.records_of::<Posix>().unwrap().map(Result::unwrap).collect();
    records.sort_by_key(|record| record.base.rank);
    // Nobody else opened it, so both ranks of two make it shared.
    let [all] = &records[..] else { panic!("{records:?}") };
    assert_eq!(all.float[posix::f::OPEN_START_TIMESTAMP], 0.25);
    assert_eq!(all.float[posix::f::WRITE_END_TIMESTAMP], 3.0);
    assert_eq!(all.float[posix::f::READ_START_TIMESTAMP], 0.0, "never stays never");
    assert_eq!(all.float[posix::f::WRITE_TIME], 0.002, "durations stay");

    let mut trace = log.dxt(&dxt::POSIX).unwrap();
    let head = trace.next_record().unwrap().unwrap();
    assert_eq!((head.base.rank, &head.hostname[..]), (1, &b"n1"[..]));
    let mut moments = Vec::new();
    while let Some(chunk) = trace.next_chunk().unwrap() {
        moments.extend(chunk.segments.iter().map(|s| (s.offset, s.length, s.start, s.end)));
    }
    assert_eq!(moments, [(7, 9, 2.75, 2.8125), (7, 9, 3.0, 3.0625)]);

    let maps: Vec<Heatmap> = log.special::<Heatmap>().unwrap().map(Result::unwrap).collect();
    assert!(
        maps.iter().all(|map| map.bin_width == 0.2 && map.writes.len() == maps[0].writes.len())
    );
    let used = |map: &Heatmap| -> Vec<(usize, i64)> {
        map.writes.iter().copied().enumerate().filter(|(_, bytes)| *bytes > 0).collect()
    };
    // Middles at 0.05 and 0.95; at 2.6 and 3.4 seconds.
    assert_eq!(used(&maps[0]), [(0, 100), (4, 7)]);
    assert_eq!(used(&maps[1]), [(13, 5), (17, 11)]);

    let job = log.job();
    let value = |key| job.metadata_value(key).unwrap_or_default().into_owned();
    assert_eq!((value("excluded_opens"), value("h")), ("7".into(), "cb_nodes=4".into()));
    assert_eq!(
        (value("site"), value("merged"), value("ranks")),
        ("here".into(), "2".into(), "mpi".into())
    );
}

/// Maps of hours keep every byte, on a scale that has room for them.
#[test]
fn long_gaps_widen_the_bins() {
    let folder = empty("merge-gap");
    let logs: Vec<_> = (0..3)
        .map(|rank| {
            let mut own = log(3);
            own.start_ms += 3_600_000 * rank;
            own.heat.push(heat(rank, 0.1, &[1 + rank, 0, 10, 0, 100]));
            own.write(&folder, &format!("r{rank}.darshan"))
        })
        .collect();
    let log = merged(&logs, &folder.join("out.darshan"));
    for map in log.special::<Heatmap>().unwrap().map(Result::unwrap) {
        assert_eq!(map.writes.iter().sum::<i64>(), 111 + map.base.rank);
        assert!(map.writes.len() <= 200 && map.bin_width * map.writes.len() as f64 >= 7201.0);
        let bin = (3600.0 * map.base.rank as f64 / map.bin_width) as usize;
        assert_eq!(map.writes[bin], 111 + map.base.rank);
    }
}
