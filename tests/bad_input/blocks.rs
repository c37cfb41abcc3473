//! The `IOGLASS` block behind the last log region.

use ioglass_log::block::{self, Block};
use ioglass_log::{Compression, Job, LogWriter, dxt};

use super::craft::{Craft, ZLIB, compress, repeated, words};
use super::everything::{Depth, Outcome, check};

/// Bytes of a block before its table, and of an entry in that.
const HEAD: usize = 24;
const ENTRY: usize = 40;

/// The bytes of a block with one section of each name, as the crate writes them.
fn encoded(names: &[&str]) -> Vec<u8> {
    let mut block = Block::default();
    names.iter().for_each(|name| block.push(name, b"some bytes to keep"));
    let mut log = Vec::new();
    let mut writer = LogWriter::new(&mut log, Compression::Zlib).unwrap();
    writer.job(&Job::default()).unwrap();
    writer.block(&block);
    writer.finish().unwrap();
    let start = log.windows(block::MAGIC.len()).rposition(|bytes| bytes == block::MAGIC);
    log.split_off(start.unwrap())
}

fn read(case: &str, tail: Vec<u8>) -> Outcome {
    let segment = [words(&[1, 0, 0]), vec![0; 64], words(&[1, 0, 0, 0, 0, 0])].concat();
    let craft = Craft::new(ZLIB).module(dxt::POSIX.id.index(), 1, &segment);
    check(&case, &Craft { tail, ..craft }.build(), Depth::Text)
}

fn set(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

#[test]
fn every_prefix() {
    let block = encoded(&["one", "two"]);
    assert!(read("whole", block.clone()).problems.is_empty());
    for len in 1..block.len() {
        let outcome = read("cut", block[..len].to_vec());
        assert!(outcome.opened && outcome.says("IOGLASS block"), "{len}: {outcome:?}");
    }
}

#[test]
fn heads_that_lie() {
    for (at, value) in [(8, 2), (12, 1025), (12, u32::MAX), (16, u32::MAX), (20, u32::MAX)] {
        let mut block = encoded(&["one"]);
        block[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
        let outcome = read("head", block);
        assert!(outcome.opened && outcome.says("IOGLASS block"), "{at}: {outcome:?}");
    }
}

/// Sections over one another would let a copy take a thousand times the log.
#[test]
fn sections_that_share_bytes() {
    let block = encoded(&["one", "two"]);
    let second = HEAD + ENTRY + 16;
    for offset in [0, HEAD as u64, (HEAD + 2 * ENTRY) as u64, u64::MAX] {
        let mut block = block.clone();
        set(&mut block, second, offset);
        let outcome = read("shared", block);
        assert!(outcome.opened && outcome.says("over another"), "{offset}: {outcome:?}");
    }
}

#[test]
fn sections_that_are_bombs() {
    let stored = repeated(ZLIB, &vec![0; 16 << 20], 64);
    for claimed in [0, 1 << 20, 1 << 30, u64::MAX] {
        let mut block = encoded(&["dxt-posix-tid"]);
        block.truncate(HEAD + ENTRY);
        set(&mut block, 16, (HEAD + ENTRY + stored.len()) as u64);
        set(&mut block, HEAD + 24, stored.len() as u64);
        set(&mut block, HEAD + 32, claimed);
        block.extend_from_slice(&stored);
        let outcome = read("bomb", block);
        assert!(outcome.opened && outcome.says("IOGLASS block"), "{claimed}: {outcome:?}");
    }
}

/// Fewer thread ids than segments.
#[test]
fn threads_that_are_missing() {
    let mut block = encoded(&["dxt-posix-tid"]);
    block.truncate(HEAD + ENTRY);
    let stored = compress(ZLIB, &[1, 2, 3]);
    set(&mut block, 16, (HEAD + ENTRY + stored.len()) as u64);
    set(&mut block, HEAD + 24, stored.len() as u64);
    set(&mut block, HEAD + 32, 3);
    block.extend_from_slice(&stored);
    assert!(read("missing", block).says("thread ids"));
}
