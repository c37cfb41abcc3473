//! Counters of a log, as far as they are believed.

/// Largest counter, and largest sum of counters, that is believed: 64 PiB. Arithmetic on a few of
/// them cannot overflow, whatever a log says.
pub(super) const MOST: u64 = 1 << 56;

/// Adds to a sum, up to what is believed. Most counters are 0, and the sums of very many files are
/// not in the cache: a sum that does not change is not touched.
pub(crate) fn add_count(sum: &mut u64, more: u64) {
    if more > 0 {
        *sum = sum.saturating_add(more).min(MOST);
    }
}

/// A counter as far as it is believed; 0 if it holds no number.
pub(crate) fn believed(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0).min(MOST)
}

/// Seconds as far as they are believed: at most 30,000 years; 0 if they are no number.
pub(crate) fn believed_time(seconds: f64) -> f64 {
    if seconds.is_finite() { seconds.clamp(0.0, 1e12) } else { 0.0 }
}

/// A variance of bytes as far as it is believed; 0 if it is no number.
pub(super) fn believed_square(value: f64) -> f64 {
    if value.is_finite() { value.clamp(0.0, (MOST as f64) * (MOST as f64)) } else { 0.0 }
}
