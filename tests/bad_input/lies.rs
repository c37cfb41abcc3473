//! Headers and records that claim what cannot be.

use ioglass_log::{bgq, dxt, heatmap, lustre, mdhim, modules, posix, stdio};

use super::craft::{BZIP2, Craft, PLAIN, ZLIB, compress, job, words};
use super::everything::{Depth, Outcome, check};

const LARGE: [i64; 10] = [
    -1,
    i64::MIN,
    i64::MAX,
    1 << 60,
    1 << 61,
    1 << 62,
    (1 << 61) + 1,
    1 << 32,
    u32::MAX as i64,
    1 << 20,
];

fn read(case: &str, bytes: &[u8]) -> Outcome {
    check(&case, bytes, Depth::Text)
}

fn posix_records(count: i64) -> Vec<u8> {
    let size = posix::MODULE.record_size(posix::MODULE.version);
    (0..count).flat_map(|id| [words(&[id, 0]), vec![0; size - 16]].concat()).collect()
}

/// Names of records 0, 1, 2 …
fn names(count: i64) -> Vec<u8> {
    (0..count).flat_map(|id| [words(&[id]), format!("/data/{id}\0").into()].concat()).collect()
}

fn sound(compression: u8) -> Craft {
    let craft = Craft::new(compression).names(&names(3));
    craft.module(posix::MODULE.id.index(), 4, &posix_records(3))
}

#[test]
fn crafted_logs_are_sound_until_they_lie() {
    for compression in [ZLIB, BZIP2, PLAIN] {
        let outcome = read("sound", &sound(compression).build());
        assert!(outcome.opened && outcome.problems.is_empty(), "{outcome:?}");
    }
}

#[test]
fn log_regions_that_cannot_be_where_they_are_said_to_be() {
    for compression in [ZLIB, BZIP2, PLAIN] {
        let craft = sound(compression);
        let len = craft.build().len() as u64;
        let offsets = [1, 16, 100, 1327, 1328, 1329, len - 1, len, len + 1, 1 << 40, u64::MAX];
        let lengths = [1, 17, len, len + 1, 1 << 40, 1 << 63, u64::MAX - len, u64::MAX];
        // Names, POSIX as it is, a module that is not there, one that nobody knows.
        for entry in [0, 2, 3, 9, 11, 15, 16, 50, 64] {
            for offset in offsets {
                for length in lengths {
                    let bytes = craft.build_with_extent(entry, offset, length);
                    let case = format!("entry {entry} at {offset}, {length} long");
                    let outcome = read(&case, &bytes);
                    assert!(!outcome.problems.is_empty(), "{case}: nothing was said");
                }
            }
        }
    }
}

#[test]
fn log_regions_that_share_bytes() {
    let craft = sound(ZLIB).module(stdio::MODULE.id.index(), 2, &vec![0; 248]);
    let bytes = craft.build();
    let end = bytes.len() as u64;
    let stdio = end - craft.modules[1].2.len() as u64;
    // Both are the same bytes; one begins inside the other; one is around the other.
    for (offset, len) in [(stdio, end - stdio), (stdio + 1, 5), (stdio - 9, 40), (1400, end)] {
        let bytes = craft.build_with_extent(1 + posix::MODULE.id.index(), offset, len);
        let outcome = read("shared", &bytes);
        assert!(!outcome.opened && outcome.says("overlaps"), "{outcome:?}");
    }
}

#[test]
fn compressions_nobody_knows() {
    for code in 3..=255 {
        let mut bytes = sound(ZLIB).build();
        bytes[16] = code;
        let outcome = read("compression", &bytes);
        assert!(outcome.says("byte 16") && outcome.says(&code.to_string()), "{outcome:?}");
    }
    // A known one that is not the one that was used.
    for (used, said) in [(ZLIB, BZIP2), (BZIP2, ZLIB), (PLAIN, ZLIB), (PLAIN, BZIP2)] {
        let mut bytes = sound(used).build();
        bytes[16] = said;
        assert!(!read("another compression", &bytes).problems.is_empty());
    }
}

