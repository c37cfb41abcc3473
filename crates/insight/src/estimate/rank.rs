//! The distributions of rank statistics, if nothing but chance decides.

use std::f64::consts::SQRT_2;

/// Pairs up to which the distribution of Mann and Whitney is exact.
const MOST_PAIRS: u64 = 1_000_000;
/// Rounds up to which the number of signs, 2ⁿ, can be counted.
const MOST_ROUNDS: u64 = 126;

/// The tail of a distribution that an interval leaves out on each side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tail {
    /// The rank of the value at which the interval begins, from 1.
    pub(super) k: u64,
    /// The probability of less than `k`.
    pub(super) probability: f64,
}

/// The tail of U for `n` and `m` measurements: the longest that has at most the probability `most`, or
/// that of U = 0.
pub(super) fn mann_whitney(n: u64, m: u64, most: f64) -> Tail {
    let pairs = n.saturating_mul(m);
    let distribution = match mann_whitney_counts(n, m) {
        Some((counts, all)) => Distribution::exact(&counts, all),
        None => {
            let (n, m) = (n as f64, m as f64);
            Distribution::Normal {
                mean: n * m / 2.0,
                deviation: (n * m * (n + m + 1.0) / 12.0).sqrt(),
            }
        }
    };
    let first = Tail { k: 1, probability: distribution.at_most(0) };
    distribution.tail(pairs, most).unwrap_or(first)
}

/// The tail of the signed ranks of `n` rounds: the longest that has at most the probability `most`.
pub(super) fn signed_rank(n: u64, most: f64) -> Option<Tail> {
    let ranks = n.saturating_mul(n + 1) / 2;
    let distribution = match signed_rank_counts(n) {
        Some((counts, all)) => Distribution::exact(&counts, all),
        None => {
            let n = n as f64;
            let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0;
            Distribution::Normal { mean: n * (n + 1.0) / 4.0, deviation: variance.sqrt() }
        }
    };
    distribution.tail(ranks, most)
}

/// The lower half of a symmetric distribution over integers from 0.
enum Distribution {
    /// The probabilities of at most 0, 1, 2 …
    Exact(Vec<f64>),
    /// The normal distribution, for large samples.
    Normal { mean: f64, deviation: f64 },
}

impl Distribution {
    fn exact(counts: &[u128], all: u128) -> Self {
        let sums = counts.iter().scan(0_u128, |sum, count| {
            *sum += count;
            Some(*sum as f64 / all as f64)
        });
        Self::Exact(sums.collect())
    }

    /// The probability of at most this value, of the lower half.
    fn at_most(&self, value: u64) -> f64 {
        match self {
            Self::Exact(sums) => sums.get(value as usize).copied().unwrap_or(1.0),
            // The half corrects for the steps of integers.
            Self::Normal { mean, deviation } => {
                libm::erfc((mean - 0.5 - value as f64) / (deviation * SQRT_2)) / 2.0
            }
        }
    }

