//! Estimates of how much longer or shorter something takes, from repeated measurements.
//!
//! A change is the median of ratios (Hodges–Lehmann), and its interval comes from the ranks of these
//! ratios. Neither assumes anything of how measurements scatter, so one odd run does little harm.
//! [`unpaired`] is for runs that have nothing to do with each other, [`paired`] for runs that were made
//! in turns.

mod rank;
mod select;
#[cfg(test)]
mod tests;

use rank::{Tail, mann_whitney, signed_rank};
use select::kth;

/// The part of the comparisons whose interval of [`unpaired`] may lie above the truth, and likewise below.
const TAIL: f64 = 0.025;
/// An interval that holds the truth less often is weak.
const WEAK: f64 = 0.9;

/// A ratio and the range in which it lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The ratio.
    pub ratio: f64,
    /// The range; none if there are too few measurements.
    pub interval: Option<Interval>,
}

/// The range of a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The part of such comparisons in which the range holds the true ratio.
    pub coverage: f64,
}

impl Interval {
    /// True if a ratio lies in it.
    pub fn holds(&self, ratio: f64) -> bool {
        self.low <= ratio && ratio <= self.high
    }
}

/// How far an estimate can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// One measurement on each side.
    Single,
    /// An interval that often misses the truth.
    Weak,
    /// An interval that rarely misses the truth.
    Interval,
}

impl Estimate {
    /// How far it can be trusted.
    pub fn certainty(&self) -> Certainty {
        match self.interval {
            None => Certainty::Single,
            Some(interval) if interval.coverage < WEAK => Certainty::Weak,
            Some(_) => Certainty::Interval,
        }
    }
}

/// The ratio after ÷ before of independent measurements: the median of all pairs, with the interval of
/// Mann and Whitney.
///
/// With n before and m after, the n·m ratios are sorted, and the interval reaches from the k-th smallest
/// to the k-th largest. k is the largest for which the exact distribution gives each side at most 2.5 %,
/// and at least 1. One on each side has no interval. For more than 10⁶ pairs, or where the number of
/// orders exceeds 2¹²⁷ (66 and 66), the distribution is the normal one. None if a side is empty, holds a
/// negative or infinite number, or a zero before.
pub fn unpaired(before: &[f64], after: &[f64]) -> Option<Estimate> {
    let (before, after) = (sorted(before)?, sorted(after)?);
    let (least, most) = (*before.first()?, *after.last()?);
    let lowest = after.first()? / before.last()?;
    let highest = most / least;
    if *after.first()? < 0.0 || least <= 0.0 || !highest.is_finite() {
        return None;
    }
    let (n, m) = (before.len() as u64, after.len() as u64);
    let pairs = n.checked_mul(m)?;
    // Ratios fall with the divisor and rise with the dividend, so both are walked once.
    let count = |limit: f64| {
        let mut above = 0;
        let below = |after: &f64| {
            while before.get(above).is_some_and(|before| after / before > limit) {
                above += 1;
            }
            (before.len() - above) as u64
        };
        after.iter().map(below).sum()
    };
    let at = |rank| kth(rank, lowest, highest, count);
    let interval = || {
        let Tail { k, probability } = mann_whitney(n, m, TAIL);
        Interval { low: at(k), high: at(pairs + 1 - k), coverage: 1.0 - 2.0 * probability }
    };
    let ratio = f64::midpoint(at(pairs.div_ceil(2)), at(pairs / 2 + 1));
    Some(Estimate { ratio, interval: (pairs > 1).then(interval) })
}

/// The ratio first ÷ second of measurements that were made in turns: the median of Walsh averages of the
/// logarithms, with the interval of Wilcoxon's signed ranks.
///
/// The interval holds the truth in at least the part `confidence` of all comparisons; with fewer than
/// [`fewest_rounds`] there is none. The distribution is exact up to 126 rounds, then the normal one. None
/// if there is no round, or a number is not positive and finite.
pub fn paired(rounds: &[(f64, f64)], confidence: f64) -> Option<Estimate> {
    let is_sound = |number: f64| number > 0.0 && number.is_finite();
    let log = |&(first, second): &(f64, f64)| {
        (is_sound(first) && is_sound(second)).then(|| libm::log(first) - libm::log(second))
    };
    let logs = sorted(&rounds.iter().map(log).collect::<Option<Vec<f64>>>()?)?;
    let (lowest, highest) = (*logs.first()?, *logs.last()?);
    let n = logs.len() as u64;
    let averages = n.checked_mul(n + 1)? / 2;
    // The partners of a number whose average is low enough are fewer, the larger it is.
    let count = |limit: f64| {
        let mut partners = logs.len();
        let below = |(index, one): (usize, &f64)| {
            while partners > 0 && f64::midpoint(*one, logs[partners - 1]) > limit {
                partners -= 1;
            }
            partners.saturating_sub(index) as u64
        };
        logs.iter().enumerate().map(below).sum()
    };
    let at = |rank| kth(rank, lowest, highest, count);
    let interval = |Tail { k, probability }| Interval {
        low: libm::exp(at(k)),
        high: libm::exp(at(averages + 1 - k)),
        coverage: 1.0 - 2.0 * probability,
    };
    let middle = f64::midpoint(at(averages.div_ceil(2)), at(averages / 2 + 1));
    let tail = signed_rank(n, (1.0 - confidence) / 2.0);
    Some(Estimate { ratio: libm::exp(middle), interval: tail.map(interval) })
}

/// The fewest rounds with which [`paired`] has an interval: 6 for 95 %, 8 for 99 %. None unless the
/// confidence is above 0 and below 1.
pub fn fewest_rounds(confidence: f64) -> Option<u64> {
    let can_be = confidence > 0.0 && confidence < 1.0;
    can_be.then(|| (1..).find(|&n| signed_rank(n, (1.0 - confidence) / 2.0).is_some()))?
}

/// The middle of some numbers, or the mean of the two in the middle. None if there is none, or one is
/// not finite.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let sorted = sorted(numbers)?;
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(*sorted.get(middle - 1)?, upper))
}

/// The numbers in order, if all are finite and there is one.
fn sorted(numbers: &[f64]) -> Option<Vec<f64>> {
    let is_sound = !numbers.is_empty() && numbers.iter().all(|number| number.is_finite());
    is_sound.then(|| {
        // Adding zero makes -0 one with 0.
        let mut numbers: Vec<f64> = numbers.iter().map(|number| number + 0.0).collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    })
}
