//! A log that is read, written and read again is the same log.

use ioglass_log::text::{ListOptions, TraceOptions, list, trace};
use ioglass_log::{
    Apmpi, Apxc, Compression, Heatmap, Layout, Log, Lustre, MdhimServers, Module, ModuleId,
    Special, copy,
};

use crate::support::real_logs;

#[test]
fn copies_of_real_logs_hold_the_same() {
    for real in real_logs() {
        let log = Log::from_bytes(real.bytes).unwrap();
        for compression in [Compression::Zlib, Compression::Bzip2, Compression::None] {
            let bytes = copy(&log, Vec::new(), compression).unwrap();
            let again = Log::from_bytes(bytes).unwrap();
            assert_eq!(again.warnings().count(), 0, "{}", real.name);
            compare(&real.name, &log, &again);
        }
    }
}

/// Copying a copy changes nothing at all: the first copy was complete and in order.
#[test]
fn a_copy_of_a_copy_is_identical() {
    for real in real_logs() {
        let log = Log::from_bytes(real.bytes).unwrap();
        let once = copy(&log, Vec::new(), Compression::Zlib).unwrap();
        let log = Log::from_bytes(once.clone()).unwrap();
        let twice = copy(&log, Vec::new(), Compression::Zlib).unwrap();
        assert!(once == twice, "{}", real.name);
    }
}

fn compare(name: &str, log: &Log, again: &Log) {
    let (mut job, other) = (log.job().clone(), again.job());
    if !log.header().version.is_current() {
        // Old logs count both their first and their last second.
        job.end_nsec = 999_999_999;
        // They also have 16 bytes more for a command line, which is cut and marked if it needs
        // them.
        if job.is_command_cut() {
            let command = job.command().to_vec();
            job.set_command(&command, &[]);
        }
    }
    assert_eq!(&job, other, "{name}");
    assert_eq!(log.run_time(), again.run_time(), "{name}");
    let names: Vec<_> = log.names().iter().collect();
    assert_eq!(names, again.names().iter().collect::<Vec<_>>(), "{name}");
    assert_eq!(log.header().partial, again.header().partial, "{name}");
    for id in (0..ModuleId::MAX as u8).map(ModuleId) {
        let (before, after) = (log.module_info(id), again.module_info(id));
        assert_eq!(before.extent.len > 0, after.extent.len > 0, "{name} module {}", id.0);
        let Some(module) = id.module().filter(|_| before.extent.len > 0) else {
            continue;
        };
        match module.layout {
            Layout::Counters => compare_counters(name, log, again, module),
            Layout::Lustre => compare_special::<Lustre>(name, log, again),
            Layout::Heatmap => compare_special::<Heatmap>(name, log, again),
            Layout::Mdhim => compare_special::<MdhimServers>(name, log, again),
            Layout::Apmpi => compare_special::<Apmpi>(name, log, again),
            Layout::Apxc => compare_special::<Apxc>(name, log, again),
            Layout::Dxt => compare_traces(name, log, again, module),
        }
    }
}

fn compare_counters(name: &str, log: &Log, again: &Log, module: &'static Module) {
    let (mut before, mut after) = (log.records(module).unwrap(), again.records(module).unwrap());
    let mut count = 0;
    while let Some(record) = before.next().unwrap() {
        let copy = after.next().unwrap();
        // Bits, not values: a NaN is not equal to itself.
        let bits = |floats: &[f64]| floats.iter().map(|f| f.to_bits()).collect::<Vec<_>>();
        let copy = copy.unwrap_or_else(|| panic!("{name}: {} ends early", module.name));
        assert_eq!(bits(record.float), bits(copy.float), "{name}: {}", module.name);
        let parts = (record.base, record.link, record.int, record.uuids, record.words);
        let copied = (copy.base, copy.link, copy.int, copy.uuids, copy.words);
        assert_eq!(parts, copied, "{name}: {}", module.name);
        count += 1;
    }
    assert!(after.next().unwrap().is_none(), "{name}: {}", module.name);
    assert!(count > 0 || before.left_out() > 0, "{name}: {} has no records", module.name);
}

fn compare_special<T: Special + PartialEq + std::fmt::Debug>(name: &str, log: &Log, again: &Log) {
    let before: Vec<T> = log.special().unwrap().map(Result::unwrap).collect();
    let after: Vec<T> = again.special().unwrap().map(Result::unwrap).collect();
    assert!(!before.is_empty(), "{name}: {} has no records", T::MODULE.name);
    assert_eq!(before, after, "{name}: {}", T::MODULE.name);
}

fn compare_traces(name: &str, log: &Log, again: &Log, module: &'static Module) {
    let (mut before, mut after) = (log.dxt(module).unwrap(), again.dxt(module).unwrap());
    assert_eq!(before.has_threads(), after.has_threads(), "{name}");
    while let Some(head) = before.next_record().unwrap() {
        assert_eq!(Some(head), after.next_record().unwrap(), "{name}");
        // Chunks may be cut differently, so segments are gathered first.
        assert_eq!(segments(&mut before), segments(&mut after), "{name}");
    }
    assert_eq!(after.next_record().unwrap(), None, "{name}");
}

