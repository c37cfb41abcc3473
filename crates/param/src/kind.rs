//! Kinds of values: what may be typed, and the canonical form.

use core::fmt;

/// Most lengths of a shape.
const MAX_LENGTHS: usize = 32;
/// The largest number: what fits into the signed integers of files and calls.
const MAX_NUMBER: u64 = i64::MAX as u64;

/// A kind of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A number of bytes, a multiple of `unit`; may be typed as `64K` or `1MiB`.
    Bytes {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
        /// The value is a multiple of this.
        unit: u64,
    },
    /// A number of things.
    Count {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// `true` or `false`.
    Flag,
    /// One of some words.
    Word(&'static [&'static str]),
    /// Two numbers of bytes: a threshold from 0, and a boundary from 1.
    Alignment,
    /// 1 to 32 lengths from 1.
    Shape,
    /// A strategy for the space of a file: `fsm_aggr`, `page,SIZE`, `aggr` or `none`.
    FileSpace,
    /// A layout on Lustre: `count,size[,pool]`.
    Stripes,
    /// Any text without NUL, up to 1,024 bytes.
    Text,
}

/// A value of some kind; it prints itself in canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// Bytes or a count.
    Number(u64),
    /// `true` or `false`.
    Flag(bool),
    /// A word, with its place in the list of words.
    Word(usize, &'static str),
    /// Threshold and boundary.
    Alignment(u64, u64),
    /// Lengths.
    Shape(Shape<'a>),
    /// A strategy and, for `page`, the size of pages.
    FileSpace(&'static str, Option<u64>),
    /// Count, size and pool of stripes.
    Stripes(u64, u64, Option<&'a str>),
    /// A text.
    Text(&'a str),
}

/// The lengths of a shape.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a>(&'a str);

impl<'a> Shape<'a> {
    /// The lengths, slowest first.
    pub fn lengths(self) -> impl Iterator<Item = u64> + 'a {
        self.0.split(',').filter_map(integer)
    }

    fn parse(text: &'a str) -> Option<Self> {
        let length = |text| integer(text).is_some_and(|length| length > 0);
        let sound = text.split(',').all(length) && text.split(',').count() <= MAX_LENGTHS;
        sound.then_some(Shape(text))
    }
}

impl PartialEq for Shape<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.lengths().eq(other.lengths())
    }
}

impl Eq for Shape<'_> {}

/// The reason why a text is not a value of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid(Kind);

impl core::error::Error for Invalid {}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.0)
    }
}

