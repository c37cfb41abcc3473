//! Records of counters: common values, standard streams, times.

use super::*;

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
