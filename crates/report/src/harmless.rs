//! Text that goes to a terminal as it is.

use std::io::{self, Write};

use crate::text::is_harmful;

/// Writes text, in which characters that control a terminal or reverse the direction of text are
/// replaced.
#[derive(Debug)]
pub struct Harmless<W> {
    inner: W,
    /// The first bytes of a character whose others are still to come.
    begun: Vec<u8>,
}

impl<W: Write> Harmless<W> {
    /// Text that is written to `inner`.
    pub fn new(inner: W) -> Self {
        Self { inner, begun: Vec::new() }
    }
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let whole = match str::from_utf8(&all) {
            Err(error) if all.len() - error.valid_up_to() < 4 && error.error_len().is_none() => {
                error.valid_up_to()
            }
            _ => all.len(),
        };
        self.begun = all.split_off(whole);
        let harmless = |c: char| match c {
            '\n' | '\t' => c,
            c if is_harmful(c) => '\u{FFFD}',
            c => c,
        };
        let text: String = String::from_utf8_lossy(&all).chars().map(harmless).collect();
        self.inner.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_written_in_whatever_pieces() {
        let text = "a\tb\nc\u{1b}[31m\u{9b}d\u{202e}é数\u{7f}";
        for piece in 1..=text.len() {
            let mut out = Harmless::new(Vec::new());
            text.as_bytes().chunks(piece).for_each(|piece| out.write_all(piece).unwrap());
            out.write_all(b"\xFF!").unwrap();
            let written = String::from_utf8(out.inner).unwrap();
            assert_eq!(
                written, "a\tb\nc\u{FFFD}[31m\u{FFFD}d\u{FFFD}é数\u{FFFD}\u{FFFD}!",
                "{piece}"
            );
        }
    }
}
