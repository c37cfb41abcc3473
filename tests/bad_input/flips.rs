//! Logs with bytes that are not what was written.

use super::everything::{Depth, check};
use crate::support::{Rng, real_logs};

/// Damaged copies of every log.
const COPIES: usize = 200;
/// Copies of a large log of which the text is looked at, too; that takes long.
const PRINTED: usize = 10;

#[test]
fn random_bytes_of_real_logs() {
    let mut rng = Rng::new();
    for log in real_logs() {
        for copy in 0..COPIES {
            let mut bytes = log.bytes.clone();
            let flips = 1 + rng.below(4);
            for _ in 0..flips {
                // Half of the damage goes to the beginning, where lengths and places are.
                let end = if rng.below(2) == 0 { bytes.len().min(1500) } else { bytes.len() };
                bytes[rng.below(end)] ^= 1 << rng.below(8);
            }
            let small = bytes.len() < 64 << 10;
            let depth = if small || copy < PRINTED { Depth::Text } else { Depth::Records };
            check(&format!("{} copy {copy}", log.name), &bytes, depth);
        }
    }
}
