//! Writes JSON piece by piece, harmless wherever it is shown.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use crate::text::is_harmful;

/// Writes a value as JSON, with a line for each field if it `is_pretty`.
pub fn write(out: &mut impl Write, value: &impl Serialize, is_pretty: bool) -> io::Result<()> {
    if is_pretty {
        let formatter = Harmless { inner: PrettyFormatter::new() };
        value.serialize(&mut Serializer::with_formatter(&mut *out, formatter))?;
    } else {
        let formatter = Harmless { inner: CompactFormatter };
        value.serialize(&mut Serializer::with_formatter(&mut *out, formatter))?;
    }
    writeln!(out)
}

/// Escapes characters that control a terminal or reverse the direction of text.
struct Harmless<F> {
    inner: F,
}

/// Hands a call on to the formatter inside.
macro_rules! inner {
    ($($name:ident($($argument:ident: $type:ty)?),)+) => {$(
        fn $name<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $type)?) -> io::Result<()> {
            self.inner.$name(out $(, $argument)?)
        }
    )+};
}

impl<F: Formatter> Formatter for Harmless<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        let is_left = |c: char| c == '\x7f' || !c.is_ascii() && is_harmful(c);
        let mut written = 0;
        for (at, harmful) in text.match_indices(is_left) {
            out.write_all(&text.as_bytes()[written..at])?;
            for unit in harmful.encode_utf16() {
                write!(out, "\\u{unit:04x}")?;
            }
            written = at + harmful.len();
        }
        out.write_all(&text.as_bytes()[written..])
    }

    inner! {
        begin_array(),
        end_array(),
        begin_array_value(first: bool),
        end_array_value(),
        begin_object(),
        end_object(),
        begin_object_key(first: bool),
        begin_object_value(),
        end_object_value(),
    }
}
