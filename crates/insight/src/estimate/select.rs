//! The k-th smallest of many numbers that can be counted, without a list of them.

/// The `rank`-th smallest number, from 1, of those between `lowest` and `highest`. `count` tells how many
/// are at most some limit. It is asked at most 64 times.
pub(super) fn kth(rank: u64, lowest: f64, highest: f64, count: impl Fn(f64) -> u64) -> f64 {
    let (mut low, mut high) = (key(lowest), key(highest));
    while low < high {
        let middle = low + (high - low) / 2;
        if count(number(middle)) >= rank {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    number(low)
}

/// The sign of a number as bits.
const SIGN: u64 = 1 << 63;

/// An integer that is in the order of the numbers.
fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The number of an integer from [`key`].
fn number(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
}
