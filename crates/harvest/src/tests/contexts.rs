//! I/O by context.

use std::format;
use std::string::ToString;

use ioglass_shm::{IoCounts, IoLayer, RegionCell, RegionIo, RegionText};

use super::*;
use crate::contexts;

fn section(log: &Log) -> String {
    let bytes = log.block_section(contexts::SECTION, 1 << 22).unwrap().unwrap_or_default();
    String::from_utf8(bytes).unwrap()
}

fn text(builder: &mut Builder, text: &[u8]) -> u64 {
    let head = RegionText { size: text.len() as u64 };
    builder.entry(Kind::RegionText, &[head.bytes(), text]) as u64
}

pub(super) fn region(builder: &mut Builder, number: u32, parent: u32, name: &[u8]) {
    let line = 10 + name.len() as u32;
    let (name, file) = (text(builder, name), text(builder, b"src/app.c"));
    let cell = RegionCell { number, parent, name, file, line, ..Default::default() };
    builder.entry(Kind::Region, &[cell.bytes()]);
}

pub(super) fn wrote(builder: &mut Builder, region: u32, execution: u32, record: u64, bytes: u64) {
    let counts = IoCounts { writes: 1, bytes_written: bytes, write: bytes, ..Default::default() };
    let layer = IoLayer::Posix as u64;
    let io = RegionIo { region, execution, layer, record, counts };
    builder.entry(Kind::RegionIo, &[io.bytes()]);
}

/// The line of a context in which so many writes took a nanosecond for each byte.
fn line(rank: u32, record: u64, writes: u64, bytes: u64, place: &str) -> std::string::String {
    let seconds = bytes as f64 / 1e9;
    format!(
        "{rank}\t{record}\tposix\t0\t0\t{writes}\t0\t{bytes}\t0\t0.0000000\t{seconds:.7}\t\
         0.0000000\tregion\t{place}\n"
    )
}

#[test]
fn contexts_are_told_by_rank_record_and_region() {
    let mut first = Builder::new(10, 1);
    first.posix("/a", 0, |_| {});
    region(&mut first, 1, 0, b"main");
    region(&mut first, 2, 1, b"a/b\tc");
    // The same region of another thread.
    region(&mut first, 3, 0, b"main");
    wrote(&mut first, 2, 0, 7, 1000);
    wrote(&mut first, 2, 1, 7, 2000);
    wrote(&mut first, 1, 0, 8, 100);
    wrote(&mut first, 3, 0, 8, 300);
    // Of no region that is known.
    wrote(&mut first, 9, 0, 8, 300);
    let mut second = Builder::new(11, 2);
    second.posix("/a", 0, |_| {});
    region(&mut second, 1, 0, b"main");
    wrote(&mut second, 1, 0, 0, 500);
    let log = harvest(&gone(&[&first, &second]), &run());
    let expected = [
        format!("{}\n", contexts::COLUMNS),
        line(0, 8, 2, 400, "14\tsrc/app.c\tmain"),
        line(0, 7, 2, 3000, "15\tsrc/app.c\tmain/a\\/b\\tc"),
        line(1, 0, 1, 500, "14\tsrc/app.c\tmain"),
    ];
    assert_eq!(section(&log), expected.concat());
}

#[test]
fn a_log_without_regions_has_no_contexts() {
    let mut builder = Builder::new(10, 1);
    builder.posix("/a", 0, |_| {});
    assert_eq!(section(&harvest(&gone(&[&builder]), &run())), "");
}

#[test]
fn what_does_not_fit_counts_without_a_file() {
    let mut builder = Builder::new(10, 1);
    builder.posix("/a", 0, |_| {});
    region(&mut builder, 1, 0, b"main");
    for record in 1..=5000 {
        wrote(&mut builder, 1, 0, record, 1000 * record);
    }
    let text = section(&harvest(&gone(&[&builder]), &run()));
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|row| row.split('\t').collect()).collect();
    assert_eq!(rows.len(), 1025);
    let sum = |rows: &[Vec<&str>]| rows.iter().map(|r| r[7].parse::<u64>().unwrap()).sum::<u64>();
    assert_eq!(sum(&rows), 1000 * 5000 * 5001 / 2);
    let (rest, named) = rows.split_first().unwrap();
    assert_eq!((rest[1], rest[5]), ("0", (5000 - 1024).to_string().as_str()));
    assert!(named.iter().all(|row| row[1].parse::<u64>().unwrap() > 5000 - 1024));
}

#[test]
fn a_path_that_is_too_long_ends_earlier() {
    let mut builder = Builder::new(10, 1);
    builder.posix("/a", 0, |_| {});
    for number in 1..=100 {
        region(&mut builder, number, number - 1, &[b'x'; 1000]);
    }
    wrote(&mut builder, 100, 0, 7, 10);
    let text = section(&harvest(&gone(&[&builder]), &run()));
    let row: Vec<&str> = text.lines().nth(1).unwrap().split('\t').collect();
    assert_eq!(row[15].split('/').count(), 4);
}
