//! Bracket expressions: `[a-z_]`, `[^[:space:]]`. They are read from the pattern's text each time.

use super::BadPattern;

/// Classes of bytes, as in the C locale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteClass {
    /// Letters.
    Alpha,
    /// Digits.
    Digit,
    /// Letters and digits.
    Alnum,
    /// Capital letters.
    Upper,
    /// Small letters.
    Lower,
    /// White space.
    Space,
    /// Blank and tab.
    Blank,
    /// Visible characters that are neither letters nor digits.
    Punct,
    /// Visible characters and the blank.
    Print,
    /// Visible characters.
    Graph,
    /// Control characters.
    Cntrl,
    /// Hexadecimal digits.
    Xdigit,
    /// Letters, digits and `_`: the meaning of `\w`.
    Word,
}

impl ByteClass {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alpha" => Self::Alpha,
            b"digit" => Self::Digit,
            b"alnum" => Self::Alnum,
            b"upper" => Self::Upper,
            b"lower" => Self::Lower,
            b"space" => Self::Space,
            b"blank" => Self::Blank,
            b"punct" => Self::Punct,
            b"print" => Self::Print,
            b"graph" => Self::Graph,
            b"cntrl" => Self::Cntrl,
            b"xdigit" => Self::Xdigit,
            _ => return None,
        })
    }

    /// Returns true if the byte belongs to it.
    pub fn has(self, byte: u8) -> bool {
        match self {
            Self::Alpha => byte.is_ascii_alphabetic(),
            Self::Digit => byte.is_ascii_digit(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase(),
            Self::Lower => byte.is_ascii_lowercase(),
            // Rust's white space has no vertical tab.
            Self::Space => byte.is_ascii_whitespace() || byte == 0x0B,
            Self::Blank => matches!(byte, b' ' | b'\t'),
            Self::Punct => byte.is_ascii_punctuation(),
            Self::Print => byte.is_ascii_graphic() || byte == b' ',
            Self::Graph => byte.is_ascii_graphic(),
            Self::Cntrl => byte.is_ascii_control(),
            Self::Xdigit => byte.is_ascii_hexdigit(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
        }
    }
}

enum SetItem {
    Range(u8, u8),
    Class(ByteClass),
}

impl SetItem {
    fn has(&self, byte: u8) -> bool {
        match *self {
            Self::Range(low, high) => (low..=high).contains(&byte),
            Self::Class(class) => class.has(byte),
        }
    }
}

/// Reads a bracket expression, item by item.
struct Reader<'p> {
    source: &'p [u8],
    at: usize,
    first: usize,
    negated: bool,
}

impl<'p> Reader<'p> {
    /// A reader at `at`, which is after the `[`.
    fn new(source: &'p [u8], at: usize) -> Self {
        let negated = source.get(at) == Some(&b'^');
        let first = at + usize::from(negated);
        Self { source, at: first, first, negated }
    }

    /// The next item; `None` after the closing bracket.
    fn next(&mut self) -> Result<Option<SetItem>, BadPattern> {
        let byte = *self.source.get(self.at).ok_or(BadPattern::Open)?;
        // A `]` that comes first stands for itself.
        if byte == b']' && self.at > self.first {
            self.at += 1;
            return Ok(None);
        }
        if byte == b'[' && self.source.get(self.at + 1) == Some(&b':') {
            let name = self.delimited(b':')?;
            return ByteClass::named(name)
                .map(|class| Some(SetItem::Class(class)))
                .ok_or(BadPattern::Set);
        }
        let low = self.element()?;
        let dash = self.source.get(self.at) == Some(&b'-');
        if dash && self.source.get(self.at + 1).is_some_and(|&next| next != b']') {
            self.at += 1;
            let high = self.element()?;
            return if low <= high {
                Ok(Some(SetItem::Range(low, high)))
            } else {
                Err(BadPattern::Set)
            };
        }
        Ok(Some(SetItem::Range(low, low)))
    }

    /// A byte, also as `[.x.]` or `[=x=]`.
    fn element(&mut self) -> Result<u8, BadPattern> {
        let byte = *self.source.get(self.at).ok_or(BadPattern::Open)?;
        let next = self.source.get(self.at + 1);
        match next {
            Some(&mark @ (b'.' | b'=')) if byte == b'[' => match *self.delimited(mark)? {
                [byte] => Ok(byte),
                _ => Err(BadPattern::Set),
            },
            _ => {
                self.at += 1;
                Ok(byte)
            }
        }
    }

    /// The text between `[:` and `:]`.
    fn delimited(&mut self, mark: u8) -> Result<&'p [u8], BadPattern> {
        let rest = self.source.get(self.at + 2..).ok_or(BadPattern::Open)?;
        let len = rest.windows(2).position(|pair| pair == [mark, b']']).ok_or(BadPattern::Open)?;
        self.at += 2 + len + 2;
        Ok(&rest[..len])
    }
}

/// Checks the set after the `[` before `at`; returns the offset after it.
pub(super) fn check(source: &[u8], at: usize) -> Result<usize, BadPattern> {
    let mut reader = Reader::new(source, at);
    while reader.next()?.is_some() {}
    Ok(reader.at)
}

/// Returns true if the set after the `[` before `at` has `byte`.
pub(super) fn has(source: &[u8], at: usize, byte: u8) -> bool {
    let mut reader = Reader::new(source, at);
    while let Ok(Some(item)) = reader.next() {
        if item.has(byte) {
            return !reader.negated;
        }
    }
    reader.negated
}
