//! Little logs that become large.

use ioglass_log::{apmpi, apxc, dxt, heatmap, lustre, mdhim, mpiio, posix, stdio};

use super::craft::{BZIP2, Craft, PLAIN, ZLIB, repeated, words};
use super::everything::{Depth, Outcome, check};

/// Bytes of one stream of a bomb.
const STREAM: usize = 16 << 20;
/// Streams of a bomb: one gibibyte in all.
const STREAMS: usize = 64;
/// Streams of a bomb that is printed: its text is ten times as large.
const PRINTED_STREAMS: usize = 2;

fn read(case: &str, craft: &Craft) -> Outcome {
    check(&case, &craft.build(), Depth::Text)
}

/// A log region that is said to be a module and is nothing but zeros.
fn zeros(compression: u8, number: usize, version: u32, streams: usize) -> Craft {
    let mut craft = Craft::new(compression);
    let out = repeated(compression, &vec![0; STREAM], streams);
    craft.modules.push((number, version, out));
    craft
}

/// Reads much of that and prints some of it.
fn read_zeros(number: usize, version: u32) {
    let case = format!("zeros as module {number} version {version}");
    check(&case, &zeros(ZLIB, number, version, STREAMS).build(), Depth::Records);
    read(&case, &zeros(ZLIB, number, version, PRINTED_STREAMS));
    read(&case, &zeros(BZIP2, number, version, PRINTED_STREAMS));
}

#[test]
fn names() {
    for compression in [ZLIB, BZIP2] {
        for byte in [0, b'a'] {
            let out = repeated(compression, &vec![byte; STREAM], STREAMS);
            let outcome = read("names", &Craft { names: out, ..Craft::new(compression) });
            assert!(outcome.opened && outcome.says("record table"), "{outcome:?}");
        }
    }
}

#[test]
fn names_without_number() {
    let mut raw = Vec::new();
    for id in 0..4_000_000_i64 {
        raw.extend_from_slice(&id.to_le_bytes());
        raw.push(0);
    }
    let outcome = read("empty names", &Craft::new(ZLIB).names(&raw));
    assert!(outcome.says("too many names"), "{outcome:?}");
}

#[test]
fn zeros_as_counters() {
    read_zeros(posix::MODULE.id.index(), 4);
}

#[test]
fn zeros_as_traces() {
    read_zeros(dxt::POSIX.id.index(), 1);
    read_zeros(dxt::MPIIO.id.index(), 3);
}

#[test]
fn zeros_as_special_records() {
    for version in [1, 2] {
        read_zeros(lustre::MODULE.id.index(), version);
    }
    for module in [&heatmap::MODULE, &mdhim::MODULE, &apmpi::MODULE, &apxc::MODULE] {
        read_zeros(module.id.index(), 1);
    }
    read_zeros(40, 1);
}

/// bzip2 makes next to nothing of zeros, so a small log could keep a reader busy for days.
#[test]
fn zeros_without_end() {
    let mut craft = zeros(BZIP2, mpiio::MODULE.id.index(), 3, STREAMS);
    craft.modules[0].2 = craft.modules[0].2.repeat(100);
    let outcome = check(&"zeros without end", &craft.build(), Depth::Records);
    assert!(outcome.says("more comes out"), "{outcome:?}");
}

/// Every record another file or another rank, so that the table of one or both grows.
#[test]
fn files_and_ranks_without_number() {
    let size = stdio::MODULE.record_size(2);
    for (case, files, ranks) in [("files", 1, 0), ("ranks", 0, 1), ("both", 1, 1)] {
        let mut raw = Vec::new();
        for number in 0..1_000_000_i64 {
            raw.extend_from_slice(&words(&[files * number, ranks * number]));
            raw.resize(raw.len() + size - 16, 0);
        }
        let craft = Craft::new(ZLIB).module(stdio::MODULE.id.index(), 2, &raw);
        drop(raw);
        let outcome = read(case, &craft);
        assert!(outcome.says("more files and ranks"), "{case}: {outcome:?}");
    }
}

