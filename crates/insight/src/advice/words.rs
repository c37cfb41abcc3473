//! Numbers and names inside sentences and commands.

use crate::number::thousands;

/// A path as a shell takes it, so that pasting it does nothing but name the path. What cannot be
/// typed is replaced by `stand_in`: a log is not to be trusted.
pub(super) fn path(path: &str, stand_in: &str) -> String {
    if path.is_empty() || path.chars().any(is_unprintable) {
        return stand_in.to_owned();
    }
    // What begins with a dash would be an option.
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// A program as a shell takes it, if its name is nothing but a name.
pub(super) fn program(name: &str) -> String {
    let quoted = path(name, "PROGRAM");
    if quoted.contains(['\'', '/']) { "PROGRAM".to_owned() } else { quoted }
}

/// Control characters, and those that change the direction of text or take no room.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{FFFD}' | '\u{00AD}' | '\u{FEFF}' | '\u{2028}'..='\u{202E}')
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{206F}' | '\u{061C}')
}

/// Bytes with three digits: `16 MiB`, `1.5 GiB`.
pub(super) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    // 1,023.5 and more would be shown as 1,024.
    while value >= 1023.5 {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    let number = format!("{value:.digits$}");
    let number =
        if digits > 0 { number.trim_end_matches('0').trim_end_matches('.') } else { &number };
    format!("{number} {}", UNITS[unit])
}

/// Bytes as `lfs` and `dd` take them: `16M`, or the bare number where no unit fits.
pub(super) fn size_option(bytes: u64) -> String {
    for (shift, unit) in [(30, 'G'), (20, 'M'), (10, 'K')] {
        if bytes > 0 && bytes.trailing_zeros() >= shift {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

/// A count and its noun: `1 file`, `2,048 files`.
pub(super) fn many(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// How often: `once`, `twice`, `5 times`.
pub(super) fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{} times", thousands(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_paths_name_the_path_and_do_nothing_else() {
        assert_eq!(path("/lus/theta-fs0/run_1", "DIR"), "/lus/theta-fs0/run_1");
        assert_eq!(path("/a b/$(reboot)", "DIR"), "'/a b/$(reboot)'");
        assert_eq!(path("it's;ls", "DIR"), r"'it'\''s;ls'");
        assert_eq!(path("-rf", "DIR"), "./-rf");
        assert_eq!(path("~root", "DIR"), "'~root'");
        for bad in ["", "/a\nreboot\n", "/a\u{1b}[2J", "/a\u{202e}b", "/a\u{fffd}"] {
            assert_eq!(path(bad, "DIR"), "DIR", "{bad:?}");
        }
    }

    #[test]
    fn bytes_have_three_digits() {
        for (value, shown) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (16 << 20, "16 MiB"),
            ((1 << 20) - 1, "1 MiB"),
            (105_877_800_000, "98.6 GiB"),
            (u64::MAX, "16 EiB"),
        ] {
            assert_eq!(bytes(value), shown);
        }
    }

    #[test]
    fn options_have_the_exact_size() {
        for (value, shown) in
            [(16 << 20, "16M"), (1 << 30, "1G"), (65_536, "64K"), (47_008, "47008"), (0, "0")]
        {
            assert_eq!(size_option(value), shown);
        }
    }
}
