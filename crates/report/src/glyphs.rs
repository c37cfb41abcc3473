//! Signs beyond ASCII, and substitutes for terminals that cannot show them.

use std::borrow::Cow;
use std::io::{self, Write};

/// Returns the substitute for a sign.
fn substitute(sign: char) -> &'static str {
    match sign {
        '▲' => "!!",
        '◆' => "! ",
        '○' => "--",
        '✓' => "ok",
        '†' => "*",
        '…' => "..",
        '×' => "x",
        '±' => "+-",
        '÷' => "/",
        '→' => "->",
        '≥' => ">=",
        '≤' => "<=",
        '−' | '–' | '—' => "-",
        '‘' | '’' => "'",
        '“' | '”' => "\"",
        'µ' | 'μ' => "u",
        '█' => "#",
        '▓' => "=",
        '▒' => "+",
        '░' => ".",
        '·' => ":",
        '›' => ">",
        _ => "?",
    }
}

/// Returns the text in ASCII, with substitutes for other signs.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    for sign in text.chars() {
        if sign.is_ascii() {
            plain.push(sign);
        } else {
            plain.push_str(substitute(sign));
        }
    }
    plain.into()
}

/// A writer that replaces signs where the terminal shows ASCII only.
#[derive(Debug)]
pub struct Glyphs<W> {
    out: W,
    is_ascii: bool,
}

impl<W: Write> Glyphs<W> {
    /// Makes a writer to `out`, which replaces signs if `is_ascii`.
    pub fn new(out: W, is_ascii: bool) -> Self {
        Self { out, is_ascii }
    }
}

impl<W: Write> Write for Glyphs<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_ascii() || !self.is_ascii {
            return self.out.write(bytes);
        }
        self.out.write_all(plain(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
