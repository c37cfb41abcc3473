//! Numbers for people: three digits, binary bytes, a space before the unit.

use crate::finding::Quantity;

/// Digits in groups of three.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 file`, `2,048 files`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// Bytes as `12.3 GiB`.
pub fn bytes(bytes: u64) -> String {
    if bytes < 1024 { format!("{} B", thousands(bytes)) } else { binary(bytes as f64) }
}

/// Bytes per second as `673 MiB/s`.
pub fn rate(bytes_per_second: f64) -> String {
    match bytes_per_second {
        rate if !rate.is_finite() || rate < 0.0 => "?".into(),
        rate if rate < 1023.5 => format!("{} B/s", digits(rate)),
        rate => format!("{}/s", binary(rate)),
    }
}

/// One decimal below a hundred: more of a size says nothing.
fn binary(bytes: f64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes / 1024.0;
    let mut unit = 0;
    // 1023.5 would be shown as 1024.
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let is_whole = (value - value.round()).abs() < 0.005;
    let decimals = if is_whole || value >= 99.95 { 0 } else { 1 };
    format!("{} {}", fixed(value, decimals), UNITS[unit])
}

/// Seconds as `762 s`, `0.50 s` or `2 h 47 m`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        _ if !seconds.is_finite() || seconds < 0.0 => "?".into(),
        0.0 => "0 s".into(),
        _ if seconds < 0.0001 => "< 0.1 ms".into(),
        _ if seconds < 9_999.5 => format!("{} s", digits(seconds)),
        _ => hours(seconds),
    }
}

/// Seconds of one call: `1.4 µs`, `12 ms`, `0.35 s`.
pub fn short_seconds(seconds: f64) -> String {
    match seconds {
        _ if !seconds.is_finite() || seconds < 0.0 => "?".into(),
        0.0 => "0 s".into(),
        _ if seconds < 1e-6 => format!("{} ns", digits(seconds * 1e9)),
        _ if seconds < 1e-3 => format!("{} µs", digits(seconds * 1e6)),
        _ if seconds < 0.1 => format!("{} ms", digits(seconds * 1e3)),
        _ => self::seconds(seconds),
    }
}

/// Two numbers of seconds without their unit, as fine as the larger deserves: `27.0 to 30.2`.
pub fn span(low: f64, high: f64) -> String {
    let decimals = match high {
        _ if high >= 9_999.5 => return format!("{} to {}", seconds(low), seconds(high)),
        _ if high >= 99.95 => 0,
        _ if high >= 9.995 => 1,
        _ if high >= 0.995 => 2,
        _ => 3,
    };
    format!("{} to {}", fixed(low, decimals), fixed(high, decimals))
}

fn hours(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    format!("{} h {:02} m", thousands(minutes / 60), minutes % 60)
}

/// `762 of 780 s`: the part as fine as the whole deserves, the unit once if it is the same.
pub fn of(part: f64, whole: f64) -> String {
    let decimals: i32 = match whole {
        _ if whole >= 99.95 => 0,
        _ if whole >= 9.995 => 1,
        _ if whole >= 0.995 => 2,
        _ if whole >= 0.00995 => 3,
        _ => 4,
    };
    // A short run needs the digits of its parts, or a part could look larger than the whole.
    let spoken = match whole {
        _ if whole > 0.0001 && whole < 0.0995 => {
            format!("{} s", fixed(whole, decimals.unsigned_abs() as usize))
        }
        _ => seconds(whole),
    };
    if !part.is_finite() || part < 0.0 || !spoken.ends_with(" s") || part == 0.0 {
        let part = seconds(part);
        let unit = if spoken.ends_with(" s") { " s" } else { "" };
        return format!("{} of {spoken}", part.strip_suffix(unit).unwrap_or(&part));
    }
    let smallest = 10f64.powi(-decimals);
    if part < smallest / 2.0 {
        return format!("< {} of {spoken}", fixed(smallest, decimals.unsigned_abs() as usize));
    }
    format!("{} of {spoken}", trim(fixed(part, decimals.unsigned_abs() as usize)))
}

/// A part of 1 in per cent: `98 %`, `0.9 %`. Almost all is told from all: `99.7 %`.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        _ if !percent.is_finite() || percent < 0.0 => "?".into(),
        0.0 => "0 %".into(),
        _ if percent < 0.05 => "< 0.1 %".into(),
        _ if percent < 9.95 => format!("{percent:.1} %"),
        _ if (99.0..100.0).contains(&percent) => format!("{:.1} %", percent.min(99.9)),
        _ => format!("{} %", thousands(percent.round() as u64)),
    }
}

/// The same for a column of findings, whole from 1 % on.
pub fn whole_percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent >= 0.95 { format!("{percent:.0} %") } else { self::percent(share) }
}

/// The change that a ratio is, in per cent: `-69 %`, `+0.5 %`.
pub fn signed_percent(ratio: f64) -> String {
    let percent = 100.0 * (ratio - 1.0);
    match percent {
        _ if !percent.is_finite() => "?".into(),
        _ if percent.abs() < 0.05 => "0 %".into(),
        _ if percent.abs() < 9.95 => format!("{percent:+.1} %"),
        _ if percent < 0.0 => format!("-{} %", thousands((-percent).round() as u64)),
        _ => format!("+{} %", thousands(percent.round() as u64)),
    }
}