/// Memory may grow with the log, and a large log that means what it says is read whole.
#[test]
fn large_and_honest() {
    let size = stdio::MODULE.record_size(2);
    let (mut names, mut records) = (Vec::new(), Vec::new());
    for number in 0..200_000_i64 {
        names.extend_from_slice(&words(&[number]));
        names.extend_from_slice(format!("/scratch/run/output.{number}\0").as_bytes());
        records.extend_from_slice(&words(&[number, number]));
        records.resize(records.len() + size - 16, 0);
    }
    let craft = Craft::new(PLAIN).names(&names).module(stdio::MODULE.id.index(), 2, &records);
    let outcome = read("large and honest", &craft);
    assert!(outcome.problems.is_empty(), "{outcome:?}");
}

#[test]
fn threads_without_number() {
    let count = 3_000_000;
    let mut raw = [words(&[1, 0, 0]), vec![0; 64], words(&[count, 0])].concat();
    for thread in 0..count {
        raw.extend_from_slice(&words(&[0, 0, 0, 0, thread]));
    }
    let outcome = read("threads", &Craft::new(ZLIB).module(dxt::POSIX.id.index(), 2, &raw));
    assert!(outcome.problems.is_empty(), "{outcome:?}");
}

/// A layout for every file, all small or all large; or large until the unused part is cut away.
#[test]
fn layouts_without_number() {
    let head = [words(&[1, 0, 0]), vec![0; 64], words(&[1, 0, 0, 0, 0, 0])].concat();
    let unused = [words(&[-1, 0, 0, 0, 0, 0, 0]), vec![0; 16]].concat();
    for (case, count, components, stripes) in
        [("small", 500_000, 0, 0), ("wide", 300, 1, 30_000), ("unused", 400, 7000, 7000)]
    {
        let mut raw = Vec::new();
        for id in 0..count {
            raw.extend_from_slice(&words(&[id, 0, components, stripes]));
            match case {
                "unused" => raw.extend_from_slice(&unused.repeat(components as usize)),
                "wide" => {
                    raw.extend_from_slice(&words(&[1, stripes, 0, 0, 0, -1, 0, 0, 0]));
                }
                _ => {}
            }
            raw.resize(raw.len() + 8 * stripes as usize, 0);
        }
        let craft = Craft::new(ZLIB).module(lustre::MODULE.id.index(), 2, &raw).module(
            dxt::POSIX.id.index(),
            1,
            &head,
        );
        drop(raw);
        read(case, &craft);
    }
}

/// Long lines: every operation touches every target, every counter repeats a long name.
#[test]
fn text_that_multiplies() {
    let targets = 30_000;
    let layout = words(&[1, 0, 1, targets, 1, targets, 0, 0, 0, -1, 0, 0, 0]);
    let layout = [layout, words(&vec![i64::MIN; targets as usize])].concat();
    let mut trace = [words(&[1, 0, 0]), vec![0; 64], words(&[4000, 0])].concat();
    trace.extend_from_slice(&words(&[0, i64::MAX, 0, 0]).repeat(4000));
    let name = [words(&[1]), vec![b'n'; 60_000], vec![0]].concat();
    let bins = 20_000;
    let map = [words(&[1, 0, 0, bins, 0, 0]), vec![0; 16 * bins as usize]].concat();
    let servers = 20_000;
    let store = [words(&[1, 0, 0, 0, 0, 0, servers]), vec![0; 32 + 8 * servers as usize]].concat();
    let craft = Craft::new(ZLIB)
        .names(&name)
        .module(lustre::MODULE.id.index(), 2, &layout)
        .module(dxt::POSIX.id.index(), 1, &trace)
        .module(mdhim::MODULE.id.index(), 1, &store)
        .module(heatmap::MODULE.id.index(), 1, &map);
    let outcome = read("long lines", &craft);
    assert!(outcome.problems.is_empty(), "{outcome:?}");
}
