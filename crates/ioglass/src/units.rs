//! Numbers for people: three digits, binary bytes, a space before the unit.

/// Digits in groups of three.
pub(crate) fn thousands(number: u64) -> String {
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
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// Bytes as `12.3 GiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    // 1023.5 would be shown as 1024.
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", three_digits(value), UNITS[unit])
}

/// Seconds as `762 s`, `0.50 s` or `2 h 47 m`.
pub(crate) fn seconds(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "?".into();
    }
    if seconds == 0.0 {
        return "0 s".into();
    }
    if seconds < 0.0001 {
        return "< 0.1 ms".into();
    }
    if seconds < 9_999.5 {
        return format!("{} s", three_digits(seconds));
    }
    let minutes = (seconds / 60.0).round() as u64;
    format!("{} h {:02} m", thousands(minutes / 60), minutes % 60)
}

/// Three significant digits; whole numbers stay whole, and small ones keep what matters.
fn three_digits(value: f64) -> String {
    if value >= 99.95 {
        thousands(value.round() as u64)
    } else if value >= 9.995 {
        trim(format!("{value:.1}"))
    } else if value >= 0.0995 {
        trim(format!("{value:.2}"))
    } else if value >= 0.00995 {
        format!("{value:.3}")
    } else {
        format!("{value:.4}")
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
    fn as_the_style_wants_them() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(12), "12");
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1024), "1 KiB");
        assert_eq!(bytes(549_755_813_888), "512 GiB");
        assert_eq!(bytes(105_877_800_000), "98.6 GiB");
        assert_eq!(bytes(1024 * 1024 - 1), "1 MiB");
        assert_eq!(bytes(u64::MAX), "16 EiB");
        assert_eq!(seconds(780.0), "780 s");
        assert_eq!(seconds(0.0347), "0.035 s");
        assert_eq!(seconds(0.5), "0.50 s");
        assert_eq!(seconds(10_020.0), "2 h 47 m");
        assert_eq!(seconds(f64::NAN), "?");
        assert_eq!(counted(1, "file", "files"), "1 file");
        assert_eq!(counted(2_048, "file", "files"), "2,048 files");
    }
}
