//! What the targets do with a log, and how they make one.

use std::hint::black_box;
use std::io;

use ioglass_insight::Diagnosis;
use ioglass_insight::threshold::Thresholds;
use ioglass_log::text::{ListOptions, TextBuilder, TraceOptions, list, trace};
use ioglass_log::{
    Apmpi, Apxc, Compression, Error, Heatmap, Job, Layout, Log, LogWriter, Lustre, MdhimServers,
    Module, ModuleId, RecordBuf, Special, copy, reduce::RecordTable,
};

/// Reads, prints and copies a log. A log without problems must have a copy without problems.
pub fn read_everything(bytes: Vec<u8>) {
    let Ok(log) = Log::from_bytes(bytes) else {
        return;
    };
    let problems = problems(&log);
    // Compressing takes longest by far and says nothing about the reader.
    let Ok(written) = copy(&log, Vec::new(), Compression::None) else {
        assert!(!problems.is_empty(), "a sound log was not copied");
        return;
    };
    let copied = Log::from_bytes(written).expect("a copy opens");
    if problems.is_empty() {
        let new = self::problems(&copied);
        assert!(new.is_empty(), "the copy of a sound log is not sound: {new:?}");
        let same = log.names().iter().map(|(id, _)| id).eq(copied.names().iter().map(|(id, _)| id));
        assert!(same, "the copy has other names");
    }
}

/// Everything that can be wrong with a log, after a look at all of it.
fn problems(log: &Log) -> Vec<String> {
    let mut problems = Vec::new();
    for info in log.modules() {
        let result = match info.id.module() {
            Some(module) => read_module(log, module),
            None => log.for_each_raw_piece(info.id, |piece| {
                black_box(piece);
            }),
        };
        problems.extend(result.err());
    }
    let sections: Vec<String> = log.block_sections().map(|(name, _)| name.to_owned()).collect();
    for section in sections {
        problems.extend(log.block_section(&section, 1 << 20).err());
    }
    let options =
        ListOptions { base: true, total: true, perf: true, file: true, show_incomplete: true };
    problems.extend(list(log, options, &mut io::sink()).unwrap());
    problems.extend(trace(log, TraceOptions { show_incomplete: true }, &mut io::sink()).unwrap());
    let warnings = log.warnings();
    problems.iter().chain(warnings).map(Error::to_string).collect()
}

fn read_module(log: &Log, module: &'static Module) -> Result<(), Error> {
    match module.layout {
        Layout::Counters => read_counters(log, module),
        Layout::Lustre => read_special::<Lustre>(log),
        Layout::Heatmap => read_special::<Heatmap>(log),
        Layout::Mdhim => read_special::<MdhimServers>(log),
        Layout::Apmpi => read_special::<Apmpi>(log),
        Layout::Apxc => read_special::<Apxc>(log),
        Layout::Dxt => {
            let mut reader = log.dxt(module)?;
            while reader.next_record()?.is_some() {
                while let Some(chunk) = reader.next_chunk()? {
                    black_box(chunk);
                }
            }
            Ok(())
        }
    }
}

fn read_counters(log: &Log, module: &'static Module) -> Result<(), Error> {
    let mut records = log.records(module)?;
    let mut all = RecordTable::new(module);
    while let Some(record) = records.next()? {
        // Of all ranks, if they are of the first file, and each for itself.
        all.add(0, record);
        all.add(all.rows(), record);
    }
    let mut record = RecordBuf::new(module);
    (0..all.rows()).for_each(|row| all.finish(row, &mut record));
    black_box(record);
    Ok(())
}

fn read_special<T: Special>(log: &Log) -> Result<(), Error> {
    log.special::<T>()?.try_for_each(|record| record.map(|record| drop(black_box(record))))
}

