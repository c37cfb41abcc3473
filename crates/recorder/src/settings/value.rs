//! Parsing of small values.

/// Returns true if one of our own switches is on.
pub(super) fn flag(text: &[u8]) -> bool {
    !matches!(text, b"" | b"0" | b"off" | b"no" | b"false")
}

/// A whole number; a fraction is cut off.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let fraction_only = matches!(text.get(digits), None | Some(b'.'))
        && text.iter().skip(digits + 1).all(u8::is_ascii_digit);
    if digits == 0 || !fraction_only { None } else { digits_to_number(&text[..digits]) }
}

/// A number between 0 and 1.
pub(super) fn fraction(text: &[u8]) -> Option<f64> {
    decimal(text).filter(|value| *value <= 1.0)
}

/// Nanoseconds of a number of seconds; they end at the largest number.
pub(super) fn nanoseconds(text: &[u8]) -> Option<u64> {
    decimal(text).map(|seconds| (seconds * 1e9) as u64)
}

/// A number that is not negative, in decimals.
fn decimal(text: &[u8]) -> Option<f64> {
    let text = text.trim_ascii();
    let (mut value, mut unit, mut seen_point) = (0.0, 1.0, false);
    for &byte in text {
        match byte {
            b'.' if !seen_point => seen_point = true,
            b'0'..=b'9' => {
                let digit = f64::from(byte - b'0');
                if seen_point {
                    unit /= 10.0;
                    value += digit * unit;
                } else {
                    value = value * 10.0 + digit;
                }
            }
            _ => return None,
        }
    }
    text.iter().any(u8::is_ascii_digit).then_some(value)
}

/// The first number in a text such as `4711[3].server`.
pub(super) fn first_number(text: &[u8]) -> Option<u64> {
    let begin = text.iter().position(u8::is_ascii_digit)?;
    let digits = text[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits_to_number(&text[begin..begin + digits])
}

fn digits_to_number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |number, &digit| {
        number.checked_mul(10)?.checked_add(u64::from(digit.wrapping_sub(b'0')))
    })
}

/// The first word of a text and the rest.
pub(super) fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    text.split_at(end)
}

/// The settings of a configuration file: names and values, without comments.
pub(super) fn lines(file: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    file.split(|&byte| byte == b'\n')
        .map(|line| {
            let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
            let (name, value) = word(&line[..end]);
            (name, value.trim_ascii())
        })
        .filter(|(name, _)| !name.is_empty())
}

/// The elements of a list: one per line if there are lines, else separated by commas. A comma
/// within brackets, braces or parentheses, or after a backslash, belongs to its element.
pub(super) fn list(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let by_line = text.contains(&b'\n');
    let mut rest = text;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = if by_line { rest.iter().position(|&byte| byte == b'\n') } else { comma(rest) };
        let end = end.unwrap_or(rest.len());
        let element = rest[..end].trim_ascii();
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(element)
    })
    .filter(|element| !element.is_empty())
}

fn comma(text: &[u8]) -> Option<usize> {
    let (mut depth, mut escaped) = (0_usize, false);
    text.iter().position(|&byte| {
        match byte {
            _ if escaped => {
                escaped = false;
                return false;
            }
            b'\\' => escaped = true,
            b'[' | b'{' | b'(' => depth += 1,
            b']' | b'}' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b',' && depth == 0
    })
}