#[test]
fn module_versions_nobody_knows() {
    for module in modules() {
        for version in [0, 99, u32::MAX] {
            let craft = Craft::new(ZLIB).module(module.id.index(), version, &[0; 100]);
            let outcome = read(module.name, &craft.build());
            assert!(outcome.opened && outcome.says("version"), "{}: {outcome:?}", module.name);
        }
    }
}

#[test]
fn every_version_with_bytes_that_mean_nothing() {
    for module in modules() {
        for version in 1..=module.newest {
            for byte in [0, 1, 0x7F, 0x80, 0xFF] {
                for len in [1, 16, 47, 48, 104, 105, 703, 704, 6000, 70_000] {
                    let craft =
                        Craft::new(PLAIN).module(module.id.index(), version, &vec![byte; len]);
                    read(&format!("{} v{version}, {len} × {byte}", module.name), &craft.build());
                }
            }
        }
    }
}

#[test]
fn modules_nobody_knows() {
    let craft = (18..64).fold(Craft::new(ZLIB), |craft, id| craft.module(id, 1, &[id as u8; 99]));
    let outcome = read("unknown modules", &craft.build());
    assert!(outcome.opened && outcome.problems.is_empty(), "{outcome:?}");
}

#[test]
fn bytes_after_the_last_log_region() {
    for tail in [&b"garbage"[..], &[0; 5000], b"IOGLASX\0 and more than a head of it"] {
        let craft = Craft { tail: tail.to_vec(), ..sound(ZLIB) };
        let outcome = read("trailing bytes", &craft.build());
        assert!(outcome.opened && outcome.problems.is_empty(), "{outcome:?}");
    }
    // Inside a log region they cannot be passed over.
    let mut craft = sound(ZLIB);
    craft.modules[0].2.extend_from_slice(b"garbage");
    assert!(read("bytes behind a stream", &craft.build()).says("zlib"));
}

#[test]
fn traces_with_counts_that_lie() {
    for module in [&dxt::POSIX, &dxt::MPIIO] {
        for version in 1..=module.newest {
            for writes in LARGE {
                for reads in [0, 1, -1, i64::MAX] {
                    let head =
                        [words(&[1, 0, 0]), vec![b'h'; 64], words(&[writes, reads])].concat();
                    let raw = [head, vec![0; 400]].concat();
                    let craft = Craft::new(ZLIB).module(module.id.index(), version, &raw);
                    let outcome = read("trace", &craft.build());
                    assert!(outcome.says("segments"), "{writes} {reads}: {outcome:?}");
                }
            }
        }
    }
}

#[test]
fn heat_maps_with_counts_that_lie() {
    for bins in LARGE {
        let raw = [words(&[1, 0, 0, bins, 0, 0]), vec![0; 320]].concat();
        let craft = Craft::new(ZLIB).module(heatmap::MODULE.id.index(), 1, &raw);
        assert!(read("heat map", &craft.build()).says("bins"), "{bins}");
    }
}

#[test]
fn layouts_with_counts_that_lie() {
    for count in LARGE {
        let v1 = [words(&[1, 0, 0, 0, 0, 1 << 20, count]), vec![0; 320]].concat();
        let craft = Craft::new(ZLIB).module(lustre::MODULE.id.index(), 1, &v1);
        assert!(read("v1", &craft.build()).says("targets"), "{count}");
        for (components, stripes) in
            [(count, 1), (1, count), (count, count), (count, -count.max(-99))]
        {
            let v2 = [words(&[1, 0, components, stripes]), vec![0; 320]].concat();
            let craft = Craft::new(ZLIB).module(lustre::MODULE.id.index(), 2, &v2);
            let outcome = read("v2", &craft.build());
            // Less than one component is a record without a layout.
            assert!(components < 1 || outcome.says("components"), "{components} {stripes}");
        }
    }
}

#[test]
fn servers_that_lie() {
    for servers in LARGE.into_iter().filter(|servers| *servers > 0) {
        let raw = [words(&[1, 0, 0, 0, 0, 0, servers]), vec![0; 32 + 320]].concat();
        let craft = Craft::new(ZLIB).module(mdhim::MODULE.id.index(), 1, &raw);
        assert!(read("servers", &craft.build()).says("servers"), "{servers}");
    }
}