impl Kind {
    /// The value that a text says.
    ///
    /// # Errors
    /// If the text is of another kind or out of range.
    pub fn parse<'a>(&self, text: &'a str) -> Result<Value<'a>, Invalid> {
        self.value(text.trim()).ok_or(Invalid(*self))
    }

    fn value<'a>(&self, text: &'a str) -> Option<Value<'a>> {
        match *self {
            Kind::Bytes { min, max, unit } => bytes(text)
                .filter(|bytes| (min..=max).contains(bytes) && bytes % unit == 0)
                .map(Value::Number),
            Kind::Count { min, max } => {
                integer(text).filter(|number| (min..=max).contains(number)).map(Value::Number)
            }
            Kind::Flag => match text {
                _ if text.eq_ignore_ascii_case("true") => Some(Value::Flag(true)),
                _ if text.eq_ignore_ascii_case("false") => Some(Value::Flag(false)),
                _ => None,
            },
            Kind::Word(words) => word(words, text).map(|(place, word)| Value::Word(place, word)),
            Kind::Alignment => {
                let (threshold, boundary) = text.split_once(',')?;
                let boundary = bytes(boundary).filter(|boundary| *boundary > 0)?;
                Some(Value::Alignment(bytes(threshold)?, boundary))
            }
            Kind::Shape => Shape::parse(text).map(Value::Shape),
            Kind::FileSpace => file_space(text),
            Kind::Stripes => stripes(text),
            Kind::Text => (text.len() <= 1024 && !text.contains('\0')).then_some(Value::Text(text)),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Bytes { min, max, unit } => {
                write!(f, "bytes, {} to {}", Bytes(*min), Bytes(*max))?;
                if *unit > 1 { write!(f, ", a multiple of {}", Bytes(*unit)) } else { Ok(()) }
            }
            Kind::Count { min, max: MAX_NUMBER } => write!(f, "a number from {min}"),
            Kind::Count { min, max } => write!(f, "a number, {min} to {max}"),
            Kind::Flag => f.write_str("true or false"),
            Kind::Word(words) => {
                for (place, word) in words.iter().enumerate() {
                    f.write_str(if place == 0 { "" } else { ", " })?;
                    f.write_str(word)?;
                }
                Ok(())
            }
            Kind::Alignment => f.write_str("threshold,boundary in bytes, boundary at least 1"),
            Kind::Shape => f.write_str("1 to 32 lengths from 1, as 1,26,327680"),
            Kind::FileSpace => f.write_str("fsm_aggr, page,SIZE (512 to 1G), aggr, none"),
            Kind::Stripes => f.write_str("count,size[,pool], size a multiple of 64K"),
            Kind::Text => f.write_str("text up to 1,024 bytes"),
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Word(_, word) => f.write_str(word),
            Value::Alignment(threshold, boundary) => write!(f, "{threshold},{boundary}"),
            Value::Shape(shape) => {
                for (place, length) in shape.lengths().enumerate() {
                    write!(f, "{}{length}", if place == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            Value::FileSpace(strategy, None) => f.write_str(strategy),
            Value::FileSpace(strategy, Some(size)) => write!(f, "{strategy},{size}"),
            Value::Stripes(count, size, None) => write!(f, "{count},{size}"),
            Value::Stripes(count, size, Some(pool)) => write!(f, "{count},{size},{pool}"),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// A number of bytes as people write it: `64K`, `1M`, or the number.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shift, letter) in [(30, 'G'), (20, 'M'), (10, 'K')] {
            if self.0 >> shift > 0 && self.0.is_multiple_of(1 << shift) {
                return write!(f, "{}{letter}", self.0 >> shift);
            }
        }
        write!(f, "{}", self.0)
    }
}

/// A whole number; no sign, no blanks inside, nothing left over.
fn integer(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok().filter(|number| *number <= MAX_NUMBER) } else { None }
}

/// A number of bytes with a unit or without.
fn bytes(text: &str) -> Option<u64> {
    const UNITS: [(&str, u32); 6] =
        [("KiB", 10), ("MiB", 20), ("GiB", 30), ("K", 10), ("M", 20), ("G", 30)];
    let text = text.trim();
    for (unit, shift) in UNITS {
        let Some(cut) = text.len().checked_sub(unit.len()) else { continue };
        if text.is_char_boundary(cut) && text[cut..].eq_ignore_ascii_case(unit) {
            return integer(&text[..cut])?
                .checked_mul(1 << shift)
                .filter(|number| *number <= MAX_NUMBER);
        }
    }
    integer(text)
}

fn word(words: &'static [&'static str], text: &str) -> Option<(usize, &'static str)> {
    words
        .iter()
        .enumerate()
        .find(|(_, word)| word.eq_ignore_ascii_case(text))
        .map(|(place, word)| (place, *word))
}

fn file_space(text: &str) -> Option<Value<'static>> {
    const WORDS: &[&str] = &["fsm_aggr", "aggr", "none"];
    if let Some((strategy, size)) = text.split_once(',') {
        let size = bytes(size).filter(|size| (512..=1 << 30).contains(size))?;
        return strategy
            .trim()
            .eq_ignore_ascii_case("page")
            .then_some(Value::FileSpace("page", Some(size)));
    }
    word(WORDS, text).map(|(_, strategy)| Value::FileSpace(strategy, None))
}

