//! Numbers as the original computes and prints them.

/// A part of a whole. Without a whole it is infinite, or not a number; nothing is caught.
pub(super) fn ratio(part: i64, whole: i64) -> f64 {
    part as f64 / whole as f64
}

/// The distance of two counts as a part of a whole.
pub(super) fn distance(one: i64, other: i64, whole: i64) -> f64 {
    ratio(one.wrapping_sub(other).wrapping_abs(), whole)
}

/// A part of a whole in percent, with the digits that are printed.
pub(super) fn percent(part: i64, whole: i64) -> f64 {
    two_digits(ratio(part, whole) * 100.0)
}

/// The number that two digits after the point leave of a number.
pub(super) fn two_digits(number: f64) -> f64 {
    format!("{number:.2}").parse().unwrap_or(number)
}

/// Bytes as they are printed: a number and its unit.
pub(super) fn human_bytes(bytes: i64) -> (f64, &'static str) {
    const UNITS: [&str; 7] = ["bytes", "KB", "MB", "GB", "TB", "PB", "EB"];
    let mut number = bytes as f64;
    let mut unit = 0;
    while number >= 1024.0 && unit + 1 < UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    // Rounded as a column is, not as a number is printed.
    ((number * 100.0).round_ties_even() / 100.0, UNITS[unit])
}
