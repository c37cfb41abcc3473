//! A log means the same in either byte order.

use ioglass_insight::Diagnosis;
use ioglass_insight::threshold::Thresholds;
use ioglass_log::{Compression, Log, copy};

use super::properties::{LOGS, any, said};
use super::recipe::log_of;
use crate::support::Rng;

#[test]
fn byte_order_does_not_matter() {
    let mut rng = Rng::new();
    for number in 0..LOGS {
        let recipe = any(&mut rng, 8, true);
        if recipe.text().contains("X_POSIX") {
            continue;
        }
        let log = log_of(recipe.text().as_bytes());
        let before = said(&Diagnosis::of(&log, &Thresholds::default()));
        let swapped = swapped(&log);
        let after = said(&Diagnosis::of(&swapped, &Thresholds::default()));
        assert_eq!(before, after, "log {number}\n{}", recipe.text());
    }
}

/// The log as a machine with the other byte order would have written it. Its records are made of
/// words of 8 bytes.
fn swapped(log: &Log) -> Log {
    let mut bytes = copy(log, Vec::new(), Compression::None).unwrap();
    let header = log_header(&bytes);
    let swap = |bytes: &mut [u8], word: usize| bytes.chunks_mut(word).for_each(<[u8]>::reverse);
    for extent in header.modules {
        swap(&mut bytes[extent], 8);
    }
    let mut at = header.names.start;
    while at < header.names.end {
        swap(&mut bytes[at..at + 8], 8);
        at += 8 + bytes[at + 8..].iter().position(|byte| *byte == 0).unwrap() + 1;
    }
    swap(&mut bytes[HEADER..HEADER + 7 * 8], 8);
    swap(&mut bytes[8..16], 8);
    swap(&mut bytes[24..VERSIONS], 8);
    swap(&mut bytes[VERSIONS..HEADER], 4);
    let swapped = Log::from_bytes(bytes).unwrap();
    assert_ne!(swapped.header().order, log.header().order);
    swapped
}

/// Bytes of a header; those before the versions of modules.
const HEADER: usize = 1328;
const VERSIONS: usize = HEADER - 64 * 4;

struct Places {
    names: std::ops::Range<usize>,
    modules: Vec<std::ops::Range<usize>>,
}

fn log_header(bytes: &[u8]) -> Places {
    let log = Log::from_bytes(bytes.to_vec()).unwrap();
    let range = |extent: ioglass_log::Extent| extent.offset as usize..extent.end() as usize;
    let header = log.header();
    Places { names: range(header.names), modules: header.modules.map(range).into() }
}