fn stripes(text: &str) -> Option<Value<'_>> {
    let mut parts = text.splitn(3, ',');
    let count = integer(parts.next()?).filter(|count| *count > 0)?;
    let size = bytes(parts.next()?).filter(|size| *size > 0 && size % (64 << 10) == 0)?;
    let pool = parts.next().map(str::trim);
    let letters = |pool: &str| {
        !pool.is_empty()
            && pool.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
    };
    pool.is_none_or(letters).then_some(Value::Stripes(count, size, pool))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;

    const SIZE: Kind = Kind::Bytes { min: 1, max: i32::MAX as u64, unit: 1 };

    #[test]
    fn values_have_one_canonical_form() {
        let rows = [
            (SIZE, "1MiB", "1048576"),
            (SIZE, "64K", "65536"),
            (SIZE, "64k", "65536"),
            (SIZE, " 7 ", "7"),
            (Kind::Bytes { min: 65536, max: 4 << 30, unit: 65536 }, "128K", "131072"),
            (Kind::Count { min: 1, max: 65536 }, "32", "32"),
            (Kind::Flag, "TRUE", "true"),
            (Kind::Word(&["enable", "disable"]), "Disable", "disable"),
            (Kind::Alignment, " 0, 65536 ", "0,65536"),
            (Kind::Alignment, "4K,1MiB", "4096,1048576"),
            (Kind::Shape, "1, 26,327680", "1,26,327680"),
            (Kind::FileSpace, "page,4K", "page,4096"),
            (Kind::FileSpace, "none", "none"),
            (Kind::Stripes, "4,1M,flash", "4,1048576,flash"),
            (Kind::Text, "*:2", "*:2"),
        ];
        for (kind, typed, canonical) in rows {
            let value = kind.parse(typed).unwrap();
            assert_eq!(value.to_string(), canonical);
            assert_eq!(kind.parse(canonical).unwrap(), value, "the canonical form means the same");
        }
    }

    #[test]
    fn nothing_is_cut_off_or_guessed() {
        let rows: [(Kind, &[&str]); 8] = [
            (
                SIZE,
                &[
                    "",
                    "-1",
                    "+1",
                    "1.5",
                    "1e3",
                    "NaN",
                    "1 MiB x",
                    "0",
                    "2147483648",
                    "1T",
                    "K",
                    "0x10",
                    "1e400",
                    "99999999999999999999",
                    "9223372036854775807K",
                ],
            ),
            (Kind::Count { min: 1, max: 65536 }, &["0", "65537", "4K", "four"]),
            (Kind::Flag, &["1", "yes", ""]),
            (Kind::Word(&["enable"]), &["enabled", ""]),
            (Kind::Alignment, &["1", "0,0", "-1,1", "1,2,3", "1,"]),
            (Kind::Shape, &["", "0", "1,,2", "1,-2", "a"]),
            (Kind::FileSpace, &["page", "page,1", "none,512", "page,2G"]),
            (Kind::Stripes, &["4", "0,64K", "4,1000", "4,64K,", "4,64K,a b"]),
        ];
        for (kind, texts) in rows {
            for text in texts {
                assert!(kind.parse(text).is_err(), "{kind}: {text}");
            }
        }
        let long = [b'1'; 65];
        let mut lengths = long;
        lengths.iter_mut().skip(1).step_by(2).for_each(|byte| *byte = b',');
        assert!(Kind::Shape.parse(core::str::from_utf8(&lengths).unwrap()).is_err(), "33 lengths");
    }

    #[test]
    fn an_error_says_the_range() {
        let kind = Kind::Bytes { min: 65536, max: 4 << 30, unit: 65536 };
        assert_eq!(
            kind.parse("1").unwrap_err().to_string(),
            "expected bytes, 64K to 4G, a multiple of 64K"
        );
    }
}
