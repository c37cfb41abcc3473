//! Logs that end too early.

use ioglass_log::Log;

use super::everything::{Depth, check};
use crate::support::{RealLog, Rng, real_logs};

/// Logs up to this size are cut everywhere.
const SMALL: usize = 16 << 10;
/// Cuts at random places in larger logs.
const RANDOM_CUTS: usize = 1000;

/// Without this the tests below would also pass for a reader that refuses everything.
#[test]
fn sound_logs_have_no_problems() {
    for log in real_logs() {
        let outcome = check(&log.name, &log.bytes, Depth::Text);
        assert!(outcome.opened, "{}: {:?}", log.name, outcome.problems);
        assert!(outcome.problems.is_empty(), "{}: {:?}", log.name, outcome.problems);
    }
}

#[test]
fn every_prefix_of_small_logs() {
    for log in real_logs().iter().filter(|log| log.bytes.len() <= SMALL) {
        let claimed = claimed(&borders(&log.bytes));
        for len in 0..log.bytes.len() {
            check_cut(log, len, claimed, Depth::Text);
        }
    }
}

#[test]
fn borders_and_random_cuts_of_large_logs() {
    let mut rng = Rng::new();
    for log in real_logs().iter().filter(|log| log.bytes.len() > SMALL) {
        let borders = borders(&log.bytes);
        let claimed = claimed(&borders);
        for border in borders {
            for len in [border - 1, border, border + 1] {
                check_cut(log, len.min(log.bytes.len()), claimed, Depth::Text);
            }
        }
        // Text of megabytes takes a while, and borders have seen to what is particular about it.
        for _ in 0..RANDOM_CUTS {
            check_cut(log, rng.below(log.bytes.len()), claimed, Depth::Records);
        }
    }
}

/// Somebody must notice unless only bytes are missing that no log region claims.
fn check_cut(log: &RealLog, len: usize, claimed: usize, depth: Depth) {
    let case = format!("{} cut to {len} bytes", log.name);
    let outcome = check(&case, &log.bytes[..len], depth);
    assert!(len >= claimed || !outcome.problems.is_empty(), "{case}: nothing was said");
}

/// The end of the last log region.
fn claimed(borders: &[usize]) -> usize {
    borders.last().copied().unwrap_or_default()
}

/// Where log regions begin and end, ascending.
fn borders(bytes: &[u8]) -> Vec<usize> {
    let log = Log::from_bytes(bytes.to_vec()).unwrap();
    let modules = log.modules().map(|info| info.extent);
    let extents = modules.chain([log.header().names, log.job_extent()]);
    let mut borders: Vec<usize> = extents
        .filter(|extent| extent.len > 0)
        .flat_map(|extent| [extent.offset as usize, extent.end() as usize])
        .collect();
    borders.sort_unstable();
    borders.dedup();
    borders
}
