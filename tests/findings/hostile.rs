//! Logs that lie: whatever they say, a diagnosis comes of it, soon, and in little memory.

use std::time::{Duration, Instant};

use ioglass_insight::threshold::Thresholds;
use ioglass_insight::{Diagnosis, detect};
use ioglass_log::{
    Base, Compression, DxtHead, Heatmap, Job, Layout, Log, LogWriter, Lustre, LustreComponent,
    Module, Segment, dxt, heatmap, lustre, modules, posix, record_id,
};

use crate::bad_input::craft::{Craft, PLAIN, job, words};
use crate::memory::peak_of;

const MOST_TIME: Duration = Duration::from_secs(2);
const MOST_MEMORY: u64 = 500 << 20;

/// Diagnoses a log. Whatever is said must be shown without surprises.
fn survive(what: &str, bytes: Vec<u8>) -> Option<Diagnosis> {
    let log = Log::from_bytes(bytes).ok()?;
    let begin = Instant::now();
    let (diagnosis, memory) = peak_of(|| Diagnosis::of(&log, &Thresholds::default()));
    assert!(begin.elapsed() < MOST_TIME, "{what}: {:?}", begin.elapsed());
    assert!(memory < MOST_MEMORY, "{what}: {} MiB", memory >> 20);
    let run_time = diagnosis.subject.run_time;
    assert!(run_time.is_finite() && run_time >= 0.0, "{what}: {run_time}");
    let is_time =
        |seconds: f64| seconds.is_finite() && (0.0..=run_time.max(1e-9)).contains(&seconds);
    assert!(is_time(diagnosis.verdict.avoidable), "{what}: {}", diagnosis.verdict.avoidable);
    assert!(is_time(diagnosis.budget.io), "{what}: {:?}", diagnosis.budget);
    assert!(diagnosis.budget.parts.iter().all(|part| is_time(part.seconds)), "{what}");
    assert!(diagnosis.findings.len() <= detect::ALL.len());
    for finding in &diagnosis.findings {
        let code = finding.detector.code;
        assert!(is_time(finding.seconds_at_stake), "{what}, {code}");
        assert!(is_time(finding.seconds_net), "{what}, {code}");
        assert!((0.0..=1.0).contains(&finding.share), "{what}, {code}");
        let numbers = finding.evidence.iter().map(|number| number.value);
        let drawn = finding.chart.iter().flat_map(|chart| chart.values.iter().copied());
        assert!(numbers.chain(drawn).all(f64::is_finite), "{what}, {code}: {:?}", finding.evidence);
    }
    Some(diagnosis)
}

const NUMBERS: [i64; 6] = [i64::MAX, i64::MIN, i64::MAX / 2, -1, 0, 1];
const TIMES: [f64; 8] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, -1.0, 1e-320, 3.0];

