//! What two ways of running a program differ by, from rounds in which each ran once.

/// A ratio with the interval in which it lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The Hodges–Lehmann estimate.
    pub median: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The ratio of `before` to `after` over rounds, with the exact interval of Wilcoxon's signed-rank test, on
/// logarithms. Nothing is assumed of the noise but that it is alike in both. None for too few rounds.
pub fn ratio(before: &[f64], after: &[f64], confidence: f64) -> Option<Ratio> {
    let logs: Vec<f64> = before.iter().zip(after).map(|(a, b)| (a / b).ln()).collect();
    if logs.is_empty() || logs.iter().any(|log| !log.is_finite()) {
        return None;
    }
    let mut means = Vec::new();
    for (place, one) in logs.iter().enumerate() {
        means.extend(logs[..=place].iter().map(|other| (one + other) / 2.0));
    }
    means.sort_by(f64::total_cmp);
    let outside = tail(logs.len(), (1.0 - confidence) / 2.0)?;
    Some(Ratio {
        median: median(&means).exp(),
        low: means[outside].exp(),
        high: means[means.len() - 1 - outside].exp(),
    })
}

/// The number of means that lie outside on each side: the largest `k` such that the signed-rank sum is
/// below it with at most this probability.
fn tail(rounds: usize, probability: f64) -> Option<usize> {
    let most = rounds * (rounds + 1) / 2;
    // The share of the signs whose sum of ranks is so much.
    let mut shares = vec![0.0; most + 1];
    shares[0] = 1.0;
    for rank in 1..=rounds {
        for sum in (0..=most).rev() {
            let with = if sum >= rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = (shares[sum] + with) / 2.0;
        }
    }
    let mut below = 0.0;
    let count = shares.iter().take_while(|share| {
        below += **share;
        below <= probability
    });
    count.count().checked_sub(1)
}

/// The median of sorted numbers; 0 of none.
pub fn median(sorted: &[f64]) -> f64 {
    quantile(sorted, 0.5)
}

/// A quantile of sorted numbers, between neighbours if need be; 0 of none.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    sorted[low] + (sorted[(low + 1).min(last)] - sorted[low]) * part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn tails_are_those_of_the_tables() {
        // Critical values of the signed-rank sum, two-sided.
        for (rounds, probability, critical) in [
            (6, 0.025, Some(0)),
            (8, 0.025, Some(3)),
            (8, 0.005, Some(0)),
            (15, 0.025, Some(25)),
            (15, 0.005, Some(15)),
            (5, 0.025, None),
        ] {
            assert_eq!(tail(rounds, probability), critical, "{rounds} {probability}");
        }
    }

    #[test]
    fn a_ratio_is_found_and_lies_in_its_interval() {
        let after = [1.0, 1.1, 0.9, 1.2, 1.0, 1.05, 0.95, 3.0];
        let before: Vec<f64> = after.iter().map(|one| one * 1.5).collect();
        let ratio = ratio(&before, &after, 0.95).unwrap();
        assert!((ratio.median - 1.5).abs() < 1e-12 && (ratio.low - 1.5).abs() < 1e-12);
        assert_eq!(super::ratio(&before[..5], &after[..5], 0.95), None, "too few rounds");
        assert_eq!(super::ratio(&[0.0; 8], &after, 0.95), None, "no ratio");
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        let (mut inside, searches) = (0, 400);
        for search in 0..searches {
            let mut random = Random::new(9, "interval", search);
            let mut draw = |mean: f64| -> Vec<f64> {
                (0..15).map(|_| mean * (0.1 * random.normal()).exp()).collect()
            };
            let (before, after) = (draw(1.3), draw(1.0));
            let ratio = ratio(&before, &after, 0.95).unwrap();
            inside += u32::from(ratio.low <= 1.3 && 1.3 <= ratio.high);
        }
        assert!((370..=395).contains(&inside), "{inside} of {searches}");
    }
}
