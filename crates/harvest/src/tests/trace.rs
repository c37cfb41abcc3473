//! Traces.

use super::*;

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