/// A record with the same number in every counter.
fn record(module: &Module, id: u64, rank: i64, number: i64, time: f64) -> Vec<u8> {
    let mut bytes = words(&[id.cast_signed(), rank]);
    let size = module.record_size(module.version);
    let floats = 8 * module.floats.len() + 16 * module.uuids + 8 * module.words;
    while bytes.len() < size {
        let is_float = bytes.len() >= size - floats;
        let word = if is_float { time.to_bits() } else { number.cast_unsigned() };
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// A job of so many ranks, from one second to another.
fn with_job(nprocs: i64, start: i64, end: i64, text: &[u8]) -> Craft {
    let mut craft = Craft::new(PLAIN);
    craft.job = job(&[7, start, 0, end, 0, nprocs, 42], text);
    craft
}

/// Every module with counters, for three ranks.
fn with_counters(mut craft: Craft, number: i64, time: f64, ranks: [i64; 3]) -> Craft {
    for module in modules().filter(|module| module.layout == Layout::Counters) {
        let records = ranks.into_iter().map(|rank| record(module, 1, rank, number, time));
        let bytes = records.collect::<Vec<_>>().concat();
        craft = craft.module(module.id.index(), module.version, &bytes);
    }
    craft
}

#[test]
fn numbers_at_their_ends() {
    for number in NUMBERS {
        for time in TIMES {
            for ranks in [[0, 1, 2], [-1, -1, -1], [-1, 0, i64::MAX], [i64::MIN, -2, 7]] {
                let craft =
                    with_job(8, 1000, 1010, b"./app\nlustre\t/").names(b"\x01\0\0\0\0\0\0\0/a\0");
                let what = format!("{number}, {time}, {ranks:?}");
                let bytes = with_counters(craft, number, time, ranks).build();
                assert!(survive(&what, bytes).is_some(), "{what}");
            }
        }
    }
}

#[test]
fn jobs_of_any_size_and_time() {
    for nprocs in [0, -1, 1, 2, i64::MIN, i64::MAX] {
        for (start, end) in [(5, 5), (10, 5), (i64::MIN, i64::MAX), (i64::MAX, i64::MIN), (0, 0)] {
            for number in [i64::MAX, 1000, 0] {
                let craft = with_job(nprocs, start, end, b"\xff\xfe\x1b]0;\x07\nlustre\t/");
                let what = format!("{nprocs} ranks, {start} to {end}, {number}");
                survive(&what, with_counters(craft, number, 2.5, [-1, 0, 1]).build());
            }
        }
    }
}

#[test]
fn names_that_are_none() {
    let long = [b'x'; 60_000];
    let names: [&[u8]; 8] = [
        b"<script>alert(1)</script>",
        b"/data/\x1b[31mred\x1b[0m\x1b]0;title\x07",
        b"/two\nlines\r\tand a tab",
        b"/not/\xff\xfe\xc0utf8",
        b"",
        b"../../../etc/passwd",
        b"/{name}/{0}/%s%n/`id`/$(id)/'\"",
        &long,
    ];
    for name in names {
        let raw = [&1_u64.to_le_bytes()[..], name, b"\0"].concat();
        for number in [1500, i64::MAX] {
            let craft = with_job(8, 1000, 1010, b"./app\nlustre\t/").names(&raw);
            let bytes = with_counters(craft, number, 2.5, [0, 1, 2]).build();
            let what = name[..name.len().min(20)].escape_ascii().to_string();
            let found = survive(&what, bytes).unwrap();
            // What is to be pasted stays one line and cannot be broken out of.
            for advice in found.findings.iter().flat_map(|finding| &finding.advice) {
                for command in &advice.commands {
                    assert!(!command.line.contains(['\n', '\x1b', '\r']), "{what}: {command:?}");
                }
            }
        }
    }
}

#[test]
fn very_many_mounts() {
    let mounts: String = (0..100_000).map(|n| format!("\nlustre\t/mount/{n}")).collect();
    let raw: Vec<u8> = (1..2000_u64)
        .flat_map(|id| [&id.to_le_bytes()[..], format!("/mount/{id}/f\0").as_bytes()].concat())
        .collect();
    let posix: Vec<u8> =
        (1..2000).flat_map(|id| record(&posix::MODULE, id, 0, 1000, 0.01)).collect();
    let craft = with_job(8, 1000, 1010, format!("./app{mounts}").as_bytes()).names(&raw);
    survive(
        "mounts",
        craft.module(posix::MODULE.id.index(), posix::MODULE.version, &posix).build(),
    );
}

/// A log with a heat map, a layout and a trace that say whatever they like.
fn with_specials(number: i64, time: f64) -> Vec<u8> {
    let id = record_id(b"/a");
    let base = |rank| Base { id, rank };
    let mut writer = LogWriter::new(Vec::new(), Compression::None).unwrap();
    let mut job = Job::default();
    (job.nprocs, job.end_sec) = (8, 10);
    job.set_command(b"./app", &[]);
    writer.job(&job).unwrap();
    writer.names([(id, b"/a".as_slice())]).unwrap();
    let mut out = writer.raw_module(posix::MODULE.id, posix::MODULE.version).unwrap();
    out.bytes(&record(&posix::MODULE, id, 0, 1 << 20, 1.0)).unwrap();
    out.finish().unwrap();
    let mut out = writer.module(&lustre::MODULE).unwrap();
    let part = LustreComponent {
        stripe_size: number,
        stripe_count: number,
        start: number,
        end: number,
        ..LustreComponent::default()
    };
    out.record(&Lustre { base: base(0), components: vec![part; 3], osts: vec![number; 4] })
        .unwrap();
    out.finish().unwrap();
    for module in [&dxt::POSIX, &dxt::MPIIO] {
        let mut out = writer.module(module).unwrap();
        for rank in [0, 1, number] {
            let head = DxtHead {
                base: base(rank),
                shared: 0,
                hostname: b"\x1b\xff".into(),
                writes: 2,
                reads: 2,
            };
            out.record(&head).unwrap();
            for (offset, length) in [(number, 1), (0, number), (number, number), (5, 5)] {
                let segment = Segment { offset, length, start: time, end: time + 1.0 };
                out.record(&segment).unwrap();
            }
        }
        out.finish().unwrap();
    }
    let mut out = writer.module(&heatmap::MODULE).unwrap();
    for (name, rank) in [("heatmap:POSIX", 0), ("heatmap:POSIX", number), ("heatmap:MPIIO", 1)] {
        let base = Base { id: record_id(name.as_bytes()), rank };
        let bins = vec![number; 100];
        let map = Heatmap { base, bin_width: time, writes: bins.clone(), reads: bins };
        out.record(&map).unwrap();
    }
    out.finish().unwrap();
    writer.finish().unwrap()
}

#[test]
fn layouts_traces_and_heat_maps_that_lie() {
    for number in NUMBERS {
        for time in TIMES {
            survive(&format!("{number}, {time}"), with_specials(number, time));
        }
    }
}
