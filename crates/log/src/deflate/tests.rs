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
    for raw in [records(200, 704), noise(200_000, 9, 5)] {
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

#[test]
fn records_become_small() {
    let raw = records(1024, 704);
    let (mut best, ours) = (Vec::new(), deflate(&raw));
    let level = flate2::Compression::best();
    flate2::read::DeflateEncoder::new(&raw[..], level).read_to_end(&mut best).unwrap();
    assert!(ours.len() * 10 < best.len() * 12, "{} {}", ours.len(), best.len());
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