/// All segments of the current record, as bits.
fn segments(reader: &mut ioglass_log::DxtReader<'_>) -> Vec<(bool, [u64; 4], Option<u64>)> {
    let mut all = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let write = chunk.operation == ioglass_log::Operation::Write;
        for (i, segment) in chunk.segments.iter().enumerate() {
            let numbers = [
                segment.offset.cast_unsigned(),
                segment.length.cast_unsigned(),
                segment.start.to_bits(),
                segment.end.to_bits(),
            ];
            all.push((write, numbers, chunk.threads.map(|threads| threads[i])));
        }
    }
    all
}

/// Traces of newer libraries carry thread ids, which the format we write has no place for. They
/// go to our block, and listings show them as before.
#[test]
fn thread_ids_survive_in_the_block() {
    let bytes = threaded_trace();
    let log = Log::from_bytes(bytes).unwrap();
    let copied = copy(&log, Vec::new(), Compression::Zlib).unwrap();
    let again = Log::from_bytes(copied.clone()).unwrap();
    let sections: Vec<_> = again.block_sections().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(sections, ["dxt-posix-tid", "dxt-mpiio-tid"]);
    assert_eq!(again.module_info(ioglass_log::dxt::POSIX.id).version, 1);
    assert_eq!(again.module_info(ioglass_log::dxt::MPIIO.id).version, 2);
    compare("threaded", &log, &again);

    let listing = |log: &Log| {
        let mut text = Vec::new();
        assert!(trace(log, TraceOptions::default(), &mut text).unwrap().is_empty());
        let text = String::from_utf8(text).unwrap();
        let kept = |line: &&str| line.contains("X_") || line.starts_with("# DXT, number");
        text.lines().filter(kept).map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = listing(&log);
    assert_eq!(lines, listing(&again));
    assert!(lines.contains(&"# DXT, number of threads: 3".to_owned()), "{lines:#?}");
    let last = lines.iter().find(|line| line.contains("   read")).unwrap();
    assert!(last.ends_with("   140737353971520"), "{last:?}");

    // A copy of the copy keeps the block, and totals are untouched by it.
    let log = Log::from_bytes(copied).unwrap();
    let twice = Log::from_bytes(copy(&log, Vec::new(), Compression::None).unwrap()).unwrap();
    compare("threaded twice", &again, &twice);
    let mut text = Vec::new();
    assert!(list(&twice, ListOptions::default(), &mut text).unwrap().is_empty());
}

/// A log with DXT_POSIX version 2 and DXT_MPIIO version 3.
fn threaded_trace() -> Vec<u8> {
    use ioglass_log::{Base, DxtHead, Encode, Job, LogWriter, Segment, dxt, record_id};

    let mut writer = LogWriter::new(Vec::new(), Compression::Zlib).unwrap();
    let mut job = Job::default();
    job.nprocs = 2;
    job.set_command(b"./threads", &[]);
    writer.job(&job).unwrap();
    let id = record_id(b"/tmp/threads.dat");
    writer.names([(id, b"/tmp/threads.dat".as_slice())]).unwrap();
    for (module, version) in [(&dxt::POSIX, 2), (&dxt::MPIIO, 3)] {
        let mut out = writer.raw_module(module.id, version).unwrap();
        for rank in 0..2 {
            let head = DxtHead {
                base: Base { id, rank },
                hostname: b"node-1".into(),
                writes: 5000,
                reads: 3,
                ..DxtHead::default()
            };
            out.record(&head).unwrap();
            for i in 0..5003_u64 {
                let start = i as f64 * 0.001;
                let offset = (i * 4096).cast_signed();
                let segment = Segment { offset, length: 4096, start, end: start + 0.0005 };
                let mut bytes = Vec::new();
                segment.encode(&mut bytes);
                let thread = 140_737_353_971_520 + i % 3 * 64;
                bytes.extend_from_slice(
                    &if i < 5000 { thread } else { 140_737_353_971_520 }.to_le_bytes(),
                );
                out.bytes(&bytes).unwrap();
            }
        }
        out.finish().unwrap();
    }
    writer.finish().unwrap()
}

/// A module nobody knows is carried along, byte for byte.
#[test]
fn unknown_modules_are_carried() {
    let mut writer = ioglass_log::LogWriter::new(Vec::new(), Compression::Zlib).unwrap();
    writer.job(&ioglass_log::Job::default()).unwrap();
    let mut out = writer.raw_module(ModuleId(42), 7).unwrap();
    let payload: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    out.bytes(&payload).unwrap();
    out.finish().unwrap();
    let log = Log::from_bytes(writer.finish().unwrap()).unwrap();
    let again = Log::from_bytes(copy(&log, Vec::new(), Compression::Bzip2).unwrap()).unwrap();
    assert_eq!(again.module_info(ModuleId(42)).version, 7);
    let mut carried = Vec::new();
    again.for_each_raw_piece(ModuleId(42), |piece| carried.extend_from_slice(piece)).unwrap();
    assert!(carried == payload);
}