/// Diagnoses a log. Nothing may cost more than the run took, nor be no number.
pub fn diagnose(log: &Log) {
    let found = Diagnosis::of(log, &Thresholds::default());
    let run_time = found.subject.run_time.max(1e-9);
    for finding in &found.findings {
        let code = finding.detector.code;
        assert!((0.0..=run_time).contains(&finding.seconds_at_stake), "{code}");
        assert!((0.0..=run_time).contains(&finding.seconds_net), "{code}");
        assert!(finding.evidence.iter().all(|number| number.value.is_finite()), "{code}");
    }
    black_box(found);
}

/// Makes a log of a text. The log must be sound, and its listings must make a log again.
pub fn log_of_text(text: &[u8]) {
    let Some(log) = build(text) else {
        return;
    };
    let problems = problems(&log);
    assert!(problems.is_empty(), "a log made of text is not sound: {problems:?}");
    let mut listing = Vec::new();
    let options = ListOptions { base: true, show_incomplete: true, ..ListOptions::default() };
    list(&log, options, &mut listing).unwrap();
    trace(&log, TraceOptions { show_incomplete: true }, &mut listing).unwrap();
    black_box(build(&listing));
}

fn build(text: &[u8]) -> Option<Log> {
    let mut builder = TextBuilder::new();
    builder.read(text).ok()?;
    let written = builder.write(Vec::new(), Compression::None).expect("a buffer takes it");
    Some(Log::from_bytes(written).expect("a log made of text opens"))
}

/// A log whose log regions are made of `bytes`: module, version, length (two bytes), content, and
/// so on; module 0 are the names. Log regions that come twice or too late are left out.
pub fn with_log_regions(mut bytes: &[u8]) -> Vec<u8> {
    let mut log = Vec::new();
    let mut writer = LogWriter::new(&mut log, Compression::None).unwrap();
    let mut job = Job::default();
    (job.nprocs, job.end_sec) = (4, 10);
    job.set_command(b"./app", &[]);
    writer.job(&job).unwrap();
    while let Some((head, rest)) = bytes.split_first_chunk::<4>() {
        let [number, version, low, high] = *head;
        let len = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
        let (content, rest) = rest.split_at(len);
        bytes = rest;
        if number % 64 == 0 {
            let names = content.chunks(20).filter_map(|name| {
                let (id, name) = name.split_first()?;
                Some((u64::from(*id), name))
            });
            let _ = writer.names(names);
        } else if let Ok(mut out) = writer.raw_module(ModuleId(number % 64), version.into()) {
            out.bytes(content).unwrap();
            out.finish().unwrap();
        }
    }
    writer.finish().unwrap();
    log
}

/// Reads a profile as far as it is sound, shows it in every way, and writes it again. What was read
/// without problems must come back the same.
pub fn read_profile(bytes: Vec<u8>) {
    let Ok(reader) = ioglass_profile::Reader::of_bytes(ioglass_profile::format::repaired(bytes))
    else {
        return;
    };
    let (profile, problems) = reader.whole();
    let Ok(written) = ioglass_profile::write(&profile, ioglass_profile::Compression::None) else {
        return;
    };
    let again = ioglass_profile::Reader::of_bytes(written).expect("what was written opens");
    if problems.is_empty() {
        let (same, problems) = again.whole();
        assert!(problems.is_empty(), "{problems:?}");
        assert!(format!("{same:?}") == format!("{profile:?}"), "another profile came back");
    }
    let Ok(set) = ioglass_profile::Set::of_profile(&profile) else { return };
    let options =
        ioglass_report::profile::terminal::Options { is_verbose: true, ..Default::default() };
    ioglass_report::profile::terminal::write(&mut io::sink(), &set, &options).unwrap();
    let by = ioglass_report::profile::By::ALL.to_vec();
    let selection = ioglass_report::profile::Selection { by, ..Default::default() };
    let document = ioglass_report::profile::json::Document::new(&set, &selection);
    ioglass_report::profile::json::write(&mut io::sink(), &document, false).unwrap();
}