    /// The longest tail, of values up to `highest`, with at most this probability.
    fn tail(&self, highest: u64, most: f64) -> Option<Tail> {
        let (mut low, mut high) = (0, highest / 2 + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.at_most(middle) <= most {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let last = low.checked_sub(1)?;
        Some(Tail { k: low, probability: self.at_most(last) })
    }
}

/// The number of orders in which U is 0, 1 … up to the middle, and of all orders; none if these are too
/// many. U counts the pairs in which the one of `m` is smaller.
///
/// The counts are the coefficients of ∏ᵢ (1 − q^(m+i)) ÷ (1 − q^i) for i = 1 … n. On the way they may be
/// larger than the result; they are computed modulo 2¹²⁸, which the result does not reach.
fn mann_whitney_counts(n: u64, m: u64) -> Option<(Vec<u128>, u128)> {
    let (n, m) = (n.min(m), n.max(m));
    let pairs = n.checked_mul(m).filter(|pairs| *pairs <= MOST_PAIRS)?;
    let mut all = 1_u128;
    for i in 1..=n {
        all = all.checked_mul(u128::from(m + i)).filter(|all| *all < 1 << 127)? / u128::from(i);
    }
    let mut counts = vec![0_u128; (pairs / 2 + 1) as usize];
    counts[0] = 1;
    for i in 1..=n as usize {
        let far = m as usize + i;
        for value in (far..counts.len()).rev() {
            counts[value] = counts[value].wrapping_sub(counts[value - far]);
        }
        for value in i..counts.len() {
            counts[value] = counts[value].wrapping_add(counts[value - i]);
        }
    }
    Some((counts, all))
}

/// The number of signs for which the positive ranks add up to 0, 1 … up to the middle, and of all signs;
/// none if these are too many.
fn signed_rank_counts(n: u64) -> Option<(Vec<u128>, u128)> {
    if n > MOST_ROUNDS {
        return None;
    }
    let mut counts = vec![0_u128; (n * (n + 1) / 4 + 1) as usize];
    counts[0] = 1;
    for rank in 1..=n as usize {
        for sum in (rank..counts.len()).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    Some((counts, 1 << n))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All subsets of `size` of the numbers below `of`.
    fn subsets(of: u32, size: u32) -> impl Iterator<Item = u32> {
        (0_u32..1 << of).filter(move |set| set.count_ones() == size)
    }

    #[test]
    fn counts_of_u_are_those_of_all_orders() {
        for n in 1..=5_u32 {
            for m in 1..=6_u32 {
                let mut expected = vec![0_u128; (n * m) as usize + 1];
                for set in subsets(n + m, n) {
                    let ones = (0..n + m).filter(|place| set >> place & 1 == 1);
                    let zeros_below = ones.map(|place| (!set & ((1 << place) - 1)).count_ones());
                    expected[zeros_below.sum::<u32>() as usize] += 1;
                }
                let (counts, all) = mann_whitney_counts(n.into(), m.into()).unwrap();
                assert_eq!(counts, expected[..counts.len()], "{n} and {m}");
                assert_eq!(all, expected.iter().sum(), "{n} and {m}");
            }
        }
    }

    #[test]
    fn counts_of_signed_ranks_are_those_of_all_signs() {
        for n in 1..=12_u64 {
            let mut expected = vec![0_u128; (n * (n + 1) / 2) as usize + 1];
            for signs in 0_u64..1 << n {
                let ranks = (1..=n).filter(|rank| signs >> (rank - 1) & 1 == 1);
                expected[ranks.sum::<u64>() as usize] += 1;
            }
            let (counts, all) = signed_rank_counts(n).unwrap();
            assert_eq!(counts, expected[..counts.len()], "{n}");
            assert_eq!(all, expected.iter().sum(), "{n}");
        }
    }

    /// The largest exact distribution and the normal one hardly differ.
    #[test]
    fn the_normal_distribution_takes_over_where_it_is_near() {
        let (counts, all) = mann_whitney_counts(60, 60).unwrap();
        let exact = Distribution::exact(&counts, all);
        let normal =
            Distribution::Normal { mean: 1800.0, deviation: (3600.0_f64 * 121.0 / 12.0).sqrt() };
        let (exact, normal) = (exact.tail(3600, 0.025).unwrap(), normal.tail(3600, 0.025).unwrap());
        assert!(exact.k.abs_diff(normal.k) <= 1, "{exact:?} {normal:?}");
        assert!(mann_whitney_counts(70, 70).is_none());
        let exact = signed_rank(MOST_ROUNDS, 0.025).unwrap().k as f64;
        let normal = signed_rank(MOST_ROUNDS + 1, 0.025).unwrap().k as f64;
        // One more round adds half a rank for each of the others.
        assert!(normal > exact && normal < exact + 64.0, "{exact} {normal}");
    }

    #[test]
    fn a_large_sample_has_bounded_effort() {
        let tail = mann_whitney(3_000_000_000, 3_000_000_000, 0.025);
        assert!(tail.probability <= 0.025 && tail.probability > 0.024_9, "{tail:?}");
        let tail = mann_whitney(2, 500_000, 0.025);
        assert!(tail.probability <= 0.025 && tail.probability > 0.024_9, "{tail:?}");
    }
}