/// A ratio: `46×`, `1.1×`, `> 1,000×`.
pub fn ratio(factor: f64) -> String {
    match factor {
        _ if factor.is_nan() || factor < 0.0 => "?".into(),
        _ if factor > 1_000.0 => "> 1,000×".into(),
        _ if factor >= 9.95 => format!("{factor:.0}×"),
        _ => format!("{factor:.1}×"),
    }
}

/// A number with the unit of what it counts.
pub fn quantity(value: f64, quantity: Quantity) -> String {
    match quantity {
        Quantity::Seconds => seconds(value),
        Quantity::BytesPerSecond => rate(value),
        Quantity::Share => percent(value),
        Quantity::Factor => ratio(value),
        _ if !value.is_finite() || value < 0.0 => "?".into(),
        Quantity::Bytes => bytes(value.round() as u64),
        Quantity::Count if value.fract() == 0.0 => thousands(value as u64),
        Quantity::Count => digits(value),
    }
}

/// Three significant digits; whole numbers stay whole, and small ones keep what matters.
pub fn digits(value: f64) -> String {
    match value {
        _ if !value.is_finite() => "?".into(),
        _ if value >= 99.95 => fixed(value, 0),
        _ if value >= 9.995 => trim(fixed(value, 1)),
        _ if value >= 0.00995 => trim(fixed(value, 2)),
        _ => trim(fixed(value, 4)),
    }
}

/// So many decimals, and groups of three before them.
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    match (whole.parse(), fraction) {
        (Ok(whole), "") => thousands(whole),
        (Ok(whole), fraction) => format!("{}.{fraction}", thousands(whole)),
        (Err(_), _) => text,
    }
}

/// `512.0` becomes `512`.
fn trim(text: String) -> String {
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => whole.into(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_bytes_as_the_style_wants_them() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(12), "12");
        assert_eq!(counted(1, "file", "files"), "1 file");
        assert_eq!(counted(2_048, "file", "files"), "2,048 files");
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1,023 B");
        assert_eq!(bytes(1024), "1 KiB");
        assert_eq!(bytes(12_925), "12.6 KiB");
        assert_eq!(bytes(2_627_610), "2.5 MiB");
        assert_eq!(bytes(1024 * 1024 + 20_000), "1.0 MiB");
        assert_eq!(bytes(549_755_813_888), "512 GiB");
        assert_eq!(bytes(105_877_800_000), "98.6 GiB");
        assert_eq!(bytes(1024 * 1024 - 1), "1 MiB");
        assert_eq!(bytes(u64::MAX), "16 EiB");
        assert_eq!(rate(705_691_648.0), "673 MiB/s");
        assert_eq!(rate(1.5), "1.50 B/s");
        assert_eq!(rate(f64::INFINITY), "?");
    }

    #[test]
    fn seconds_as_the_style_wants_them() {
        assert_eq!(seconds(780.0), "780 s");
        assert_eq!(seconds(1479.0), "1,479 s");
        assert_eq!(seconds(0.0383), "0.04 s");
        assert_eq!(seconds(0.0042), "0.0042 s");
        assert_eq!(seconds(0.5), "0.50 s");
        assert_eq!(seconds(16.38), "16.4 s");
        assert_eq!(seconds(0.00001), "< 0.1 ms");
        assert_eq!(seconds(10_020.0), "2 h 47 m");
        assert_eq!(seconds(f64::NAN), "?");
        assert_eq!(span(27.0, 30.24), "27.0 to 30.2");
        assert_eq!(span(0.5, 1.25), "0.50 to 1.25");
        assert_eq!(span(9_000.0, 10_020.0), "9,000 s to 2 h 47 m");
        assert_eq!(signed_percent(0.31), "-69 %");
        assert_eq!(signed_percent(1.005), "+0.5 %");
        assert_eq!(signed_percent(1.0), "0 %");
        assert_eq!(signed_percent(f64::INFINITY), "?");
        assert_eq!(of(761.6, 780.0), "762 of 780 s");
        assert_eq!(of(9.6, 12.0), "9.6 of 12 s");
        assert_eq!(of(0.027, 3.0), "0.03 of 3 s");
        assert_eq!(of(0.001, 3.0), "< 0.01 of 3 s");
        assert_eq!(of(0.0, 3.0), "0 of 3 s");
        assert_eq!(of(0.0319, 0.0346), "0.032 of 0.035 s");
        assert_eq!(of(0.0042, 0.0045), "0.0042 of 0.0045 s");
        assert_eq!(of(1_220.0, 10_020.0), "1,220 s of 2 h 47 m");
        assert_eq!(of(f64::NAN, 3.0), "? of 3 s");
    }

    #[test]
    fn shares_and_ratios_as_the_style_wants_them() {
        assert_eq!(percent(0.9974), "99.7 %");
        assert_eq!(percent(0.99999), "99.9 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.84), "84 %");
        assert_eq!(percent(0.0764), "7.6 %");
        assert_eq!(percent(0.0001), "< 0.1 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(f64::NAN), "?");
        assert_eq!(whole_percent(0.0764), "8 %");
        assert_eq!(whole_percent(0.009), "0.9 %");
        assert_eq!(ratio(45.86), "46×");
        assert_eq!(ratio(1.09), "1.1×");
        assert_eq!(ratio(5_000.0), "> 1,000×");
        assert_eq!(ratio(f64::INFINITY), "> 1,000×");
        assert_eq!(quantity(131_072.0, Quantity::Count), "131,072");
        assert_eq!(quantity(2.5, Quantity::Count), "2.50");
        assert_eq!(quantity(1_048_576.0, Quantity::Bytes), "1 MiB");
    }
}
