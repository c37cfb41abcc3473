//! The log as a whole: its block, its end, and captures that are none.

use super::*;

#[test]
fn what_has_no_counter_and_what_was_lost_is_in_the_block() {
    let mut builder = Builder::new(10, 1);
    builder.header.lost[Loss::Trace as usize] = 5;
    builder.header.lost[Loss::Records as usize] = 2;
    builder.header.excluded = 33;
    builder.entry(Kind::Command, &[b"cp\0-r\0a\tb\0"]);
    builder.entry(Kind::Note, &[b"fallback=/tmp"]);
    builder.posix("/data/a", 0, |_| {});
    for truncates in [1, 2] {
        let mut ops = OpsCell::read(&vec![0; size_of::<OpsCell>()]).unwrap();
        ops.id = record_id(b"/data/a");
        ops.count[0] = truncates;
        ops.count[5] = 1;
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
            "record\trank\ttruncate\tfallocate\tmunmap\tmsync\tasync-submitted\tasync-finished\n\
             {id}\t0\t3\t0\t0\t0\t0\t2\n"
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
