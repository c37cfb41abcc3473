use std::io::Read;

use super::*;

/// Deterministic noise of so many values.
fn noise(len: usize, seed: u32, values: u32) -> Vec<u8> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 16) % values) as u8
    };
    core::iter::repeat_with(next).take(len).collect()
}

/// Records of one size that differ in a few words.
fn records(count: usize, size: usize) -> Vec<u8> {
    let mut all = Vec::new();
    for i in 0..count {
        let mut record = vec![0; size];
        record[..8].copy_from_slice(&noise(8, i as u32, 256));
        record[size / 2..][..8].copy_from_slice(&(i as f64 * 0.37).to_le_bytes());
        record[size / 3..][..8].copy_from_slice(&4096_u64.to_le_bytes());
        all.extend(record);
    }
    all
}

fn inflate(stream: &[u8]) -> Vec<u8> {
    let mut raw = Vec::new();
    flate2::read::DeflateDecoder::new(stream).read_to_end(&mut raw).unwrap();
    raw
}

fn samples() -> Vec<Vec<u8>> {
    let mut samples: Vec<Vec<u8>> = (0..70).map(|len| noise(len, 7, 3)).collect();
    let words: String = (0..20_000).map(|i| format!("/scratch/run-{}/part.{i}\0", i % 7)).collect();
    samples.extend([
        vec![0; 1_000_000],
        vec![1; 257],
        vec![2; 259],
        noise(300_000, 1, 256),
        noise(300_000, 2, 2),
        noise(HISTORY + AT_ONCE, 3, 17),
        noise(HISTORY + AT_ONCE + 1, 3, 17),
        noise(BLOCK, 5, 256),
        records(1, 704),
        records(3000, 704),
        records(3000, 33_000),
        words.into_bytes(),
    ]);
    samples.extend(times_and_names(500, 560));
    samples
}

#[test]
fn what_is_compressed_can_be_read() {
    for (i, raw) in samples().into_iter().enumerate() {
        assert!(inflate(&deflate(&raw)) == raw, "sample {i}");
    }
}

#[test]
fn it_does_not_matter_how_bytes_come() {
    let [times, names] = times_and_names(3000, 704);
    for raw in [records(200, 704), times, names, noise(200_000, 9, 5)] {
        for size in [1, 3, 1000, 65_536, 100_000] {
            let (mut stream, mut out) = (Deflate::new(), Vec::new());
            raw.chunks(size).for_each(|chunk| stream.push(chunk, &mut out));
            stream.finish(Flush::Last, &mut out);
            assert!(out == deflate(&raw), "{size}");
        }
    }
}

#[test]
fn streams_that_stay_open_follow_each_other() {
    let (mut out, mut all) = (Vec::new(), Vec::new());
    for raw in samples() {
        let mut stream = Deflate::new();
        stream.push(&raw, &mut out);
        stream.finish(Flush::Open, &mut out);
        all.extend(raw);
    }
    Deflate::new().finish(Flush::Last, &mut out);
    assert!(inflate(&out) == all);
}

/// Records of a size whose times are near those of the record before, and ids and names of files.
fn times_and_names(count: usize, size: usize) -> [Vec<u8>; 2] {
    let (mut times, mut names) = (Vec::new(), Vec::new());
    for i in 0..count {
        let id = noise(8, i as u32, 256);
        let mut record = vec![0; size];
        record[..8].copy_from_slice(&id);
        record[40..][..8].copy_from_slice(&4096_u64.to_le_bytes());
        for word in 0..6 {
            let jitter = u16::from_le_bytes([id[word], id[word + 1]]);
            let time = 0.8 + 1e-3 * i as f64 + 1e-9 * f64::from(jitter);
            // Differences of large times have few bits.
            let time = f64::from_bits(time.to_bits() & !0x3F_FFFF_FFFF);
            record[size - 64 + 8 * word..][..8].copy_from_slice(&time.to_le_bytes());
        }
        times.extend(record);
        names.extend(&id);
        names.extend(format!("/scratch/project/run/file-{i}.0\0").bytes());
    }
    [times, names]
}

/// Segments of a trace: offset, length, and two times of few bits, near each other.
fn segments(count: usize) -> Vec<u8> {
    let (mut all, mut time) = (Vec::new(), 0.02_f32);
    for (offset, step) in noise(count, 11, 256).into_iter().zip(noise(count, 12, 40)) {
        let (begin, end) = (time, time + 1e-7 * f32::from(step));
        time = end + 1e-5;
        all.extend(u64::from(offset).to_le_bytes());
        all.extend(64_u64.to_le_bytes());
        all.extend([begin, end].map(|time| f64::from(time).to_le_bytes()).as_flattened());
    }
    all
}

#[test]
fn what_logs_hold_becomes_small() {
    let [times, names] = times_and_names(1024, 704);
    // With what percentage of the best that a general compressor can do.
    let samples = [(records(1024, 704), 102), (times, 102), (names, 102), (segments(5000), 104)];
    for (raw, percent) in samples {
        let (mut best, ours) = (Vec::new(), deflate(&raw));
        let level = flate2::Compression::best();
        flate2::read::DeflateEncoder::new(&raw[..], level).read_to_end(&mut best).unwrap();
        assert!(ours.len() * 100 < best.len() * percent, "{} {}", ours.len(), best.len());
    }
}

#[test]
fn codes_are_not_longer_than_they_may_be() {
    // Counts like these give the deepest of trees.
    let mut counts = vec![1_u32, 1];
    while counts.len() < 40 {
        counts.push(counts[counts.len() - 1] + counts[counts.len() - 2]);
    }
    for longest in [7, LONGEST_CODE] {
        let code = Code::of(&counts, longest);
        assert!(code.len.iter().all(|len| usize::from(*len) <= longest));
        let taken: f64 =
            code.len.iter().filter(|len| **len > 0).map(|len| 0.5_f64.powi((*len).into())).sum();
        assert!(taken <= 1.0, "{taken}");
    }
}

const LONGEST_CODE: usize = huffman::LONGEST;