#[test]
fn name_lengths_that_lie() {
    for len in [5, 100, 1 << 16, (1 << 16) + 1, 1 << 31, u32::MAX] {
        let raw = [&words(&[1])[..], &len.to_le_bytes(), b"/abc"].concat();
        let job = compress(ZLIB, &job(&[0, 1, 2, 1, 1], b"./app"));
        let craft = Craft { version: "3.00", job, ..Craft::new(ZLIB) }.names(&raw);
        let outcome = read("name length", &craft.build());
        assert!(outcome.opened && outcome.says("record table"), "{len}: {outcome:?}");
    }
    let endless = [words(&[1]), vec![b'a'; 100_000]].concat();
    let outcome = read("no end", &Craft::new(ZLIB).names(&endless).build());
    assert!(outcome.says("longer than"), "{outcome:?}");
}

#[test]
fn jobs_with_extreme_numbers() {
    let extremes = [i64::MIN, i64::MIN + 1, -1, 0, 1, 1 << 40, 1 << 62, i64::MAX];
    for (version, numbers) in [("3.41", 7), ("3.10", 5)] {
        for field in 0..numbers {
            for value in extremes {
                for other in [0, i64::MIN, i64::MAX] {
                    let mut all = vec![other; numbers];
                    all[field] = value;
                    let job = compress(ZLIB, &job(&all, b"./app\nlustre\t/\n\n\n\next4"));
                    let craft = Craft { version, job, ..Craft::new(ZLIB) };
                    let outcome = read("job", &craft.build());
                    assert!(outcome.opened && outcome.problems.is_empty(), "{outcome:?}");
                }
            }
        }
    }
}

#[test]
fn records_with_extreme_numbers() {
    let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE];
    let ints = [i64::MIN, i64::MAX, -1, 0x5555_5555_5555_5555];
    let patterns = floats.iter().map(|float| float.to_bits().cast_signed()).chain(ints);
    for pattern in patterns {
        for module in
            modules().filter(|module| module.link.is_none() || module.id != bgq::MODULE.id)
        {
            let rows = [[pattern, 0], [pattern, -1], [0, pattern], [0, i64::MIN], [pattern; 2]];
            let size = module.record_size(module.version);
            let raw: Vec<u8> = rows
                .iter()
                .flat_map(|base| [words(base), words(&vec![pattern; size / 8 - 2])].concat())
                .collect();
            let craft = Craft::new(PLAIN).module(module.id.index(), module.version, &raw);
            read(&format!("{} full of {pattern:x}", module.name), &craft.build());
        }
    }
}

/// Stripes of which the arithmetic overflows, with operations at the ends of what an offset is.
#[test]
fn striping_of_extreme_files() {
    let ends = [i64::MIN, -1, 0, 1, 4096, i64::MAX];
    for size in [-1, 0, 1, i64::MAX] {
        for (start, end) in ends.into_iter().flat_map(|start| ends.map(|end| (start, end))) {
            let component = [words(&[size, 2, 0, 0, start, end, 0]), vec![0; 16]].concat();
            let layout = [words(&[1, 0, 1, 2]), component, words(&[7, 8])].concat();
            let segments = ends.iter().flat_map(|offset| ends.map(|len| (*offset, len)));
            let segments: Vec<u8> =
                segments.flat_map(|(offset, len)| words(&[offset, len, 0, 0])).collect();
            let head = [words(&[1, 0, 0]), vec![0; 64], words(&[36, 0])].concat();
            let craft = Craft::new(PLAIN).module(lustre::MODULE.id.index(), 2, &layout).module(
                dxt::POSIX.id.index(),
                1,
                &[head, segments].concat(),
            );
            let outcome = read(&format!("stripes of {size}, {start} to {end}"), &craft.build());
            assert!(outcome.problems.is_empty(), "{outcome:?}");
        }
    }
}
