//! Patterns of names: `*` any bytes, `?` one byte, `[a-z]` one of some, `[!a-z]` none of them.

/// A pattern has no special character: it is a name.
pub fn is_exact(pattern: &str) -> bool {
    !pattern.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

/// Compares a path with a pattern: with the whole path if the pattern has a `/`, else with its last part.
pub fn matches_path(pattern: &[u8], path: &[u8]) -> bool {
    if pattern.contains(&b'/') { matches(pattern, path) } else { matches(pattern, last_part(path)) }
}

/// A pattern of paths that is compared often: most names are refused by their first or last bytes.
#[derive(Debug, Clone, Copy)]
pub struct Pattern<'a> {
    text: &'a [u8],
    has_slash: bool,
    /// Bytes before the first special character.
    prefix: usize,
    /// Bytes behind the last special character.
    suffix: usize,
}

impl<'a> Pattern<'a> {
    /// The pattern with this text.
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b']');
        let prefix = bytes.iter().position(special).unwrap_or(bytes.len());
        let suffix = bytes.iter().rev().position(special).unwrap_or(bytes.len());
        Self { text: bytes, has_slash: bytes.contains(&b'/'), prefix, suffix }
    }

    /// Compares a path, whose last part is `last`.
    #[inline]
    pub fn matches<'p>(&self, path: &'p [u8], last: impl FnOnce() -> &'p [u8]) -> bool {
        // Without a `/` in the pattern, the end of the path is that of its last part, or longer.
        if !path.ends_with(&self.text[self.text.len() - self.suffix..]) {
            return false;
        }
        let text = if self.has_slash { path } else { last() };
        text.starts_with(&self.text[..self.prefix]) && matches(self.text, text)
    }

    /// It is compared with the whole path.
    pub fn has_slash(&self) -> bool {
        self.has_slash
    }
}

/// The part of a path behind its last `/`.
pub fn last_part(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Compares a text with a pattern. The effort is bounded by the product of their lengths.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Places after the last `*` to go back to.
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p + 1, t));
            p += 1;
            continue;
        }
        if let Some(next) = one(pattern, p, text[t]) {
            (p, t) = (next, t + 1);
            continue;
        }
        let Some((after, from)) = retry else { return false };
        retry = Some((after, from + 1));
        (p, t) = (after, from + 1);
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// The place after the element of the pattern at `p`, if that element matches the byte.
fn one(pattern: &[u8], p: usize, byte: u8) -> Option<usize> {
    match *pattern.get(p)? {
        b'?' => Some(p + 1),
        b'[' => match set(pattern, p + 1, byte) {
            Some((next, true)) => Some(next),
            Some((_, false)) => None,
            // Without its end a bracket is a letter.
            None => (byte == b'[').then_some(p + 1),
        },
        letter => (letter == byte).then_some(p + 1),
    }
}

/// The place after a set that begins at `p`, and whether the byte is in it.
fn set(pattern: &[u8], mut p: usize, byte: u8) -> Option<(usize, bool)> {
    let negated = matches!(pattern.get(p), Some(b'!' | b'^'));
    if negated {
        p += 1;
    }
    let (first, mut found) = (p, false);
    loop {
        let low = *pattern.get(p)?;
        if low == b']' && p > first {
            return Some((p + 1, found != negated));
        }
        let high = match (pattern.get(p + 1), pattern.get(p + 2)) {
            (Some(b'-'), Some(high)) if *high != b']' => {
                p += 2;
                *high
            }
            _ => low,
        };
        found |= (low..=high).contains(&byte);
        p += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        let rows = [
            ("*.h5", "a.h5", true),
            ("*.h5", "a.h5x", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("", "", true),
            ("", "x", false),
            ("a*b*c", "a--b--b-c", true),
            ("a*b*c", "a--b--b-", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]x", "]x", true),
            ("[a", "[a", true),
            ("python*", "python3.11", true),
        ];
        for (pattern, text, expected) in rows {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_without_a_slash_is_compared_with_the_last_part() {
        assert!(matches_path(b"*.h5", b"/scratch/u/a.h5"));
        assert!(matches_path(b"/scratch/*.h5", b"/scratch/u/a.h5"));
        assert!(!matches_path(b"/home/*.h5", b"/scratch/u/a.h5"));
        assert!(matches_path(b"x", b"/Step#0/x"));
    }

    #[test]
    fn a_pattern_that_is_compared_often_means_the_same() {
        for text in
            ["", "*", "a", "*.h5", "a*", "a?b", "[ab]", "[]]x", "/x/*.h5", "x]", "[a", "a[b"]
        {
            for path in ["", "a", "b", "a.h5", "/x/a.h5", "/y/a.h5", "a-b", "]x", "x]", "[a", "a[b"]
            {
                let pattern = Pattern::new(text);
                let path = path.as_bytes();
                let expected = matches_path(text.as_bytes(), path);
                assert_eq!(pattern.matches(path, || last_part(path)), expected, "{text}");
            }
        }
    }

    #[test]
    fn many_stars_take_bounded_time() {
        let mut pattern = [0; 128];
        for pair in pattern.chunks_mut(2) {
            pair.copy_from_slice(b"*a");
        }
        assert!(!matches(&pattern, &[b'a'; 63]));
        assert!(matches(&pattern, &[b'a'; 64]));
    }
}
