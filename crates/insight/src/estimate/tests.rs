//! Estimates against their definition, computed the long way.

use super::*;

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1 << 24) as f64
    }

    /// Some numbers between 1 and 3; every second time with many that are equal.
    fn some(&mut self, count: usize) -> Vec<f64> {
        let steps = if self.next() < 0.5 { 4.0 } else { 1e6 };
        (0..count).map(|_| 1.0 + 2.0 * (self.next() * steps).round() / steps).collect()
    }
}

fn middle(sorted: &[f64]) -> f64 {
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

/// P(U < k) from all orders of `n` and `m`.
fn chance_of_less(n: usize, m: usize, k: u32) -> f64 {
    let sets = (0_u32..1 << (n + m)).filter(|set| set.count_ones() as usize == n);
    let values: Vec<u32> = sets
        .map(|set| {
            let ones = (0..n + m).filter(|place| set >> place & 1 == 1);
            ones.map(|place| (!set & ((1_u32 << place) - 1)).count_ones()).sum()
        })
        .collect();
    values.iter().filter(|value| **value < k).count() as f64 / values.len() as f64
}

#[test]
fn unpaired_is_its_definition() {
    let mut numbers = Numbers(1);
    for n in 1..=6 {
        for m in 1..=6 {
            let (before, after) = (numbers.some(n), numbers.some(m));
            let mut ratios: Vec<f64> =
                after.iter().flat_map(|after| before.iter().map(move |b| after / b)).collect();
            ratios.sort_by(f64::total_cmp);
            let found = unpaired(&before, &after).unwrap();
            assert_eq!(found.ratio, middle(&ratios), "{before:?} {after:?}");
            let Some(interval) = found.interval else {
                assert_eq!(n * m, 1);
                continue;
            };
            let k = (1..).take_while(|&k| chance_of_less(n, m, k) <= TAIL).last().unwrap_or(1);
            assert_eq!(interval.low, ratios[k as usize - 1], "{before:?} {after:?}");
            assert_eq!(interval.high, ratios[n * m - k as usize], "{before:?} {after:?}");
            let coverage = 1.0 - 2.0 * chance_of_less(n, m, k);
            assert!((interval.coverage - coverage).abs() < 1e-12, "{n} and {m}");
        }
    }
}

#[test]
fn few_runs_cover_what_is_published() {
    let coverage = |n: usize, m: usize| {
        let side = |count: usize| (1..=count).map(|i| i as f64).collect::<Vec<_>>();
        unpaired(&side(n), &side(m)).unwrap()
    };
    for (runs, expected, certainty) in [
        (2, 0.667, Certainty::Weak),
        (3, 0.9, Certainty::Interval),
        (4, 0.971, Certainty::Interval),
        (5, 0.968, Certainty::Interval),
    ] {
        let found = coverage(runs, runs);
        assert!((found.interval.unwrap().coverage - expected).abs() < 5e-4, "{runs}: {found:?}");
        assert_eq!(found.certainty(), certainty, "{runs}");
    }
    assert_eq!(coverage(1, 1).certainty(), Certainty::Single);
    assert_eq!(coverage(1, 3).certainty(), Certainty::Weak);
}

#[test]
fn paired_is_its_definition() {
    let mut numbers = Numbers(2);
    for n in 1..=14 {
        let rounds: Vec<_> = numbers.some(n).into_iter().zip(numbers.some(n)).collect();
        let logs: Vec<f64> = rounds.iter().map(|(a, b)| libm::log(*a) - libm::log(*b)).collect();
        let mut averages: Vec<f64> = (0..n)
            .flat_map(|i| (i..n).map(move |j| (i, j)))
            .map(|(i, j)| f64::midpoint(logs[i], logs[j]))
            .collect();
        averages.sort_by(f64::total_cmp);
        for confidence in [0.95, 0.99] {
            let found = paired(&rounds, confidence).unwrap();
            assert!((found.ratio - libm::exp(middle(&averages))).abs() < 1e-12, "{rounds:?}");
            // P(T < k) from all signs.
            let less = |k: usize| {
                let sum = |signs: usize| {
                    (1..=n).filter(|rank| signs >> (rank - 1) & 1 == 1).sum::<usize>()
                };
                (0..1_usize << n).filter(|&signs| sum(signs) < k).count() as f64
                    / (1_u64 << n) as f64
            };
            let k = (1..).take_while(|&k| less(k) <= (1.0 - confidence) / 2.0).last();
            assert_eq!(found.interval.is_some(), k.is_some(), "{n} rounds, {confidence}");
            let (Some(interval), Some(k)) = (found.interval, k) else { continue };
            assert_eq!(interval.low, libm::exp(averages[k - 1]), "{rounds:?}");
            assert_eq!(interval.high, libm::exp(averages[averages.len() - k]), "{rounds:?}");
            assert!((interval.coverage - (1.0 - 2.0 * less(k))).abs() < 1e-12, "{n}");
            assert!(interval.coverage >= confidence, "{n}");
        }
    }
}

#[test]
fn fewer_rounds_have_no_interval() {
    assert_eq!(fewest_rounds(0.95), Some(6));
    assert_eq!(fewest_rounds(0.99), Some(8));
    assert_eq!(fewest_rounds(1.0), None);
    assert_eq!(fewest_rounds(f64::NAN), None);
    let rounds = [(2.0, 1.0); 6];
    assert_eq!(paired(&rounds[..5], 0.95).unwrap().interval, None);
    let interval = paired(&rounds, 0.95).unwrap().interval.unwrap();
    assert!((interval.low - 2.0).abs() < 1e-12 && (interval.high - 2.0).abs() < 1e-12);
    assert_eq!(paired(&rounds, 0.99).unwrap().interval, None);
}

/// 1,000 × 1,000 pairs are as sure as it gets, and quick.
#[test]
fn many_runs_have_narrow_intervals() {
    let mut numbers = Numbers(3);
    let before: Vec<f64> = (0..1000).map(|_| 1.0 + numbers.next()).collect();
    let after: Vec<f64> = (0..1000).map(|_| 2.0 * (1.0 + numbers.next())).collect();
    let found = unpaired(&before, &after).unwrap();
    let interval = found.interval.unwrap();
    assert!(interval.holds(2.0) && interval.holds(found.ratio), "{found:?}");
    assert!(interval.high - interval.low < 0.2, "{found:?}");
    let rounds: Vec<_> = after.into_iter().zip(before).collect();
    let found = paired(&rounds, 0.95).unwrap();
    assert!(found.interval.unwrap().holds(2.0), "{found:?}");
}

#[test]
fn what_has_no_ratio_has_no_estimate() {
    assert_eq!(unpaired(&[], &[1.0]), None);
    assert_eq!(unpaired(&[1.0], &[]), None);
    assert_eq!(unpaired(&[0.0], &[1.0]), None);
    assert_eq!(unpaired(&[-0.0, 1.0], &[1.0]), None);
    assert_eq!(unpaired(&[1.0], &[-1.0]), None);
    assert_eq!(unpaired(&[f64::NAN], &[1.0]), None);
    assert_eq!(unpaired(&[1.0], &[f64::INFINITY]), None);
    assert_eq!(unpaired(&[f64::MIN_POSITIVE], &[f64::MAX]), None);
    assert_eq!(unpaired(&[2.0], &[0.0]).unwrap().ratio, 0.0);
    assert_eq!(paired(&[], 0.95), None);
    assert_eq!(paired(&[(0.0, 1.0)], 0.95), None);
    assert_eq!(paired(&[(1.0, f64::NAN)], 0.95), None);
}

#[test]
fn the_middle_of_some_numbers() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[f64::NAN]), None);
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
}
